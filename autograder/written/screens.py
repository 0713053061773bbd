"""Shows the review queue on two screens: a terminal and a cell of JupyterLab.

In the terminal one key is a mark, in the cell a key and Enter.

Both show the answer with the rubric's evidence marked in it, the suggestion idea by idea, and how
far one is. No name is shown.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from shlex import quote

from autograder.written.answers import title_of
from autograder.written.html_pages import pages_in
from autograder.written.queue import HIGHEST, MarkedByAnother, Queue, QueueItem, waiting

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SIGNS = {"present": "+", "missing": "-", "contradicted": "!", "wrong": "!"}
KEYS = (
    ("0-4", "the mark"),
    ("n", "next"),
    ("p", "back"),
    ("s", "another day"),
    ("u", "undo"),
    ("c", "comment"),
    ("h", "suggestion"),
    ("w", "the question"),
    ("q", "stop"),
)
DECISIONS = {
    "accept": "The scorer calls it a clear pass.",
    "reject": "The scorer calls it a clear fail.",
    "review": "The scorer is not sure.",
}
MODEL_ANSWER = "This is the course's model answer, word for word."
BOLD, PLAIN = "\x1b[1;4m", "\x1b[0m"
WIDEST = 100
PAGES = pages_in(Path(__file__).parent / "pages")


def in_terminal(
    out: Path,
    question: str | None,
    read_key: Callable[[], str] | None = None,
    write: Callable[[str], object] | None = None,
    **settings,
) -> int:
    """Review until `q` or the end; returns how many looks are left.
    `read_key` gives one key (or a line of them) at a time."""
    write = write or sys.stdout.write
    if question is None:
        write(listed(out))
        return 0
    live = read_key is None and sys.stdin.isatty() and sys.stdout.isatty()
    read_key = read_key or (_one_key if live else _one_line)
    with Queue(out, question, **settings) as queue:
        said = beside(queue)
        while queue.current is not None:
            write(
                ("\x1b[2J\x1b[H" if live else "\n")
                + screen(queue, coloured=live)
                + (f"\n{said}" if said else "")
                + "\n> "
            )
            sys.stdout.flush()
            key = read_key()
            if key in ("q", "", "\x03", "\x04"):
                break
            said = act(queue, key, (lambda prompt: _asked(prompt, write)) if live else None)
        left = queue.left
        write("\n" + farewell(queue) + "\n")
        return sum(left[kind] for kind in ("first", "second", "decide", "check"))


def queue(out: str | Path, question: str | None = None, **settings) -> None:
    """Review in a notebook's cell; `settings` are those of Queue.
    Without a question, lists what waits."""
    in_notebook(Path(out), question, **settings)


def in_notebook(
    out: Path, question: str | None, ask: Callable[[str], str] = input, **settings
) -> None:
    """Review in a cell: the page changes in place, the answer goes into the field under it."""
    from IPython.display import HTML, display, update_display

    if question is None:
        print(listed(out), end="")
        return
    with Queue(out, question, **settings) as queue:
        said, place = beside(queue), f"review {id(queue)}"
        display(HTML(""), display_id=place)
        keys = ", ".join(f"{key} {what}" for key, what in KEYS)
        while queue.current is not None:
            update_display(HTML(answer_page(queue, said)), display_id=place)
            try:
                key = ask(f"{keys}: ")
            except (KeyboardInterrupt, EOFError):
                break
            if key.strip() in ("q", ""):
                break
            said = act(queue, key.strip(), ask)
        update_display(
            HTML(PAGES.get_template("farewell.html").render(text=farewell(queue))), display_id=place
        )


def beside(queue: Queue) -> str:
    """Who else marks this question now; "" for nobody."""
    if not queue.others:
        return ""
    names = " and ".join(marker or "somebody without a name" for marker in queue.others)
    return (
        f"{names} {'are' if len(queue.others) > 1 else 'is'} marking this question too. Nobody is"
        " shown the answer on another's screen."
    )


def act(queue: Queue, key: str, ask: Callable[[str], str] | None = None) -> str:
    """Do what a key says; returns what to tell. A comment may follow its key on the same line:
    `c Well said.`"""
    try:
        return _act(queue, key, ask)
    except MarkedByAnother as told:
        return str(told)


def _act(queue: Queue, key: str, ask: Callable[[str], str] | None) -> str:
    if key.isdecimal() and len(key) == 1 and int(key) <= HIGHEST:
        kind = queue.current.kind
        done = queue.mark(int(key))
        more = f" and {len(done) - 1} of the same words" if len(done) > 1 else ""
        return (
            f"{key} of {HIGHEST}{more}."
            if kind != "second"
            else "Kept for comparison; the first mark stands."
        )
    if key == "n":
        queue.next()
        return "It comes again when the others are done."
    if key == "s":
        queue.skip()
        return "Left for another day."
    if key == "p":
        queue.previous()
        return ""
    if key == "u":
        return "Taken back." if queue.undo() else "There is nothing to take back."
    if key == "h":
        queue.shown = not queue.shown
        return ""
    if key == "w":
        return _clean(title_of(queue.question)) or "The question is in the notebook of its chapter."
    if key[:1] == "c":
        return _comment(queue, key[1:].strip(), ask)
    return "Keys: " + ", ".join(f"{key} {what}" for key, what in KEYS) + "."


def screen(queue: Queue, coloured: bool = False) -> str:
    """The current answer as text."""
    item = queue.current
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 40)).columns)
    parts = [
        headline(queue),
        "-" * width,
        *_wrapped(_marked(item, queue.shown, coloured), width),
        "-" * width,
    ]
    if item.kind == "decide":
        parts.append(f"Marked twice: {item.marks[0]}, later {item.marks[1]}. Which one is it?")
    parts += suggestion_lines(item, queue.shown, width)
    for note in notes_on(item):
        parts += _wrapped(note, width)
    parts.append("  ".join(f"{key} {what}" for key, what in KEYS))
    return "\n".join(parts)


def headline(queue: Queue) -> str:
    """Where one is: `03.open, 12 of 48 marked, group 3 of 9: 5 answers alike`."""
    item, left = queue.current, queue.left
    kinds = {
        "first": "",
        "second": ", a second look, blind",
        "decide": ", two marks that differ",
        "check": ", a settled one, looked at blind",
    }
    alike = f": {item.alike} answers alike" if item.alike > 1 else ""
    if item.kind == "first" and queue.same_words:
        alike += f", one mark for this and {queue.same_words} of the same words"
    again = (
        f", {left['second'] + left['decide'] + left['check']} to look at twice"
        if left["second"] + left["decide"] + left["check"]
        else ""
    )
    return (
        f"{queue.question}, {left['done']} of {left['all']} marked{again}, group {item.group} of "
        f"{item.of}{alike}{kinds[item.kind]}"
    )


def notes_on(item: QueueItem) -> list[str]:
    """What else is known of an answer."""
    notes = [MODEL_ANSWER] if item.answer.is_model_answer else []
    if item.answer.comment:
        notes.append(f"Your comment: {_clean(item.answer.comment)}")
    if item.answer.manual is not None and item.kind == "first":
        notes.append(f"Its mark so far: {item.answer.manual:g} of {item.answer.max:g} points.")
    return notes


def suggestion_lines(item: QueueItem, shown: bool, width: int = WIDEST) -> list[str]:
    """The suggestion, idea by idea; one line that says so where there is none,
    or where it is kept back."""
    lines = [line for text in suggestion_heading(item, shown) for line in _wrapped(text, width)]
    for sign, sentence in suggested_ideas(item, shown):
        lines += _wrapped(f"  {sign} {sentence}", width, "    ")
    return lines


def suggestion_heading(item: QueueItem, shown: bool) -> list[str]:
    """What the suggestion says of the whole answer, or why there is none in sight."""
    suggestion = item.answer.suggestion
    if item.kind in ("second", "check"):
        return ["Without a suggestion: this look is a blind one."]
    if not suggestion:
        return ["There is no rubric for this question, so no suggestion."]
    if not shown:
        return ["The suggestion is kept back; h shows it."]
    said = f"{_clean(suggestion['sentence'])} {DECISIONS[suggestion['decision']]}"
    unsought = len(_sought(item)) < len(suggestion["concepts"])
    return [said, *(["  The wanted ideas were not searched for."] if unsought else [])]


def suggested_ideas(item: QueueItem, shown: bool) -> list[tuple[str, str]]:
    """(sign, sentence) of each idea of the rubric that was searched for; none on a blind look, or
    where the suggestion is kept back."""
    if not shown or item.kind not in ("first", "decide"):
        return []
    return [(SIGNS.get(idea["status"], "?"), _clean(idea["sentence"])) for idea in _sought(item)]


def _sought(item: QueueItem) -> list[Mapping]:
    return [
        idea for idea in item.answer.suggestion.get("concepts", ()) if idea["status"] != "unsought"
    ]


def answer_page(queue: Queue, said: str = "") -> str:
    """The current answer as a piece of HTML, in which nothing of the student's is active."""
    item = queue.current
    notes = notes_on(item)
    return PAGES.get_template("answer.html").render(
        headline=headline(queue),
        pieces=answer_pieces(item, queue.shown),
        two_marks=item.marks if item.kind == "decide" else (),
        ideas=suggestion_lines(item, queue.shown, 10_000),
        notes=[*notes, said] if said else notes,
    )


def farewell(queue: Queue) -> str:
    """What was done, what is left, and how well the looks agree."""
    left = queue.left
    lines = [
        f"{queue.question}: {left['done']} of {left['all']} answers have a mark; {left['first']}"
        f"{queue.of_share} {'is' if left['first'] == 1 else 'are'} left"
        + (
            f", and {left['second'] + left['decide'] + left['check']} second looks."
            if left["second"] + left["decide"] + left["check"]
            else "."
        )
    ]
    if queue.current is None and queue.others:
        lines.append(
            f"{len(queue.others)} {'are' if len(queue.others) > 1 else 'is'} on somebody else's"
            " screen."
        )
    found = queue.agreement()
    for who, words in (
        ("you", "Marked twice, blind"),
        ("scorer", "Settled by the scorer and marked by you, blind"),
    ):
        if found[who]["pairs"]:
            kappa = (
                ""
                if found[who]["kappa"] is None
                else f", agreement beyond chance {found[who]['kappa']:.2f}"
            )
            lines.append(
                f"{words}: {found[who]['pairs']}; {found[who]['equal']} with the same mark, "
                f"{found[who]['near']} within one{kappa}."
            )
    lines.append("Everything is in the gradebook; the same command goes on from here.")
    return "\n".join(lines)


def listed(out: Path) -> str:
    """The open questions of a class and how many of their answers wait."""
    rows = waiting(out)
    if not rows:
        return "Nobody has written an open answer here.\n"
    return "".join(
        (
            f"{question}: {wait} of {all_} answers wait; python -m autograder review "
            f"{quote(str(out))} {question}\n"
        )
        for question, all_, wait in rows
    )


def _comment(queue: Queue, text: str, ask: Callable[[str], str] | None) -> str:
    bank = queue.bank()
    if not text and ask is not None:
        numbered = "".join(f"\n  {number} {comment}" for number, comment in enumerate(bank, 1))
        text = ask(
            f"{numbered}\nA number, or a comment its writer will read: "
            if bank
            else "A comment its writer will read: "
        ).strip()
    if text.isdecimal() and 1 <= int(text) <= len(bank):
        text = bank[int(text) - 1]
    if not text:
        return "No comment was written."
    queue.comment(text)
    return (
        "The comment is kept; its mark is still to be given."
        if queue.current.answer.waits
        else "The comment is kept."
    )


def answer_pieces(item: QueueItem, shown: bool) -> list[tuple[str, str]]:
    """The answer cut where evidence begins and ends: (piece, the numbers of the ideas it speaks
    for, "" for none)."""
    text = _clean(item.answer.text)
    hits: list[list[int]] = [[] for _ in text]
    for number, idea in enumerate(_sought(item) if suggested_ideas(item, shown) else (), 1):
        for place in {
            place
            for span in idea["evidence"]
            for place in range(max(0, span["start"]), min(span["end"], len(text)))
        }:
            hits[place].append(number)
    return [
        ("".join(letter for letter, _ in run), " ".join(map(str, numbers)))
        for numbers, run in itertools.groupby(zip(text, hits), lambda each: each[1])
    ]


def _marked(item: QueueItem, shown: bool, coloured: bool) -> str:
    if not coloured:
        return _clean(item.answer.text)
    return "".join(
        BOLD + piece.replace("\n", PLAIN + "\n" + BOLD) + PLAIN if hit else piece
        for piece, hit in answer_pieces(item, shown)
    )


def _clean(text: str) -> str:
    """A student's text without characters that move a terminal's cursor;
    as long as it was, so that evidence stays in place."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Lines no wider than `width` columns; Chinese characters take two,
    and a line may break between any two of them. A mark for the terminal takes none."""
    lines = []
    for line in text.split("\n"):
        if "\x1b" in line or any(map(_is_wide, line)):
            lines += _wrapped_wide(line, width, indent)
        else:
            lines += textwrap.wrap(
                line, width, subsequent_indent=indent, replace_whitespace=False
            ) or [""]
    return lines


def _wrapped_wide(line: str, width: int, indent: str) -> list[str]:
    rows, row, columns = [], "", 0
    for piece in re.findall(r"\x1b\[[0-9;]*m|\s+|[^\s\x1b\u2e80-\U0003ffff]{1,20}|.", line):
        wide = _columns(piece)
        if columns + wide > width and row.strip():
            rows.append(row.rstrip())
            piece = piece.lstrip()
            row, columns, wide = indent, len(indent), _columns(piece)
        row, columns = row + piece, columns + wide
    return [*rows, row.rstrip()]


def _columns(piece: str) -> int:
    return 0 if piece.startswith("\x1b") else sum(2 if _is_wide(letter) else 1 for letter in piece)


def _is_wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF"


def _one_key() -> str:
    """One key, without Enter."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        return _one_line()
    entry = sys.stdin.fileno()
    before = termios.tcgetattr(entry)
    try:
        # drops what was typed before this answer was shown: it was meant for another
        tty.setcbreak(entry)
        return os.read(entry, 8).decode("utf-8", "replace")[:1]  # an arrow's key is several
    finally:
        termios.tcsetattr(entry, termios.TCSADRAIN, before)


def _one_line() -> str:
    """A line: a key, or `c` with a comment behind it; "" at the end."""
    for line in sys.stdin:
        if line.strip():
            return line.strip()
    return ""


def _asked(prompt: str, write) -> str:
    write(prompt)
    sys.stdout.flush()
    return sys.stdin.readline()
