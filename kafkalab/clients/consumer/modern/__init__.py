"""The consumer of the new group protocol (KIP-848): one background thread does all talking,
the application hands it events."""
