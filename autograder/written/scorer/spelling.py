"""Reads misspelt words of the subject as the rubric's own words: "cordinator", "heartbeet".

Only words that this rubric does not know and that are no everyday English (`english.py`) are
respelt, and only to a rubric word that starts with the same letter and is one slip away (two in
words of eight letters or more). A slip is a letter added, lost, changed or swapped with its
neighbour (Damerau 1964).
"""

from __future__ import annotations

from functools import lru_cache

from autograder.written.scorer.english import EVERYDAY


class Speller:
    """Respells towards the words of one rubric. Calling it gives
    the word itself when nothing fits."""

    def __init__(self, vocabulary: tuple[str, ...]):
        self._by_letter: dict[str, list[str]] = {}
        for word in vocabulary:
            self._by_letter.setdefault(word[0], []).append(word)
        self.respell = lru_cache(maxsize=20_000)(self._respell)

    def __call__(self, word: str) -> str:
        return self.respell(word)

    def _respell(self, word: str) -> str:
        if len(word) < 5 or word in EVERYDAY or len(word) > 24:
            return word
        nearby = self._by_letter.get(word[0], [])
        if any(word.startswith(known) for known in nearby):
            return word
        best, best_slips = word, 3
        for known in nearby:
            allowed = 1 if len(known) < 8 else 2
            for cut in range(max(4, len(known) - allowed), min(len(word), len(known) + 1) + 1):
                # A rubric word is often a stem: compare it with the beginning, and keep a normal
                # ending.
                found = slips(word[:cut], known, allowed)
                if (
                    found <= allowed
                    and len(word) - cut <= 4
                    and (found, -len(known)) < (best_slips, -len(best))
                ):
                    best, best_slips = known, found
        return best


def slips(one: str, other: str, most: int) -> int:
    """How many slips lie between two words; most + 1 stands for "too many"."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1] if row[-1] <= most else most + 1
