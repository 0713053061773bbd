"""All that a release number decides: which releases there are, and a page for each with what differs from the one before."""

from __future__ import annotations

from kafkalab.releases.lineage import UnknownRelease, between, newest, since, until

__all__ = ["UnknownRelease", "between", "newest", "since", "until"]
