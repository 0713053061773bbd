"""Tests of the lineage: the order of releases, and the words that name a part of it."""

import pytest

from kafkalab.releases import UnknownRelease, between, newest, since, until
from kafkalab.releases.lineage import BROKERS, CLIENT_NAMES, CLIENTS, ByRelease


def test_a_release_is_named_by_its_recorded_patch_release():
    for release in (*CLIENTS, *BROKERS):
        assert release.recorded.rpartition(".")[0] == release.name


def test_releases_stand_in_the_order_of_their_numbers():
    assert list(CLIENT_NAMES) == sorted(
        CLIENT_NAMES, key=lambda name: [int(part) for part in name.split(".")]
    )
    assert newest() == CLIENT_NAMES[-1]


def test_a_part_of_the_lineage_has_its_ends_included():
    assert since("3.9") == CLIENT_NAMES[CLIENT_NAMES.index("3.9") :]
    assert until("2.3") == ("2.1", "2.2", "2.3")
    assert between("2.3", "3.6") == ("2.3", "2.8", "3.6")
    for name in CLIENT_NAMES:
        assert until(name)[:-1] + since(name) == CLIENT_NAMES


@pytest.mark.parametrize(
    "ask", [since, until, lambda name: between("2.1", name), ByRelease({"2.1": 1}).__getitem__]
)
def test_a_release_that_is_not_simulated_is_named_in_one_sentence(ask):
    with pytest.raises(
        UnknownRelease,
        match=r"^there is no client version '2.4' here; choose one of 2.1, 2.2, 2.3,",
    ):
        ask("2.4")


def test_the_older_end_comes_first():
    with pytest.raises(ValueError, match="name the older one first"):
        between("3.6", "2.8")
