"""Do machine code and Python tell the same story, byte for byte? This plays one; each process prints what it came to.

A group joins, a till sells, brokers die, pause, part and come back, for three versions of clients; then a member of the new protocol joins. All
events count, with the text of all lines.
"""

from __future__ import annotations

import hashlib

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord

VERSIONS = ("2.1", "3.9", "4.4")


def _read(lab: Lab, name: str, protocol: dict[str, str]) -> None:
    consumer = KafkaConsumer(lab, {"group.id": "shop", **protocol}, name=name)
    consumer.subscribe(["orders"])
    while True:
        consumer.poll(timeout_ms=500)


def _sell(lab: Lab) -> None:
    producer = KafkaProducer(lab, {"linger.ms": 5, "transactional.id": "till"}, name="till")
    producer.init_transactions()
    for number in range(20):
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", key=str(number), value="tea"))
        producer.flush()
        producer.abort_transaction() if number % 5 == 4 else producer.commit_transaction()
    producer.close()


def played(version: str, protocol: dict[str, str]) -> Lab:
    """The story, played by clients of one version; protocol: what else its consumers are told."""
    lab = Lab(brokers=3, seed=7, version=version)
    lab.create_topic("orders", partitions=4)
    for name in ("anna", "ben"):
        lab.spawn(_read, name, protocol)
    lab.run_for(ms=6_000)
    lab.spawn(_sell)
    lab.run_for(ms=2_000)
    lab.broker(1).crash()
    lab.link(0, "anna").cut()
    lab.run_for(ms=2_000)
    lab.broker(1).restart()
    lab.link(0, "anna").heal()
    lab.partition([0], [1, 2])
    lab.run_for(ms=4_000)
    lab.heal()
    lab.broker(2).pause(ms=1_500)
    lab.run_for(ms=4_000)
    lab.broker(0).stop()
    lab.run_for(ms=6_000)
    return lab


def digest(lab: Lab) -> str:
    """All that the journal of a lab tells, in one number."""
    total = hashlib.sha256()
    for event in lab.journal.events:
        total.update(repr((event.at_ms, event.kind, event.who, event.cause, dict(event.fields))).encode("utf-8", "surrogatepass"))
    return total.hexdigest()


if __name__ == "__main__":
    for each in VERSIONS:
        print(each, digest(played(each, {})))
    print("KIP-848", digest(played("4.4", {"group.protocol": "consumer"})))
