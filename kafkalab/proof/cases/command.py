"""Runs `python -m kafkalab answer FILE.json`: puts every entry of the file to its machine.

The file holds {"meta": {"profile_of": {a release: our name for it}}, "vectors": [entry, ...]}; an
entry has an id, a group, an input, perhaps the client `versions` for which it holds, and in `ask`
the keys of its answer. Entries whose check is "words" are prose for readers and are left out. An
entry that cannot be answered gets a sentence that says why, and the others go on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kafkalab.command_line import CommandParser, called_as
from kafkalab.proof.cases import (
    compaction,
    connections,
    consumers,
    groups,
    hashes,
    logs,
    network,
    partitioners,
    transactions,
)
from kafkalab.proof.cases.entry import CannotAnswer, read_entry

FAMILIES = {
    **hashes.ANSWERS,
    **network.ANSWERS,
    **connections.ANSWERS,
    **partitioners.ANSWERS,
    **consumers.ANSWERS,
    **groups.ANSWERS,
    **transactions.ANSWERS,
    **logs.ANSWERS,
    **compaction.ANSWERS,
}
"""Group of entries -> the function that answers one: function(CaseEntry) -> {key: value}."""


def main(argv: Sequence[str]) -> int:
    """Returns 0; 2 when the file cannot be read, with a sentence on stderr."""
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} answer",
        description="Say what the simulator's machines make of small cases in a file.",
        example="cases.json",
    )
    parser.add_argument("file", metavar="FILE.json", help="the cases, and the facts to answer")
    file = parser.parse_args(argv).file
    try:
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        meta, vectors = _parts(content)
    except (OSError, UnicodeDecodeError) as error:
        print(
            f"{file} cannot be read: "
            f"{getattr(error, 'strerror', None) or 'it is not a text in UTF-8'}",
            file=sys.stderr,
        )
        return 2
    except ValueError as error:
        print(f"{file} holds no questions: {error}", file=sys.stderr)
        return 2
    print(json.dumps(answer_cases(meta, vectors), ensure_ascii=False, indent=1))
    return 0


def answer_cases(meta: Mapping[str, Any], vectors: Sequence[Any]) -> dict[str, Any]:
    """The answer, or {"error": sentence}, to each entry that is asked."""
    found = {}
    for number, vector in enumerate(vectors):
        if isinstance(vector, dict) and vector.get("check") == "words":
            continue
        name = str(vector.get("id", number)) if isinstance(vector, dict) else str(number)
        found[name] = _answer(meta, vector)
    return found


def _answer(meta: Mapping[str, Any], vector: Any) -> dict[str, Any]:
    try:
        entry = read_entry(meta, vector)
        if entry.group not in FAMILIES:
            raise CannotAnswer(
                f"there is no group {entry.group!r}; there are {', '.join(sorted(FAMILIES))}"
            )
        answer = FAMILIES[entry.group](entry)
    except CannotAnswer as refusal:
        return {"error": str(refusal)}
    except KeyError as error:
        return {"error": f"the input has no {error}"}
    except ValueError as error:
        return {"error": str(error)}
    except Exception as error:  # One strange entry must not take the others' answers with it.
        return {"error": f"the machine refused this input: {type(error).__name__}: {error}"}
    missing = [key for key in entry.ask if key not in answer]
    return {"error": f"{entry.group} tells nothing of {', '.join(missing)}"} if missing else answer


def _parts(content: Any) -> tuple[Mapping[str, Any], Sequence[Any]]:
    if not isinstance(content, dict) or not isinstance(content.get("vectors"), list):
        raise ValueError('it should be an object with a list "vectors"')
    meta = content.get("meta", {})
    if not isinstance(meta, dict):
        raise ValueError('its "meta" should be an object')
    return meta, content["vectors"]
