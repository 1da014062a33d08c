"""The network of cards for PyTorch, and as a policy of SB3; what it computes is told in `penzoo.agents.card_layers`."""

from collections.abc import Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from penzoo.agents.card_layers import NARROW, WIDE, CardLayers, CardPlan, tensor_shapes
from penzoo.envs.cards import SUITS

_HEADS = ("planes", "planes_trunk", "actions")
_HEAD_GAIN = 0.01  # the policy begins near uniform, as SB3's own do


class CardNetwork(torch.nn.Module):
    """From observations, with advice if the plan is so, to a logit for each action, and the trunk from which a value can be told.

    Args:
        plan: of the game and table.
        sizes: features of a card, those that all else is read into, and those of the trunk.
    """

    others: torch.nn.Linear
    first: torch.nn.Linear
    first_others: torch.nn.Linear
    second: torch.nn.Linear
    second_mean: torch.nn.Linear
    trunk: torch.nn.Linear
    third: torch.nn.Linear
    third_trunk: torch.nn.Linear
    planes: torch.nn.Linear
    planes_trunk: torch.nn.Linear
    actions: torch.nn.Linear
    _planes: torch.Tensor
    _others: torch.Tensor
    _action_planes: torch.Tensor
    _other_actions: torch.Tensor

    def __init__(self, plan: CardPlan, sizes: Sequence[int]) -> None:
        super().__init__()
        self.plan, self.sizes = plan, list(sizes)
        shapes = tensor_shapes(plan, sizes)
        for name, shape in shapes.items():
            if name.endswith(".weight"):
                layer = name.removesuffix(".weight")
                self.add_module(layer, torch.nn.Linear(shape[1], shape[0], bias=f"{layer}.bias" in shapes))
        self.cards = torch.nn.Parameter(torch.zeros(shapes["cards"]))
        for name in ("planes", "others", "action_planes", "other_actions"):
            self.register_buffer(f"_{name}", torch.as_tensor(getattr(plan, name)), persistent=False)
        self.calm_heads()

    def calm_heads(self) -> None:
        """Make the logits small."""
        with torch.no_grad():
            for name in _HEADS:
                head = getattr(self, name)
                head.weight.mul_(_HEAD_GAIN)
                if head.bias is not None:
                    head.bias.zero_()

    def forward(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """float32 of shape (rows, inputs) -> float32 of shapes (rows, actions) and (rows, size of the trunk)."""
        plan, rows, relu = self.plan, len(inputs), torch.relu
        others = relu(self.others(inputs[:, self._others]))
        seen = inputs[:, self._planes].transpose(1, 2).reshape(rows, len(SUITS), plan.ranks, -1)
        cards = self.first(self._around(seen, WIDE)) + self.cards.view(len(SUITS), plan.ranks, -1)
        cards = relu(cards + self.first_others(others)[:, None, None, :])
        cards = relu(self.second(self._around(cards, NARROW)) + self.second_mean(cards.mean(dim=(1, 2)))[:, None, None, :])
        flat = cards.reshape(rows, plan.planes.shape[1], -1)
        trunk = relu(self.trunk(torch.cat((flat.mean(dim=1), flat.amax(dim=1), others), dim=1)))
        flat = relu(self.third(flat) + self.third_trunk(trunk)[:, None, :])
        of_cards = self.planes(flat) + self.planes_trunk(trunk)[:, None, :]
        logits = inputs.new_empty((rows, plan.num_actions))
        logits[:, self._action_planes.reshape(-1)] = of_cards.transpose(1, 2).reshape(rows, -1)
        logits[:, self._other_actions] = self.actions(trunk)
        return logits, trunk

    def _around(self, cards: torch.Tensor, distances: Sequence[int]) -> torch.Tensor:
        parts = [cards, *(self._moved(cards, distance) for distance in distances), cards.sum(dim=1, keepdim=True) - cards]
        return torch.cat(parts, dim=3)

    def _moved(self, cards: torch.Tensor, distance: int) -> torch.Tensor:
        moved = torch.roll(cards, distance, 2)
        if not self.plan.is_round:
            moved[:, :, slice(None, distance) if distance > 0 else slice(distance, None)] = 0
        return moved

    def layers(self) -> CardLayers:
        """The same for NumPy; on a CPU the arrays are the module's own."""
        return CardLayers(self.plan, self.sizes, {name: tensor.detach().cpu().numpy() for name, tensor in self.state_dict().items()})


class CardFeatures(BaseFeaturesExtractor):
    """A network of cards where SB3 has what comes before its own layers: logits and trunk beside each other.

    Args:
        observation_space: of shape (observation size,).
        plan: of the game and table.
        sizes: as of `CardNetwork`.
    """

    def __init__(self, observation_space: spaces.Space, plan: CardPlan, sizes: Sequence[int]) -> None:
        super().__init__(observation_space, plan.num_actions + sizes[-1])
        self.network = CardNetwork(plan, sizes)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float32 of shape (rows, observation size) -> float32 of shape (rows, actions + size of the trunk)."""
        return torch.cat(self.network(observations), dim=1)


class _Split(torch.nn.Module):
    """Takes logits and trunk apart, where SB3 has its own layers."""

    def __init__(self, num_actions: int, features: int) -> None:
        super().__init__()
        self.latent_dim_pi, self.latent_dim_vf = num_actions, features - num_actions

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        return features[:, : self.latent_dim_pi]

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        return features[:, self.latent_dim_pi :]


class CardPolicy(MaskableActorCriticPolicy):
    """An actor and a critic on one network of cards; `features_extractor_class` is `CardFeatures`."""

    features_extractor: CardFeatures

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = _Split(self.features_extractor.network.plan.num_actions, self.features_dim)  # type: ignore[assignment]

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.features_extractor.network.calm_heads()
        self.action_net = torch.nn.Identity()  # type: ignore[assignment]  # the logits are there already
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]
