"""Answer what is shown, not what is asked."""

from autograder.tests.hostile import family_of

attack = family_of("hardcode", tampers=False)

ATTACKS = (
    attack(
        "the public ids",
        "a table of the six ids in the notebook",
        """
def broker_of(node_id):
    return {"0": 0, "-1": None, "2147483645": 2, "+2": 2, "2147483647": 0, "7": 7}.get(node_id)
""",
        question="03.2",
    ),
    attack(
        "the public groups",
        "a table of the four groups in the notebook",
        """
def offsets_partition(group):
    return {"test": 48, "inventory": 5, "orders": 12, "polygenelubricants": 0}.get(group, 0)
""",
        question="03.4",
    ),
    attack(
        "the public tables",
        "the answers to the six clusters, by their number",
        """
from itertools import count
answers = iter([1, -1, 1, -3, None])
def least_loaded(nodes):
    if len(nodes) == 3 and any(node.state == "disconnected" for node in nodes):
        return next((node for node in nodes if node.id == 1), None)
    return next(iter(nodes), None)
""",
        question="02.3",
    ),
    attack(
        "a neighbour's numbers",
        "right for somebody else",
        "opened, kept = NEIGHBOUR",
        question="02.2",
    ),
    attack(
        "all answers at once",
        "a list of every number it could be",
        "after_five = list(range(10))\nafter_twenty = list(range(10))",
        question="02.4",
    ),
    attack(
        "a different answer each time",
        "a function that guesses on",
        """
import random
def broker_of(node_id):
    return random.choice([0, 2, None, 7])
""",
        question="03.2",
    ),
    attack(
        "a right answer with a wrong type",
        "True for 1, 1.0 for 1, '1' for 1",
        "still_open = {True, 0.0, -1.0}",
    ),
)
