"""Brokers, topics and leaders as the controller decides them and as a broker knows them
(controller, MetadataCache)."""
