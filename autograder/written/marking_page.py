"""Serves the review queue as a local web page, on which one or several people mark in a browser.

    python -m autograder review OUT --page

Each marker has a queue of their own (queue.py) with the log that all queues of OUT share, so a
page and a terminal may mark side by side. The server answers a key when its mark is on the disk.
It listens on 127.0.0.1 only, asks for the token of its address, and refuses other hosts' names. A
page is complete without scripts; the script in it presses a button for a key. No student's name and
nothing active of an answer is on it.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, Finish, HTTPError, RequestHandler

from autograder.cell.terminal import said_by_sqlite, sentence_of
from autograder.course.references import references
from autograder.written.answers import title_of
from autograder.written.html_pages import CONTROL
from autograder.written.queue import HIGHEST, MarkedByAnother, Queue, waiting
from autograder.written.screens import (
    KEYS,
    PAGES,
    act,
    answer_pieces,
    beside,
    farewell,
    headline,
    notes_on,
    suggested_ideas,
    suggestion_heading,
)

START = "Mark open answers"
HOSTS = ("127.0.0.1", "localhost")
LONGEST_NAME, LONGEST_COMMENT, LONGEST_REQUEST = 40, 2_000, 64_000
STALE = (
    "That key was for an answer that is no longer on this page. It was not used; here is what is"
    " open now."
)
GRADED = "The class was graded again, so this page begins again. A key from before was not used."
NOT_HERE = "This page answers to 127.0.0.1 and localhost only."
NO_TOKEN = "Take the whole address that `review --page` has printed; a new start has a new one."
UNREADABLE = "This request could not be read. Nothing was written."
FAILED_HERE = "Something failed here, and the terminal says what. What was marked before is kept."
UNUSABLE = (LookupError, OSError, ValueError)
POLICY = (
    "default-src 'none'; style-src 'nonce-{0}'; script-src 'nonce-{0}'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
BUTTONS = [(key, what) for key, what in KEYS if key not in ("0-4", "c", "w")]


@dataclass
class Seat:
    """One marker at one question. `step` counts what the page has sent; `graded` is which results
    the queue has read."""

    queue: Queue
    graded: tuple[int, ...]
    step: int = 0
    said: str = ""

    @property
    def comment(self) -> str:
        """The comment of the open answer, as its field on the page holds it."""
        return _one_line(self.queue.current.answer.comment) if self.queue.current else ""

    def press(self, key: str, comment: str) -> str:
        """Write a comment that has changed, then do what the key says; returns what to tell."""
        queue, comment = self.queue, _one_line(comment)
        new = queue.current is not None and key != "u" and comment != self.comment
        said = ""
        try:
            if new:
                queue.comment(comment)
                said, new = "The comment is kept. ", False
            if key == "g":
                queue.go_on()
            elif key == "q":
                queue.rest()
            elif key in ("u", "p") or (key != "c" and queue.current is not None):
                said += act(queue, key)
        except MarkedByAnother as told:
            said += str(told)
        except Exception as failed:
            broken = said_by_sqlite(failed)
            if broken is None and not isinstance(failed, UNUSABLE):
                traceback.print_exc()  # ours: the terminal says all we know
            why = (broken or sentence_of(failed)).rstrip(".")
            said += f"This key did not end well: {why}. Look whether the mark is there."
        return said + (f" You wrote: {comment}" if new and comment else "")


def _one_line(comment: str) -> str:
    """A comment as a field of one line holds it."""
    return " ".join(CONTROL.sub("\N{REPLACEMENT CHARACTER}", comment).split())[:LONGEST_COMMENT]


class Seats:
    """The seats of one server, a marker and a question each."""

    def __init__(self, out: Path, question: str | None, **settings: Any) -> None:
        self.out, self.question, self.settings = out, question, settings
        self.marker = settings.pop("marker", "")
        self.token = secrets.token_urlsafe(24)
        self._open: dict[tuple[str, str], Seat] = {}

    def of_marker(self, question: str, marker: str) -> Seat:
        """The seat of this marker: the open one, or a new one. A new one takes its place where
        the class was graded again. LookupError, with a sentence, for a question there is not."""
        results = (self.out / "results.json").stat()
        graded = (results.st_ino, results.st_mtime_ns, results.st_size)
        now = self._open.get((question, marker))
        if now is not None and now.graded == graded:
            return now
        if now is not None:
            now.queue.__exit__()
        queue = Queue(self.out, question, marker=marker, **self.settings)
        new = Seat(queue, graded, *((now.step + 1, GRADED) if now else ()))
        self._open[question, marker] = new
        return new

    def close(self) -> None:
        """Let go of all answers that are on a page."""
        for seat in self._open.values():
            seat.queue.__exit__()
        self._open.clear()

    def application(self) -> Application:
        """What Tornado serves: one address, which begins with the token."""
        return Application([(r"/(.*)", MarkingPage, {"seats": self})], log_function=_unlogged)


def _unlogged(handler: RequestHandler) -> None:
    """Nothing: a line of a log would have the token in it."""


class MarkingPage(RequestHandler):
    """The page: GET shows the answer that is open, POST does what a key says and shows the next."""

    def initialize(self, seats: Seats) -> None:
        self.seats, self.nonce = seats, secrets.token_urlsafe(16)

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        for name, value in {
            "Cache-Control": "no-store",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        self.set_header("Content-Security-Policy", POLICY.format(self.nonce))
        if self.request.host_name not in HOSTS:
            self._refuse(403, NOT_HERE)
        token = self.path_args[0].rstrip("/").encode("utf-8", "replace")
        if not hmac.compare_digest(token, self.seats.token.encode()):
            self._refuse(403, NO_TOKEN)

    def get(self, _: str) -> None:
        seat, said = None, ""
        try:
            seat = self._seat()
        except UNUSABLE as unusable:
            self.set_status(400)
            said = sentence_of(unusable)
        if seat is None:
            self._begin(said)
        else:
            self._show(seat)

    def post(self, _: str) -> None:
        try:
            seat = self._seat()
        except UNUSABLE as unusable:
            self._refuse(400, sentence_of(unusable))
        if seat is None:
            self._refuse(400, UNREADABLE)
        if self.get_body_argument("step", "") == str(seat.step):
            seat.step += 1
            key = self.get_body_argument("key", "")
            seat.said = seat.press(key, self.get_body_argument("comment", ""))
        elif seat.said != GRADED:
            seat.said = STALE
        # what a reload asks again for is the page, and no key
        self.redirect(f"?{self.request.query}", status=303)

    def log_exception(self, kind: Any, error: Any, trace: Any) -> None:
        """A request that cannot be read is its sender's; the terminal tells what fails here."""
        if not isinstance(error, HTTPError):
            super().log_exception(kind, error, trace)

    def write_error(self, status_code: int, **_: Any) -> None:
        """One sentence, as text."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{UNREADABLE if status_code < 500 else FAILED_HERE}\n")

    def _refuse(self, status: int, sentence: str) -> NoReturn:
        self.set_status(status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{sentence}\n")
        raise Finish

    def _seat(self) -> Seat | None:
        """Whose page this is; None where the address does not say it."""
        question = self.get_query_argument("question", "")
        marker = " ".join(self.get_query_argument("marker", "").split())
        if not question:
            return None
        if not marker or len(marker) > LONGEST_NAME or not marker.isprintable():
            raise ValueError(f"Write who marks: a name of at most {LONGEST_NAME} letters.")
        return self.seats.of_marker(question, marker)

    def _begin(self, said: str) -> None:
        wanted = self.get_query_argument("question", self.seats.question or "")
        name = self.get_query_argument("marker", self.seats.marker)
        try:
            rows = waiting(self.seats.out)
        except UNUSABLE as unusable:
            self._refuse(400, sentence_of(unusable))
        self._page(START, seat=None, said=said, rows=rows, wanted=wanted, name=name)

    def _show(self, seat: Seat) -> None:
        queue, item = seat.queue, seat.queue.current
        values: dict[str, Any] = {"said": seat.said, "beside": beside(queue)}
        if item is None:
            self._page(queue.question, seat=seat, item=None, end=farewell(queue), **values)
            return
        self._page(
            headline(queue),
            seat=seat,
            item=item,
            pieces=answer_pieces(item, queue.shown),
            heading=suggestion_heading(item, queue.shown),
            ideas=suggested_ideas(item, queue.shown),
            alike=queue.alike if item.kind in ("first", "decide") else (),
            notes=notes_on(item),
            bank=queue.bank(),
            title=title_of(queue.question),
            model=references(queue.question[:2]).get(queue.question, ""),
            marks=range(HIGHEST + 1),
            buttons=BUTTONS,
            longest=LONGEST_COMMENT,
            **values,
        )

    def _page(self, head: str, **values: Any) -> None:
        page = PAGES.get_template("marking.html")
        self.finish(page.render(head=head, nonce=self.nonce, **values))


def serve_page(
    out: Path, question: str | None, say: Callable[[str], object], **settings: Any
) -> None:
    """Serve until Ctrl-C; `settings` are those of Queue, `say` is told the address. LookupError,
    with a sentence, where OUT has no such question or no answers."""
    asked = [row[0] for row in waiting(out)]
    if not asked or question not in (None, *asked):
        raise LookupError(f"{out} has no answers to {question or 'an open question'}.")
    seats = Seats(out, question, **settings)

    async def run() -> None:
        [socket] = bind_sockets(0, HOSTS[0])
        server = HTTPServer(seats.application(), max_body_size=LONGEST_REQUEST)
        server.add_sockets([socket])
        say(f"http://{HOSTS[0]}:{socket.getsockname()[1]}/{seats.token}/")
        await asyncio.Event().wait()

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        return
    finally:
        seats.close()
