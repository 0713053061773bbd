"""A judge and a worker that stay from one grading to the next: starting them costs more than to
grade a class of two."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from autograder.grading.child_process import Colleague
from autograder.grading.lanes import lane
from autograder.grading.lanes.lane import Staff
from autograder.sandbox.outside.parent import Sandbox, Worker

NEW_JUDGE = lane.new_judge


class KeptJudge(Colleague):
    """A judge whom the end of a grading does not end."""

    def stop(self) -> None:
        """Stays."""


class KeptSandbox(Sandbox):
    """A sandbox with one worker for all lanes, which the end of a grading does not end."""

    def __init__(self):
        super().__init__()
        self._turn, self._kept = threading.Lock(), None
        # a worker ends with the thread that started it, and this one stays
        self._starter = ThreadPoolExecutor(1)

    def run(self, *words, **named) -> dict:
        with self._turn:
            return super().run(*words, **named)

    def begin(self, workers: int) -> None:
        """The worker is there."""

    def stop(self) -> None:
        """Stays."""

    def end(self) -> None:
        super().stop()
        self._starter.shutdown()
        self._lodging.leave()

    def _worker(self) -> Worker:
        if self._kept is None or not self._kept.runs:
            self._kept = self._starter.submit(self._new_worker).result()
        return self._kept


class KeptStaff:
    """Stands for lane.staff_for. A judge knows one course and one secret, so each has its own."""

    def __init__(self):
        self.sandbox, self._judges = KeptSandbox(), {}
        self.sandbox._worker()

    @contextmanager
    def __call__(self, workers: int, ahead: int) -> Iterator[Staff]:
        yield Staff([self._judge()], self.sandbox)

    def _judge(self):
        if lane.new_judge is not NEW_JUDGE:  # a test has taught this process something
            return lane.new_judge()
        told = tuple(os.environ.get(f"AUTOGRADER_{name}") for name in ("COURSE", "SECRET"))
        return self._judges.setdefault(told, KeptJudge("autograder.grading.verdict"))

    def end(self) -> None:
        self.sandbox.end()
        for judge in self._judges.values():
            judge.close()
