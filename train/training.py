"""What every training run does, whatever it learns by: its folder, checkpoints, evaluations, the agent's file and the report."""

import json
import os
import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from stable_baselines3.common.logger import Logger, configure
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from penzoo.agents.policy import Network, PolicyAgent, describe, save_policy
from penzoo.envs.batch import available_cores
from penzoo.eval import Evaluation, evaluate, print_table
from penzoo.eval.report import table_console
from penzoo.train.clock import Clock
from penzoo.train.config import Config, EvaluationConfig
from penzoo.train.folder import RunFolder, software, write_text

EVALUATION = "evaluation"  # what the clock calls it
_TABLE_WIDTH = 110


class Every:
    """Tells when another `interval` decisions have been made; never if it is 0."""

    def __init__(self, interval: int, decisions: int) -> None:
        self._interval, self._last = interval, decisions

    def is_due(self, decisions: int) -> bool:
        """Whether a multiple of the interval was passed since the last call that said so."""
        if not self._interval or decisions // self._interval == self._last // self._interval:
            return False
        self._last = decisions
        return True


class Training(ABC):
    """One run, from its beginning or from its last checkpoint; an algorithm says how it learns.

    Attributes:
        config: of the run.
        folder: of the run.
        clock: where the time went.
        logger: of the run's figures, for TensorBoard.
        start: after how many decisions it begins: 0, or those of the last checkpoint.
    """

    def __init__(self, config: Config, folder: RunFolder) -> None:
        self.config, self.folder, self.clock = config, folder, Clock()
        self.start = folder.last_checkpoint()
        torch.set_num_threads(config.threads or available_cores())
        self.logger: Logger = configure(str(folder.tensorboard), ["tensorboard"])

    # ------------------------------------------------------------------------------------------------- what an algorithm is

    @property
    @abstractmethod
    def decisions(self) -> int:
        """Those of the learner so far."""

    @abstractmethod
    def layers(self) -> Network:
        """The learner's policy as it is now; on a CPU the arrays are its own, and change as it learns."""

    @abstractmethod
    def learn(self) -> None:
        """Learn until the configuration's decisions are made, and write checkpoints by `save_checkpoint`, the last one at the end.

        Raises:
            KeyboardInterrupt: interrupted; a checkpoint has been written.
        """

    @abstractmethod
    def write_checkpoint(self, path: Path) -> None:
        """Write all that is needed to go on."""

    @abstractmethod
    def close(self) -> None:
        """End what runs."""

    # ---------------------------------------------------------------------------------------------------------------- running

    def run(self, command: str) -> Path:
        """Learn, export, evaluate, report; returns the run folder.

        Args:
            command: what an interrupted run says to go on with.

        Raises:
            KeyboardInterrupt: as `penzoo.train.run.train`.
        """
        self.folder.note_start(self.config, self.start)
        # NumPy's threads and PyTorch's, each waiting for its own in a loop, leave each other a sixth of the speed of PyTorch's alone
        with threadpool_limits(limits=1, user_api="blas"):
            try:
                self._run()
            except KeyboardInterrupt:
                again = f"{command} --resume {shlex.quote(str(self.folder.path))}"
                _say(f"interrupted after {self.decisions:,} decisions; go on with: {again}")
                raise
            finally:
                self.logger.close()
                self.close()
        return self.folder.path

    def _run(self) -> None:
        if self.start < self.config.decisions:
            self.learn()
        else:
            _say(f"{self.folder.path} has made its {self.config.decisions:,} decisions: it is only evaluated; decisions=… goes on")
        self._finish()

    def save_checkpoint(self, decisions: int) -> None:
        """Write a checkpoint, whole or not at all, and drop the oldest beyond those that are kept."""
        path = self.folder.checkpoint(decisions)
        part = path.with_name(path.name + ".part")
        self.write_checkpoint(part)
        os.replace(part, path)
        self.folder.keep_checkpoints(self.config.checkpoints_kept)

    def jobs(self) -> list[tuple[int, Callable[[int], Any]]]:
        """What is to be done each so many decisions: (interval, function of the decisions)."""
        return [(self.config.checkpoint_every, self.save_checkpoint), (self.config.progress.every, self._evaluate_progress)]

    def bar(self) -> Any:
        """A progress bar of the decisions; none where the error output is no terminal."""
        return tqdm(total=self.config.decisions, initial=self.start, unit="decision", unit_scale=True, disable=None)

    # ----------------------------------------------------------------------------------------------------------------- agents

    def present(self, seed: int) -> PolicyAgent:
        """The learner as it is now, as an agent that draws from its distribution."""
        return self._as_agent("sample", seed)

    def _as_agent(self, choice: Any, seed: int) -> PolicyAgent:
        config, layers = self.config, self.layers()
        description = describe(
            config.table,
            config.players,
            layers,
            choice,
            config.name,
            advisor=config.network.advisor,
            advice_weight=0.0 if config.network.advisor is None else config.network.advice_weight,
            decisions=self.decisions,
            training=config.model_dump(mode="json", exclude={"folder"}),  # a path on this machine tells nobody else anything
            versions=software(),
        )
        return PolicyAgent(layers, description, seed)

    def agent(self) -> PolicyAgent:
        """The learner as it is now, playing as the configuration says that the finished agent does."""
        return self._as_agent(self.config.choice, self.config.seed)

    # ------------------------------------------------------------------------------------------------------------- evaluating

    def _finish(self) -> None:
        """Export the agent, evaluate it against each opponent, and print what came of it."""
        agent = self.agent()
        save_policy(self.folder.agent_path, agent.layers, agent.description)
        evaluations = self._evaluate(self.config.evaluation, progress=True)
        for name, evaluation in evaluations.items():
            self._record(name, evaluation)
        self.logger.dump(self.decisions)
        results = {name: evaluation.to_dict() for name, evaluation in evaluations.items()}
        write_text(self.folder.evaluation_path, json.dumps(results, indent=2, ensure_ascii=False) + "\n")
        self._report(evaluations)

    def _evaluate(self, how: EvaluationConfig, progress: bool) -> dict[str, Evaluation]:
        """The agent alone among seats of each opponent."""
        config = self.config
        return {
            name: evaluate(
                [self.agent(), *[name] * (config.players - 1)],
                config.table,
                players=config.players,
                deals=how.deals,
                seed=how.seed,
                threads=config.env_threads,
                options=config.options,
                progress=progress,
            )
            for name in how.opponents or config.baselines
        }

    def _evaluate_progress(self, decisions: int) -> None:
        with self.clock.time(EVALUATION):
            evaluations = self._evaluate(self.config.progress, progress=False)
        for name, evaluation in evaluations.items():
            self._record(name, evaluation)
        self.folder.note_progress(decisions, {name: evaluation.to_dict() for name, evaluation in evaluations.items()})
        figures = "; ".join(f"against {name} {_in_short(evaluation)}" for name, evaluation in evaluations.items())
        tqdm.write(f"{decisions:>12,} decisions: {figures}", file=sys.stderr)

    def _record(self, name: str, evaluation: Evaluation) -> None:
        row = evaluation.rows[0]
        figures = {"payoff": row.payoff, **row.shares, "truncated": row.truncated, "moves": row.moves}
        for what, value in figures.items():
            self.logger.record(f"against_{name}/{what}", value)

    def _report(self, evaluations: dict[str, Evaluation]) -> None:
        with open(self.folder.table_path, "w", encoding="utf-8") as file:
            for console in (table_console(), Console(file=file, width=_TABLE_WIDTH)):
                for evaluation in evaluations.values():
                    print_table(evaluation, console)
        print(self._speed())
        print(f"agent: {self.folder.agent_path}")
        print(f"again: {self._command(list(evaluations)[-1])}")

    def _command(self, opponent: str) -> str:
        """What evaluates the agent anew as it was evaluated here, against one opponent."""
        config = self.config
        changed = config.table.changed_options(config.table.complete_options(dict(config.options)))
        agents = [str(self.folder.agent_path), *[opponent] * (config.players - 1)]
        options = [word for name, value in changed.items() for word in ("--option", f"{name}={json.dumps(value)}")]
        words = ["penzoo", "eval", "--game", config.game, "--agents", *agents, *options]
        numbers = {"--players": config.players, "--deals": config.evaluation.deals, "--seed": config.evaluation.seed}
        return shlex.join([*words, *(str(word) for pair in numbers.items() for word in pair)])

    def _speed(self) -> str:
        made = self.decisions - self.start
        seconds = sum(value for name, value in self.clock.seconds.items() if name != EVALUATION)
        if not made or not seconds:
            return "nothing learned anew"
        shares = ", ".join(f"{name} {share:.0%}" for name, share in self.clock.shares().items())
        return f"{made:,} decisions, {made / seconds:,.0f} a second; time: {shares}"


def _in_short(evaluation: Evaluation) -> str:
    """The learner's payoff and shares: `+1.204 chips, out 31.0%`."""
    row = evaluation.rows[0]
    shares = "".join(f", {name} {share:.1%}" for name, share in row.shares.items())
    return f"{row.payoff:+.3f} {evaluation.payoff_unit}{shares}"


def _say(text: str) -> None:
    print(text, file=sys.stderr)
