"""The consumer of the new group protocol (KIP-848): one background thread sends all requests, the
application hands it events."""
