"""Turns the bytes that a student handed in into a submission that can be run.

They are read and repaired; the answers are found and put into the master.
"""
