"""Masks the parts of a line that chance decides: latencies, ids, payloads. It sorts what Java
prints in hash order."""

from __future__ import annotations

import re
from functools import lru_cache

NODE_ID = r"[+-]?\d+"

# Lines whose payload is not compared. The first that changes the text is the only one used.
PAYLOADS = tuple(
    (re.compile(pattern), kept)
    for pattern, kept in (
        (
            r"^(Completed receive from node \S+ for \S+ with correlation id )\d+, received .*",
            r"\1#, received …",
        ),
        (
            (
                r"^(Received \S+ response from node \S+ for request with header "
                r"RequestHeader\(apiKey=\w+, apiVersion=\d+).*"
            ),
            r"\1 …",
        ),
        (
            (
                r"^(Sending \S+ request with header RequestHeader\(apiKey=\w+, "
                rf"apiVersion=\d+).*?( to node {NODE_ID})\b.*"
            ),
            r"\1 …\2",
        ),
        (r"^(Sending [A-Z_]+) .* (with correlation id )\d+( to node .*)", r"\1 … \2#\3"),
        (
            r"^((?:Recorded API versions for node|Node) \S+?:?) (?:\(|has finalized features).*",
            r"\1 …",
        ),
        (r"^(Updated cluster metadata (?:updateVersion|version) \d+ to ).*", r"\1…"),
        (r"^(Received FindCoordinator response ).*", r"\1…"),
        (r"^(Sending metadata request ).*( to node .*)", r"\1…\2"),
        (
            (
                r"^(Sending (?:JoinGroup|leader SyncGroup|follower "
                r"SyncGroup|SyncGroup|LeaveGroup|ListOffsetRequest|OffsetFetch"
                r"|OffsetForLeaderEpoch|Heartbeat|transactional request)\b).*?( to "
                r"(?:coordinator|broker|node) [^:]*:\d+ \(id: [^)]*\))?"
                r"(?:[:,] .*)?$"
            ),
            r"\1 …\2",
        ),
        (
            (
                r"^(Received (?:successful |JoinGroup failed |successful Heartbeat |SyncGroup "
                r"|LeaveGroup |transactional |InitProducerId )?"
                r"(?:JoinGroup|SyncGroup|Heartbeat|LeaveGroup|ListOffset\w*|response"
                r"|\w+Response)?) ?response:? .*"
            ),
            r"\1 response …",
        ),
        (
            (
                r"^(removing kafka metric|Added sensor|Removed sensor|Registering "
                r"metric|Unregistering).*"
            ),
            r"\1 …",
        ),
    )
)

MEMBER_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# 22 characters of base64
CLUSTER_OR_TOPIC_ID = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z0-9_-])[\w-]{22}(?![\w-])")

NUMBERS = tuple(
    (re.compile(pattern), kept)
    for pattern, kept in (
        (r"\b1[6-9]\d{11}\b", "<ms>"),  # a moment, epoch ms
        (
            r"(latencyMs=|correlationId=|correlation id |after |in |for )\d+( ?ms| millis\w*)?",
            r"\1#\2",
        ),
        (r"\b\d+ ?(ms|milliseconds|millis)\b", r"# \1"),
        (r"[Pp]roducerId[ =:]+(?:set to )?-?\d+", "producerId #"),
        (r"sessionId=\d+", "sessionId=#"),
        (r"(CompletableFuture)@[0-9a-f]+", r"\1@#"),
        (r"(?<=[a-zA-Z])@[0-9a-f]{1,8}\b", "@<identity>"),  # Object.hashCode
    )
)

LIST = re.compile(r"([\[({])([^\[\](){}]*)([\])}])")

SHAPES = tuple(
    (re.compile(pattern), shape)
    for pattern, shape in (
        (r"\[[^\[\]]*\]|\{[^{}]*\}", "[…]"),
        (r"\bnode \S+", "node *"),
        (r"\S+:\d+ \(id: [^)]*\)", "NODE"),
        (r"[\w.$-]+-\d+\b", "TP"),
        (r"[-+]?\d+", "#"),
    )
)


# A client says few different things, and the marks ask for each more than once.
@lru_cache(maxsize=65_536)
def normal(text: str) -> str:
    """The text with chance masked: two clients that did the same wrote the same."""
    text = MEMBER_UUID.sub("<uuid>", text)
    text = _without_payload(text)
    text = CLUSTER_OR_TOPIC_ID.sub("<id>", text)
    for pattern, kept in NUMBERS:
        text = pattern.sub(kept, text)
    return LIST.sub(_sorted_list, text)


@lru_cache(maxsize=65_536)
def template(text: str) -> str:
    """The normal text with nodes, partitions, lists and numbers masked too: the statement in the
    source."""
    text = normal(text)
    for pattern, shape in SHAPES:
        text = pattern.sub(shape, text)
    return text


def _without_payload(text: str) -> str:
    for pattern, kept in PAYLOADS:
        masked = pattern.sub(kept, text)
        if masked != text:
            return masked
    return text


def _sorted_list(found: re.Match[str]) -> str:
    """`[b, a]` -> `[a, b]`; the same for round and curly brackets."""
    opening, inside, closing = found.groups()
    return f"{opening}{', '.join(sorted(inside.split(', ')))}{closing}"
