"""Somebody's strange DEBUG log, explained:
`python -m kafkalab.logsets explain LOG… --html page.html`.

story.py counts, oddities.py says what stands out and what it means; in_words.py, page.py and
as_json.py show it.
"""

from kafkalab.logsets.explain.as_json import as_json
from kafkalab.logsets.explain.in_words import in_words
from kafkalab.logsets.explain.oddities import Oddity
from kafkalab.logsets.explain.page import page
from kafkalab.logsets.explain.story import Story, tell

__all__ = ["Oddity", "Story", "as_json", "in_words", "page", "tell"]
