"""Turns the sandbox's replies into marks in the gradebook: judge, scorer's suggestion, writer.

What a run needs to go on is kept, so that it may be killed at any moment.
"""
