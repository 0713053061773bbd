"""Defines the messages between Kafka clients and brokers, and nothing else.

This package holds values only. It opens no socket, keeps no state and has no clock. A request or a
response is a frozen dataclass with the field names of Kafka's own message schemas
(`clients/src/main/resources/common/message/*.json`). So a learner can read a line of a real client
and find the same word here.
"""
