"""Lines real clients wrote are the measure: read a message out of such a line, print it again, get
the same bytes.

`recorded_texts.tsv` holds one short text for every client version, API and direction (and for
answers with errors, records or several members), each with the scenario it was recorded in. The
scenarios `admin_first_calls`, `admin_second_calls` and `admin_third_calls` left only their texts
here: an administrator asks three 2.3.1 brokers, with a group of one member, then of two, and has
records deleted at one leader.
"""

from pathlib import Path

import pytest

from kafkalab.lines.cluster_text import api_versions_text, features_text
from kafkalab.lines.payload import wire_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.wire_forms import as_sent
from kafkalab.releases import BROKER_PROFILES, PROFILES
from kafkalab.releases.api_versions import api_versions_response, newest_known, version_to_use
from kafkalab.tests.protocol.read_text import read_data, read_produce, read_struct

HERE = Path(__file__).parent
TEXTS = [
    row.split("\t")
    for row in (HERE / "recorded_texts.tsv").read_text(encoding="utf-8").splitlines()
]
VERSION_LINES = [
    row.split("\t")
    for row in (HERE / "recorded_api_versions.tsv").read_text(encoding="utf-8").splitlines()
]


def read(version, api, direction, text):
    kind = getattr(ApiKeys[api], direction)
    if kind is m.ProduceRequest:
        return read_produce(text)
    return (read_struct if PROFILES[version].printing.wire_as_struct else read_data)(
        text, kind, version
    )


@pytest.mark.parametrize(
    ("version", "broker", "scenario", "api", "api_version", "direction", "text"),
    TEXTS,
    ids=[f"{row[0]}@{row[1]}-{row[3]}-{row[5]}-{number}" for number, row in enumerate(TEXTS)],
)
def test_a_recorded_message_prints_as_the_client_printed_it(
    version, broker, scenario, api, api_version, direction, text
):
    message = read(version, api, direction, text)
    assert wire_text(message, int(api_version), version) == text


def test_a_different_message_prints_differently():
    """So that the comparison above means something: a changed field shows."""
    row = next(
        row for row in TEXTS if row[0] == "3.9" and row[3] == "HEARTBEAT" and row[5] == "request"
    )
    beat = read("3.9", "HEARTBEAT", "request", row[6])
    later = m.HeartbeatRequest(
        group_id=beat.group_id, generation_id=beat.generation_id + 1, member_id=beat.member_id
    )
    assert wire_text(later, 4, "3.9") != row[6]


def test_every_version_and_api_of_a_simple_consumer_is_covered():
    needed = {
        "API_VERSIONS",
        "METADATA",
        "FIND_COORDINATOR",
        "JOIN_GROUP",
        "SYNC_GROUP",
        "HEARTBEAT",
        "LEAVE_GROUP",
        "OFFSET_FETCH",
        "OFFSET_COMMIT",
        "LIST_OFFSETS",
        "FETCH",
        "PRODUCE",
    }
    for version in PROFILES:
        seen = {(row[3], row[5]) for row in TEXTS if row[0] == version}
        assert {
            (api, direction) for api in needed for direction in ("request", "response")
        } <= seen, version


def test_every_api_of_an_administrator_is_covered_where_it_prints_as_a_struct():
    needed = {
        "CREATE_TOPICS",
        "DELETE_TOPICS",
        "CREATE_PARTITIONS",
        "LIST_GROUPS",
        "DESCRIBE_GROUPS",
        "DELETE_GROUPS",
        "DELETE_RECORDS",
        "DESCRIBE_CONFIGS",
    }
    for version in (name for name, profile in PROFILES.items() if profile.printing.wire_as_struct):
        seen = {(row[3], row[5]) for row in TEXTS if row[0] == version}
        assert {(api, way) for api in needed for way in ("request", "response")} <= seen, version


@pytest.mark.parametrize(
    "row", TEXTS, ids=[f"{row[0]}@{row[1]}-{row[3]}-{number}" for number, row in enumerate(TEXTS)]
)
def test_both_sides_agree_on_the_version_that_was_recorded(row):
    """The text has the fields of the version we would have sent,
    or the test above would not hold in that version."""
    version, broker, _, api, api_version, *_ = row
    chosen = (
        newest_known(version, ApiKeys[api])
        if api == "API_VERSIONS"
        else version_to_use(version, ApiKeys[api], BROKER_PROFILES[broker].apis)
    )
    assert chosen == int(api_version)


@pytest.mark.parametrize(
    "row",
    [
        row
        for row in TEXTS
        if row[5] == "request" and row[3] in ("FIND_COORDINATOR", "LEAVE_GROUP", "OFFSET_FETCH")
    ],
    ids=lambda row: f"{row[0]}-{row[3]}",
)
def test_the_newest_form_of_a_request_becomes_the_one_that_was_sent(row):
    """A client builds the form of today; what goes out in an older
    version is what the older client sent."""
    version, _, _, api, api_version, direction, text = row
    sent = read(version, api, direction, text)
    if api == "FIND_COORDINATOR":
        newest = m.FindCoordinatorRequest(key_type=sent.key_type, coordinator_keys=sent.keys)
    elif api == "LEAVE_GROUP":
        newest = m.LeaveGroupRequest(group_id=sent.group_id, members=sent.leaving)
    else:
        newest = m.OffsetFetchRequest(groups=sent.asked, require_stable=sent.require_stable)
    assert wire_text(as_sent(newest, int(api_version)), int(api_version), version) == text


@pytest.mark.parametrize(
    ("version", "broker", "scenario", "text"),
    VERSION_LINES,
    ids=[f"{row[0]}@{row[1]}" for row in VERSION_LINES],
)
def test_what_a_client_makes_of_a_brokers_versions(version, broker, scenario, text):
    """Usable, unusable, UNSUPPORTED, UNKNOWN: our table gives the line each client wrote."""
    epoch = int(text.split("epoch: ")[1].split(",")[0]) if "epoch: " in text else -1
    asked_in = newest_known(version, ApiKeys.API_VERSIONS)
    response = as_sent(api_versions_response(broker, finalized_features_epoch=epoch), asked_in)
    versions = api_versions_text(response.api_keys, version)
    if PROFILES[version].printing.features:
        assert f"{features_text(response, version)}, API versions: {versions}." == text
    else:
        assert versions == text


@pytest.mark.parametrize("broker", ["2.3", "4.4"])
def test_our_brokers_answer_is_the_recorded_one(broker):
    recorded = next(
        row
        for row in TEXTS
        if row[:2] == ["2.3", broker] and row[3:6:2] == ["API_VERSIONS", "response"]
    )
    as_read = read("2.3", "API_VERSIONS", "response", recorded[6])
    assert api_versions_response(broker).api_keys == as_read.api_keys


def test_the_features_of_a_4_4_broker_are_the_recorded_ones():
    recorded = next(
        row for row in TEXTS if row[0] == "4.4" and row[3:6:2] == ["API_VERSIONS", "response"]
    )
    as_read = read("4.4", "API_VERSIONS", "response", recorded[6])
    assert (
        api_versions_response("4.4", finalized_features_epoch=as_read.finalized_features_epoch)
        == as_read
    )
