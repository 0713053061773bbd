"""Grades a class: takes it in, chooses what counts, runs, judges and writes it in lanes."""
