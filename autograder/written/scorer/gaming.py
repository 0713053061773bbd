"""Finds answers that try to get points without an explanation.

Every guard returns a flag or nothing. A flag of `GAMING` makes the mark 0; the sentence always says
which guard spoke, because a person reads it and may disagree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from autograder.written.scorer import english
from autograder.written.scorer.text import SENTENCE_END, Reading, is_chinese, read

GAMING = {
    "empty": "There is no answer.",
    "hidden_text": "The answer hides text where its reader would not see it.",
    "instructs_marker": "The answer speaks to the marker instead of answering.",
    "keyword_salad": "The answer is a pile of keywords, not sentences.",
    "copied_question": "The answer repeats the question and adds nothing.",
    "copied_scheme": "The answer lists the names of the wanted ideas and explains none.",
    "repetition": "The answer says the same words again and again.",
    "wrong_question": "The answer belongs to another question.",
    "off_topic": "The answer is about something else.",
}

# An answer explains connections or threads to a reader; it never talks about its own marking.
_TO_THE_MARKER = (
    (
        r" (?:ignore|disregard|forget|override|bypass|skip)(?: [^ ¶]+){0,4} "
        r"(?:rubric|instruction\w*|prompt\w*|rules?|guideline\w*|criteria|marking|grading|scheme"
        r"|constraints)"
    ),
    (
        r" (?:give|award|assign|grant|return|output|print|set|deserve\w*|grade|mark|score|rate)(?: "
        r"[^ ¶]+){0,6} (?:full|max\w*|highest|top|perfect|4 / 4|100 %|all the|4|four)(?: [^ "
        r"¶]+){0,2} (?:marks?|points?|score|credits?|grade|mark)"
    ),
    r" (?:full|maximum|max|perfect|top|highest) (?:marks?|points?|scores?|credits?|grades?)",
    (
        r"(?<!\d) (?:mark|grade|score|points?|credits?) (?:= |: |is |should be |must be |to "
        r")(?:4|5|10|100|full|max\w*)(?: / (?:4|5|10|100))?"
    ),
    (
        r" (?:mark|grade|score|rate)(?: this| it| me| my)?(?: answer| response| submission)?(?: "
        r"as)? (?:correct|passed|passing|pass|4|full|perfect|100)"
    ),
    r" as an? (?:ai|language model|llm|assistant|grader|marker|autograder|examiner)",
    (
        r" (?:you are|you re|act as|pretend)(?: [^ ¶]+){0,4} "
        r"(?:grader|marker|assistant|model|ai|examiner|teacher|professor|autograder|scorer"
        r"|generous)"
    ),
    (
        r" (?:system|developer|admin|instructor|grader|marker|assistant)(?: [^ ¶]+){0,2} "
        r"(?::|note|message|override|prompt)"
    ),
    (
        r" (?:dear|hello|hi|hey|note to(?: the)?|attention) "
        r"(?:grader|marker|teacher|professor|examiner|autograder|ai)"
    ),
    (
        r" (?:please|pls|kindly)(?: [^ ¶]+){0,4} "
        r"(?:pass|marks?|points?|credit|grade|score|generous|lenient)"
    ),
    (
        r" (?:this|my|the above|above)(?: student)?(?: s)?(?: answer| response| solution| "
        r"submission)(?: [^ ¶]+){0,4} "
        r"(?:correct|complete|perfect|covers|contains|includes|all|every|deserves|mentions"
        r"|satisfies|meets|fulfils|fulfills|graded|marked|passed|full|top|highest)"
    ),
    (
        r" (?:the|my|our|every|any) "
        r"(?:examiner|grader|marker|professor|teacher|autograder|scorer|instructor|tutor)(?: [^ "
        r"¶]+){0,2} (?:should|must|will|please|can|may|shall|would)(?: [^ ¶]+){0,2} "
        r"(?:note|award|agree|accept|give|grade|mark|pass|see that|find|consider|approve|know that)"
    ),
    (
        r" (?:checked|approved|reviewed|confirmed|verified|graded) by (?:the|my|our|a|another) "
        r"(?:examiner|grader|marker|professor|teacher|autograder|scorer|instructor|tutor)"
    ),
    (
        r" (?:all|every|each)(?: of)?(?: the| required| five| four| 5| 4){0,3} "
        r"(?:concepts?|rubric|criteria|points|key points|ideas|keywords)(?: [^ ¶]+){0,3} "
        r"(?:present|found|covered|mentioned|satisfied|met|correct|included|answered)"
    ),
    (
        r" (?:status|found|verdict|passed|pass|concepts?)(?: \")? (?::|=) (?:\" "
        r")?(?:present|true|pass\w*|correct|yes)"
    ),
    r" (?:the )?rubric(?: [^ ¶]+){0,2} (?:says|requires|wants|expects|should|is)",
    (
        r" (?:evaluate|assess|judge|grade|accept|approve)(?: just| only)? (?:this|my|the)(?: "
        r"student)? (?:answer|response|solution|submission|text)"
    ),
    (
        r" (?:rubric|rubrics|grader|graders|autograder|examiner|examiners|language "
        r"model|llm|chatgpt|full credit|extra credit)"
    ),
    (
        r" (?:as|to|for|dear|attention|hello|hi) (?:the |a |an |my |our |your "
        r")?(?:marker|markers|assessor|evaluator|reviewer|corrector)"
    ),
    (
        r" (?:you|the (?:marker|teacher|system|scorer|assessor)) (?:must|should|have to|has "
        r"to|need to|needs to|will|shall|are required to) (?:now "
        r")?(?:give|award|mark|grade|accept|pass|approve|rate|return|output|print|assign|answer "
        r"with)"
    ),
    r" set (?:the |my |this )?(?:mark|score|grade|points|result|decision)",
    (
        r" (?:treat|regard|count|consider|take) (?:this|the following|the above|it|my answer|the "
        r"answer|everything)(?: [^ ¶]+){0,3} (?:perfect|correct|full|passed|right answer|complete)"
    ),
    (
        r" (?:correct|right|final|proper|deserved|expected|my|your) (?:score|mark|grade)(?: [^ "
        r"¶]+){0,2} (?:is|:|=)"
    ),
    r" (?:override|overrule)(?: [^ ¶]+){0,2} (?::|accept|pass|mark|score|grade)",
    (
        r"(?<!\d) (?:grade|mark|score|points|decision|verdict) (?::|=) "
        r"(?:4|5|10|100|full|max\w*|accept\w*|pass\w*)"
    ),
    (
        r" (?:accept|approve|pass) (?:this|it|me|the) "
        r"(?:answer|submission|student|response|question|exam)"
    ),
    r" < (?:/ )?(?:system|assistant|user|instruction\w*|answer|mark|score|grade|prompt) >",
    r" (?:begin|end|start of|end of) (?:rubric|instruction\w*|prompt|system|answer key)",
    (
        r" (?:评 卷|阅 卷|判 卷|改 卷|(?:打|判|给|得|满|评) 分(?! "
        r"(?:区|布|配|发|片|散|别|开|给))|评 阅|批 改|直 接 通 过|请 通 过|让 我 通 过|通 过 "
        r"(?:本|这|此) (?:题|答)|不 要 检 查|不 必 检 查|系 统 提 示|提 示 词|算 我 "
        r"(?:对|通|过)|宽 容|输 出 (?:4|四|满)|标 准 答 案|本 题|前 (?:的|面)(?: [^ ¶]+){0,4} 指 "
        r"(?:令|示)|指 令 (?::|,)|(?:包 含|覆 盖|涵 盖)(?: 了)?(?: 所 有| 全 部)(?: 的)? (?:要 "
        r"点|概 念|得|关 键))"
    ),
    r" just (?:accept|approve|pass|mark)(?: [^ ¶]+)?",
    (
        r" (?:the )?(?:concepts?|key words|keywords|key points|buzzwords|key terms|key ideas)(?: "
        r"[^ ¶]+){0,2} (?:are|is|:|=)"
    ),
    (
        r" (?:满 分|高 分|老 师|辛 苦|关 键 词|得 分 点|知 识 点|给 我 "
        r"(?:满|高|全|及|通|4|四|打|过|分)|请 (?:给|判|打)(?: [^ ¶]+){0,4} 分|打 (?:4|四|满|高) "
        r"分|给 (?:4|四|满|高|全) 分|判 (?:为|我|对|正)(?: [^ ¶]+){0,3}(?: 对| 确| 过| 分)|忽 "
        r"略(?: [^ ¶]+){0,8}(?: 规 则| 标 准| 指 令| 评 分| 要 求| 提 示)|无 视(?: [^ ¶]+){0,8}(?: "
        r"规 则| 标 准| 指 令| 评 分| 要 求)|老 师(?: ,)?(?: [^ ¶]+){0,4} (?:给|请|求|让)|评 分 "
        r"(?:标 准|规 则|员|者|系 统|老 师)|阅 卷|让 我 (?:通|及|过)|求 (?:过|及|给|通)|你 "
        r"(?:是|现 在 是)(?: [^ ¶]+){0,6} (?:助|评|老|模|阅)|此 答 案|本 答 案|该 答 案|这 个 答 "
        r"案(?: [^ ¶]+){0,4}(?: 正 确| 完 全| 满)|所 有 (?:概 念|要 点|得 分 点))"
    ),
)
# "老师好，我的理解：..." greets; it asks for nothing.
_COURTESY = re.compile(
    r" (?:(?:hello|hi|hey|dear|good morning|good evening|thanks|thank you|many thanks) (?:my "
    r")?(?:teacher|professor|sir|madam|prof)|as (?:my|the|our) (?:teacher|professor) "
    r"(?:said|says|explained|told us)"
    r"|(?:胡 )?老 师 ?(?:,)? (?:您 好|你 好|好)|(?:谢 谢|感 谢|多 谢)(?: 胡)? 老 师|请 老 师 (?:指 "
    r"正|指 点|指 教)|老 师(?: 在 课 上| 课 上)? (?:讲|说|提)(?: 过| 到| 的)?)(?= )"
)
_INSTRUCTION = re.compile("|".join(f"(?:{pattern})(?= )" for pattern in _TO_THE_MARKER))

# the same one to six words, three times running
_STUTTER = re.compile(r"((?: [^ ]+){1,6}?)\1{2,}(?= )")

MOST_CHARACTERS = 6_000  # what is read of an answer; four times the longest honest one
LONG_WORDS = 450  # the longest honest answers we saw or wrote have about 250 words
_SALAD_WORDS = 6  # fewer words cannot be told from a terse answer


def instructs_marker(reading: Reading) -> re.Match[str] | None:
    """Text addressed to the marker, a person or a program: "ignore the rubric", "请给满分"."""
    return _INSTRUCTION.search(_COURTESY.sub(" ,", reading.line))


def copied(reading: Reading, question: str) -> set[int]:
    """Token indexes of sentences taken from the question:
    at least five words, four fifths of them in runs of three."""
    runs = set(_runs(list(read(question).words), 3))
    taken: set[int] = set()
    for first, last in reading.sentences():
        words = [
            (index, reading.tokens[index].text)
            for index in range(first, last)
            if reading.tokens[index].text[0].isalnum() or is_chinese(reading.tokens[index].text)
        ]
        covered: set[int] = set()
        for start in range(len(words) - 2):
            if tuple(word for _, word in words[start : start + 3]) in runs:
                covered.update(index for index, _ in words[start : start + 3])
        if len(words) >= 5 and len(covered) >= 0.8 * len(words):
            taken.update(range(first, last))
    return taken


def lists_ideas(reading: Reading, names: Iterable[str]) -> bool:
    """Whether the answer is little more than the names of the wanted ideas,
    word for word as they stand in the course's list."""
    words = list(reading.words)
    covered: set[int] = set()
    whole, of = 0, 0
    for name in names:
        said = list(read(name).words)
        pairs = set(_runs(said, 2))
        covered.update(
            place
            for start in range(len(words) - 1)
            if tuple(words[start : start + 2]) in pairs
            for place in (start, start + 1)
        )
        whole += tuple(said) in set(_runs(words, len(said)))
        of += 1
    share = len(covered) / max(1, len(words))
    return len(words) >= 8 and (
        (share >= 0.65 and whole >= 0.5 * of) or (share >= 0.4 and whole >= max(3, 0.75 * of))
    )


def repeats(reading: Reading) -> bool:
    """Whether the answer is mostly one thing said over and over."""
    words = reading.words
    sentences = Counter(
        " ".join(token.text for token in reading.tokens[a:b])
        for a, b in reading.sentences()
        if b - a >= 4
    )
    if any(count >= 3 for count in sentences.values()):
        return True
    if len(words) < 12:
        return bool(words) and len(words) >= 6 and max(Counter(words).values()) > 0.5 * len(words)
    stuttered = sum(len(match.group()) for match in _STUTTER.finditer(" " + " ".join(words) + " "))
    if stuttered > 0.35 * len(" ".join(words)):
        return True
    joints = Counter(
        run for run in _runs(list(words), 3) if all(word in english.FUNCTION_WORDS for word in run)
    )
    if joints and max(joints.values()) >= 3 and 3 * max(joints.values()) > 0.35 * len(words):
        return True  # "and it is X and it is Y and it is Z"
    runs = Counter(_runs(list(words), 4))
    again = sum(count for count in runs.values() if count > 1)
    return (
        (again > 0.5 * sum(runs.values()) and max(runs.values()) >= 3)
        or max(runs.values()) >= 5
        or again > 0.85 * sum(runs.values())
    )


# Without these no relation between two terms is stated; "this" and "before" are left out, they sit
# inside terms of the subject.
_JOINING = (
    english.AUXILIARIES
    | english.ARTICLES
    | frozenset(
        (
            "and or but because so since if when while that which who whose why how though thus "
            "hence therefore unless otherwise however also only else to by in for with on from at "
            "per than as it they them its until about via into not no then what nobody nothing you "
            "i we he she too either afterwards"
        ).split()
    )
)
_JOINING_HAN = frozenset(
    (
        "的 是 会 被 了 因 所 就 在 不 而 把 有 没 还 才 再 让 为 如 但 从 到 给 都 要 与 和 也 等 "
        "只 这 那 它 着 过 将 由 跟 以 共 向 比 当 用 其 并 则 后 时 使 能 可 应 须 致 变 成 意 越 "
        "得 很 太 更 又"
    ).split()
)
_JOINING_MARKS = frozenset({"->", "=", "+"})


def is_salad(reading: Reading) -> bool:
    """Keywords without the words that make sentences, or words in an order no sentence has.

    A terse honest answer drops articles too, but it still joins its terms ("closed due to
    inactivity", "-> 3"); a list of terms joins nothing.
    """
    latin = [
        word for word in reading.words if not is_chinese(word) and not word.lstrip("-").isdigit()
    ]
    han = [word for word in reading.words if is_chinese(word)]
    if len(latin) + len(han) / 2 < _SALAD_WORDS:
        return False
    joined = _joints(reading)
    if len(han) > len(latin):
        return (
            joined < 0.03 * (len(han) + len(latin))
            or (joined < 0.1 * (len(han) + len(latin)) and _chunk_length(reading) <= 5)
            or (joined < 0.15 * (len(han) + len(latin)) and _chunk_length(reading) <= 4)
        )
    verbs = sum(word in english.VERBS and word not in _JOINING for word in latin)
    if (
        not joined
        or (
            joined < (0.15 if _chunk_length(reading) == len(reading.words) else 0.12) * len(latin)
            and len(latin) >= 20
        )
        or (joined < 0.1 * len(latin) and verbs < 0.2 * len(latin))
        or (joined < 0.2 * len(latin) and _chunk_length(reading) <= 2.6 and len(latin) >= 8)
    ):
        return True
    return misplaced(reading) > max(1.3, 0.042 * len(latin))


def _joints(reading: Reading) -> int:
    marks = sum(token.text in _JOINING_MARKS for token in reading.tokens)
    return marks + sum(
        word in (_JOINING_HAN if is_chinese(word) else _JOINING) for word in reading.words
    )


def may_be_terse(reading: Reading) -> bool:
    """Whether what looks like a pile of keywords may be somebody's terse note: points, labels, a
    word in ten that joins, or a few words with a verb or a denial among them."""
    words = reading.words
    if _POINTS.search(reading.answer) or _joints(reading) >= 0.1 * len(words):
        return True
    if len(words) > _NOTE_WORDS * (1 + reading.chinese_share) or misplaced(reading):
        return False
    return bool(_LABEL.search(reading.answer)) or any(
        word in english.VERBS or word in _DENYING for word in words
    )


_NOTE_WORDS = 25
_DENYING = frozenset("no not without never 不 无 没".split())
_LABEL = re.compile(r"[^\W\d_]\s*[:：]\s*\S")  # "client-side: pluggable"
_POINTS = re.compile(r"(?:^|\s)(?:[1-9a-c][.)]|[-+*•])\s", re.MULTILINE)


def is_telegram(reading: Reading) -> bool:
    """Few joints, but not so few that it is surely a salad: a person should look."""
    return len(reading.words) >= 8 and _joints(reading) < (
        0.08 if reading.chinese_share > 0.5 else 0.2
    ) * len(reading.words)


def is_code(reading: Reading) -> bool:
    """Whether signs of programs make up much of it: their order says little about an explanation,
    so a person should look."""
    signs = sum(
        token.text in ("=", "(", ")", "[", "]", "%", "+", "<", ">") for token in reading.tokens
    )
    return signs >= 6 and signs > 0.14 * len(reading.tokens)


def _chunk_length(reading: Reading) -> float:
    """Words between commas, stops and blanks inside Chinese, on average;
    a Chinese character counts as one."""
    breaks = sum(token.text in (",", "、", "/", SENTENCE_END) for token in reading.tokens[:-1])
    breaks += sum(
        is_chinese(one.text) and is_chinese(two.text) and one.end < two.start
        for one, two in zip(reading.tokens, reading.tokens[1:])
    )
    return len(reading.words) / (breaks + 1)


_ARTICLES = frozenset({"the", "a", "an"})
_NEVER_AFTER_ARTICLE = frozenset(
    (
        "is are was were be to of by in on for with and or but because so it they the a an not if "
        "then has have does do can would will which that from as at may could its their there this "
        "when all both don each every"
    ).split()
) | {SENTENCE_END, ",", ")"}
_BEFORE_NO_ARTICLE = frozenset("one a an the more its their no each every".split())
_TIGHT = frozenset("of from with into at than by for as".split())
_NEVER_AFTER_TIGHT = frozenset(
    "is are was were of and or but so has have does do would will can may could to by from with if".split()  # noqa: E501
) | {SENTENCE_END, ",", ")"}
_MODALS = frozenset("would will can could may might should must".split())
_NEVER_AFTER_MODAL = frozenset(
    (
        "the a an of in on at by with for from is are was were and or but because so to which its "
        "their has"
    ).split()
)
_BE = frozenset({"is", "are", "was"})
_NEVER_AFTER_BE = frozenset(
    "is are was were of has have do does would will can may could be and or but it's".split()
)
_NEVER_BEFORE_STOP = frozenset("the an of from into than their its".split())
_CONJOINED = frozenset({"and", "or"})


def misplaced(reading: Reading) -> float:
    """How often neighbours stand together that no English sentence has: shuffled words give
    themselves away.

    "the of", "with is", "may the", a stop after "and"; and a "The" or "It" in the middle of a
    sentence.
    """
    count = 0.0
    for left, right in zip(reading.tokens, reading.tokens[1:]):
        count += left.text in _ARTICLES and right.text in _NEVER_AFTER_ARTICLE
        count += left.text in _TIGHT and right.text in _NEVER_AFTER_TIGHT
        count += left.text in _BEFORE_NO_ARTICLE and right.text in _ARTICLES
        count += left.text in _MODALS and right.text in _NEVER_AFTER_MODAL
        count += left.text in _BE and right.text in _NEVER_AFTER_BE
        count += left.text in _CONJOINED and right.text in ("and", "or", "of", ",", SENTENCE_END)
        count += left.text == right.text and left.text in english.FUNCTION_WORDS
    loose = {",", ":", ";", "/", "-", "->", "+", "=", SENTENCE_END}
    for left, right in zip(reading.tokens, reading.tokens[1:]):
        count += left.text in _NEVER_BEFORE_STOP and right.text in loose
    capitals = sum(
        match.group(1).lower() in english.EVERYDAY
        for match in _CAPITAL_INSIDE.finditer(reading.answer)
    )
    astray = len(_STRAY_BRACKET.findall(reading.answer.split("(", 1)[0])) + (
        reading.answer.rfind("(") > reading.answer.rfind(")") >= 0
    )
    count += sum(len(pattern.findall(reading.answer)) * weight for pattern, weight in _DISAGREEING)
    lower, names = (
        len(_LOWER_START.findall(reading.answer)),
        len(_NAME_INSIDE.findall(reading.answer)),
    )
    mixed = lower + min(names, 3) if lower and names else 0
    return count + 0.7 * capitals + 0.5 * mixed + 0.5 * astray


# A capitalised everyday word after a lower-case word or a comma; honest typing has it where
# sentences begin.
_CAPITAL_INSIDE = re.compile(r"(?<=[a-z,)] )([A-Z][a-z]+)\b(?! [A-Z])")


_NAME_INSIDE = re.compile(
    r"(?<=[a-z,;] )(?!Kafka|Java|Spark|Range|Spring|Zoo|Python)[A-Z][a-z]+\b(?! [A-Z])"
)
_DISAGREEING = (
    (
        re.compile(
            r"\ban (?!hour|honest|honour|heir)[bcdfghjklmnpqrtvwyz][a-z]{2,}", re.IGNORECASE
        ),
        1.0,
    ),
    # learners of English write it too
    (re.compile(r"\ba (?!one|use|user|uni|once|us\b)[aeio][a-z]{2,}"), 0.4),
    (
        re.compile(
            r"\b(?:may|can|could|would|will|should|might|must) "
            r"(?:writes|means|reads|lets|gets|goes|keeps|takes|makes|sends|fails|needs|has|does"
            r"|says|tells|stops|starts|learns|decides)\b"
        ),
        0.6,
    ),
    (
        re.compile(
            r"[a-z] (?:no|one|each|every) (?:the|a|an|is|are|of|to|and|or|may|can|so|no|each)\b"
        ),
        0.5,
    ),
    (re.compile(r"[.;] (?:of|than|to the|is|are|has|have|its own|longer)\b"), 0.5),
    (re.compile(r"\b(?:each|every|no|its|their) ?[,.;:]"), 0.7),
)
# closed before any was opened; "a)" begins a point of a list
_STRAY_BRACKET = re.compile(r"[a-z]{3}\)")


# A small letter after a full stop: told with the capitals inside sentences, words have changed
# places.
_LOWER_START = re.compile(r"[a-z]{2}\. [a-z]{2}")


def _runs(words: list[str], length: int) -> Iterable[tuple[str, ...]]:
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]
