"""Every key Java knows is known here, in the same versions; what Java refuses is refused in the
same words; and nothing is read by nobody.

`recorded_configs/verdicts.json` was written by the released classes: ConfigDef.configKeys() of each
client, and what ConfigDef.parse() said of a few values for each key. A row of `refusals` is a key,
the clients, their releases, the values that are refused, and the sentence.
"""

import json
from itertools import product
from pathlib import Path

import pytest

from kafkalab.config import AdminClientConfig, ConsumerConfig, ProducerConfig
from kafkalab.config.keys import GONE, Effect
from kafkalab.errors import ConfigException
from kafkalab.releases.lineage import CLIENT_NAMES, between

KINDS = {"producer": ProducerConfig, "consumer": ConsumerConfig, "admin": AdminClientConfig}
VERDICTS = json.loads(
    (Path(__file__).parent / "recorded_configs" / "verdicts.json").read_text(encoding="utf-8")
)
SOURCES = [
    path for path in Path(__file__).resolve().parents[1].rglob("*.py") if "tests" not in path.parts
]

OTHER_WORDS = {
    "bootstrap.servers": "told when the addresses are read, as Java did before 4.4",
    "linger.ms": "2.1 alone held it as an INT",
    "interceptor.classes": "Python objects instead of names of Java classes",
}
"""Keys whose refusals differ from Java's, and why."""


def versions(text):
    """`2.3-4.4` or `2.3 2.8`."""
    if "-" not in text:
        return text.split()
    first, last = text.split("-")
    return list(between(first, last))


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_every_version_is_known_and_no_other(kind):
    for version in CLIENT_NAMES:
        ours = {
            name for name, key in KINDS[kind].keys_known.items() if key.default(version) is not GONE
        }
        assert ours == {
            name
            for name, spans in VERDICTS["keys"].items()
            for clients, span in spans.items()
            if kind in clients.split() and version in versions(span)
        }, version


@pytest.mark.parametrize("kind", KINDS)
def test_what_java_refuses_is_refused_in_the_same_words(kind):
    """A key that only takes its default may be refused for that reason instead."""
    compared = 0
    for name, clients, span, values, sentence in VERDICTS["refusals"]:
        if kind not in clients.split() or name in OTHER_WORDS:
            continue
        key = KINDS[kind].keys_known[name]
        if key.effect is Effect.FIXED or (key.effect is Effect.INERT and key.check is None):
            continue
        for version, given in product(versions(span), values):
            with pytest.raises(ConfigException) as refusal:
                key.read(given, version)
            said = sentence.replace("{name}", name).replace("{given}", given)
            assert str(refusal.value) == said, (version, name, given)
            compared += 1
    assert compared > 300


def test_a_key_that_is_simulated_is_read_by_somebody():
    """Its name stands in a module that is no table of keys."""
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in SOURCES
        if path.name not in ("client_keys.py", "security_keys.py")
    )
    unread = [
        name
        for kind in KINDS.values()
        for name, key in kind.keys_known.items()
        if key.effect is Effect.SIMULATED and f'"{name}"' not in text
    ]
    assert unread == []


def test_what_is_not_modelled_is_refused_and_says_why():
    """Every key that only takes its default raises for another value, whatever its type."""
    for kind in KINDS.values():
        for name, key in kind.keys_known.items():
            version = next(
                version for version in reversed(CLIENT_NAMES) if key.default(version) is not GONE
            )
            other = next(
                value
                for value in ("7", "org.apache.kafka.Other", "true", "false", "0.25")
                if _differs(key, value, version)
            )
            if key.effect is Effect.FIXED:
                with pytest.raises(ConfigException, match="cannot be played here|Invalid value"):
                    kind.for_version(version, {name: other})


def _differs(key, value, version):
    try:
        return key.read(value, version) != key.default(version)
    except ConfigException:
        return True


@pytest.mark.parametrize(
    ("given", "nearest"),
    [
        ("group-id", "group.id"),
        ("max.poll.record", "max.poll.records"),
        ("autoCommitIntervalMs", "auto.commit.interval.ms"),
        ("session_timeout", "session.timeout.ms"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(given, nearest):
    with pytest.raises(
        ConfigException, match=f"does not know {given}; the nearest key it knows is {nearest}."
    ):
        ConsumerConfig.for_version("3.9", {given: "1"})
