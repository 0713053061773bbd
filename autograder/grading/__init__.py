"""From what the sandbox heard to marks in the gradebook: the judge, the scorer's suggestion, the
writer, and what is kept so that any moment may be the last."""
