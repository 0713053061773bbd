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

from kafkalab import KafkaConsumer, KafkaProducer, KafkaShareConsumer, Lab, ProducerRecord
from kafkalab.views import (
    Picture,
    cluster_map,
    group_timeline,
    record_lanes,
    replica_ladder,
    share_window,
    timeline,
)
from kafkalab.views.moving import FADED, Soon, show_with_still

if TYPE_CHECKING:
    import ipywidgets

GROUP, TOPIC = "billing", "orders"
WORKERS, JOBS = "workers", "jobs"
STEPS_MS = (100, 1_000, 10_000)
SENTENCE = "A still of the playground. Run this cell in JupyterLab or VS Code to get its buttons."
MOST_LINES = 12


def seller(lab: Lab, name: str = "shop", topic: str = TOPIC) -> None:
    """Write an order twice a second, for ever. A process that comes back, shop-2, is the client
    shop again."""
    producer = KafkaProducer(lab, {"client.id": _client(name)}, name=name)
    number = 0
    while True:
        producer.send(ProducerRecord(topic, key=f"order {number}", value="tea"))
        number += 1
        lab.sleep(500)


def order_reader(lab: Lab, name: str) -> None:
    """Read the orders as a member of the group `billing`, for ever."""
    settings = {
        "client.id": _client(name),
        "group.id": GROUP,
        "auto.offset.reset": "earliest",
        "session.timeout.ms": 10_000,
    }
    consumer = KafkaConsumer(lab, settings, name=name)
    consumer.subscribe([TOPIC])
    while True:
        consumer.poll(timeout_ms=200)


def job_seller(lab: Lab, name: str = "shop") -> None:
    """Write a job twice a second, for ever."""
    seller(lab, name, JOBS)


def job_worker(lab: Lab, name: str) -> None:
    """Do jobs as a member of the share group `workers`, for ever: 0.7 seconds each."""
    settings = {
        "client.id": _client(name),
        "group.id": WORKERS,
        "share.acknowledgement.mode": "explicit",
        "max.poll.records": 2,
    }
    worker = KafkaShareConsumer(lab, settings, name=name)
    worker.subscribe([JOBS])
    while True:
        for job in worker.poll(timeout_ms=500):
            lab.sleep(700)
            worker.acknowledge(job)


def _client(name: str) -> str:
    """The client.id of a process: shop-2 is the second life of shop."""
    return name.partition("-")[0]


def share_lab(seed: int = 1) -> Lab:
    """A running lab of release 4.4 with a share group: one broker, a topic of one partition, a shop
    that writes jobs, and two workers, ann and bob. Ten seconds have passed."""
    lab = Lab(brokers=1, seed=seed, version="4.4", broker_version="4.4")
    lab.create_topic(JOBS)
    lab.configure_group(WORKERS, {"share.auto.offset.reset": "earliest"})
    lab.spawn(job_seller, "shop", name="shop")
    for name in ("ann", "bob"):
        lab.spawn(job_worker, name, name=name)
    lab.run_for(ms=10_000)
    return lab


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


PROGRAMS: dict[str, Callable[..., None]] = {
    one.__name__: one for one in (seller, order_reader, job_seller, job_worker)
}
"""What a client's process may run, by its name in the line of a button."""


class Playground:
    """Buttons for a lab. `press(line)` does in code what a button does."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.lines: list[str] = []
        self._started: dict[str, int] = {}
        self.view = next(iter(self.views))

    @property
    def views(self) -> dict[str, Callable[[], Picture]]:
        """The pictures to choose from."""
        lab = self.lab
        topics = [name for name in lab.at(lab.now_ms)["topics"] if not name.startswith("__")]
        recent = max(0, lab.now_ms - 60_000)
        found: dict[str, Callable[[], Picture]] = {}
        if self._shares:
            found["the window"] = lambda: share_window(lab, WORKERS, JOBS)
            found["who has which job"] = lambda: record_lanes(lab, WORKERS)
        found["the cluster"] = lambda: cluster_map(lab, room_for=8)
        found["connections"] = lambda: timeline(lab, from_ms=recent)
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

        A broker that is down has a button that starts it. A client that was killed has one that
        starts it again, and there is one for another client.
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
        for client, life in self._dead().items():
            found[f"start {client} again"] = self._start_of(f"{client}-{life + 1}")
        name = f"cyd{len(self._started) or ''}"
        found[f"start {name}"] = self._start_of(name)
        return found

    @property
    def _shares(self) -> bool:
        """Whether the lab has a share group."""
        return WORKERS in self.lab.cluster.share_groups

    def _start_of(self, name: str) -> str:
        """The line that starts a client of this name."""
        reader, shop = ("job_worker", "job_seller") if self._shares else ("order_reader", "seller")
        return f'lab.spawn({shop if _client(name) == "shop" else reader}, "{name}", name="{name}")'

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
            name, program = line.split('"')[1], rest.partition(",")[0]
            if "-" not in name:
                self._started[name] = self.lab.now_ms
            self.lab.spawn(PROGRAMS[program], name, name=name)
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
        sockets = [socket.client for socket in self.lab.sockets()]  # a share consumer's, too
        clients = dict.fromkeys([*self.lab.at(self.lab.now_ms)["clients"], *sockets])
        return [name for name in clients if name not in killed]

    def _dead(self) -> dict[str, int]:
        """Client -> how many of its processes were killed, where none of them runs."""
        lives: dict[str, int] = {}
        for event in self.lab.journal.of("fault"):
            if event.what == "kill -9":
                lives[_client(event.who)] = lives.get(_client(event.who), 0) + 1
        alive = {_client(name) for name in self._alive()}
        return {client: count for client, count in lives.items() if client not in alive}

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
