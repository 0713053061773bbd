# %% [markdown]
# ### Exercise 10.4 · Bug hunt
#
# Another program commits only after an order is done. Here is its log. It has a queue, three
# workers and one partition; `bo` starts when `ada` is dead.
#
# Which offsets are lost: below a commit, and never finished by anybody? List them, the smallest
# first. Then look at these offsets alone. Which line holds the first commit past one of them? (A
# commit past an order that is finished later does not count.)

# %%
print(numbers("10.4"))

# %% answer
lost = ...  # a list of offsets, such as [3, 5]
broken_promise = ...  # the number at the beginning of a line
### BEGIN SOLUTION
lost = [7, 12]
broken_promise = 16
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, WorkerPool


@lru_cache(maxsize=1)
def _hunted() -> str:
    """The log of the program in the bug hunt, line by line."""
    lab = Lab(brokers=3, seed=10)
    lab.create_topic("orders", partitions=1)
    lines = []

    def say(text):
        lines.append(f"{len(lines) + 1:>2}  {lab.now_ms:>6,} ms  {text}")

    def shop(lab):
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        for number in range(40):
            producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
            lab.sleep(70)

    def program(lab, name, took_ms):
        from kafkalab import OffsetAndMetadata, TopicPartition

        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "stock",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "max.poll.records": 6,
            },
            name=name,
        )
        consumer.subscribe(["orders"])

        def store(record):
            lab.sleep(took_ms.get(record.offset, 90))
            say(f"{name}: a worker has finished {record.offset}")

        pool = WorkerPool(lab, 3, store, name)
        highest = -1
        while True:
            records = consumer.poll(timeout_ms=200)
            if len(records):
                offsets = [record.offset for record in records]
                say(
                    f"{name}: poll returns {offsets[0]} to {offsets[-1]}"
                    if len(offsets) > 1
                    else f"{name}: poll returns {offsets[0]}"
                )
            for record in records:
                pool.submit(record)
            lab.sleep(150)
            newest = max((record.offset for record in pool.finished()), default=-1)
            if newest > highest:
                highest = newest
                consumer.commit_sync({TopicPartition("orders", 0): OffsetAndMetadata(highest + 1)})
                say(f"{name}: commits {highest + 1}")

    lab.spawn(program, "ada", {2: 400, 7: 3_000, 12: 2_000, 17: 900}, name="ada")
    lab.run_for(ms=2_900)
    lab.spawn(shop, name="shop")
    lab.run_for(ms=1_590)
    lab.kill("ada")
    say("ada: killed")
    lab.spawn(program, "bo", {}, name="bo")
    lab.run_until(lambda: len([line for line in lines if "bo: poll" in line]) == 1)
    lab.close()
    return "\n".join(lines)


def hunted(numbers) -> str:
    """The same log for everybody."""
    return _hunted()


LineReading(
    title="bug hunt: commit in a pool",
    points=3,
    answers=("lost", "broken_promise"),
    show=hunted,
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"lost": [7, 12], "broken_promise": 16},
    right="right: the commit claimed 7 and 12, which two slow workers had not finished.",
    otherwise={
        "lost": (
            "not these. An order is lost if it is below the last commit and nobody ever finished it."
        ),
        "broken_promise": (
            "{said} is not it. The line is one with `commits`. A commit of 9 says that 8 and all before "
            "are done."
        ),
    },
)

# %% wrong="everything unfinished"
# 17 and those after it were not finished either, but they were not committed: bo begins at 16 and
# gets them. Only what lies below the last commit is lost.
lost = [7, 12, 17, 18, 19]
broken_promise = 16

# %% wrong="passed, and finished later"
# Line 8 goes past 2, and that was wrong, too. But 2 is not lost: in line 10 a worker finished it,
# before the crash.
lost = [2, 7, 12]
broken_promise = 8

# %% wrong="the first lie"
# The records are right. Line 8 commits too much as well, but record 2 is finished in line 10. Look
# for the first commit past a record of your list.
lost = [7, 12]
broken_promise = 8

# %% wrong="the last commit"
# The records are right. The last commit repeats an earlier mistake. Find the first commit above 7.
lost = [7, 12]
broken_promise = 30

# %% wrong="the oldest alone"
# 7 is one. The commits went past another record that a slow worker had: look for a number that has
# no line of its own.
lost = [7]
broken_promise = 16

# %% wrong="the largest first"
# The right offsets. List them with the smallest first.
lost = [12, 7]
broken_promise = 16

# %% wrong="the newest alone"
# 12 is one. A smaller offset has no line of its own either.
lost = [12]
broken_promise = 16

# %% wrong="the newest unfinished as well"
# 17 was not finished, but the last commit is 16: bo gets it. Only what lies below the last commit is
# lost.
lost = [7, 12, 17]
broken_promise = 16

# %% wrong="the commit past the second"
# The offsets are right. Line 26 is the first commit past 12; another line went past 7 before that.
lost = [7, 12]
broken_promise = 26

# %% wrong="the offset that was committed"
# The offsets are right. 9 is the offset that the line commits; write the number at the beginning of
# that line.
lost = [7, 12]
broken_promise = 9

# %% hint
# A commit of 8 says that everything below 8 is done. Which of these were never finished by
# anybody, before or after?

# %% hint
# Bo begins at the last commit. List what lies below that and has no line "has finished".
# Then look for the first commit above the smallest of them.
