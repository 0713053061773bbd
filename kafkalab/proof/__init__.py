"""Compares the simulator with real clients and with its own laws:
replay, conformance, laws, cases."""
