"""What a client was told: typed, checked, and printed as the real clients printed it.

`recorded_configs/` holds what each client version wrote when it started; the first line says with
which configuration.
"""

import json
from pathlib import Path

import pytest

from kafkalab.config import ConsumerConfig, ProducerConfig, dump_text
from kafkalab.config.keys import GONE, Effect
from kafkalab.errors import ConfigException, KafkaException
from kafkalab.releases.lineage import CLIENT_NAMES

DUMPS = sorted((Path(__file__).parent / "recorded_configs").glob("*.txt"))
KINDS = {"consumer": ConsumerConfig, "producer": ProducerConfig}


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.stem)
def test_a_client_prints_its_configuration_as_the_real_one_did(path):
    head, _, recorded = path.read_text(encoding="utf-8").partition("\n")
    told = json.loads(head)
    kind, version = path.stem.split("_")
    config = KINDS[kind].for_version(version, told["given"])
    assert dump_text(version, config, told["client_id"]) == recorded


def test_every_version_of_both_kinds_is_recorded():
    assert {path.stem for path in DUMPS} == {
        f"{kind}_{version}" for kind in KINDS for version in CLIENT_NAMES
    }


def test_text_becomes_typed_values():
    config = ConsumerConfig.for_version(
        "3.9",
        {
            "bootstrap.servers": "localhost:9092, localhost:9093",
            "enable.auto.commit": "false",
            "max.poll.records": "3",
            "group.id": "test",
        },
    )
    assert config["bootstrap.servers"] == ("localhost:9092", "localhost:9093")
    assert config["enable.auto.commit"] is False
    assert config["max.poll.records"] == 3
    assert config["session.timeout.ms"] == 45_000
    assert set(config.given) == {
        "bootstrap.servers",
        "enable.auto.commit",
        "max.poll.records",
        "group.id",
    }


@pytest.mark.parametrize(
    ("kind", "key", "changes"),
    [
        # KIP-735
        (ConsumerConfig, "session.timeout.ms", {"2.8": 10_000, "3.6": 45_000}),
        # KIP-1030
        (ProducerConfig, "linger.ms", {"3.9": 0, "4.0": 5}),
        # KIP-679
        (ProducerConfig, "enable.idempotence", {"2.8": False, "3.6": True}),
        # KIP-679
        (ProducerConfig, "acks", {"2.8": "1", "3.6": "all"}),
        # KIP-899
        (ConsumerConfig, "metadata.recovery.strategy", {"3.9": "none", "4.0": "rebootstrap"}),
    ],
)
def test_defaults_change_with_the_version(kind, key, changes):
    assert {version: kind.for_version(version, {})[key] for version in changes} == changes


@pytest.mark.parametrize(
    ("kind", "version", "given", "sentence"),
    [
        (
            ConsumerConfig,
            "3.9",
            {"session.timout.ms": 1},
            (
                "A consumer 3.9 does not know session.timout.ms; the nearest key it knows is "
                "session.timeout.ms."
            ),
        ),
        (
            ConsumerConfig,
            "2.3",
            {"enable.metrics.push": True},
            "A consumer 2.3 does not know enable.metrics.push: it exists from 3.9 to 4.4.",
        ),
        (
            ConsumerConfig,
            "4.4",
            {"acks": "all"},
            "acks is not for a consumer but for another kind of client.",
        ),
        (
            ConsumerConfig,
            "3.9",
            {"max.poll.records": "many"},
            "Invalid value many for configuration max.poll.records: Not a number of type INT",
        ),
        (
            ConsumerConfig,
            "3.9",
            {"max.poll.records": 0},
            "Invalid value 0 for configuration max.poll.records: Value must be at least 1",
        ),
        (
            ConsumerConfig,
            "3.9",
            {"enable.auto.commit": "maybe"},
            (
                "Invalid value maybe for configuration enable.auto.commit: Expected value to be "
                "either true or false"
            ),
        ),
        (
            ConsumerConfig,
            "3.9",
            {"auto.offset.reset": "newest"},
            (
                "Invalid value newest for configuration auto.offset.reset: String must be one of: "
                "latest, earliest, none"
            ),
        ),
        (
            ConsumerConfig,
            "4.4",
            {"auto.offset.reset": "by_duration:1h"},
            (
                "Invalid value by_duration:1h for configuration auto.offset.reset: "
                "Invalid value `by_duration:1h` for configuration auto.offset.reset. The value "
                "must be either 'earliest', 'latest', 'none' or of the format "
                "'by_duration:<PnDTnHnMn.nS.>'."
            ),
        ),
        (
            ConsumerConfig,
            "4.4",
            {"group.protocol": "consumer", "session.timeout.ms": "10000"},
            "session.timeout.ms cannot be set when group.protocol=CONSUMER",
        ),
        (
            ConsumerConfig,
            "3.9",
            {"security.protocol": "SSL"},
            (
                "security.protocol=SSL cannot be played here: encryption and login (SSL, SASL) are "
                "not part of the lab: its clients speak in the clear."
            ),
        ),
        (
            ConsumerConfig,
            "3.9",
            {"partition.assignment.strategy": "com.shop.OurAssignor"},
            (
                "partition.assignment.strategy=com.shop.OurAssignor cannot be played here: the lab "
                "has CooperativeStickyAssignor, RangeAssignor, RoundRobinAssignor, StickyAssignor; "
                "or give a Python function."
            ),
        ),
        (
            ConsumerConfig,
            "3.9",
            {"partition.assignment.strategy": 7},
            (
                "Invalid value 7 for configuration partition.assignment.strategy: give the name of "
                "a class, an object with assign(partitions, subscriptions), or a function of these"
            ),
        ),
        (
            ProducerConfig,
            "3.9",
            {"compression.type": "rar"},
            (
                "Invalid value rar for configuration compression.type: String must be one of: "
                "none, gzip, snappy, lz4, zstd"
            ),
        ),
        (
            ProducerConfig,
            "3.9",
            {"retries": 0, "enable.idempotence": True},
            "Must set retries to non-zero when using the idempotent producer.",
        ),
        (
            ProducerConfig,
            "3.9",
            {"max.in.flight.requests.per.connection": 6, "enable.idempotence": True},
            (
                "Must set max.in.flight.requests.per.connection to at most 5 to use the idempotent "
                "producer."
            ),
        ),
        (
            ProducerConfig,
            "4.0",
            {"max.in.flight.requests.per.connection": 6},
            (
                "To use the idempotent producer, max.in.flight.requests.per.connection must be set "
                "to at most 5. Current value is 6."
            ),
        ),
        (
            ProducerConfig,
            "4.4",
            {"buffer.memory.allocation.strategy": "incremental"},
            (
                "buffer.memory.allocation.strategy=incremental cannot be played here: a batch "
                "takes batch.size at once; growing by pieces is not simulated."
            ),
        ),
        (
            ProducerConfig,
            "3.9",
            {"acks": "2"},
            "Invalid value 2 for configuration acks: String must be one of: all, -1, 0, 1",
        ),
        (
            ProducerConfig,
            "3.9",
            {"acks": "1", "enable.idempotence": True},
            (
                "Must set acks to all in order to use the idempotent producer. Otherwise we cannot "
                "guarantee idempotence."
            ),
        ),
    ],
)
def test_a_wrong_configuration_is_refused_with_one_sentence(kind, version, given, sentence):
    with pytest.raises(ConfigException) as refusal:
        kind.for_version(version, given)
    assert str(refusal.value) == sentence


NOT_BUILT = "KafkaException: Failed to construct kafka"
NOWHERE = "enable.auto.commit cannot be set to true when default group id (null) is used."
NO_RETRIES = "Must set retries to non-zero when using the idempotent producer."
NO_TRANSACTIONS = "Cannot set a transactional.id without also enabling idempotence."
TOO_SHORT = "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms"
BLANK = "The configured group.id should not be an empty string or whitespace."


@pytest.mark.parametrize(
    ("kind", "version", "given", "error"),
    [
        (
            ProducerConfig,
            "2.3",
            {"delivery.timeout.ms": 1_000},
            f"{NOT_BUILT} producer: {TOO_SHORT}",
        ),
        (
            ProducerConfig,
            "4.4",
            {"delivery.timeout.ms": 1_000},
            f"{NOT_BUILT} producer: {TOO_SHORT}",
        ),
        (
            ProducerConfig,
            "2.3",
            {"retries": 0, "enable.idempotence": True},
            f"{NOT_BUILT} producer: {NO_RETRIES}",
        ),
        (
            ProducerConfig,
            "3.9",
            {"transactional.id": "t", "acks": "0"},
            f"ConfigException: {NO_TRANSACTIONS}",
        ),
        (
            ProducerConfig,
            "4.4",
            {"transactional.id": "t", "retries": 0},
            f"ConfigException: {NO_TRANSACTIONS}",
        ),
        (ConsumerConfig, "2.3", {"enable.auto.commit": True}, f"{NOT_BUILT} consumer: {NOWHERE}"),
        (
            ConsumerConfig,
            "3.9",
            {"enable.auto.commit": True},
            f"InvalidConfigurationException: {NOWHERE}",
        ),
        (ConsumerConfig, "4.4", {"group.id": " "}, f"{NOT_BUILT} consumer: {BLANK}"),
        (
            ConsumerConfig,
            "3.9",
            {"group.id": "g", "group.instance.id": ".."},
            f"{NOT_BUILT} consumer: Group instance id is invalid: '..' is not allowed",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_refused_with_javas_class(
    kind, version, given, error
):
    """Released clients 2.3.0, 3.9.2 and 4.4.0 raised these; a constructor's error names its
    cause."""
    with pytest.raises(KafkaException) as refusal:
        kind.for_version(version, given)
    assert f"{type(refusal.value).__name__}: {refusal.value}" == error


def test_tls_settings_take_their_defaults_only():
    """Java lets them rest while security.protocol is PLAINTEXT;
    whoever sets one here expects something of it."""
    assert (
        ConsumerConfig.for_version("3.9", {"ssl.protocol": "TLSv1.3"})["ssl.protocol"] == "TLSv1.3"
    )
    with pytest.raises(
        ConfigException, match="ssl.protocol=TLSv1.2 cannot be played here: encryption and login"
    ):
        ConsumerConfig.for_version("3.9", {"ssl.protocol": "TLSv1.2"})


def test_idempotence_by_default_gives_way_to_acks_1():
    """KIP-679: the new default must not break who asked for less."""
    assert ProducerConfig.for_version("3.9", {})["enable.idempotence"] is True
    assert ProducerConfig.for_version("3.9", {"acks": "1"})["enable.idempotence"] is False


def test_idempotence_asked_for_raises_acks_to_all():
    config = ProducerConfig.for_version("2.3", {"enable.idempotence": "true"})
    assert (config["acks"], config["enable.idempotence"]) == ("all", True)
    # 2.3 prints what it was told
    assert "\tacks = 1\n" in dump_text("2.3", config, "producer-1")
    assert "\tacks = -1\n" in dump_text(
        "2.8", ProducerConfig.for_version("2.8", {"enable.idempotence": "true"}), "producer-1"
    )


def test_without_a_group_nothing_is_committed():
    """KIP-289: from 2.2 on a consumer without group.id has nowhere to commit to."""
    assert ConsumerConfig.for_version("2.2", {})["enable.auto.commit"] is False
    assert ConsumerConfig.for_version("2.2", {"group.id": "test"})["enable.auto.commit"] is True


def test_assignors_by_short_name_too():
    config = ConsumerConfig.for_version(
        "3.9", {"partition.assignment.strategy": ["RoundRobinAssignor"]}
    )
    assert config.assignors == ("roundrobin",)
    assert ConsumerConfig.for_version("3.9", {}).assignors == ("range", "cooperative-sticky")


def test_every_key_says_what_it_does_and_what_it_does_not():
    for kind in KINDS.values():
        for key in kind.keys_known.values():
            assert key.doc and "\n" not in key.doc, key.name
            assert any(key.default(version) is not GONE for version in CLIENT_NAMES), key.name
            if key.effect is Effect.FIXED:
                assert not key.doc.endswith("."), (
                    f"{key.name}: the refusal ends the sentence itself"
                )
