"""What every client has inside, from the socket up (org.apache.kafka.clients)."""
