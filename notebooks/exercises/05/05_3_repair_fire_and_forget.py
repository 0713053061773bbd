# %% [markdown] items="N18 N21"
# ### Exercise 05.3 · Repair fire and forget
#
# A function `send_all` sends a list of orders and returns at once: fire and forget. Write it again,
# so that it waits for the result of every order, success or failure. Then it returns the list of
# keys that were **not** acknowledged, in the order of `orders`. When all orders are written, the
# list is empty. Do not wait after each order before you send the next: that is many times slower.
# The check runs your function on clusters whose brokers crash. It compares with what was really
# acknowledged.

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
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord

CLUSTERS = (
    {"case": "nothing happens", "seed": 1, "crash": 0, "orders": 30},
    {"case": "all brokers die halfway", "seed": 2, "crash": 3, "orders": 40},
    {"case": "the leader dies, another takes over", "seed": 3, "crash": 1, "orders": 40},
)


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
        },
    )
    producer.partitions_for("orders")
    for broker in range(case["crash"]):
        lab.clock.at(lab.now_ms + 28, lab.broker(broker).crash)
    said = names["send_all"](
        producer,
        [
            ProducerRecord("orders", key=f"order {number}", value="tea " * 8)
            for number in range(case["orders"])
        ],
    )
    # what a callback adds later, nobody was told
    took_ms, returned = lab.now_ms, list(said) if isinstance(said, list) else said
    lab.run_for(ms=40_000)
    failed = [event.key for event in lab.journal.of("record.completed") if event.error]
    return {
        "said": returned,
        "failed": failed,
        "sent": len(list(lab.journal.of("record.completed"))),
        "took_ms": took_ms,
    }


def said_what_failed(case: dict, data) -> tuple[bool, str]:
    """Whether exactly the orders that failed were named, in their order, and not one by one."""
    if data["sent"] != case["orders"]:
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
    if sorted(map(str, said)) == sorted(failed) and said != failed:
        return False, "the right orders, in another sequence than they were given."
    if said != failed and len(said) == len(failed):
        return False, (
            "as many keys as there are failures, but not the right ones. A function made in a loop "
            "sees the loop's variable as it is when it is called. Give it the key as a default "
            "value."
        )
    if said != failed:
        return (
            False,
            (
                f"{len(failed)} orders were not acknowledged, and you named {len(said)}. Wait for the "
                "result of every order before you return."
            ),
        )
    if case["crash"] == 0 and data["took_ms"] > 200:
        return (
            False,
            (
                "right, but each order waited for the one before. Send them all first, and ask "
                "afterwards."
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
            "crash": rng.choice((1, 2, 3)),
            "orders": rng.randrange(20, 50),
        }
        for _ in range(4)
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
