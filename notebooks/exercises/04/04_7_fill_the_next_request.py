# %% [markdown] items="P7"
# ### Exercise 04.7 · Fill the next request
#
# The Sender has a connection to a broker. It asks: what goes into the next request? Write
# `next_request(waiting, in_flight, limits)`. Return a list of partition numbers, or `[]` for no
# request. One batch goes for each number in your list, the oldest one.
#
# `waiting` has the partitions of this broker with waiting batches, in the order in which Kafka looks
# at them. The fields are about the oldest batch of each:
#
# - `partition`, `bytes`, `waited_ms`.
# - `is_full`: it takes no more records.
# - `muted`: order is kept (`max.in.flight.requests.per.connection=1`), and another batch of this
#   partition is on its way.
# - `backs_off`: it failed, and `retry.backoff.ms` is not over.
#
# `in_flight` is the number of requests to this broker that have no answer. `limits` has
# `max_in_flight`, `linger_ms` and `max_request_size` in bytes. Four rules:
#
# 1. With `max_in_flight` requests in flight there is no request.
# 2. A muted partition and one that backs off do not count, as if they were not there.
# 3. A request needs one batch that is due: full, or its linger is over. Section 4 says which batches
#    a due one takes along.
# 4. Kafka takes them in order. It stops at the first batch that does not fit. A request with one
#    batch goes in any case, however large that batch is.
#
# The check then gives your function to producers. Brokers are slow or crash. It compares each of
# your decisions with Kafka's.

# %% answer
def next_request(waiting, in_flight, limits):
    """The numbers of the partitions whose oldest batch goes; [] for no request."""
    ### BEGIN SOLUTION
    able = [one for one in waiting if not one.muted and not one.backs_off]
    due = [one for one in able if one.is_full or one.waited_ms >= limits.linger_ms]
    if not due or in_flight >= limits.max_in_flight:
        return []
    taken, total = [], 0
    for one in able:
        total += one.bytes
        if taken and total > limits.max_request_size:
            break
        taken.append(one.partition)
    return taken
    ### END SOLUTION


# %% question
from random import Random
from types import SimpleNamespace

from autograder.cell.data import NotAsAsked, whole_numbers
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord


def queue(partition: int, bytes: int, waited_ms: int, *is_so: str) -> dict:
    """A partition with waiting batches, as plain data. is_so: "full", "muted", "backs off"."""
    return {
        "partition": partition,
        "bytes": bytes,
        "waited_ms": waited_ms,
        "is_full": "full" in is_so,
        "muted": "muted" in is_so,
        "backs_off": "backs off" in is_so,
    }


def look(case: str, *waiting: dict, in_flight: int = 0, most: int = 5, size: int = 1_000) -> dict:
    """One look of the Sender, as plain data; linger.ms is 50."""
    return {
        "case": case,
        "waiting": list(waiting),
        "in_flight": in_flight,
        "limits": {"max_in_flight": most, "linger_ms": 50, "max_request_size": size},
    }


LOOKS = (
    look("one is full, one has just come", queue(0, 90, 3), queue(1, 400, 9, "full")),
    look("nothing is due", queue(0, 90, 3), queue(1, 300, 49)),
    look("linger ends now", queue(2, 90, 50), queue(0, 300, 7)),
    look("the second does not fit", queue(3, 600, 60), queue(0, 500, 8), queue(1, 100, 8)),
    look("the second just fits", queue(3, 600, 60), queue(0, 400, 55), queue(1, 1, 8)),
    look("the second is one byte too large", queue(3, 600, 60), queue(0, 401, 8)),
    look("one is muted", queue(0, 400, 90, "full", "muted"), queue(1, 100, 55), most=1),
    look("only a muted one is full", queue(0, 400, 90, "full", "muted"), queue(1, 100, 5), most=1),
    look(
        "one backs off",
        queue(2, 200, 70),
        queue(1, 700, 20, "full", "backs off"),
        queue(3, 300, 60),
    ),
    look("only one that backs off is full", queue(1, 400, 9, "full", "backs off"), queue(2, 90, 5)),
    look("five are in flight", queue(0, 400, 90, "full"), in_flight=5),
    look("larger than a request", queue(0, 2_400, 90, "full"), queue(1, 90, 9)),
    look("one in flight of one", queue(0, 400, 90, "full"), in_flight=1, most=1),
)
SHIFTS = (
    {"case": "order is kept, seed 1", "seed": 1, "most": 1, "size": 900, "crash": False},
    {"case": "two in flight, seed 2", "seed": 2, "most": 2, "size": 500, "crash": False},
    {"case": "a broker crashes, seed 3", "seed": 3, "most": 5, "size": 900, "crash": True},
)


def chosen(names, case):
    """The numbers of the partitions that the learner's rule takes."""
    waiting = [SimpleNamespace(**fields) for fields in case["waiting"]]
    answer = names["next_request"](waiting, case["in_flight"], SimpleNamespace(**case["limits"]))
    numbers = whole_numbers(answer)
    if numbers is None:
        raise NotAsAsked(
            "`next_request` returns a list of partition numbers, such as [0, 3], and [] for no "
            f"request. Add `one.partition`, not `one`. Yours returns {str(answer)[:40]}"
        )
    return sorted(numbers)


def shift(case, rule):
    """A producer with six partitions on two brokers; broker 0 answers late, broker 1 may crash."""
    lab = Lab(brokers=2, seed=case["seed"], version="3.9")
    lab.create_topic("orders", partitions=6, leaders=[0, 1, 0, 1, 0, 0], replication_factor=2)

    def asked(waiting, in_flight, limits):
        answer = list(rule(waiting, in_flight, limits))
        lab.journal.append(
            "told",
            "learner",
            what="asked",
            waiting=waiting,
            in_flight=in_flight,
            limits=limits,
            chosen=answer,
        )
        return answer

    settings = {
        "linger.ms": 20,
        "batch.size": 400,
        "max.request.size": case["size"],
        "max.in.flight.requests.per.connection": case["most"],
        "enable.idempotence": False,
    }
    producer = KafkaProducer(lab, settings, name="learner", next_request=asked)
    lab.broker(0).delay("PRODUCE", ms=30)
    chance = Random(case["seed"])
    for number in range(90):
        value = "x" * chance.choice((20, 60, 150, 310))
        producer.send(ProducerRecord("orders", value=value, partition=chance.randrange(6)))
        lab.run_for(ms=chance.choice((0, 0, 3, 11)))
        if case["crash"] and number == 45:
            lab.broker(1).crash()
            lab.run_for(ms=1_000)
            lab.broker(1).restart()
    lab.run_for(ms=3_000)
    lab.close()
    return lab


def another_request(case, lab):
    """The first decision that is not Kafka's, and what it does."""
    for event in lab.journal.of("told"):
        wrong = _slip(event.waiting, event.in_flight, event.limits, event.chosen)
        if wrong:
            proof = [
                f"partition {each.partition}: {each.bytes:>4} bytes, waited {each.waited_ms:>4} ms"
                f"{', full' * each.is_full}{', muted' * each.muted}"
                f"{', backs off' * each.backs_off}"
                for each in event.waiting
            ]
            return f"with seed {case['seed']}, at {event.at_ms:,} ms, {wrong}", proof
    return None


def _slip(waiting, in_flight, limits, chosen) -> str:
    """What is wrong with one decision, "" if it is Kafka's."""
    out = {
        each.partition: "is muted" if each.muted else "backs off"
        for each in waiting
        if each.muted or each.backs_off
    }
    able = [each for each in waiting if each.partition not in out]
    room, fits = limits.max_request_size, []
    for each in able:
        room -= each.bytes
        if fits and room < 0:
            break
        fits.append(each.partition)
    due = any(each.is_full or each.waited_ms >= limits.linger_ms for each in able)
    if limits.max_in_flight <= in_flight:
        told = f"{in_flight} requests had no answer, and your rule sent another one."
        return told if chosen else ""
    for each in chosen:
        if each in out:
            return f"your rule sent a batch of partition {each}, which {out[each]}."
    if not due:
        return "no batch was due, and your rule sent a request." if chosen else ""
    if not chosen:
        return "a batch was due, and your rule sent nothing."
    if set(chosen) > set(fits):
        return f"your request has partitions {_listed(chosen)}; Kafka's ends after {fits[-1]}."
    if set(chosen) - set(fits):
        return (
            f"your request has partitions {_listed(chosen)}; Kafka takes {_listed(fits)}, in the "
            "order of `waiting`."
        )
    left = sorted(set(fits) - set(chosen))
    return f"your request left out {_listed(left)}, and there was room." if left else ""


def _listed(numbers) -> str:
    return ", ".join(map(str, numbers))


def what_a_shift_proved(case):
    """The sentence of a shift in which each decision was Kafka's."""
    if case["crash"]:
        return "right: each request was Kafka's, also when the broker was away and came back."
    if case["most"] == 1:
        return "right: each request was Kafka's, and no partition had two batches on the way."
    return f"right: each request was Kafka's, and at most {case['most']} were in flight."


Function(
    title="fill the next request",
    points=4,
    answers=("next_request",),
    public_cases=LOOKS + SHIFTS,
    probe=chosen,
    play=shift,
    look=another_request,
    kept=what_a_shift_proved,
)

# %% judge
from random import Random

from autograder.course.judge import Judge


def _taken(case: dict) -> list[int]:
    """Kafka's request by sums: the longest beginning of what may go that fits, at least one."""
    limits = case["limits"]
    able = [q for q in case["waiting"] if not (q["muted"] or q["backs_off"])]
    ready = [q for q in able if q["is_full"] or q["waited_ms"] >= limits["linger_ms"]]
    if not ready or case["in_flight"] >= limits["max_in_flight"]:
        return []
    count = 1
    while (
        count < len(able)
        and sum(q["bytes"] for q in able[: count + 1]) <= limits["max_request_size"]
    ):
        count += 1
    return sorted(q["partition"] for q in able[:count])


def _looks(rng: Random) -> list[dict]:
    """Random looks, most of them with something due; then shifts."""
    looks = []
    for _ in range(12):
        waiting = [
            {
                "partition": partition,
                "bytes": rng.choice((90, 200, 400, 700)),
                "waited_ms": rng.choice((3, 20, 49, 50, 51, 90)),
                "is_full": rng.random() < 0.3,
                "muted": rng.random() < 0.25,
                "backs_off": rng.random() < 0.2,
            }
            for partition in rng.sample(range(8), rng.randrange(2, 6))
        ]
        most = rng.choice((1, 2, 5))
        looks.append(
            {
                "waiting": waiting,
                "in_flight": rng.choice((0, 0, 0, most - 1, most)),
                "limits": {"max_in_flight": most, "linger_ms": 50, "max_request_size": 1_000},
            }
        )
    shifts = [
        {
            "seed": rng.randrange(10, 9_000),
            "most": most,
            "size": rng.choice((500, 700, 900)),
            "crash": crash,
        }
        for most, crash in ((1, False), (2, True), (5, True), (1, True))
    ]
    return [*looks, *shifts]


def _why_taken(case: dict) -> str:
    """What decided in this case."""
    if "seed" in case:
        return what_a_shift_proved(case)
    taken = _taken(case)
    if case["in_flight"] >= case["limits"]["max_in_flight"]:
        return "right: too many requests have no answer."
    if not taken:
        return "right: no batch is due."
    able = [q for q in case["waiting"] if not (q["muted"] or q["backs_off"])]
    if len(taken) < len(able):
        return "right: the request ends before the batch that does not fit."
    if len(able) < len(case["waiting"]):
        return "right: who is muted or backs off is left out."
    return "right: the due batch takes the others along."


Judge(
    truth=_taken,
    hidden_cases=_looks,
    right=_why_taken,
    otherwise="not these partitions. Apply the four rules one after the other.",
    unseen="your request is not Kafka's in a case of ours. Apply the four rules one by one.",
)


# %% begin
def able_of(waiting):
    return [each for each in waiting if not each.muted and not each.backs_off]


def is_due(each, limits):
    return each.is_full or each.waited_ms >= limits.linger_ms


def filled(able, limits):
    taken, size = [], 0
    for each in able:
        if taken and size + each.bytes > limits.max_request_size:
            break
        taken.append(each.partition)
        size += each.bytes
    return taken


# %% wrong="who may not go takes room"
# You left out a batch behind one that may not go. Who may not go takes no room, and the request does
# not end there.
def next_request(waiting, in_flight, limits):
    able = able_of(waiting)
    if in_flight >= limits.max_in_flight or not any(is_due(each, limits) for each in able):
        return []
    free = {each.partition for each in able}
    return [partition for partition in filled(waiting, limits) if partition in free]


# %% wrong="only what is due"
# You sent only the batches that are due. linger.ms is the longest wait: a due batch takes along the
# first batch of every partition of this broker.
def next_request(waiting, in_flight, limits):
    due = [each for each in able_of(waiting) if is_due(each, limits)]
    return [] if in_flight >= limits.max_in_flight else filled(due, limits)


# %% wrong="a muted one makes the request due"
# The only batch that is due may not go, so it does not count. The others can wait for their linger.
def next_request(waiting, in_flight, limits):
    due = any(is_due(each, limits) for each in waiting)
    return filled(able_of(waiting), limits) if due and in_flight < limits.max_in_flight else []


# %% wrong="never lingers"
# No batch was due. None is full and no linger is over, so the Sender waits for more records.
def next_request(waiting, in_flight, limits):
    return [] if in_flight >= limits.max_in_flight else filled(able_of(waiting), limits)


# %% wrong="one millisecond later"
# A batch is due when it has waited for linger.ms: waited_ms >= linger_ms, not >.
def next_request(waiting, in_flight, limits):
    able = able_of(waiting)
    due = [each for each in able if each.is_full or each.waited_ms > limits.linger_ms]
    return filled(able, limits) if due and in_flight < limits.max_in_flight else []


# %% wrong="past the one that does not fit"
# You left out the batch that does not fit and took a smaller one behind it. Kafka stops
# there, and the next request begins with that batch. Else a large batch could wait for ever.
def next_request(waiting, in_flight, limits):
    able, taken, size = able_of(waiting), [], 0
    if in_flight >= limits.max_in_flight or not any(is_due(each, limits) for each in able):
        return []
    for each in able:
        if not taken or size + each.bytes <= limits.max_request_size:
            taken.append(each.partition)
            size += each.bytes
    return taken


# %% wrong="one byte of room is left"
# You left out a batch that just fits. A request may be as large as max_request_size.
def next_request(waiting, in_flight, limits):
    able, taken, size = able_of(waiting), [], 0
    if in_flight >= limits.max_in_flight or not any(is_due(each, limits) for each in able):
        return []
    for each in able:
        size += each.bytes
        if taken and size >= limits.max_request_size:
            break
        taken.append(each.partition)
    return taken


# %% wrong="no size"
# Your request is larger than max.request.size. Stop before the batch that does not fit.
def next_request(waiting, in_flight, limits):
    able = able_of(waiting)
    due = any(is_due(each, limits) for each in able)
    return [each.partition for each in able] if due and in_flight < limits.max_in_flight else []


# %% wrong="stops one too late"
# You stop after the batch that does not fit, so your request is too large. Stop before it.
def next_request(waiting, in_flight, limits):
    able, taken, size = able_of(waiting), [], 0
    if in_flight >= limits.max_in_flight or not any(is_due(each, limits) for each in able):
        return []
    for each in able:
        taken.append(each.partition)
        size += each.bytes
        if size > limits.max_request_size:
            break
    return taken


# %% wrong="too large for ever"
# This batch is larger than a request may be, and you never send it. It goes alone: a request with
# one batch goes in any case.
def next_request(waiting, in_flight, limits):
    able, taken, size = able_of(waiting), [], 0
    if in_flight >= limits.max_in_flight or not any(is_due(each, limits) for each in able):
        return []
    for each in able:
        size += each.bytes
        if size > limits.max_request_size:
            break
        taken.append(each.partition)
    return taken


# %% wrong="muted ones as well"
# You sent a batch of a muted partition. Another batch of it is on its way. If that one fails and is
# sent again, the two change places.
def next_request(waiting, in_flight, limits):
    able = [each for each in waiting if not each.backs_off]
    due = any(is_due(each, limits) for each in able)
    return filled(able, limits) if due and in_flight < limits.max_in_flight else []


# %% wrong="back-off is no matter"
# You sent a batch that backs off. It failed a moment ago, and retry.backoff.ms is not over.
def next_request(waiting, in_flight, limits):
    able = [each for each in waiting if not each.muted]
    due = any(is_due(each, limits) for each in able)
    return filled(able, limits) if due and in_flight < limits.max_in_flight else []


# %% wrong="in flight without a limit"
# The broker has not answered as many requests as may be in flight. The next request waits for an
# answer.
def next_request(waiting, in_flight, limits):
    able = able_of(waiting)
    return filled(able, limits) if any(is_due(each, limits) for each in able) else []


# %% equivalent
# `in_flight >= limits.max_in_flight` -> `in_flight == limits.max_in_flight`: there are never more in
# flight.
# `break` -> `continue`: `total` has the batch that did not fit, so that none after it fits.
# `return taken` -> `return sorted(taken)`, `return list(reversed(taken))`: the order within a request
# is not asked.

# %% hint
# Three steps: who may go at all, whether one of them is due, how many of them fit.

# %% hint
# due only decides whether there is a request. What goes is taken from all that may go, from the
# front, and the loop ends with break.
