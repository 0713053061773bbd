"""Finds answers that deny the wanted ideas one after the other, so that a person reads them.

`patterns` looks for a denial in a few words round an idea. Here whole clauses are looked at: "it
did not ..., nor ..., and it is not ...", "None of the usual reasons hold: ...", "...: all of this
is wrong". Such an answer names every idea and means none of them. A right answer denies things,
too, but hardly ever most of what it says.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from autograder.written.scorer.patterns import NEGATORS, Hit, without_harmless
from autograder.written.scorer.text import SENTENCE_END, Reading, is_chinese


def _compiled(*choices: str, before: str = " ", after: str = "(?= )") -> re.Pattern[str]:
    """One expression over `Reading.line`, where every Chinese character has a blank before it."""
    return re.compile(f"{before}(?:{'|'.join(_spaced(one) for one in choices)}){after}")


def _spaced(pattern: str) -> str:
    return re.sub("([\u3400-\u9fff])(?=[\u3400-\u9fff])", r"\1 ", pattern)


# Who explains speaks of brokers and records. Who uses these words speaks of statements, and as a
# rule refuses them. (Of 512 good answers that were accepted, two hold one of them.)
_TALKS_OF_STATEMENTS = _compiled(
    "claim(?:s|ed|ing)?|asserts?|forget|tales?|fairy|ridiculous|absurd|mistakes?|mistaken|errs?",
    "refuted|disproved|believes|belief|thinks|supposed|supposedly|alleged|allegedly|opposite",
    r"textbooks?|lecture|students?|(?<!\d )reasons|explanations?|statements?|theory|story",
    "legends?|myths?|rumou?rs?|gossip|lies|lying|truth|doubt|doubtful|questionable|disputes?|deny|denies",
    "disagree|opinion|ideas|incorrect|nonsense|rubbish|joke|fiction|invention|misconceptions?",
    "untenable|unfounded|bogus|hearsay|convinced?|convincing|unconvinced|whoever says|contrary",
    "wrong track|no such thing|out of the question|wishful|imaginary|no basis|far from it",
    "i (?:refuse|reject|object)|made (?:it|that|them) up",
    "(?:they|these|those|this|that|it) (?:is|are) (?:[a-z]+ )?(?:made up|invented)",
    "(?:none|nothing) (?:of|in|about) (?:the|this|these|those|that|it|them|what)",
    "(?:not|never) (?:a single|one|any|even one)(?: (?:one|word|thing))? of",
    "(?:no|wrong|false|mistaken) (?:to|on|in|about) (?:all|each|every|both|any)",
    "(?:every|each) (?:part|word|point|single)|all of (?:this|these|that|it)",
    r"谁说|(?<! 为) 什么|哪有|哪里有|别信|不信|虚构|瞎|讲法|说法|反对|反驳|答错|统统|所谓",
    r"(?<!\d 个 )理由|据说|传言|听说|传说|流传|骗|否认|谎|谣|荒谬|荒唐|胡说|胡扯",
    "观点|论点|道理|证据|真相|站不住|谈不上",
    "我 (?:也 )?不 (?:认为|同意|觉得|相信)|(?:认为|觉得|以为) (?:[^ ¶]+ ){1,40}的人",
    "课上|课本|教材|书上|网上|很多人|同学|常说|难道|岂|何必|才怪|休想|丝毫|一概|要说|误解|误区",
    "无稽|乌有|无中生有|捏造|没有的事|没这回事|这回事|没有 (?:任何 )?(?:一 )(?:个|条|点|项|句)",
    "(?:哪|每|任何) (?:一 )?(?:个|条|点|项|句) (?:[^ ¶]+ ){0,4}?(?:都|也) (?:不|没|错|是错|站)",
    "(?:以上|以下|上面|下面|上述|下列|这些|这几|那几) (?:[^ ¶]+ ){0,8}?(?:不|错|假)",
    "(?:都|全|全部|均|皆) (?:是 )?(?:不 (?:对|成立|正确|是 (?:原因|真))|错|假的)",
)
# A clause with one of these denies something.
_DENYING = (NEGATORS - {"without"}) | {"nope", "reject", "rejects", "refuse", "far"}
_DENYING_CHINESE = _compiled("(?:是|属|全|都|也) (?:假|错|编)", "错误|与 (?:[^ ¶,]+ ){1,30}无关")
# Such a beginning holds for the next clauses of its sentence, too: "nor that A, B and C".
_OPENING = _compiled(
    "(?:it|this|that) (?:is|was) (?:(?:simply|just|also|plainly) )?"
    "(?:not|neither|false|wrong|untrue|hardly)",
    "(?:in|at|by|under|on) no|i (?:do not|can not)",
    "neither|nor|none|nobody|nothing|not|never|false|untrue|wrong|there is no",
    "(?:(?:这|它|也|更|又|并|决|绝|根本) )*(?:不是|并不|并非|没有|不存在|无关|非)",
    before="^ (?:(?:and|or|so|also|well|no|,) )*",
)
# A clause that begins so turns away from what was denied.
_TURN = _compiled(
    "but|instead|rather|because|since|as|it is|they are|whereas|while|though|only",
    "而|但|因为|其实|实际|只是|所以|这样|反而",
    before="^ ",
)
# The last words of a sentence can take back all of it.
_VERDICT = _compiled(
    "(?:(?:is|are|,|:|all|just|plainly|simply|both|also|that) )+"
    "(?:not (?:true|so|correct|right|the case)|wrong|false|untrue)",
    "(?:(?:都|全|全部|均|皆|也|纯属|属于|是|就是|还是|同样|根本) )+"
    "(?:不对|不是|错|错误|假|不成立)(?: 的)?",
    after=" *$",
)


_RUN = 4  # clauses in a row; no good answer that was accepted denies in so many
_WORDS = 3  # a shorter clause ("no", "not really") does not count


def one_after_the_other(reading: Reading, ideas: Sequence[Sequence[Hit]]) -> bool:
    """Whether an answer denies most ideas, each given by its evidence, or denies clause by clause.

    A single denied idea says nothing. Words about statements ("claim", "myth") put all of the
    answer in doubt: what they refuse may stand anywhere.
    """
    denied = _denied(reading)
    count = sum(all(any(denied[hit.first : hit.last]) for hit in evidence) for evidence in ideas)
    if count >= 2 and 3 * count >= 2 * len(ideas):
        return True
    clauses = [
        (first, last)
        for first, last in reading.clauses()
        if sum(0.6 if is_chinese(one.text) else 1 for one in reading.tokens[first:last]) >= _WORDS
    ]
    return (
        _longest_run(_denies(_line(reading, first, last)) for first, last in clauses) >= _RUN
        or _longest_run(denied[first] for first, _ in clauses) > _RUN
    )


def _longest_run(denied: Iterable[bool]) -> int:
    return max((len(list(row)) for told, row in itertools.groupby(denied) if told), default=0)


def _denied(reading: Reading) -> list[bool]:
    """For each token whether its clause is denied."""
    row = [False] * len(reading.tokens)
    sentences = reading.sentences()
    lines = [_line(reading, first, last) for first, last in sentences]
    if any(_TALKS_OF_STATEMENTS.search(line) for line in lines):
        return [True] * len(row)
    for (first, last), line in zip(sentences, lines):
        refused = _is_asked(reading, last) or _VERDICT.search(line) is not None
        carried = False
        for start, end in reading.clauses():
            if not (first <= start and end <= last):
                continue
            clause = _line(reading, start, end)
            if _TURN.search(clause):
                carried = False
            carried = carried or _OPENING.search(clause) is not None
            if refused or carried or _denies(clause):
                row[start:end] = [True] * (end - start)
    return row


def _denies(clause: str) -> bool:
    plain = without_harmless(clause)
    return not _DENYING.isdisjoint(plain.split()) or _DENYING_CHINESE.search(plain) is not None


def _is_asked(reading: Reading, end: int) -> bool:
    """Whether the sentence that ends before this token is a question."""
    return reading.answer[reading.tokens[end - 1].end :].lstrip(' "”')[:1] in ("?", "？")


def _line(reading: Reading, first: int, last: int) -> str:
    end = reading.starts[last] if last < len(reading.tokens) else len(reading.line) - 1
    return reading.line[reading.starts[first] : end].removesuffix(SENTENCE_END) + " "
