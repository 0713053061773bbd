"""The teacher's table: what a question's figures say."""
from autograder.report import _discrimination


def test_a_question_that_the_good_get_right_tells_them_apart_and_a_broken_one_shows():
    def student(known, luck):
        cells = {name: {"score": float(known), "kind": "value"} for name in ("90.1", "90.2")}
        return {"cells": {**cells, "90.3": {"score": float(luck), "kind": "value"}, "90.open": {"score": 0.0, "kind": "open"}}}
    class_ = {f"s{number}": student(number % 2, number % 3 == 0) for number in range(12)}
    assert float(_discrimination(class_, "90.1")) > 0.6
    assert abs(float(_discrimination(class_, "90.3"))) < 0.3, "this one is chance"
    assert _discrimination(class_, "90.open") == "", "nobody has marked it yet"
