"""Brokers, topics and leaders: the controller decides them, each broker's MetadataCache shows
them."""
