"""Where a learner's code runs when it counts.

outside/ starts workers, asks them and replaces them. inside/ is copied beside cell/ and runs behind
the walls, with no other file of the teacher's.
"""
