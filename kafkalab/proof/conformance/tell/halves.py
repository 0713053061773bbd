"""Trains a classifier on half of the logs and tests it on the other half, again and again.

The logs of one scenario, of all releases, stay on one side. Our replays draw their times from a
table of the learned half alone. So neither that table nor the classifier knows a kept-back log.

Two classifiers of scikit-learn are asked. One adds traits up (logistic regression), one combines
them (extremely randomized trees). The one that is right more often counts.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kafkalab.extras import need_package
from kafkalab.proof.conformance.tell.traits import VIEWS, Traits

HALVINGS = 3
TREES = 100
SEEN_AT_LEAST = 4


LogsOf = Callable[[set[str]], Sequence["ToldLog"]]


@dataclass(frozen=True)
class ToldLog:
    """One log as a classifier sees it. `scenario` names what stays on one side."""

    scenario: str
    is_real: bool
    views: Mapping[str, Traits]


def halves_of(
    names: Sequence[str], halvings: int = HALVINGS
) -> Iterator[tuple[set[str], set[str]]]:
    """Pairs of halves of these scenarios, each drawn with a seed of its own."""
    known = sorted(set(names))
    for seed in range(halvings):
        mixed = random.Random(seed).sample(known, len(known))
        yield set(mixed[: len(mixed) // 2]), set(mixed[len(mixed) // 2 :])


def shares_told(
    names: Sequence[str], logs_of: LogsOf, halvings: int = HALVINGS
) -> tuple[dict[str, float], list[ToldLog]]:
    """View -> the share of kept-back logs that are told right, of the classifier that is better.

    It is 0.5 where chance decides: as many of the logs are real as simulated. names: the scenarios.
    logs_of: the learned half -> all logs; what it makes may know that half only. Returns the
    kept-back logs of the first halving, too. Raises MissingExtra without scikit-learn, and
    ValueError for fewer than two scenarios.
    """
    need_package("sklearn")
    if len(set(names)) < 2:
        raise ValueError("it takes two scenarios: one to learn from, and one to judge")
    right: dict[str, dict[str, list[float]]] = {view: defaultdict(list) for view in VIEWS}
    first: list[ToldLog] = []
    for number, halves in enumerate(halves_of(names, halvings)):
        for learned in halves:
            logs = logs_of(learned)
            shown = [log for log in logs if log.scenario in learned]
            asked = [log for log in logs if log.scenario not in learned]
            if number == 0:
                first += asked
            for view in VIEWS:
                for name, share in _shares_right(shown, asked, view).items():
                    right[view][name].append(share)
    return {
        view: max(sum(shares) / len(shares) for shares in found.values())
        for view, found in right.items()
    }, first


def _shares_right(
    shown: Sequence[ToldLog], asked: Sequence[ToldLog], view: str
) -> dict[str, float]:
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import MaxAbsScaler

    traits = [log.views[view] for log in shown], [log.views[view] for log in asked]
    truth, wanted = [log.is_real for log in shown], [log.is_real for log in asked]
    if view == "times":
        usual = Usual(traits[0], truth)
        traits = list(map(usual.apart, traits[0])), list(map(usual.apart, traits[1]))
    columns, scale = DictVectorizer(), MaxAbsScaler()
    known = scale.fit_transform(columns.fit_transform(traits[0]))
    new = scale.transform(columns.transform(traits[1]))
    classifiers = {
        "sums": LogisticRegression(solver="liblinear", max_iter=2_000, random_state=0),
        "trees": ExtraTreesClassifier(TREES, min_samples_leaf=2, random_state=0),
    }
    return {
        name: float(one.fit(known, truth).score(new, wanted)) for name, one in classifiers.items()
    }


class Usual:
    """The usual share of each length of gap of each pair, over the logs that have the pair.

    Pairs that real or simulated logs hardly have are left out, and a log without a pair looks like
    the mean of all logs. So the times do not tell which pairs there are: that is the order's part.
    """

    def __init__(self, logs: Sequence[Traits], is_real: Sequence[bool]) -> None:
        sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        having: dict[str, Counter[bool]] = defaultdict(Counter)
        for log, side in zip(logs, is_real):
            for pair, gaps in by_pair(log).items():
                having[pair][side] += 1
                for gap, share in gaps.items():
                    sums[pair][gap] += share
        self._means = {
            pair: {gap: total / having[pair].total() for gap, total in gaps.items()}
            for pair, gaps in sums.items()
            if min(having[pair][side] for side in (True, False)) >= SEEN_AT_LEAST
        }

    def apart(self, log: Traits) -> Traits:
        """How far each share of a log is from the usual one."""
        return {
            f"{pair}, {gap}": gaps.get(gap, 0.0) - mean
            for pair, gaps in by_pair(log).items()
            for gap, mean in self._means.get(pair, {}).items()
        }


def by_pair(times: Traits) -> dict[str, dict[str, float]]:
    """Pair -> length of gap -> share, of the view `times` of one log."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for name, share in times.items():
        pair, _, gap = name.rpartition(", ")
        found[pair][gap] = share
    return found
