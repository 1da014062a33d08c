"""Пень as a game of OpenSpiel: for pipelines that train or solve there, and to check `penzoo.eval.exact` by a second road.

The rules are the engine's; the chance of the deal, the information states and the tree are made here in OpenSpiel's way, from the moves
and the cards of each player in text. Importing this module registers the game there: `pyspiel.load_game("penzoo_pen")`. It needs OpenSpiel
(`pip install "penzoo[openspiel]"`).

The deal is a sequence of chance nodes: dealer and trump card, where they are drawn, then each stump and each hand as a set of cards, in
the order of the deal, then the stock card by card.
"""

import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

try:
    import pyspiel
    from open_spiel.python import policy
except ImportError as error:
    raise ImportError("penzoo.eval.openspiel needs OpenSpiel: install the extra openspiel, as in penzoo[openspiel]") from error

from penzoo.agents import Agent
from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.pen.state import HAND
from penzoo.eval.exact import PLAYERS, Strategy, probabilities

PEN = get_game("pen")
SHORT_NAME = "penzoo_pen"
DRAWN_DEALER = -1  # value of the parameter `dealer`: chance decides
DRAWN_TRUMP = ""  # value of the parameter `trump_card`: chance decides

_OPTIONS = [option for option in PEN.options if option.name != "auto_single"]
_DEFAULTS = {
    "players": PLAYERS,
    "dealer": 0,
    "trump_card": DRAWN_TRUMP,
    **{option.name: option.default for option in _OPTIONS},
}
_GAME_TYPE = pyspiel.GameType(
    short_name=SHORT_NAME,
    long_name="PenZoo Pen",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=PEN.max_players,
    min_num_players=PEN.min_players,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_DEFAULTS,
)


def load(
    options: Mapping[str, Any] | None = None, *, players: int = PLAYERS, dealer: int | None = 0, trump_card: str | None = None
) -> "PenGame":
    """Пень as OpenSpiel takes it.

    Args:
        options: the game's rule options, such as `penzoo.eval.exact.MINI_STUMP`; `auto_single` must be off.
        players: at the table.
        dealer: the seat that deals; None draws it.
        trump_card: the one that is shown; None draws it.

    Raises:
        ValueError: an argument or an option is impossible.
    """
    fixed = {
        "players": players,
        "dealer": DRAWN_DEALER if dealer is None else dealer,
        "trump_card": DRAWN_TRUMP if trump_card is None else trump_card,
    }
    complete = PEN.complete_options(dict(options or {}))
    if complete.pop("auto_single"):
        raise ValueError("auto_single=True is not possible: OpenSpiel asks every decision")
    return PenGame({**fixed, **complete})


@dataclass(frozen=True)
class Packet:
    """A chance node of the deal.

    Attributes:
        name: as in the text of a state.
        size: cards in it.
        is_dealt: whether its cards leave the deck; those that are only shown, and the dealer, do not.
    """

    name: str
    size: int = 1
    is_dealt: bool = True


_DEALER, _TRUMPS = Packet("dealer", is_dealt=False), Packet("trumps", is_dealt=False)


@dataclass(frozen=True)
class Position:
    """Where a deal stands; it never changes, so that states can share it.

    Attributes:
        drawn: what chance has decided, by packet: the dealer's seat, or card indices.
        desk: record, observation and mask of the seat to move (`penzoo.envs.loops`); None before the first decision.
        seat: to move.
        returns: of each seat so far.
        has_ended: whether nothing is to be decided any more.
        moves: the text of all decisions.
        told: for each seat the text of what it knows: all decisions, and its own cards at first and after each of its own.
    """

    drawn: tuple[tuple[int, ...], ...] = ()
    desk: np.ndarray | None = None
    seat: int = 0
    returns: tuple[float, ...] = ()
    has_ended: bool = False
    moves: str = ""
    told: tuple[str, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Position":
        return self


class PenGame(pyspiel.Game):
    """The game; `load` makes it from options.

    Args:
        params: the number of `players`, `dealer` (-1 draws), `trump_card` ("" draws), and the rule options.

    Raises:
        ValueError: one of them is impossible.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        values = {**_DEFAULTS, **(params or {})}
        self.players = PEN.check_players(values["players"])
        self.options = PEN.complete_options({option.name: values[option.name] for option in _OPTIONS})
        self.deck = tuple(PEN.deck(self.players, self.options).tolist())
        self.dealer = None if values["dealer"] == DRAWN_DEALER else PEN.check_dealer(values["dealer"], self.players)
        self.trump_card = None if values["trump_card"] == DRAWN_TRUMP else values["trump_card"]
        self.packets = tuple(self._packets())
        self._batch = Batch(PEN, 1, 0, num_players=self.players, autoreset=False, **self.options)
        if self.trump_card is not None:
            self._batch.reset(chances={"trump_card": [self.trump_card]})  # tells what is wrong with it
        info = pyspiel.GameInfo(
            num_distinct_actions=len(PEN.actions),
            max_chance_outcomes=max((self._outcomes(packet, len(self.deck)) for packet in self.packets), default=1),
            num_players=self.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.options["max_moves"],
        )
        super().__init__(_GAME_TYPE, info, dict(values))

    def _packets(self) -> Iterator[Packet]:
        if self.dealer is None:
            yield _DEALER
        if self.trump_card is None:
            yield _TRUMPS
        each = self.options["hand_size"], self.options["stump_size"]
        if each[1]:
            yield from (Packet(f"stump {turn}", each[1]) for turn in range(1, self.players + 1))
        yield from (Packet(f"hand {turn}", each[0]) for turn in range(1, self.players + 1))
        yield from (Packet(f"stock {depth}") for depth in range(1, len(self.deck) - self.players * sum(each) + 1))

    def _outcomes(self, packet: Packet, left: int) -> int:
        return self.players if packet is _DEALER else math.comb(left, packet.size)

    def outcomes(self, drawn: tuple[tuple[int, ...], ...]) -> "tuple[tuple[int, ...], ...]":
        """What the next chance node may bring, after what has been drawn: a seat, or sets of card indices."""
        packet = self.packets[len(drawn)]
        if packet is _DEALER:
            return tuple((seat,) for seat in range(self.players))
        gone = set(self._dealt(drawn))
        return _sets(tuple(card for card in self.deck if card not in gone), packet.size)

    def _dealt(self, drawn: tuple[tuple[int, ...], ...]) -> list[int]:
        """The cards that have left the deck, in their order."""
        packets = zip(self.packets, drawn, strict=False)
        return [card for packet, cards in packets if packet.is_dealt for card in cards]

    def begin(self, drawn: tuple[tuple[int, ...], ...]) -> Position:
        """The first decision of a deal of which chance has decided all."""
        by_packet = dict(zip(self.packets, drawn, strict=True))
        dealer = by_packet[_DEALER][0] if self.dealer is None else self.dealer
        trumps = PEN.card_names[by_packet[_TRUMPS][0]] if self.trump_card is None else self.trump_card
        batch = self._batch
        batch.reset(decks=np.array([self._dealt(drawn)], np.int8), dealers=[dealer], chances={"trump_card": [trumps]})
        parts = (batch.states[:1], batch.observations[0], batch.masks[0])
        desk = np.concatenate([np.ascontiguousarray(part).view(np.uint8) for part in parts])
        place = batch.states["place"][0]
        head = f"dealer {dealer}, trumps {trumps};"
        told = tuple(f"{head} {_cards(place, seat)}" for seat in range(self.players))
        return Position(drawn, desk, int(batch.seats[0]), (0.0,) * self.players, False, head, told)

    def look(self, desk: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A desk's record in an array of shape (1,), and observation and mask of the seat to move."""
        states, observation, _, mask = PEN.loops.desk_parts(desk, self._batch.observations.shape[1], 0)
        return states, observation, mask

    def play(self, position: Position, action: int) -> Position:
        """The position after a decision."""
        assert position.desk is not None
        desk = position.desk.copy()
        PEN.loops.step_one(desk, action, self._batch.observations.shape[1], 0)
        state = self.look(desk)[0][0]
        move = f" {position.seat}:{PEN.actions.names[action]}"
        cards = f" {_cards(state['place'], position.seat)}"
        return Position(
            position.drawn,
            desk,
            int(state["seat"]),
            tuple(float(sum(pair)) for pair in zip(position.returns, state["rewards"].tolist(), strict=False)),
            bool(state["terminated"] or state["truncated"]),
            position.moves + move,
            tuple(told + move + (cards if seat == position.seat else "") for seat, told in enumerate(position.told)),
        )

    def new_initial_state(self) -> "PenState":
        """A deal of which nothing has been drawn yet."""
        return PenState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "PenObserver":
        """What writes observations and information states; `params` are none."""
        return PenObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


@functools.cache
def _sets(cards: tuple[int, ...], size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(itertools.combinations(cards, size))


def _cards(place: np.ndarray, seat: int) -> str:
    return "".join(PEN.card_names[card] for card in np.flatnonzero(place == HAND + seat))


class PenState(pyspiel.State):
    """A deal at some moment, as OpenSpiel's `State`."""

    def __init__(self, game: PenGame) -> None:
        super().__init__(game)
        self.position = Position()

    @property
    def game(self) -> PenGame:
        """Its game."""
        found: PenGame = self.get_game()
        return found

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's number for chance or the end."""
        if self.position.has_ended:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.position.desk is None else self.position.seat

    def _legal_actions(self, player: int) -> list[int]:
        assert self.position.desk is not None
        legal: list[int] = np.flatnonzero(self.game.look(self.position.desk)[2]).tolist()
        return legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The numbers of the outcomes of `PenGame.outcomes`, each as likely."""
        count = len(self.game.outcomes(self.position.drawn))
        return [(number, 1 / count) for number in range(count)]

    def _apply_action(self, action: int) -> None:
        game, position = self.game, self.position
        if position.desk is not None:
            self.position = game.play(position, action)
            return
        drawn = (*position.drawn, game.outcomes(position.drawn)[action])
        self.position = Position(drawn) if len(drawn) < len(game.packets) else game.begin(drawn)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return PEN.actions.names[action]
        drawn = self.position.drawn
        return _drawn_as_text(self.game.packets[len(drawn)], self.game.outcomes(drawn)[action])

    def is_terminal(self) -> bool:
        """Whether the deal has ended."""
        return self.position.has_ended

    def returns(self) -> list[float]:
        """Of each player so far."""
        return list(self.position.returns or (0.0,) * self.game.players)

    def __str__(self) -> str:
        pairs = zip(self.game.packets, self.position.drawn, strict=False)
        return "; ".join([*(_drawn_as_text(*pair) for pair in pairs), self.position.moves])


def _drawn_as_text(packet: Packet, drawn: tuple[int, ...]) -> str:
    return f"{packet.name} {drawn[0] if packet is _DEALER else ' '.join(PEN.card_names[card] for card in drawn)}"


class PenObserver:
    """What a player sees, as OpenSpiel's observers give it.

    Attributes:
        tensor: float32 of shape (observation size,), the observation of `penzoo.envs.pen.views`; None with perfect recall.
        dict: the tensor as the piece `observation`.

    Args:
        game: which.
        iig_obs_type: of OpenSpiel. With perfect recall the text is the information state.
        params: none.

    Raises:
        ValueError: parameters, or an observation without what is public or without what the player alone knows.
    """

    def __init__(self, game: PenGame, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers of {SHORT_NAME} take no parameters, not {params!r}")
        if not iig_obs_type.public_info or iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(f"{SHORT_NAME} shows what one player sees: what is public and what that player alone knows")
        self._game, self._has_recall = game, iig_obs_type.perfect_recall
        size = PEN.observation_layout(game.players).size
        self.tensor = None if self._has_recall else np.zeros(size, np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: PenState, player: int) -> None:
        """Fill the tensor with what a player sees: 0 before the deal is dealt."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        if state.position.desk is not None:
            states, seats = self._game.look(state.position.desk)[0], np.array([player])
            PEN.loops.observe_rows(states, np.zeros(1, np.int64), seats, 0, 1, self.tensor[None])

    def string_from(self, state: PenState, player: int) -> str:
        """What a player sees, or has seen and done, in text."""
        if state.position.desk is None:
            return "the deal"
        if self._has_recall:
            return f"player {player}, {state.position.told[player]}"
        return PEN.text(self._game.look(state.position.desk)[0][0], player, False)


class AgentPolicy(policy.Policy):
    """An agent of this package as a policy of OpenSpiel, for its algorithms.

    Args:
        game: of `load`.
        agent: as of `penzoo.eval.exact.probabilities`; it plays every seat.
    """

    def __init__(self, game: PenGame, agent: Strategy | Agent) -> None:
        super().__init__(game, list(range(game.players)))
        self._agent = agent
        self._known: dict[bytes, dict[int, float]] = {}

    def action_probabilities(self, state: PenState, player_id: int | None = None) -> dict[int, float]:
        """How likely each legal action is, by action; only the player to move has any."""
        assert state.position.desk is not None
        _, observation, mask = state.game.look(state.position.desk)
        key = observation.tobytes()
        if key not in self._known:
            shares = probabilities(self._agent, observation[None], mask[None])[0]
            self._known[key] = {action: float(shares[action]) for action in np.flatnonzero(mask).tolist()}
        return dict(self._known[key])


pyspiel.register_game(_GAME_TYPE, PenGame)
