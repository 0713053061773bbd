# Generated from notebooks/exercises/05; edit those files and run
# `python -m autograder course 05`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 05's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% 05.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _sent(replicas: int, floor: int, down: int, acks: str) -> tuple[str, int]:
    """What becomes of a record when so many followers have been down for a minute, and how many
    replicas have it for sure when the answer comes."""
    lab = Lab(
        brokers=replicas + 1,
        seed=9,
        broker_config={
            "min.insync.replicas": floor,
            "unclean.leader.election.enable": False,
            "broker.session.timeout.ms": 6_000,
        },
    )
    lab.create_topic("t", replication_factor=replicas, leaders=[0])
    producer = KafkaProducer(
        lab,
        {
            "acks": acks,
            "bootstrap.servers": f"localhost:{9092 + replicas}",
            "enable.idempotence": False,
            "delivery.timeout.ms": 5_000,
            "request.timeout.ms": 2_000,
            "linger.ms": 0,
        },
    )
    producer.partitions_for("t")
    for follower in range(1, 1 + down):
        lab.broker(follower).crash()
    lab.run_for(ms=60_000)
    told = []
    producer.send(ProducerRecord("t", value="v"), lambda metadata, error: told.append(error))
    lab.run_until(lambda: told)
    if told[0]:
        return "refused", 0
    state = lab.at(lab.now_ms)["partitions"]["t-0"]
    return "written", len(state["isr"]) if acks == "all" else 1


def _fate(case: dict) -> dict:
    fate, copies = _sent(case["replicas"], case["floor"], case["down"], case["acks"])
    return {"fate": fate, "copies": copies}


JUDGE_05_1 = Judge(
    id="05.1",
    wrong_answers=(
        WrongAnswer(
            name="the floor binds acks=1",
            sentence="min.insync.replicas refuses writes with acks=all only. With acks=1 the leader writes, alone or not.",
            source=(
                "fate = {a: \"refused\" if x.replicas - x.down < x.floor else \"written\" for a, x in n.items()}\n"
                "copies = {\n"
                "    a: 0 if x.replicas - x.down < x.floor else 1 if x.acks == \"1\" else x.replicas - x.down\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="all means all replicas",
            sentence="acks=all waits for those in sync, not for all {replicas} replicas. With {down} down, the others may still be enough for a floor of {floor}.",
            source=(
                "fate = {a: \"refused\" if x.acks == \"all\" and x.down else \"written\" for a, x in n.items()}\n"
                "copies = {a: (0 if x.down else x.replicas) if x.acks == \"all\" else 1 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the floor is the number of copies",
            sentence="The floor of {floor} is the least that must be in sync. The answer waits for all that are in sync, and these are more.",
            source=(
                "fate = {\n"
                "    a: \"refused\" if x.acks == \"all\" and x.replicas - x.down < x.floor else \"written\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "copies = {\n"
                "    a: 0 if x.acks == \"all\" and x.replicas - x.down < x.floor else 1 if x.acks == \"1\" else x.floor\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="acks=1 is copied too",
            sentence="With acks=1 the answer comes when the leader alone has it. The followers copy it afterwards, if they get to it.",
            source=(
                "fate = {\n"
                "    a: \"refused\" if x.acks == \"all\" and x.replicas - x.down < x.floor else \"written\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "copies = {\n"
                "    a: 0 if x.acks == \"all\" and x.replicas - x.down < x.floor else x.replicas - x.down\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="those that are down count",
            sentence="You counted a replica that is down, too. It copies nothing before it is back, and nobody waits for it.",
            source=(
                "fate = {\n"
                "    a: \"refused\" if x.acks == \"all\" and x.replicas - x.down < x.floor else \"written\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "copies = {\n"
                "    a: 0\n"
                "    if x.acks == \"all\" and x.replicas - x.down < x.floor\n"
                "    else 1\n"
                "    if x.acks == \"1\"\n"
                "    else x.replicas\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="all of one is enough",
            sentence="{replicas} minus {down} replicas are in sync. That is below the floor of {floor}, so acks=all is refused.",
            source=(
                "fate = {a: \"written\" for a, x in n.items()}\n"
                "copies = {a: 1 if x.acks == \"1\" else x.replicas - x.down for a, x in n.items()}"
            ),
        ),
    ),
    truth=_fate,
    right="right: the floor refuses acks=all only, and all means all that are in sync.",
    otherwise=(
        "not this fate, or not this number of copies. Count the replicas in sync, the leader "
        "among them, and hold them against the floor."
    ),
)


# %% 05.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _hang(request_s: int, delivery_s: int) -> tuple[int, int]:
    """(whole seconds until the callback, times sent) where a broker answers no PRODUCE."""
    lab = Lab(brokers=1, seed=6)
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(
        lab,
        {
            "linger.ms": 0,
            "request.timeout.ms": request_s * 1_000,
            "delivery.timeout.ms": delivery_s * 1_000,
            "enable.idempotence": False,
        },
    )
    producer.partitions_for("orders")
    producer.send(ProducerRecord("orders", value="the first one arrives")).get()
    lab.broker(0).delay("PRODUCE", 600_000)
    heard, sent_at = [], lab.now_ms
    producer.send(
        ProducerRecord("orders", value="tea"),
        lambda metadata, error: heard.append(lab.now_ms - sent_at),
    )
    lab.run_until(lambda: heard)
    times = sum(
        event.api == "PRODUCE" and event.at_ms >= sent_at
        for event in lab.journal.of("request.sent")
    )
    return heard[0] // 1_000, times


def _last_try(case: dict) -> dict:
    delivery_s, tries = case["delivery_s"], case["tries"]
    most = delivery_s // (tries - 1) + 1
    fits = [s for s in range(1, most) if _hang(s, delivery_s)[1] >= tries]
    return {"heard_after_s": _hang(max(fits), delivery_s)[0], "largest_s": max(fits)}


JUDGE_05_2 = Judge(
    id="05.2",
    wrong_answers=(
        WrongAnswer(
            name="each try has its whole time",
            sentence="You gave each of the {tries} tries its whole timeout. The last one only has to begin within {delivery_s} s. So there are {tries} - 1 timeouts before it.",
            source=(
                "from kafkalab.stories.committed import hang\n"
                "\n"
                "\n"
                "def largest(x):\n"
                "    seconds = x.delivery_s // (x.tries - 1)\n"
                "    while hang(seconds * 1000, x.delivery_s * 1000)[1] < x.tries:\n"
                "        seconds -= 1\n"
                "    return seconds\n"
                "\n"
                "\n"
                "heard_after_s = {a: x.delivery_s for a, x in n.items()}\n"
                "largest_s = {a: largest(x) for a, x in n.items()}\n"
                "largest_s = {a: x.delivery_s // x.tries for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="no wait between the tries",
            sentence="Before each new try the producer waits: about 0.1 s, 0.2 s, 0.4 s, 0.8 s, then 1 s. With your timeout the last try does not begin within {delivery_s} s.",
            source=(
                "from kafkalab.stories.committed import hang\n"
                "\n"
                "\n"
                "def largest(x):\n"
                "    seconds = x.delivery_s // (x.tries - 1)\n"
                "    while hang(seconds * 1000, x.delivery_s * 1000)[1] < x.tries:\n"
                "        seconds -= 1\n"
                "    return seconds\n"
                "\n"
                "\n"
                "heard_after_s = {a: x.delivery_s for a, x in n.items()}\n"
                "largest_s = {a: largest(x) for a, x in n.items()}\n"
                "largest_s = {a: x.delivery_s // (x.tries - 1) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="milliseconds",
            sentence="The number is right in milliseconds. Asked are whole seconds.",
            source=(
                "from kafkalab.stories.committed import hang\n"
                "\n"
                "\n"
                "def largest(x):\n"
                "    seconds = x.delivery_s // (x.tries - 1)\n"
                "    while hang(seconds * 1000, x.delivery_s * 1000)[1] < x.tries:\n"
                "        seconds -= 1\n"
                "    return seconds\n"
                "\n"
                "\n"
                "heard_after_s = {a: x.delivery_s for a, x in n.items()}\n"
                "largest_s = {a: largest(x) for a, x in n.items()}\n"
                "largest_s = {a: 1000 * largest(x) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="after the first try",
            sentence="A try that times out is followed by the next. The delivery timeout of {delivery_s} s is for all tries together.",
            source=(
                "from kafkalab.stories.committed import hang\n"
                "\n"
                "\n"
                "def largest(x):\n"
                "    seconds = x.delivery_s // (x.tries - 1)\n"
                "    while hang(seconds * 1000, x.delivery_s * 1000)[1] < x.tries:\n"
                "        seconds -= 1\n"
                "    return seconds\n"
                "\n"
                "\n"
                "heard_after_s = {a: x.delivery_s for a, x in n.items()}\n"
                "largest_s = {a: largest(x) for a, x in n.items()}\n"
                "heard_after_s = {a: largest(x) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="never",
            sentence="`retries` is huge, but the delivery timeout ends the trying after {delivery_s} s.",
            source=(
                "from kafkalab.stories.committed import hang\n"
                "\n"
                "\n"
                "def largest(x):\n"
                "    seconds = x.delivery_s // (x.tries - 1)\n"
                "    while hang(seconds * 1000, x.delivery_s * 1000)[1] < x.tries:\n"
                "        seconds -= 1\n"
                "    return seconds\n"
                "\n"
                "\n"
                "heard_after_s = {a: x.delivery_s for a, x in n.items()}\n"
                "largest_s = {a: largest(x) for a, x in n.items()}\n"
                "heard_after_s = {a: None for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="both timeouts",
            sentence="You added the timeouts. The delivery timeout counts from send and includes every try.",
            source=(
                "from kafkalab.stories.committed import hang\n"
                "\n"
                "\n"
                "def largest(x):\n"
                "    seconds = x.delivery_s // (x.tries - 1)\n"
                "    while hang(seconds * 1000, x.delivery_s * 1000)[1] < x.tries:\n"
                "        seconds -= 1\n"
                "    return seconds\n"
                "\n"
                "\n"
                "heard_after_s = {a: x.delivery_s for a, x in n.items()}\n"
                "largest_s = {a: largest(x) for a, x in n.items()}\n"
                "heard_after_s = {a: x.delivery_s + largest(x) for a, x in n.items()}"
            ),
        ),
    ),
    truth=_last_try,
    right=(
        "right: the delivery timeout ends it after {delivery_s} s. The last try only has to begin "
        "before that."
    ),
    otherwise=(
        "not these two. Call hang with your request timeout and with one second more: how many "
        "times is the record sent?"
    ),
)


# %% 05.3
from autograder.cell.questions.ch05 import said_what_failed
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge, Verdict


def _said(case: dict, data) -> Verdict:
    ok, sentence = said_what_failed(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


JUDGE_05_3 = Judge(
    id="05.3",
    wrong_answers=(
        WrongAnswer(
            name="fire and forget",
            sentence="You named none, but orders have failed. A future is done also when its order has failed; get() tells, by what it raises. A callback tells it as well: call flush() before you return the list that the callbacks fill.",
            source=(
                "def send_all(producer, orders):\n"
                "    for order in orders:\n"
                "        producer.send(order)\n"
                "    return []"
            ),
        ),
        WrongAnswer(
            name="one by one",
            sentence="The list is right, and slow: every get() holds up the next order. Keep all futures, then go through them.",
            source=(
                "def send_all(producer, orders):\n"
                "    failed = []\n"
                "    for order in orders:\n"
                "        try:\n"
                "            producer.send(order).get()\n"
                "        except Exception:\n"
                "            failed.append(order.key)\n"
                "    return failed"
            ),
        ),
        WrongAnswer(
            name="the first error ends it",
            sentence="You stopped at the first failure, and the orders after it were never handed over.",
            source=(
                "def send_all(producer, orders):\n"
                "    for order in orders:\n"
                "        try:\n"
                "            producer.send(order).get()\n"
                "        except Exception:\n"
                "            return [order.key]\n"
                "    return []"
            ),
        ),
        WrongAnswer(
            name="done means written",
            sentence="You named none, but orders have failed. A future is done also when its order has failed; get() tells, by what it raises. A callback tells it as well: call flush() before you return the list that the callbacks fill.",
            source=(
                "def send_all(producer, orders):\n"
                "    futures = [(order.key, producer.send(order)) for order in orders]\n"
                "    producer.flush()\n"
                "    return [key for key, future in futures if not future.done()]"
            ),
        ),
        WrongAnswer(
            name="those that are safe",
            sentence="You named the orders that are safe. Asked for are the others, those that were not acknowledged.",
            source=(
                "def send_all(producer, orders):\n"
                "    futures = [(order.key, producer.send(order)) for order in orders]\n"
                "    producer.flush()\n"
                "    safe = []\n"
                "    for key, future in futures:\n"
                "        try:\n"
                "            future.get()\n"
                "            safe.append(key)\n"
                "        except Exception:\n"
                "            pass\n"
                "    return safe"
            ),
        ),
    ),
    judge=_said,
    hidden_cases=lambda rng: [
        {
            "seed": rng.randrange(10, 900),
            "crash": rng.choice((1, 2, 3)),
            "orders": rng.randrange(20, 50),
        }
        for _ in range(4)
    ],
)


# %% 05.4
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_05_4 = Judge(
    id="05.4",
    wrong_answers=(
        WrongAnswer(
            name="acks is blamed",
            sentence="acks=all is why the broker refused, and it was right to. The program did not hear it, because it gave send nothing to call.",
            source=(
                "error_name = \"NOT_ENOUGH_REPLICAS\"\n"
                "missing = \"acks\""
            ),
        ),
        WrongAnswer(
            name="retries are blamed",
            sentence="It retried until the delivery timeout. Two followers were away all the time, so no retry could help.",
            source=(
                "error_name = \"NOT_ENOUGH_REPLICAS\"\n"
                "missing = \"retries\""
            ),
        ),
        WrongAnswer(
            name="the exception's name",
            sentence="That is the exception's name in Java. The lines write the error as NOT_ENOUGH_REPLICAS.",
            source=(
                "error_name = \"NotEnoughReplicasException\"\n"
                "missing = \"callback\""
            ),
        ),
        WrongAnswer(
            name="the exception's name, and acks",
            sentence="Java names its exception so; copy the word as the lines have it. And acks=all did its work: it refused. Who could have been told?",
            source=(
                "error_name = \"NotEnoughReplicasException\"\n"
                "missing = \"acks\""
            ),
        ),
        WrongAnswer(
            name="the exception's name, and retries",
            sentence="Java names its exception so; copy the word as the lines have it. And there were more than enough retries. Who could have been told?",
            source=(
                "error_name = \"NotEnoughReplicasException\"\n"
                "missing = \"retries\""
            ),
        ),
        WrongAnswer(
            name="the error of the end",
            sentence="So it ended, after the delivery timeout. Asked is what the broker answered each time before; the lines above name it.",
            source=(
                "error_name = \"TimeoutException\"\n"
                "missing = \"callback\""
            ),
        ),
    ),
    truth=lambda case: {"error_name": "NOT_ENOUGH_REPLICAS", "missing": "callback"},
    right="right: the broker refused every time, and nobody was listening.",
    otherwise=(
        "not these two. The error is the word in capitals at the end of each line. For the "
        "other, ask who would have been told."
    ),
)


# %% 05.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


@cache
def _lost(acks: str, asleep_after_ms: int) -> tuple[int, ...]:
    """The numbers of acknowledged orders that nobody can read after the leader's crash."""
    lab = Lab(
        brokers=4,
        seed=4,
        broker_config={
            "min.insync.replicas": 1,
            "unclean.leader.election.enable": False,
            "broker.session.timeout.ms": 6_000,
        },
    )
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    for follower in (1, 2):
        lab.clock.at(asleep_after_ms, lambda follower=follower: lab.broker(follower).pause(4_500))
    producer = KafkaProducer(
        lab,
        {
            "client.id": "shop",
            "acks": acks,
            "bootstrap.servers": "localhost:9095",
            "delivery.timeout.ms": 20_000,
            "request.timeout.ms": 3_000,
            "linger.ms": 0,
            "enable.idempotence": False,
        },
    )
    producer.partitions_for("orders")
    written = []
    for number in range(100):
        producer.send(
            ProducerRecord("orders", key=f"order {number}", value="tea"),
            lambda metadata, error, number=number: error or written.append(f"order {number}"),
        )
        lab.sleep(10)
    lab.broker(0).crash()
    lab.run_for(ms=40_000)
    reader = KafkaConsumer(
        lab, {"auto.offset.reset": "earliest", "bootstrap.servers": "localhost:9095"}, name="reader"
    )
    reader.assign([TopicPartition("orders", 0)])
    lost = set(written) - {record.key for record in reader.poll(timeout_ms=5_000)}
    return tuple(sorted(int(key.split()[1]) for key in lost))


JUDGE_05_5 = Judge(
    id="05.5",
    wrong_answers=(
        WrongAnswer(
            name="those that can be read",
            sentence="These can be read, or nearly. Take what was acknowledged on the left side, and keep what has no partner.",
            source=(
                "orders_lost = {a: min(100, x.asleep_after_ms // 10 - 1) for a, x in n.items()}\n"
                "first_lost = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="everything after the leader's crash",
            sentence="Not all is lost: what the followers had copied before they fell asleep is there.",
            source=(
                "orders_lost = {a: 100 for a, x in n.items()}\n"
                "first_lost = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="acknowledged is safe",
            sentence="Each shop was told that all its orders are written, by the leader alone. The leader crashed, and only it had the last ones.",
            source=(
                "orders_lost = {a: 0 for a, x in n.items()}\n"
                "first_lost = {a: None for a, x in n.items()}"
            ),
        ),
    ),
    truth=lambda case: {
        "orders_lost": len(_lost(case["acks"], case["asleep_after_ms"])),
        "first_lost": _lost(case["acks"], case["asleep_after_ms"])[0],
    },
    right="right: acknowledged by a leader alone, and gone with it.",
    otherwise=(
        "not these numbers. Join what was acknowledged with what can be read, keep the rows without "
        "a partner, and count them by shop."
    ),
)


# %% all
JUDGES = (
    JUDGE_05_1,
    JUDGE_05_2,
    JUDGE_05_3,
    JUDGE_05_4,
    JUDGE_05_5,
)
