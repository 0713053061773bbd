"""Checks Kafka's promises as laws on random stories full of faults, one story a seed.

    python -m kafkalab seeds 10000          every law, on seeds 0..9999
    python -m kafkalab seeds --only 4711    one seed, told in full

A story (`stories`) is a small cluster, a few clients and a list of faults (`faults`), all drawn
from the seed. When it is over the laws (`laws`) read its journal (`reading`) and nothing else. A
seed that breaks a law is told with the shortest list of faults that still breaks it (`shrink`). The
laws hold within the limits that Kafka promises; `counterexamples` holds the seeds that show what
happens outside of them.
"""
