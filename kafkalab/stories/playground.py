"""A small running lab with buttons: crash and start brokers, kill and start clients, let time pass.

    lab = small_lab()
    playground(lab)

Every button does what a line of code does, and the page shows the line. The lab is an ordinary Lab:
a line in the next cell changes the same lab, and *draw* shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.views import Picture, cluster_map, group_timeline, replica_ladder, timeline
from kafkalab.views.moving import FADED, Soon, show_with_still

if TYPE_CHECKING:
    import ipywidgets

GROUP, TOPIC = "billing", "orders"
STEPS_MS = (100, 1_000, 10_000)
SENTENCE = "A still of the playground. Run this cell in JupyterLab or VS Code to get its buttons."
MOST_LINES = 12


def seller(lab: Lab) -> None:
    """Write an order twice a second, for ever."""
    producer = KafkaProducer(lab, {"client.id": "shop"}, name="shop")
    number = 0
    while True:
        producer.send(ProducerRecord(TOPIC, key=f"order {number}", value="tea"))
        number += 1
        lab.sleep(500)


def order_reader(lab: Lab, name: str) -> None:
    """Read the orders as a member of the group `billing`, for ever."""
    settings = {
        "client.id": name,
        "group.id": GROUP,
        "auto.offset.reset": "earliest",
        "session.timeout.ms": 10_000,
    }
    consumer = KafkaConsumer(lab, settings, name=name)
    consumer.subscribe([TOPIC])
    while True:
        consumer.poll(timeout_ms=200)


def small_lab(brokers: int = 3, seed: int = 1, version: str = "3.9", **settings: object) -> Lab:
    """A running lab: three brokers, a topic of three partitions with three replicas, a shop that
    writes, and two readers, ann and bob. Ten seconds have passed.

    settings: broker settings with underscores for dots, such as min_insync_replicas=2
    """
    lab = Lab(
        brokers=brokers,
        seed=seed,
        version=version,
        broker_config={
            "broker.session.timeout.ms": 6_000,
            **{name.replace("_", "."): value for name, value in settings.items()},
        },
    )
    lab.create_topic(TOPIC, partitions=3, replication_factor=min(3, brokers))
    lab.spawn(seller, name="shop")
    for name in ("ann", "bob"):
        lab.spawn(order_reader, name, name=name)
    lab.run_for(ms=10_000)
    return lab


class Playground:
    """Buttons for a lab. `press(line)` does in code what a button does."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.lines: list[str] = []
        self.view = "the cluster"
        self._started: dict[str, int] = {}

    @property
    def views(self) -> dict[str, Callable[[], Picture]]:
        """The pictures to choose from."""
        lab = self.lab
        topics = [name for name in lab.at(lab.now_ms)["topics"] if not name.startswith("__")]
        recent = max(0, lab.now_ms - 60_000)
        found: dict[str, Callable[[], Picture]] = {
            "the cluster": lambda: cluster_map(lab, room_for=8),
            "connections": lambda: timeline(lab, from_ms=recent),
        }
        if topics:
            found["replicas"] = lambda: replica_ladder(lab, f"{topics[0]}-0", [lab.now_ms])
        if GROUP in lab.at(lab.now_ms)["groups"]:
            found["the group"] = lambda: group_timeline(lab, GROUP, from_ms=recent)
        return found

    def picture(self) -> Picture:
        """The chosen picture of the lab as it is now."""
        views = self.views
        return views.get(self.view, views["the cluster"])()

    def buttons(self) -> dict[str, str]:
        """The buttons there are now: the words of each -> the line of code that it does.

        A broker that is down has a button that starts it, and a client that was killed one that
        starts another.
        """
        lab = self.lab
        found = {}
        for ms in STEPS_MS:
            found[f"{ms / 1_000:g} s pass"] = f"lab.run_for(ms={ms})"
        for broker, words in self._brokers().items():
            found[words] = (
                f"lab.broker({broker}).crash()"
                if lab.broker(broker).is_up
                else f"lab.broker({broker}).restart()"
            )
        for client in self._alive():
            found[f"kill {client}"] = f'lab.kill("{client}")'
        name = f"cyd{len(self._started) or ''}"
        found[f"start {name}"] = f'lab.spawn(order_reader, "{name}", name="{name}")'
        return found

    def press(self, line: str) -> None:
        """Do one of the lines of `buttons()`, and remember it."""
        verb, _, rest = line.removeprefix("lab.").partition("(")
        if verb == "run_for":
            self.lab.run_for(ms=int(rest.strip("ms=)")))
        elif verb == "broker":
            broker = self.lab.broker(int(rest.partition(")")[0]))
            broker.crash() if line.endswith("crash()") else broker.restart()
        elif verb == "kill":
            self.lab.kill(rest.strip('")'))
        else:
            name = line.split('"')[1]
            self._started[name] = self.lab.now_ms
            self.lab.spawn(order_reader, name, name=name)
            self.lab.run_for(ms=1)
        self.lines.append(line)

    def _brokers(self) -> dict[int, str]:
        """Broker -> the words of its button."""
        return {
            broker: f"crash broker {broker}" if self.lab.broker(broker).is_up else f"start {broker}"
            for broker in self.lab.at(self.lab.now_ms)["brokers"]
        }

    def _alive(self) -> list[str]:
        """The clients whose processes run."""
        killed = {event.who for event in self.lab.journal.of("fault") if event.what == "kill -9"}
        clients = self.lab.at(self.lab.now_ms)["clients"]
        return [name for name in clients if name not in killed]

    def widget(self) -> ipywidgets.Widget:
        """The buttons, the lines of code so far, and the picture."""
        import ipywidgets

        shown, told = ipywidgets.HTML(), ipywidgets.HTML()
        rows = [ipywidgets.HBox(layout=ipywidgets.Layout(flex_flow="row wrap")) for _ in range(2)]
        choice = ipywidgets.ToggleButtons(options=list(self.views), style={"button_width": "auto"})

        waiting: list[str] = []

        def act() -> None:
            while waiting:
                try:
                    self.press(waiting.pop(0))
                except Exception as error:  # the lab says what is wrong; the buttons stay
                    self.lines.append(f"# {error}")
            draw()

        soon = Soon(act)

        def press(line: str) -> None:
            waiting.append(line)
            shown.layout.opacity = FADED
            soon()

        def draw() -> None:
            self.view = choice.value
            places: tuple[list[ipywidgets.Widget], list[ipywidgets.Widget]] = ([], [])
            for words, line in self.buttons().items():
                is_danger = "crash" in line or "kill" in line
                button = ipywidgets.Button(
                    description=words,
                    tooltip=line,
                    button_style="danger" if is_danger else "",
                    layout=ipywidgets.Layout(width="auto"),
                )
                button.on_click(lambda _button, line=line: press(line))
                places["broker" in line or "kill" in line or "spawn" in line].append(button)
            for row, buttons in zip(rows, places):
                row.children = buttons
            again = ipywidgets.Button(
                description="draw",
                tooltip="draw the lab as it is now",
                layout=ipywidgets.Layout(width="auto"),
            )
            again.on_click(soon)
            rows[0].children = (*rows[0].children, again)
            shown.value = self.picture().html
            shown.layout.opacity = "1"
            code = "\n".join(self.lines[-MOST_LINES:]) or "# every button is a line of code"
            told.value = f"<pre style='margin:4px 0'>{escape(code)}</pre>"

        choice.observe(soon, "value")
        draw()
        return ipywidgets.VBox([*rows, choice, shown, told])

    def _ipython_display_(self) -> None:
        """Show the picture, and over it the buttons where a person can press them."""
        show_with_still(self.picture(), SENTENCE, self.widget)

    def __repr__(self) -> str:
        return f"{SENTENCE}\n\n{self.picture().text}"


def playground(lab: Lab | None = None) -> Playground:
    """Buttons for a lab (default: `small_lab()`)."""
    return Playground(small_lab() if lab is None else lab)
