"""The worker behind the walls and what it imports: copied into the view as a folder, run as
scripts."""
