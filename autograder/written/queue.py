"""The queue of open answers: one after the other, no names, like ones together, and a person's mark
for each.

    python -m autograder review OUT 03.open           # in the terminal, one key a mark
    python -m autograder review OUT --page            # on a local web page (marking_page.py)
    from autograder.written.screens import queue  # the same in a cell of JupyterLab
    queue("OUT", "03.open")

Every mark goes to the gradebook at once and into OUT/review.jsonl, which remembers what was shown,
so one may stop at any moment and go on another day. Several people may mark at once: each answer is
shown to one of them at a time, and a mark that somebody else gave first is shown and stays.
About one answer in twenty comes a second time, later, without the suggestion and without the first
mark: how far the two agree is the measure of any marking, the scorer's too. Where they differ the
answer comes a third time, with both.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.gradebook.byhand import ByHand, Changed, Entry
from autograder.written.agreement import quadratic_weighted_kappa
from autograder.written.answers import OpenAnswer, open_answers
from autograder.written.groups import groups
from autograder.written.model import Model
from autograder.written.queue_log import Log, read_log
from autograder.written.rubrics import find

TWICE = 0.05
HIGHEST = 4


class MarkedByAnother(ValueError):
    """Somebody else has marked the answer since it was shown; the message says so, and nothing was
    written."""


@dataclass(frozen=True)
class QueueItem:
    """One look at one answer. `kind`: "first"; "second", blind; "decide", where two marks differ;
    "check", an answer the scorer has settled, marked blind. `group` and `of` say which of how many
    groups it belongs to, `alike` how many are in it."""

    answer: OpenAnswer
    kind: str
    group: int
    of: int
    alike: int
    marks: tuple[int, ...] = ()


class Queue:
    """The answers to one question, in the order they are to be read. Use it in a `with`.

    `seed` draws the order and who is read twice; `marker` is who marks; `blind` keeps the
    suggestion back until it is asked for; `share` (1, 2) is the first of two shares: every second
    group; `model` suggests the marks of this sitting in the rubric's place.
    """

    def __init__(
        self,
        out: Path,
        question: str,
        seed: int = 0,
        marker: str = "",
        blind: bool = False,
        twice: float = TWICE,
        share: tuple[int, int] = (1, 1),
        model: Model | None = None,
    ):
        self.out, self.question, self.seed, self.marker, self.blind = (
            out,
            question,
            seed,
            marker,
            blind,
        )
        self._log = Log(out, question, marker)
        self._twice, self._share = twice, share
        self._hand = ByHand(out)
        with self._log.alone():
            self._log.news()
            self._answers = {answer.token: answer for answer in open_answers(out, question)}
        if model is not None:
            self._ask(model)
        self._groups = groups(list(self._answers.values()), seed)
        self._skipped: list[str] = [act["token"] for act in self._live() if act["act"] == "skip"]
        # left behind with `n` in this sitting: they come again at its end
        self._passed: list[str] = []
        self._back: list[QueueItem] = []  # looked at in this sitting, for going back
        self.shown = not blind
        self.current: QueueItem | None = None
        with self._log.alone():
            self._show(self._next())

    def _ask(self, model: Model) -> None:
        """Let the model suggest the marks of what waits, for this sitting."""
        rubric = find(self.question)
        waiting = [answer for answer in self._answers.values() if answer.waits]
        model.say(model.told_before(self.question, len(waiting)))
        for answer in waiting:
            told = {**model(rubric, answer.text).as_dict(), "decision": "review"}
            self._answers[answer.token] = replace(answer, suggestion=told)

    def __enter__(self):
        return self

    def __exit__(self, *exception: object) -> None:
        with self._log.alone():
            self._log.free()
        self._hand.__exit__()

    @property
    def others(self) -> list[str]:
        """Who else marks this question at this moment, by name; "" for one who gave none."""
        return [hold.marker for hold in self._log.held_by_others()]

    @property
    def same_words(self) -> int:
        """How many other answers that wait have the same words, and get the same mark."""
        return len(self._same_text(self.current.answer)) if self.current is not None else 0

    @property
    def alike(self) -> list[OpenAnswer]:
        """The other answers of the current one's group, as they are marked now; without its mark
        one that is read twice."""
        if self.current is None:
            return []
        group = self._groups[self.current.group - 1]
        others = [self._answers[one.token] for one in group]
        return [
            replace(other, manual=None) if self._chosen(other) else other
            for other in others
            if other.token != self.current.answer.token
        ]

    @property
    def of_share(self) -> str:
        """ " of share 2/3"; "" where one person marks all."""
        mine, of = self._share
        return f" of share {mine}/{of}" if of > 1 else ""

    def mark(self, mark: int) -> list[str]:
        """Give the current answer 0 to 4; texts equal to it that wait get the same. Returns the
        tokens marked. ValueError for other marks. MarkedByAnother, and the next answer is shown,
        where somebody else has marked it since it was shown: that mark stays.
        """
        if self.current is None:
            return []
        if not (isinstance(mark, int) and 0 <= mark <= HIGHEST):
            raise ValueError(f"A mark is 0 to {HIGHEST}, not {mark!r}.")
        item = self.current
        with self._log.alone():
            self._catch_up()
            try:
                self._must_be_as_shown(item)
                done = [self._enter(item, item.answer, mark)]
            except MarkedByAnother:
                self._step()
                raise
            for same in self._same_text(item.answer) if item.kind == "first" else ():
                try:
                    done.append(self._enter(item, same, mark))
                except MarkedByAnother:  # marked in formgrader since: that mark stays
                    continue
            self._log.write(
                act=item.kind,
                token=item.answer.token,
                mark=mark,
                shown=self.shown and item.kind in ("first", "decide"),
                digest=item.answer.digest,
                rows=[row for row in done if row],
            )
            self._step()
        return [row["token"] for row in done if row]

    def comment(self, text: str) -> None:
        """A comment to the current answer, which its writer will read; it joins the bank. Its mark
        stays as it is. MarkedByAnother where somebody else has marked it or written a comment
        since it was shown."""
        answer = self.current.answer
        with self._log.alone():
            self._catch_up()
            self._must_be_as_shown(self.current)
            if self._answers[answer.token].comment != answer.comment:
                self._replace(answer, self._answers[answer.token])
                raise MarkedByAnother(
                    "Somebody else wrote a comment before you. It stays; yours was not written."
                )
            before = self._write(answer, Entry(answer.manual, answer.waits, text))
            self._replace(answer, replace(answer, comment=text))
            self._log.write(
                act="comment", token=answer.token, text=text, rows=[_row(answer, before)]
            )

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
            with self._log.alone():
                self._catch_up()
                self._step()

    def skip(self) -> None:
        """Leave the current answer for another day: in this and later sittings it comes last."""
        if self.current is not None:
            with self._log.alone():
                self._catch_up()
                self._log.write(act="skip", token=self.current.answer.token)
                self._skipped.append(self.current.answer.token)
                self._step()

    def previous(self) -> None:
        """Go back to the answer before; its mark stays until another is given."""
        if self._back:
            self._passed = [key for key in self._passed if key != _key(self._back[-1])]
            with self._log.alone():
                self._catch_up()
                self._show(self._fresh(self._back.pop()))

    def rest(self) -> None:
        """Show nothing, and let go of the answer on the screen, until `go_on`."""
        with self._log.alone():
            self._catch_up()
            self._show(None)

    def go_on(self) -> None:
        """Look again what is to be read: others may have let go of something."""
        with self._log.alone():
            self._catch_up()
            self._show(self._next())

    def undo(self) -> bool:
        """Take the last mark, comment or skip back, in this sitting or an earlier one; False when
        there is none. MarkedByAnother where somebody else has marked that answer since."""
        with self._log.alone():
            self._catch_up()
            return self._undo()

    def _undo(self) -> bool:
        live = self._live()
        mine = [
            act
            for act in live
            if act["marker"] == self.marker
            and (
                self.marker
                or act.get("sitting") == self._log.sitting
                or not self._log.held_by_others()
            )
        ]
        if not mine:
            return False
        last = mine[-1]
        touched = {row["token"] for row in last.get("rows", [])}
        later = live[live.index(last) + 1 :]
        if any(row["token"] in touched for act in later for row in act.get("rows", [])):
            raise MarkedByAnother(
                "Somebody else has marked that answer since, and that mark stays."
            )
        for row in reversed(last.get("rows", [])):
            answer = self._answers.get(row["token"])
            if answer is not None:
                self._write(answer, Entry(row["points"], row["waits"], row["comment"]))
                self._replace(
                    answer,
                    replace(
                        answer, manual=row["points"], waits=row["waits"], comment=row["comment"]
                    ),
                )
        self._log.write(act="undo", token=last["token"], of=last["at"])
        self._skipped = (
            [token for token in self._skipped if token != last["token"]]
            if last["act"] == "skip"
            else self._skipped
        )
        if last["token"] in self._answers:
            self._back = [item for item in self._back if item.answer.token != last["token"]]
            self._show(
                self._item(
                    self._answers[last["token"]],
                    last["act"] if last["act"] in ("second", "decide", "check") else "first",
                )
            )
        return True

    @property
    def left(self) -> dict[str, int]:
        """How many looks are still to be had, by kind, and `done`:
        how many answers have a person's mark."""
        found = dict.fromkeys(("first", "second", "decide", "check"), 0)
        for item in self._all():
            found[item.kind] += 1
        return {
            **found,
            "done": sum(
                not answer.waits and answer.manual is not None for answer in self._answers.values()
            ),
            "all": len(self._answers),
        }

    def agreement(self) -> dict:
        """How the second, blind marks agree with the first: {pairs, equal, near, kappa}, and the
        same for the scorer's settled marks."""
        looks = self._looks()
        twice = [
            (marks["first"], marks["second"])
            for marks in looks.values()
            if "first" in marks and "second" in marks
        ]
        checks = [
            (self._answers[token].suggestion.get("mark", 0), marks["check"])
            for token, marks in looks.items()
            if "check" in marks and token in self._answers
        ]
        return {"you": _agreed(twice), "scorer": _agreed(checks)}

    # what is to be read, in which order

    def _all(self):
        looks = self._looks()
        mine, of = self._share
        shared = [
            (number, group)
            for number, group in enumerate(self._groups, 1)
            if (number - mine) % of == 0
        ]
        for number, group in shared:
            for answer in group:
                answer = self._answers[answer.token]
                seen = looks.get(answer.token, {})
                here = {"group": number, "of": len(self._groups), "alike": len(group)}
                if answer.waits and "first" not in seen:
                    yield QueueItem(answer, "first", **here)
                elif (
                    not answer.waits
                    and answer.manual is None
                    and answer.suggestion
                    and self._chosen(answer)
                    and "check" not in seen
                ):
                    yield QueueItem(answer, "check", **here)
        for number, group in shared:
            for answer in group:
                answer = self._answers[answer.token]
                seen = looks.get(answer.token, {})
                here = {"group": number, "of": len(self._groups), "alike": len(group)}
                if "first" in seen and "second" not in seen and self._chosen(answer):
                    yield QueueItem(answer, "second", **here)
                elif "second" in seen and seen["first"] != seen["second"] and "decide" not in seen:
                    yield QueueItem(answer, "decide", **here, marks=(seen["first"], seen["second"]))

    def _next(self) -> QueueItem | None:
        """What to read now: nothing that another sitting shows, and rather of a group that none of
        them is in."""
        held = self._log.held_by_others()
        tokens, words, taken = (
            {hold.token for hold in held},
            {hold.words for hold in held},
            {hold.group for hold in held},
        )
        waiting = [
            item
            for item in self._all()
            if item.answer.token not in tokens
            and not (item.kind == "first" and _words(item.answer) in words)
        ]
        order = {"first": 0, "check": 0, "second": 1, "decide": 2}
        waiting.sort(
            key=lambda item: (
                item.answer.token in self._skipped,
                _key(item) in self._passed,
                order[item.kind],
                item.group in taken,
            )
        )
        return waiting[0] if waiting else None

    def _step(self) -> None:
        self._back.append(self.current)
        self._show(self._next())

    def _show(self, item: QueueItem | None) -> None:
        """Make this the current answer, reserved for this sitting."""
        self.current = item
        self.shown = not self.blind
        if item is None:
            self._log.free()
        else:
            self._log.hold(item.answer.token, _words(item.answer), item.group)

    def _catch_up(self) -> None:
        """Take in what others have done since."""
        for act in self._log.news():
            undone = next((one for one in self._log.acts if one["at"] == act.get("of")), {})
            for row in undone.get("rows", ()) if act["act"] == "undo" else act.get("rows", ()):
                answer = self._answers.get(row["token"])
                if answer is None:
                    continue
                if act["act"] == "undo":
                    answer = replace(
                        answer, manual=row["points"], waits=row["waits"], comment=row["comment"]
                    )
                elif "mark" in act:
                    answer = replace(answer, manual=_points(answer, act["mark"]), waits=False)
                else:
                    answer = replace(answer, comment=act["text"])
                self._answers[answer.token] = answer

    def _must_be_as_shown(self, item: QueueItem) -> None:
        """MarkedByAnother where somebody else has marked the answer since it was shown."""
        now = self._answers[item.answer.token]
        seen = self._looks().get(now.token, {})
        if (now.manual, now.waits) != (item.answer.manual, item.answer.waits) or (
            item.kind in ("second", "decide", "check")
            and item.kind in seen
            and not any(_key(item) == _key(back) for back in self._back)
        ):
            raise self._told(now)

    def _told(self, now: OpenAnswer) -> MarkedByAnother:
        by = next(
            (
                act["marker"]
                for act in reversed(self._live())
                if any(row["token"] == now.token for row in act.get("rows", ()))
                and act.get("sitting") != self._log.sitting
            ),
            "",
        )
        mark = (
            f"gave this answer {now.manual:g} of {now.max:g} points"
            if now.manual is not None
            else "changed this answer's mark"
        )
        return MarkedByAnother(
            f"{by or 'Somebody else'} {mark} before you. That mark stays, and yours was not "
            "written; p goes back to it."
        )

    def _item(self, answer: OpenAnswer, kind: str) -> QueueItem:
        number, group = next(
            (number, group)
            for number, group in enumerate(self._groups, 1)
            if any(one.token == answer.token for one in group)
        )
        seen = self._looks().get(answer.token, {})
        return QueueItem(
            answer,
            kind,
            number,
            len(self._groups),
            len(group),
            (seen["first"], seen["second"]) if kind == "decide" and "second" in seen else (),
        )

    def _fresh(self, item: QueueItem) -> QueueItem:
        return replace(item, answer=self._answers[item.answer.token])

    def _chosen(self, answer: OpenAnswer) -> bool:
        """Whether this answer is one of those that are read twice;
        drawn by the seed, not by the marker."""
        drawn = int(hashlib.sha256(f"{self.seed}\0{answer.token}".encode()).hexdigest()[:8], 16)
        return drawn < self._twice * 2**32

    def _same_text(self, answer: OpenAnswer) -> Sequence[OpenAnswer]:
        return [
            other
            for other in self._answers.values()
            if other.waits
            and other.text.split() == answer.text.split()
            and other.token != answer.token
            and not self._chosen(other)
        ]

    # what is written

    def _enter(self, item: QueueItem, answer: OpenAnswer, mark: int) -> dict | None:
        """Write one mark; a blind second look only goes into the log, and is compared there."""
        if item.kind == "second":
            return None
        points = _points(answer, mark)
        before = self._write(answer, Entry(points, False, self._answers[answer.token].comment))
        self._replace(answer, replace(self._answers[answer.token], manual=points, waits=False))
        return _row(answer, before)

    def _write(self, answer: OpenAnswer, entry: Entry) -> Entry:
        """Into the gradebook; MarkedByAnother where the answer was marked past this log,
        in formgrader."""
        now = self._answers[answer.token]
        try:
            return self._hand.enter(
                answer.student,
                answer.assignment,
                answer.question,
                entry,
                Entry(now.manual, now.waits),
            )
        except Changed as changed:
            self._replace(
                answer,
                replace(
                    now,
                    manual=changed.now.points,
                    waits=changed.now.waits,
                    comment=changed.now.comment,
                ),
            )
            raise self._told(self._answers[answer.token]) from None

    def _replace(self, old: OpenAnswer, new: OpenAnswer) -> None:
        self._answers[old.token] = new
        if self.current is not None and self.current.answer.token == old.token:
            self.current = replace(self.current, answer=new)

    def _live(self) -> list[dict]:
        return _not_undone(self._log.acts)

    def _looks(self) -> dict[str, dict[str, int]]:
        """token -> {kind: mark}, for the text as it is now: a student who hands in again is
        read again. A mark entered elsewhere counts as the first only where it was given in this
        queue.
        """
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for act in self._live():
            answer = self._answers.get(act["token"])
            if "mark" in act and answer is not None and act["digest"] == answer.digest:
                found[act["token"]][act["act"]] = act["mark"]
        return found


def put_back(out: Path) -> int:
    """Enter what was marked in the queue and the gradebook does not know: it was taken away, or the
    gradebook is an older copy. A mark belongs to a text, and one entered elsewhere stays. Returns
    how many answers got theirs back."""
    # (the text's digest, the mark, had the scorer settled it)
    given: dict[str, tuple[str, int, bool]] = {}
    comments: dict[str, str] = {}
    for act in _not_undone(read_log(out)):
        for row in act.get("rows", ()):
            if "mark" in act:
                given[row["token"]] = (
                    row.get("digest", act["digest"]),
                    act["mark"],
                    act["act"] == "check",
                )
            else:
                comments[row["token"]] = act["text"]
    back = 0
    if given:
        with ByHand(out) as hand:
            for answer in open_answers(out):
                digest, mark, settled = given.get(answer.token, ("", 0, False))
                if answer.manual is None and digest == answer.digest and (answer.waits or settled):
                    hand.enter(
                        answer.student,
                        answer.assignment,
                        answer.question,
                        Entry(_points(answer, mark), False, comments.get(answer.token, "")),
                    )
                    back += 1
    return back


def waiting(out: Path) -> list[tuple[str, int, int]]:
    """(question, answers, how many of them wait) for each open question of OUT."""
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for answer in open_answers(out):
        counted[answer.question][0] += 1
        counted[answer.question][1] += answer.waits
    return [(question, all_, wait) for question, (all_, wait) in sorted(counted.items())]


def first_marks(out: Path, question: str) -> tuple[int, int]:
    """(how many first marks were given in the queue without the suggestion
    in sight, how many first marks in all)."""
    firsts = [act for act in read_log(out) if act["question"] == question and act["act"] == "first"]
    return sum(not act["shown"] for act in firsts), len(firsts)


def _words(answer: OpenAnswer) -> str:
    """What stands for the words of an answer, however they are spaced."""
    return hashlib.sha256(" ".join(answer.text.split()).encode()).hexdigest()[:16]


def _key(item: QueueItem) -> str:
    return f"{item.kind} {item.answer.token}"


def _row(answer: OpenAnswer, before: Entry) -> dict:
    return {
        "token": answer.token,
        "digest": answer.digest,
        "points": before.points,
        "waits": before.waits,
        "comment": before.comment,
    }


def _points(answer: OpenAnswer, mark: int) -> float:
    return round(answer.max * mark / HIGHEST, 2)


def _not_undone(acts: Sequence[dict]) -> list[dict]:
    """What was done and not undone, oldest first."""
    undone = {act["of"] for act in acts if act["act"] == "undo"}
    return [act for act in acts if act["act"] != "undo" and act["at"] not in undone]


def _agreed(pairs: Sequence[tuple[int, int]]) -> dict:
    return {
        "pairs": len(pairs),
        "equal": sum(one == other for one, other in pairs),
        "near": sum(abs(one - other) <= 1 for one, other in pairs),
        "kappa": quadratic_weighted_kappa(pairs),
    }
