"""Does it hold? A made-up class, attackers, every student's numbers, and a real browser."""
