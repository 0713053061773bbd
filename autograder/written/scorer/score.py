"""Suggests a mark for an open answer, with the reasons; a person decides.

The rule is the course's: mark = round(4 x share of the concepts that are present, correct and not
contradicted); at most 1 where the central claim is wrong or a direction is reversed; 0 for gaming;
pass = 3 or more. No network, no model, no clock, no chance: one answer and one rubric always give
the same suggestion.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property

from autograder.written.scorer import concepts, denials, english, gaming, hidden, text
from autograder.written.scorer.concepts import Blunder, Concept, Status
from autograder.written.scorer.patterns import Hit, Lexicon
from autograder.written.scorer.spelling import Speller
from autograder.written.scorer.text import Reading, read

VERSION = 2
"""The scorer's version, which each rubric's digest holds. Raise it when a change may give another
mark: calibrations hold for one version."""
PASS_MARK = 3
LOW_CONFIDENCE = 0.6
_CLAUSE_WORDS = 5
_WORTH_A_LOOK = 30  # words


@dataclass(frozen=True)
class Rubric:
    """All that is needed to mark one question. No learner is given one."""

    question_id: str
    question: str
    lexicon: Lexicon
    concepts: tuple[Concept, ...]
    blunders: tuple[Blunder, ...] = ()
    topic: tuple[str, ...] = ()  # an answer that holds none of these is about something else
    needed: tuple[str, ...] = ()  # concepts without which nothing passes
    # what the question asks outright: who says all of it and no more may pass with a fair marker,
    # so no clear fail
    core: tuple[str, ...] = ()
    # where a fair marker stops and reads twice before passing an answer; they cost confidence, no
    # points
    doubts: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Twelve hex digits that change with the rubric or with the version of the scorer."""
        written = repr(
            (
                VERSION,
                self.question_id,
                self.question,
                sorted(self.lexicon.phrases.items()),
                sorted(self.lexicon.scopes.items()),
                self.concepts,
                self.blunders,
                self.topic,
                self.needed,
                self.core,
                self.doubts,
            )
        )
        return hashlib.sha256(written.encode()).hexdigest()[:12]

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """Beginnings of the longer English words of its lists, and pairs of Chinese characters."""
        phrases = " ".join(self.lexicon.phrases.values())
        chinese = re.findall(r"[\u3400-\u9fff]+", phrases)
        return frozenset(word[:6] for word in re.findall(r"[a-z]{5,}", phrases)) | frozenset(
            row[at : at + 2] for row in chinese for at in range(len(row) - 1)
        )

    @cached_property
    def speller(self) -> Speller:
        """Every word of the rubric, of its lists and of its ways, is spelt right there."""
        ways = [
            way
            for concept in self.concepts
            for way in (*concept.ways, *concept.against, *concept.near)
        ]
        ways += [way for one in self.blunders for way in (*one.ways, *one.forgiven_by)]
        ways += [*self.topic, *self.doubts]
        written = re.sub(r"\{\w+\}", " ", " ".join(ways))
        words = re.findall(r"[a-z]+", f"{written} {' '.join(self.lexicon.vocabulary)}")
        return _speller_of(tuple(sorted({word for word in words if len(word) >= 5})))


@dataclass(frozen=True)
class Span:
    """A piece of the answer as the student typed it: characters start..end (half open)."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class ConceptFinding:
    """What became of one concept, where it shows, and the same in a sentence."""

    name: str
    status: str
    evidence: tuple[Span, ...]
    sentence: str


@dataclass(frozen=True)
class Suggestion:
    """What the scorer suggests for one answer. `confidence` is 0..1;
    below 0.6 the flags say low_confidence."""

    question_id: str
    mark: int
    passed: bool
    confidence: float
    concepts: tuple[ConceptFinding, ...]
    flags: tuple[str, ...]
    sentence: str
    rubric_hash: str

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)


def score(rubric: Rubric, answer: str | None, others: Iterable[Rubric] = ()) -> Suggestion:
    """Suggest a mark for an answer to the rubric's question.

    `others` are the rubrics of the other questions of the course: an answer may belong to one.
    """
    answer = answer or ""
    others = tuple(one for one in others if one.question_id != rubric.question_id)
    reading = read(answer[: gaming.MOST_CHARACTERS], rubric.speller)
    flag = _first_guard(rubric, reading)
    body = reading.without(gaming.copied(reading, rubric.question))
    if flag:
        unsure = flag in _LOOKS_LIKE_NOTES and _opens_with_numbers(body, _judge(rubric, body))
        return _gamed(rubric, flag, reading, unsure)
    judged = _judge(rubric, body)
    found = sum(status is Status.PRESENT for status, _ in judged)
    blunder, blunder_hit, qualified = _blunder(rubric, body)
    if len(body.words) > 8 * (1 + body.chinese_share) and not concepts.said(
        _any_polarity(rubric.topic), rubric.lexicon, body
    ):
        return _gamed(rubric, "off_topic", reading)  # apples can be counted too
    if not found and not blunder:
        flag = _elsewhere(rubric, body, others)
        if flag:
            return _gamed(rubric, flag, reading)
    elif (
        found <= len(rubric.concepts) // 2
        and _elsewhere(rubric, body, others, found + 2) == "wrong_question"
    ):
        return _gamed(rubric, "wrong_question", reading)
    flags = []
    present = [status is Status.PRESENT for status, _ in judged]
    mark = mark_for(rubric, present, blunder is not None)
    if blunder:
        if _rounded(4 * found / len(present)) >= PASS_MARK:
            flags.append("one_decisive_error")
        flags.append(blunder.flag)
    if qualified:
        flags.append("qualified")
    if any(status is Status.CONTRADICTED for status, _ in judged):
        flags.append("double_talk")
    lacking = [
        concept.name
        for concept, (status, _) in zip(rubric.concepts, judged)
        if concept.name in rubric.needed and status is not Status.PRESENT
    ]
    if len(answer) > gaming.MOST_CHARACTERS or len(reading.words) > gaming.LONG_WORDS * (
        1 + reading.chinese_share
    ):
        mark = min(mark, PASS_MARK - 1)
        flags.append("over_length")
    evidence = [where for status, where in judged if status is Status.PRESENT]
    if mark >= PASS_MARK and denials.one_after_the_other(body, evidence):
        flags.append("denies_the_ideas")
    confidence = _confidence(rubric, body, judged, mark, flags)
    if confidence < LOW_CONFIDENCE:
        flags.append("low_confidence")
    findings = tuple(
        _finding(concept, status, where, body)
        for concept, (status, where) in zip(rubric.concepts, judged)
    )
    sentence = _summary(rubric, judged, blunder, blunder_hit, lacking, flags, body, mark)
    return Suggestion(
        rubric.question_id,
        mark,
        mark >= PASS_MARK,
        round(confidence, 2),
        findings,
        tuple(flags),
        sentence,
        rubric.digest,
    )


def mark_for(rubric: Rubric, present: Sequence[bool], turned: bool) -> int:
    """The course's rule: the mark, 0 to 4, for which of the rubric's ideas are there, in its order.
    turned: whether a false claim turns the answer."""
    needed = all(
        there for concept, there in zip(rubric.concepts, present) if concept.name in rubric.needed
    )
    most = 1 if turned else 4 if needed else PASS_MARK - 1
    return min(most, _rounded(4 * sum(present) / len(present)))


def rule_mark(rubric: Rubric, reading: Reading) -> int:
    """The mark of the rubric's ideas and false claims alone: no look is taken at gaming."""
    present = [status is Status.PRESENT for status, _ in _judge(rubric, reading)]
    return mark_for(rubric, present, _blunder(rubric, reading)[0] is not None)


def phrase_places(
    rubric: Rubric, words: str, readings: Iterable[Reading], way: bool = False
) -> tuple[set[tuple[int, int]], set[int]]:
    """Where readings hold a phrase or, once in each, a way: (number of the reading, token). And the
    numbers of the readings that hold the way's first pattern at all."""
    first = concepts.first_pattern(words) if way else words
    found, holding = set(), set()
    for number, reading in enumerate(readings):
        rough = list(rubric.lexicon.find(first, reading))
        if rough:
            holding.add(number)
            exact = list(concepts.hits(words, rubric.lexicon, reading))[:1] if way else rough
            found |= {(number, 0 if way else hit.first) for hit in exact}
    return found, holding


def _first_guard(rubric: Rubric, reading: Reading) -> str | None:
    if hidden.hides(reading.answer):
        return "hidden_text"
    if not reading.words:
        return "empty"
    if gaming.instructs_marker(read(reading.answer)):  # as typed, before any respelling
        return "instructs_marker"
    body = reading.without(gaming.copied(reading, rubric.question))
    if len(body.words) < len(reading.words) and len(body.words) < 4:
        return "copied_question"
    if gaming.lists_ideas(body, [concept.name for concept in rubric.concepts]):
        return "copied_scheme"
    if gaming.repeats(body):
        return "repetition"
    if gaming.is_salad(body):
        return "keyword_salad"
    return None


def _elsewhere(
    rubric: Rubric, body: Reading, others: tuple[Rubric, ...], enough: int = 2
) -> str | None:
    """Whether an answer that says nothing here says much elsewhere,
    or nothing of this subject at all."""
    for other in _nearest(rubric, body, others):
        judged = _judge(other, body)
        if sum(status is Status.PRESENT for status, _ in judged) >= max(3, enough):
            return "wrong_question"
    if not concepts.said(_any_polarity(rubric.topic), rubric.lexicon, body):
        return "off_topic"
    return None


_LOOKED_AT = 2


def _nearest(rubric: Rubric, body: Reading, others: tuple[Rubric, ...]) -> list[Rubric]:
    """The questions whose words an answer uses most, more than this one's: what it was written for,
    if not for this one, is among them.

    A word counts the more the fewer questions have it. Looking at all of them would cost ten times
    as much.
    """
    told = _marks_of(body)
    worth: dict[str, int] = {}
    for other in (rubric, *others):
        for mark in told & other.beginnings:
            worth[mark] = worth.get(mark, 0) + 1
    kin = [
        (sum(1 / worth[mark] for mark in sorted(told & other.beginnings)), other)
        for other in (rubric, *others)
    ]
    own = kin.pop(0)[0]
    return [
        other
        for near, other in sorted(kin, key=lambda one: (-one[0], one[1].question_id))[:_LOOKED_AT]
        if near >= max(1, own)
    ]


def _marks_of(body: Reading) -> set[str]:
    """Beginnings of the longer English words, and neighbouring Chinese characters."""
    words = body.words
    return {word[:6] for word in words if len(word) >= 5} | {
        one + two
        for one, two in itertools.pairwise(words)
        if text.is_chinese(one) and text.is_chinese(two)
    }


def _judge(rubric: Rubric, body: Reading) -> list[tuple[Status, list[Hit]]]:
    """Status and evidence of each concept."""
    judged = []
    for concept in rubric.concepts:
        ways = concepts.said(concept.ways, rubric.lexicon, body)
        denials = concepts.claimed(concept.against, rubric.lexicon, body)
        if ways and not denials:
            judged.append((Status.PRESENT, ways))
        elif denials:
            judged.append((Status.CONTRADICTED if ways else Status.WRONG, denials))
        else:
            refused = concepts.denied(concept.ways, rubric.lexicon, body)
            judged.append((Status.WRONG if refused else Status.MISSING, refused))
    return judged


def _blunder(rubric: Rubric, body: Reading) -> tuple[Blunder | None, Hit | None, bool]:
    """The first false claim, its place, and whether one was made
    that another part of the answer takes back."""
    qualified = False
    for blunder in rubric.blunders:
        found = concepts.claimed(blunder.ways, rubric.lexicon, body, blunder.even_supposed)
        if found and not (
            blunder.forgiven_by and concepts.said(blunder.forgiven_by, rubric.lexicon, body)
        ):
            return blunder, found[0], False
        qualified = qualified or bool(found)
    return None, None, qualified


_LOOKS_LIKE_NOTES = ("keyword_salad", "copied_scheme", "repetition")


_NUMBER = re.compile(
    r"-?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten)$|[一二两三四五六七八九十]"
)
_FIRST_TOKENS = 3


def _opens_with_numbers(body: Reading, judged: list[tuple[Status, list[Hit]]]) -> bool:
    """Whether an answer with all ideas but one begins with its numbers, as in
    "4 created, 3 kept: ..."."""
    found = sum(status is Status.PRESENT for status, _ in judged)
    numbers = (_NUMBER.match(token.text) for token in body.tokens[:_FIRST_TOKENS])
    return found >= len(judged) - 1 and any(numbers)


def _confidence(
    rubric: Rubric,
    body: Reading,
    judged: list[tuple[Status, list[Hit]]],
    mark: int,
    flags: list[str],
) -> float:
    """How sure the suggestion is: 0.95 for a clear case, less for each thing that makes a fair
    marker stop and read again."""
    doubt = 0.05
    for concept, (status, where) in zip(rubric.concepts, judged):
        if (
            status is Status.MISSING
            and concept.near
            and concepts.said(concept.near, rubric.lexicon, body)
        ):
            # it talks about it, in words the rubric does not know; a passing mark could only rise
            doubt += 0.15 if mark < PASS_MARK else 0.05
        if status in (Status.CONTRADICTED, Status.WRONG):
            doubt += 0.1
        if status is Status.PRESENT and len(where) == 1:
            doubt += 0.03
    if mark >= PASS_MARK and concepts.said(rubric.doubts, rubric.lexicon, body):
        doubt += 0.25
    if mark == PASS_MARK:
        doubt += 0.1
    if mark >= PASS_MARK and _unexplained_sentence(body, judged):
        # beside what is right it says something no idea explains: background as a rule, and now and
        # then the error that turns it all
        doubt += 0.2
    found = sum(status is Status.PRESENT for status, _ in judged)
    one_short = mark == PASS_MARK - 1 or (
        mark < PASS_MARK <= _rounded(4 * (found + 1) / len(judged))
        and not any(flag in flags for flag in ("central_claim_wrong", "direction_reversed"))
    )
    if one_short:
        doubt += 0.15
    if "over_length" in flags:
        doubt += 0.4
    if mark >= PASS_MARK and (gaming.is_telegram(body) or gaming.is_code(body)):
        doubt += 0.25
    if "double_talk" in flags:
        doubt += 0.1
    if mark >= PASS_MARK and any(status is Status.WRONG for status, _ in judged):
        doubt += 0.15  # one of the ideas is denied or turned round: perhaps the central one
    if "qualified" in flags:
        doubt += 0.2  # said and taken back: a person sees which of the two was meant
    if mark < PASS_MARK and _opens_with_numbers(body, judged):
        doubt += 0.3  # its other numbers may be parts that were taken for the totals
    if mark >= PASS_MARK and "denies_the_ideas" in flags:
        doubt += 0.3  # it names every idea and seems to mean none of them
    if "one_decisive_error" in flags:
        doubt += 0.3  # all its ideas are right but for one sentence: a person reads that sentence
    present = [where for status, where in judged if status is Status.PRESENT]
    if (
        mark >= PASS_MARK
        and len(present) >= 3
        and body.chinese_share < 0.5
        and len(body.sentences()) == 1
        and (2 * sum(len(where) == 1 for where in present) > len(present) or _entangled(present))
    ):
        # many ideas in one breath, each seen in one way or all in the same words: a pile of right
        # words in good grammar looks like this
        doubt += 0.2
    if one_short and "one_decisive_error" not in flags and _unexplained(body, judged):
        doubt += 0.12  # one idea short of passing, and something was said that no idea explains
    if (
        mark == PASS_MARK - 1
        and rubric.core
        and all(
            status is Status.PRESENT
            for concept, (status, _) in zip(rubric.concepts, judged)
            if concept.name in rubric.core
        )
    ):
        doubt += 0.2  # terse, but all of what was asked
    words = len(body.words)
    if (
        mark <= 1
        and words >= _WORTH_A_LOOK * (1 + body.chinese_share)
        and not any(flag in flags for flag in ("central_claim_wrong", "direction_reversed"))
    ):
        # a long text in which little was recognised: a metaphor, perhaps, or words nobody thought
        # of
        doubt += 0.2
    if words > 180 * (1 + body.chinese_share):
        doubt += 0.1
    if (
        body.chinese_share > 0.1
        and words
        and sum(word in english.EVERYDAY for word in body.words) > 0.25 * words
    ):
        doubt += 0.1  # two languages in one answer: word order says less
    unknown = [
        word
        for word in body.words
        if not text.is_chinese(word)
        and word.isalpha()
        and word not in english.EVERYDAY
        and not _knows(rubric.lexicon, word)
    ]
    doubt += 0.3 * (len(unknown) / words if words else 0)
    return max(0.05, 1 - doubt)


@cache
def _any_polarity(ways: tuple[str, ...]) -> tuple[str, ...]:
    """Who denies a thing speaks of it."""
    return tuple(way if way.startswith(("~", "@")) else "~" + way for way in ways)


_SENTENCE_WORDS = 8


def _unexplained_sentence(body: Reading, judged: list[tuple[Status, list[Hit]]]) -> bool:
    """Whether a whole sentence of some length holds no evidence. Measured: one in twelve
    accepted good answers has one, two in three wrong claims behind a full answer."""
    spans = [(hit.first, hit.last) for _, where in judged for hit in where]
    return any(
        not any(first < end and start < last for start, end in spans)
        and _length(body, first, last) >= _SENTENCE_WORDS
        for first, last in body.sentences()
    )


def _length(body: Reading, first: int, last: int) -> float:
    """Words between two tokens; a Chinese character counts as 0.6 of one."""
    return sum(
        0.6 if text.is_chinese(token.text) else 1
        for token in body.tokens[first:last]
        if token.text[0].isalnum()
    )


def _unexplained(body: Reading, judged: list[tuple[Status, list[Hit]]]) -> int:
    """How many clauses of some length no evidence comes from:
    the learner said something there that the rubric does not know."""
    spans = [(hit.first, hit.last) for _, where in judged for hit in where]
    return sum(
        not any(first < end and start < last for start, end in spans)
        for first, last in body.clauses()
        if sum(0.6 if text.is_chinese(token.text) else 1 for token in body.tokens[first:last])
        >= _CLAUSE_WORDS
    )


def _entangled(present: list[list[Hit]]) -> bool:
    """Whether the first evidence of one idea runs into that of another;
    an honest answer has a clause for each."""
    spans = sorted((where[0].first, where[0].last) for where in present)
    return any(one[1] > other[0] + 1 for one, other in itertools.pairwise(spans))


def _knows(lexicon: Lexicon, word: str) -> bool:
    return any(word.startswith(known[:6]) for known in lexicon.vocabulary)


def _finding(concept: Concept, status: Status, where: list[Hit], body: Reading) -> ConceptFinding:
    spans = tuple(Span(*body.quote(hit.first, hit.last)) for hit in where[:3])
    quote = f' ("{_short(spans[0].quote)}")' if spans else ""
    opening = {
        Status.PRESENT: f"Found: {concept.says}{quote}.",
        Status.MISSING: f"Not found: {concept.says}.",
        Status.CONTRADICTED: (
            f"Taken back: {concept.says}, but the answer also says otherwise{quote}."
        ),
        Status.WRONG: f"Wrong: the answer says something else{quote}; wanted: {concept.says}.",
    }[status]
    gloss = {
        Status.PRESENT: "有",
        Status.MISSING: "缺",
        Status.CONTRADICTED: "自相矛盾",
        Status.WRONG: "有误",
    }[status]
    chinese = f" [{gloss}: {concept.gloss}]" if body.chinese_share > 0.2 else ""
    return ConceptFinding(concept.name, status.value, spans, opening + chinese)


def _summary(
    rubric: Rubric,
    judged: list[tuple[Status, list[Hit]]],
    blunder: Blunder | None,
    hit: Hit | None,
    lacking: list[str],
    flags: list[str],
    body: Reading,
    mark: int,
) -> str:
    found = sum(status is Status.PRESENT for status, _ in judged)
    others = [
        concept.name
        for concept, (status, _) in zip(rubric.concepts, judged)
        if status is not Status.PRESENT
    ]
    parts = [
        f"{found} of {len(judged)} ideas found"
        + (f"; not counted: {' / '.join(others)}" if others else "")
    ]
    if blunder and hit:
        parts.append(
            f"at most 1, because {blunder.sentence} "
            f'("{_short(body.quote(hit.first, hit.last)[2])}")'
        )
    elif lacking:
        parts.append(f"cannot pass without {' and '.join(lacking)}")
    if "over_length" in flags:
        parts.append("far longer than an answer needs to be, so a person should read it")
    if "denies_the_ideas" in flags:
        parts.append("it seems to deny most of the ideas it names, so a person should read it")
    if "low_confidence" in flags:
        parts.append("the scorer is not sure")
    chinese = (
        f" [建议 {mark}/4{'; ' + blunder.gloss if blunder else ''}]"
        if body.chinese_share > 0.2
        else ""
    )
    return f"Suggested {mark} of 4: " + "; ".join(parts) + "." + chinese


def _gamed(rubric: Rubric, flag: str, reading: Reading, unsure: bool = False) -> Suggestion:
    findings = tuple(
        ConceptFinding(concept.name, Status.UNSOUGHT.value, (), f"Not looked for: {concept.says}.")
        for concept in rubric.concepts
    )
    chinese = " [建议 0/4]" if reading.chinese_share > 0.2 else ""
    confidence = {
        "empty": 1.0,
        "instructs_marker": 0.95,
        "copied_question": 0.95,
        "copied_scheme": 0.9,
        "hidden_text": 0.9,
        "repetition": 0.9,
        "keyword_salad": 0.7,
        "wrong_question": 0.8,
        "off_topic": 0.9,
    }[flag]
    if unsure or (flag == "keyword_salad" and gaming.may_be_terse(reading)):
        confidence = 0.65  # a list of points, perhaps: a person looks
    return Suggestion(
        rubric.question_id,
        0,
        False,
        confidence,
        findings,
        (flag,),
        f"Suggested 0 of 4: {gaming.GAMING[flag]}{chinese}",
        rubric.digest,
    )


def _rounded(value: float) -> int:
    return int(value + 0.5)


def _short(quote: str) -> str:
    quote = " ".join(quote.split())
    return quote if len(quote) <= 90 else quote[:87] + "..."


@cache
def _speller_of(vocabulary: tuple[str, ...]) -> Speller:
    return Speller(vocabulary)
