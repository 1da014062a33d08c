"""Evaluation: agents against each other on common decks, every seat played by each, with intervals over decks."""

from penzoo.eval.arena import Games, play, seatings
from penzoo.eval.deals import Deals, draw_deals
from penzoo.eval.evaluation import Evaluation, Row, evaluate
from penzoo.eval.intervals import mean_interval
from penzoo.eval.report import print_table, save_json, save_picture

__all__ = [
    "Deals",
    "Evaluation",
    "Games",
    "Row",
    "draw_deals",
    "evaluate",
    "mean_interval",
    "play",
    "print_table",
    "save_json",
    "save_picture",
    "seatings",
]
