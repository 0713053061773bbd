"""Does the catalogue say one thing once, and can what it says be read back?"""

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkalab.lines.catalog import CATALOG, match, matches, render
from kafkalab.lines.part_text import read_part
from kafkalab.lines.wording import line_numbers
from kafkalab.releases import UnknownRelease, source_lines
from kafkalab.releases.lineage import CLIENT_NAMES

NODE = "localhost:9092 (id: -1 rack: null)"

# One plausible text for each value whose form is fixed; any other value is drawn.
KNOWN = {
    "node": NODE,
    "node_id": "-1",
    "host": "localhost",
    "topic": "t4",
    "api": "FETCH",
    "partition": "t4-0",
    "member_id": "inv-1-uuid",
    "implied": ", implied=(t4-0)",
    "state_from": "READY",
    "state_to": "IN_TRANSACTION",
    "error": "NOT_LEADER_OR_FOLLOWER",
    "old_topic_id": "IdFUvjlcQqKTccFz9ClFyw",
}
NUMBERS = (
    "correlation_id",
    "api_version",
    "timeout_ms",
    "interval_ms",
    "remaining_ms",
    "size",
    "offset",
    "sequence",
    "count",
    "port",
    "producer_id",
    "producer_epoch",
    "in_flight",
    "throttle",
    "start_ms",
    "last_request_ms",
)
SPOKEN = [(entry.name, version) for entry in CATALOG.values() for version in entry.versions]


class Values(dict):
    """Values for any template: what is not known or a number is a word."""

    def __init__(self, number, word):
        self.number, self.word = number, word

    def __missing__(self, name):
        return KNOWN.get(name) or (self.number if name in NUMBERS else self.word)


def read(text, file="clients/made_up.txt"):
    """The entries of a file that is not there."""
    return read_part(file, text, {"source": "a test of ours", "Logger": "a.Logger"})


def test_names_are_words_in_capitals():
    assert [name for name in CATALOG if not re.fullmatch(r"[A-Z0-9]+(_[A-Z0-9]+)*", name)] == []


def test_no_version_says_one_thing_in_two_ways():
    for one in CATALOG.values():
        spoken = [version for wording in one.wordings for version in wording.at]
        assert len(spoken) == len(set(spoken)), one.name


def test_every_entry_says_where_it_was_learned():
    assert all(len(entry.source) > 20 for entry in CATALOG.values())
    assert {v for _, v in SPOKEN} == set(CLIENT_NAMES)


@given(
    st.sampled_from(SPOKEN),
    st.integers(0, 2**31),
    st.from_regex(r"[a-z]{1,9}(=[a-z]{1,5})?", fullmatch=True),
)
def test_what_is_rendered_is_matched_again(spoken, number, word):
    name, version = spoken
    level, logger, _line, message = render(name, version, Values(number, word))
    found = list(matches(version, logger, level, message))
    wording = CATALOG[name].wording(version)
    if wording.twin:
        assert [
            twin.name
            for n, _ in found
            for twin in [CATALOG[n]]
            if twin.wording(version).template == wording.template
        ]
    else:
        assert [n for n, _ in found] == [name]
        assert wording.template.format_map(found[0][1]) == message


def test_the_version_decides_how_it_is_said():
    values = {"node_id": "0"}
    assert render("NODE_DISCONNECTED", "2.8", values)[0] == "DEBUG"
    assert render("NODE_DISCONNECTED", "3.9", values)[0] == "INFO"
    old, new = (render("CONSUMER_CLOSED", version, {}) for version in ("3.6", "3.9"))
    assert old[3] == new[3] and old[1] != new[1]


def test_a_version_may_say_nothing():
    assert render("CONNECT_FOR_TELEMETRY", "2.3", {"node": NODE}) is None
    assert (
        match(
            "2.3",
            "org.apache.kafka.clients.NetworkClient",
            "DEBUG",
            f"Initialize connection to node {NODE} for sending telemetry request",
        )
        is None
    )


def test_a_value_more_does_no_harm_and_a_missing_one_is_named():
    assert render("CONSUMER_CLOSED", "2.3", {"unused": 1})[3] == "Kafka consumer has been closed"
    with pytest.raises(KeyError, match="address"):
        render("INITIATING_CONNECTION", "2.3", {"node": NODE})


def test_without_a_version_every_wording_is_tried():
    text = f"Group coordinator {NODE} is unavailable or invalid, will attempt rediscovery"
    assert match(
        None, "org.apache.kafka.clients.consumer.internals.AbstractCoordinator", "INFO", text
    ) == ("COORDINATOR_UNAVAILABLE", {"node": NODE})


def test_a_release_without_a_recorded_number_borrows_a_neighbours():
    at, borrowed = line_numbers("COORDINATOR_UNAVAILABLE", ("3.6", "3.9", "4.0", "4.4"))
    assert at == {"3.6": 969, "3.9": 1000, "4.0": 1000, "4.4": 1004} and borrowed == {"4.0"}
    at, borrowed = line_numbers("RECONNECT_BACKOFF_IS_FLAT", ("2.1", "2.2", "2.3", "2.8"))
    assert set(at.values()) == {182} and borrowed == {"2.1", "2.2", "2.3"}


def test_a_new_wording_has_the_number_of_the_wording_before():
    (said,) = read("KAFKA_VERSION Logger\n    DEBUG 4.4.. | another text\n")
    assert said.wording("4.4").at == {"4.4": 138}
    at, borrowed = line_numbers("COORDINATOR_UNAVAILABLE", ("4.0",))
    assert at == {"4.0": 1000} and borrowed == {"4.0"}


def test_a_name_without_any_number_is_refused():
    with pytest.raises(
        ValueError,
        match="clients/made_up.txt, line 2: no release up to 4.4 has a line number for NEVER_SEEN: "
        "import one",
    ):
        list(read("NEVER_SEEN Logger\n    DEBUG 4.4.. | text\n"))


def test_a_row_has_a_wording_for_each_place():
    (said,) = read(
        "Other = b.Other\n"
        "Tail = a text of <Logger>\\n\\tand\\s\n"
        "# a remark\n"
        "KAFKA_VERSION Logger | a jar\n"
        "    DEBUG ..2.2, 2.3 Other bare, INFO 2.8..3.9 stack | {release}: <Tail>\n"
        "    WARN 4.0.. twin | {{}}\n"
    )
    assert said.source == "a jar"
    assert [said.wording(release).level for release in ("2.1", "2.3", "2.8", "4.4")] == [
        "DEBUG",
        "DEBUG",
        "INFO",
        "WARN",
    ]
    assert [wording.logger for wording in said.wordings] == [
        "a.Logger",
        "b.Other",
        "a.Logger",
        "a.Logger",
    ]
    assert [list(wording.at) for wording in said.wordings] == [
        ["2.1", "2.2"],
        ["2.3"],
        ["2.8", "3.6", "3.9"],
        ["4.0", "4.4"],
    ]
    assert said.wordings[0].template == "{release}: a text of a.Logger\n\tand "
    marks = [(each.prefixed, each.trace, each.twin) for each in said.wordings]
    assert marks == [
        (True, False, False),
        (False, False, False),
        (True, True, False),
        (True, False, True),
    ]


def test_a_broker_that_is_only_read_is_no_release():
    (said,) = read(
        "BROKER_STOPS Logger only_read\n    INFO 2.3 | stops\n    WARN others | went\n",
        "brokers/made_up.txt",
    )
    assert said.only_read and said.versions == ("2.3",)
    assert [dict(wording.at) for wording in said.wordings] == [{"2.3": 0}, {}]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("    INFO | a text\n", "line 1: a wording stands below its entry"),
        ("\nKAFKA_VERSION Loger\n", "line 2: nothing is called Loger"),
        ("KAFKA_VERSION Logger Logger\n", "line 1: KAFKA_VERSION has one logger here"),
        ("KAFKA_VERSION Logger\n    INFO 2.2 a text\n", "line 2: a wording has a bar"),
        ("KAFKA_VERSION Logger\n    2.2 | a text\n", "line 2: a wording has a level"),
        ("KAFKA_VERSION\n    INFO 2.2 | a text\n", "line 2: a wording has a level and a logger"),
        ("KAFKA_VERSION Logger\n    INFO 2.4 | a text\n", "line 2: there is no client version"),
        ("KAFKA_VERSION Logger\n    INFO 3.6..2.8 | a text\n", "line 2: client 2.8 is older"),
        ("KAFKA_VERSION Logger\n    INFO | <Text>\n", "line 2: nothing is called Text"),
        ("KAFKA_VERSION Logger\n    INFO others | a text\n", "line 2: nothing is called others"),
    ],
)
def test_what_is_wrong_in_a_row_is_named_with_its_line(text, error):
    with pytest.raises(ValueError, match=f"^clients/made_up.txt, {error}"):
        list(read(text))


def test_a_release_that_is_not_simulated_is_named():
    with pytest.raises(
        UnknownRelease, match="there is no client version '2.4' here; choose one of 2.1, 2.2"
    ):
        render("KAFKA_VERSION", "2.4", {"release": "2.4"})


@pytest.mark.parametrize("release", CLIENT_NAMES)
def test_each_number_belongs_to_a_wording_of_its_level_and_class(release):
    for row in source_lines.line_table(release).values():
        wording = CATALOG[row.name].wording(release)
        assert wording is not None, (
            f"{release}.tsv has {row.name}, which no wording of {release} says"
        )
        assert (row.level, row.logger, row.line) == (
            wording.level,
            wording.logger,
            wording.at[release],
        ), f"{release}.tsv: {row.name}"


def test_an_entry_travels_to_another_process_and_can_be_a_key():
    entry = CATALOG["INITIATING_CONNECTION"]
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert {entry: 1}[entry] == 1
