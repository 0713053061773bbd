"""Attacks the grading: counts what hostile submissions escape, gain or read (`make redteam`).

The hostile submissions of tests/hostile are graded like anybody's, in the sandbox, with a neighbour
after each; the grounds (grounds.py) see what came through. Six numbers have to be nought: points
gained over the honest answer, canaries read, packets, files outside, processes left, honest
submissions flagged. Nine of ten attempts at cheating have to be pointed out to the teacher, each
attack has to end within its limit, and points won before it have to stay.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.cell.data import plain
from autograder.cell.numbers import numbers_for
from autograder.cell.question import by_number, find
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.course.references import references
from autograder.grade import public
from autograder.grading.lanes.submission_run import hear
from autograder.grading.verdict import all_cases, judge
from autograder.handed_in.assignment import rebuild
from autograder.handed_in.submission import read
from autograder.proving.grounds import Grounds
from autograder.sandbox.outside.parent import LEVELS, Limits, Sandbox

LIMITS = Limits(
    cell_seconds=2,
    cell_wall_seconds=4,
    seconds=20,  # the keeper's own limit of a step comes before it on a busy machine, too
    cpu_seconds=6,
    memory_bytes=2 << 30,
    file_bytes=16 << 20,
    spark_file_bytes=16 << 20,
    scratch_bytes=64 << 20,
    spark_cell_seconds=30,
    spark_cell_wall_seconds=60,
    spark_seconds=300,
    spark_memory_bytes=2 << 30,
)
GRACE_SECONDS = 2.0
# for the parent to read, rebuild and judge one submission on a busy machine
READING_SECONDS = 20.0
SPARK_IMPORT = "from pyspark.sql import functions as F\n"
FLAGGED_SHARE = 0.9
NEVER_AT_L1 = ("network",)  # there the network is the machine's own: traffic would leave it
TELL_EVERY_SECONDS = 10


@dataclass
class AttackResult:
    """What one attack came to."""

    attack: object
    gained: float = 0.0
    lost: float = 0.0  # of the points won before it
    canaries: list[str] = field(default_factory=list)
    packets: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    processes: list[str] = field(default_factory=list)
    neighbour: str = ""  # what went wrong with the next submission
    flagged: bool = False
    reason: str = ""  # what the teacher is told of the submission,
    sentence: str = ""  # and of the attacked question
    seconds: float = 0.0
    late: float = 0.0  # beyond its limit and the grace

    @property
    def through(self) -> list[str]:
        """What must not be, in words; [] when the walls held."""
        said = [f"{self.gained:g} points gained"] if self.gained > 0 else []
        said += [f"{self.lost:g} points of earlier answers lost"] if self.lost > 0 else []
        for what in ("canaries", "packets", "files", "processes"):
            found = getattr(self, what)
            said += [f"{what}: {', '.join(found)[:160]}"] if found else []
        return said + ([f"its neighbour: {self.neighbour}"] if self.neighbour else [])


class Watched(Sandbox):
    """A sandbox that keeps what was heard, apart for the run in which hidden cases were told."""

    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        self.first, self.second = [], []

    def _ask(self, steps, numbers, spark, spent, late):
        heard = super()._ask(steps, numbers, spark, spent, late)
        (self.second if spent else self.first).append({**heard, "replies": dict(heard["replies"])})
        return heard


class RedTeam:
    """The attacks, run at one level. Use it in a `with`."""

    def __init__(self, level: str = "L3", limits: Limits = LIMITS):
        self._level, self._limits = level, limits
        self._honest: dict[tuple[str, str], dict] = {}

    def __enter__(self) -> RedTeam:
        self.grounds = Grounds().__enter__()
        self.sandbox = Watched(level=self._level, limits=self._limits).__enter__()
        self.level, self.why = self.sandbox.reached()
        self._papers = Path(tempfile.mkdtemp(prefix="redteam-"))
        self.grounds.words["NEIGHBOUR"] = _neighbours_answer()
        self._hidden = {chapter: _hidden_words(chapter) for chapter in ("02", "03")}
        return self

    def __exit__(self, *exception):
        self.sandbox.__exit__()
        self.left_behind = self.grounds.processes_left(self.sandbox)
        self.grounds.__exit__()
        shutil.rmtree(self._papers, ignore_errors=True)

    def run(self, attack) -> AttackResult:
        """One attack, its neighbour, and what the grounds saw."""
        honest = self.honest(attack.chapter, attack.question)
        source = None if attack.source is None else self.grounds.filled_in(attack.source)
        began = time.monotonic()
        result = self._grade(attack, source)
        outcome = AttackResult(
            attack,
            seconds=time.monotonic() - began,
            flagged=_flagged(result),
            reason=result["reason"],
            sentence=result["cells"].get(attack.question, {}).get("sentence", ""),
        )
        outcome.gained = max(0.0, result["score"] - honest["score"])
        if attack.bomb:
            for question, cell in honest["cells"].items():
                if by_number(question) < by_number(attack.question) and "open" not in question:
                    outcome.lost += max(
                        0.0, cell["score"] - result["cells"].get(question, {"score": 0.0})["score"]
                    )
        said = [heard["replies"] for heard in self.sandbox.first], public(result)
        outcome.canaries = self.grounds.canaries_in(said, but=("left",)) + self._hidden_in(said)
        ran = sum(heard["seconds"] for heard in self.sandbox.first + self.sandbox.second)
        spark = find(attack.question).kind == "spark"
        limits = self._limits
        in_all, of_a_cell = (
            (limits.spark_seconds, limits.spark_start_seconds + limits.spark_cell_wall_seconds)
            if spark
            else (limits.seconds, limits.cell_wall_seconds)
        )
        most = in_all + (of_a_cell + GRACE_SECONDS if self.sandbox.second else 0)
        outcome.late = max(
            0.0,
            ran - most - GRACE_SECONDS,
            outcome.seconds - ran - READING_SECONDS,
        )
        outcome.neighbour = self._neighbour(attack)
        outcome.packets, outcome.files = self.grounds.packets_seen(), self.grounds.files_outside()
        outcome.processes = self.grounds.processes_left(self.sandbox)
        return outcome

    def honest(self, chapter: str, blank: str) -> dict:
        """The result of what surrounds an attack, its question unanswered."""
        if (chapter, blank) not in self._honest:
            path = self._write(chapter, _others(chapter, blank))
            self._honest[chapter, blank] = self._result(path)
        return self._honest[chapter, blank]

    def false_flags(self, chapters: Iterable[str] = ("02", "03")) -> list[str]:
        """Honest submissions that were flagged: right ones, blank ones, and every named wrong
        answer. Spark stays out: it takes long."""
        found = []
        for chapter in chapters:
            right = {
                question: source
                for question, source in references(chapter).items()
                if find(question).kind not in ("open", "spark")
            }
            honest = [right, {}] + [
                {question: wrong.source}
                for question in right
                for wrong in judge_of(question).wrong_answers
            ]
            for answers in honest:
                result = self._result(self._write(chapter, answers))
                if _flagged(result):
                    found.append(f"chapter {chapter}: {result['reason']}")
        return found

    def _grade(self, attack, source: str | None) -> dict:
        answers = _others(attack.chapter, attack.question)
        if source is not None:
            answers[attack.question] = source
        path = self._write(attack.chapter, answers, attack)
        try:
            return self._result(path)
        finally:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def _result(self, path: Path) -> dict:
        self.sandbox.first.clear()
        self.sandbox.second.clear()
        submission = read(path)[0]
        return json.loads(
            json.dumps(judge(submission, *hear(submission, self.sandbox)), ensure_ascii=False)
            .encode()
            .decode()
        )

    def _write(self, chapter: str, answers: dict, attack=None) -> Path:
        notebook = rebuild(master(chapter), answers)
        notebook["metadata"]["autograder"] = {
            **notebook["metadata"].get("autograder", {}),
            "student": "mallory",
        }
        if attack is not None and attack.change is not None:
            attack.change(notebook)
        if attack is not None and attack.file is not None:
            return attack.file(json.dumps(notebook), self._papers)
        path = self._papers / "mallory.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        return path

    def _neighbour(self, attack) -> str:
        """The next submission on the same worker: honest,
        or one that looks for what was left to it."""
        question = find(attack.question)
        if question.kind == "spark" and not attack.then:
            return self._spark_neighbour(question)
        source = self.grounds.filled_in(attack.then) if attack.then else "still_open = [6 * 7]"
        self.sandbox.first.clear()
        heard = self.sandbox.run(
            [{"source": source, "question": "next", "cases": [{}], "read": ["still_open"]}],
            {},
            spark=question.kind == "spark",
        )
        said = heard["replies"].get("next")
        if self.grounds.canaries_in(said):
            return f"found what was left: {str(said)[:80]}"
        if not attack.then and said != [{"data": {"still_open": [42]}}]:
            return f"said {str(said)[:80]}, {heard['ended']}"
        return ""

    def _spark_neighbour(self, question) -> str:
        """The next Spark answer of the same worker: the right one, on all public cases."""
        cases = [dict(case) for case in question.public_cases]
        heard = self.sandbox.run(
            [
                {
                    "source": SPARK_IMPORT + references(question.chapter)[question.id],
                    "question": question.id,
                    "cases": cases,
                }
            ],
            {},
            spark=True,
        )
        rights = [{"data": plain(judge_of(question.id).truth(case))} for case in cases]
        said = heard["replies"].get(question.id)
        return "" if said == rights else f"said {str(said)[:120]}, {heard['ended']}"

    def _hidden_in(self, said) -> list[str]:
        text = json.dumps(said)
        return [
            f"hidden case {word}"
            for words in self._hidden.values()
            for word in words
            if word in text
        ]


@dataclass
class Report:
    """All outcomes at one level."""

    level: str
    why: str
    outcomes: list[AttackResult]
    false_flags: list[str]
    left_behind: list[str]

    @property
    def flagged_share(self) -> float:
        """Of the attempts at cheating, those that were pointed out; all of none."""
        attempts = [each for each in self.outcomes if each.attack.tampers]
        return sum(each.flagged for each in attempts) / len(attempts) if attempts else 1.0

    @property
    def leaky(self) -> bool:
        """Whether anything came through, was left behind or ended late."""
        return any(each.through or each.late for each in self.outcomes) or bool(self.left_behind)

    @property
    def held(self) -> bool:
        """Whether nothing came through, and the teacher is told of
        those who tried and of nobody else."""
        return not self.leaky and not self.false_flags and self.flagged_share >= FLAGGED_SHARE

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        if self.leaky:
            return "Something came through, see above."
        return (
            "The walls hold."
            if self.held
            else (
                f"The walls hold; of the attempts at cheating {FLAGGED_SHARE:.0%} should be "
                "flagged, and no honest answer."
            )
        )

    def __str__(self) -> str:
        lines = [
            f"Level {self.level}" + (f" ({self.why})" if self.why else ""),
            (
                f"{'family':10} {'attacks':>7} {'gained':>7} {'canaries':>8} {'packets':>7} "
                f"{'files':>5} {'left':>5} {'flagged':>9} {'longest':>8}"
            ),
        ]
        for family in dict.fromkeys(each.attack.family for each in self.outcomes):
            own = [each for each in self.outcomes if each.attack.family == family]
            attempts = [each for each in own if each.attack.tampers]
            lines.append(
                f"{family:10} {len(own):7} {sum(each.gained for each in own):7g} "
                f"{sum(len(each.canaries) for each in own):8} "
                f"{sum(len(each.packets) for each in own):7} "
                f"{sum(len(each.files) for each in own):5} "
                f"{sum(len(each.processes) for each in own):5} "
                f"{sum(each.flagged for each in attempts):4} of "
                f"{len(attempts):<3}{max(each.seconds for each in own):6.1f} s"
            )
        for each in self.outcomes:
            if each.through:
                lines.append(
                    f"THROUGH {each.attack.family}, {each.attack.name}: {'; '.join(each.through)}"
                )
            if each.late:
                lines.append(
                    f"LATE {each.attack.family}, {each.attack.name}: ended {each.late:.1f} s after "
                    f"its limit and the grace of {GRACE_SECONDS:g} s."
                )
        silent = [
            f"{each.attack.family}, {each.attack.name}"
            for each in self.outcomes
            if each.attack.tampers and not each.flagged
        ]
        if silent:
            lines.append(f"Not flagged: {'; '.join(silent)}.")
        lines += [f"Flagged, though honest: {said}" for said in self.false_flags]
        total = {
            what: sum(len(getattr(each, what)) for each in self.outcomes)
            for what in ("canaries", "packets", "files", "processes")
        }
        lines.append(
            f"Points gained over the honest answer {sum(each.gained for each in self.outcomes):g}, "
            f"canaries read {total['canaries']}, packets {total['packets']}, files outside "
            f"{total['files']}, processes left {total['processes'] + len(self.left_behind)}; "
            f"{self.flagged_share:.0%} of the attempts at cheating flagged, honest ones flagged "
            f"{len(self.false_flags)}."
        )
        return "\n".join(lines)


def redteam(
    level: str,
    chosen: list,
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr),
    flags: bool = True,
) -> Report:
    """Run the attacks at the best level up to `level` and report.
    ValueError where that would hurt this machine."""
    with RedTeam(level) as team:
        if team.level == "L1" and os.geteuid() != 0:
            raise ValueError(
                "At level L1 attacks run as you, and one of them ends all your processes: try the "
                "red team where level L2 is to be had."
            )
        chosen = [
            attack for attack in chosen if team.level != "L1" or attack.family not in NEVER_AT_L1
        ]
        outcomes, began = [], time.monotonic()
        told = began
        for number, attack in enumerate(chosen, 1):
            outcomes.append(team.run(attack))
            for words in outcomes[-1].through:
                say(f"{attack.family}, {attack.name}: {words}")
            if time.monotonic() - told > TELL_EVERY_SECONDS:
                told = time.monotonic()
                say(
                    f"{number} of {len(chosen)} attacks at level {team.level}, {told - began:.0f} s"
                )
        false_flags = team.false_flags() if flags else []
    return Report(team.level, team.why, outcomes, false_flags, team.left_behind)


def main(level: str, families: list[str]) -> int:
    """The command: the exit code is 1 when anything came through, or when all families were
    tried and too few attempts were flagged."""
    from autograder.tests.hostile import BY_NAME, FAMILIES, attacks

    unknown = [family for family in families if family not in FAMILIES + BY_NAME]
    if unknown:
        raise ValueError(
            f"There is no family {unknown[0]!r}; there are {', '.join(FAMILIES + BY_NAME)}."
        )
    chosen = attacks(tuple(families) or FAMILIES)
    held = True
    for each in LEVELS if level == "all" else (level,):
        report = redteam(each, chosen)
        if report.level != each and level == "all":
            print(f"Level {each} is not to be had here ({report.why}).")
            continue
        print(report, report.verdict, sep="\n", end="\n\n", flush=True)
        held = held and (report.held or (bool(families) and not report.leaky))
    return 0 if held else 1


def _neighbours_answer() -> str:
    """What is right in 02.2 for a student with other numbers, and wrong for this one throughout:
    the values of opened and kept."""
    question, truth = find("02.2"), judge_of("02.2").truth

    def right(student: str) -> dict[str, tuple]:
        return {
            case["of"]: (truth(case)["opened"], truth(case)["kept"])
            for case in question.cases(numbers_for(question, student))
        }

    own = right("mallory")
    other = next(
        found
        for found in (right(f"s{number}") for number in range(1, 1000))
        if all(found[name] != own[name] for name in own)
    )
    return ", ".join(
        str({name: values[place] for name, values in other.items()}) for place in (0, 1)
    )


def _others(chapter: str, attacked: str) -> dict[str, str]:
    """Right answers to what comes before the attacked question, and to the next one or two;
    the others play long labs."""
    right = references(chapter)
    return {
        question: source
        for question, source in right.items()
        if question != attacked
        and (
            by_number(question) < by_number(max(attacked, f"{chapter}.4", key=by_number))
            or "open" in question
        )
    }


def _flagged(result: dict) -> bool:
    """Whether the teacher is told that something is odd about it."""
    return bool(result["reason"]) or result["status"] != "graded"


def _hidden_words(chapter: str) -> list[str]:
    """What tells that a hidden case was seen: inputs long enough not to be there by chance."""
    words = set()
    for question in master(chapter).questions:
        if question.kind != "open":
            numbers = dict(numbers_for(question, "mallory"))
            shown = json.dumps(
                [case for case, hidden in all_cases(find(question.id), numbers) if not hidden]
            )
            for case, hidden in all_cases(find(question.id), numbers):
                words |= {
                    str(value)
                    for value in case.values()
                    if hidden
                    and isinstance(value, str)
                    and len(value) > 4
                    and str(value) not in shown
                }
    return sorted(words)
