"""Reads a lab's journal: sockets, states and history. Nothing in here changes a lab."""
