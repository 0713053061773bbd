"""What a teacher gets of a graded class: report, feedback, exports, likeness, lateness,
and one question judged again."""
