"""From the bytes somebody handed in to a submission that can be run: read, repaired, its answers
found and put into the master."""
