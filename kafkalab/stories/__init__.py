"""Holds prepared labs and clients that chapters of the course use and learners may read."""
