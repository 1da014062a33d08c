"""Evaluation: agents against each other on common decks, every seat played by each, with intervals over decks."""

from penzoo.eval.arena import Games, play, seatings
from penzoo.eval.deals import Deals, draw_deals
from penzoo.eval.evaluation import Evaluation, evaluate
from penzoo.eval.figures import Row
from penzoo.eval.intervals import mean_interval
from penzoo.eval.ratings import Rating
from penzoo.eval.report import print_table, save_json, save_picture
from penzoo.eval.tournament import Comparison, Pair, Tournament, tournament
from penzoo.eval.tournament_report import print_tournament, save_tournament_picture

__all__ = [
    "Comparison",
    "Deals",
    "Evaluation",
    "Games",
    "Pair",
    "Rating",
    "Row",
    "Tournament",
    "draw_deals",
    "evaluate",
    "mean_interval",
    "play",
    "print_table",
    "print_tournament",
    "save_json",
    "save_picture",
    "save_tournament_picture",
    "seatings",
    "tournament",
]
