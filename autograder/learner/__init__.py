"""Holds what a learner uses beside the cells: `make lab`, their copies, progress, the myth court."""
