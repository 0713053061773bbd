"""The same late penalty for those who grade with plain nbgrader:
`c.AssignLatePenalties.plugin_class = "autograder.gradebook.late_plugin.LatePenalty"`."""

from __future__ import annotations

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Float, Unicode

from autograder.gradebook.late import Policy


class LatePenalty(LateSubmissionPlugin):
    """Takes off a share of the points for each day begun, up to a cap, after some grace."""

    per_day = Float(0.0, help="The share of the points earned that each day begun costs.").tag(
        config=True
    )
    cap = Float(1.0, help="The largest share that lateness costs.").tag(config=True)
    grace_minutes = Float(0.0, help="Minutes after the due date that cost nothing.").tag(
        config=True
    )
    counts = Unicode(
        "better", help="Which of several files counts; nbgrader alone always takes the last."
    ).tag(config=True)
    zone = Unicode(
        "UTC", help="The zone of times without one; nbgrader alone has a setting of its own."
    ).tag(config=True)

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """The points taken off, None for none."""
        return (
            Policy(self.per_day, self.cap, self.grace_minutes).penalty(score, total_seconds_late)
            or None
        )
