"""The myth court: a claim about Kafka is held against an experiment, version by version, and the
verdict falls by itself.

    from autograder.learner.court import claims, court

    claims()                     # the twenty claims
    court(3, experiment)         # your experiment(version) beside the court's own
    court(3)                     # the court's own alone, once you have tried

A claim is true where it holds in every version the lab plays, false where in none, and otherwise
"until 2.3" or "from 3.0.1": the last version where it held, or the first.
`predict("myth 03", verdict=...)` locks a guess in beforehand; the court shows it beside the
verdict.
"""

from autograder.learner.court.hearing import Hearing, claims, court

__all__ = ["Hearing", "claims", "court"]
