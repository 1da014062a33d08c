"""The configuration of a training run: read from YAML, overridden by `key=value`, checked in full before anything starts."""

import json
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from penzoo.agents import agent_names, heuristic_names, make_agent
from penzoo.agents.card_layers import CardLayers
from penzoo.agents.heuristics import make_heuristic
from penzoo.agents.policy import Activation, Choice, NetworkKind
from penzoo.agents.search import SEARCH
from penzoo.envs import get_game
from penzoo.envs.game import Game

Share = Annotated[float, Field(ge=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Device = Literal["auto", "cpu", "cuda"]

_KINDS = {
    "int_type": "an int",
    "int_from_float": "an int",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a text",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a section with keys of its own",
}
_MAX_HINTS = 3


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class NetworkConfig(_Section):
    """The policy and the value network."""

    kind: NetworkKind = Field(
        "mlp",
        description="mlp: multilayer perceptrons; cards: one network that computes each card's features with the same weights, for both",
    )
    layers: tuple[Annotated[int, Field(gt=0)], ...] = Field(
        (256, 256), description="sizes of the hidden layers; of cards two: what all but cards is read into, and the trunk"
    )
    activation: Activation = Field("relu", description="between the layers: relu or tanh; of cards relu")
    shared: int = Field(0, ge=0, description="how many of the hidden layers, from the first on, the two have in common; of cards none")
    channels: int = Field(48, gt=0, description="features of each card, of a network of cards")
    advisor: str | None = Field(
        None,
        description="of aggrevate: a hand-written agent, as `careful`; told what it would do, the policy learns where to differ",
    )
    advice_weight: float = Field(
        0.05, gt=0, description="how much more an action must promise than the advisor's, for the policy to take it"
    )

    @property
    def card_sizes(self) -> list[int]:
        """As of `penzoo.agents.card_layers.CardLayers`."""
        return [self.channels, *self.layers]

    @model_validator(mode="after")
    def _check(self) -> "NetworkConfig":
        if self.shared > len(self.layers):
            raise ValueError(f"shared={self.shared} is not possible: there are {len(self.layers)} layers")
        if self.kind == "cards" and (
            len(self.card_sizes) != CardLayers.num_sizes or self.shared or self.activation != CardLayers.activation
        ):
            raise ValueError("kind='cards' takes layers of two sizes, as [64, 128], activation relu, and shared 0: all of it is in common")
        return self


class PPOConfig(_Section):
    """The learning algorithm, sb3-contrib's MaskablePPO."""

    learning_rate: float = Field(1e-3, gt=0, description="of Adam, at the start")
    learning_rate_end: float | None = Field(
        None, gt=0, description="of Adam, at the end, linearly in between; the same as at the start if null"
    )
    n_steps: int = Field(8, gt=0, description="decisions in each deal between two updates")
    batch_size: int = Field(2048, gt=1, description="decisions in each gradient step")
    n_epochs: int = Field(4, gt=0, description="how often each decision is used")
    reward_scale: float = Field(
        1.0,
        gt=0,
        description="what the learner's rewards are multiplied by, for learning only: whatever is reported is in the game's own unit; "
        "about 1 / (what the return of a deal varies by) suits",
    )
    gamma: Fraction = Field(1.0, description="discount of later rewards, per decision of the learner")
    gae_lambda: Fraction = Field(0.95, description="generalized advantage estimation: 0 trusts the value network, 1 the outcome")
    clip_range: float = Field(0.2, gt=0, description="how far the probability ratio may move before its gradient is cut")
    ent_coef: float = Field(0.05, ge=0, description="weight of the entropy bonus, at the start")
    ent_coef_end: float | None = Field(
        None, ge=0, description="weight of the entropy bonus, at the end, linearly in between; the same if null"
    )
    vf_coef: float = Field(0.5, ge=0, description="weight of the value loss")
    max_grad_norm: float = Field(0.5, gt=0, description="where gradients are clipped")
    target_kl: float | None = Field(None, gt=0, description="an update ends early beyond 1.5 times this divergence; never if null")
    bootstrap_truncated: bool = Field(
        False,
        description="value a truncated deal by the network (true) or, as its rules and its payoff do, as ended (false)",
    )


class AggrevateConfig(_Section):
    """The learning algorithm AggreVaTe: actions are tried beside those of an expert, `network.advisor`."""

    learning_rate: float = Field(1e-3, gt=0, description="of AdamW, at the start")
    learning_rate_end: float = Field(1e-5, gt=0, description="of AdamW, at the end, linearly in between")
    weight_decay: float = Field(0.01, ge=0, description="of AdamW")
    batch_size: int = Field(1024, gt=1, description="decisions in each gradient step")
    reuse: float = Field(4.0, gt=0, description="how often each decision is learned from, on average")
    memory: int = Field(1_000_000, gt=0, description="how many of the last decisions are learned from")
    max_grad_norm: float = Field(1.0, gt=0, description="where gradients are clipped")
    averaging: Fraction = Field(0.99, description="the policy's weights are an average over gradient steps: what the last average counts")
    reward_scale: float = Field(1.0, gt=0, description="as in ppo; advice_weight and temperature are in what it makes of rewards")
    tries: int = Field(4, gt=0, description="actions tried at a decision, beside the expert's")
    temperature: float = Field(0.1, ge=0, description="of the noise on what the actions promise that are tried")
    spacing: int = Field(6, gt=0, description="moves between two decisions of a deal that are looked at, at the most")
    learner_share: Fraction = Field(0.5, description="share of deals in which a seat is the learner's; in the others all are the expert's")


class CloneConfig(_Section):
    """How the learner begins: by imitating a hand-written agent."""

    agent: str | None = Field(None, description="the agent of the game that is imitated, as `careful`; null begins from nothing")
    decisions: int = Field(1_000_000, ge=0, description="how many of all decisions are spent on it")
    learning_rate: float = Field(1e-3, gt=0, description="of Adam, at the start of it")
    learning_rate_end: float = Field(1e-4, gt=0, description="of Adam, at the end of it, linearly in between")
    batch_size: int = Field(2048, gt=1, description="decisions in each gradient step; each decision is used once")
    demonstrated: Fraction = Field(0.2, description="share of it in which the imitated agent makes all decisions of the learner's seat …")
    learner_share: Fraction = Field(0.5, description="… and what share the learner makes itself after that")


class PoolConfig(_Section):
    """Who plays the other seats: drawn by these shares, which need not sum to 1, for each deal and seat."""

    present: Share = Field(0.5, description="share of the present self")
    past: Share = Field(0.25, description="share of past selves; they are the present self until there is one")
    heuristics: dict[str, Share] = Field(default_factory=dict, description="share of each agent as `make_agent` takes it: `random: 0.1`")
    size: int = Field(5, gt=0, description="how many past selves are kept; the newest replaces the oldest")
    snapshot_every: int = Field(100_000, gt=0, description="decisions from one past self to the next")

    @model_validator(mode="after")
    def _check(self) -> "PoolConfig":
        if self.present + self.past + sum(self.heuristics.values()) == 0:
            raise ValueError("all shares are 0: nobody would play the other seats")
        return self


class EvaluationConfig(_Section):
    """How an agent is evaluated: alone among seats of one opponent, on held-out decks, each in every rotation of the seats."""

    opponents: tuple[str, ...] = Field(
        (), description="against whom, each on its own, as `make_agent` takes them; random and the game's heuristics if empty"
    )
    deals: int = Field(1000, gt=1, description="decks against each opponent")
    seed: int = Field(1_000_000_007, ge=0, description="of the decks: another than the training's, so that they are held out")


class ProgressConfig(EvaluationConfig):
    """The evaluations during training."""

    deals: int = Field(200, gt=1, description="decks against each opponent")
    every: int = Field(200_000, ge=0, description="decisions from one evaluation to the next; 0 for none during training")


class Config(_Section):
    """A training run."""

    name: str = Field("run", pattern=r"^[\w.-]+$", description="of the run: its folder begins with it")
    folder: str = Field("runs", min_length=1, description="where run folders are made")
    game: str = Field("pen", description="the name of the game")
    num_players: int | None = Field(None, description="at each table; the game's default if null")
    options: dict[str, bool | int | str] = Field(default_factory=dict, description="the game's rule options, as `must_beat: true`")
    seed: int = Field(0, ge=0, description="of everything that is drawn; the same seed on the same machine gives the same agent")
    algorithm: Literal["ppo", "aggrevate"] = Field("ppo", description="how it learns: ppo or aggrevate")
    decisions: int = Field(1_000_000, gt=0, description="the learner's decisions in all; rounded up to whole updates")
    num_envs: int = Field(1024, gt=0, description="deals played at once")
    threads: int = Field(0, ge=0, description="of PyTorch; 0 for one per available core")
    env_threads: int = Field(1, gt=0, description="of the engine; more pay only from thousands of deals on")
    device: Device = Field("auto", description="of the updates: cpu, cuda, or auto for cuda where there is one")
    checkpoint_every: int = Field(250_000, gt=0, description="decisions from one checkpoint to the next")
    checkpoints_kept: int = Field(3, gt=0, description="how many checkpoints are kept, the last ones")
    choice: Choice = Field("best", description="how the finished agent plays: sample from its distribution, or the best action")
    network: NetworkConfig = Field(default_factory=NetworkConfig, description=NetworkConfig.__doc__)
    ppo: PPOConfig = Field(default_factory=PPOConfig, description=PPOConfig.__doc__)
    aggrevate: AggrevateConfig = Field(default_factory=AggrevateConfig, description=AggrevateConfig.__doc__)
    clone: CloneConfig = Field(default_factory=CloneConfig, description=CloneConfig.__doc__)
    pool: PoolConfig = Field(default_factory=PoolConfig, description=PoolConfig.__doc__)
    progress: ProgressConfig = Field(default_factory=ProgressConfig, description=ProgressConfig.__doc__)
    evaluation: EvaluationConfig = Field(default_factory=EvaluationConfig, description=EvaluationConfig.__doc__)

    @field_validator("game")
    @classmethod
    def _check_game(cls, name: str) -> str:
        return get_game(name).name

    @model_validator(mode="after")
    def _check(self) -> "Config":
        self.table.check_players(self.players)
        self.table.deck(self.players, self.table.complete_options(dict(self.options)))
        if self.ppo.batch_size > self.num_envs * self.ppo.n_steps:
            raise ValueError(
                f"ppo.batch_size={self.ppo.batch_size} is not possible: "
                f"num_envs * ppo.n_steps = {self.num_envs * self.ppo.n_steps} decisions are made between two updates"
            )
        for name in (self.network.advisor, self.clone.agent):
            if name is not None:
                make_heuristic(name, self.game)  # tells one that the game has not
        if (self.algorithm == "aggrevate") != (self.network.advisor is not None):
            found = f"here are {self.algorithm!r} and {self.network.advisor!r}"
            raise ValueError(f"network.advisor is for algorithm='aggrevate', which needs one, as careful: {found}")
        for where, names in self._named_agents():
            for name in names:
                self._check_agent(where, name)
        return self

    def _check_agent(self, where: str, name: str) -> None:
        """Refuse what `make_agent` does not make for the game and the number of players."""
        known = agent_names(self.game)
        if name.isidentifier() and name not in (*known, SEARCH):
            raise ValueError(f"{where}: agent {name!r} does not exist{_hint(name, known, 'the agents are')}")
        try:
            make_agent(name, self.game, self.players)
        except (ValueError, FileNotFoundError) as error:
            raise ValueError(f"{where}: {error}") from error

    def _named_agents(self) -> Iterator[tuple[str, Sequence[str]]]:
        yield "pool.heuristics", list(self.pool.heuristics)
        yield "progress.opponents", self.progress.opponents
        yield "evaluation.opponents", self.evaluation.opponents

    @property
    def table(self) -> Game:
        """The game."""
        return get_game(self.game)

    @property
    def players(self) -> int:
        """At each table."""
        return self.table.default_players if self.num_players is None else self.num_players

    @property
    def baselines(self) -> tuple[str, ...]:
        """Whom agents are evaluated against unless told otherwise: random and the heuristics of the game."""
        return heuristic_names(self.game)


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> Config:
    """Read a configuration.

    Args:
        path: a YAML file; what it leaves out has its default. A name that is no file, as `pen`, means that one of PenZoo's own.
        overrides: `key=value` or `section.key=value`, each value in YAML.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: an unknown key, a value of the wrong kind, or YAML that cannot be read; names the key and what would be right.
    """
    return parse_config(_read_text(Path(path)), overrides, str(path))


def parse_config(text: str, overrides: Sequence[str] = (), source: str = "configuration") -> Config:
    """As `load_config`, from the text of a file.

    Args:
        text: YAML.
        overrides: as in `load_config`.
        source: what errors call it.

    Raises:
        ValueError: as `load_config`.
    """
    values = _parse_yaml(text, source)
    values = {} if values is None else values
    if not isinstance(values, dict):
        raise ValueError(f"{source}: {values!r} is no mapping: write `key: value` lines")
    for override in overrides:
        _apply_override(values, override)
    try:
        # by JSON, whose strict reading tells kinds apart but takes a list for a tuple
        return Config.model_validate_json(json.dumps(values))
    except ValidationError as error:
        raise ValueError("\n".join(f"{source}: {_explain(each)}" for each in error.errors())) from None
    except TypeError as error:
        raise ValueError(f"{source}: {error}: give numbers, texts, lists and mappings") from None


def dump_config(config: Config) -> str:
    """The configuration as YAML with every value, as resolved; `parse_config` reads it."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def _read_text(path: Path) -> str:
    if path.is_file():
        return path.read_text(encoding="utf-8")
    own = resources.files("penzoo.configs")
    if str(path.parent) in (".", "configs"):
        for name in (path.name, f"{path.name}.yaml"):
            if (own / name).is_file():
                return (own / name).read_text(encoding="utf-8")
    names = ", ".join(sorted(file.name for file in own.iterdir() if file.name.endswith(".yaml")))
    raise FileNotFoundError(f"configuration {path} does not exist: give a YAML file, or one of {names}")


class _Loader(yaml.SafeLoader):
    """YAML in which 3e-4 is a number, as in YAML 1.2 and everywhere else, and a key stands but once."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} stands there twice", node.start_mark)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$"), list("-+0123456789"))


def _parse_yaml(text: str, source: str) -> Any:
    try:
        return yaml.load(text, _Loader)  # a SafeLoader
    except yaml.YAMLError as error:
        raise ValueError(f"{source} is no YAML: {error}") from None


def _apply_override(values: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    *sections, last = key.strip().split(".")
    if not equals or not all((*sections, last)):
        raise ValueError(f"override {override!r} is not possible: write key=value or section.key=value")
    for depth, section in enumerate(sections):
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise ValueError(f"override {override!r}: {'.'.join(sections[: depth + 1])} is no section, it has no key {last!r}")
    values[last] = _parse_yaml(text, f"override {override!r}")


def _explain(error: Any) -> str:
    """One of pydantic's errors as this project words them: the key, what was given, what would be right."""
    where = ".".join(str(part) for part in error["loc"] if part not in ("bool", "int", "str"))
    kind, given = error["type"], error["input"]
    if kind == "extra_forbidden":
        *sections, key = error["loc"]
        return f"key {where!r} does not exist{_hint(str(key), _keys(sections), 'the keys are', sections)}"
    if kind == "value_error":
        return f"{where}: {error['ctx']['error']}" if where else str(error["ctx"]["error"])
    right = f"it takes {_KINDS[kind]}" if kind in _KINDS else error["msg"].replace("Input should be", "it takes")
    return f"{where}={given!r} is not possible: {right}"


def _keys(sections: Sequence[Any]) -> list[str]:
    model: Any = Config
    for section in sections:
        model = model.model_fields[section].annotation
    return list(model.model_fields)


def _hint(name: str, known: Sequence[str], lead: str, sections: Sequence[Any] = ()) -> str:
    close = get_close_matches(name, known, n=_MAX_HINTS)
    if close:
        return f": did you mean {', '.join('.'.join([*map(str, sections), each]) for each in close)}?"
    return f": {lead} {', '.join(known)}"
