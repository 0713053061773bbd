"""Finds which clients wrote each log, from the prefixes `[Consumer clientId=…] ` of its lines.

Lines without a prefix belong to the only client of their file, if there is only one. To know that,
all lines have to be looked at, but few of them closely: as soon as two clients are known a file is
done, and a block with as many prefixes as known ones brings nothing new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from kafkalab.logsets import layouts
from kafkalab.logsets.block import KINDS, Block
from kafkalab.logsets.ranges import Range, blocks_of

NAMES = ("file", "kind", "client_id", "group_id")
# The bytes looked at together: most files show their second client in the first few.
LOOKED_AT = 1 << 20
OPENINGS = tuple(f"[{kind} ".encode() for kind in KINDS)


def client_batches(pieces: Iterable[Range]) -> Iterator[pa.RecordBatch]:
    """The different clients in pieces of text, in rows of NAMES; of many in a log at least two."""
    clients: dict[str, set[tuple]] = {}
    for piece in pieces:
        prefixes: set[bytes] = set()
        searched = piece.layout in layouts.KAFKAS_OWN and not piece.wrapping
        for text in blocks_of(piece, LOOKED_AT):
            # a wrapped file may be several logs in one
            if not piece.wrapping and len(clients.get(piece.log or piece.file, ())) > 1:
                break
            if searched and _nothing_new(text[0], prefixes):
                continue
            for block in piece.read(*text):
                if searched:
                    prefixes.update(prefix.encode() for prefix in block.prefixes())
                yield from _new_clients(block, clients.setdefault(block.file, set()))


def _new_clients(block: Block, clients: set[tuple]) -> Iterator[pa.RecordBatch]:
    """The clients of a block that are not in `clients`. Adds them."""
    rows = pa.table({name: getattr(block, name) for name in NAMES[1:]})
    found = rows.group_by(list(NAMES[1:])).aggregate([]).to_pylist()
    fresh = {tuple(row.values()) for row in found if row["client_id"] is not None} - clients
    if fresh:
        clients |= fresh
        values = [(block.file, *client) for client in sorted(fresh, key=repr)]
        columns = [pa.array(column, pa.string()) for column in zip(*values)]
        yield pa.RecordBatch.from_arrays(columns, names=list(NAMES))


def _nothing_new(text: bytes, prefixes: set[bytes]) -> bool:
    """Whether all prefixes of a text are known already."""
    return sum(map(text.count, OPENINGS)) == sum(map(text.count, prefixes))
