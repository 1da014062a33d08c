"""What happens beside the learning: annealing, the pool, checkpoints, evaluations, figures, the progress bar."""

from collections.abc import Callable, Sequence
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from penzoo.train.clock import Clock
from penzoo.train.config import Config
from penzoo.train.pool import OPPONENTS
from penzoo.train.training import EVALUATION, Every
from penzoo.train.vecenv import ENVIRONMENT, DealVecEnv

INFERENCE, UPDATES, REST = "inference", "updates", "rest"
CLOCK_NAMES = (INFERENCE, ENVIRONMENT, OPPONENTS, UPDATES, EVALUATION, REST)


class RunCallback(BaseCallback):
    """Called by SB3 at each step and update of a run.

    Args:
        config: of the run.
        clock: counts inference (with the storing of what was seen), updates and the rest.
        bar: the progress bar.
        refresh: called before the learner plays on with new weights.
        jobs: what is to be done each so many decisions, between two updates: (interval, function of the decisions).
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        bar: Any,
        refresh: Callable[[], None],
        jobs: Sequence[tuple[int, Callable[[int], Any]]],
    ) -> None:
        super().__init__()
        self._config, self._clock, self._bar, self._refresh, self._jobs = config, clock, bar, refresh, jobs
        self._timers: list[Every] = []
        self._last: dict[str, float] = {}

    @property
    def _vecenv(self) -> DealVecEnv:
        env = self.training_env
        assert isinstance(env, DealVecEnv)
        return env

    def _on_training_start(self) -> None:
        self._timers = [Every(interval, self.num_timesteps) for interval, _ in self._jobs]
        self._clock.begin(REST)

    def _on_rollout_start(self) -> None:
        self._clock.stop()
        self._clock.begin(REST)
        self._record_update()
        self._refresh()
        for timer, (_, job) in zip(self._timers, self._jobs, strict=True):
            if timer.is_due(self.num_timesteps):
                job(self.num_timesteps)
        self.model.ent_coef = self._entropy_weight()  # type: ignore[attr-defined]
        self._clock.begin(INFERENCE)

    def _on_step(self) -> bool:
        self._bar.update(self._vecenv.num_envs)
        return True

    def _on_rollout_end(self) -> None:
        self._clock.end()
        self._record_speed()
        self._clock.begin(UPDATES)

    def _on_training_end(self) -> None:
        self.close()

    def close(self) -> None:
        """End what runs; may be called again."""
        self._clock.stop()
        self._bar.close()

    def _entropy_weight(self) -> float:
        start, end = self._config.ppo.ent_coef, self._config.ppo.ent_coef_end
        done = min(1.0, self.num_timesteps / self._config.decisions)
        return start if end is None else start + (end - start) * done

    def _record_update(self) -> None:
        """SB3 records the entropy with its sign turned, as a loss."""
        loss = self.logger.name_to_value.get("train/entropy_loss")
        if loss is not None:
            self.logger.record("train/entropy", -loss)
            self.logger.record("train/ent_coef", self.model.ent_coef)  # type: ignore[attr-defined]

    def _record_speed(self) -> None:
        """Rates and shares since the last time: of all that was spent, evaluations excepted."""
        now = {**self._clock.seconds, "decisions": self.num_timesteps, "moves": self._vecenv.moves}
        spent = {name: value - self._last.get(name, 0.0) for name, value in now.items()}
        is_first, self._last = not self._last, now
        seconds = sum(spent.get(name, 0.0) for name in CLOCK_NAMES if name != EVALUATION)
        if is_first or not seconds:
            return
        for what in ("decisions", "moves"):
            self.logger.record(f"speed/{what}_per_second", spent[what] / seconds)
        for name in (INFERENCE, ENVIRONMENT, OPPONENTS, UPDATES):
            self.logger.record(f"speed/share_{name}", spent.get(name, 0.0) / seconds)
