"""Trained agents: a network in a file of plain tensors, described in JSON, played with NumPy alone.

Nothing in a file is executed or unpickled, so an agent from a stranger can do no more than play badly. At the sizes that these games
need NumPy infers as fast as PyTorch, and an agent needs no more than the base install.
"""

import itertools
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from penzoo import __version__
from penzoo.agents.card_layers import CardLayers, card_plan, tensor_shapes
from penzoo.agents.heuristics import make_heuristic
from penzoo.envs import get_game
from penzoo.envs.game import Game
from penzoo.envs.tables import Layout

SUFFIX = ".safetensors"
DESCRIPTION_SUFFIX = ".json"
FORMAT_VERSION = 2

Choice = Literal["sample", "best"]
Activation = Literal["relu", "tanh"]

_METADATA_KEY = "penzoo"
_FORBIDDEN = np.float32(-np.inf)
_READABLE = (1, FORMAT_VERSION)  # format 1 knew no advisors


@dataclass(frozen=True)
class Layers:
    """Linear layers with an activation between each two.

    Attributes:
        weights: float32 arrays of shape (outputs, inputs).
        biases: float32 arrays of shape (outputs,).
        activation: relu or tanh.
    """

    weights: Sequence[np.ndarray]
    biases: Sequence[np.ndarray]
    activation: Activation

    kind: ClassVar[Literal["mlp"]] = "mlp"

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """float32 of shape (rows, inputs) -> float32 of shape (rows, outputs)."""
        values = inputs
        for depth, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if depth > 0:
                np.maximum(values, 0, out=values) if self.activation == "relu" else np.tanh(values, out=values)
            values = values @ weight.T
            values += bias
        return values

    @property
    def sizes(self) -> list[int]:
        """Inputs, hidden layers, outputs."""
        return [self.weights[0].shape[1], *(len(bias) for bias in self.biases)]

    @property
    def inputs(self) -> int:
        """Numbers that they read."""
        return self.sizes[0]

    @property
    def tensors(self) -> dict[str, np.ndarray]:
        """The arrays by name."""
        weights = {_weight_name(depth): weight for depth, weight in enumerate(self.weights)}
        return weights | {_bias_name(depth): bias for depth, bias in enumerate(self.biases)}

    def copy(self) -> "Layers":
        """The same with arrays of its own."""
        return Layers([weight.copy() for weight in self.weights], [bias.copy() for bias in self.biases], self.activation)


Network = Layers | CardLayers
NetworkKind = Literal["mlp", "cards"]


@dataclass(frozen=True)
class Description:
    """What an agent's file says about it.

    Attributes:
        game: the name of its game.
        game_version: of the rules.
        num_players: of the tables at which it was trained, and plays.
        observation: names and sizes of the pieces that it reads, in order.
        actions: names and sizes of the groups of actions that it chooses from, in order.
        layers: inputs (with an advisor observation and advice), hidden layers, outputs; of a network of cards its `sizes`.
        activation: between the layers.
        network: `mlp`, a multilayer perceptron, or `cards` (`penzoo.agents.card_layers`).
        choice: how it plays unless told otherwise: `sample` draws from its distribution, `best` takes its likeliest action.
        name: of the agent, for reports.
        advisor: the hand-written agent whose choice it is told, by `add_advice`; None for none.
        advice_weight: what is added to the logit of that choice.
        decisions: of its own that it was trained on.
        training: the whole configuration of its training, the seed included, but for the folder of its runs.
        versions: of the software that made it.
        format_version: of this description.
    """

    game: str
    game_version: int
    num_players: int
    observation: list[list[Any]]
    actions: list[list[Any]]
    layers: list[int]
    activation: Activation
    choice: Choice
    name: str
    advisor: str | None = None
    advice_weight: float = 0.0
    network: NetworkKind = "mlp"
    decisions: int = 0
    training: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    format_version: int = FORMAT_VERSION


class PolicyAgent:
    """A trained agent.

    Args:
        layers: from observations to a logit for each action. With an advisor they read beside the observation what it would do, and tell
            where to differ from it: the logit of that action is raised by `advice_weight` (residual policy learning, Silver et al., 2018).
        description: of `describe` or of a file.
        seed: of its draws.
        choice: how it plays; as described if None.

    Raises:
        ValueError: there is no such way to choose, no such advisor, or the layers read something else.
    """

    def __init__(self, layers: Network, description: Description, seed: int | None = None, choice: Choice | None = None) -> None:
        self.layers, self.description = layers, description
        self.name = description.name
        self.game: str | None = description.game
        self.num_players: int | None = description.num_players
        self.choice = _check_choice(choice or description.choice)
        self._advisor = None if description.advisor is None else make_heuristic(description.advisor, description.game)
        if layers.inputs != _inputs(description):
            what = "observations" if self._advisor is None else "observations and what the advisor would do"
            raise ValueError(f"layers that read {layers.inputs} numbers: {what} are {_inputs(description)}")
        self._observation_size = _total(description.observation)
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Begin its draws anew."""
        self._generator = np.random.default_rng(seed)

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """As `Agent.act`.

        Raises:
            ValueError: the observations are not those of its game and number of players.
        """
        logits = self.logits(observations, masks)
        return np.argmax(logits, axis=1) if self.choice == "best" else self._sample(logits)

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """float32 of shape (rows, actions): its distribution, 0 where the mask forbids."""
        weights = _weights(self.logits(observations, masks))
        return weights / weights.sum(axis=1, keepdims=True)

    def logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """float32 of shape (rows, actions): unnormalized log probabilities, -inf where the mask forbids."""
        size = self._observation_size
        if observations.shape[1] != size:
            raise ValueError(
                f"agent {self.name} reads observations of size {size} ({self.game} with {self.num_players} players), "
                f"not of {observations.shape[1]}"
            )
        if self._advisor is None:
            logits = self.layers(observations)
        else:
            advice = self._advisor.act(observations, masks)
            logits = self.layers(add_advice(observations, advice, masks.shape[1]))
            logits[np.arange(len(logits)), advice] += np.float32(self.description.advice_weight)
        return np.where(masks, logits, _FORBIDDEN)

    def _sample(self, logits: np.ndarray) -> np.ndarray:
        sums = np.cumsum(_weights(logits), axis=1)
        drawn = self._generator.random((len(sums), 1), np.float32) * sums[:, -1:]
        # a draw that rounding brings up to the whole sum still falls on the last action of any weight
        return np.argmax(sums > np.minimum(drawn, np.nextafter(sums[:, -1:], np.float32(0))), axis=1)


def add_advice(observations: np.ndarray, advice: np.ndarray, num_actions: int) -> np.ndarray:
    """What a network with an advisor reads.

    Args:
        observations: float32 of shape (rows, observation size).
        advice: int64 of shape (rows,), the actions that the advisor would take.
        num_actions: of the game.

    Returns:
        float32 of shape (rows, observation size + actions): after each observation 1 for that action and 0 for all others.
    """
    size = observations.shape[1]
    inputs = np.zeros((len(observations), size + num_actions), np.float32)
    inputs[:, :size] = observations
    inputs[np.arange(len(inputs)), size + advice] = 1
    return inputs


def _weights(logits: np.ndarray) -> np.ndarray:
    return np.exp(logits - logits.max(axis=1, keepdims=True))


def describe(game: Game, num_players: int, layers: Network, choice: Choice, name: str, **rest: Any) -> Description:
    """The description of an agent that has just been made; `rest` as in `Description`."""
    return Description(
        game=game.name,
        game_version=game.version,
        num_players=num_players,
        observation=_pieces(game.observation_layout(num_players)),
        actions=_groups(game),
        layers=layers.sizes,
        activation=layers.activation,
        network=layers.kind,
        choice=choice,
        name=name,
        **rest,
    )


def _pieces(layout: Layout) -> list[list[Any]]:
    return [[piece.name, piece.size] for piece in layout.pieces]


def _groups(game: Game) -> list[list[Any]]:
    return [[group.name, len(group.names)] for group in game.actions.groups]


# -------------------------------------------------------------------------------------------------------------------------- files


def save_policy(path: str | Path, layers: Network, description: Description) -> Path:
    """Write an agent: its tensors with the description among them, and the description once more beside them, to be read.

    Args:
        path: ends in `SUFFIX`. A file that is there already is replaced at once, never half written.
        layers: what it computes.
        description: of `describe`.

    Returns:
        The path.

    Raises:
        ValueError: the path ends otherwise.
    """
    path = Path(path)
    if path.suffix != SUFFIX:
        raise ValueError(f"{path}: the file of an agent ends in {SUFFIX}")
    values = {**asdict(description), "versions": {"penzoo": __version__, "numpy": np.__version__, **description.versions}}
    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in layers.tensors.items()}
    part = path.with_name(path.name + ".part")
    save_file(tensors, part, metadata={_METADATA_KEY: json.dumps(values, ensure_ascii=False)})
    os.replace(part, path)
    text = json.dumps(values, indent=2, ensure_ascii=False)
    path.with_suffix(DESCRIPTION_SUFFIX).write_text(text + "\n", encoding="utf-8")
    return path


def load_policy(path: str | Path, seed: int | None = None, choice: Choice | None = None) -> PolicyAgent:
    """Read an agent.

    Args:
        path: of a file that `save_policy` wrote.
        seed: of the agent's draws.
        choice: `sample` draws from its distribution, `best` takes its likeliest action; None as its description says.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, no agent of PenZoo, or made for observations or actions that this PenZoo does not have.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist: give the {SUFFIX} file of a trained agent")
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping: it has keys() only)
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise ValueError(f"{path} is no whole {SUFFIX} file: {error}") from None
    try:
        description = _read_description(metadata)
        _check_game(description)
        return PolicyAgent(_read_layers(tensors, description), description, seed, choice)
    except (TypeError, AttributeError) as error:  # values of the wrong kind, wherever they come to be used
        raise ValueError(f"{path}: the description is damaged: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _read_description(metadata: Mapping[str, str]) -> Description:
    if _METADATA_KEY not in metadata:
        raise ValueError("no agent of PenZoo: these tensors have no description")
    try:
        values = json.loads(metadata[_METADATA_KEY])
    except json.JSONDecodeError as error:
        raise ValueError(f"the description is damaged: {error}") from None
    found = values.get("format_version")
    if found not in _READABLE:
        raise ValueError(f"description of format {found!r}: this PenZoo reads format {' and '.join(map(str, _READABLE))}")
    description = Description(**values)
    if description.activation not in get_args(Activation):
        raise ValueError(f"activation {description.activation!r} does not exist: there are {', '.join(get_args(Activation))}")
    if description.network not in get_args(NetworkKind):
        raise ValueError(f"network {description.network!r} does not exist: there are {', '.join(get_args(NetworkKind))}")
    if not math.isfinite(description.advice_weight):
        raise ValueError(f"advice_weight={description.advice_weight!r} is not possible: it is a finite number")
    return description


def _check_game(description: Description) -> None:
    """Refuse an agent for which observations or actions would mean something else than in its training."""
    game = get_game(description.game)
    if description.game_version != game.version:
        raise ValueError(f"made for {description.game}_v{description.game_version}: this PenZoo plays {game.id}")
    layout = game.observation_layout(game.check_players(description.num_players))
    for what, made_for, now in (
        ("observation", description.observation, _pieces(layout)),
        ("actions", description.actions, _groups(game)),
    ):
        for index in range(max(len(made_for), len(now))):
            then, here = _part(made_for, index), _part(now, index)
            if then != here:
                raise ValueError(f"made for another {what} of {game.id}: its part {index} was {then}, and is {here} now; train it anew")
    if description.advisor is not None:
        make_heuristic(description.advisor, game.name)  # tells one that the game has not


def _total(parts: Sequence[Sequence[Any]]) -> int:
    return sum(size for _, size in parts)


def _inputs(description: Description) -> int:
    """How many numbers its layers read."""
    return _total(description.observation) + (0 if description.advisor is None else _total(description.actions))


def _part(parts: Sequence[Sequence[Any]], index: int) -> str:
    return " of size ".join(str(value) for value in parts[index]) if index < len(parts) else "nothing"


def _read_layers(tensors: Mapping[str, np.ndarray], description: Description) -> Network:
    if description.network == "cards":
        return _read_card_layers(tensors, description)
    sizes = description.layers
    shapes: dict[str, tuple[int, ...]] = {}
    for depth, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        shapes[_weight_name(depth)], shapes[_bias_name(depth)] = (outputs, inputs), (outputs,)
    _check_tensors(tensors, shapes, description)
    ends = _inputs(description), _total(description.actions)
    if (sizes[0], sizes[-1]) != ends:
        what = "observations" if description.advisor is None else "observations and advice"
        raise ValueError(f"layers {sizes} do not lead from {what} of size {ends[0]} to {ends[1]} actions")
    count = range(len(sizes) - 1)
    return Layers([tensors[_weight_name(k)] for k in count], [tensors[_bias_name(k)] for k in count], description.activation)


def _read_card_layers(tensors: Mapping[str, np.ndarray], description: Description) -> CardLayers:
    plan = card_plan(get_game(description.game), description.num_players, description.advisor is not None)
    sizes = description.layers
    if len(sizes) != CardLayers.num_sizes:
        raise ValueError(f"layers {sizes}: a network of cards has {CardLayers.num_sizes} sizes")
    _check_tensors(tensors, tensor_shapes(plan, sizes), description)
    return CardLayers(plan, sizes, tensors)


def _check_tensors(tensors: Mapping[str, np.ndarray], shapes: Mapping[str, tuple[int, ...]], description: Description) -> None:
    if not shapes or set(shapes) != set(tensors):
        raise ValueError(f"tensors {', '.join(sorted(tensors))}: layers {description.layers} have {', '.join(sorted(shapes))}")
    for name, shape in shapes.items():
        tensor = tensors[name]
        if tensor.shape != shape or tensor.dtype != np.float32 or not np.isfinite(tensor).all():
            raise ValueError(
                f"tensor {name} of {tensor.dtype} and shape {tensor.shape}: it takes finite numbers of float32 and shape {shape}"
            )


def _weight_name(depth: int) -> str:
    return f"layers.{depth}.weight"


def _bias_name(depth: int) -> str:
    return f"layers.{depth}.bias"


def _check_choice(choice: str) -> Choice:
    for known in get_args(Choice):
        if choice == known:
            return known
    raise ValueError(f"choice {choice!r} does not exist: there are {', '.join(get_args(Choice))}")
