"""A deal between a person at the terminal and agents."""

import itertools
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from penzoo.agents import Agent, heuristic_names, make_agent
from penzoo.envs.batch import Batch
from penzoo.envs.cards import JOKER, JOKER_FOR, in_lines, on_screen
from penzoo.envs.game import Game
from penzoo.envs.record import Record

_SEED_BITS = 31
_QUIT = ("q", "quit", "exit")
_HELP = ("?", "h", "help")
_BETWEEN_MOVES = "   "
_MOST_NAMED = 8  # moves that an error names


def payments_text(game: Game, rewards: Sequence[float], who: Callable[[int], str]) -> str:
    """What a move paid to whom; `who` names a seat."""
    winners, others = [seat for seat, reward in enumerate(rewards) if reward > 0], {reward for reward in rewards if reward <= 0}
    if len(winners) == 1 and len(others) == 1 and 0 not in others:
        return f"{who(winners[0])} gets {-others.pop():g} from each"
    return ", ".join(f"{who(seat)} {payoff_text(game, reward)}" for seat, reward in enumerate(rewards) if reward)


class _GivenUpError(Exception):
    """The person plays on no longer."""


def move_text(game: Game, action: str) -> str:
    """An action as people read it: by its name, a card in it with its suit drawn."""
    return " ".join(on_screen(word) if _is_card(game, word) else word for word in action.split(" "))


def _is_card(game: Game, word: str) -> bool:
    """Whether a word of an action's name is a card, or a joker that stands for one."""
    return word.removeprefix(JOKER_FOR) in game.card_names


def moves_text(game: Game, actions: Sequence[str]) -> str:
    """Actions as people choose from them, with their numbers; if they take more than a line, each group of the table begins another."""
    moves = [f"{number} {move_text(game, action)}" for number, action in enumerate(actions, 1)]
    together = in_lines(moves, _BETWEEN_MOVES)
    if "\n" not in together:
        return together
    group_of = {name: group.name for group in game.actions.groups for name in group.names}
    groups = itertools.groupby(zip(actions, moves, strict=True), key=lambda each: group_of[each[0]])
    return "\n".join(in_lines((move for _, move in each), _BETWEEN_MOVES) for _, each in groups)


def payoff_text(game: Game, value: float) -> str:
    """What a deal brought to a seat, in the game's unit if it has one of its own."""
    return f"{value:+.3f}" if game.payoff_unit == Game.payoff_unit else f"{value:+g} {game.payoff_unit}"


def play_deal(
    game: Game,
    *,
    players: int | None = None,
    opponents: Sequence[str] = (),
    seat: int = 0,
    seed: int | None = None,
    reveal: bool = False,
    options: Mapping[str, Any] | None = None,
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> Record | None:
    """Play one deal.

    Args:
        game: of `penzoo.envs.GAMES`.
        players: at the table; the game's default if None.
        opponents: as `make_agent` takes them: one for every other seat, or as many as those, from the seat after yours on; the last of
            `heuristic_names` if there are none.
        seat: the person's.
        seed: of the deal and of the opponents' chance; drawn, and told, if None.
        reveal: show every card.
        options: the game's rule options.
        read: a prompt -> what the person answers; EOFError where nothing more will come.
        write: shows lines.

    Returns:
        The record, or None if the person gave up.

    Raises:
        ValueError: an argument or an option is impossible.
    """
    num_players = game.check_players(game.default_players if players is None else players)
    if not 0 <= seat < num_players:
        raise ValueError(f"seat={seat} does not exist: with {num_players} players the seats are 0 to {num_players - 1}")
    complete = game.complete_options(dict(options or {}))
    chance = secrets.randbits(_SEED_BITS) if seed is None else seed
    # forced moves are played here, so that each of them is shown
    batch = Batch(game, 1, chance, num_players=num_players, autoreset=False, **{**complete, "auto_single": False})
    agents = _seat_agents(opponents or [heuristic_names(game.name)[-1]], game, num_players, seat, chance)
    write(f"You are player_{seat}. Seed {chance}. Each move: its number or its name; ? for help, q to give up.\n")
    try:
        return _Table(batch, complete, seat, agents, reveal, read, write).play()
    except EOFError:
        write("\nThe input has ended, and so has the deal.")
    except _GivenUpError:
        write("The deal is given up.")
    return None


def _seat_agents(specs: Sequence[str], game: Game, num_players: int, own: int, seed: int) -> dict[int, Agent]:
    """An agent for each seat but one's own."""
    others = [(own + turn) % num_players for turn in range(1, num_players)]
    if len(specs) not in (1, len(others)):
        raise ValueError(f"{len(specs)} opponents for {len(others)} other seats: give one for all, or one for each")
    given = list(specs) * len(others) if len(specs) == 1 else list(specs)
    seeds = np.random.SeedSequence([seed, 1]).generate_state(len(others)).tolist()  # not the deal's own
    return {seat: make_agent(spec, game.name, num_players, agent_seed) for seat, spec, agent_seed in zip(others, given, seeds, strict=True)}


def _answers(game: Game, action: str) -> set[str]:
    """What one may answer for an action: its name with letters or signs for suits, or its card alone."""
    cards = [word for word in action.split(" ") if _is_card(game, word)]
    return {form.lower() for form in (action, move_text(game, action), *cards, *map(on_screen, cards))}


def _span(names: Sequence[str]) -> str:
    """A group of actions by the first and the last."""
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"


class _Table:
    """The deal, and who sits at it."""

    def __init__(
        self,
        batch: Batch,
        options: dict[str, Any],
        seat: int,
        agents: dict[int, Agent],
        reveal: bool,
        read: Callable[[str], str],
        write: Callable[[str], None],
    ) -> None:
        self.game, self.batch, self.options = batch.game, batch, options
        self.seat, self.agents, self.reveal = seat, agents, reveal
        self.read, self.write = read, write
        self.actions: list[tuple[int, str]] = []
        self.answers = {name: _answers(self.game, name) for name in self.game.actions.names}

    def play(self) -> Record:
        """Play the deal to its end."""
        while not self.batch.ended[0]:
            seat = int(self.batch.seats[0])
            legal = self.game.legal_names(self.batch.masks[0])
            if self.options["auto_single"] and len(legal) == 1 and self.actions:
                self._act(seat, legal[0], ["the only move"] if seat == self.seat else [])  # of another's it would tell what is in hand
            elif seat == self.seat:
                self._act(seat, self._ask(legal), [])
            else:
                action = int(self.batch.ask(self.agents[seat])[0])
                self._act(seat, self.game.actions.name(action), [])
        return self._finish()

    def _act(self, seat: int, name: str, remarks: list[str]) -> None:
        remarks = [text for text in (self.game.remark(self.batch.states[0]), *remarks) if text]
        beside = f" ({', '.join(remarks)})" if remarks else ""
        self.batch.step([self.game.actions.index(name)])
        self.actions.append((seat, name))
        self.write(f"  {self._who(seat)}: {move_text(self.game, name)}{beside}")
        self._show_payments()

    def _show_payments(self) -> None:
        """Tell what the last move paid, unless nothing was paid before the end: then the final table says it all."""
        rewards = self.batch.rewards[0]
        if rewards.any() and not (self.batch.ended[0] and np.array_equal(rewards, self.batch.returns[0])):
            self.write(f"    {payments_text(self.game, rewards.tolist(), self._who)}")

    def _who(self, seat: int) -> str:
        return f"player_{seat} ({'you' if seat == self.seat else self.agents[seat].name})"

    def _ask(self, legal: list[str]) -> str:
        """A legal action of the person's choice."""
        self._show(legal)
        prompt = "your move: " if len(legal) > 1 else f"your only move is {move_text(self.game, legal[0])}, Enter plays it: "
        while True:
            answer = " ".join(self.read(prompt).lower().split())
            if answer in _QUIT:
                raise _GivenUpError
            if answer in _HELP:
                self.write(self._help())
                self._show(legal)
                continue
            try:
                return self._parse(answer, legal)
            except ValueError as error:
                self.write(str(error))

    def _show(self, legal: list[str]) -> None:
        self.write("\n" + self.game.text(self.batch.states[0], self.seat, self.reveal))
        self.write(moves_text(self.game, legal))

    def _parse(self, answer: str, legal: list[str]) -> str:
        if not answer and len(legal) == 1:
            return legal[0]
        if answer.isdecimal() and 1 <= int(answer) <= len(legal):
            return legal[int(answer) - 1]
        meant = [name for name in legal if answer in self.answers[name]]
        if len(meant) == 1:
            return meant[0]
        named = [f"{number} or {legal_name}" for number, legal_name in enumerate(legal, 1)]
        allowed = ", ".join(named if len(named) <= _MOST_NAMED else [*named[: _MOST_NAMED - 2], "…", named[-1]])
        raise ValueError(f"{self._problem(answer, meant)} Give a number or a name: {allowed}.")

    def _problem(self, answer: str, meant: list[str]) -> str:
        if not answer:
            return "That was no move."
        if meant:
            return f"{answer!r} may be {' or '.join(move_text(self.game, name) for name in meant)}."
        known = [move_text(self.game, name) for name, answers in self.answers.items() if answer in answers]
        if not known:
            return f"There is no move {answer!r}."
        return f"{known[0] if len(known) == 1 else repr(answer)} is not allowed now."

    def _help(self) -> str:
        groups = "\n".join(f"  {_span(group.names)}: {group.meaning}" for group in self.game.actions.groups)
        example = self.game.card_names[0]
        ten = "T ten; " if any(name[0] == "T" for name in self.game.card_names) else ""
        joker = f"; a joker is {JOKER}" if JOKER in self.game.card_names else ""
        return (
            "Answer with the number before a move, or with its name, or with the card alone if one move only names it. A card is its rank "
            f"and suit, as in {example} or {on_screen(example)} ({ten}c clubs, d diamonds, h hearts, s spades){joker}.\n"
            f"The moves of {self.game.title}:\n{groups}\n"
            "Where there is only one move, Enter plays it; the option auto_single=true plays it by itself. q gives the deal up."
        )

    def _finish(self) -> Record:
        returns = self.batch.returns[0].tolist()
        self.write("\n" + self.game.text(self.batch.states[0], self.seat, True))
        for seat, value in enumerate(returns):
            self.write(f"  {self._who(seat)}: {payoff_text(self.game, value)}")
        return self._record(returns)

    def _record(self, returns: list[float]) -> Record:
        game, state = self.game, self.batch.states[0]
        chances = {chance.name: chance.write(state) for chance in game.chances}
        return Record(
            game=game.name,
            version=game.version,
            players=self.batch.num_players,
            dealer=int(state["dealer"]),
            options=game.changed_options(self.options),
            deck=tuple(game.card_names[card] for card in self.batch.deck(0)),
            chances={name: value for name, value in chances.items() if value is not None},
            actions=tuple(self.actions),
            returns=tuple(returns),
        )
