"""Answers small cases of Kafka's behaviour from a file with the machines that the labs run on.

`python -m kafkalab answer FILE.json` reads cases (an input, and the facts that are wanted) and
prints the simulator's answers. Nothing is computed here: the module of each family builds the
machine that the case is about, gives it the input, and reads the answer from what the machine did.
So an answer is right where the simulator is right.
"""

from kafkalab.proof.cases.command import main

__all__ = ["main"]
