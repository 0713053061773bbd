"""What would kafkalab do? Questions in a file, one answer each, from the machines that the labs run
on.

`python -m kafkalab answer FILE.json` reads small cases of Kafka's behaviour (an input, and which
facts are wanted) and prints what this simulator makes of them. Nothing is computed here: each
family's module builds the machine the case is about, hands it the case's input, and reads off what
it did. So an answer is right exactly where the simulator is.
"""

from kafkalab.proof.cases.command import main

__all__ = ["main"]
