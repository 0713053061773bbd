"""Pictures of a lab. They read the journal and touch nothing; each has a text twin (``picture.text``)."""

from .connections import timeline
from .picture import Picture
from .sequence import sequence
from .side_by_side import side_by_side
from .state_diagram import state_diagram
from .versions import compare

__all__ = ["Picture", "compare", "sequence", "side_by_side", "state_diagram", "timeline"]
