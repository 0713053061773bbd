"""The autograder's command line: `autograder`, or `python -m autograder`, lists what it can do.

Learners use lab, reset, pack, progress, check and add; teachers use the others. Unusable input ends
with one sentence and exit code 2. `grade` ends with 0 when everything was graded, 3 when something
needs a person's attention, 1 when the tool itself failed.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shlex
import sys
import traceback
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from autograder.cell.course_at_hand import course
from autograder.cell.terminal import (
    end_as_by_ctrl_c,
    open_what_is_closed,
    said_by_sqlite,
    say,
    sentence_of,
    unread,
)
from kafkalab.command_line import CommandParser, called_as, group_commands, with_version
from kafkalab.extras import missing_extra, need_extras

OK, FAILED, UNUSABLE, ATTENTION = 0, 1, 2, 3
OUT = "the folder with a class's gradebook and results"
CHAPTER = "which chapter, such as 03"
UNIX_ONLY = ("fcntl", "grp", "pwd", "resource", "termios")
GO_ON = ("grade", "receive", "regrade", "review", "classroom")
"""Commands that keep what they did before Ctrl-C and go on from there."""


RUNNING = (
    "grade",
    "regrade",
    "classroom",
    "redteam",
    "exercise",
    "course",
    "seal",
    "variants",
    "mutations",
)
"""Commands that run answers. Some answers use Spark."""
NEEDED = {
    **dict.fromkeys(RUNNING, ("spark", "teach")),
    "browser": ("learn", "spark", "teach", "dev"),
    "book": ("learn", "spark", "logs", "teach", "book", "clients"),
}
"""Command -> the extras that it needs; other commands of a teacher need `teach`."""
LEARNERS = ("open", "lab", "check", "progress", "pack", "reset", "add")
GROUPS = {
    "learners": " ".join(LEARNERS),
    "teachers, each week": "release due receive grade seen review report feedback export letters",
    "teachers, now and then": (
        "doctor classroom similar regrade calibrate score solution gradescope github forget"
    ),
    "authors and developers": (
        "new exercise course seal variants mutations minutes book browser redteam"
    ),
}
"""Heading of the list of commands -> the commands under it."""
ON_OUT = "due seen review report feedback export letters similar regrade calibrate forget".split()
"""Commands on the OUT of a class, beside `grade` and `receive`."""
ON_NOTEBOOKS = ("open", "lab", "reset", "pack", "progress", "check")
"""Commands of a learner, which need the notebooks of a course."""


class Unusable(ValueError):
    """What was asked for cannot be done; the message is the one sentence to print."""


def main(words: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    open_what_is_closed()
    parser = _parser()
    wanted, wanted.others = parser.parse_known_args(words)
    if wanted.others and wanted.command != "open":  # which hands them on to JupyterLab
        parser.error(f"unrecognized arguments: {' '.join(wanted.others)}")
    if wanted.command is None:
        parser.print_help()
        return UNUSABLE
    try:
        _must_have_notebooks(wanted.command)
        _must_have_the_extras(wanted.command)
        if wanted.command not in GROUPS["authors and developers"].split():
            course().refresh(say)  # an author builds what was edited, with `course`
        with _private(wanted):
            code = wanted.do(wanted) or OK
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `... | head` has read enough
        unread(sys.stdout)
        return OK
    except (ValueError, LookupError, OSError) as unusable:
        say(sentence_of(unusable))
        return UNUSABLE
    except ImportError as missing:
        told = _what_is_missing(wanted.command, missing)
        if told is None:
            raise
        say(told)
        return UNUSABLE
    except KeyboardInterrupt:
        kept = " What was done is kept: the same command goes on from here."
        say("Stopped." + kept * (wanted.command in GO_ON))
        return FAILED
    except Exception as failed:
        broken = said_by_sqlite(failed)
        if broken is None:
            raise
        say(
            f"The gradebook in {wanted.out} could not be read or written: {broken}. It is "
            "as it was before. Mend this, then give the same command again."
        )
        return FAILED


@contextlib.contextmanager
def _private(wanted) -> Iterator[None]:
    """Keeps OUT from other accounts where a command works on one; an OUT of before, too."""
    if wanted.command not in ON_OUT or not wanted.out:
        yield
        return
    from autograder.gradebook.files import keep_private

    keep_private(Path(wanted.out))
    try:
        yield
    finally:
        keep_private(Path(wanted.out))


def _must_have_notebooks(command: str) -> None:
    """Raises Unusable for a learner's command where this is an installed package, which has no
    notebooks."""
    from autograder.cell.course_folder import notebooks

    if command in ON_NOTEBOOKS and not (notebooks() / "release").is_dir():
        raise Unusable(
            f"There are no notebooks in {notebooks().parent}. Type `python -m autograder {command}`"
            " in the folder of the course, which has a folder notebooks."
        )


def _must_have_the_extras(command: str) -> None:
    """Raises MissingExtra for a teacher's command that lacks a package. It would find out late, and
    one at a time. A learner's package has no such commands and Windows cannot grade; both have a
    sentence of their own."""
    if command not in LEARNERS and os.name != "nt" and find_spec("autograder.course"):
        need_extras(*NEEDED.get(command, ("teach",)))


def _what_is_missing(command: str, missing: ImportError) -> str | None:
    """One sentence for an import that failed, where it says something about this machine."""
    name = missing.name or ""
    if name.startswith("autograder."):
        return (
            f"This is the package for learners; `{command}` is a teacher's command and needs the "
            "whole course."
        )
    if name in UNIX_ONLY:
        return (
            f"`{command}` needs Linux, macOS, or WSL2 on Windows: grading runs submissions behind "
            f"walls that are made with Python's module {name}, which is not here."
        )
    extra = missing_extra(missing, *NEEDED.get(command, ()))
    return None if extra is None else str(extra)


def _grade(wanted) -> int:
    from autograder.cell.course_folder import chapter_number
    from autograder.course.secret import is_demo
    from autograder.grade import Unready, grade_class, grade_file, needs_attention, public
    from autograder.gradebook.files import Busy
    from autograder.grading.child_process import Lost, Unable
    from autograder.handed_in.download import NotAClass, folder_of
    from autograder.sandbox.outside.parent import SandboxFailed, Unofficial

    source = Path(wanted.submissions)
    if not source.exists():
        raise Unusable(f"There is no {source}.")
    _must_be_a_folder(wanted.out, source)
    if wanted.workers is not None and wanted.workers < 1:
        raise Unusable(f"--workers is a number from 1 on, not {wanted.workers}.")
    asked = chapter_number(wanted.assignment) if wanted.assignment else None
    if wanted.out is None:
        if source.is_dir() and not wanted.json:
            raise Unusable(
                "Say where the results go: --out OUT for a class with its gradebook, or --json - "
                "for one submission."
            )
        found = grade_file(source, asked, tuple(wanted.student))
        if not wanted.json:
            print("\n\n".join(_one_result(name, result) for name, result in found.items()))
    else:
        if wanted.student:
            raise Unusable(
                "--student says who handed in one file; for a class name its list with --roster."
            )
        if not source.is_dir() and source.suffix.lower() != ".zip":
            raise Unusable(
                f"{source} is one file; a class is a folder, or a zip file of one. For one"
                " submission leave --out away."
            )
        roster, ignore = _class_list(wanted.roster)
        try:
            with folder_of(source, roster) as folder:
                graded = grade_class(
                    folder,
                    Path(wanted.out),
                    asked,
                    roster,
                    wanted.workers,
                    wanted.force,
                    say,
                    ignore,
                    wanted.allow_unsafe,
                )
        except NotAClass as why:
            raise Unusable(*why.args) from None
        except (Unofficial, Busy, Unready):
            raise
        except Exception as failed:
            # the machine's or ours, not the class's: the next run goes on
            if (
                not isinstance(failed, (OSError, Lost, Unable, SandboxFailed))
                and said_by_sqlite(failed) is None
            ):
                traceback.print_exc()  # ours: say all we know
            why = said_by_sqlite(failed) or sentence_of(failed)
            say(
                f"Grading into {wanted.out} stopped: {why.rstrip('.')}. What was done is kept; "
                "when that is mended, the same command goes on from here."
            )
            return FAILED
        found = graded
        if is_demo():
            say(
                "AUTOGRADER_SECRET is not set. Anybody with this repository can work out the "
                "hidden cases, so these marks are good for trying things out only."
            )
    needing = needs_attention(found)
    if wanted.json:
        _write_json(wanted.json, ((name, public(result)) for name, result in found.items()))
    if wanted.out:
        from autograder.teacher.seen import is_seen, seen_of

        kept = seen_of(Path(wanted.out))
        old = [name for name in needing if is_seen(kept, name, found[name])]
        needing = [name for name in needing if name not in old]
        for line in _for_a_person(found, needing, Path(wanted.out)):
            say(line)
        if old:
            say(f"{len(old)} more {'was' if len(old) == 1 else 'were'} marked as seen before.")
        say(
            f"{len(found)} submission{'s' * (len(found) != 1)} graded into {wanted.out}; see"
            f" `python -m autograder report {shlex.quote(wanted.out)}`."
        )
    return ATTENTION if needing else OK


def _one_result(name: str, result: dict) -> str:
    """The result of one submission for a person to read: a line a question, the total, and what
    waits."""
    if not result["cells"]:
        return f"{name}: {result['status']}, {result['reason']}"
    lines = [f"{name}: {result['assignment']} of {result['student']}"]
    for question, cell in result["cells"].items():
        points = "waits" if cell["outcome"] == "waiting" else f"{cell['score']:g}"
        lines.append(f"  {question:8} {points:>5} of {cell['max']:g}  {cell['sentence']}")
    lines.append(f"  {'total':8} {result['score']:>5g} of {result['max']:g}")
    if result["open_pending"]:
        lines.append(
            f"  {result['open_pending']:g} more points wait for a person, who reads the open"
            " answers."
        )
    if result["status"] != "graded" or result["reason"]:
        lines.append(f"  About the file: {result['status']}, {result['reason']}")
    return "\n".join(lines)


def _for_a_person(found, names: list[str], out: Path, most: int = 20) -> list[str]:
    """Which submissions a person should look at, who is not on the class list,
    and which could be each other's."""
    from autograder.gradebook.students import class_of, with_name

    listed = class_of(out).rows
    lines = [f"{len(names)} of them need{'s' if len(names) == 1 else ''} you:"] if names else []
    for name in names[:most]:
        reason = found[name]["reason"]
        lines.append(
            f"  {with_name(name, found[name]['student'], listed)}: {found[name]['status']}, "
            f"{reason if len(reason) <= 200 else reason[:197] + '...'}"
        )
    lines += (
        [f"  and {len(names) - most} more; the report has them all"] if len(names) > most else []
    )
    if names:
        lines.append(
            f"`python -m autograder seen {shlex.quote(str(out))} --all` marks them as seen; a name"
            " in place of --all marks that one."
        )
    strangers = (
        sorted({result["student"] for result in found.values()} - listed.keys()) if listed else []
    )
    if strangers:
        lines.append(
            "Not on the class list: "
            f"{', '.join(strangers[:most])}{f' and {len(strangers) - most} more' if len(strangers) > most else ''}. "  # noqa: E501
            "The report says what to do."
        )
    nameless = [
        name for name, result in found.items() if result["cells"] and not result.get("variant")
    ]
    if len(nameless) > 1:
        shown = ", ".join(nameless[:3]) + (
            f" and {len(nameless) - 3} more" if len(nameless) > 3 else ""
        )
        lines.append(
            f'{len(nameless)} notebooks have no name, me("") in the first cell. They all had the '
            "same numbers, and one could be copied "
            f"from another: {shown}."
        )
    return lines


def _class_list(named: str | None):
    """(the class list that was named, the files that are therefore no submission)."""
    from autograder.handed_in.classlist import Roster, read_roster

    if not named:
        return Roster(), ()
    roster = read_roster(Path(named))
    if roster.dropped:
        shown = "; ".join(roster.dropped[:5]) + (
            f"; and {len(roster.dropped) - 5} more" if len(roster.dropped) > 5 else ""
        )
        say(f"{Path(named).name}: {len(roster.rows)} students; left out: {shown}.")
    return roster, (Path(named),)


def _report(wanted) -> None:
    from autograder.gradebook.late import settle_penalties
    from autograder.teacher.report import as_text, read_class
    from autograder.written.answers import read_results

    read_results(Path(wanted.out))  # says so, where nothing was graded
    settle_penalties(Path(wanted.out), say)
    found = read_class(Path(wanted.out))
    if wanted.page:
        from autograder.teacher.reportpage import write_page

        print(f"The report is {write_page(found)}; its pictures lie beside it.")
    else:
        print(as_text(found))


def _solution(wanted) -> None:
    from autograder.cell.course_folder import chapter_number
    from autograder.course.references import write_solution

    write_solution(chapter_number(wanted.chapter), Path(wanted.out), wanted.student)
    numbers = f", with the numbers of {wanted.student}" if wanted.student else ""
    print(
        f"The solved notebook of chapter {chapter_number(wanted.chapter)} is in {wanted.out}"
        f"{numbers}. It is for teachers."
    )


def _score(wanted) -> None:
    if wanted.table:
        from autograder.written import score_table

        rows = score_table.rows_by_question(wanted.question)
        print(
            json.dumps(score_table.as_data(rows), indent=1)
            if wanted.json
            else score_table.text(rows)
        )
        return
    if not wanted.question or not wanted.answers:
        raise Unusable(
            "Say which question and which file: score 03.open ANSWERS.json. Or ask for the table: "
            "score --table."
        )
    from autograder.grading.scoring import score_file

    question, answers = wanted.question, Path(wanted.answers)
    model = _model(wanted)
    rows = (
        score_file(
            question, answers, model, lambda all_: say(model.told_before(question, len(all_)))
        )
        if model
        else score_file(question, answers)
    )
    print(json.dumps(rows, ensure_ascii=False, indent=1))


def _model(wanted):
    """The model whose address the teacher names; None where the rubric suggests alone."""
    from autograder.written.model import Model

    return Model(wanted.model, wanted.model_name, say) if wanted.model else None


def _calibrate(wanted) -> int:
    if wanted.prune:
        from autograder.written.prune import prune

        print(prune(wanted.question))
        return OK
    if not wanted.marks:
        raise Unusable(
            "Say where your marks are: calibrate 03.open marks.csv, or calibrate 03.open OUT."
        )
    from autograder.written.calibration import calibrate

    source = Path(wanted.marks)
    if not source.exists():
        raise Unusable(f"There is no {source}.")
    text, met = calibrate(
        wanted.question, source, Path(wanted.out) if wanted.out else None, say=say
    )
    print(text)
    return OK if met else ATTENTION


def _review(wanted) -> None:
    from autograder.gradebook.late import settle_penalties
    from autograder.written.screens import in_terminal

    share = _share(wanted.share)
    try:
        in_terminal(
            Path(wanted.out),
            wanted.question,
            seed=wanted.seed,
            marker=wanted.marker,
            blind=wanted.blind,
            share=share,
            model=_model(wanted),
        )
    finally:
        # a penalty is a share of the points, which have changed
        if (Path(wanted.out) / "gradebook.db").is_file():
            settle_penalties(Path(wanted.out), say)


def _share(text: str) -> tuple[int, int]:
    """ "2/3" is the second of three shares; ValueError, with a sentence, for what is none."""
    mine, _, of = text.partition("/")
    if not (mine.isdigit() and of.isdigit() and 1 <= int(mine) <= int(of)):
        raise Unusable(f"--share is written like 1/2, the first of two shares, not {text!r}.")
    return int(mine), int(of)


def _due(wanted) -> None:
    from autograder.cell.course_folder import chapter_number
    from autograder.course.masters import master
    from autograder.gradebook.due_list import set_due_list
    from autograder.gradebook.late import dates, parse_moment, set_due

    if wanted.list:
        if wanted.chapter or wanted.student:
            raise Unusable("--list says the chapters and students; name none besides.")
        print(set_due_list(Path(wanted.out), Path(wanted.list)))
        return
    if wanted.chapter is None:
        print("\n".join(dates(Path(wanted.out))))
        return
    if wanted.when is None:
        raise Unusable("Say when it is due: 2026-11-30T23:59+01:00, or none.")
    print(
        set_due(
            Path(wanted.out),
            master(chapter_number(wanted.chapter)).name,
            parse_moment(wanted.when),
            wanted.student,
        )
    )


def _receive(wanted) -> None:
    from autograder.grade import receive
    from autograder.gradebook.late import parse_moment, policy
    from autograder.handed_in.classlist import HANDED_IN
    from autograder.handed_in.download import folder_of
    from autograder.handed_in.exchange import ExchangeTimes

    source = Path(wanted.submissions)
    if not source.exists():
        raise Unusable(f"There is no folder {source}.")
    _must_be_a_folder(wanted.out, source)
    if wanted.times and not source.is_dir():
        raise Unusable(
            f"{source} is a file, and --times nbgrader reads a folder that `nbgrader collect` made:"
            " the times in a file may be its sender's."
        )
    roster, ignore = _class_list(wanted.roster)
    exchange = ExchangeTimes(source, policy().zone) if wanted.times else None
    with folder_of(source, roster) as folder:
        new = receive(
            folder,
            Path(wanted.out),
            roster,
            parse_moment(wanted.at) if wanted.at else None,
            ignore,
            say,
            **({"exchange": exchange} if exchange else {}),
        )
    for line in exchange.untold if exchange else ():
        say(line)
    dated = any(row.get(HANDED_IN) for row in (*roster.rows.values(), *roster.nameless.values()))
    moments = "the class list: it says when each one came" if dated else "the moment of the receipt"
    if exchange:
        moments = f"nbgrader's exchange for {exchange.read} of them, else from {moments}"
    for line in _received(new, Path(wanted.out), moments):
        print(line)


def _received(new, out: Path, moments: str, most: int = 40) -> list[str]:
    """What `receive` tells: who has handed in, twice or unreadably, and from whom nothing new has
    come. `moments`: where the times are from."""
    from autograder.gradebook.students import class_of, names

    listed = class_of(out).rows
    lines = [
        f"{len(new)} new submission{' was' if len(new) == 1 else 's were'} received; `grade` grades"
        " them whenever you like."
    ]
    if new or moments != "the moment of the receipt":
        lines.append(f"What is late follows from {moments}.")

    def shown(people) -> str:
        people = [
            " ".join(filter(None, (each, *names(listed.get(each, {}))[:2]))) for each in people
        ]
        return ", ".join(people[:most]) + (
            f" and {len(people) - most} more" if len(people) > most else ""
        )

    came: dict[tuple[str, str | None], list[str]] = {}
    for each in new:
        came.setdefault((each.student, each.chapter), []).append(each.name)
    if new:
        lines.append(f"From: {shown(sorted({student for student, _ in came}))}.")
    lines += [
        f"{student} has {len(files)} files of chapter {chapter}: {', '.join(files)}. The last one"
        " counts."
        for (student, chapter), files in sorted(came.items(), key=str)
        if chapter and len(files) > 1
    ]
    lines += [f"{each.name}: {each.status}, {each.reason}" for each in new if not each.can_run]
    missing = [
        student
        for student in listed
        if not any(student == each.student and each.can_run for each in new)
    ]
    if new and missing:
        lines.append(
            f"Nothing new that can be read came from {len(missing)} of the class list:"
            f" {shown(missing)}."
        )
    return lines


def _regrade(wanted) -> None:
    from autograder.teacher.regrade import as_text, regrade

    done = regrade(wanted.question, Path(wanted.out), wanted.apply, wanted.workers, say=say)
    print(as_text(done, wanted.apply, Path(wanted.out)))


def _export(wanted) -> None:
    from autograder.gradebook.late import settle_penalties
    from autograder.teacher.export import NO_WEIGHTS, export, parse_weights

    out = Path(wanted.out)
    if (wanted.layout == "worksheet") != bool(wanted.sheet):
        raise Unusable("--as worksheet and --sheet THE_FILE_FROM_MOODLE.csv go together.")
    if wanted.sheet is None and wanted.chapter:
        raise Unusable("--chapter goes with --as worksheet; the other layouts have all chapters.")
    weights = parse_weights(wanted.weights) if wanted.weights is not None else NO_WEIGHTS
    settle_penalties(out, say)
    _say_if_unfinished(wanted.out)
    if wanted.sheet:
        from autograder.cell.course_folder import chapter_number
        from autograder.teacher.worksheet import fill_worksheet

        if weights or wanted.scale is not None:
            raise Unusable("The sheet says its own maximum; leave --scale and --weights out.")
        chapter = chapter_number(wanted.chapter) if wanted.chapter else None
        written = fill_worksheet(out, Path(wanted.sheet), chapter, say)
    else:
        text = export(out, wanted.layout, say=say, scale=wanted.scale, weights=weights)
        written = text.encode()
    if wanted.file:
        Path(wanted.file).write_bytes(written)  # the layout brings its own line ends
    else:
        sys.stdout.buffer.write(written)


def _letters(wanted) -> None:
    from autograder.gradebook.late import settle_penalties
    from autograder.teacher.letters import as_lines, as_table, letters_of, summary

    settle_penalties(Path(wanted.out), say)
    _say_if_unfinished(wanted.out)
    letters = letters_of(Path(wanted.out))
    if wanted.file:
        # with a mark at its beginning, by which Excel knows UTF-8
        Path(wanted.file).write_bytes(as_table(letters).encode("utf-8-sig"))
    else:
        for line in as_lines(letters):
            print(line)
    print(summary(letters))


def _feedback(wanted) -> None:
    from autograder.gradebook.late import settle_penalties
    from autograder.teacher.feedback import write_feedback

    settle_penalties(Path(wanted.out), say)
    _say_if_unfinished(wanted.out)
    print(
        f"{write_feedback(Path(wanted.out), say=say)} pages are in "
        f"{Path(wanted.out) / 'feedback'}, a folder for each student."
    )
    if wanted.moodle:
        from autograder.teacher.moodle_zip import write_moodle_zip

        packed, unknown = write_moodle_zip(Path(wanted.out), Path(wanted.moodle))
        print(f"{packed} of them are in {wanted.moodle}, in the folders of Moodle's download.")
        if unknown:
            say(
                f"Not in it, for they came in no folder of Moodle's: {', '.join(unknown[:20])}"
                f"{f' and {len(unknown) - 20} more' if len(unknown) > 20 else ''}."
            )


def _seen(wanted) -> None:
    from autograder.grade import needs_attention
    from autograder.teacher.seen import mark_seen

    if bool(wanted.names) == wanted.all:
        raise Unusable("Name the files or students that you have seen, or give --all.")
    marked = mark_seen(Path(wanted.out), needs_attention, wanted.names)
    print(f"{len(marked)} {'is' if len(marked) == 1 else 'are'} marked as seen.")


def _gradescope(wanted) -> None:
    from autograder.cell.course_folder import chapter_number
    from autograder.course.secret import is_demo
    from autograder.teacher.gradescope import write_gradescope

    if is_demo() and not wanted.demo:
        raise Unusable(
            "AUTOGRADER_SECRET is not set, so students would be graded by other numbers than their"
            " package shows. Set the secret of your course, or add --demo to try things out."
        )
    roster, _ = _class_list(wanted.roster)
    count = write_gradescope(
        list(dict.fromkeys(map(chapter_number, wanted.chapters))),
        Path(wanted.out),
        Path(wanted.roster) if roster.rows else None,
    )
    print(
        f"{wanted.out} has {count} files. Upload it as the autograder of the assignment. Your"
        " secret and the judges are in it: keep it to yourself."
    )


def _say_if_unfinished(out: str) -> None:
    from autograder.grading.out_folder import UNFINISHED

    if (Path(out) / UNFINISHED).exists():
        say(
            f"The last run of `grade` into {out} has not come to its end, so its submissions may be"
            " missing here: the same command goes on from there."
        )


def _similar(wanted) -> None:
    from autograder.teacher.similarity import as_text, similar

    print(as_text(similar(Path(wanted.out))))


def _forget(wanted) -> None:
    from autograder.teacher.forget import forget

    print(forget(Path(wanted.out), wanted.student, wanted.apply))


def _seal(wanted) -> None:
    from autograder.cell import sealed
    from autograder.cell.course_folder import chapter_number
    from autograder.cell.question import asked_chapters, find
    from autograder.course import seals

    for chapter in () if wanted.chapters else asked_chapters():
        seals.renew(chapter, say)
    for text in wanted.chapters:
        question = find(text) if "." in text else None
        chapter = question.chapter if question else chapter_number(text)
        seals.seal(chapter, say, [question.id] if question else ())
        seals.note(chapter)
        print(f"sealed {sealed.folder() / f'ch{chapter}.json'}")


def _course(wanted) -> int:
    from autograder.course import build

    return build.main(wanted.chapters + ["--prose"] * wanted.prose)


def _minutes(wanted) -> None:
    from autograder.course.reading_time import table, write_minutes
    from autograder.course.sources import chapters

    if wanted.write:
        write_minutes()
    print(table(wanted.chapters or [name for name in chapters() if name[:2].isdigit()]))


def _book(wanted) -> None:
    from autograder.course.book import build

    first = build(Path(wanted.out), wanted.chapters, answers=wanted.answers, say=say)
    print(f"{first} is the first page. The folder can be copied to any web server.")


def _new(wanted) -> None:
    from autograder.course.skeleton import begin
    from autograder.course.sources import name_of

    path, line = begin(wanted.id, wanted.title)
    print(
        f"{path} is begun: fill in its blanks, ___, and add the line\n\n    {line}\n\nto "
        f"notebooks/source_py/{name_of(wanted.id[:2])}.py, where the exercise belongs. "
        f"`python -m autograder exercise {wanted.id}` says how far it is."
    )


def _exercise(wanted) -> int:
    from autograder.proving.exercise_rules import print_rules

    return print_rules(wanted.id)


def _release(wanted) -> None:
    from autograder.course.release import release

    chapters, key = _to_hand_out(wanted.chapters, wanted.demo)
    package = release(chapters, Path(wanted.out))
    print(f"The package for learners is {package}: no judges, no solutions, no secret.{key}")


def _github(wanted) -> None:
    from autograder.teacher.github_template import write_template

    chapters, key = _to_hand_out(wanted.chapters, wanted.demo)
    template = write_template(chapters, Path(wanted.out))
    print(
        f"{template} is the template: push it as a repository of your own, and name that in the"
        f" assignment. No judges, no solutions, no secret are in it.{key}"
    )


def _to_hand_out(named: list[str], demo: bool) -> tuple[list[str], str]:
    """(the chapters, a sentence about their course key); Unusable where students would get the
    demo key and nobody asked for it."""
    from autograder.cell.course_folder import MYTHS, chapter_number
    from autograder.cell.numbers import course_key_id
    from autograder.course.masters import master
    from autograder.course.secret import is_demo

    chapters = [text if text == MYTHS else chapter_number(text) for text in named]
    asks = any(chapter != MYTHS and master(chapter).answer_cells for chapter in chapters)
    if asks and is_demo() and not demo:
        raise Unusable(
            "AUTOGRADER_SECRET is not set, so the package would carry the public demo key, and your"
            " class would get other numbers than you grade by. Set the secret of your course, or"
            " add --demo to try things out."
        )
    public = ", the public demo key: good for trying things out" if is_demo() else ""
    key = f" Students' numbers come from course key {course_key_id()}{public}."
    return chapters, key if asks else ""


def _add(wanted) -> None:
    from autograder.learner.new_package import add_package

    for line in add_package(Path(wanted.package)):
        print(line)


def _check(wanted) -> int:
    from autograder.cell.course_folder import chapter_number
    from autograder.learner.notebook_run import tests_of

    chapter = chapter_number(wanted.chapter)
    need_extras("learn")
    say("Running a copy of your notebook from the top; this takes a minute or two.")
    found = tests_of(chapter)
    for test in found:
        print(f"{test.question} {'✓ right' if test.right else f'✗ {test.sentence}'}")
    right = sum(test.right for test in found)
    print(f"{right} of {len(found)} are right on the cases that you can see.")
    return OK if right == len(found) else ATTENTION


def _lab(wanted) -> None:
    from autograder.learner.desk import prepare_mine

    for line in prepare_mine():
        print(line)


def _open(wanted) -> int:
    from autograder.learner.lab import open_lab

    return open_lab([*wanted.options, *wanted.others])


def _reset(wanted) -> None:
    from autograder.cell.course_folder import MYTHS, chapter_number
    from autograder.learner.desk import reset

    court = wanted.chapter.strip().lower() == MYTHS
    print(reset(MYTHS if court else chapter_number(wanted.chapter)))


def _pack(wanted) -> None:
    from autograder.cell.course_folder import chapter_number
    from autograder.learner.desk import pack

    print(pack(chapter_number(wanted.chapter), Path(wanted.out) if wanted.out else None))


def _progress(wanted) -> None:
    from autograder.learner.desk import mine
    from autograder.learner.overview import details, overview

    path = mine() / "progress.json" if mine().is_dir() else None
    print(details(path) if wanted.all else overview(path))


def _questions(chapters: list[str]) -> list:
    """The questions of these chapters, "03", or these, "03.4"; of all chapters where none is
    named."""
    from autograder.cell.course_folder import chapter_number, released
    from autograder.cell.question import asked_chapters, find, of_chapter

    return [
        question
        for text in chapters or [each for each in asked_chapters() if each in released()]
        for question in ([find(text)] if "." in text else of_chapter(chapter_number(text)))
    ]


def _mutations(wanted) -> int:
    from autograder.proving.survivors import HEAD, survivors

    print(HEAD)
    wrong = 0
    for question in _questions(wanted.chapters):
        if question.kind == "open":
            continue
        found = survivors(question.id)
        print(found, flush=True)
        for line in found.lines():
            print(f"  {line}")
        wrong += bool(found.survivors or found.stale)
    print(
        "Every change of a right answer fails, or its exercise says why it is right, too."
        if not wrong
        else f"To do: {wrong} exercises."
    )
    return ATTENTION if wrong else OK


def _variants(wanted) -> int:
    from autograder.proving.drawn import HEAD, drawn

    asked = _questions(wanted.chapters)
    if not 2 <= wanted.students <= 10_000:
        raise Unusable(f"--students is a number from 2 to 10000, not {wanted.students}.")
    print(HEAD)
    wrong = 0
    for question in asked:
        if not question.space:
            continue
        found = drawn(question, wanted.students, say=say)
        print(found, flush=True)
        wrong += bool(found.wrong)
    print(
        (
            "Every student has numbers of their own, everybody's can be solved, and a neighbour's "
            "are of little use."
        )
        if not wrong
        else f"{wrong} questions break one of these rules; the lines above say which."
    )
    return ATTENTION if wrong else OK


def _doctor(wanted) -> int:
    from autograder.teacher.doctor import doctor

    found = doctor()
    print(found)
    return OK if found.sound else ATTENTION if found.official else FAILED


def _redteam(wanted) -> int:
    from autograder.proving.redteam import main as attack

    return attack(wanted.level, wanted.families)


def _browser(wanted) -> int:
    from autograder.proving.browser import photograph_tour, visit_chapters

    return photograph_tour() if wanted.tour else visit_chapters(wanted.chapters)


def _classroom(wanted) -> int:
    from autograder.cell.course_folder import chapter_number, released
    from autograder.cell.question import asked_chapters
    from autograder.proving.classroom import classroom

    if wanted.students < 1:
        raise Unusable(f"--students is a number from 1 on, not {wanted.students}.")
    chapters = (
        [each for each in asked_chapters() if each in released()]
        if wanted.chapters == "all"
        else [chapter_number(text) for text in wanted.chapters.split(",")]
    )
    return classroom(wanted.students, chapters, Path(wanted.out))


def _may_ask_a_model(command) -> None:
    command.add_argument(
        "--model",
        metavar="ADDRESS",
        help=(
            "let a model of yours suggest the marks, at an address that speaks as OpenAI's does, "
            "http://127.0.0.1:11434/v1: the answers' texts go there, without names and ids"
        ),
    )
    command.add_argument(
        "--model-name",
        default="",
        metavar="NAME",
        help="which model, where the address has several",
    )


def _parser() -> CommandParser:
    parser = CommandParser(
        prog=called_as("autograder"),
        description="Check exercises while you learn, and grade them when you hand in.",
        example="grade submissions/ --out OUT",
    )
    with_version(parser, "autograder")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def command(name, do, told, example):
        made = commands.add_parser(
            name, help=told, description=f"{told[0].upper()}{told[1:]}.", example=example
        )
        made.set_defaults(do=do)
        return made

    command(
        "open",
        _open,
        "copy every chapter as lab does, and open JupyterLab on your first notebook",
        "--no-browser",
    ).add_argument("options", nargs="*", metavar="OPTION", help="an option of JupyterLab's own")
    command(
        "lab", _lab, "copy every chapter into notebooks/mine/; no file of yours is replaced", ""
    )
    command(
        "reset", _reset, "make a fresh copy of a chapter; the old one goes to mine/.saved/", "03"
    ).add_argument("chapter", metavar="NN|myths", help="which chapter, or the myth court")
    pack = command(
        "pack", _pack, "make the one file to hand in for a chapter, with a receipt code", "03"
    )
    pack.add_argument("chapter", metavar="NN", help=CHAPTER)
    pack.add_argument("--out", metavar="FILE", help="the file (default: beside your notebook)")
    shown = command("progress", _progress, "show how far you are and what to repeat", "--all")
    shown.add_argument("--all", action="store_true", help="a line for each question and each guess")
    command(
        "check", _check, "run a copy of your notebook from the top and say what its tests say", "03"
    ).add_argument("chapter", metavar="NN", help=CHAPTER)
    command(
        "add",
        _add,
        "bring a new package into this folder; your own notebooks stay as they are",
        "week2.zip",
    ).add_argument("package", metavar="FILE.zip|DIR", help="what your teacher handed out")
    grade = command(
        "grade",
        _grade,
        "grade a folder of submissions (folders, .ipynb, .zip), or one file",
        "submissions/ --out OUT --roster class.csv",
    )
    grade.add_argument(
        "submissions", metavar="DIR|FILE", help="a folder or zip file of a class, or one submission"
    )
    grade.add_argument(
        "--out", metavar="OUT", help="where the gradebook, the notebooks and the receipts go"
    )
    grade.add_argument("--assignment", metavar="NN", help="only this chapter")
    grade.add_argument(
        "--roster",
        metavar="FILE.csv",
        help=(
            "the class list: a column student or id, and name, email, file; or what Moodle, "
            "Canvas, Gradescope or GitHub Classroom export. OUT keeps it"
        ),
    )
    grade.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="ID",
        help=(
            "who handed this one file in: a notebook that names somebody else is refused. "
            "Give it again for another spelling, or for a group"
        ),
    )
    grade.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help="the results as JSON, in this file or in the terminal",
    )
    grade.add_argument(
        "--workers", type=int, help="how many at a time (default: one for each core)"
    )
    grade.add_argument("--force", action="store_true", help="grade again what was graded before")
    grade.add_argument(
        "--allow-unsafe",
        action="store_true",
        help="grade a class below sandbox level L2, for answers you trust",
    )
    report = command(
        "report",
        _report,
        "show the class, the questions, and what each wrong answer means",
        "OUT --page",
    )
    report.add_argument("out", metavar="OUT", help=OUT)
    report.add_argument(
        "--page", action="store_true", help="write OUT/report/index.html, with pictures"
    )
    export = command(
        "export",
        _export,
        "export the marks of an OUT folder for other systems; manual scores count first",
        "OUT --as canvas --file marks.csv",
    )
    export.add_argument("out", metavar="OUT", help=OUT)
    export.add_argument(
        "--as",
        dest="layout",
        default="csv",
        metavar="LAYOUT",
        help="csv, json, canvas, moodle, gradescope, totals for the whole course, or worksheet",
    )
    export.add_argument("--file", metavar="FILE", help="where to write it (default: the terminal)")
    export.add_argument(
        "--scale",
        type=float,
        metavar="POINTS",
        help="for canvas, moodle and totals: what each chapter is worth there, such as 100",
    )
    export.add_argument(
        "--weights",
        metavar="NN=N,NN=N",
        help="for totals: what each chapter is worth in the course, 02=10,03=15",
    )
    export.add_argument(
        "--sheet", metavar="FILE.csv", help="for worksheet: the grading worksheet from Moodle"
    )
    export.add_argument(
        "--chapter", metavar="NN", help="for worksheet: whose marks, where OUT has several chapters"
    )
    letters = command("letters", _letters, "list whom to write to, why, and what to say", "OUT")
    letters.add_argument("out", metavar="OUT", help=OUT)
    letters.add_argument("--file", metavar="FILE.csv", help="write a table for a mail merge")
    pages = command(
        "feedback",
        _feedback,
        "write a page for each student: marks, sentences, their own words; no scripts",
        "OUT --moodle feedback.zip",
    )
    pages.add_argument("out", metavar="OUT", help=OUT)
    pages.add_argument(
        "--moodle",
        metavar="FILE.zip",
        help="pack the pages for upload to Moodle: in the folders of its download",
    )
    seen = command(
        "seen",
        _seen,
        "mark submissions that needed you as seen; they are not new again",
        "OUT --all",
    )
    seen.add_argument("out", metavar="OUT", help=OUT)
    seen.add_argument("names", nargs="*", metavar="FILE|STUDENT", help="which ones you have seen")
    seen.add_argument("--all", action="store_true", help="everything that needs you now")
    zipped = command(
        "gradescope",
        _gradescope,
        "make the zip file of a Gradescope autograder, for one chapter or several",
        "03 --out chapter03.zip --roster class.csv",
    )
    zipped.add_argument("chapters", nargs="+", metavar="NN", help="which chapters")
    zipped.add_argument("--out", required=True, metavar="FILE.zip", help="where to write it")
    zipped.add_argument("--roster", metavar="FILE.csv", help="the class list with SID and Email")
    zipped.add_argument("--demo", action="store_true", help="use the public demo secret")
    score = command(
        "score",
        _score,
        'suggest marks for a file of open answers: [{"id": ..., "answer": "..."}, ...]',
        "03.open answers.json",
    )
    score.add_argument("question", nargs="?", metavar="QUESTION", help="02.open, 03.open, ...")
    score.add_argument("answers", nargs="?", metavar="ANSWERS.json", help="the answers to score")
    score.add_argument(
        "--table",
        action="store_true",
        help=(
            "how well the scorer does on the marked answers kept with its tests, for one question "
            "or all"
        ),
    )
    score.add_argument("--json", action="store_true", help="with --table: as data")
    _may_ask_a_model(score)
    calibrate = command(
        "calibrate",
        _calibrate,
        "compare the scorer with your own marks; `grade` uses it alone only if all conditions "
        "are met (exit 0, else 3)",
        "03.open marks.csv --out OUT",
    )
    calibrate.add_argument("question", metavar="QUESTION", help="02.open, 03.open, ...")
    calibrate.add_argument(
        "marks",
        nargs="?",
        metavar="MARKS|OUT",
        help=(
            "a CSV or JSON file with id, answer, mark (0 to 4); or the OUT folder whose answers "
            "you have marked"
        ),
    )
    calibrate.add_argument(
        "--out", metavar="OUT", help="the class a file's calibration is kept for"
    )
    calibrate.add_argument(
        "--prune",
        action="store_true",
        help=(
            "for an author: take out of the exercise's rubric what decides nothing on the marked "
            "answers of the tests, down to 230 lines"
        ),
    )
    review = command(
        "review",
        _review,
        "mark the open answers: no names, similar answers together, one key a mark; stop and go on "
        "at any time",
        "OUT 03.open --marker Ada --share 1/2",
    )
    review.add_argument("out", metavar="OUT", help=OUT)
    review.add_argument(
        "question", nargs="?", metavar="QUESTION", help="03.open; without it: what waits"
    )
    review.add_argument(
        "--blind",
        action="store_true",
        help="keep the suggestion back until h is pressed: the fairest marks to calibrate with",
    )
    _may_ask_a_model(review)
    review.add_argument("--marker", default="", metavar="NAME", help="who marks, where several do")
    review.add_argument(
        "--share",
        default="1/1",
        metavar="K/N",
        help="only the K-th of N shares, for several who mark at once: 1/2",
    )
    review.add_argument(
        "--seed", type=int, default=0, help="draws the order of the groups and who is read twice"
    )
    due = command(
        "due",
        _due,
        "set when a chapter is due, or an extension for one student; without a chapter: show the "
        "dates and what lateness costs",
        "OUT 03 2026-11-30T23:59+01:00 --student s123",
    )
    due.add_argument("out", metavar="OUT", help=OUT)
    due.add_argument("chapter", nargs="?", metavar="NN", help=CHAPTER)
    due.add_argument(
        "when",
        nargs="?",
        metavar="WHEN",
        help=(
            "2026-11-30T23:59+01:00; without a zone it is in c.LatePenalty.zone, else UTC; none "
            "deletes the date"
        ),
    )
    due.add_argument("--student", metavar="ID", help="an extension for this student only")
    due.add_argument(
        "--list",
        metavar="FILE.csv",
        help="many at once: columns chapter and until, and student for an extension",
    )
    receive = command(
        "receive",
        _receive,
        "take in submissions without grading them: keep a copy and a receipt; late is decided by "
        "the class list's time, else by the receipt's",
        "submissions/ --out OUT",
    )
    receive.add_argument("submissions", metavar="DIR", help="a folder or zip file of submissions")
    receive.add_argument("--out", required=True, metavar="OUT", help=OUT)
    receive.add_argument("--roster", metavar="FILE.csv", help="the class list, as for grade")
    receive.add_argument(
        "--at", metavar="WHEN", help="when they came, if not now: 2026-11-30T23:59+01:00"
    )
    receive.add_argument(
        "--times",
        choices=("nbgrader",),
        help="nbgrader: timestamp.txt of a folder that `nbgrader collect` made says when each came",
    )
    regrade = command(
        "regrade",
        _regrade,
        "judge one question again after its test was mended: show who gains and who loses; --apply "
        "writes it",
        "03.2 OUT --apply",
    )
    regrade.add_argument(
        "question", metavar="QUESTION", help="03.2, or an open question after its rubric was mended"
    )
    regrade.add_argument("out", metavar="OUT", help=OUT)
    regrade.add_argument(
        "--apply", action="store_true", help="write the new marks; manual scores stay and count"
    )
    regrade.add_argument(
        "--workers", type=int, help="how many at a time, where answers have to run again"
    )
    command(
        "similar", _similar, "show which submissions share more than the exercise explains", "OUT"
    ).add_argument("out", metavar="OUT", help=OUT)
    gone = command(
        "forget",
        _forget,
        "show what is kept of one student; --apply deletes it, and that cannot be undone",
        "OUT s123 --apply",
    )
    gone.add_argument("out", metavar="OUT", help=OUT)
    gone.add_argument("student", metavar="STUDENT", help="the student's id")
    gone.add_argument("--apply", action="store_true", help="delete it")
    solution = command(
        "solution",
        _solution,
        "write the solved notebook of a chapter",
        "03 --out solved.ipynb",
    )
    solution.add_argument("chapter", metavar="NN", help=CHAPTER)
    solution.add_argument("--out", required=True, metavar="FILE.ipynb", help="where to write it")
    solution.add_argument(
        "--student", default="", metavar="ID", help="with the numbers of this student"
    )
    release = command(
        "release",
        _release,
        "make the package that a teacher hands out: no judges, no solutions, no secret",
        "02 03 --out package",
    )
    release.add_argument(
        "chapters", nargs="+", metavar="NN|myths", help="which chapters, or the myth court"
    )
    release.add_argument(
        "--out", default="package", metavar="DIR|FILE.zip", help="default: the folder package"
    )
    release.add_argument(
        "--demo",
        action="store_true",
        help="use the public demo key, where AUTOGRADER_SECRET is not set",
    )
    github = command(
        "github",
        _github,
        "make the template repository of a GitHub Classroom assignment",
        "03 --out template",
    )
    github.add_argument("chapters", nargs="+", metavar="NN", help="which chapters")
    github.add_argument("--out", required=True, metavar="DIR", help="a folder for the template")
    github.add_argument("--demo", action="store_true", help="use the public demo key")
    built = command("course", _course, "build chapters and their exercises", "03 --prose")
    built.add_argument("chapters", nargs="*", metavar="NN", help="which chapters (default: all)")
    built.add_argument(
        "--prose",
        action="store_true",
        help="only text changed: leave the sealed verdicts as they are",
    )
    minutes = command(
        "minutes",
        _minutes,
        "show how long the sittings of chapters take a learner",
        "03",
    )
    minutes.add_argument("chapters", nargs="*", metavar="NN", help="which chapters (default: all)")
    minutes.add_argument(
        "--write",
        action="store_true",
        help="write the minutes, exercises and points into notebooks/README.md and TEACHING.md",
    )
    book = command("book", _book, "run the chapters and make a static site of them", "--out book")
    book.add_argument(
        "chapters", nargs="*", metavar="NN|myths", help="which chapters (default: all)"
    )
    book.add_argument("--out", default="book", metavar="DIR", help="default: book")
    book.add_argument(
        "--answers", action="store_true", help="with the model answers, each one folded"
    )
    new = command(
        "new",
        _new,
        "begin an exercise: its file, with blanks to fill in",
        '03.9 "Count the replicas"',
    )
    new.add_argument("id", metavar="NN.k", help="03.9, or 03.open2 for an open question")
    new.add_argument("title", metavar="TITLE", help="a few words: its heading and its file's name")
    command(
        "exercise",
        _exercise,
        "check one exercise against all rules; each line says what to do",
        "03.9",
    ).add_argument("id", metavar="NN.k", help="03.9, or 03.open2 for an open question")
    command(
        "seal",
        _seal,
        "seal the public cases of chapters, or of one question, for check()",
        "03 04.2",
    ).add_argument("chapters", nargs="*", metavar="NN|NN.k", help="default: what is not sealed yet")
    classroom = command(
        "classroom",
        _classroom,
        "make a class of submissions, grade it, and show what a teacher sees",
        "--students 30 --chapters 02,03",
    )
    classroom.add_argument("--students", type=int, default=30, help="how many (default: 30)")
    classroom.add_argument(
        "--chapters", default="02,03", metavar="NN,NN", help="which chapters, or: all"
    )
    classroom.add_argument("--out", default="classroom", metavar="DIR", help="default: classroom")
    redteam = command(
        "redteam",
        _redteam,
        "run the hostile submissions in the sandbox and count what comes through",
        "secrets persist --level L2",
    )
    redteam.add_argument("families", nargs="*", metavar="FAMILY", help="only these (default: all)")
    redteam.add_argument(
        "--level",
        default="L3",
        choices=("L3", "L2", "L1", "all"),
        help="the best level to try, or all levels of this machine",
    )
    drawn = command(
        "variants",
        _variants,
        "test the students' own numbers: different for 10,000, solved for 1,000, of no use to a "
        "neighbour",
        "03 --students 100",
    )
    drawn.add_argument(
        "chapters", nargs="*", metavar="NN|NN.k", help="which chapters or questions (default: all)"
    )
    drawn.add_argument(
        "--students",
        type=int,
        default=1_000,
        help="how many of the 10,000 are solved and compared (default: 1000)",
    )
    command(
        "mutations",
        _mutations,
        "change each right answer in one place at a time, grade it, and list what gets all points",
        "03 05.3",
    ).add_argument(
        "chapters", nargs="*", metavar="NN|NN.k", help="which chapters or questions (default: all)"
    )
    drive = command(
        "browser",
        _browser,
        "run chapters in JupyterLab in a real Chromium and take pictures of every page",
        "02 03",
    )
    drive.add_argument("chapters", nargs="*", metavar="NN", help="which chapters (default: all)")
    drive.add_argument(
        "--tour", action="store_true", help="make the pictures of notebooks/TOUR.md, and no others"
    )
    command(
        "doctor", _doctor, "show which sandbox this machine has, and what would make it better", ""
    )
    whole = find_spec("autograder.course") is not None  # a learner's package has no teacher's rooms
    group_commands(commands, {name: GROUPS[name] for name in GROUPS if whole or name == "learners"})
    return parser


def _write_json(where: str, found) -> None:
    """(name, result) pairs as one JSON object, piece by piece:
    a class of ten thousand is not put together in memory."""
    from autograder.gradebook.files import write_atomically
    from autograder.grading.results import as_json

    pieces = itertools.chain(as_json(found), "\n")
    if where == "-":
        try:
            sys.stdout.writelines(pieces)
            sys.stdout.flush()
        except BrokenPipeError:
            # `... | head` has read enough; what was graded has its exit code all the same
            unread(sys.stdout)
    elif os.path.exists(where) and not os.path.isfile(where):
        # /dev/stdout, a pipe: written to, for a file in its place would be nobody's
        with open(where, "w", encoding="utf-8") as stream:
            stream.writelines(pieces)
    else:
        write_atomically(Path(os.path.realpath(where)), pieces, mode=0o644)


def _must_be_a_folder(out: str | None, submissions: Path) -> None:
    if out is not None and os.path.lexists(out) and not os.path.isdir(out):
        raise Unusable(f"{out} is no folder; name one with --out, or one that is not there yet.")
    if out is not None and os.path.realpath(out) == os.path.realpath(submissions):
        raise Unusable(
            f"{out} holds the submissions. Name another folder for the results, or the next run "
            "would take them for submissions."
        )


def script() -> int:
    """The command `autograder`, which a signal ends as Ctrl-C does."""
    end_as_by_ctrl_c()
    return main()


if __name__ == "__main__":
    sys.exit(script())
