"""Answers in a learner's own words: the queue in which a person marks them,
and how far the scorer may be trusted."""
