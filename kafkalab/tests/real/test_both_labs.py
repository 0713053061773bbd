"""The last cells of the chapters: one experiment on both labs."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import pytest

import kafkalab
from kafkalab import real
from kafkalab.course_folder import course_folder
from kafkalab.real.proof import both_labs
from kafkalab.real.proof.both_labs import both_columns, on_both

CHAPTERS = ("02", "03", "05", "07", "09", "12", "14", "16")
SAYS = {
    "02": {"before send": 2, "opened": 4, "kept": 2},
    "03": {"before poll": 0, "opened": 5, "kept": 4},
    "05": {"acks=1, left in the log": 0, "acks=all, left in the log": 20},
    "07": {"generation": 2, "partitions of m1 and m2": [2, 2]},
    "09": {"position": 10, "committed": 5, "bo reads first": 5},
    "12": {"finished": 5, "committed": 5},
    "14": {"told": 5, "seen while they are stopped": 0, "seen afterwards": 5},
    "16": {"jobs done": 12, "workers with a job": 4},
}


def cell_of(chapter):
    """The last folded cell of a chapter."""
    [path] = (course_folder() / "notebooks" / "source_py").glob(f"{chapter}_*.py")
    cells = re.split(r"^# %%", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    [found] = [cell for cell in cells if "on_both(" in cell]
    assert found.startswith(" fold=true"), "the cell is folded"
    return found.partition("\n")[2]


@pytest.fixture
def not_set_up(monkeypatch, tmp_path):
    monkeypatch.setenv("KAFKALAB_REAL", str(tmp_path))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapters_last_cell_costs_nothing_where_real_kafka_is_not_set_up(
    chapter, not_set_up, capsys, monkeypatch
):
    experiments = []
    monkeypatch.setattr(both_labs, "_is_alone", lambda: False)
    names = {}
    exec(cell_of(chapter), names)
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "python -m kafkalab real setup` once." in said
    monkeypatch.setattr(real, "on_both", experiments.append, raising=False)
    exec(cell_of(chapter), {})
    found = experiments[0](kafkalab)
    assert {**found, **SAYS[chapter]} == found, "the simulator says something else now"


class RealWords(both_labs.WordsOfRealKafka):
    """Words whose labs are only counted."""

    closed = 0

    def __init__(self):
        self._module = SimpleNamespace(Lab=lambda **settings: self, KafkaProducer="real")
        self.labs = []

    def close(self):
        RealWords.closed += 1


@pytest.fixture
def pretended(monkeypatch):
    monkeypatch.setattr(both_labs, "what_is_missing", lambda: "")
    monkeypatch.setattr(both_labs, "WordsOfRealKafka", RealWords)
    monkeypatch.setattr(RealWords, "closed", 0)


def test_an_experiment_runs_on_both_and_its_real_labs_are_closed(pretended, capsys, monkeypatch):
    def experiment(kafka):
        kafka.Lab(brokers=1)
        return {"producer": kafka.KafkaProducer == "real", "same": [1, 2]}

    on_both(experiment)
    assert capsys.readouterr().out.splitlines() == [
        "          simulated  real",
        "producer  False      True",
        "same      [1, 2]     [1, 2]",
    ]
    assert RealWords.closed == 1

    def fails(kafka):
        kafka.Lab(brokers=1)
        if kafka is not kafkalab:
            raise KeyError("x")
        return {}

    with pytest.raises(KeyError):
        on_both(fails)
    assert RealWords.closed == 2


@pytest.mark.parametrize("asks", [True, False])
def test_a_kernel_without_input_starts_no_real_kafka(pretended, capsys, monkeypatch, asks):
    kernel = SimpleNamespace(_allow_stdin=asks)
    page = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=kernel))
    monkeypatch.setitem(sys.modules, "IPython", page)
    on_both(lambda kafka: {"a": 1})
    assert ("when a person runs" in capsys.readouterr().out) is not asks


def test_a_value_that_only_one_side_has_is_shown():
    assert both_columns({"a": 1}, {}).splitlines()[1] == "a  1          None"
