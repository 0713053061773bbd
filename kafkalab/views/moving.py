"""Moves a picture with a slider, a play button and switches, and keeps a still beside it.

    moving(lambda at_ms: timeline(lab, to_ms=at_ms), at=range(0, 60_001, 1_000))

The picture is drawn again for each moment, in Python, from what the lab has written down. So it
needs a running kernel and a page that shows ipywidgets. Everywhere else (a page made by nbconvert,
a notebook that was handed in, a restarted kernel) the still is there, and the words of its picture
under it. No exercise needs a moving picture.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kafkalab.errors import IllegalArgumentException
from kafkalab.extras import need_package

from .picture import Picture
from .style import INK, clock

if TYPE_CHECKING:
    import ipywidgets

PLAY_MS = 700
"""Milliseconds of the reader's time for each step of the play button."""
MOST_STEPS = 400
FADED = "0.45"
"""The opacity of a picture while the next one is drawn."""
STILL_WORDS = (
    "A still of a moving picture. Run this cell in JupyterLab or VS Code to move it: {parts}."
)
# In a page with a living widget the still is hidden. Without one, what is left of the widget is.
HIDE_STILL = (
    "<style>.jp-OutputArea-child:has(> .jp-OutputArea-output .{mark}){{display:none}}</style>"
)
HIDE_REST = (
    "<style>.jp-OutputArea-child:has(.{mark})+.jp-OutputArea-child"
    ":not(:has(.widget-box)){{display:none}}</style>"
)

Chosen = dict[str, Any]


@dataclass(frozen=True)
class Cells:
    """A switch that is a table of buttons: (row, column) -> the button's words and its colour."""

    buttons: Mapping[tuple[str, str], tuple[str, str]]


class Moving:
    """A picture that moves in a notebook. `picture(...)` draws one moment of it in code."""

    def __init__(
        self,
        draw: Callable[..., Picture],
        moments: Mapping[Any, str],
        switches: Mapping[str, Mapping[Any, str] | Cells],
        still: Any,
        called: str,
    ) -> None:
        self._draw = draw
        self._moments = moments
        self._switches = switches
        self._start = still
        self._called = called
        self._drawn: dict[tuple[Any, ...], Picture] = {}

    @property
    def still(self) -> Picture:
        """The picture that a page without widgets shows."""
        return self.picture(self._start)

    @property
    def text(self) -> str:
        """The still in words."""
        return self.still.text

    @property
    def alt(self) -> str:
        """One sentence that describes the still."""
        return self.still.alt

    def picture(self, at: Any = None, **chosen: Any) -> Picture:
        """The picture at a moment, with these switches (default: the still's moment, each switch's
        first choice).

        Raises IllegalArgumentException for a moment or a choice that there is not.
        """
        at = self._start if at is None and self._moments else at
        first = {name: next(iter(choices_of(switch))) for name, switch in self._switches.items()}
        strangers = [name for name in chosen if name not in first]
        if strangers:
            raise IllegalArgumentException(
                f"this picture has no switch {strangers[0]!r}; it has {', '.join(first) or 'none'}"
            )
        first.update(chosen)
        for name, choice in first.items():
            known = list(choices_of(self._switches[name]))
            if choice not in known:
                raise IllegalArgumentException(
                    f"{name} is one of {', '.join(map(repr, known))}, not {choice!r}"
                )
        key = (at, *first.values())
        if key not in self._drawn:
            moment = (at,) if self._moments else ()
            self._drawn[key] = self._draw(*moment, **first)
        return self._drawn[key]

    def widget(self) -> ipywidgets.Widget:
        """The moving picture as a widget of ipywidgets: slider, play button, switches, picture.
        Raises MissingExtra where ipywidgets is not installed."""
        need_package("ipywidgets")
        import ipywidgets

        shown = ipywidgets.HTML()
        controls: dict[str, ipywidgets.Widget] = {}
        rows: list[ipywidgets.Widget] = []
        slider = None
        if self._moments:
            slider, row = _slider(self._moments, self._start, self._called)
            rows.append(row)
        boxes = []
        for name, switch in self._switches.items():
            if isinstance(switch, Cells):
                controls[name], box = _cells(switch)
                rows.append(box)
            else:
                controls[name] = _switch(name, switch)
                boxes.append(controls[name])
        if boxes:
            layout = ipywidgets.Layout(flex_flow="row wrap")
            rows.append(ipywidgets.HBox(boxes, layout=layout))

        def draw() -> None:
            chosen = {name: control.value for name, control in controls.items()}
            try:
                shown.value = self.picture(slider.value if slider else None, **chosen).html
            except Exception as error:  # a page shows the sentence, not a picture that is wrong
                shown.value = f"<p>This moment cannot be drawn: {escape(str(error))}</p>"
            shown.layout.opacity = "1"

        soon = Soon(draw)

        def heard(_change: object) -> None:
            shown.layout.opacity = FADED
            soon()

        for control in (*controls.values(), *([slider] if slider else [])):
            control.observe(heard, "value")
        draw()
        return ipywidgets.VBox([*rows, shown])

    def _ipython_display_(self) -> None:
        """Show the still, and over it the moving picture where a person can move it."""
        show_with_still(self.still, STILL_WORDS.format(parts=self._parts()), self.widget)

    def _parts(self) -> str:
        """The controls, in words."""
        parts = ["a slider and a play button"] if self._moments else []
        parts += [f"a switch for {name.replace('_', ' ')}" for name in self._switches]
        return ", ".join(parts)

    def __repr__(self) -> str:
        return f"{STILL_WORDS.format(parts=self._parts())}\n\n{self.still.text}"


def show_with_still(still: Picture, sentence: str, widget: Callable[[], ipywidgets.Widget]) -> None:
    """Show a still with a sentence as a cell's output, and a widget over it where a person can
    use it. The still stays in the notebook's file, and is all that a page without a kernel has.
    """
    from IPython.display import display

    mark = f"kafkalab-still-{uuid.uuid4().hex}"
    display(_Still(still, mark, sentence))  # type: ignore[no-untyped-call]
    if not _somebody_is_there() or find_spec("ipywidgets") is None:
        return
    import ipywidgets

    rule = ipywidgets.HTML(HIDE_STILL.format(mark=mark))
    rule.layout.display = "none"
    display(ipywidgets.VBox([widget(), rule]))  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class _Still:
    """The still as an output of a cell: the picture, its words, and a sentence under it."""

    picture: Picture
    mark: str
    sentence: str

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, str | bytes], dict[str, dict[str, str]]]:
        data, metadata = self.picture._repr_mimebundle_()
        rest = HIDE_REST.format(mark=self.mark)
        data["text/html"] = (
            f'<div class="kafkalab-still {self.mark}">{rest}{data["text/html"]!s}'
            f'<p style="font-size:12px;opacity:.75;margin:2px 0">{escape(self.sentence)}</p></div>'
        )
        data["text/plain"] = f"{self.sentence}\n\n{data['text/plain']!s}"
        return data, metadata


def moving(
    draw: Callable[..., Picture],
    *,
    at: Sequence[Any] | Mapping[Any, str] = (),
    still: Any = None,
    called: str = "moment",
    **switches: Sequence[Any] | Mapping[Any, str] | Cells | bool,
) -> Moving:
    """Make a picture that moves.

    draw: function(moment, **choices) -> Picture; without `at` it gets no moment
    at: the moments of the slider, such as range(0, 60_001, 500) in ms of the lab; a mapping gives
    each its words
    still: the moment of the still (default: the last one)
    called: the slider's name
    switches: each has a name, a keyword of `draw`, and its choices: a list, a mapping choice ->
    words, a `Cells`, or False or True for a box to tick that begins like this

    Raises IllegalArgumentException for more than 400 moments, an empty switch, or a still that is
    none of the moments.
    """
    moments = (
        dict(at)
        if isinstance(at, Mapping)
        else {each: clock(each) if isinstance(each, int) else str(each) for each in at}
    )
    if len(moments) > MOST_STEPS:
        raise IllegalArgumentException(
            f"a slider has at most {MOST_STEPS} moments, not {len(moments)}: take longer steps"
        )
    if still is None and moments:
        still = list(moments)[-1]
    if moments and still not in moments:
        raise IllegalArgumentException(f"the still is one of the moments of `at`, not {still!r}")
    choices: dict[str, Mapping[Any, str] | Cells] = {}
    for name, switch in switches.items():
        if isinstance(switch, bool):
            switch = {switch: str(switch), not switch: str(not switch)}
        elif not isinstance(switch, (Mapping, Cells)):
            switch = {choice: str(choice) for choice in switch}
        if not choices_of(switch):
            raise IllegalArgumentException(f"the switch {name} has no choices")
        choices[name] = switch
    return Moving(draw, moments, choices, still, called)


def choices_of(switch: Mapping[Any, str] | Cells) -> Mapping[Any, Any]:
    """The values that a switch can have, the first one first."""
    return switch.buttons if isinstance(switch, Cells) else switch


class Soon:
    """Does something in the kernel's main thread, soon, and once for all calls until then.

    JupyterLab sends what a widget hears to another thread. A lab lives in the thread that made it,
    and one thing at a time may happen in it.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._is_waiting = False

    def __call__(self, *_heard: object) -> None:
        from IPython.core.getipython import get_ipython

        loop = getattr(getattr(get_ipython(), "kernel", None), "io_loop", None)
        if loop is None or threading.current_thread() is threading.main_thread():
            self._act()
        elif not self._is_waiting:
            self._is_waiting = True
            loop.add_callback(self._go)

    def _go(self) -> None:
        self._is_waiting = False
        self._act()


def _somebody_is_there() -> bool:
    """Whether a person can move a widget: a kernel runs the cell, and its page takes input.

    nbconvert, nbclient and the grader run cells without input.
    """
    from IPython.core.getipython import get_ipython

    kernel = getattr(get_ipython(), "kernel", None)
    return bool(kernel is not None and getattr(kernel, "_allow_stdin", False))


def _slider(
    moments: Mapping[Any, str], start: Any, called: str
) -> tuple[ipywidgets.SelectionSlider, ipywidgets.Widget]:
    """A slider over the moments, with a play button before it.

    The slider is at `start`. The button is at its end, so its first press begins at the first
    moment. After a move of the slider it goes on from there.
    """
    import ipywidgets

    values = list(moments)
    slider = ipywidgets.SelectionSlider(
        options=[(words, value) for value, words in moments.items()],
        value=start,
        description=called,
        style={"description_width": "initial"},
        continuous_update=False,
        layout=ipywidgets.Layout(width="620px", max_width="75%"),
    )
    last = len(values) - 1
    play = ipywidgets.Play(value=last, min=0, max=last, interval=PLAY_MS, show_repeat=False)
    # a link would set the slider to the button's value at once
    play.observe(lambda change: setattr(slider, "index", change.new), "value")
    slider.observe(lambda change: setattr(play, "value", change.new), "index")
    return slider, ipywidgets.HBox([play, slider])


def _switch(name: str, choices: Mapping[Any, str]) -> ipywidgets.Widget:
    """A box to tick for two truth values, buttons for a few choices, a list for many."""
    import ipywidgets

    words = name.replace("_", " ")
    if set(choices) == {True, False}:
        return ipywidgets.Checkbox(
            value=next(iter(choices)),
            description=words,
            indent=False,
            layout=ipywidgets.Layout(width="auto", margin="0 18px 0 6px"),
        )
    options = [(label, value) for value, label in choices.items()]
    style = {"description_width": "initial"}
    if len(options) <= 6:
        # as wide as its words; the usual width cuts more than some 20 letters
        style["button_width"] = "max-content"
        return ipywidgets.ToggleButtons(options=options, description=words, style=style)
    return ipywidgets.Dropdown(options=options, description=words, style=style)


def _cells(switch: Cells) -> tuple[ipywidgets.Widget, ipywidgets.Widget]:
    """A table of buttons, and a hidden widget whose value is the cell that was clicked."""
    import ipywidgets

    rows, columns = (list(dict.fromkeys(key[place] for key in switch.buttons)) for place in (0, 1))
    chosen = ipywidgets.Dropdown(options=[(" · ".join(key), key) for key in switch.buttons])
    wide = ipywidgets.Layout(width="auto", height="34px")
    grid: list[ipywidgets.Widget] = [ipywidgets.Label("")]
    grid += [ipywidgets.Label(column) for column in columns]
    buttons: dict[tuple[str, str], ipywidgets.Button] = {}
    for row in rows:
        grid.append(ipywidgets.Label(row))
        for column in columns:
            words, colour = switch.buttons.get((row, column), ("-", "#ffffff"))
            button = ipywidgets.Button(
                description=words.partition(",")[0],
                tooltip=f"{row}, {column}: {words}",
                style={"button_color": colour, "text_color": INK},
                layout=wide,
                disabled=(row, column) not in switch.buttons,
            )
            buttons[row, column] = button
            grid.append(button)

    def mark(*_changed: object) -> None:
        for key, button in buttons.items():
            is_chosen = key == chosen.value
            button.style.font_weight = "bold" if is_chosen else "normal"
            button.layout = ipywidgets.Layout(
                width="auto", height="34px", border=f"2px solid {INK}" if is_chosen else "none"
            )

    for key, button in buttons.items():
        button.on_click(lambda _button, key=key: setattr(chosen, "value", key))
    chosen.observe(mark, "value")
    mark()
    table = ipywidgets.GridBox(
        grid,
        layout=ipywidgets.Layout(
            grid_template_columns=f"170px repeat({len(columns)}, minmax(90px, 1fr))",
            grid_gap="3px",
            max_width="900px",
        ),
    )
    return chosen, table
