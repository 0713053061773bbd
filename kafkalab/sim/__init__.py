"""Holds the simulation kernel: a clock, an event queue, a network and a journal.

It knows no Kafka.
"""
