"""nbgrader's database, gradebook.db: what writes it, what reads it, marks by hand, students and
lateness."""
