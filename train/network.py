"""The networks: what SB3 is to build, and what it has built as the plain layers of an agent."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, FlattenExtractor

from penzoo.agents.policy import Layers
from penzoo.train.config import NetworkConfig

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


def policy_arguments(config: NetworkConfig) -> dict[str, Any]:
    """The `policy_kwargs` of SB3."""
    activation = _ACTIVATIONS[config.activation]
    own = list(config.layers[config.shared :])
    arguments: dict[str, Any] = {"activation_fn": activation, "net_arch": {"pi": own, "vf": own}}
    if config.shared:
        arguments["features_extractor_class"] = SharedLayers
        arguments["features_extractor_kwargs"] = {"layers": list(config.layers[: config.shared]), "activation": activation}
    return arguments


def policy_layers(policy: MaskableActorCriticPolicy) -> Layers:
    """What a policy computes from observations to logits; on a CPU the arrays are the policy's own, and change as it learns.

    Raises:
        ValueError: the policy is no multilayer perceptron.
    """
    linear = list(_linear_modules(policy))
    names = [name for name, module in _ACTIVATIONS.items() if policy.activation_fn is module]
    if not names:
        raise ValueError(f"activation {policy.activation_fn.__name__} is not possible: agents have {' or '.join(_ACTIVATIONS)}")
    weights = [layer.weight.detach().cpu().numpy() for layer in linear]
    return Layers(weights, [layer.bias.detach().cpu().numpy() for layer in linear], names[0])  # type: ignore[arg-type]


def _linear_modules(policy: MaskableActorCriticPolicy) -> Iterator[torch.nn.Linear]:
    allowed = (torch.nn.Linear, torch.nn.Sequential, torch.nn.Flatten, FlattenExtractor, SharedLayers, *_ACTIVATIONS.values())
    for part in (policy.features_extractor, policy.mlp_extractor.policy_net, policy.action_net):
        for module in part.modules():
            if not isinstance(module, allowed):
                raise ValueError(f"a policy with {type(module).__name__} cannot be written as plain layers")
            if isinstance(module, torch.nn.Linear):
                yield module


def copy_layers(layers: Layers) -> Layers:
    """The same with arrays of its own."""
    return Layers([weight.copy() for weight in layers.weights], [bias.copy() for bias in layers.biases], layers.activation)
