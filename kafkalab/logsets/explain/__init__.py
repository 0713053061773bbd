"""Explains any DEBUG log of Kafka clients: `python -m kafkalab logsets explain LOG… --html
page.html`.

log_report.py counts. oddities.py finds unusual events and explains them. text_report.py, page.py
and json_report.py show the result.
"""

from kafkalab.logsets.explain.json_report import json_report
from kafkalab.logsets.explain.log_report import LogReport, report_of
from kafkalab.logsets.explain.oddities import Oddity
from kafkalab.logsets.explain.text_report import text_report

__all__ = ["LogReport", "Oddity", "json_report", "report_of", "text_report"]
