"""Tests the grading with a made-up class, attackers, every student's numbers, a real browser."""
