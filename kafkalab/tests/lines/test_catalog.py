"""Does the catalogue say one thing once, and can what it says be read back?"""

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkalab.lines.catalog import CATALOG, VERSIONS, match, matches, render
from kafkalab.lines.wording import line_numbers

NODE = "localhost:9092 (id: -1 rack: null)"

# One plausible text for each value whose form is fixed; any other value is drawn.
KNOWN = {
    "node": NODE, "node_id": "-1", "host": "localhost", "topic": "t4", "api": "FETCH", "partition": "t4-0", "member_id": "inv-1-uuid",
    "implied": ", implied=(t4-0)", "state_from": "READY", "state_to": "IN_TRANSACTION", "error": "NOT_LEADER_OR_FOLLOWER",
}
NUMBERS = ("correlation_id", "api_version", "timeout_ms", "interval_ms", "remaining_ms", "size", "offset", "sequence", "count", "port",
           "producer_id", "producer_epoch", "in_flight", "throttle", "start_ms", "last_request_ms")
SPOKEN = [(entry.name, version) for entry in CATALOG.values() for version in entry.versions]


class Values(dict):
    """Values for any template: what is not known or a number is a word."""

    def __init__(self, number, word):
        self.number, self.word = number, word

    def __missing__(self, name):
        return KNOWN.get(name) or (self.number if name in NUMBERS else self.word)


def test_names_are_words_in_capitals():
    assert [name for name in CATALOG if not re.fullmatch(r"[A-Z0-9]+(_[A-Z0-9]+)*", name)] == []


def test_no_version_says_one_thing_in_two_ways():
    for entry in CATALOG.values():
        spoken = [version for wording in entry.wordings for version in wording.at]
        assert len(spoken) == len(set(spoken)), entry.name


def test_every_entry_says_where_it_was_learned():
    assert all(len(entry.source) > 20 for entry in CATALOG.values())
    assert {v for _, v in SPOKEN} == set(VERSIONS)


@given(st.sampled_from(SPOKEN), st.integers(0, 2**31), st.from_regex(r"[a-z]{1,9}(=[a-z]{1,5})?", fullmatch=True))
def test_what_is_rendered_is_matched_again(spoken, number, word):
    name, version = spoken
    level, logger, line, message = render(name, version, Values(number, word))
    found = list(matches(version, logger, level, message))
    wording = CATALOG[name].wording(version)
    if wording.twin:
        assert [twin.name for n, _ in found for twin in [CATALOG[n]] if twin.wording(version).template == wording.template]
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
    assert match("2.3", "org.apache.kafka.clients.NetworkClient", "DEBUG",
                 f"Initialize connection to node {NODE} for sending telemetry request") is None


def test_a_value_more_does_no_harm_and_a_missing_one_is_named():
    assert render("CONSUMER_CLOSED", "2.3", {"unused": 1})[3] == "Kafka consumer has been closed"
    with pytest.raises(KeyError, match="address"):
        render("INITIATING_CONNECTION", "2.3", {"node": NODE})


def test_without_a_version_every_wording_is_tried():
    text = f"Group coordinator {NODE} is unavailable or invalid, will attempt rediscovery"
    assert match(None, "org.apache.kafka.clients.consumer.internals.AbstractCoordinator", "INFO", text) == (
        "COORDINATOR_UNAVAILABLE", {"node": NODE})


def test_a_row_of_line_numbers_borrows_where_it_says_so():
    at, borrowed = line_numbers("~ 921 ~ - - ~ 1141 -")
    assert dict(at) == {"2.1": 921, "2.2": 921, "2.3": 921, "3.9": 921, "4.0": 1141}
    assert borrowed == {"2.1", "2.3", "3.9"}
    with pytest.raises(ValueError, match="7 columns"):
        line_numbers("1 2 3 4 5 6 7")


def test_an_entry_travels_to_another_process_and_can_be_a_key():
    entry = CATALOG["INITIATING_CONNECTION"]
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert {entry: 1}[entry] == 1
