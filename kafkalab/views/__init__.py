"""Draws pictures of a lab from its journal, each with the same content as text
(``picture.text``).
"""

from .assignment_matrix import assignment_matrix
from .batch_strip import batch_strip
from .bookmarks import bookmarks
from .cluster_map import cluster_map
from .connections import timeline
from .group_timeline import group_timeline
from .key_moves import key_moves
from .lag_and_lead import lag_and_lead
from .moving import Cells, Moving, moving
from .offset_paths import offset_paths
from .offset_ruler import lag_curve, offset_ruler
from .outcome_grid import Outcome, outcome_grid
from .ownership import ownership
from .picture import Picture
from .poll_gap import poll_gap
from .readers import readers
from .record_lanes import record_lanes
from .record_strip import record_strip
from .replica_ladder import replica_ladder
from .request_gantt import request_gantt
from .request_stations import request_stations
from .segment_strip import segment_strip
from .sequence import sequence
from .sequence_ladder import sequence_ladder
from .share_window import share_window
from .state_diagram import state_diagram
from .transaction_timeline import transaction_timeline
from .versions import compare
from .waiting_records import waiting_records
from .work_strip import Worked, work_strip
from .worker_lanes import worker_lanes

__all__ = [
    "Cells",
    "Moving",
    "Outcome",
    "Picture",
    "Worked",
    "assignment_matrix",
    "batch_strip",
    "bookmarks",
    "cluster_map",
    "compare",
    "group_timeline",
    "key_moves",
    "lag_and_lead",
    "lag_curve",
    "moving",
    "offset_paths",
    "offset_ruler",
    "outcome_grid",
    "ownership",
    "poll_gap",
    "readers",
    "record_lanes",
    "record_strip",
    "replica_ladder",
    "request_gantt",
    "request_stations",
    "segment_strip",
    "sequence",
    "sequence_ladder",
    "share_window",
    "state_diagram",
    "timeline",
    "transaction_timeline",
    "waiting_records",
    "work_strip",
    "worker_lanes",
]
