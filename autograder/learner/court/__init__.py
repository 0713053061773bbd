"""The myth court compares claims about Kafka with experiments, release by release.

    from autograder.learner.court import claims, court

    claims()                     # the thirty claims
    court(3, experiment)         # your answer for each version beside the court's
    court(3, give_up=True)       # the court's own answer

`experiment(version)` returns whether the claim holds in this version, and what it measured. A claim
is true where it holds in every version the lab plays, false where in none, and otherwise "until
2.3" or "from 2.8": the last version where it held, or the first. There is a verdict when learner
and court agree in all versions. `predict("myth 03", verdict=...)` locks a guess in beforehand.
"""

from autograder.learner.court.hearing import Answer, Hearing, NotYetHeard, claims, court

__all__ = ["Answer", "Hearing", "NotYetHeard", "claims", "court"]
