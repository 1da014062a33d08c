"""The networks: what SB3 is to build, and what it has built as the plain layers of an agent."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, FlattenExtractor

from penzoo.agents.card_layers import card_plan
from penzoo.agents.policy import Layers, Network
from penzoo.envs.game import Game
from penzoo.train.card_network import CardFeatures, CardNetwork, CardPolicy
from penzoo.train.config import NetworkConfig

_OUTPUT_GAIN = 0.01  # of the last layer at the start

_ACTIVATIONS: dict[str, type[torch.nn.Module]] = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


class SharedLayers(BaseFeaturesExtractor):
    """The first hidden layers, where the policy and the value network have them in common.

    Args:
        observation_space: of shape (observation size,).
        layers: their sizes.
        activation: after each.
    """

    def __init__(self, observation_space: spaces.Space, layers: Sequence[int], activation: type[torch.nn.Module]) -> None:
        super().__init__(observation_space, layers[-1])
        assert observation_space.shape is not None
        modules: list[torch.nn.Module] = []
        inputs = observation_space.shape[0]
        for outputs in layers:
            modules += [torch.nn.Linear(inputs, outputs), activation()]
            inputs = outputs
        self.layers = torch.nn.Sequential(*modules)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float32 of shape (rows, observation size) -> float32 of shape (rows, size of the last layer)."""
        return self.layers(observations)


def policy_class(config: NetworkConfig) -> type[MaskableActorCriticPolicy]:
    """The policy that SB3 is to make."""
    return CardPolicy if config.kind == "cards" else MaskableActorCriticPolicy


def policy_arguments(config: NetworkConfig, game: Game, players: int) -> dict[str, Any]:
    """The `policy_kwargs` of SB3, for a game and a number of players."""
    if config.kind == "cards":
        features = {"plan": card_plan(game, players), "sizes": config.card_sizes}
        return {"features_extractor_class": CardFeatures, "features_extractor_kwargs": features, "net_arch": []}
    activation = _ACTIVATIONS[config.activation]
    own = list(config.layers[config.shared :])
    arguments: dict[str, Any] = {"activation_fn": activation, "net_arch": {"pi": own, "vf": own}}
    if config.shared:
        arguments["features_extractor_class"] = SharedLayers
        arguments["features_extractor_kwargs"] = {"layers": list(config.layers[: config.shared]), "activation": activation}
    return arguments


def build_network(config: NetworkConfig, game: Game, players: int) -> "torch.nn.Sequential | CardNetwork":
    """A network of the configured kind and shape by itself: from observations, with advice after them if there is an advisor
    (`penzoo.agents.policy.add_advice`), to a number for each action, small ones at first.
    """
    is_advised = config.advisor is not None
    if config.kind == "cards":
        return CardNetwork(card_plan(game, players, is_advised), config.card_sizes)
    modules: list[torch.nn.Module] = []
    inputs = game.observation_layout(players).size + len(game.actions) * is_advised
    for size in config.layers:
        modules += [torch.nn.Linear(inputs, size), _ACTIVATIONS[config.activation]()]
        inputs = size
    last = torch.nn.Linear(inputs, len(game.actions))
    with torch.no_grad():
        last.weight.mul_(_OUTPUT_GAIN)
        last.bias.zero_()
    return torch.nn.Sequential(*modules, last)


def network_outputs(network: torch.nn.Module, inputs: torch.Tensor) -> torch.Tensor:
    """What a network of `build_network` gives: float32 of shape (rows, actions)."""
    outputs: torch.Tensor = network(inputs)[0] if isinstance(network, CardNetwork) else network(inputs)
    return outputs


def network_layers(network: torch.nn.Module, config: NetworkConfig) -> Network:
    """What `build_network` has built for an agent; on a CPU the arrays are the network's own."""
    if isinstance(network, CardNetwork):
        return network.layers()
    return _as_layers([part for part in network.modules() if isinstance(part, torch.nn.Linear)], config.activation)


def policy_layers(policy: MaskableActorCriticPolicy) -> Network:
    """What a policy computes from observations to logits; on a CPU the arrays are the policy's own, and change as it learns.

    Raises:
        ValueError: the policy is neither a multilayer perceptron nor a network of cards.
    """
    if isinstance(policy, CardPolicy):
        return policy.features_extractor.network.layers()
    linear = list(_linear_modules(policy))
    names = [name for name, module in _ACTIVATIONS.items() if policy.activation_fn is module]
    if not names:
        raise ValueError(f"activation {policy.activation_fn.__name__} is not possible: agents have {' or '.join(_ACTIVATIONS)}")
    return _as_layers(linear, names[0])


def _as_layers(linear: Sequence[torch.nn.Linear], activation: str) -> Layers:
    weights = [layer.weight.detach().cpu().numpy() for layer in linear]
    return Layers(weights, [layer.bias.detach().cpu().numpy() for layer in linear], activation)  # type: ignore[arg-type]


def _linear_modules(policy: MaskableActorCriticPolicy) -> Iterator[torch.nn.Linear]:
    allowed = (torch.nn.Linear, torch.nn.Sequential, torch.nn.Flatten, FlattenExtractor, SharedLayers, *_ACTIVATIONS.values())
    for part in (policy.features_extractor, policy.mlp_extractor.policy_net, policy.action_net):
        for module in part.modules():
            if not isinstance(module, allowed):
                raise ValueError(f"a policy with {type(module).__name__} cannot be written as plain layers")
            if isinstance(module, torch.nn.Linear):
                yield module
