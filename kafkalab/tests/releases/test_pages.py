"""Tests of the pages: each change has a source and a sentence, sets what exists, and differs from
the release before."""

import ast
import re
from pathlib import Path

import pytest

from kafkalab.config import ConsumerConfig, ProducerConfig
from kafkalab.errors import ConfigException
from kafkalab.release_notes import changes
from kafkalab.releases import (
    BROKER_PROFILES,
    PROFILES,
    UnknownRelease,
    broker_profile,
    lineage,
    profile,
    profile_of,
)
from kafkalab.releases.broker_profiles import broker_page_of
from kafkalab.releases.page import ClientChange, Page
from kafkalab.releases.profiles import page_of

SOURCE = re.compile(r"((KIP|KAFKA)-\d+|recordings|source of \d\.\d|KafkaConfig of \d\.\d\.\d)\b")
PAGES = [page_of(name) for name in lineage.CLIENT_NAMES[1:]] + [
    broker_page_of(name) for name in lineage.BROKER_NAMES[1:]
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{type(page).__name__} {page.release}")
def test_each_change_has_its_source_and_a_sentence(page):
    for change in page.changes:
        assert SOURCE.match(change.source), change
        assert change.what.endswith((".", ";")), change
        assert len(change.what.split()) <= 40, change


@pytest.mark.parametrize("page", PAGES[:-1], ids=lambda page: page.release)
def test_each_page_sets_only_what_differs(page):
    before = lineage.CLIENT_NAMES[lineage.CLIENT_NAMES.index(page.release) - 1]
    listed = changes(before, page.release)
    for section, name in page.settings():
        assert sum(listed.name == name) >= 1, (
            f"the page of {page.release} sets {section}.{name} to what it was"
        )


@pytest.mark.parametrize("file", ["profile.py", "broker_profile.py"])
def test_each_field_of_a_profile_is_explained_where_it_is_declared(file):
    tree = ast.parse((Path(profile.__file__).parent / file).read_text(encoding="utf-8"))
    for kind in [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]:
        whole = ast.get_docstring(kind) or ""
        for field, after in zip(kind.body, [*kind.body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign):
                own = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                said = re.search(rf"\b{field.target.id}\b", whole) is not None
                parts = ast.unparse(field.annotation) in {
                    node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
                }
                assert own or said or parts or kind.name == "ControllerWords", (
                    f"{file}: {kind.name}.{field.target.id} says nothing of itself"
                )


def page(*made: ClientChange) -> Page:
    return Page("2.2", made)


def applied(made: Page):
    return made.applied_to(PROFILES["2.1"], lineage.CLIENTS[1])


def test_a_field_that_does_not_exist_is_named():
    with pytest.raises(
        ValueError, match="the page of 2.2 sets group.assings_by_rack, which Profile does not have"
    ):
        applied(page(ClientChange("KIP-1", "A slip.", group={"assings_by_rack": True})))
    with pytest.raises(ValueError, match="there is no API Fecth"):
        applied(page(ClientChange("KIP-1", "A slip.", newest={"Fecth": 1})))


def test_a_field_is_set_once():
    with pytest.raises(ValueError, match="the page of 2.2 sets group.assigns_by_rack twice"):
        applied(
            page(
                ClientChange("KIP-1", "One.", group={"assigns_by_rack": True}),
                ClientChange("KIP-2", "Two.", group={"assigns_by_rack": True}),
            )
        )


def test_a_page_belongs_to_its_release():
    with pytest.raises(ValueError, match="the page of 2.2 says that it is the page of 2.9"):
        applied(Page("2.9", ()))


def test_a_page_without_changes_is_the_release_before():
    same = applied(page())
    assert (same.name, same.release, same.commit_id) == (
        "2.2",
        "2.2.2",
        lineage.CLIENTS[1].commit_id,
    )
    for part in (
        "connecting",
        "group",
        "fetching",
        "producing",
        "transacting",
        "printing",
        "apis",
        "admin_lacks",
        "config",
        "checks",
    ):
        assert getattr(same, part) == getattr(PROFILES["2.1"], part)


@pytest.mark.parametrize(
    "ask",
    [PROFILES.__getitem__, lambda name: profile_of(name), ProducerConfig.for_version, page_of],
)
def test_a_client_release_that_is_not_simulated_is_named_everywhere(ask):
    with pytest.raises(
        UnknownRelease,
        match=r"^there is no client version '2.4' here; choose one of 2.1, 2.2, 2.3,",
    ):
        ask(*(("2.4", {}) if ask == ProducerConfig.for_version else ("2.4",)))


@pytest.mark.parametrize("ask", [BROKER_PROFILES.__getitem__, broker_profile])
def test_a_broker_release_that_is_not_simulated_is_named_everywhere(ask):
    with pytest.raises(
        UnknownRelease, match=r"^there is no broker version '2.4' here; choose one of 2.3, 4.4$"
    ):
        ask("2.4")


def test_a_page_may_name_another_check():
    ProducerConfig.for_version("2.3", {"client.dns.lookup": "default"})
    with pytest.raises(ConfigException, match="String must be one of: use_all_dns_ips"):
        ProducerConfig.for_version("3.6", {"client.dns.lookup": "default"})
    ConsumerConfig.for_version("4.0", {"auto.offset.reset": "by_duration:PT1H"})
    with pytest.raises(ConfigException, match="must be one of: latest, earliest, none"):
        ConsumerConfig.for_version("3.9", {"auto.offset.reset": "by_duration:PT1H"})
