"""Sealed verdicts: how a notebook can judge its public cases without the judges.

For each question and each public case, `python -m autograder seal` runs the right answer and every
named wrong answer, takes a salted digest of the data it gives, and locks the verdict with a key
made from that same data. Who brings the data can open the lock and read the sentence; who only
reads the file sees neither the answers nor the sentences. The verdict inside was spoken by the
judge, so it is the one that official grading speaks.

A small number can be found by trying all small numbers. So it can by calling check() on them:
sealing keeps honest readers from stumbling over the answers, and points are given by the judges
alone.
"""

import base64
import hashlib
import hmac
import json
import os
from pathlib import Path

from autograder.cell.data import canonical


def folder() -> Path:
    """Where the sealed files are: beside the questions they seal."""
    return (
        Path(os.environ.get("AUTOGRADER_COURSE") or Path(__file__).parent) / "questions" / "sealed"
    )


def read(chapter: str) -> dict:
    """The sealed questions of a chapter; {} when it has not been sealed."""
    path = folder() / f"ch{chapter}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def locate(salt: str, case: dict) -> str:
    """Where a case's boxes lie: a digest, for a case may say what the answer is about."""
    return _digest(salt, "case", case).hex()[:12]


def lock(salt: str, case: dict, data, verdict: dict) -> tuple[str, str]:
    """The (tag, box) of a verdict that only the holder of `data` opens."""
    text = json.dumps(verdict, ensure_ascii=False).encode()
    return _tag(salt, case, data), base64.b64encode(_mask(text, salt, case, data)).decode()


def unlock(salt: str, case: dict, boxes: dict, data) -> dict | None:
    """The verdict on `data`, or None when nobody foresaw this answer. ValueError where its box does
    not open: then the file is damaged, or somebody has searched for data with another answer's tag;
    the caller then acts as if nothing had been sealed."""
    box = boxes.get(_tag(salt, case, data))
    return None if box is None else json.loads(_mask(base64.b64decode(box), salt, case, data))


def _tag(salt, case, data) -> str:
    return _digest(salt, "tag", [case, data]).hex()[:12]


def _mask(text: bytes, salt, case, data) -> bytes:
    key = _digest(salt, "key", [case, data])
    stream = b"".join(
        hashlib.sha256(key + block.to_bytes(4, "big")).digest()
        for block in range(len(text) // 32 + 1)
    )
    return bytes(left ^ right for left, right in zip(text, stream))


def _digest(salt: str, purpose: str, what) -> bytes:
    return hmac.new(salt.encode(), f"{purpose} {canonical(what)}".encode(), "sha256").digest()
