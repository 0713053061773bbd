# %% [markdown]
# ### Exercise 06.4 · Bug hunt: two of one name
#
# Four workers share the work of a night. The plan: each has a `transactional.id` of its own. On three
# shifts, A, B and C, two workers were started with the same one. The producer that came later is the
# *heir*. The other one was fenced and stopped. The log does not print the transactional ids, and
# the error of the fenced worker is missing. Below are the remaining lines of each shift. Who was
# fenced, who is the heir, and which producer id did both have? A worker that only aborts has done
# nothing wrong.

# %%
n4 = numbers("06.4")
for shift, written in n4.items():
    print(f"--- shift {shift}", *written, sep="\n")

# %% answer
fenced = {"A": ..., "B": ..., "C": ...}  # client ids
heir = {"A": ..., "B": ..., "C": ...}
producer_id = {"A": ..., "B": ..., "C": ...}  # a number
### BEGIN SOLUTION
import re


def two_of_one(shown):
    clients = {}
    for line in shown:
        if told_of := re.search(r"clientId=(\S+)\] ProducerId set to (\d+)", line):
            clients.setdefault(int(told_of[2]), []).append(told_of[1])
    shared, both = next((id, found) for id, found in clients.items() if len(found) == 2)
    return both[0], both[1], shared


fenced = {name: two_of_one(shown)[0] for name, shown in n4.items()}
heir = {name: two_of_one(shown)[1] for name, shown in n4.items()}
producer_id = {name: two_of_one(shown)[2] for name, shown in n4.items()}
### END SOLUTION

# %% question
import re
from functools import cache
from random import Random

from autograder.cell.kinds import LineReading
from kafkalab import KafkaException, KafkaProducer, Lab, ProducerRecord


def planned(shift: int) -> tuple[dict[str, int], str, str, str]:
    """({worker: when it starts}, who is fenced, the heir, who aborts once for reasons of its own)"""
    rng = Random(shift)
    names = [f"worker-{letter}" for letter in rng.sample("abcdefgh", 4)]
    old, new, clumsy = (names[place] for place in rng.sample(range(4), 3))
    start_ms = {name: rng.randrange(0, 900) for name in names}
    start_ms[new] = rng.randrange(2_500, 3_500)
    return start_ms, old, new, clumsy


def fenced_is_not_first(shift: int) -> bool:
    """Whether the first producer id of a shift belongs to one worker alone."""
    start_ms, old, _, _ = planned(shift)
    return min(start_ms, key=start_ms.get) != old


def workers(shift: int) -> Lab:
    """Four workers copy in transactions; one has been given the transactional.id of another."""
    start_ms, old, new, clumsy = planned(shift)
    ids = {name: f"packing-{number}" for number, name in enumerate(start_ms, 1)}
    ids[new] = ids[old]
    lab = Lab(brokers=1, seed=shift, version="4.4")
    lab.create_topic("parcels")

    def work(lab, name, pace_ms):
        lab.sleep(start_ms[name])
        producer = KafkaProducer(
            lab, {"client.id": name, "transactional.id": ids[name], "linger.ms": 0}, name=name
        )
        producer.init_transactions()
        for turn in range(12):
            try:
                producer.begin_transaction()
                producer.send(ProducerRecord("parcels", key=f"{name} {turn}", value="tea"))
                lab.sleep(pace_ms)
                if name == clumsy and turn == 2:
                    producer.abort_transaction()
                else:
                    producer.commit_transaction()
            except KafkaException:
                return producer.close()

    for place, name in enumerate(start_ms):
        lab.spawn(work, name, 400 + 40 * place, name=name)
    lab.run_for(ms=9_000)
    lab.close()
    return lab


@cache
def lines_of(shift: int) -> tuple[str, ...]:
    """A shift's lines about identities and aborts: time, client and message, without the
    transactional ids."""
    lines = workers(shift).lines()
    wanted = lines[
        lines.level.isin(["INFO", "WARN", "ERROR"])
        & lines.message.str.contains("ProducerId set|Aborting|Instantiated")
    ]
    return tuple(
        f"{line.time[-12:]} {re.sub(', transactionalId=[^]]+', '', line.message)}"
        for line in wanted.itertuples()
    )


LineReading(
    title="bug hunt: two of one name",
    points=3,
    answers=("fenced", "heir", "producer_id"),
    draws=THREE,
    row="shift",
    space={"shift": tuple(range(1, 61))},
    together=lambda shifts: any(fenced_is_not_first(n["shift"]) for n in shifts),
    show=lambda numbers: {
        place: list(lines_of(drawn["shift"])) for place, drawn in numbers.items()
    },
)

# %% judge
from collections import Counter
from functools import cache

from autograder.course.judge import Judge


@cache
def _pair(shift: int) -> tuple[str, str, int]:
    """Who was fenced, who took over, and their producer id, as journal and lines know it."""
    lab = workers(shift)
    ids = {
        event.who: event.args["transactional.id"]
        for event in lab.journal.of("call")
        if event.name == "new KafkaProducer"
    }
    shared = next(id for id, count in Counter(ids.values()).items() if count == 2)
    broken = {
        event.who
        for event in lab.journal.of("state")
        if event.machine == "transaction manager"
        and event.after in ("ABORTABLE_ERROR", "FATAL_ERROR")
    }
    (fenced,), (heir,) = [
        [who for who, id in ids.items() if id == shared and (who in broken) is wanted]
        for wanted in (True, False)
    ]
    told = next(
        line.message
        for line in lab.lines().itertuples()
        if f"clientId={heir}," in line.message and "ProducerId set to" in line.message
    )
    return fenced, heir, int(told.split("ProducerId set to ")[1].split()[0])


Judge(
    truth=lambda case: dict(zip(("fenced", "heir", "producer_id"), _pair(case["shift"]))),
    right="right: one transactional.id is one producer id; the later one has the higher epoch.",
    otherwise={
        "fenced": (
            '"{said}" is not it. Which producer id was given to two clients, and which of the two has the '
            "lower epoch?"
        ),
        "heir": (
            '"{said}" is not it. Which producer id was given to two clients, and which of the two has the '
            "higher epoch?"
        ),
        "producer_id": "{said} is not it. Which producer id was given to two clients?",
    },
)

# %% equivalent
# `re.search('clientId=(\\S+)\\] ProducerId set to (\\d+)', line)` ->
# `re.search('clientId=(\\S+)\\] ProducerId set to (\\d)', line)`: the ids of a shift have one digit.
# `next(((id, found) for id, found in clients.items() if len(found) == 2))` ->
# `list(((id, found) for id, found in clients.items() if len(found) == 2))[-1]`: one id was given twice.
# `len(found) == 2` -> `len(found) >= 2`: no id was given three times.

# %% begin
import re


def given(lines):
    """(client, producer id, epoch) of each line that gives one."""
    pattern = r"clientId=(\S+)\] ProducerId set to (\d+) with epoch (\d+)"
    found = [re.search(pattern, line) for line in lines]
    return [(each[1], int(each[2]), int(each[3])) for each in found if each]


def id_of(lines):
    ids = [id for client, id, epoch in given(lines)]
    return next(id for id in ids if ids.count(id) == 2)


def old(lines):
    return min((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]


def new(lines):
    return max((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]


def epoch_of(lines):
    return max(epoch for client, id, epoch in given(lines))


def clumsy(lines):
    return next(re.search(r"clientId=(\S+)\]", line)[1] for line in lines if "Aborting" in line)


def others(lines):
    return sorted({id for client, id, epoch in given(lines)} - {id_of(lines)})


# %% wrong="the newcomer was fenced"
# The other way round. Who calls init_transactions later gets the higher epoch, and who has the
# lower one is fenced.
fenced = {a: new(x) for a, x in n4.items()}
heir = {a: old(x) for a, x in n4.items()}
producer_id = {a: id_of(x) for a, x in n4.items()}

# %% wrong="who aborts is the zombie"
# Every producer may abort. This worker continued afterwards, and nobody else has its producer id.
fenced = {a: clumsy(x) for a, x in n4.items()}
heir = {a: new(x) for a, x in n4.items()}
producer_id = {a: id_of(x) for a, x in n4.items()}

# %% wrong="the epoch for the id"
# That is the epoch, the heir's number of the same identity. The producer id is the number before
# it, and both workers have it.
fenced = {a: old(x) for a, x in n4.items()}
heir = {a: new(x) for a, x in n4.items()}
producer_id = {a: epoch_of(x) for a, x in n4.items()}

# %% wrong="another worker's id"
# The two workers are right. Compare what `ProducerId set to` says for both: it is one number.
fenced = {a: old(x) for a, x in n4.items()}
heir = {a: new(x) for a, x in n4.items()}
producer_id = {a: others(x)[0] for a, x in n4.items()}

# %% wrong="the last worker's id"
# The two workers are right. Compare what `ProducerId set to` says for both: it is one number.
fenced = {a: old(x) for a, x in n4.items()}
heir = {a: new(x) for a, x in n4.items()}
producer_id = {a: others(x)[-1] for a, x in n4.items()}

# %% hint
# The transaction coordinator gives one producer id to each transactional id. Which producer id was
# given twice?

# %% hint
# Of the two clients with this producer id, the one with the lower epoch is fenced.
