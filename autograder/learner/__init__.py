"""Holds what a learner uses beside the cells: `make lab`, copies, progress, the myth court."""
