"""Who reads which partition? The range assignor, topic by topic."""

from hypothesis import given
from hypothesis import strategies as st

from kafkalab.clients.consumer.assignors import range_assign


def shown(assignment):
    return {member: " ".join(map(str, partitions)) for member, partitions in assignment.items()}


def test_the_first_members_get_one_more():
    assert shown(range_assign({"t": 5}, {"b": ["t"], "a": ["t"]})) == {"a": "t-0 t-1 t-2", "b": "t-3 t-4"}


def test_each_topic_begins_anew_so_the_first_member_collects_the_extras():
    assert shown(range_assign({"t": 3, "u": 3}, {"a": ["t", "u"], "b": ["t", "u"]})) == {"a": "t-0 t-1 u-0 u-1", "b": "t-2 u-2"}


def test_a_member_too_many_goes_without():
    assert shown(range_assign({"t": 1}, {"a": ["t"], "b": ["t"]})) == {"a": "t-0", "b": ""}


def test_only_who_wants_a_topic_gets_of_it():
    assert shown(range_assign({"t": 2, "u": 2}, {"a": ["t"], "b": ["t", "u"]})) == {"a": "t-0", "b": "t-1 u-0 u-1"}


def test_a_topic_nobody_knows_is_left_out():
    assert shown(range_assign({"t": 1}, {"a": ["t", "ghost"]})) == {"a": "t-0"}


def test_members_are_sorted_as_texts():
    assert shown(range_assign({"t": 2}, {"inv-10": ["t"], "inv-9": ["t"]})) == {"inv-10": "t-0", "inv-9": "t-1"}


@given(st.dictionaries(st.sampled_from("tuvw"), st.integers(0, 12), min_size=1), st.sets(st.text("abc-12", min_size=1, max_size=4), min_size=1, max_size=6))
def test_every_partition_has_one_reader_and_nobody_two_more_of_a_topic_than_another(counts, members):
    assignment = range_assign(counts, {member: list(counts) for member in members})
    given_away = [tp for partitions in assignment.values() for tp in partitions]
    assert len(given_away) == len(set(given_away)) == sum(counts.values())
    for topic in counts:
        shares = [sum(tp.topic == topic for tp in partitions) for partitions in assignment.values()]
        assert max(shares) - min(shares) <= 1
