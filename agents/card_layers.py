"""A network that knows what a card is: the same weights for every card, of every suit and rank.

A multilayer perceptron learns what a pair of queens is worth anew for each pair of suits. Here each card has features of its own, computed
by weights that all cards share from what is seen of it, of its neighbours in the suit, and of the cards of its rank in the other suits
(convolution over ranks, LeCun et al., 1989; sums over suits, as in deep sets, Zaheer et al., 2017); what is seen of anything but cards is
added to each. In cloning the careful agent of Kunken it reached in a fifteenth of the decisions what a perceptron of four times its size
reached.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from penzoo.envs.cards import SUITS
from penzoo.envs.game import Game

RUNS_GO_ROUND = ("kunken",)  # games in which the highest rank is the neighbour of the lowest
WIDE, NARROW = (1, -1, 2, -2), (1, -1)  # neighbours whose features a card's are made from, in the first and the second layer

_NUM_SUITS = len(SUITS)
_MOST_OTHERS = 6  # numbers that a piece of card planes may have beside them, for the jokers


class CardPlan(NamedTuple):
    """Where the cards stand in what a network reads and among a game's actions.

    Attributes:
        ranks: of each suit.
        is_round: whether the highest rank is the neighbour of the lowest.
        planes: int64 of shape (planes, cards), where a number for each card stands in what the network reads, by card index.
        others: int64 of shape (numbers,), what stands in it beside them.
        action_planes: int64 of shape (action planes, cards), actions with a card each.
        other_actions: int64 of shape (actions,), the others.
    """

    ranks: int
    is_round: bool
    planes: np.ndarray
    others: np.ndarray
    action_planes: np.ndarray
    other_actions: np.ndarray

    @property
    def num_actions(self) -> int:
        """Of the game."""
        return self.action_planes.size + len(self.other_actions)

    @property
    def size(self) -> int:
        """Of what the network reads."""
        return self.planes.size + len(self.others)


def card_plan(game: Game, players: int, advised: bool = False) -> CardPlan:
    """Find the pieces of the observation, and the groups of actions, that have a number for each card (or for each copy of a deck of two).

    Args:
        game: whose cards are ordered suit by suit, jokers last.
        players: at the table.
        advised: whether what an advisor would do comes after the observation, a number for each action.
    """
    cards = sum(len(name) == 2 for name in game.card_names)  # a rank and a suit; a joker has neither
    pieces = game.observation_layout(players).pieces
    planes, others = _find_planes([piece.size for piece in pieces], cards)
    action_planes, other_actions = _find_planes([len(group.names) for group in game.actions.groups], cards)
    if advised:
        size = planes.size + len(others)
        planes, others = np.concatenate((planes, size + action_planes)), np.concatenate((others, size + other_actions))
    return CardPlan(cards // _NUM_SUITS, game.name in RUNS_GO_ROUND, planes, others, action_planes, other_actions)


def _find_planes(sizes: Sequence[int], cards: int) -> tuple[np.ndarray, np.ndarray]:
    planes: list[np.ndarray] = []
    others: list[np.ndarray] = []
    start = 0
    for size in sizes:
        count, rest = divmod(size, cards)
        if rest > _MOST_OTHERS:
            count, rest = 0, size
        planes += [np.arange(start + plane * cards, start + (plane + 1) * cards) for plane in range(count)]
        others.append(np.arange(start + size - rest, start + size))
        start += size
    return np.array(planes, np.int64).reshape(-1, cards), np.concatenate(others).astype(np.int64)


def tensor_shapes(plan: CardPlan, sizes: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the weights; a linear layer's are of shape (outputs, inputs).

    Args:
        plan: of the game and table.
        sizes: features of a card, those that all else is read into, and those of the trunk.
    """
    channels, rest, trunk = sizes
    cards, planes, others = plan.planes.shape[1], len(plan.planes), len(plan.others)
    linear = {
        "others": (rest, others),
        "first": (channels, planes * (2 + len(WIDE))),
        "first_others": (channels, rest),
        "second": (channels, channels * (2 + len(NARROW))),
        "second_mean": (channels, channels),
        "trunk": (trunk, 2 * channels + rest),
        "third": (channels, channels),
        "third_trunk": (channels, trunk),
        "planes": (len(plan.action_planes), channels),
        "planes_trunk": (len(plan.action_planes), trunk),
        "actions": (len(plan.other_actions), trunk),
    }
    shapes: dict[str, tuple[int, ...]] = {"cards": (cards, channels)}
    for name, shape in linear.items():
        shapes[f"{name}.weight"] = shape
        if name not in _WITHOUT_BIAS:
            shapes[f"{name}.bias"] = shape[:1]
    return shapes


_WITHOUT_BIAS = ("first_others", "second_mean", "third_trunk", "planes_trunk")  # added to something that has one


@dataclass(frozen=True)
class CardLayers:
    """The network, in NumPy.

    Attributes:
        plan: where the cards stand.
        sizes: features of a card, those that all else is read into, and those of the trunk.
        tensors: float32 arrays by name, of `tensor_shapes`.
    """

    plan: CardPlan
    sizes: list[int]
    tensors: Mapping[str, np.ndarray]

    kind: ClassVar[Literal["cards"]] = "cards"
    activation: ClassVar[Literal["relu"]] = "relu"
    num_sizes: ClassVar[int] = 3

    @property
    def inputs(self) -> int:
        """Numbers that it reads."""
        return self.plan.size

    def copy(self) -> "CardLayers":
        """The same with arrays of its own."""
        return CardLayers(self.plan, self.sizes, {name: tensor.copy() for name, tensor in self.tensors.items()})

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """float32 of shape (rows, inputs) -> float32 of shape (rows, actions)."""
        plan, rows = self.plan, len(inputs)
        others = _relu(self._linear("others", inputs[:, plan.others]))
        seen = inputs[:, plan.planes].transpose(0, 2, 1).reshape(rows, _NUM_SUITS, plan.ranks, -1)
        cards = self._linear("first", self._around(seen, WIDE)) + self.tensors["cards"].reshape(_NUM_SUITS, plan.ranks, -1)
        cards = _relu(cards + self._linear("first_others", others)[:, None, None, :])
        mean = self._linear("second_mean", cards.mean(axis=(1, 2)))
        cards = _relu(self._linear("second", self._around(cards, NARROW)) + mean[:, None, None, :])
        flat = cards.reshape(rows, plan.planes.shape[1], -1)
        trunk = _relu(self._linear("trunk", np.concatenate((flat.mean(axis=1), flat.max(axis=1), others), axis=1)))
        flat = _relu(self._linear("third", flat) + self._linear("third_trunk", trunk)[:, None, :])
        logits = np.empty((rows, plan.num_actions), np.float32)
        of_cards = self._linear("planes", flat) + self._linear("planes_trunk", trunk)[:, None, :]
        logits[:, plan.action_planes.ravel()] = of_cards.transpose(0, 2, 1).reshape(rows, -1)
        logits[:, plan.other_actions] = self._linear("actions", trunk)
        return logits

    def _linear(self, name: str, values: np.ndarray) -> np.ndarray:
        result: np.ndarray = values @ self.tensors[f"{name}.weight"].T
        if name not in _WITHOUT_BIAS:
            result += self.tensors[f"{name}.bias"]
        return result

    def _around(self, cards: np.ndarray, distances: Sequence[int]) -> np.ndarray:
        """Beside each card's features those of its neighbours in the suit, and the sum of those of its rank in the other suits."""
        parts = [cards, *(self._moved(cards, distance) for distance in distances), cards.sum(axis=1, keepdims=True) - cards]
        return np.concatenate(parts, axis=3)

    def _moved(self, cards: np.ndarray, distance: int) -> np.ndarray:
        moved = np.roll(cards, distance, axis=2)
        if not self.plan.is_round:
            moved[:, :, slice(None, distance) if distance > 0 else slice(distance, None)] = 0
        return moved


def _relu(values: np.ndarray) -> np.ndarray:
    return np.maximum(values, 0, out=values)
