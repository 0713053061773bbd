"""Sets a stage for the course: labs and helpers that a chapter uses and a learner may read."""
