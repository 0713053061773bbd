"""Answers the questions of the page, inside the browser: open an address, run, lines, why.

Everything goes in and out as JSON. A refusal is a sentence for a person.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Set
from functools import cache
from typing import Any

if sys.platform == "emscripten":
    from kafkalab.play.stacks import install

    install()

from kafkalab.play import shown
from kafkalab.play.program import CLIENTS_OWN, Told, tell
from kafkalab.play.ready import SETTINGS
from kafkalab.play.story import NO_APPS, Story, Unreadable, from_address, read


class Gone(Exception):
    """Raised where the page asks about a story that another Python told; says what to do."""


_told: list[Told] = []
"""The stories of the last run: one, or two side by side."""


def answer(question: str) -> str:
    """The answer to one question of the page: {"answer": ...} or {"refused": a sentence}."""
    asked = json.loads(question)
    try:
        return json.dumps({"answer": QUESTIONS[asked["ask"]](asked)})
    except Unreadable as error:
        return json.dumps({"refused": f"This story cannot be read: {error}."})
    except Gone as error:
        return json.dumps({"refused": str(error)})
    except (*CLIENTS_OWN, ValueError) as error:
        return json.dumps({"refused": f"{type(error).__name__}: {error}"})


def _open(asked: dict[str, Any]) -> dict[str, Any]:
    """The story of an address; the default one, with a sentence, where it cannot be read."""
    try:
        return {"story": _plain(from_address(asked["address"], SETTINGS)), "unread": ""}
    except Unreadable as error:
        return {"story": _plain(Story()), "unread": str(error)}


def _run(asked: dict[str, Any]) -> dict[str, Any]:
    """Tell the story, with one release or with two, and give what the page draws."""
    story = read(asked["story"])
    if story.needs_apps and not _can_switch():
        raise Unreadable(
            f"it has {len(story.programs)} programs, and {NO_APPS}. Stories of one program that is "
            "neither paused nor killed run here, such as 02, 03, 05 and 06"
        )
    gc.collect()  # every program of the stories before has ended
    releases = [story.client, *([story.beside] if story.beside else [])]
    _told[:] = [
        tell(read(story.given() | {"client": release}), watch=_progress()) for release in releases
    ]
    _wordings.cache_clear()
    return {"sides": shown.sides(_told), "address": story.address()}


def _lines(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of each side. Beside another release, those with a wording of their own are
    marked."""
    _must_be_there(0)
    level, sides = asked["level"], range(len(_told))
    return [
        shown.shown_lines(
            _told[side].lab,
            level,
            asked["who"],
            asked["words"],
            asked["most"],
            _wordings(1 - side, level) if len(_told) == 2 else None,
        )
        for side in sides
    ]


@cache
def _wordings(side: int, level: str) -> Set[str]:
    return shown.wordings(_told[side].lab, level)


def _why(asked: dict[str, Any]) -> list[dict[str, Any]]:
    _must_be_there(asked["side"])
    return shown.why(_told[asked["side"]].lab, asked["event"])


def _must_be_there(side: int) -> None:
    if side >= len(_told):
        raise Gone("The story of this picture is gone with what was stopped: press Run again.")


def remember() -> None:
    """Play a short story and forget it. A page that begins with this memory has read its tables,
    and the collector has nothing old to look at."""
    told = tell(read({**SETTINGS["03"], "seconds": 20}))
    json.dumps([shown.sides([told]), shown.shown_lines(told.lab)])
    del told
    gc.collect()
    gc.freeze()


def _digest(asked: dict[str, Any]) -> list[str]:
    return [told.lab.journal.digest() for told in _told]


def _plain(story: Story) -> dict[str, Any]:
    return {"given": story.given(), "address": story.address(), "cell": story.cell()}


def _can_switch() -> bool:
    """Whether programs can wait for each other here. With greenlet they always can."""
    if sys.platform != "emscripten":
        return True
    from kafkalab.play.stacks import can_switch

    return can_switch()


def _progress() -> Callable[[int, int], object]:
    """A function that tells the page of each second of the lab."""
    if sys.platform != "emscripten":
        return lambda now_ms, events: None
    import js

    last = [-1]

    def tell_page(now_ms: int, events: int) -> None:
        if now_ms // 1_000 != last[0]:
            last[0] = now_ms // 1_000
            js.tellProgress(now_ms, events)

    return tell_page


QUESTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "open": _open,
    "run": _run,
    "lines": _lines,
    "why": _why,
    "digest": _digest,
    "read": lambda asked: _plain(read(asked["story"])),
    "apps": lambda asked: _can_switch(),
}
"""What the page may ask."""
