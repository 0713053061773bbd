"""Nothing the course promises is left out: every topic of topics.csv has a cell in each of its
chapters, and the map is what the cells say."""

import pytest

from autograder.cell.course_folder import notebooks
from autograder.course import sources
from autograder.course.topics import map_text, places, topics
from kafkalab.tests.shares import few

CHAPTERS = sources.chapters()


@pytest.mark.parametrize("chapter", few(CHAPTERS, 4))
def test_every_topic_of_a_chapter_has_its_cell(chapter):
    taught = {item for place in places(chapter) for item in place.items}
    own = {topic.item for topic in topics() if chapter[:2] in topic.chapters}
    assert own - taught == set(), (
        f"{chapter} leaves topics out: name each on the cell that teaches it, as in # %% "
        '[markdown] items="N1"'
    )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_cell_names_topics_there_are(chapter):
    known = {topic.item for topic in topics()}
    unknown = {item for place in places(chapter) for item in place.items} - known
    assert unknown == set(), (
        f"{chapter} names topics that topics.csv does not have: correct the name, or add the row"
    )


def test_the_map_is_what_the_cells_say():
    assert (notebooks() / "MAP.md").read_text(encoding="utf-8") == map_text(), (
        "run make course and commit notebooks/MAP.md"
    )
