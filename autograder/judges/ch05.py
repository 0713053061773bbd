"""Chapter 05, when a record is safe: the judges' half. Truths come from running labs, not from a formula."""
from __future__ import annotations

from functools import lru_cache

from autograder.judges import Judge, Verdict, WrongAnswer
from autograder.questions.ch05 import said_what_failed
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


@lru_cache(maxsize=None)
def _sent(replicas: int, floor: int, down: int, acks: str, leader_too: bool = False) -> str:
    """What happens to a record when so many followers have been down for a minute; with `leader_too` the leader went after them and they came back."""
    lab = Lab(brokers=replicas + 1, seed=9, broker_config={"min.insync.replicas": floor, "unclean.leader.election.enable": False,
                                                           "broker.session.timeout.ms": 6_000})
    lab.create_topic("t", replication_factor=replicas, leaders=[0])
    producer = KafkaProducer(lab, {"acks": acks, "bootstrap.servers": f"localhost:{9092 + replicas}", "enable.idempotence": False,
                                   "delivery.timeout.ms": 5_000, "request.timeout.ms": 2_000, "linger.ms": 0})
    producer.partitions_for("t")
    for follower in range(1, 1 + down):
        lab.broker(follower).crash()
    lab.run_for(ms=60_000)
    if leader_too:
        lab.broker(0).crash()
        lab.run_for(ms=2_000)
        for follower in range(1, 1 + down):
            lab.broker(follower).restart()
        lab.run_for(ms=20_000)
    told = []
    producer.send(ProducerRecord("t", value="v"), lambda metadata, error: told.append(error))
    lab.run_until(lambda: told)
    if lab.at(lab.now_ms)["partitions"]["t-0"]["leader"] < 0:
        return "no leader"
    return "refused" if told[0] else "written"


def _six(case: dict) -> dict:
    replicas, floor, down = case["replicas"], case["floor"], case["down"]
    return {"six": [_sent(replicas, floor, 0, "all"), _sent(replicas, floor, down, "all"), _sent(replicas, floor, down, "1"),
                    _sent(replicas, floor, replicas - 1, "all"), _sent(replicas, floor, replicas - 1, "1"),
                    _sent(replicas, floor, replicas - 1, "all", leader_too=True)]}


@lru_cache(maxsize=None)
def _hang(request_s: int, delivery_s: int) -> tuple[int, int]:
    """(whole seconds until the callback, times sent) where a broker answers no PRODUCE."""
    lab = Lab(brokers=1, seed=6)
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(lab, {"linger.ms": 0, "request.timeout.ms": request_s * 1_000, "delivery.timeout.ms": delivery_s * 1_000,
                                   "enable.idempotence": False})
    producer.partitions_for("orders")
    producer.send(ProducerRecord("orders", value="the first one arrives")).get()
    lab.broker(0).delay("PRODUCE", 600_000)
    heard, sent_at = [], lab.now_ms
    producer.send(ProducerRecord("orders", value="tea"), lambda metadata, error: heard.append(lab.now_ms - sent_at))
    lab.run_until(lambda: heard)
    times = sum(event.api == "PRODUCE" and event.at_ms >= sent_at for event in lab.journal.of("request.sent"))
    return heard[0] // 1_000, times


def _last_word(case: dict) -> dict:
    seconds, times = _hang(case["request_s"], case["delivery_s"])
    return {"heard_after_s": seconds, "times_sent": times}


def _said(case: dict, data) -> Verdict:
    ok, sentence = said_what_failed(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


SHOPS = (("north", "all", 2, 300), ("south", "1", 2, 700), ("east", "1", 1, 2_000), ("west", "all", 1, 500), ("harbour", "0", 1, 900))


@lru_cache(maxsize=None)
def _lost(acks: str, floor: int, slow_from_ms: int, seed: int) -> int:
    """Acknowledged orders of one shop that nobody can read after its leader's crash."""
    lab = Lab(brokers=4, seed=seed, broker_config={"min.insync.replicas": floor, "unclean.leader.election.enable": False,
                                                   "broker.session.timeout.ms": 6_000})
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    for follower in (1, 2):
        lab.clock.at(slow_from_ms, lambda follower=follower: lab.broker(follower).pause(4_500))
    producer = KafkaProducer(lab, {"client.id": "shop", "acks": acks, "bootstrap.servers": "localhost:9095", "delivery.timeout.ms": 20_000,
                                   "request.timeout.ms": 3_000, "linger.ms": 0, "enable.idempotence": False})
    producer.partitions_for("orders")
    written = []
    for number in range(100):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"),
                      lambda metadata, error, number=number: error or written.append(f"order {number}"))
        lab.sleep(10)
    lab.broker(0).crash()
    lab.run_for(ms=40_000)
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest", "bootstrap.servers": "localhost:9095"}, name="reader")
    reader.assign([TopicPartition("orders", 0)])
    return len(set(written) - {record.key for record in reader.poll(timeout_ms=5_000)})


def _report(case: dict) -> dict:
    losses = {shop: _lost(acks, floor, slow_from_ms, seed) for seed, (shop, acks, floor, slow_from_ms) in enumerate(SHOPS)}
    lossy = sorted(shop for shop, lost in losses.items() if lost)
    return {"shops_with_loss": lossy, "orders_lost": [losses[shop] for shop in lossy]}


SIX = "def sent(acks, in_sync):\n    return 'refused' if acks == 'all' and in_sync < n.floor else 'written'\n"
SEND = "def send_all(producer, orders):\n    "

JUDGES = (
    Judge(
        id="05.1", truth=_six,
        right="right: the floor binds acks=all, and only a replica with everything may lead.",
        otherwise="not all six. Count the replicas in sync at each moment, the leader among them, and hold them against the floor.",
        wrong_answers=(
            WrongAnswer("the floor binds acks=1", SIX + "six = [sent('all', n.replicas), sent('all', n.replicas - n.down), sent('all', n.replicas - n.down), sent('all', 1), sent('all', 1), 'no leader']",
                        "min.insync.replicas looks at acks=all only. With acks=1 the leader writes, alone or not."),
            WrongAnswer("all means all replicas", "six = ['written', 'refused', 'written', 'refused', 'written', 'no leader']",
                        "acks=all waits for those in sync, not for all {replicas} replicas. With {down} down, the rest may still be enough for a floor of {floor}."),
            WrongAnswer("all of one is enough", SIX + "six = [sent('all', n.replicas), sent('all', n.replicas - n.down), 'written', 'written', 'written', 'no leader']",
                        "The leader alone is one replica in sync. With a floor of {floor} it refuses a write with acks=all."),
            WrongAnswer("a follower takes over", SIX + "six = [sent('all', n.replicas), sent('all', n.replicas - n.down), 'written', sent('all', 1), 'written', 'written']",
                        "The followers that came back were not in sync when the leader died. Without unclean election none of them may lead, and the partition waits."),
            WrongAnswer("refused without a leader", SIX + "six = [sent('all', n.replicas), sent('all', n.replicas - n.down), 'written', sent('all', 1), 'written', 'refused']",
                        "There is nobody who could refuse. The partition has no leader until the old one comes back."),
            WrongAnswer("down followers stop acks=1", "six = ['written', 'refused', 'refused', 'refused', 'refused', 'no leader']",
                        "With acks=1 nobody waits for followers, so their absence refuses nothing."),
        )),
    Judge(
        id="05.2", truth=_last_word, right="right: the delivery timeout has the last word, however many tries fit into it.",
        otherwise="not these two. Which clock ends the trying, and how many tries fit into it?",
        wrong_answers=(
            WrongAnswer("after the first try", "heard_after_s = n.request_s\ntimes_sent = 1",
                        "A try that times out is followed by the next. The delivery timeout of {delivery_s} s is for all tries together."),
            WrongAnswer("for ever", "heard_after_s = None\ntimes_sent = None", "retries is huge, but the delivery timeout ends the trying after {delivery_s} s."),
            WrongAnswer("sent once", "heard_after_s = n.delivery_s\ntimes_sent = 1",
                        "The time is right. But every {request_s} s without an answer the record is sent again."),
            WrongAnswer("both timeouts", "heard_after_s = n.request_s + n.delivery_s\ntimes_sent = n.delivery_s // n.request_s + 1",
                        "You added the timeouts. The delivery timeout counts from send and includes every try."),
        )),
    Judge(
        id="05.3", judge=_said, hidden_cases=lambda rng: [{"seed": rng.randrange(10, 900), "crash": rng.choice((1, 2, 3)), "orders": rng.randrange(20, 50)} for _ in range(4)],
        wrong_answers=(
            WrongAnswer("fire and forget", SEND + "for order in orders:\n        producer.send(order)\n    return []", "and you named 0."),
            WrongAnswer("one by one", SEND + "failed = []\n    for order in orders:\n        try:\n            producer.send(order).get()\n        except Exception:\n"
                        "            failed.append(order.key)\n    return failed", "right, but each"),
            WrongAnswer("the first error ends it", SEND + "for order in orders:\n        try:\n            producer.send(order).get()\n        except Exception:\n"
                        "            return [order.key]\n    return []", "Send every one,"),
            WrongAnswer("done means written", SEND + "futures = [(order.key, producer.send(order)) for order in orders]\n    producer.flush()\n"
                        "    return [key for key, future in futures if not future.done()]", "and you named 0."),
            WrongAnswer("those that are safe", SEND + "futures = [(order.key, producer.send(order)) for order in orders]\n    producer.flush()\n    safe = []\n"
                        "    for key, future in futures:\n        try:\n            future.get()\n            safe.append(key)\n        except Exception:\n"
                        "            pass\n    return safe", "and you named"),
        )),
    Judge(
        id="05.4", truth=lambda case: {"error_name": "NOT_ENOUGH_REPLICAS", "missing": "callback"},
        right="right: the broker refused every time, and nobody was listening.",
        otherwise="not these two. Read what the broker answers, and ask who would have been told.",
        wrong_answers=(
            WrongAnswer("acks is blamed", "error_name = 'NOT_ENOUGH_REPLICAS'\nmissing = 'acks'",
                        "acks=all is why the broker refused, and it was right to. The program did not hear it, because it gave send nothing to call."),
            WrongAnswer("retries are blamed", "error_name = 'NOT_ENOUGH_REPLICAS'\nmissing = 'retries'",
                        "It retried until the delivery timeout. Two followers were away all the time, so no retry could help."),
            WrongAnswer("the exception's name", "error_name = 'NotEnoughReplicasException'\nmissing = 'callback'",
                        "That is the exception's name in Java. The lines write the error as NOT_ENOUGH_REPLICAS."),
        )),
    Judge(
        id="05.5", truth=_report, right="right: acknowledged by a leader alone, and gone with it.",
        otherwise="not these. Join what was acknowledged with what can be read, left anti, and count by shop.",
        wrong_answers=(
            WrongAnswer("every risky setting loses", "shops_with_loss = ['east', 'harbour', 'south']\norders_lost = [0, 11, 31]",
                        "east took the same risk and was lucky. The report counts what is lost, and there that is nothing."),
            WrongAnswer("only acks=0", "shops_with_loss = ['harbour']\norders_lost = [11]", "acks=1 is an answer by one machine. That machine died, in the south, too."),
            WrongAnswer("the other way round", "shops_with_loss = ['harbour', 'south']\norders_lost = [89, 69]",
                        "These can be read. Take what was acknowledged on the left side, and keep what has no partner."),
            WrongAnswer("the wrong order", "shops_with_loss = ['south', 'harbour']\norders_lost = [31, 11]", "The right two. The question asks for the order of the alphabet."),
        )),
    Judge(id="05.open"),
)
