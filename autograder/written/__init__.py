"""Marks answers in a learner's own words: a person's queue, and the scorer with its calibration."""
