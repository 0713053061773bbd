"""Does a command that works long always show that it does?"""

import io
import re
from threading import Event
from types import SimpleNamespace

from kafkalab.logsets.progress import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Tracker:
    """Spark's tracker: one stage of 40 pieces runs, and then none, while DuckDB looks at the
    rows."""

    def __init__(self):
        self.asked, self.seen = 0, Event()

    def getActiveStageIds(self):
        self.asked += 1
        if self.asked == 4:
            self.seen.set()
        return [7] if self.asked == 1 else []

    def getStageInfo(self, stage):
        return SimpleNamespace(numTasks=40, numCompletedTasks=12)


def test_after_sparks_pieces_the_seconds_go_on(monkeypatch):
    monkeypatch.setattr("kafkalab.logsets.progress.PATIENCE_S", 0)
    tracker, terminal = Tracker(), Terminal()
    spark = SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=lambda: tracker))
    with progress("explaining", spark, terminal):
        tracker.seen.wait()
    assert "explaining: 12 of 40 pieces" in terminal.getvalue()
    assert re.search(r"explaining: \d+ s", terminal.getvalue())
