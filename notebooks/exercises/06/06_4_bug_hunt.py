# %% [markdown]
# ### Exercise 06.4 · Bug hunt: two of one name
#
# Four workers share the work of a night. The plan: each has a `transactional.id` of its own. On three
# shifts, A, B and C, one worker stopped. Below are the lines of each shift, of all four workers, in
# time order. Who was fenced, who took over (its *heir*), and which id did they share? A worker that
# only aborts has done nothing wrong.

# %%
import textwrap

n4 = numbers("06.4")
for shift, written in n4.items():
    print(f"--- shift {shift}")
    for line in written:  # a long line continues under its beginning
        short = line.replace("[Producer ", "[")
        print(textwrap.fill(short, width=100, subsequent_indent=" " * 13))

# %% answer
fenced = {"A": ..., "B": ..., "C": ...}  # client ids
heir = {"A": ..., "B": ..., "C": ...}
shared_id = {"A": ..., "B": ..., "C": ...}  # a transactional id
### BEGIN SOLUTION
import re


def two_of_one(shown):
    clients = {}
    for line in shown:
        told_of = re.search(r"clientId=(\S+), transactionalId=([^]]+)", line)
        client, id = told_of.groups()
        clients.setdefault(id, []).append(client)
    shared, both = next((id, found) for id, found in clients.items() if len(set(found)) == 2)
    return both[0], next(client for client in both if client != both[0]), shared


fenced = {name: two_of_one(shown)[0] for name, shown in n4.items()}
heir = {name: two_of_one(shown)[1] for name, shown in n4.items()}
shared_id = {name: two_of_one(shown)[2] for name, shown in n4.items()}
### END SOLUTION

# %% question
from functools import cache
from random import Random

from autograder.cell.kinds import LineReading
from kafkalab import KafkaException, KafkaProducer, Lab, ProducerRecord


def workers(shift: int) -> Lab:
    """Four workers copy in transactions; one has been given the transactional.id of another. One
    aborts once, for reasons of its own."""
    rng = Random(shift)
    names = [f"worker-{letter}" for letter in rng.sample("abcdefgh", 4)]
    old, new, clumsy = rng.sample(range(4), 3)
    ids = {name: f"packing-{number}" for number, name in enumerate(names, 1)}
    ids[names[new]] = ids[names[old]]
    start_ms = {name: rng.randrange(0, 900) for name in names}
    start_ms[names[new]] = rng.randrange(2_500, 3_500)
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
                if name == names[clumsy] and turn == 2:
                    producer.abort_transaction()
                else:
                    producer.commit_transaction()
            except KafkaException:
                return producer.close()

    for place, name in enumerate(names):
        lab.spawn(work, name, 400 + 40 * place, name=name)
    lab.run_for(ms=9_000)
    lab.close()
    return lab


@cache
def lines_of(shift: int) -> tuple[str, ...]:
    """A shift's lines that speak of identities and ends, shortened to time, client and message."""
    lines = workers(shift).lines()
    wanted = lines[
        lines.level.isin(["INFO", "WARN", "ERROR"])
        & lines.message.str.contains("ProducerId set|Transiting|Aborting|Instantiated")
    ]
    return tuple(f"{line.time[-12:]} {line.message}" for line in wanted.itertuples())


LineReading(
    title="bug hunt: two of one name",
    points=3,
    answers=("fenced", "heir", "shared_id"),
    draws=THREE,
    row="shift",
    space={"shift": tuple(range(1, 61))},
    show=lambda numbers: {
        place: list(lines_of(drawn["shift"])) for place, drawn in numbers.items()
    },
)

# %% judge
from collections import Counter
from functools import cache

from autograder.course.judge import Judge


@cache
def _pair(shift: int) -> tuple[str, str, str]:
    """Who was fenced, who took over, and their transactional id, as the journal knows it."""
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
    return fenced, heir, shared


Judge(
    truth=lambda case: dict(zip(("fenced", "heir", "shared_id"), _pair(case["shift"]))),
    right="right: one transactional.id, two producers; the later one has the higher epoch.",
    otherwise=(
        "not all of these three are right. Which transactional id belongs to two clients, "
        "and which of the two came later?"
    ),
)

# %% begin
import re


def names(lines):
    return [
        re.search(r"clientId=(\S+), transactionalId=([^]]+)\] (.*)", line).groups()
        for line in lines
    ]


def old(lines):
    return next(
        client
        for client, id, text in names(lines)
        if "fatal error" in text or "abortable error" in text
    )


def id_of(lines):
    return next(id for client, id, text in names(lines) if client == old(lines))


def new(lines):
    return next(
        client for client, id, text in names(lines) if id == id_of(lines) and client != old(lines)
    )


def clumsy(lines):
    return next(
        (
            client
            for client, id, text in names(lines)
            if text.startswith("Aborting") and id != id_of(lines)
        ),
        None,
    )


def own(lines, place=0):
    others = sorted({id for client, id, text in names(lines)} - {id_of(lines)})
    return others[place]


# %% wrong="the newcomer was fenced"
# The other way round. Who calls init_transactions later gets the higher epoch, and who has the
# lower one is fenced.
fenced = {a: new(x) for a, x in n4.items()}
heir = {a: old(x) for a, x in n4.items()}
shared_id = {a: id_of(x) for a, x in n4.items()}

# %% wrong="who aborts is the zombie"
# Every producer may abort, and this one continued afterwards. Look for the one that hears of a newer
# producer.
fenced = {a: clumsy(x) or new(x) for a, x in n4.items()}
heir = {a: new(x) for a, x in n4.items()}
shared_id = {a: id_of(x) for a, x in n4.items()}

# %% wrong="the wrong id"
# The two workers are right. Their id is behind transactionalId= in the lines of both.
fenced = {a: old(x) for a, x in n4.items()}
heir = {a: new(x) for a, x in n4.items()}
shared_id = {a: own(x) for a, x in n4.items()}

# %% wrong="another wrong id"
# The two workers are right. Their id is behind transactionalId= in the lines of both.
fenced = {a: old(x) for a, x in n4.items()}
heir = {a: new(x) for a, x in n4.items()}
shared_id = {a: own(x, -1) for a, x in n4.items()}

# %% hint
# Each line begins with the client and its transactional id. An id with two clients is the mistake of
# the deployment.

# %% hint
# Of the two, which one gets the producer id last, with the higher epoch? Which one writes about a
# newer producer afterwards?
