"""Tests of changes(): what differs between two releases, each with its KIP, before and after."""

import itertools

import pytest

from kafkalab import PROFILES, changes
from kafkalab.config import ConsumerConfig, ProducerConfig
from kafkalab.lines.catalog import CATALOG
from kafkalab.releases import BROKER_PROFILES, UnknownRelease
from kafkalab.releases.lineage import CLIENT_NAMES, until


def row(table, name):
    """The one row of a name, as a dict."""
    found = table[table.name == name].to_dict("records")
    assert len(found) == 1, found
    return found[0]


def test_a_behaviour_has_its_kip_and_both_values():
    assert row(changes("2.2", "2.3"), "validates_positions") == {
        "release": "2.3",
        "source": "KIP-320",
        "area": "fetching",
        "name": "validates_positions",
        "before": "no",
        "after": "yes",
        "what": "A position knows its leader epoch: it is validated after a change of leader, and "
        "sent along.",
    }


def test_a_config_and_an_api_version_are_among_them():
    table = changes("2.8", "3.6")
    assert row(table, "acks")["source"] == "KIP-679 (3.0)"
    assert (row(table, "acks")["before"], row(table, "acks")["after"]) == ("1", "all")
    assert (
        row(table, "enable.idempotence")["before"],
        row(table, "enable.idempotence")["after"],
    ) == ("false", "true")
    assert row(table, "FindCoordinator")["area"] == "newest API version"
    assert row(changes("3.6", "3.9"), "retry.backoff.max.ms")["after"] == "1000"
    assert row(changes("3.9", "4.0"), "auto.include.jmx.reporter")["after"] == "no such key"
    assert row(changes("2.3", "2.8"), "elect_leaders")["area"] == "admin client"


def test_the_pages_between_two_releases_follow_one_another():
    table = changes("2.1", "3.6")
    assert list(dict.fromkeys(table.release)) == ["2.2", "2.3", "2.8", "3.6"]
    steps = itertools.pairwise(until("3.6"))
    assert len(table) == sum(len(changes(*step)) for step in steps)


def test_lines_are_counted_or_listed():
    counted = row(changes("3.6", "3.9"), "wordings")
    listed = changes("3.6", "3.9", lines=True)
    listed = listed[listed.area == "lines"]
    new, gone, other = (int(word) for word in counted["what"].split() if word.isdigit())
    assert [
        sum(listed.what == what)
        for what in ("A line that is new.", "A line that is gone.", "A line in other words.")
    ] == [new, gone, other]
    assert new - gone == int(counted["after"].split()[0]) - int(counted["before"].split()[0])
    stale = row(listed, "FETCH_STALE")
    assert stale["after"] == f"DEBUG {CATALOG['FETCH_STALE'].wording('3.9').template}"


def test_the_text_twin_says_the_same():
    table = changes("2.2", "2.3")
    text = table.attrs["text"]
    assert text.splitlines()[:2] == [
        "2.3  KAFKA-8275, KAFKA-8376: The least loaded node is one with a connection, else one "
        "with a connection being set up, else any other.",
        "    connecting             least_loaded: fewest unanswered -> connected, then connecting",
    ]
    assert sum(line.startswith("    ") for line in text.splitlines()) == len(table)


@pytest.mark.parametrize("step", list(itertools.pairwise(CLIENT_NAMES)))
def test_nothing_differs_that_is_not_listed(step):
    """The table is complete: every default that differs between two neighbours is a row of it."""
    table = changes(*step)
    for kind, config in (("producer", ProducerConfig), ("consumer", ConsumerConfig)):
        rows = set(table[table.area.isin([f"{kind} config", "client config"])].name)
        differing = {
            name
            for name, key in config.keys_known.items()
            if key.default(step[0]) != key.default(step[1])
        }
        assert differing == rows & config.keys_known.keys()
    before, after = (PROFILES[name] for name in step)
    for part in ("connecting", "group", "fetching", "producing", "transacting", "printing"):
        old, new = getattr(before, part), getattr(after, part)
        assert {name for name in old.__slots__ if getattr(old, name) != getattr(new, name)} == set(
            table[table.area == part].name
        )


def test_brokers_have_their_own_table():
    table = changes("2.3", "4.4", of="broker")
    assert row(table, "is_kraft")["source"] == "KIP-500"
    assert (row(table, "Fetch")["before"], row(table, "Fetch")["after"]) == ("0-11", "4-18")
    assert row(table[table.area == "broker config"], "message.max.bytes")["after"] == "1048588"
    differing = {
        name
        for name in BROKER_PROFILES["2.3"].__slots__
        if getattr(BROKER_PROFILES["2.3"], name) != getattr(BROKER_PROFILES["4.4"], name)
    }
    assert set(table[table.area == "broker"].name) == differing - {"name", "apis", "config"}


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        (("2.2", "2.9"), UnknownRelease, "there is no client version '2.9' here"),
        (
            ("2.3", "2.2"),
            ValueError,
            "client 2.2 is not newer than client 2.3: name the older release first",
        ),
        (("2.2", "2.2"), ValueError, "name the older release first"),
    ],
)
def test_bad_questions_get_one_sentence(asked, error, says):
    with pytest.raises(error, match=says):
        changes(*asked)


def test_only_clients_and_brokers_have_pages():
    with pytest.raises(ValueError, match='compares releases of a "client" or a "broker"'):
        changes("2.2", "2.3", of="tools")
    with pytest.raises(UnknownRelease, match="there is no broker version '2.2' here"):
        changes("2.2", "4.4", of="broker")


def test_one_area_is_asked_for_by_its_name():
    table = changes("2.1", "2.3", area="connecting")
    assert set(table.area) == {"connecting"}
    assert "KAFKA-8275, KAFKA-8376" in set(table.source)
    with pytest.raises(ValueError, match="the areas are .*connecting"):
        changes("2.1", "2.3", area="conecting")
