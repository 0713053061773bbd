"""What travels between a client and a broker, and nothing else.

Values only: this floor opens no socket, keeps no state and knows no clock. A request or a response
is a frozen dataclass with the field names of Kafka's own message schemas
(`clients/src/main/resources/common/message/*.json`), so a learner can read a printed line of a real
client and find the same word here.
"""
