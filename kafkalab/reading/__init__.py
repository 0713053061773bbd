"""Reads a lab's journal: sockets, states, history, frames. Nothing in here changes a lab."""
