"""The report's page and text, from a small story made by hand: nothing of a log may become
markup, and every picture has words."""

import gzip
import inspect
import json
from dataclasses import replace
from html import escape
from html.parser import HTMLParser

import pandas as pd
import pytest

from kafkalab.config.client_config import ConsumerConfig, ProducerConfig
from kafkalab.logsets.explain import (
    LogReport,
    Oddity,
    json_report,
    missing_records,
    oddities,
    text_report,
)
from kafkalab.logsets.explain.absences import Absence
from kafkalab.logsets.explain.kafka_subjects import COLUMNS as OF_SUBJECTS
from kafkalab.logsets.explain.page import page
from kafkalab.logsets.explain.pictures import pictures
from kafkalab.logsets.explain.reading import LinesRead
from kafkalab.logsets.explain.settings import BEHIND
from kafkalab.logsets.first_lines import LineCounts
from kafkalab.tests.shares import few

NINE = pd.Timestamp("2026-01-05 09:00:00")
EVIL = '<script>alert("1")</script>'


def at(seconds: float) -> pd.Timestamp:
    return NINE + pd.Timedelta(seconds=seconds)


@pytest.fixture
def story() -> LogReport:
    sockets = pd.DataFrame(
        {
            "file": "c.log", "client_id": EVIL, "node_id": ["-1", "0", "1"],
            "broker": [0.0, 0.0, float("nan")], "class": ["bootstrap", "data", "data"],
            "opened_at": [at(0), at(1), at(2)], "closed_at": [pd.NaT, at(9), at(2)],
            "how": [None, "idle", "failed"],
        }
    )  # fmt: skip
    rounds = pd.DataFrame(
        {
            "file": "c.log", "client_id": "c", "group_id": "g", "generation": [1, 2],
            "cause": ["first join", "poll timeout"], "began_at": [at(1), at(5)],
            "stopped_at": [pd.NaT, at(6)], "resumed_at": [at(4), at(8)], "waited_ms": 3000,
            "stopped_ms": [0, 2000], "partitions": "t-0",
        }
    )  # fmt: skip
    commits = pd.DataFrame(
        {
            "client_id": ["c"],
            "group_id": ["g"],
            "topic": ["t"],
            "partition": [0],
            "commits": [2],
            "from_offset": [3],
            "to_offset": [9],
            "last_at": [at(9)],
        }
    )
    files = pd.DataFrame(
        {
            "file": ["c.log"],
            "lines": [12],
            "malformed": [1],
            "foreign": [1],
            "not_in_catalogue": [2],
            "first": [at(0)],
            "last": [at(10)],
        }
    )
    clients = pd.DataFrame(
        {
            "file": ["c.log"],
            "client_id": [EVIL],
            "kind": ["consumer"],
            "group_id": [None],
            "version": [None],
            "lives": [1],
            "lines": [11],
            "warnings": [1],
        }
    )
    held = (
        sockets.groupby(["client_id", "class", "how"], dropna=False)
        .size()
        .rename("sockets")
        .reset_index()
    )
    odd = Oddity(
        "Something",
        3,
        1,
        "It means that.",
        "Do this.",
        (EVIL,),
        "2026-01-05 09:00:03,500",
        "",
        (f"[09:00] WARN {EVIL}\nsecond line",),
    )
    empty = pd.DataFrame()
    unknown = pd.DataFrame(
        {"logger": ["com.shop"], "level": ["INFO"], "lines": [2], "example": [EVIL]}
    )
    return LogReport(
        files,
        clients,
        sockets,
        held,
        empty,
        empty,
        empty,
        rounds,
        commits,
        empty,
        pd.DataFrame(columns=["how"]),  # transactions
        empty,
        empty,
        unknown,
        empty,
        pd.DataFrame(columns=list(OF_SUBJECTS)),
        empty,
        empty,
        READING,
        [odd],
    )


READING = LinesRead(
    counts=LineCounts(lines=12, read=11, known=11),
    shapes=((1, f"12:00 {EVIL}", "foreign line"),), debug=True, dated=True,
    unread_files=(), left_out=(f"{EVIL}.md",), leveled=11,
)  # fmt: skip


def _changed(change: dict) -> LinesRead:
    counts = {name: value for name, value in change.items() if hasattr(READING.counts, name)}
    others = {name: value for name, value in change.items() if name not in counts}
    return replace(READING, counts=replace(READING.counts, **counts), **others)


@pytest.mark.parametrize(
    ("change", "said"),
    few(
        [
            ({}, "1 of 12 lines (8%) could not be read."),
            ({"read": 10}, "Do not trust this report: 2 of 12 lines (17%) could not be read."),
            ({"debug": False}, "There are no DEBUG lines: sockets, requests"),
            (
                {"dated": False},
                "The lines have no year, or no date: their times count from 1970-01-01.",
            ),
            ({"unread_files": ("b.log",)}, "No line of b.log could be read."),
            ({"leveled": 2}, "9 of the lines that were read have no level that is known:"),
            (
                {"known": 0},
                "none of the 11 lines that were read is in the catalogue of Kafka's lines.",
            ),
            ({"doubts": ("a.log: see",)}, "Do not trust this report. a.log: see"),
        ],
        2,
    ),
)
def test_what_was_not_read_is_said_first(story, change, said):
    less = replace(story, reading=_changed(change))
    assert said in text_report(less).split("\n\n")[0]
    shown = page(less, "x")
    assert shown.index(escape(said)) < shown.index("What stands out")
    doubtful = {"read", "known", "doubts"} & set(change)
    assert json.loads(json_report(less))["reading"]["enough"] == (not doubtful)


def test_text_and_page_begin_with_the_broker_that_was_away(story):
    since = pd.Timestamp("2026-11-30 11:00:00")
    away = Absence(2, since, since + pd.Timedelta("8s"), "it stopped in order", ["its own log"])
    told = replace(story, absences=[away], clock_shift=pd.Timedelta("2h"))
    sentence = "Broker 2 was away from 11:00:00.000 to 11:00:08.000 (8.0 s"
    assert text_report(told).startswith(sentence)
    written = page(told, "a night")
    assert written.index(sentence) < written.index("clocks are 2.0 h behind the clients")
    assert written.index("clocks are 2.0 h behind the clients") < written.index("Who wrote here")


def test_nothing_odd_is_said_of_what_was_read(story):
    def told(**change) -> str:
        calm = replace(story, oddities=[], reading=_changed(change))
        return calm.reading.nothing_odd()

    assert told().startswith("Nothing odd in the 11 lines that were read: no lost connections")
    assert "connections" not in told(debug=False)
    assert told(read=0) == "Nothing can be said: no line could be read."


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        assert not any(name.startswith("on") or name == "src" for name, _ in attributes)


@pytest.mark.corpus
def test_the_page_needs_nothing_else_and_holds_no_markup_of_the_log(story):
    tags = Tags()
    tags.feed(page(story, "What c.log tells"))
    assert not {"script", "link", "img", "iframe", "object"} & set(tags.seen)
    assert tags.seen.count("svg") == len(pictures(story)) == 5
    assert page(story, "x") == page(story, "x")


def test_every_picture_says_in_words_what_it_shows(story):
    said = {title: picture.text for title, picture in pictures(story)}
    assert said["When it happened"] == "2026-01-05 09:00:03,500: Something"
    assert said["Open sockets per broker"] == "broker 0: at most 2, 1 at the end"
    assert (
        said["Rebalances: who stood still, and why"].splitlines()[1]
        == "c 09:00:05: poll timeout, 2000 ms"
    )
    assert said["Committed offsets"] == "c t-0: 3 to 9"


@pytest.mark.parametrize("packed", few([False, True]))
def test_a_cited_line_is_shown_among_its_neighbors(story, tmp_path, packed):
    lines = [f"12:00 line {number} {EVIL}" for number in range(9)]
    lines[5] = "12:00 INFO the cited one"
    text = "".join(f"{line}\n" for line in lines).encode()
    path = tmp_path / ("c.log.gz" if packed else "c.log")
    path.write_bytes(gzip.compress(text) if packed else text)
    offset = text.index(b"12:00 INFO")
    odd = replace(
        story.oddities[0],
        evidence=("[12:00] INFO the cited one", "[12:00] INFO another", "[12:00] INFO gone"),
        places=((str(path), offset), (str(path), offset), (str(tmp_path / "none.log"), 7)),
    )
    shown = page(replace(story, oddities=[odd]), "x")
    assert "line 2" in shown and "<b>12:00 INFO the cited one</b>" in shown
    assert "line 1 " not in shown and EVIL not in shown
    assert f"tail -c +{offset + 1}" in shown and ("gzip -dc" in shown) == packed
    # what the place does not hold, and what is no file, is named only
    assert shown.count('<details class="place">') == 1
    assert shown.count('<p class="place quiet">') == 2
    assert json.loads(json_report(replace(story, oddities=[odd])))["oddities"][0]["places"][0] == [
        str(path), offset,
    ]  # fmt: skip


def test_the_page_has_a_dark_scheme_and_links_to_its_findings(story):
    odd = story.oddities[0]
    shown = page(replace(story, oddities=[odd] * 4), "x")
    assert "prefers-color-scheme: dark" in shown
    assert [f'href="#finding-{n}"' in shown and f'id="finding-{n}"' in shown for n in (1, 4)] == [
        True, True,
    ]  # fmt: skip


def test_text_and_json_tell_the_same(story):
    text, told = text_report(story), json.loads(json_report(story))
    assert text.startswith("1 of 12 lines (8%) could not be read.")
    assert (
        "12 lines in 1 file, 2026-01-05 09:00:00 to 2026-01-05 09:00:10 (10.0 s); 2 are not Kafka's"
        in text
    )
    assert "!! Something: 1" in text and "second line" not in text and "poll timeout" in text
    assert [socket["closed_at"] for socket in told["sockets"]] == [
        None,
        "2026-01-05 09:00:09,000",
        "2026-01-05 09:00:02,000",
    ]
    assert (
        told["oddities"][0]["means"] == "It means that."
        and told["rebalances"][0]["stopped_at"] is None
    )


def test_oddities_of_more_than_one_line(story):
    assert oddities.undying_sockets(story.sockets, at(10), 540_000) is None
    forever = oddities.undying_sockets(story.sockets, at(700), -1)
    assert forever.count == 1 and "connections.max.idle.ms is -1" in forever.means
    assert oddities.churn(story.sockets) is None
    again = pd.concat([story.sockets.assign(node_id="7")] * 2)
    assert oddities.churn(again).count == 6
    lag = pd.DataFrame(
        {
            "client_id": ["c"],
            "topic": ["t"],
            "partition": [0],
            "first_lag": [10],
            "most_lag": [9000],
            "last_lag": [9000],
            "least_lead": [4],
        }
    )
    assert oddities.falling_behind(lag).evidence == (
        "c: t-0 10 records behind at first, 9000 at last",
    )
    storms = pd.DataFrame(
        {
            "group_id": ["g"], "first": [at(1)], "last": [at(50.5)], "rebalances": [7],
            "member_ms": [21_000], "clients": [["ada"]],
        }
    )  # fmt: skip
    assert oddities.storm(storms.head(0)) is None
    found = oddities.storm(storms)
    assert (found.weight, found.count, found.last) == (3, 7, "2026-01-05 09:00:50,500")
    assert found.evidence == ("group g: 7 rebalances, members stood still for 21.0 s together",)


def test_settings_are_told_of_findings_and_keys_that_there_are():
    source = inspect.getsource(oddities) + inspect.getsource(missing_records)
    assert [what for what in BEHIND if f'"{what}"' not in source] == []
    known = {**ConsumerConfig.keys_known, **ProducerConfig.keys_known}
    assert {name for names in BEHIND.values() for name in names} <= set(known)
