"""Tests of the pages: each change has a source and a sentence, sets what exists, and differs from
the release before."""

import ast
import re
from pathlib import Path

import pytest

from kafkalab.config import ConsumerConfig, ProducerConfig
from kafkalab.errors import ConfigException, Errors
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
from kafkalab.releases.broker_profile import broker_page
from kafkalab.releases.broker_profiles import broker_page_of
from kafkalab.releases.page import GONE, UNSEEN, Page, client_page
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


def page(*rows: str) -> Page:
    return client_page("2.2", "made_up.txt", "\n".join(rows))


def applied(made: Page):
    return made.applied_to(PROFILES["2.1"], lineage.CLIENTS[1])


CHANGE = "KIP-1 | A change."


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ((CHANGE, "    assings_by_rack = True"), "line 2: no profile has a field assings_by_rack"),
        ((CHANGE, "", "    newest Fecth 1"), "line 3: there is no API Fecth"),
        ((CHANGE, "    newest Fetch 1.x"), "line 2: 1.x is no value"),
        ((CHANGE, "    assigns_by_rack = yes"), "line 2: yes is no value"),
        ((CHANGE, "    assigns_by_rack"), "line 2: assigns_by_rack has a value"),
        ((CHANGE, "    clients linger.ms = 1"), "line 2: clients has no keys; choose one of"),
        (("    assigns_by_rack = True",), "line 1: a setting stands below its change"),
        (("KIP-1: A change.",), "line 1: a change has a bar"),
        (
            (CHANGE, "    first_use_ms = {", '        "FETCH": (1, 2)}', "    assigns = 1"),
            "line 4: no profile has a field assigns",
        ),
    ],
)
def test_what_is_wrong_on_a_page_is_named_with_its_line(rows, error):
    with pytest.raises(ValueError, match=f"^made_up.txt, {error}"):
        page(*rows)


def test_a_row_sets_what_it_names():
    made = page(
        "# a remark",
        CHANGE,
        "    first_use_ms = {",
        '        "FETCH": (1, 2)}',
        "    old_objects = ('A', 'B')",
        "    client linger.ms = 5_000",
        "    check linger.ms = 'at least 1'",
        "    newest Fetch 12, Produce UNSEEN,",
        "        OffsetFetch GONE",
        "    admin_gets describe_cluster, list_offsets",
    )
    assert made.settings() == {
        ("connecting", "first_use_ms"): {"FETCH": (1, 2)},
        ("printing", "old_objects"): frozenset({"A", "B"}),
        ("client_config", "linger.ms"): 5_000,
        ("checks", "linger.ms"): "at least 1",
        ("newest", "Fetch"): 12,
        ("newest", "Produce"): UNSEEN,
        ("newest", "OffsetFetch"): GONE,
        ("admin_gets", "describe_cluster"): True,
        ("admin_gets", "list_offsets"): True,
    }
    (change,) = broker_page(
        "2.9",
        "made_up.txt",
        'KIP-2 | A change.\n    offers Produce 0-7, Fetch GONE\n    keyless_error = "NONE"\n'
        "    topic retention.ms = 1",
    ).changes
    assert change.settings == (
        ("offers", "Produce", (0, 7)),
        ("offers", "Fetch", GONE),
        ("sets", "keyless_error", Errors.NONE),
        ("topic_config", "retention.ms", 1),
    )


def test_a_field_is_set_once():
    with pytest.raises(ValueError, match="the page of 2.2 sets group.assigns_by_rack twice"):
        applied(page(CHANGE, "    assigns_by_rack = True", CHANGE, "    assigns_by_rack = True"))


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
