"""Runs what the chapters claim on both labs, the simulated and the real one, and compares."""
