"""Chapter 05, when a record is safe: the judges' half.
Truths come from running labs, not from a formula."""

from __future__ import annotations

from functools import cache

from autograder.cell.questions.ch05 import said_what_failed
from autograder.course.answers import each
from autograder.course.judge import Judge, Verdict, WrongAnswer
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


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


def _last_word(case: dict) -> dict:
    seconds, times = _hang(case["request_s"], case["delivery_s"])
    return {"heard_after_s": seconds, "times_sent": times}


def _said(case: dict, data) -> Verdict:
    ok, sentence = said_what_failed(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


@cache
def _lost(acks: str, asleep_after_ms: int) -> int:
    """Acknowledged orders of one shop that nobody can read after its leader's crash."""
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
    return len(set(written) - {record.key for record in reader.poll(timeout_ms=5_000)})


_FATE, _HEARD = "fate copies", "heard_after_s times_sent"
REFUSED = "x.acks == 'all' and x.replicas - x.down < x.floor"
SEND = "def send_all(producer, orders):\n    "
NAMED_NONE = (
    "You named none, but orders have failed. A future is done also when its order has failed; "
    "get() tells, by what it raises. Callbacks tell as well, to whoever lets them come: call "
    "flush() before you return the list that they fill."
)

JUDGES = (
    Judge(
        id="05.1",
        truth=_fate,
        right="right: the floor binds acks=all, and all means all that are in sync.",
        otherwise=(
            "not this fate, or not this number of copies. Count the replicas in sync, the leader "
            "among them, and hold them against the floor."
        ),
        wrong_answers=(
            WrongAnswer(
                "the floor binds acks=1",
                each(
                    _FATE,
                    "'refused' if x.replicas - x.down < x.floor else 'written'",
                    "0 if x.replicas - x.down < x.floor else 1 if x.acks == '1' else x.replicas - "
                    "x.down",
                ),
                "min.insync.replicas looks at acks=all only. With acks=1 the leader writes, alone "
                "or not.",
            ),
            WrongAnswer(
                "all means all replicas",
                each(
                    _FATE,
                    "'refused' if x.acks == 'all' and x.down else 'written'",
                    "(0 if x.down else x.replicas) if x.acks == 'all' else 1",
                ),
                "acks=all waits for those in sync, not for all {replicas} replicas. With {down} "
                "down, the rest may still be enough for a floor of {floor}.",
            ),
            WrongAnswer(
                "the floor is the number of copies",
                each(
                    _FATE,
                    f"'refused' if {REFUSED} else 'written'",
                    f"0 if {REFUSED} else 1 if x.acks == '1' else x.floor",
                ),
                "The floor of {floor} is the least that must be in sync. The answer waits for all "
                "that are in sync, and these are more.",
            ),
            WrongAnswer(
                "acks=1 is copied too",
                each(
                    _FATE,
                    f"'refused' if {REFUSED} else 'written'",
                    f"0 if {REFUSED} else x.replicas - x.down",
                ),
                "With acks=1 the answer comes when the leader alone has it. The followers copy it "
                "afterwards, if they get to it.",
            ),
            WrongAnswer(
                "those that are down count",
                each(
                    _FATE,
                    f"'refused' if {REFUSED} else 'written'",
                    f"0 if {REFUSED} else 1 if x.acks == '1' else x.replicas",
                ),
                "You counted a replica that is down, too. It copies nothing before it is back, and "
                "nobody waits for it.",
            ),
            WrongAnswer(
                "all of one is enough",
                each(_FATE, "'written'", "1 if x.acks == '1' else x.replicas - x.down"),
                "{replicas} minus {down} replicas are in sync. That is below the floor of {floor}, "
                "so acks=all is refused.",
            ),
        ),
    ),
    Judge(
        id="05.2",
        truth=_last_word,
        right="right: the delivery timeout has the last word, however many tries fit into it.",
        otherwise=(
            "not these two. Which clock ends the trying, and how many tries fit into it? hang "
            "counts them."
        ),
        wrong_answers=(
            WrongAnswer(
                "after the first try",
                each(_HEARD, "x.request_s", "1"),
                "A try that times out is followed by the next. The delivery timeout of "
                "{delivery_s} s is for all tries together.",
            ),
            WrongAnswer(
                "for ever",
                each(_HEARD, "None", "None"),
                "retries is huge, but the delivery timeout ends the trying after {delivery_s} s.",
            ),
            WrongAnswer(
                "sent once",
                each(_HEARD, "x.delivery_s", "1"),
                "The time is right. But every {request_s} s without an answer the record is sent "
                "again.",
            ),
            WrongAnswer(
                "one timeout divided by the other",
                each(_HEARD, "x.delivery_s", "-(-x.delivery_s // x.request_s)"),
                "The producer waits before each new try, longer each time, so fewer tries fit into "
                "{delivery_s} s. hang counts them.",
            ),
            WrongAnswer(
                "both timeouts",
                each(_HEARD, "x.request_s + x.delivery_s", "x.delivery_s // x.request_s + 1"),
                "You added the timeouts. The delivery timeout counts from send and includes every "
                "try.",
            ),
        ),
    ),
    Judge(
        id="05.3",
        judge=_said,
        hidden_cases=lambda rng: [
            {
                "seed": rng.randrange(10, 900),
                "crash": rng.choice((1, 2, 3)),
                "orders": rng.randrange(20, 50),
            }
            for _ in range(4)
        ],
        wrong_answers=(
            WrongAnswer(
                "fire and forget",
                SEND + "for order in orders:\n        producer.send(order)\n    return []",
                NAMED_NONE,
            ),
            WrongAnswer(
                "one by one",
                SEND
                + (
                    "failed = []\n    for order in orders:\n        try:\n"
                    "            producer.send(order).get()\n        except Exception:\n"
                    "            failed.append(order.key)\n    return failed"
                ),
                "The list is right, and slow: every get() holds up the next order. Keep all "
                "futures, then go through them.",
            ),
            WrongAnswer(
                "the first error ends it",
                SEND
                + (
                    "for order in orders:\n        try:\n            producer.send(order).get()\n"
                    "        except Exception:\n"
                    "            return [order.key]\n    return []"
                ),
                "You stopped at the first failure, and the orders after it were never handed over.",
            ),
            WrongAnswer(
                "done means written",
                SEND
                + (
                    "futures = [(order.key, producer.send(order)) for order in orders]\n"
                    "    producer.flush()\n"
                    "    return [key for key, future in futures if not future.done()]"
                ),
                NAMED_NONE,
            ),
            WrongAnswer(
                "those that are safe",
                SEND
                + (
                    "futures = [(order.key, producer.send(order)) for order in orders]\n"
                    "    producer.flush()\n    safe = []\n"
                    "    for key, future in futures:\n        try:\n            future.get()\n"
                    "            safe.append(key)\n        except Exception:\n"
                    "            pass\n    return safe"
                ),
                "You named the orders that are safe. Asked for are the others, those that were not "
                "acknowledged.",
            ),
        ),
    ),
    Judge(
        id="05.4",
        truth=lambda case: {"error_name": "NOT_ENOUGH_REPLICAS", "missing": "callback"},
        right="right: the broker refused every time, and nobody was listening.",
        otherwise=(
            "not these two. The error is the word in capitals at the end of each line. For the "
            "other, ask who would have been told."
        ),
        wrong_answers=(
            WrongAnswer(
                "acks is blamed",
                "error_name = 'NOT_ENOUGH_REPLICAS'\nmissing = 'acks'",
                "acks=all is why the broker refused, and it was right to. The program did not hear "
                "it, because it gave send nothing to call.",
            ),
            WrongAnswer(
                "retries are blamed",
                "error_name = 'NOT_ENOUGH_REPLICAS'\nmissing = 'retries'",
                "It retried until the delivery timeout. Two followers were away all the time, so "
                "no retry could help.",
            ),
            WrongAnswer(
                "the exception's name",
                "error_name = 'NotEnoughReplicasException'\nmissing = 'callback'",
                "That is the exception's name in Java. The lines write the error as "
                "NOT_ENOUGH_REPLICAS.",
            ),
            WrongAnswer(
                "the exception's name, and acks",
                "error_name = 'NotEnoughReplicasException'\nmissing = 'acks'",
                "Java names its exception so; copy the word as the lines have it. And acks=all did "
                "its work: it refused. Who could have been told?",
            ),
            WrongAnswer(
                "the exception's name, and retries",
                "error_name = 'NotEnoughReplicasException'\nmissing = 'retries'",
                "Java names its exception so; copy the word as the lines have it. And there were "
                "more than enough retries. Who could have been told?",
            ),
            WrongAnswer(
                "the error of the end",
                "error_name = 'TimeoutException'\nmissing = 'callback'",
                "So it ended, after the delivery timeout. Asked is what the broker answered each "
                "time before; the lines above name it.",
            ),
        ),
    ),
    Judge(
        id="05.5",
        truth=lambda case: {"orders_lost": _lost(case["acks"], case["asleep_after_ms"])},
        right="right: acknowledged by a leader alone, and gone with it.",
        otherwise=(
            "not this number. Join what was acknowledged with what can be read, left anti, and "
            "count by shop."
        ),
        wrong_answers=(
            WrongAnswer(
                "those that can be read",
                each("orders_lost", "min(100, x.asleep_after_ms // 10 - 1)"),
                "These can be read, or nearly. Take what was acknowledged on the left side, and "
                "keep what has no partner.",
            ),
            WrongAnswer(
                "everything after the leader's crash",
                each("orders_lost", "100"),
                "Not all is lost: what the followers had copied before they fell asleep is there.",
            ),
            WrongAnswer(
                "acknowledged is safe",
                each("orders_lost", "0"),
                "Each shop was told that all its orders are written, by the leader alone. It died "
                "with what only it had.",
            ),
        ),
    ),
    Judge(id="05.open"),
)
