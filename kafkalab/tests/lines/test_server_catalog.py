"""Can what the catalogue says of brokers' lines be read back, and is each name a line's own?"""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkalab import broker
from kafkalab.broker.log.log_manager import SEGMENT
from kafkalab.lines.catalog import CATALOG, SERVER_CATALOG, server_matches
from kafkalab.lines.rebalance_reasons import reason_text
from kafkalab.releases import UnknownRelease
from kafkalab.releases.broker_profiles import broker_profile
from kafkalab.releases.lineage import BROKER_NAMES

SPOKEN = [(entry, release) for entry in SERVER_CATALOG.values() for release in entry.versions]
KNOWN = {"member_id": "inv-1-uuid", "state_to": "Stable", "partition": "t4-0", "topic": "t4"}
NUMBERS = "broker_id index count offset size port producer_id producer_epoch node_id".split()


class SomeValues(dict):
    """Values for any template: what is not known or a number is a word."""

    def __init__(self, number, word):
        self.number, self.word = number, word

    def __missing__(self, name):
        return KNOWN.get(name) or (self.number if name in NUMBERS else self.word)


def test_clients_and_brokers_share_no_name():
    assert set(CATALOG).isdisjoint(SERVER_CATALOG)


def test_each_entry_is_said_by_a_broker_and_by_no_client():
    assert {release for _, release in SPOKEN} == set(BROKER_NAMES)
    with pytest.raises(UnknownRelease, match="there is no broker version '3.9' here"):
        SERVER_CATALOG["GROUP_EMPTY"].wording("3.9")


@given(
    st.sampled_from(SPOKEN),
    st.integers(0, 2**31),
    st.from_regex(r"[a-z]{1,9}", fullmatch=True),
)
def test_a_brokers_line_is_matched_again(spoken, number, word):
    entry, release = spoken
    wording = entry.wording(release)
    message = wording.template.format_map(SomeValues(number, word))
    found = list(server_matches(release, wording.logger, wording.level, message))
    assert [name for name, _ in found] == [entry.name]
    assert wording.template.format_map(found[0][1]) == message


def test_every_entry_is_written_by_a_machine_or_only_read():
    source = "".join(path.read_text() for path in Path(broker.__path__[0]).rglob("*.py"))
    made = re.compile(r"LOG_(DELETABLE_BY|SEGMENT_DELETED_BY)_(SIZE|TIME|START)")
    written = {name for name in SERVER_CATALOG if f'"{name}"' in source or made.fullmatch(name)}
    assert set(SERVER_CATALOG) - written == {
        entry.name for entry in SERVER_CATALOG.values() if entry.only_read
    }


def test_a_reason_is_said_in_the_words_of_the_release():
    said = [
        reason_text(release, "new member", member_id="a-1", instance="one", client_reason=None)
        for release in BROKER_NAMES
    ]
    assert said == [
        "Adding new member a-1 with group instanceid Some(one)",
        "Adding new member a-1 with group instance id one; client reason: not provided",
    ]
    old, new = (set(broker_profile(release).rebalance_reasons) for release in BROKER_NAMES)
    assert new - old == {"downgraded", "no sync"} and old < new


def test_a_segment_is_printed_in_one_way():
    for kind in ("SIZE", "TIME"):
        assert SEGMENT in SERVER_CATALOG[f"LOG_SEGMENT_DELETED_BY_{kind}"].wordings[0].template
