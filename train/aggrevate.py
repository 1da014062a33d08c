"""AggreVaTe (Ross and Bagnell, 2014): a policy learns where to differ from an expert, by playing deals on with other actions.

At decisions of deals that experts and the learner play, some actions are tried beside the expert's: each is played on by the expert to the
end, from the same deal. How much more an action brings than the expert's own is the target of a regression on what the seat sees and what
the expert would do; so the network learns the mean over all that may be hidden, as likely as it is after what everybody has done. (A search
has to take every deal as equally likely.) Told the expert's action, it need not learn what all actions are worth to know when another is
better. The policy takes the action for which the network promises most, if that is more than `network.advice_weight`, else the
expert's. The expert is `network.advisor`, and sits in all other seats.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from penzoo.agents.heuristics import HEURISTICS, make_heuristic
from penzoo.agents.policy import Network, PolicyAgent, add_advice
from penzoo.agents.search import bind_gains
from penzoo.envs.batch import Batch
from penzoo.train.callback import REST, UPDATES
from penzoo.train.config import Config
from penzoo.train.folder import RunFolder
from penzoo.train.network import build_network, network_layers, network_outputs
from penzoo.train.training import Every, Training
from penzoo.train.vecenv import ENVIRONMENT

_LOOK_EVERY, _LOOKED_AT = 20_000, 4096  # decisions
_HELD_OUT = 32  # one of so many decisions is not learned from, and tells how well the network foretells


@dataclass
class Labels:
    """Decisions with what was found out about some of their actions.

    Attributes:
        observations: float16 of shape (rows, observation size).
        first: int64 of shape (rows,), the expert's actions.
        tried: int64 of shape (rows, tries), other actions; -1 for none.
        gains: float32 of shape (rows, tries), how much more each brought than the expert's, scaled.
    """

    observations: np.ndarray
    first: np.ndarray
    tried: np.ndarray
    gains: np.ndarray

    def __len__(self) -> int:
        return len(self.first)


class AggrevateTraining(Training):
    """A run that learns by AggreVaTe.

    Attributes:
        network: from observations and the expert's action to what each action promises; the policy is its average over the last steps
            (Polyak and Juditsky, 1992).
    """

    def __init__(self, config: Config, folder: RunFolder) -> None:
        super().__init__(config, folder)
        assert config.network.advisor is not None
        settings = config.aggrevate
        seeds = np.random.SeedSequence([config.seed, self.start]).generate_state(3).tolist()
        torch.manual_seed(seeds[0])
        self._generator = np.random.default_rng(seeds[1])
        self._device = _device(config.device)
        size = config.table.observation_layout(config.players).size
        self.network = build_network(config.network, config.table, config.players).to(self._device)
        # single steps follow the noise of the gains; their average does much less
        self._average = AveragedModel(self.network, multi_avg_fn=get_ema_multi_avg_fn(settings.averaging))
        self._optimizer = torch.optim.AdamW(self.network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
        self._sampler = Sampler(config, seeds[2])
        self._memory = _Memory(settings.memory, size, min(settings.tries, len(config.table.actions)))
        self._decisions, self._owed = self.start, 0.0  # gradient steps
        self._looks = Every(_LOOK_EVERY, self.start)
        if self.start:
            saved = torch.load(folder.checkpoint(self.start), map_location=self._device, weights_only=True)
            self.network.load_state_dict(saved["network"])
            self._average.load_state_dict(saved["average"])
            self._optimizer.load_state_dict(saved["optimizer"])
        self._learner = self.agent()  # who plays in the sampler, with new layers each time

    @property
    def decisions(self) -> int:
        """As `Training.decisions`: those at which actions were tried."""
        return self._decisions

    def layers(self) -> Network:
        """As `Training.layers`."""
        return network_layers(self._average.module, self.config.network)

    def learn(self) -> None:
        """As `Training.learn`."""
        bar, jobs = self.bar(), self.jobs()
        timers = [Every(interval, self._decisions) for interval, _ in jobs]
        self.clock.begin(REST)
        with ThreadPoolExecutor(1) as ahead:  # the next decisions are sampled while the network learns from the last ones
            try:
                coming = self._sample(ahead)
                while self._decisions < self.config.decisions:
                    with self.clock.time(ENVIRONMENT):
                        labels = coming.result()
                    coming = self._sample(ahead)
                    self._memory.add(labels)
                    self._decisions += len(labels)
                    with self.clock.time(UPDATES):
                        self._update(len(labels))
                    bar.update(len(labels))
                    for timer, (_, job) in zip(timers, jobs, strict=True):
                        if timer.is_due(self._decisions):
                            job(self._decisions)
                    self.logger.dump(self._decisions)
                coming.cancel()
                self.save_checkpoint(self._decisions)
            except KeyboardInterrupt:
                self.save_checkpoint(self._decisions)
                raise
            finally:
                bar.close()
                self.clock.stop()

    def _sample(self, ahead: ThreadPoolExecutor) -> "Future[Labels]":
        self._learner.layers = self.layers().copy()  # those of the network change while it samples
        return ahead.submit(self._sampler.sample, self._learner)

    def _update(self, count: int) -> None:
        settings = self.config.aggrevate
        done = min(1.0, self._decisions / self.config.decisions)
        for group in self._optimizer.param_groups:
            group["lr"] = settings.learning_rate + (settings.learning_rate_end - settings.learning_rate) * done
        self._owed += settings.reuse * count / settings.batch_size
        steps = int(self._owed)
        self._owed -= steps
        losses = []
        for _ in range(steps):
            rows = self._memory.draw(settings.batch_size, self._generator)
            if not len(rows):
                break  # nothing is there to learn from yet
            loss = self._errors(self.network, rows).square().mean()
            self._optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), settings.max_grad_norm)
            self._optimizer.step()
            self._average.update_parameters(self.network)
            losses.append(loss.item())
        if losses:
            self.logger.record("aggrevate/loss", float(np.mean(losses)))
        if self._looks.is_due(self._decisions):
            self.logger.record("aggrevate/explained", self._explained())

    def _errors(self, network: torch.nn.Module, rows: np.ndarray) -> torch.Tensor:
        """By how much a network is wrong, for all that was tried in rows of the memory."""
        memory = self._memory.labels
        inputs = add_advice(memory.observations[rows], memory.first[rows], len(self.config.table.actions))
        outputs = network_outputs(network, self._to_tensor(inputs))
        tried, first = self._to_tensor(memory.tried[rows]), self._to_tensor(memory.first[rows])
        foretold = outputs.gather(1, tried.clamp(min=0)) - outputs.gather(1, first[:, None])
        return (foretold - self._to_tensor(memory.gains[rows]))[tried >= 0]

    def _to_tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(array, device=self._device)

    def _explained(self) -> float:
        """What share of the variance of the gains the policy foretells, at the last decisions that it did not learn from."""
        rows = self._memory.held_out()
        gains = self._memory.labels.gains[rows][self._memory.labels.tried[rows] >= 0]
        with torch.no_grad():
            errors = self._errors(self._average.module, rows)
        return float(1 - errors.square().mean().item() / max(float(np.mean(gains**2)), 1e-12)) if len(gains) else 0.0

    def write_checkpoint(self, path: Path) -> None:
        """As `Training.write_checkpoint`: network, its average and optimizer; the memory fills anew."""
        states = {"network": self.network, "average": self._average, "optimizer": self._optimizer}
        torch.save({name: part.state_dict() for name, part in states.items()}, path)

    def close(self) -> None:
        """As `Training.close`."""
        self._sampler.close()


class Sampler:
    """Deals that go on and on, and the actions tried at decisions on their way.

    Args:
        config: of the run.
        seed: of deals, and of the chance of what is tried.
    """

    def __init__(self, config: Config, seed: int) -> None:
        assert config.network.advisor is not None
        self._config, self._settings = config, config.aggrevate
        self._expert = make_heuristic(config.network.advisor, config.game)
        options = dict[str, Any](config.options)
        self._batch = Batch(config.table, config.num_envs, seed, config.env_threads, num_players=config.players, **options)
        self._generator = np.random.default_rng(seed)
        self._gain = bind_gains(config.game, config.table.functions, HEURISTICS[config.game][config.network.advisor])
        self._learns = self._generator.random(config.num_envs) < self._settings.learner_share
        self._seats = self._generator.integers(config.players, size=config.num_envs)
        self._pool = ThreadPoolExecutor(config.env_threads)

    def sample(self, learner: PolicyAgent) -> Labels:
        """Play on for some moves, and try actions wherever there is a choice; where the learner plays, only at its own decisions."""
        batch = self._batch
        for _ in range(int(self._generator.integers(1, self._settings.spacing + 1))):
            self._step(learner)
        rows = np.flatnonzero((batch.masks.sum(axis=1) > 1) & (~self._learns | (batch.seats == self._seats)))
        observations, masks = batch.observations[rows], batch.masks[rows]
        first = self._expert.act(observations, masks)
        tried = self._candidates(learner, observations, masks, first)
        gains = np.zeros(tried.shape, np.float32)

        def gain(lo: int, hi: int) -> None:
            scratch, observation, mask = np.zeros(2, batch.states.dtype), np.zeros_like(observations[0]), np.zeros_like(masks[0])
            self._gain(batch.states, rows, lo, hi, first, tried, scratch, observation, mask, gains)

        if len(rows):
            self._share(gain, len(rows))
        return Labels(observations.astype(np.float16), first, tried, gains * np.float32(self._settings.reward_scale))

    def _step(self, learner: PolicyAgent) -> None:
        batch = self._batch
        actions = self._expert.act(batch.observations, batch.masks)
        own = np.flatnonzero(self._learns & (batch.seats == self._seats))
        if len(own):
            actions[own] = learner.act(batch.observations[own], batch.masks[own])
        batch.step(actions)
        ended = np.flatnonzero(batch.ended)
        self._learns[ended] = self._generator.random(len(ended)) < self._settings.learner_share
        self._seats[ended] = self._generator.integers(self._config.players, size=len(ended))

    def _candidates(self, learner: PolicyAgent, observations: np.ndarray, masks: np.ndarray, first: np.ndarray) -> np.ndarray:
        """Those that promise most, with noise (Gumbel's) on what they promise: int64 of shape (rows, tries), -1 for none."""
        scores = learner.layers(add_advice(observations, first, masks.shape[1]))
        scores += self._settings.temperature * self._generator.gumbel(size=scores.shape).astype(np.float32)
        scores[masks == 0] = -np.inf
        scores[np.arange(len(scores)), first] = -np.inf
        tries = min(self._settings.tries, scores.shape[1])
        tried = np.argpartition(-scores, tries - 1, axis=1)[:, :tries].astype(np.int64)
        tried[np.isneginf(np.take_along_axis(scores, tried, axis=1))] = -1
        return tried

    def _share(self, work: Callable[[int, int], Any], count: int) -> None:
        bounds = np.linspace(0, count, self._config.env_threads + 1).astype(int).tolist()
        list(self._pool.map(work, bounds[:-1], bounds[1:]))

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()
        self._batch.close()


class _Memory:
    """The last decisions, as many as there is room for."""

    def __init__(self, size: int, observation_size: int, tries: int) -> None:
        self.labels = Labels(
            np.zeros((size, observation_size), np.float16),
            np.zeros(size, np.int64),
            np.full((size, tries), -1, np.int64),
            np.zeros((size, tries), np.float32),
        )
        self._added = 0

    def add(self, labels: Labels) -> None:
        """Put decisions in the place of the oldest."""
        places = (self._added + np.arange(len(labels))) % len(self.labels)
        for name, array in vars(labels).items():
            getattr(self.labels, name)[places] = array
        self._added += len(labels)

    @property
    def _filled(self) -> int:
        return min(self._added, len(self.labels))

    def draw(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """Places of decisions to learn from; none where there are but such as are held out."""
        rows = generator.integers(self._filled, size=count) if self._filled else np.zeros(0, np.int64)
        return rows[rows % _HELD_OUT > 0]

    def held_out(self) -> np.ndarray:
        """Places of some of the newest decisions that are not learned from, oldest first."""
        newest = np.arange(max(0, self._added - len(self.labels)), self._added) % len(self.labels)
        return newest[newest % _HELD_OUT == 0][-_LOOKED_AT:]


def _device(name: str) -> torch.device:
    return torch.device("cuda" if name == "auto" and torch.cuda.is_available() else "cpu" if name == "auto" else name)
