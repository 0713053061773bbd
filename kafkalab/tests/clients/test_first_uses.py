"""What a JVM just started does for the first time takes long, and that decides which sockets
open (cold labs, as in the recordings)."""

import pytest

from kafkalab import KafkaProducer, Lab
from kafkalab.tests.clients.stories import node_ids

THREE = "localhost:9092,localhost:9093,localhost:9094"


def opened(version, broker_version, seed, **config):
    lab = Lab(brokers=3, seed=seed, version=version, broker_version=broker_version, cold=True)
    KafkaProducer(lab, config, name="shop")
    lab.run_for(3_000)
    return node_ids(lab)


@pytest.mark.parametrize("seed", range(12))
def test_a_cold_2_2_always_opens_all_three_addresses(seed):
    """The second connect is under way while the first request is still being written,
    so the third is always tried."""
    assert sorted(opened("2.2", "2.3", seed, **{"bootstrap.servers": THREE})) == ["-1", "-2", "-3"]


def test_a_cold_idempotent_producer_mostly_opens_a_socket_for_telemetry():
    """METADATA is usually back before INIT_PRODUCER_ID is written,
    and then telemetry looks for a real broker (KIP-714)."""
    real = [any(int(id) >= 0 for id in opened("4.4", "4.4", seed)) for seed in range(12)]
    assert 6 <= sum(real) <= 12
