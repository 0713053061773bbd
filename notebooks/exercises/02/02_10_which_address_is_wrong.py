# %% [markdown]
# ### Exercise 02.10 · Which address is wrong?
#
# A cluster of three brokers, a producer with three addresses. One broker gives clients a wrong address.
# Another one was down for some seconds, and its address is right. `shown` holds the producer's
# addresses and its lines about connections.
#
# - `broker`: which broker's `advertised.listeners` is wrong? Its number.
# - `gives`: the address that it gives to clients, such as `"localhost:1234"`.
# - `instead`: the address that it must give.

# %%
shown = numbers("02.10")
shown

# %% answer
broker = ...  # a number
gives = ...  # a text
instead = ...  # a text
### BEGIN SOLUTION
import re

lines = "\n".join(shown)
asked = re.findall(r"connection to node (localhost:\d+) \(id: (\d) ", lines)
told = {int(node): address for address, node in asked}
done = {int(node) for node in re.findall(r"Completed connection to node (\d)\.", lines)}
(broker,) = set(told) - done
gives = told[broker]
(instead,) = set(shown[0].split(" = ")[1].split(",")) - set(told.values())
### END SOLUTION

# %% question
from functools import lru_cache
from itertools import permutations

from autograder.cell.kinds import LineReading
from kafkalab import KafkaProducer, Lab, ProducerRecord

PORTS = ((9093, 9094, 9092), (9094, 9092, 9093))
"""The port of each broker: never the one that its number suggests."""
TOLD = ("Initiating connection", "Completed connection", "could not be established")


def addresses_of(numbers) -> dict[int, str]:
    """Where each broker listens."""
    return {broker: f"localhost:{port}" for broker, port in enumerate(numbers["ports"])}


def log_of_a_wrong_address(numbers) -> list[str]:
    """The addresses of a producer, and its lines about connections, while one broker advertises a
    port at which nobody listens and another one starts anew."""
    return list(
        _misled(
            tuple(numbers["ports"]),
            numbers["turn"],
            numbers["port"],
            numbers["seed"],
        )
    )


@lru_cache(maxsize=256)
def _misled(ports: tuple[int, ...], turn: int, port: int, seed: int) -> tuple[str, ...]:
    wrong, away, _ = roles(turn)
    brokers = {broker: f"localhost:{each}" for broker, each in enumerate(ports)}
    quick = {"broker.session.timeout.ms": 2_000, "broker.heartbeat.interval.ms": 500}
    lab = Lab(brokers, seed=seed, version="3.9", broker_version="4.4", broker_config=quick)
    lab.create_topic("orders", partitions=3, leaders=[0, 1, 2])
    lab.broker(wrong).advertise(port)
    servers = ",".join(sorted(brokers.values()))
    settings = {
        "bootstrap.servers": servers,
        "enable.idempotence": False,
        "enable.metrics.push": False,
        "reconnect.backoff.ms": 1_500,
        "reconnect.backoff.max.ms": 1_500,
        "linger.ms": 0,
    }
    producer = KafkaProducer(lab, settings, name="shop")
    for partition in (away, wrong, 3 - away - wrong):
        producer.send(ProducerRecord("orders", value="tea", partition=partition))
        lab.run_for(ms=200)
    lab.broker(away).crash()
    producer.send(ProducerRecord("orders", value="tea", partition=away))
    lab.run_for(ms=2_500)
    lab.broker(away).restart()
    lab.run_for(ms=3_500)
    lines = lab.lines("shop")
    told = [
        f"{line.time[-12:]} {line.level} {line.message.split('] ', 1)[-1]}"
        for line in lines.itertuples()
        if any(words in line.message for words in TOLD)
    ]
    return (f"bootstrap.servers = {servers}", *told)


def roles(turn: int) -> tuple[int, int, int]:
    """The broker with the wrong address, the one that starts anew, and the third one."""
    return tuple(permutations(range(3)))[turn]


LineReading(
    title="bug hunt: the address that nobody answers at",
    points=3,
    answers=("broker", "gives", "instead"),
    show=log_of_a_wrong_address,
    space={
        "ports": PORTS,
        "turn": tuple(range(6)),
        "port": (9192, 19092, 29092, 29094, 30092, 31093),
    },
    scenery={"seed": 100_000},
)

# %% judge
from autograder.course.judge import Judge


def _truth(case: dict) -> dict:
    wrong, _, _ = roles(case["turn"])
    return {
        "broker": wrong,
        "gives": f"localhost:{case['port']}",
        "instead": addresses_of(case)[wrong],
    }


Judge(
    truth=_truth,
    right=lambda case: (
        "right: broker {broker} gives out {gives}, and nobody listens there. It answers at {instead}, "
        "so that belongs into its advertised.listeners.".format(**_truth(case))
    ),
    otherwise={
        "broker": (
            "{said} is not it. To which node did the client never get a connection, from the first "
            "line to the last?"
        ),
        "gives": (
            "{said} is not it. A line `Initiating connection` has the address at which the client "
            "looks for this node."
        ),
        "instead": (
            "{said} is not it. The three brokers listen at the three addresses of bootstrap.servers. "
            "Which of them does no other broker give out?"
        ),
    },
)

# %% begin
import re

told, done, last = {}, set(), None
for line in shown:
    begun = re.search(r"connection to node (\S+) \(id: (\S+) rack", line)
    if begun:
        told[int(begun[2])] = begun[1]
    if "Completed" in line:
        done.add(int(line.split("node ")[1].split(".")[0]))
    if "not be established" in line:
        last = line
real = {node: place for node, place in told.items() if node >= 0}
broker = (set(real) - done).pop()
gives = real[broker]
listed = shown[0].removeprefix("bootstrap.servers = ").split(",")
instead = (set(listed) - set(real.values())).pop()

# %% wrong="the broker that was away"
# The client got a connection to this node before, and again later. Its address is right; the broker
# was away for a moment.
lost = re.findall(r"to node (\d) \(localhost/127.0.0.1:\d+\) could not", "\n".join(shown))
broker = next(int(node) for node in lost if int(node) in done)

# %% wrong="what it gives already"
# That is what the broker gives out now. Nobody listens there.
instead = gives

# %% wrong="the address of the list"
# That is the address at which this broker listens. The client got another one from METADATA. Read its
# line `Initiating connection`.
gives = instead

# %% wrong="by the number"
# You took the port for the broker's number. A broker has the number that its own settings say. No port
# tells it.
instead = f"localhost:{9092 + broker}"

# %% wrong="the address of another broker"
# That is an address of another broker. Two of the three addresses are given out by brokers that the
# client reaches.
instead = next(
    address
    for node, address in real.items()
    if node != broker and address != f"localhost:{9092 + broker}"
)

# %% equivalent
# `'\n'.join` -> `''.join`: each pattern ends before its line does.
# `{int(node): address for address, node in asked}` -> `{int(node): address for address, node in
# list(asked)[1:]}`, `{int(node): address for address, node in list(asked)[:-1]}`: the client looks for
# the broker that was away, and for the one it never finds, more than once.

# %% hint
# For each node from 0 on: is there a line `Completed connection to node`? The node without one has no
# right address.

# %% hint
# The other two nodes name two addresses of the list. The third address of the list is the one where
# this broker listens.
