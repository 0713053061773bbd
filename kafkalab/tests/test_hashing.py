"""The hashes of the JVM, against values printed by the JVM and
orders seen in recordings of real clients."""

import pytest

from kafkalab.hashing import (
    coordinator_partition,
    hash_map_order,
    java_string_hash,
    kafka_abs,
    long_map_order,
    murmur2,
    node_hash,
    to_positive,
    topic_partition_hash,
)


@pytest.mark.parametrize(
    ("key", "expected", "of_three", "of_fifty"),
    [
        ("21", -973932308, 0, 40),
        ("foobar", -790332482, 0, 16),
        ("a-little-bit-long-string", -985981536, 2, 12),
        ("abc", 479470107, 0, 7),
        ("", 275646681, 0, 31),
        ("a", -1563381124, 1, 24),
        ("ab", 316155434, 2, 34),
        ("key", -1079937367, 1, 31),
        ("订单", 476285782, 1, 32),
        ("order-1001", 297523878, 0, 28),
    ],
)
def test_a_key_lands_where_the_java_partitioner_puts_it(key, expected, of_three, of_fifty):
    hashed = murmur2(key.encode())
    assert hashed == expected
    assert to_positive(hashed) % 3 == of_three
    assert to_positive(hashed) % 50 == of_fifty


@pytest.mark.parametrize(
    ("group", "expected", "of_fifty", "of_ten"),
    [
        ("test", 3556498, 48, 8),
        ("g1", 3242, 42, 2),
        ("consumer-group-1", 147483020, 20, 0),
        ("payment", -786681338, 38, 8),
        ("消费者组", 871131088, 38, 8),
        ("a😀b", 57849694, 44, 4),  # UTF-16: the emoji counts as two
        ("", 0, 0, 0),
    ],
)
def test_a_group_finds_its_partition_of_the_offsets_topic(group, expected, of_fifty, of_ten):
    assert java_string_hash(group) == expected
    assert coordinator_partition(group) == of_fifty
    assert coordinator_partition(group, 10) == of_ten


def test_the_smallest_int_has_no_absolute_value_in_java_so_kafka_says_zero():
    assert java_string_hash("polygenelubricants") == -(2**31)  # a word famous for this
    assert kafka_abs(-(2**31)) == 0
    assert coordinator_partition("polygenelubricants") == 0


def test_a_topics_partitions_leave_a_hash_map_as_a_ring_cut_where_the_name_decides():
    """The round robin partitioner of 2.3.0 was recorded to deal topic six in this order."""
    assert hash_map_order(range(6), lambda p: topic_partition_hash("six", p)) == [2, 3, 0, 1, 4, 5]


def leaders_in_socket_order(topic, leaders, is_fenced=None):
    """What a consumer does with LIST_OFFSETS: walk the partitions' map,
    group by leader in a second map."""
    partitions = hash_map_order(range(len(leaders)), lambda p: topic_partition_hash(topic, p))
    met = dict.fromkeys(leaders[p] for p in partitions)
    return hash_map_order(
        met, lambda n: node_hash(n, "localhost", 9092 + n, None, is_fenced), newest_first=True
    )


def test_the_leaders_sockets_open_in_the_order_seen_in_the_recordings():
    assert leaders_in_socket_order("t4", [0, 1, 2]) == [2, 0, 1]
    assert leaders_in_socket_order("t5", [0, 1, 0, 1, 0]) == [1, 0]
    assert leaders_in_socket_order("orders", [0, 1, 2, 0]) == [2, 1, 0]


def test_a_map_of_thirteen_has_grown_but_not_one_filled_by_compute_if_absent():
    """put resizes after the 13th entry, computeIfAbsent only before the 14th."""
    keys = [*range(12), 16]
    assert hash_map_order(keys, lambda n: n) == keys
    assert hash_map_order(keys, lambda n: n, newest_first=True) == [16, *range(12)]
    assert hash_map_order([*range(13), 16], lambda n: n, newest_first=True) == [*range(13), 16]


@pytest.mark.parametrize(
    ("numbers", "order"),
    [
        # brokers, and topic t4, of every METADATA answer of broker 2.3.1
        ([0, 1, 2], [0, 2, 1]),
        ([1, 2], [2, 1]),  # while broker 0 was down
        ([0, 1, 2, 3], [0, 2, 3, 1]),  # topic orders
        ([0, 1, 2, 3, 4], [0, 1, 4, 2, 3]),  # topic t5
        ([0, 1, 2, 3, 4, 5], [0, 5, 1, 4, 2, 3]),  # topic six
    ],
)
def test_an_old_broker_lists_partitions_in_the_order_of_a_scala_map(numbers, order):
    assert long_map_order(numbers) == order
