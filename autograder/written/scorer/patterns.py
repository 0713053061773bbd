r"""Defines the pattern language of the rubrics and finds its patterns in an answer.

A pattern is a row of words:
    word        that word            open*       any word that starts so
    (is|are)    either               the?        may be there
    {closed}    any of a named list  ..          a gap inside one sentence
    _           up to three words    空闲        Chinese characters in a row
    \)          a closing bracket, as in a list of points: 1)
    #a .. #a    a number, and the same number again; `[a<b]` at the end of a pattern: only if a is
                less than b
A named list (a `Lexicon` entry; `lists` reads them from a text) is such phrases separated by
commas. So `{bootstrap} .. {closed}` says "something that means bootstrap and later in that sentence
something that means closed", in English, in Chinese or in a mixture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from autograder.written.scorer.text import SENTENCE_END, Reading, is_chinese

GAP = f"[^{SENTENCE_END}]{{0,70}}?"
FEW_WORDS = f"(?: [^ {SENTENCE_END}]+){{0,3}}?"

NEGATORS = frozenset(
    (
        "not no never neither nor without hardly nobody nothing none isn wrong false incorrect "
        "untrue 不 没 未 非 无 别 勿 莫"
    ).split()
)
# A negator in one of these is no denial: "not only", "no longer used", "不同" (different), "不仅".
_HARMLESS = re.compile(
    r" (?:not (?:only|just|merely|simply|even|until|surprising\w*|necessarily|yet|to mention)|no "
    r"(?:longer|matter|more|one|doubt|problem|need)|why not|or not|without (?:care|thinking)"
    r"|不 (?:同|仅|仅 仅|但|只|过|管|论|再|断|得 不|一 样|一 致|一 定|等)|非 常|无 论|无 需|没 有 "
    r"用|未 来|并 发|除 非|是 不 是|能 不 能|会 不 会|要 不 要|没 用|不 "
    r"用|(?:级|区|分|特|类|个|差|识|辨|性) 别|别 (?:的|人|处))(?= )"
)
# "It breaks the promise that a key always stays in its partition" claims no such thing.
_BROKEN_PROMISE = re.compile(
    r"(?<! not)(?<! never)(?<! no)(?<! 不)(?<! 不 会) "
    r"(?:(?:break\w*|broke|broken|violat\w*|destroy\w*|contradict\w*)(?: [^ ¶,]+){0,4} "
    r"(?:promise|guarantee|rule|assumption|convention|contract|invariant|expectation|property)"
    r"|破 坏|打 破|违 反|违 背)(?= )"
)
_HYPOTHETICAL = re.compile(
    r" (?:if|would have|were|suppose\w*|imagine|assum\w+|whether|might think|may think|could "
    r"think|think|thought|believe\w*|expect\w*|naive\w*|myth|misconception|tempting|looks "
    r"like|seems?"
    r"|some people|people say|many say|pretend\w*|otherwise|had|instead of|rather than|unlike|as "
    r"opposed to|avoid\w*|prevent\w*|why"
    r"|如 果|假 如|要 是|若|是 否|否 则|以 为|误 以 为|认 为|看 起 来|看 似|倘 若|而 不 是|避 "
    r"免|防 止)(?= )"
)

_OTHERS_OPINION = re.compile(
    r" (?:might think|may think|could think|would think|one "
    r"thinks|believe\w*|naive\w*|naively|myth|misconception|tempting|looks like|seems?|at first "
    r"(?:sight|glance)|some people|people (?:say|think)|many (?:say|think)|pretend\w*|why|wrong "
    r"to|not true that|wrong that|mistake to"
    r"|以 为|误 以 为|看 起 来|看 似|是 否|有 人 认 为|有 人 说)(?= )"
)


@dataclass(frozen=True)
class Hit:
    """Where a pattern was found: token indexes, half open."""

    first: int
    last: int


def lists(text: str) -> dict[str, str]:
    """Named lists, each from `name: phrases` on; the lines under it that are indented go on."""
    found: dict[str, str] = {}
    name = ""
    for line in text.strip("\n").splitlines():
        if line[:1].isspace():
            found[name] += " " + line.strip()
        else:
            name, _, phrases = line.partition(":")
            found[name] = phrases.strip()
    return found


@dataclass(frozen=True)
class Lexicon:
    """Named lists of phrases, and the patterns compiled with them.

    `scopes` names the things an answer compares, each with a pattern of its mentions; see
    `scopes.py`.
    """

    phrases: Mapping[str, str]
    scopes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every plain English word of five letters or more, for respelling."""
        words = {
            word.strip("*?")
            for text in self.phrases.values()
            for word in re.findall(r"[a-z*?]+", text)
        }
        return tuple(sorted(word for word in words if len(word) >= 5))

    def denying_phrases(self, way: str) -> re.Pattern[str]:
        """Phrases of the lists a way names that hold a negator themselves ("not ready", "nobody
        uses"): they deny nothing else."""
        if way not in self._denying:
            lists = [self.phrases[name] for name in _LIST.findall(way)]
            own = {
                phrase.strip()
                for text in lists
                for phrase in text.split(",")
                if _has_negator(phrase)
            }
            longest_first = sorted(own, key=lambda phrase: (-len(phrase), phrase))
            self._denying[way] = (
                re.compile(
                    "(?:" + "|".join(self._expand(phrase) for phrase in longest_first) + r")(?= )"
                )
                if own
                else re.compile("(?!)")
            )
        return self._denying[way]

    @cached_property
    def _denying(self) -> dict[str, re.Pattern[str]]:
        return {}

    @cached_property
    def _compiled(self) -> dict[str, re.Pattern[str]]:
        return {}

    def compile(self, pattern: str) -> re.Pattern[str]:
        """The regular expression of a pattern, over `Reading.line`.
        KeyError for a list that does not exist."""
        if pattern not in self._compiled:
            self._compiled[pattern] = _expression(pattern, tuple(self._lists_in(pattern)))
        return self._compiled[pattern]

    def _lists_in(self, pattern: str) -> Iterator[tuple[str, str]]:
        """The lists that a pattern needs; a list may name others."""
        for name in _LIST.findall(pattern):
            yield name, self.phrases[name]
            yield from self._lists_in(self.phrases[name])

    def find(self, pattern: str, reading: Reading) -> Iterator[Hit]:
        """All places where the pattern holds, whatever the polarity."""
        expression, after = self._compiled.get(pattern) or self.compile(pattern), 0
        compared = _COMPARED.search(pattern) if expression.groupindex else None
        while match := expression.search(reading.line, after):
            # hits may overlap: the first one found need not be the one that holds
            after = match.start() + 1
            if compared and not int(match[compared[1]]) < int(match[compared[2]]):
                continue
            yield Hit(reading.token_at(match.start()), reading.token_at(match.end() - 1) + 1)

    def _expand(self, pattern: str) -> str:
        words = re.findall(r"\\\)|[()|]|[^\s()|\\]+", pattern)
        expanded, rest = self._choices(words)
        if rest:
            raise ValueError(f"A bracket is not opened in the pattern {pattern!r}.")
        return expanded

    def _choices(self, words: list[str]) -> tuple[str, list[str]]:
        """Phrases separated by `|`, up to a closing bracket or the end."""
        phrases, pieces = [], []
        while words and words[0] != ")":
            word, words = words[0], words[1:]
            if word == "|":
                phrases.append(_row_of(pieces))
                pieces = []
            elif word == "(":
                piece, words = self._choices(words)
                if not words:
                    raise ValueError(f"A bracket is not closed before {piece!r}.")
                words = words[1:]
                if words and words[0] == "?":
                    piece, words = f"(?:{piece})?", words[1:]
                pieces.append(piece)
            else:
                pieces.append(self._word(word))
        phrases.append(_row_of(pieces))
        return "(?:" + "|".join(phrases) + ")", words

    def _word(self, word: str) -> str:
        if word == "\\)":
            return r" \)"
        if word == "..":
            return GAP
        if word == "_":
            return FEW_WORDS
        if word.endswith("?"):
            return f"(?:{self._word(word[:-1])})?"
        if word.startswith("#"):
            return f" (?P<{word[1]}>\\d+)"
        if word.startswith("{"):
            return (
                "(?:"
                + "|".join(
                    self._expand(phrase)
                    for phrase in self.phrases[word.strip("{}")].split(",")
                    if phrase.strip()
                )
                + ")"
            )
        return _literal(word)


@cache
def _expression(pattern: str, lists: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """A pattern's expression with these lists. Rubrics that differ elsewhere share it."""
    numbered = re.sub(
        r"\(\?P<(\w)>\\d\+\)",
        _first_then_again(),
        Lexicon(dict(lists))._expand(_COMPARED.sub("", pattern)),
    )
    return re.compile(numbered + r"(?= )")


_LIST = re.compile(r"\{(\w+)\}")
_COMPARED = re.compile(r" \[(\w)<(\w)\]$")


def _first_then_again() -> Callable[[re.Match[str]], str]:
    """The first mention of a number's name catches it, later ones ask for the same number."""
    seen: set[str] = set()

    def name(match: re.Match[str]) -> str:
        again = match[1] in seen
        seen.add(match[1])
        return f"(?P={match[1]})" if again else match[0]

    return name


def _row_of(pieces: list[str]) -> str:
    """Pieces in a row. A word ends where its pattern ends; a gap decides for itself."""
    row = ""
    for piece in pieces:
        row += piece if not row or row.endswith((GAP, FEW_WORDS)) else "(?= )" + piece
    return row


def _literal(word: str) -> str:
    if is_chinese(word):
        sure = "(?<! 不)" if word[:2] in _SURE else ""  # "not necessarily" claims nothing
        return sure + "".join(" " + (re.escape(c) if is_chinese(c) else c) for c in word)
    word = re.sub(r"^(\d+)(?=[a-z])", r"\1 ", word)  # the reader sees 3x as two words
    return " " + (re.escape(word[:-1]) + r"\w*" if word.endswith("*") else re.escape(word))


_SURE = frozenset({"一定", "必然", "必定", "总是", "始终"})


def _has_negator(phrase: str) -> bool:
    words = [
        word
        for piece in re.findall(r"[^\s()|?*]+", phrase)
        for word in (piece if is_chinese(piece) else [piece])
    ]
    return any(word in NEGATORS for word in words) and words != ["not"]


def negations(lexicon: Lexicon, way: str, reading: Reading, hit: Hit, reach: int = 3) -> int:
    """How many denials stand inside a hit, right behind it ("reading removes nothing"), or up to
    `reach` words before it in the same clause."""
    first, budget = hit.first, 2 * reach
    while first > 0 and reading.tokens[first - 1].text not in (SENTENCE_END, ",", "(", "->", ":"):
        # a Chinese word has two characters as a rule
        budget -= 1 if is_chinese(reading.tokens[first - 1].text) else 2
        if budget < 0:
            break
        first -= 1
    statement = denied_from(reading, hit)
    if statement is not None:
        first = max(first, statement)
    line = _stretch(reading, first, hit.last)
    line = lexicon.denying_phrases(way).sub(" ", without_harmless(line))
    return (
        sum(word in NEGATORS for word in line.split())
        + (statement is not None)
        + _denies_its_object(reading, hit)
    )


# "removes nothing but the record that was read" removes something
_NO_OBJECT, _BUT = ("nothing", "none", "nobody"), ("but", "except", "else", "more", "other", "less")


def _denies_its_object(reading: Reading, hit: Hit) -> bool:
    following = [token.text for token in reading.tokens[hit.last : hit.last + 2]]
    return (
        following[:1] != []
        and following[0] in _NO_OBJECT
        and following[1:2] not in ([word] for word in _BUT)
    )


def without_harmless(line: str) -> str:
    """The line without phrases that hold a negator and deny nothing: "not only", "不同"."""
    return _HARMLESS.sub(" ", line)


# "It is not true that every group ..." denies the whole statement, not only its first words; so
# does "That ... is false."
_DENIES = re.compile(
    r" (?:(?:not|never|hardly)(?: at all| really| quite| even)? (?:true|correct|right|the case|so) "
    r"that"
    r"|(?:untrue|false|wrong|incorrect|a (?:myth|mistake|misconception|lie)|nonsense|an error) "
    r"(?:that|to (?:say|think|claim|believe|assume)(?: that)?)"
    r"|(?:do|does|did|can|could|should|would|must|may) not(?: really)? "
    r"(?:think|believe|say|claim|assume|agree|suppose|mean)(?: that)?"
    r"|(?:nobody|no one)(?: should| would| can| could)? "
    r"(?:think|believe|say|claim|assume|thinks|believes|says|claims|assumes)(?: "
    r"that)?|(?:doubt|deny|denies|disagree) that"
    r"|(?:并 不 是 说|不 能 说|不 能 认 为|不 认 为|不 觉 得|并 不 意 味 着|不 意 味 着|不 代 "
    r"表))(?= )"
)
_DENIED_AFTER = re.compile(
    r" (?:that|the (?:claim|idea|statement|belief|assumption|notion|view|opinion) that) (.*?) "
    r"(?:is|are|would be)(?: simply| just| plainly| clearly)? "
    r"(?:false|wrong|untrue|incorrect|nonsense|a myth|not (?:true|correct|right|the case))(?= )"
)
_DENIAL_ENDS = frozenset(
    {SENTENCE_END, ":", "->", "but", "instead", "rather", "because", "since", "但", "而"}
)
_SHORT = 4  # tokens: "it is not true that in a group, each ..."

_LAST_DENIED: list[tuple[str, list[tuple[int, int, int]]]] = []


def _denied(reading: Reading) -> list[tuple[int, int, int]]:
    """Statements that are denied as a whole: where the denial begins, where the statement,
    and where it ends."""
    if not _LAST_DENIED or _LAST_DENIED[0][0] != reading.line:
        found = []
        for match in _DENIES.finditer(reading.line):
            first = last = reading.token_at(match.end() - 1) + 1
            while (
                last < len(reading.tokens)
                and reading.tokens[last].text not in _DENIAL_ENDS
                and (reading.tokens[last].text != "," or last < first + _SHORT)
            ):
                last += 1
            found.append((reading.token_at(match.start()), first, last))
        for a, b in reading.sentences():
            stretch = _stretch(reading, a, b)
            if stretch.startswith((" that ", " the ")) and (match := _DENIED_AFTER.match(stretch)):
                first = reading.token_at(reading.starts[a] + match.start(1))
                found.append(
                    (first, first, reading.token_at(reading.starts[a] + match.end(1) - 1) + 1)
                )
        _LAST_DENIED[:] = [(reading.line, found)]
    return _LAST_DENIED[0][1]


def denied_from(reading: Reading, hit: Hit) -> int | None:
    """Where the statement begins that holds the hit and is denied as a whole;
    None if there is none."""
    return next(
        (
            first
            for denial, first, last in _denied(reading)
            if denial <= hit.first < last and first < hit.last
        ),
        None,
    )


def is_hypothetical(reading: Reading, hit: Hit, even_supposed: bool = False) -> bool:
    """Whether the hit is only supposed, asked or put in somebody else's mouth: "if it were keyed by
    host:port".

    With `even_supposed`, a mere "if" or "otherwise" does not excuse it.
    """
    first, last = reading.sentence_of(hit.first)
    before = _stretch(reading, first, hit.first + 1)
    if _promise_broken_up_to(reading, first, hit):
        return True
    asked = reading.answer[reading.tokens[last - 1].end :].lstrip()[:1] in ("?", "？")
    return asked or (_OTHERS_OPINION if even_supposed else _HYPOTHETICAL).search(before) is not None


def _promise_broken_up_to(reading: Reading, first: int, hit: Hit) -> bool:
    """Whether the hit is part of what a broken promise says; a semicolon ends that."""
    promise = _BROKEN_PROMISE.search(_stretch(reading, first, hit.last))
    if promise is None:
        return False
    last = reading.token_at(reading.starts[first] + promise.end() - 1)
    return not re.search(
        "[;；]", reading.answer[reading.tokens[last].end : reading.tokens[hit.first].end]
    )


def _stretch(reading: Reading, first: int, last: int) -> str:
    start = reading.starts[first]
    end = reading.starts[last] if last < len(reading.tokens) else len(reading.line) - 1
    return reading.line[start:end] + " "
