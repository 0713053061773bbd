# %% [markdown] items="N9"
# ### Exercise 04.1 · Where does a key live?
#
# Write `partition_of(key, partitions)`. `key` is a text or `None`; its bytes are UTF-8. `murmur2`
# takes bytes and gives an `int` of Java, which may be negative. Kafka drops the sign by clearing
# the highest of its 32 bits, `number & 0x7fffffff`, and not by taking the absolute value. An empty
# text is a key like any other. Without a key, `None`, there is nothing to compute: return `None`.

# %% answer
def partition_of(key, partitions):
    """The partition of a key, as Java clients compute it, or None without a key."""
    ### BEGIN SOLUTION
    if key is None:
        return None
    return (murmur2(key.encode("utf-8")) & 0x7FFFFFFF) % partitions
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function

KEYS = ("tea", "茶", "coffee", "customer-7", "", None)

Function(
    title="the partition of a key",
    points=2,
    answers=("partition_of",),
    public_cases=tuple(
        {"case": "no key" if key is None else f"key {key!r}", "key": key, "partitions": 5}
        for key in KEYS
    ),
    probe=lambda names, case: names["partition_of"](case["key"], case["partitions"]),
)

# %% judge
from random import Random

from autograder.course.judge import Judge


def _keys(rng: Random) -> list[dict]:
    words = [
        "".join(
            rng.choice("abcdefghijklmnopqrstuvwxyzäé茶咖啡") for _ in range(rng.randrange(1, 20))
        )
        for _ in range(14)
    ]
    return [{"key": word, "partitions": rng.randrange(2, 50)} for word in words] + [
        {"key": None, "partitions": 3}
    ]


Judge(
    truth=lambda case: (
        None if case["key"] is None else _homes((case["key"],), case["partitions"])[0]
    ),
    hidden_cases=_keys,
    right="right.",
    otherwise="a Java client writes it elsewhere. Bytes, murmur2, sign, rest: in this order.",
)


# %% wrong="the absolute value"
# You took the absolute value. Kafka clears the sign bit, & 0x7fffffff, and a negative number
# becomes another one that way.
def partition_of(key, partitions):
    if key is None:
        return None
    return abs(murmur2(key.encode())) % partitions


# %% wrong="the sign is kept"
# You kept the sign. Python's % hides it; Java's would give a negative partition, so Kafka clears
# the sign bit first.
def partition_of(key, partitions):
    if key is None:
        return None
    return murmur2(key.encode()) % partitions


# %% wrong="Java's hashCode"
# That is String.hashCode, which places a group among the offsets partitions. Keys go by murmur2
# over their bytes.
from kafkalab.hashing import java_string_hash


def partition_of(key, partitions):
    if key is None:
        return None
    return abs(java_string_hash(key)) % partitions


# %% wrong="None is a text"
# You hashed the word None. Without a key there is nothing to hash, and the partitioner chooses by
# its own rule.
def partition_of(key, partitions):
    return (murmur2(str(key).encode()) & 0x7FFFFFFF) % partitions


# %% hint
# Bytes first: key.encode(). Then murmur2, then the sign, then the rest of the division.

# %% hint
# The sign goes with & 0x7fffffff, which is not the same as abs(). None comes before everything.
