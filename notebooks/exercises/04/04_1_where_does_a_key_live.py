# %% [markdown] items="N9"
# ### Exercise 04.1 · Where does a key live?
#
# Write `partition_of(key, partitions)`. `key` is a text or `None`; its bytes are UTF-8. `murmur2`
# takes bytes and gives an `int` of Java, which may be negative. Kafka clears the highest of its 32
# bits, `number & 0x7fffffff`. It does not take the absolute value. An empty text is a key like any
# other. Without a key, `None`, there is nothing to compute: return `None`.

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

# so many partitions that a wrong rule hardly ever finds another wrong rule's partition
KEYS = (
    ("tea", 97),
    ("茶", 101),
    ("coffee", 83),
    ("customer-7", 89),
    ("sugar", 113),
    ("", 107),
    (None, 103),
)

Function(
    title="the partition of a key",
    points=2,
    answers=("partition_of",),
    public_cases=tuple(
        {
            "case": f"{'no key' if key is None else f'key {key!r}'}, {partitions} partitions",
            "key": key,
            "partitions": partitions,
        }
        for key, partitions in KEYS
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
    right=lambda case: (
        "right: without a key there is nothing to compute."
        if case["key"] is None
        else "right: a Java client writes it there, too."
    ),
    otherwise=(
        "not what Kafka's rule gives: None without a key, else these steps: bytes, murmur2, sign "
        "bit, remainder."
    ),
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


# %% wrong="all 32 bits"
# You kept the highest bit: & 0xffffffff clears nothing. With & 0x7fffffff 31 bits are left.
def partition_of(key, partitions):
    if key is None:
        return None
    return (murmur2(key.encode()) & 0xFFFFFFFF) % partitions


# %% wrong="Java's hashCode"
# That is Java's String.hashCode. Kafka uses it for the names of groups. Keys go by murmur2 over
# their bytes.
from kafkalab.hashing import java_string_hash


def partition_of(key, partitions):
    if key is None:
        return None
    return abs(java_string_hash(key)) % partitions


# %% wrong="None is a text"
# You hashed the word None. Without a key there is nothing to hash: return None.
def partition_of(key, partitions):
    return (murmur2(str(key).encode()) & 0x7FFFFFFF) % partitions


# %% wrong="None is an empty text"
# You hashed an empty text. Without a key there is nothing to hash: return None.
def partition_of(key, partitions):
    return (murmur2((key or "").encode()) & 0x7FFFFFFF) % partitions


# %% wrong="only ASCII bytes"
# You dropped the bytes that are not ASCII. The bytes of a key are UTF-8: 茶 has three.
def partition_of(key, partitions):
    if key is None:
        return None
    return (murmur2(key.encode("ascii", "ignore")) & 0x7FFFFFFF) % partitions


# %% wrong="the empty text is no key"
# An empty text is a key like any other. Only None means that there is no key.
def partition_of(key, partitions):
    if not key:
        return None
    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions


# %% wrong="without a key partition 0"
# Without a key there is nothing to compute: return None, not partition 0.
def partition_of(key, partitions):
    if key is None:
        return 0
    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions


# %% wrong="one too many"
# One too many: the first partition is 0, so the remainder is the partition.
def partition_of(key, partitions):
    if key is None:
        return None
    return ((murmur2(key.encode()) & 0x7FFFFFFF) + 1) % partitions


# %% wrong="one more after the division"
# One too many: the remainder is the partition, for the first partition is 0.
def partition_of(key, partitions):
    if key is None:
        return None
    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions + 1


# %% equivalent
# `key.encode('utf-8')` -> `key.encode()`: UTF-8 is Python's default.

# %% hint
# Bytes first: key.encode(). Then murmur2, then the sign bit, then the remainder of the division.

# %% hint
# Clear the sign bit with & 0x7fffffff, which is not the same as abs(). Ask for None before
# everything else.
