"""The commands of a teacher: a class is taken in, graded, read and reported."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import sys
import traceback
from pathlib import Path

from autograder.cell.commands import (
    ATTENTION,
    CHAPTER,
    FAILED,
    OK,
    OUT,
    Unusable,
    argument,
    as_command,
)
from autograder.cell.terminal import said_by_sqlite, say, sentence_of, some_of, unread

MODEL = (
    argument(
        "--model",
        metavar="ADDRESS",
        help=(
            "let a model of yours suggest the marks, at an address that speaks as OpenAI's does, "
            "http://127.0.0.1:11434/v1: the answers' texts go there, without names and ids"
        ),
    ),
    argument(
        "--model-name",
        default="",
        metavar="NAME",
        help="which model, where the address has several",
    ),
)
"""The arguments of a command that may ask a model of the teacher's."""


@as_command(
    "grade",
    "grade a folder of submissions (folders, .ipynb, .zip), or one file",
    "submissions/ --out OUT --roster class.csv",
    argument(
        "submissions", metavar="DIR|FILE", help="a folder or zip file of a class, or one submission"
    ),
    argument("--out", metavar="OUT", help="where the gradebook, the notebooks and the receipts go"),
    argument("--assignment", metavar="NN", help="only this chapter"),
    argument(
        "--roster",
        metavar="FILE.csv",
        help="the class list: a column student or id, and name, email, file; or what Moodle, "
        "Canvas, Gradescope or GitHub Classroom export. OUT keeps it",
    ),
    argument(
        "--student",
        action="append",
        default=[],
        metavar="ID",
        help="who handed this one file in: a notebook that names somebody else is refused. "
        "Give it again for another spelling, or for a group",
    ),
    argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help="the results as JSON, in this file or in the terminal",
    ),
    argument("--workers", type=int, help="how many at a time (default: one for each core)"),
    argument("--force", action="store_true", help="grade again what was graded before"),
    argument(
        "--allow-unsafe",
        action="store_true",
        help="grade a class below sandbox level L2, for answers you trust",
    ),
)
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
            f"Not on the class list: {some_of(strangers, most)}. The report says what to do."
        )
    nameless = [
        name for name, result in found.items() if result["cells"] and not result.get("variant")
    ]
    if len(nameless) > 1:
        lines.append(
            f'{len(nameless)} notebooks have no name, me("") in the first cell. They all had the '
            "same numbers, and one could be copied "
            f"from another: {some_of(nameless, 3)}."
        )
    return lines


def _class_list(named: str | None):
    """(the class list that was named, the files that are therefore no submission)."""
    from autograder.handed_in.classlist import Roster, read_roster

    if not named:
        return Roster(), ()
    roster = read_roster(Path(named))
    if roster.dropped:
        shown = some_of(roster.dropped, 5, "; ")
        say(f"{Path(named).name}: {len(roster.rows)} students; left out: {shown}.")
    return roster, (Path(named),)


@as_command(
    "report",
    "show the class, the questions, and what each wrong answer means",
    "OUT --page",
    argument("out", metavar="OUT", help=OUT),
    argument("--page", action="store_true", help="write OUT/report/index.html, with pictures"),
)
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


@as_command(
    "solution",
    "write the solved notebook of a chapter",
    "03 --out solved.ipynb",
    argument("chapter", metavar="NN", help=CHAPTER),
    argument("--out", required=True, metavar="FILE.ipynb", help="where to write it"),
    argument("--student", default="", metavar="ID", help="with the numbers of this student"),
)
def _solution(wanted) -> None:
    from autograder.cell.course_folder import chapter_number
    from autograder.course.references import write_solution

    write_solution(chapter_number(wanted.chapter), Path(wanted.out), wanted.student)
    numbers = f", with the numbers of {wanted.student}" if wanted.student else ""
    print(
        f"The solved notebook of chapter {chapter_number(wanted.chapter)} is in {wanted.out}"
        f"{numbers}. It is for teachers."
    )


@as_command(
    "score",
    'suggest marks for a file of open answers: [{"id": ..., "answer": "..."}, ...]',
    "03.open answers.json",
    argument("question", nargs="?", metavar="QUESTION", help="02.open, 03.open, ..."),
    argument("answers", nargs="?", metavar="ANSWERS.json", help="the answers to score"),
    argument(
        "--table",
        action="store_true",
        help="how well the scorer does on the marked answers kept with its tests, for one question "
        "or all",
    ),
    argument("--json", action="store_true", help="with --table: as data"),
    *MODEL,
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


@as_command(
    "calibrate",
    "compare the scorer with your own marks; `grade` uses it alone only if all conditions "
    "are met (exit 0, else 3)",
    "03.open marks.csv --out OUT",
    argument("question", metavar="QUESTION", help="02.open, 03.open, ..."),
    argument(
        "marks",
        nargs="?",
        metavar="MARKS|OUT",
        help="a CSV or JSON file with id, answer, mark (0 to 4); or the OUT folder whose answers "
        "you have marked",
    ),
    argument("--out", metavar="OUT", help="the class a file's calibration is kept for"),
    argument(
        "--prune",
        action="store_true",
        help="for an author: take out of the exercise's rubric what decides nothing on the marked "
        "answers of the tests, down to 230 lines",
    ),
)
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


@as_command(
    "review",
    "mark the open answers: no names, similar answers together, one key a mark; stop and go on "
    "at any time",
    "OUT 03.open --marker Ada --share 1/2",
    argument("out", metavar="OUT", help=OUT),
    argument("question", nargs="?", metavar="QUESTION", help="03.open; without it: what waits"),
    argument(
        "--page",
        action="store_true",
        help="mark in a browser, several at once: a web page for this machine only, until Ctrl-C",
    ),
    argument(
        "--blind",
        action="store_true",
        help="keep the suggestion back until h is pressed: the fairest marks to calibrate with",
    ),
    *MODEL,
    argument("--marker", default="", metavar="NAME", help="who marks, where several do"),
    argument(
        "--share",
        default="1/1",
        metavar="K/N",
        help="only the K-th of N shares, for several who mark at once: 1/2",
    ),
    argument(
        "--seed", type=int, default=0, help="draws the order of the groups and who is read twice"
    ),
)
def _review(wanted) -> None:
    from autograder.gradebook.late import settle_penalties

    asked = Path(wanted.out), wanted.question
    settings = {
        "seed": wanted.seed,
        "marker": wanted.marker,
        "blind": wanted.blind,
        "share": _share(wanted.share),
    }
    try:
        if wanted.page:
            from autograder.written.marking_page import serve_page

            if wanted.model:
                raise Unusable("--model suggests in the terminal only; leave out --page.")
            serve_page(*asked, _say_address, **settings)
        else:
            from autograder.written.screens import in_terminal

            in_terminal(*asked, model=_model(wanted), **settings)
    finally:
        # a penalty is a share of the points, which have changed
        if (Path(wanted.out) / "gradebook.db").is_file():
            settle_penalties(Path(wanted.out), say)


def _say_address(address: str) -> None:
    print(
        f"Open this address in a browser; Ctrl-C ends the page, and every mark is kept:\n{address}",
        flush=True,
    )


def _share(text: str) -> tuple[int, int]:
    """ "2/3" is the second of three shares; ValueError, with a sentence, for what is none."""
    mine, _, of = text.partition("/")
    if not (mine.isdigit() and of.isdigit() and 1 <= int(mine) <= int(of)):
        raise Unusable(f"--share is written like 1/2, the first of two shares, not {text!r}.")
    return int(mine), int(of)


@as_command(
    "due",
    "set when a chapter is due, or an extension for one student; without a chapter: show the "
    "dates and what lateness costs",
    "OUT 03 2026-11-30T23:59+01:00 --student s123",
    argument("out", metavar="OUT", help=OUT),
    argument("chapter", nargs="?", metavar="NN", help=CHAPTER),
    argument(
        "when",
        nargs="?",
        metavar="WHEN",
        help="2026-11-30T23:59+01:00; without a zone it is in c.LatePenalty.zone, else UTC; none "
        "deletes the date",
    ),
    argument("--student", metavar="ID", help="an extension for this student only"),
    argument(
        "--list",
        metavar="FILE.csv",
        help="many at once: columns chapter and until, and student for an extension",
    ),
)
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


@as_command(
    "receive",
    "take in submissions without grading them: keep a copy and a receipt; late is decided by "
    "the class list's time, else by the receipt's",
    "submissions/ --out OUT",
    argument("submissions", metavar="DIR", help="a folder or zip file of submissions"),
    argument("--out", required=True, metavar="OUT", help=OUT),
    argument("--roster", metavar="FILE.csv", help="the class list, as for grade"),
    argument("--at", metavar="WHEN", help="when they came, if not now: 2026-11-30T23:59+01:00"),
    argument(
        "--times",
        choices=("nbgrader",),
        help="nbgrader: timestamp.txt of a folder that `nbgrader collect` made says when each came",
    ),
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
        return some_of(people, most)

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


@as_command(
    "regrade",
    "judge one question again after its test was mended: show who gains and who loses; --apply "
    "writes it",
    "03.2 OUT --apply",
    argument(
        "question", metavar="QUESTION", help="03.2, or an open question after its rubric was mended"
    ),
    argument("out", metavar="OUT", help=OUT),
    argument(
        "--apply", action="store_true", help="write the new marks; manual scores stay and count"
    ),
    argument("--workers", type=int, help="how many at a time, where answers have to run again"),
)
def _regrade(wanted) -> None:
    from autograder.teacher.regrade import as_text, regrade

    done = regrade(wanted.question, Path(wanted.out), wanted.apply, wanted.workers, say=say)
    print(as_text(done, wanted.apply, Path(wanted.out)))


@as_command(
    "export",
    "export the marks of an OUT folder for other systems; manual scores count first",
    "OUT --as canvas --file marks.csv",
    argument("out", metavar="OUT", help=OUT),
    argument(
        "--as",
        dest="layout",
        default="csv",
        metavar="LAYOUT",
        help="csv, json, canvas, moodle, gradescope, totals for the whole course, or worksheet",
    ),
    argument("--file", metavar="FILE", help="where to write it (default: the terminal)"),
    argument(
        "--scale",
        type=float,
        metavar="POINTS",
        help="for canvas, moodle and totals: what each chapter is worth there, such as 100",
    ),
    argument(
        "--weights",
        metavar="NN=N,NN=N",
        help="for totals: what each chapter is worth in the course, 02=10,03=15",
    ),
    argument(
        "--sheet", metavar="FILE.csv", help="for worksheet: the grading worksheet from Moodle"
    ),
    argument(
        "--chapter", metavar="NN", help="for worksheet: whose marks, where OUT has several chapters"
    ),
)
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


@as_command(
    "letters",
    "list whom to write to, why, and what to say",
    "OUT",
    argument("out", metavar="OUT", help=OUT),
    argument("--file", metavar="FILE.csv", help="write a table for a mail merge"),
)
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


@as_command(
    "feedback",
    "write a page for each student: marks, sentences, their own words; no scripts",
    "OUT --moodle feedback.zip",
    argument("out", metavar="OUT", help=OUT),
    argument(
        "--moodle",
        metavar="FILE.zip",
        help="pack the pages for upload to Moodle: in the folders of its download",
    ),
    argument(
        "--nbgrader",
        metavar="COURSE",
        help="lay the pages for `nbgrader release_feedback`: into the folder in which `nbgrader"
        " collect` has made submitted/",
    ),
)
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
            say(f"Not in it, for they came in no folder of Moodle's: {some_of(unknown, 20)}.")

    if wanted.nbgrader:
        from autograder.teacher.nbgrader_feedback import write_nbgrader_feedback

        laid, unknown = write_nbgrader_feedback(Path(wanted.out), Path(wanted.nbgrader))
        print(
            f"{laid} of them are in {Path(wanted.nbgrader) / 'feedback'}; type in"
            f" {wanted.nbgrader}: nbgrader release_feedback ASSIGNMENT"
        )
        if unknown:
            say(f"Not in it, for the exchange did not bring them: {some_of(unknown, 20, '; ')}.")


@as_command(
    "seen",
    "mark submissions that needed you as seen; they are not new again",
    "OUT --all",
    argument("out", metavar="OUT", help=OUT),
    argument("names", nargs="*", metavar="FILE|STUDENT", help="which ones you have seen"),
    argument("--all", action="store_true", help="everything that needs you now"),
)
def _seen(wanted) -> None:
    from autograder.grade import needs_attention
    from autograder.teacher.seen import mark_seen

    if bool(wanted.names) == wanted.all:
        raise Unusable("Name the files or students that you have seen, or give --all.")
    marked = mark_seen(Path(wanted.out), needs_attention, wanted.names)
    print(f"{len(marked)} {'is' if len(marked) == 1 else 'are'} marked as seen.")


@as_command(
    "gradescope",
    "make the zip file of a Gradescope autograder, for one chapter or several",
    "03 --out chapter03.zip --roster class.csv",
    argument("chapters", nargs="+", metavar="NN", help="which chapters"),
    argument("--out", required=True, metavar="FILE.zip", help="where to write it"),
    argument("--roster", metavar="FILE.csv", help="the class list with SID and Email"),
    argument("--demo", action="store_true", help="use the public demo secret"),
)
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


@as_command(
    "similar",
    "show which submissions share more than the exercise explains",
    "OUT",
    argument("out", metavar="OUT", help=OUT),
)
def _similar(wanted) -> None:
    from autograder.teacher.similarity import as_text, model_answers, similar

    print(as_text(similar(Path(wanted.out))))
    for question, students in model_answers(Path(wanted.out)).items():
        print(f"The model answer of {question}, word for word: {', '.join(students)}.")


@as_command(
    "forget",
    "show what is kept of one student; --apply deletes it, and that cannot be undone",
    "OUT s123 --apply",
    argument("out", metavar="OUT", help=OUT),
    argument("student", metavar="STUDENT", help="the student's id"),
    argument("--apply", action="store_true", help="delete it"),
)
def _forget(wanted) -> None:
    from autograder.teacher.forget import forget

    print(forget(Path(wanted.out), wanted.student, wanted.apply))


@as_command(
    "release",
    "make the package that a teacher hands out: no judges, no solutions, no secret",
    "02 03 --out package",
    argument("chapters", nargs="+", metavar="NN|myths", help="which chapters, or the myth court"),
    argument(
        "--out", default="package", metavar="DIR|FILE.zip", help="default: the folder package"
    ),
    argument(
        "--demo",
        action="store_true",
        help="use the public demo key, where AUTOGRADER_SECRET is not set",
    ),
)
def _release(wanted) -> None:
    from autograder.course.release import release

    chapters, key = _to_hand_out(wanted.chapters, wanted.demo)
    package = release(chapters, Path(wanted.out))
    print(f"The package for learners is {package}: no judges, no solutions, no secret.{key}")


@as_command(
    "github",
    "make the template repository of a GitHub Classroom assignment",
    "03 --out template",
    argument("chapters", nargs="+", metavar="NN", help="which chapters"),
    argument("--out", required=True, metavar="DIR", help="a folder for the template"),
    argument("--demo", action="store_true", help="use the public demo key"),
)
def _github(wanted) -> None:
    from autograder.teacher.github_template import write_template

    chapters, key = _to_hand_out(wanted.chapters, wanted.demo)
    template = write_template(chapters, Path(wanted.out))
    print(
        f"{template} is the template: push it as a repository of your own, and name that in the"
        f" assignment. No judges, no solutions, no secret are in it.{key}"
    )


@as_command(
    "hub",
    "write the settings of a JupyterHub: for the hub, for nbgrader, for the instructor",
    "--out hub --teacher ada --results OUT",
    argument("--out", required=True, metavar="DIR", help="a folder for the settings"),
    argument("--teacher", required=True, metavar="NAME", help="the instructor's account"),
    argument("--results", required=True, metavar="OUT", help=OUT),
    argument("--course", default="kafka", metavar="NAME", help="the pulled folder in each home"),
    argument(
        "--exchange",
        default="/srv/nbgrader/exchange",
        metavar="DIR",
        help="the folder of nbgrader's exchange",
    ),
)
def _hub(wanted) -> None:
    from autograder.teacher.hub import write_hub

    out, results = Path(wanted.out), Path(wanted.results)
    print(write_hub(out, wanted.course, wanted.teacher, wanted.exchange, results))


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


@as_command(
    "doctor",
    "show which sandbox this machine has, and what is missing for a week of a class",
    "OUT --roster class.csv --copy COPY --package week03 --exchange /srv/nbgrader/exchange",
    argument(
        "out", nargs="?", metavar="OUT", help=f"{OUT}: look at it too, and at the secret and homes"
    ),
    argument("--roster", metavar="FILE.csv", help="look at a class list before it is taken in"),
    argument(
        "--copy", metavar="COPY", help="look at this copy of OUT: whole, new, on another disk"
    ),
    argument("--package", metavar="DIR", help="look at this package for students"),
    argument("--exchange", metavar="DIR", help="look at the folder of nbgrader's exchange"),
)
def _doctor(wanted) -> int:
    from autograder.teacher.doctor import doctor

    named = {
        name: Path(path)
        for name in ("roster", "copy", "package", "exchange")
        if (path := getattr(wanted, name))
    }
    if named and not wanted.out:
        raise Unusable(
            f"--{next(iter(named))} goes with an OUT: doctor OUT --{next(iter(named))} ..."
        )
    found = doctor(Path(wanted.out) if wanted.out else None, **named)
    print(found)
    return OK if found.sound else ATTENTION if found.official else FAILED


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
