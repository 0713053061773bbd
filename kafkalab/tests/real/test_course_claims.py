"""Every claim of a chapter names the story that proves it on real Kafka, or why none can."""

from __future__ import annotations

from kafkalab.course_folder import course_folder
from kafkalab.real.proof.course_claims import REASONS, TABLE, claim_proofs, course_claims
from kafkalab.real.proof.proof_page import Proof, proof_text
from kafkalab.real.proof.prove import all_stories

SOURCES = course_folder() / "notebooks" / "source_py"
WHAT_TO_DO = (
    f"{TABLE.name} has a line for each claim: its name, a tab, `story` and the story's id (several "
    "with `; ` between), or `why` and one of " + ", ".join(REASONS)
)


def test_every_claim_of_a_chapter_has_a_line():
    missing = [each.name for each in course_claims(SOURCES) if each.name not in claim_proofs()]
    assert not missing, (
        f"these claims have no line: {missing}. {WHAT_TO_DO}. A claim that a real cluster can show "
        "gets a story in kafkalab/real/proof"
    )


def test_every_line_is_for_a_claim_of_a_chapter():
    known = {each.name for each in course_claims(SOURCES)}
    gone = [name for name in claim_proofs() if name not in known]
    assert not gone, f"no chapter makes these claims any more: {gone}. Delete or rename their lines"


def test_lines_name_stories_and_reasons_that_there_are():
    ids = {each.id for each in all_stories()}
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(claim_proofs()), "a claim has two lines"
    for name, proof in claim_proofs().items():
        strangers = [id for id in proof.stories if id not in ids]
        assert not strangers, f"{name!r} names stories that are not there: {strangers}"
        assert proof.stories or proof.reason in REASONS, f"{name!r}: {WHAT_TO_DO}"


def test_claims_are_found_in_guesses_in_the_court_and_in_tables(tmp_path):
    text = (
        'predict("02 two", before=None)\n'
        'truth("02 two", before=1, after=len(x), **more)\n'
        'predict("myth 03", verdict=None)\n'
        "# | Then | Now | Try it |\n# |---|---|---|\n"
        "# | The `old` way. | New. | below |\n# | — | Only new. | |\n\n"
        "# | a | b |\n# | no | row |\n"
    )
    (tmp_path / "02_noun.py").write_text(text)
    assert [each.name for each in course_claims(tmp_path)] == [
        "02 two: before",
        "02 two: after",
        "myth 03",
        "02 row: The old way.",
        "02 row: Only new.",
    ]


def test_the_page_counts_claims_and_says_why_some_have_no_story():
    text = proof_text(Proof((), {}, ()), claim_proofs())
    proven = sum(bool(proof.stories) for proof in claim_proofs().values())
    assert f"make {len(claim_proofs())} claims" in text and f"proves\n{proven} of them" in text
    rows = [line for line in text.splitlines() if line.startswith("| It ")]
    assert rows and all(row.split("|")[2].strip().isdigit() for row in rows)
