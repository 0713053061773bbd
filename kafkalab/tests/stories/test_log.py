"""Tests of the stories of chapter 01: orders that are written, and a log that lost its end."""

import pytest

from kafkalab import Lab
from kafkalab.stories.log import start_beyond_end, write_orders
from kafkalab.tests.shares import few, share


def test_orders_go_to_the_partitions_in_turn():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders", partitions=3)
    write_orders(lab, records=7, partitions=3)
    assert list(lab.describe_topic("orders")["log_end_offset"]) == [3, 2, 2]


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_an_old_client_beyond_the_end_follows_its_reset_policy(version):
    assert start_beyond_end(version, "earliest") == 0
    assert start_beyond_end(version, "latest") == 8
    assert start_beyond_end(version, "none") == "OffsetOutOfRangeException"


@pytest.mark.parametrize("version", few(["2.3", "2.8", "3.9", "4.4"], 2))
@pytest.mark.parametrize("seed", share([1, 2, 3], 3))
def test_from_2_3_on_it_goes_to_where_the_logs_part(version, seed):
    assert start_beyond_end(version, "earliest", seed) == 8
    assert start_beyond_end(version, "latest", seed) == 8
    assert start_beyond_end(version, "none", seed) == "LogTruncationException"
