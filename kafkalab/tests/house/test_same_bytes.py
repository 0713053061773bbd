"""A fixed set of labs writes the bytes that it wrote when the net was drawn."""

from __future__ import annotations

import json

import pytest

from kafkalab.tests.house.same_bytes import DIGESTS, digest, stories
from kafkalab.tests.shares import few

STORIES = stories()
WANTED = json.loads(DIGESTS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", few(STORIES, 7))
def test_a_lab_writes_the_same_bytes_as_before(name):
    told = digest(STORIES[name]())
    assert told == WANTED[name], (
        f"the story «{name}» writes other bytes. If that is meant, renew the digests with "
        "`python -m kafkalab.tests.house.same_bytes` in a commit of its own and say why."
    )


def test_every_story_has_its_digest_and_no_digest_is_left_over():
    assert set(WANTED) == set(STORIES)
