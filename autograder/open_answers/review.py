"""The queue of open answers: one after the other, no names, like ones together, and a person's mark for each.

    python -m autograder review OUT 03.open           # in the terminal, one key a mark
    from autograder.open_answers.review import queue  # the same in a cell of JupyterLab
    queue("OUT", "03.open")

Every mark goes to the gradebook at once and into OUT/review.jsonl, which remembers what was shown, so one may stop at any moment
and go on another day. About one answer in twenty comes a second time, later, without the suggestion and without the first mark: how far
the two agree is the measure of any marking, the scorer's too. Where they differ the answer comes a third time, with both.
"""
from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from autograder.grading.byhand import ByHand, Entry
from autograder.open_answers.agreement import quadratic_weighted_kappa
from autograder.open_answers.answers import OpenAnswer, open_answers
from autograder.open_answers.clusters import groups

TWICE = 0.05
HIGHEST = 4


@dataclass(frozen=True)
class Item:
    """One look at one answer. `kind`: "first"; "second", blind; "decide", where two marks differ; "check", an answer the scorer has
    settled, marked blind. `group` and `of` say which of how many groups it belongs to, `alike` how many are in it."""

    answer: OpenAnswer
    kind: str
    group: int
    of: int
    alike: int
    marks: tuple[int, ...] = ()


class Queue:
    """The answers to one question, in the order they are to be read. Use it in a `with`.

    `seed` draws the order and who is read twice; `marker` is who marks; `blind` keeps the suggestion back until it is asked for.
    """

    def __init__(self, out: Path, question: str, seed: int = 0, marker: str = "", blind: bool = False, twice: float = TWICE):
        self.out, self.question, self.seed, self.marker, self.blind = out, question, seed, marker, blind
        self._log = out / "review.jsonl"
        self._twice = twice
        self._acts = [act for act in _read_log(self._log) if act["question"] == question]
        self._hand = ByHand(out)
        self._answers = {answer.token: answer for answer in open_answers(out, question)}
        self._groups = groups(list(self._answers.values()), seed)
        self._skipped: list[str] = [act["token"] for act in self._live() if act["act"] == "skip"]
        self._passed: list[str] = []                     # left behind with `n` in this sitting: they come again at its end
        self._back: list[Item] = []                      # looked at in this sitting, for going back
        self.shown = not blind
        self.current = self._next()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._hand.__exit__()

    def mark(self, mark: int) -> list[str]:
        """Give the current answer 0 to 4; texts equal to it that wait get the same. Returns the tokens marked. ValueError for other marks."""
        if self.current is None:
            return []
        if not (isinstance(mark, int) and 0 <= mark <= HIGHEST):
            raise ValueError(f"A mark is 0 to {HIGHEST}, not {mark!r}.")
        item = self.current
        done = [self._enter(item, item.answer, mark)]
        if item.kind == "first":
            done += [self._enter(item, same, mark) for same in self._same_text(item.answer)]
        self._remember(act=item.kind, token=item.answer.token, mark=mark, shown=self.shown and item.kind in ("first", "decide"),
                       digest=item.answer.digest, rows=[row for row in done if row])
        self._step()
        return [row["token"] for row in done if row]

    def comment(self, text: str) -> None:
        """A comment to the current answer, which its writer will read; it joins the bank. Its mark stays as it is."""
        answer = self.current.answer
        before = self._hand.enter(answer.student, answer.assignment, answer.question, Entry(answer.manual, answer.waits, text))
        self._replace(answer, replace(answer, comment=text))
        self._remember(act="comment", token=answer.token, text=text, rows=[_row(answer, before)])

    def bank(self, most: int = 9) -> list[str]:
        """The comments given to this question so far, those used most first."""
        used: dict[str, int] = defaultdict(int)
        for act in self._live():
            if act["act"] == "comment" and act["text"]:
                used[act["text"]] += 1
        return sorted(used, key=lambda text: (-used[text], text))[:most]

    def next(self) -> None:
        """Leave the current answer; it comes again when the others are done."""
        if self.current is not None:
            self._passed.append(_key(self.current))
            self._step()

    def skip(self) -> None:
        """Leave the current answer for another day: in this and later sittings it comes last."""
        if self.current is not None:
            self._remember(act="skip", token=self.current.answer.token)
            self._skipped.append(self.current.answer.token)
            self._step()

    def previous(self) -> None:
        """Go back to the answer before; a mark it has stands until another is given."""
        if self._back:
            self._passed = [key for key in self._passed if key != _key(self._back[-1])]
            self.current = self._fresh(self._back.pop())
            self.shown = not self.blind

    def undo(self) -> bool:
        """Take the last mark, comment or skip back, in this sitting or an earlier one; False when there is none."""
        mine = [act for act in self._live() if act["marker"] == self.marker]
        if not mine:
            return False
        last = mine[-1]
        for row in reversed(last.get("rows", [])):
            answer = self._answers.get(row["token"])
            if answer is not None:
                self._hand.enter(answer.student, answer.assignment, answer.question, Entry(row["points"], row["waits"], row["comment"]))
                self._replace(answer, replace(answer, manual=row["points"], waits=row["waits"], comment=row["comment"]))
        self._remember(act="undo", token=last["token"], of=last["at"])
        self._skipped = [token for token in self._skipped if token != last["token"]] if last["act"] == "skip" else self._skipped
        if last["token"] in self._answers:
            self.current = self._item(self._answers[last["token"]], last["act"] if last["act"] in ("second", "decide", "check") else "first")
            self._back = [item for item in self._back if item.answer.token != last["token"]]
            self.shown = not self.blind
        return True

    @property
    def left(self) -> dict[str, int]:
        """How many looks are still to be had, by kind, and `done`: how many answers have a person's mark."""
        found = {kind: 0 for kind in ("first", "second", "decide", "check")}
        for item in self._all():
            found[item.kind] += 1
        return {**found, "done": sum(not answer.waits and answer.manual is not None for answer in self._answers.values()),
                "all": len(self._answers)}

    def agreement(self) -> dict:
        """How the second, blind marks agree with the first: {pairs, equal, near, kappa}, and the same for the scorer's settled marks."""
        looks = self._looks()
        twice = [(marks["first"], marks["second"]) for marks in looks.values() if "first" in marks and "second" in marks]
        checks = [(self._answers[token].suggestion.get("mark", 0), marks["check"]) for token, marks in looks.items()
                  if "check" in marks and token in self._answers]
        return {"you": _agreed(twice), "scorer": _agreed(checks)}

    # what is to be read, in which order

    def _all(self):
        looks = self._looks()
        for number, group in enumerate(self._groups, 1):
            for answer in group:
                answer = self._answers[answer.token]
                seen = looks.get(answer.token, {})
                here = {"group": number, "of": len(self._groups), "alike": len(group)}
                if answer.waits and "first" not in seen:
                    yield Item(answer, "first", **here)
                elif not answer.waits and answer.manual is None and answer.suggestion and self._chosen(answer) and "check" not in seen:
                    yield Item(answer, "check", **here)
        for number, group in enumerate(self._groups, 1):
            for answer in group:
                answer = self._answers[answer.token]
                seen = looks.get(answer.token, {})
                here = {"group": number, "of": len(self._groups), "alike": len(group)}
                if "first" in seen and "second" not in seen and self._chosen(answer):
                    yield Item(answer, "second", **here)
                elif "second" in seen and seen["first"] != seen["second"] and "decide" not in seen:
                    yield Item(answer, "decide", **here, marks=(seen["first"], seen["second"]))

    def _next(self) -> Item | None:
        waiting = list(self._all())
        order = {"first": 0, "check": 0, "second": 1, "decide": 2}
        waiting.sort(key=lambda item: (item.answer.token in self._skipped, _key(item) in self._passed, order[item.kind]))
        return waiting[0] if waiting else None

    def _step(self) -> None:
        self._back.append(self.current)
        self.current = self._next()
        self.shown = not self.blind

    def _item(self, answer: OpenAnswer, kind: str) -> Item:
        number, group = next((number, group) for number, group in enumerate(self._groups, 1) if any(one.token == answer.token for one in group))
        seen = self._looks().get(answer.token, {})
        return Item(answer, kind, number, len(self._groups), len(group), (seen["first"], seen["second"]) if kind == "decide" and "second" in seen else ())

    def _fresh(self, item: Item) -> Item:
        return replace(item, answer=self._answers[item.answer.token])

    def _chosen(self, answer: OpenAnswer) -> bool:
        """Whether this answer is one of those that are read twice; drawn by the seed, not by the marker."""
        drawn = int(hashlib.sha256(f"{self.seed}\0{answer.token}".encode()).hexdigest()[:8], 16)
        return drawn < self._twice * 2 ** 32

    def _same_text(self, answer: OpenAnswer) -> Sequence[OpenAnswer]:
        return [other for other in self._answers.values() if other.waits and other.text.split() == answer.text.split() and other.token != answer.token
                and not self._chosen(other)]

    # what is written

    def _enter(self, item: Item, answer: OpenAnswer, mark: int) -> dict | None:
        """Write one mark; a blind second look only goes into the log, and is compared there."""
        if item.kind == "second":
            return None
        points = _points(answer, mark)
        before = self._hand.enter(answer.student, answer.assignment, answer.question, Entry(points, False, answer.comment))
        self._replace(answer, replace(answer, manual=points, waits=False))
        return _row(answer, before)

    def _replace(self, old: OpenAnswer, new: OpenAnswer) -> None:
        self._answers[old.token] = new
        if self.current is not None and self.current.answer.token == old.token:
            self.current = replace(self.current, answer=new)

    def _remember(self, **act) -> None:
        line = {"at": datetime.now(timezone.utc).isoformat(), "marker": self.marker, "question": self.question, **act}
        with open(self._log, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._acts.append(line)

    def _live(self) -> list[dict]:
        return _not_undone(self._acts)

    def _looks(self) -> dict[str, dict[str, int]]:
        """token -> {kind: mark}, for the text that stands there now: who hands in again is read again. A mark entered elsewhere
        counts as the first only where it was given in this queue."""
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for act in self._live():
            answer = self._answers.get(act["token"])
            if "mark" in act and answer is not None and act["digest"] == answer.digest:
                found[act["token"]][act["act"]] = act["mark"]
        return found


def put_back(out: Path) -> int:
    """Enter what was marked in the queue and the gradebook does not know: it was taken away, or an older copy stands there. A mark belongs
    to a text, and one entered elsewhere stays. Returns how many answers got theirs back."""
    given: dict[str, tuple[str, int, bool]] = {}         # (the text's digest, the mark, had the scorer settled it)
    comments: dict[str, str] = {}
    for act in _not_undone(_read_log(out / "review.jsonl")):
        for row in act.get("rows", ()):
            if "mark" in act:
                given[row["token"]] = row.get("digest", act["digest"]), act["mark"], act["act"] == "check"
            else:
                comments[row["token"]] = act["text"]
    back = 0
    if given:
        with ByHand(out) as hand:
            for answer in open_answers(out):
                digest, mark, settled = given.get(answer.token, ("", 0, False))
                if answer.manual is None and digest == answer.digest and (answer.waits or settled):
                    hand.enter(answer.student, answer.assignment, answer.question, Entry(_points(answer, mark), False, comments.get(answer.token, "")))
                    back += 1
    return back


def queue(out: str | Path, question: str | None = None, **settings) -> None:
    """Review in a notebook's cell (see reviewing.py); `settings` are those of Queue. Without a question, lists what waits."""
    from autograder.open_answers.reviewing import in_notebook
    in_notebook(Path(out), question, **settings)


def waiting(out: Path) -> list[tuple[str, int, int]]:
    """(question, answers, how many of them wait) for each open question of OUT."""
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for answer in open_answers(out):
        counted[answer.question][0] += 1
        counted[answer.question][1] += answer.waits
    return [(question, all_, wait) for question, (all_, wait) in sorted(counted.items())]


def first_marks(out: Path, question: str) -> tuple[int, int]:
    """(how many first marks were given in the queue without the suggestion in sight, how many first marks in all)."""
    firsts = [act for act in _read_log(out / "review.jsonl") if act["question"] == question and act["act"] == "first"]
    return sum(not act["shown"] for act in firsts), len(firsts)


def _key(item: Item) -> str:
    return f"{item.kind} {item.answer.token}"


def _row(answer: OpenAnswer, before: Entry) -> dict:
    return {"token": answer.token, "digest": answer.digest, "points": before.points, "waits": before.waits, "comment": before.comment}


def _points(answer: OpenAnswer, mark: int) -> float:
    return round(answer.max * mark / HIGHEST, 2)


def _not_undone(acts: Sequence[dict]) -> list[dict]:
    """What was done and not undone, oldest first."""
    undone = {act["of"] for act in acts if act["act"] == "undo"}
    return [act for act in acts if act["act"] != "undo" and act["at"] not in undone]


def _agreed(pairs: Sequence[tuple[int, int]]) -> dict:
    return {"pairs": len(pairs), "equal": sum(one == other for one, other in pairs), "near": sum(abs(one - other) <= 1 for one, other in pairs),
            "kappa": quadratic_weighted_kappa(pairs)}


def _read_log(path: Path) -> list[dict]:
    acts = []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                acts.append(json.loads(line))
            except ValueError:                           # the machine went down while this line was written
                continue
    return acts
