# %% [markdown] items="N18 N21"
# ### Exercise 05.3 · Repair fire and forget
#
# A function `send_all` sends a list of orders and returns at once: fire and forget. Write it again,
# so that it waits for the result of every order, success or failure. Then it returns the list of
# keys that were **not** acknowledged, in the order of `orders`. When all orders are written, the
# list is empty. Send all orders before you wait for the first result. Who waits in between, after
# each order or after each ten, is many times slower.
# The check runs your function on clusters whose brokers crash, and with orders that are too large
# for a request. It compares with what was really acknowledged.

# %% answer
def send_all(producer, orders):
    """Send every order, a ProducerRecord. Return the keys that were not acknowledged."""
    ### BEGIN SOLUTION
    futures = [(order.key, producer.send(order)) for order in orders]
    failed = []
    for key, future in futures:
        try:
            future.get()
        except Exception:
            failed.append(key)
    return failed
    ### END SOLUTION


# %% question
from autograder.cell.data import plain
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord

CLUSTERS = (
    {"case": "nothing happens", "seed": 1, "crash": 0, "orders": 30},
    {"case": "all brokers die halfway", "seed": 2, "crash": 3, "orders": 40},
    {"case": "the leader dies, another takes over", "seed": 3, "crash": 1, "orders": 40},
    {
        "case": "three orders are too large",
        "seed": 4,
        "crash": 0,
        "orders": 60,
        "large": [0, 5, 17],
    },
    {
        "case": "all brokers die, and two orders are too large",
        "seed": 5,
        "crash": 3,
        "orders": 40,
        "large": [9, 30],
    },
)
LARGEST = 1_000
"""Bytes of a request; a larger order fails, and those after it are sent."""


def sent(names, case) -> dict:
    """What the learner's function says failed, beside what the cluster acknowledged.
    Brokers crash while the orders are sent."""
    lab = Lab(brokers=3, seed=case["seed"], broker_config={"broker.session.timeout.ms": 6_000})
    lab.create_topic("orders", replication_factor=2, leaders=[0])
    producer = KafkaProducer(
        lab,
        {
            "client.id": "shop",
            "linger.ms": 5,
            "batch.size": 200,
            "delivery.timeout.ms": 12_000,
            "request.timeout.ms": 2_000,
            "max.request.size": LARGEST,
        },
    )
    producer.partitions_for("orders")
    handed_ms, hand_over = [], producer.send

    def send(*args, **named):
        handed_ms.append(lab.now_ms)
        return hand_over(*args, **named)

    producer.send = send
    for broker in range(case["crash"]):
        lab.clock.at(lab.now_ms + 28, lab.broker(broker).crash)
    said = names["send_all"](
        producer,
        [
            ProducerRecord("orders", key=f"order {number}", value="tea " * _cups(case, number))
            for number in range(case["orders"])
        ],
    )
    # what a callback adds later, nobody was told
    returned = plain(said)
    # a record that is too large never reaches a batch, so the journal does not tell of it
    large = [f"order {number}" for number in case.get("large", ())]
    known = len(list(lab.journal.of("record.completed"))) + len(large)
    lab.run_for(ms=40_000)
    failed = [event.key for event in lab.journal.of("record.completed") if event.error] + large
    return {
        "said": returned,
        "failed": failed,
        "sent": len(list(lab.journal.of("record.completed"))) + len(large),
        "known": known,
        "handed_over_in_ms": max(handed_ms, default=0) - min(handed_ms, default=0),
    }


def _cups(case, number: int) -> int:
    return LARGEST if number in case.get("large", ()) else 8


def _not_these(data, said: list[str], failed: list[str]) -> str:
    """What is wrong with the keys that were named."""
    strange = [key for key in said if not (key.startswith("order ") and key[6:].isdigit())]
    if strange:
        return f'you named "{strange[0][:30]}". Return the keys of the orders, such as "order 3".'
    if sorted(said) == sorted(failed):
        return (
            "these are the orders that failed, but not in the sequence of `orders`. An order that is "
            "too large fails at once, so do not list them as they fail."
        )
    if len(set(said)) < len(said):
        return (
            f'you named "{max(said, key=said.count)}" more than once. A function made in a loop sees '
            "the loop's variable as it is when it is called. Give it the key as a default value."
        )
    counts = f"{len(failed)} orders were not acknowledged, and you named {len(said)}."
    if data["known"] < data["sent"]:
        return f"{counts} Wait for the result of every order before you return."
    safe = [key for key in said if key not in failed]
    if safe:
        return f'{counts} "{safe[0]}" is among yours, and it was acknowledged.'
    missing = next(key for key in failed if key not in said)
    return f'{counts} "{missing}" is not among yours. Look at what its `get()` raises.'


def said_what_failed(case: dict, data) -> tuple[bool, str]:
    """Whether exactly the orders that failed were named, in their order, and not one by one."""
    if data["sent"] > case["orders"]:
        return (
            False,
            (
                f"you sent {data['sent']} times, and there are {case['orders']} orders. Send each "
                "one once: what failed is named, and not sent again."
            ),
        )
    if data["sent"] < case["orders"]:
        return (
            False,
            (
                f"{data['sent']} orders of {case['orders']} were sent. Send every one, also after "
                "one has failed."
            ),
        )
    said, failed = data["said"], sorted(data["failed"], key=lambda key: int(key.split()[1]))
    if not isinstance(said, list):
        return (
            False,
            (
                "the function returns a list of keys, also when nothing failed: then the list is "
                "empty."
            ),
        )
    if said != failed:
        return False, _not_these(data, list(map(str, said)), failed)
    if data["handed_over_in_ms"] > 0:
        return (
            False,
            (
                f"the right orders, but you sent the last one {data['handed_over_in_ms']} ms after "
                "the first: it waited for the result of others. Send them all, and ask afterwards."
            ),
        )
    if not failed:
        return True, "right: all were acknowledged, and your list is empty."
    return True, f"right: {len(failed)} orders failed, and you named each of them."


Function(
    title="repair fire and forget",
    points=4,
    answers=("send_all",),
    public_cases=CLUSTERS,
    probe=sent,
    public_judge=said_what_failed,
)

# %% judge
from autograder.course.judge import Judge, Verdict


def _said(case: dict, data) -> Verdict:
    ok, sentence = said_what_failed(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


Judge(
    judge=_said,
    hidden_cases=lambda rng: [
        {
            "seed": rng.randrange(10, 900),
            "crash": crash,
            "orders": rng.randrange(30, 50),
            "large": sorted((rng.randrange(2, 10), rng.randrange(10, 20))),
        }
        for crash in (0, 1, 2, 3)
    ],
)


# %% wrong="fire and forget"
# You named none, but orders have failed. A future is done also when its order has failed; get()
# tells, by what it raises. A callback tells it as well: call flush() before you return the
# list that the callbacks fill.
def send_all(producer, orders):
    for order in orders:
        producer.send(order)
    return []


# %% wrong="one by one"
# The list is right, and slow: every get() holds up the next order. Keep all futures, then go
# through them.
def send_all(producer, orders):
    failed = []
    for order in orders:
        try:
            producer.send(order).get()
        except Exception:
            failed.append(order.key)
    return failed


# %% wrong="ten by ten"
# The list is right, and slow: ten orders wait until the ten before them have come back. Send all,
# and keep their futures; then go through them.
def send_all(producer, orders):
    failed = []
    for place in range(0, len(orders), 10):
        futures = [(each.key, producer.send(each)) for each in orders[place : place + 10]]
        for key, future in futures:
            try:
                future.get()
            except Exception:
                failed.append(key)
    return failed


# %% wrong="the first error ends it"
# You stopped at the first failure, and the orders after it were never handed over.
def send_all(producer, orders):
    for order in orders:
        try:
            producer.send(order).get()
        except Exception:
            return [order.key]
    return []


# %% wrong="done means written"
# You named none, but orders have failed. A future is done also when its order has failed; get()
# tells, by what it raises. A callback tells it as well: call flush() before you return the
# list that the callbacks fill.
def send_all(producer, orders):
    futures = [(order.key, producer.send(order)) for order in orders]
    producer.flush()
    return [key for key, future in futures if not future.done()]


# %% wrong="as they fail"
# the right orders, in another sequence. They fail in another order than they were given: what is too
# large fails at once. Go through `orders` for your list.
def send_all(producer, orders):
    failed = []
    for order in orders:
        producer.send(
            order,
            lambda metadata, error, key=order.key: failed.append(key) if error else None,
        )
    producer.flush()
    return failed


# %% wrong="sends again"
# You sent an order again that had failed. The check counts what you hand over: send each one once, and
# name what failed.
def send_all(producer, orders):
    futures, failed = [(order, producer.send(order)) for order in orders], []
    for order, future in futures:
        try:
            future.get()
        except Exception:
            failed.append(order.key)
            producer.send(order)
    return failed


# %% wrong="timeouts only"
# An order can fail in more ways than by a TimeoutException: one that is too large raises
# RecordTooLargeException. Catch every Exception that `get()` raises.
def send_all(producer, orders):
    from kafkalab import TimeoutException

    futures = [(order.key, producer.send(order)) for order in orders]
    failed = []
    for key, future in futures:
        try:
            future.get()
        except TimeoutException:
            failed.append(key)
        except Exception:
            pass
    return failed


# %% wrong="all after the first failure"
# You named all orders from the first failure on. Later ones were acknowledged: ask each future.
def send_all(producer, orders):
    futures = [(order.key, producer.send(order)) for order in orders]
    producer.flush()
    for place, (_, future) in enumerate(futures):
        try:
            future.get()
        except Exception:
            return [key for key, _ in futures[place:]]
    return []


# %% wrong="those that are safe"
# You named the orders that are safe. Asked for are the others, those that were not acknowledged.
def send_all(producer, orders):
    futures = [(order.key, producer.send(order)) for order in orders]
    producer.flush()
    safe = []
    for key, future in futures:
        try:
            future.get()
            safe.append(key)
        except Exception:
            pass
    return safe


# %% hint
# send returns a future. When is the right moment to ask it?

# %% hint
# Keep (key, future) of all orders first. Then get() each one, and catch what it raises.
