"""The parts that both group protocols share: subscription, positions, fetches and calls to the
application."""
