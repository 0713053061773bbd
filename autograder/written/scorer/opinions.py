"""Other people's wrong opinions: "Some say it is dead after one missed beat. That is wrong." must
cost nothing and earn nothing.

A stretch is set aside when the answer puts it in somebody else's mouth and then turns against it,
or turns against its own last sentence outright ("... That is wrong."). Whatever is found only
inside such a stretch was not said by the student.
"""

from __future__ import annotations

import re

from autograder.written.scorer.text import SENTENCE_END, Reading

# Somebody else speaks. "I think" is the student.
_OTHERS = re.compile(
    r" (?:(?:some|many|most|several|other|few|lots of|a lot of) (?:of )?(?:my "
    r")?(?:people|colleagues?|students?|others|folks|books|articles|blogs?|posts?|developers"
    r"|engineers|beginners|tutorials?)"
    r"|(?:some|many|most|others|people|everybody|everyone|beginners|somebody|someone|(?:a|my|some"
    r"|one) "
    r"(?:colleague|friend|classmate|blog|blogs|article|book|tutorial|teammate|neighbour|neighbor)) "
    r"(?:\w+ "
    r")?(?:say|says|said|think|thinks|thought|believe|believes|claim|claims|claimed|assume|assumes"
    r"|told|tell|write|writes|wrote|insist|insists|argue|argues)"
    r"|(?:it is|is) (?:often|sometimes|widely|commonly|usually) "
    r"(?:said|believed|thought|claimed|assumed)|(?:one|you) (?:might|may|could|would) "
    r"(?:think|believe|say|expect|assume|guess)"
    r"|(?:a |the )?(?:common|popular|frequent|usual|typical|widespread|old|first|naive|natural)(?: "
    r"[a-z]+)? "
    r"(?:misconception|mistake|belief|error|myth|misunderstanding|opinion|intuition|idea|guess"
    r"|answer)"
    r"|(?:a |the )(?:misconception|myth|misunderstanding)|i (?:used to|first|once) "
    r"(?:think|thought|believe|believed)|contrary to"
    r"|(?:有|很 多|许 多|不 少|大 多|多 数|一 些|有 些|网 上|别)(?: 数)?(?: 的)? 人?(?: 们)?(?: "
    r"都| 会| 常| 总)? (?:说|认 为|以 为|觉 得|讲)|同 (?:事|学)(?: [^ ¶,]){0,3} (?:说|认 为|以 "
    r"为)|(?:常 见|普 遍|流 行)(?: 的)? 误 (?:解|区)|(?:大 家|人 们)(?: 都| 常)? (?:说|以 为|认 "
    r"为)|误 以 为|很 容 易 以 为|我 (?:原 来|以 前|一 开 始) 以 为)(?= )"
)
_TURNS = re.compile(
    r" (?:but|however|yet|actually|in fact|in reality|really|in "
    r"truth|whereas|though|nope|wrong|false|untrue|incorrect|not true|not so|no ,|is not|are "
    r"not|does not|do not|it is the other way|on the contrary|mistaken|myth|misconception"
    r"|但|其 实|实 际 上|事 实 上|然 而|不 过|不 对|错 误|错|不 是|并 非|并 不|恰 恰 相 反)(?= )"
)
_REFUSES = re.compile(
    r"^ (?:(?:but|however|yet|well|and|,) )*(?:(?:that|this|it|which|they|the claim|the "
    r"statement|this statement|this claim|both|all)(?: all| both| would)? (?:be |is |are |was "
    r")?(?:also |just |simply |clearly |completely |totally |plain |plainly |a |an "
    r")?(?:wrong|false|incorrect|untrue|mistaken|myth|misconception|nonsense|mistake|error"
    r"|misunderstanding|not true|not correct|not right|not so|not the case|not how)(?= )(?! "
    r"(?:to|that|if|when|for|in|node|broker|id))"
    r"|(?:wrong|false|incorrect|nope|nonsense|not true|not so|no)(?: [.,¶:]|$)|这 (?:是|种)?(?: [^ "
    r"¶,]){0,4} (?:错|不 对|误 解|误 区)|错 (?:了|误)?(?: [,¶]|$)|不 对|不 是 (?:这 样|的)|其 实 "
    r"不 (?:是|对|然)|并 不 是 这 样|并 非 如 此)"
)


def set_aside(reading: Reading) -> list[tuple[int, int]]:
    """Token ranges of opinions the answer reports and refuses, in order."""
    sentences = reading.sentences()
    found = []
    for place, (first, last) in enumerate(sentences):
        line = _line(reading, first, last)
        refused = place + 1 < len(sentences) and _REFUSES.search(
            _line(reading, *sentences[place + 1])
        )
        others = _OTHERS.search(line)
        if others:
            turn = _TURNS.search(line, others.end() - 1)
            if turn:
                found.append(
                    (_token(reading, first, others.start()), _token(reading, first, turn.start()))
                )
                continue
            follows = place + 1 < len(sentences) and _TURNS.search(
                _line(reading, *sentences[place + 1])[:60]
            )
            if refused or follows:
                found.append((_token(reading, first, others.start()), last))
                continue
        if refused and reading.answer[reading.tokens[last - 1].end :].lstrip(' "”')[:1] not in (
            "?",
            "？",
        ):
            found.append((first, last))
    return found


def _line(reading: Reading, first: int, last: int) -> str:
    start = reading.starts[first]
    end = reading.starts[last] if last < len(reading.tokens) else len(reading.line) - 1
    return (
        reading.line[start:end] + " "
        if SENTENCE_END not in reading.line[start:end]
        else reading.line[start:end]
    )


def _token(reading: Reading, first: int, position: int) -> int:
    return reading.token_at(reading.starts[first] + position)
