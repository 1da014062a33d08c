"""The networks: what SB3 is to build, and what it has built as the plain layers of an agent."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, FlattenExtractor, MlpExtractor

from penzoo.agents.policy import Layers
from penzoo.train.config import NetworkConfig

_ACTIVATIONS: dict[str, type[torch.nn.Module]] = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


class SharedLayers(BaseFeaturesExtractor):
    """The first hidden layers, where the policy and the value network have them in common.

    Args:
        observation_space: of shape (observation size,), or one more with advice.
        layers: their sizes.
        activation: after each.
        advised: whether the last number of an observation is advice, which is passed on as it is.
    """

    def __init__(
        self, observation_space: spaces.Space, layers: Sequence[int], activation: type[torch.nn.Module], advised: bool = False
    ) -> None:
        assert observation_space.shape is not None
        inputs = observation_space.shape[0] - advised
        super().__init__(observation_space, (layers[-1] if layers else inputs) + advised)
        modules: list[torch.nn.Module] = []
        for outputs in layers:
            modules += [torch.nn.Linear(inputs, outputs), activation()]
            inputs = outputs
        self.advised = advised
        self.layers = torch.nn.Sequential(*modules)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float32 of shape (rows, numbers of an observation) -> float32 of shape (rows, size of the last layer), with advice one more."""
        if not self.advised:
            return self.layers(observations)
        return torch.cat((self.layers(observations[:, :-1]), observations[:, -1:]), dim=1)


class AdvisedExtractor(MlpExtractor):
    """The networks' own hidden layers, past which advice is led to the policy's end."""

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """float32 of shape (rows, features and advice) -> what ends the policy (with advice), and what ends the value network."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """The first of `forward`."""
        return torch.cat((super().forward_actor(features[:, :-1]), features[:, -1:]), dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """The second of `forward`."""
        return super().forward_critic(features[:, :-1])


class AdvisedPolicy(MaskableActorCriticPolicy):
    """A policy that begins as its advisor and learns where to differ: residual policy learning (Silver et al., 2018).

    The last number of an observation is the index of the action that the advisor would take; `advice_weight` is added to its logit.
    """

    def __init__(self, *args: Any, advice_weight: float, **kwargs: Any) -> None:
        self.advice_weight = advice_weight
        super().__init__(*args, **kwargs)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = AdvisedExtractor(self.features_dim - 1, self.net_arch, self.activation_fn, self.device)

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> MaskableDistribution:
        logits = self.action_net(latent_pi[:, :-1])
        advice = torch.nn.functional.one_hot(latent_pi[:, -1].long(), logits.shape[1])
        return self.action_dist.proba_distribution(action_logits=logits + self.advice_weight * advice)


def policy_arguments(config: NetworkConfig) -> dict[str, Any]:
    """The `policy_kwargs` of SB3."""
    activation = _ACTIVATIONS[config.activation]
    own = list(config.layers[config.shared :])
    arguments: dict[str, Any] = {"activation_fn": activation, "net_arch": {"pi": own, "vf": own}}
    advised = config.advisor is not None
    if config.shared or advised:
        arguments["features_extractor_class"] = SharedLayers
        shared = list(config.layers[: config.shared])
        arguments["features_extractor_kwargs"] = {"layers": shared, "activation": activation, "advised": advised}
    if advised:
        arguments["advice_weight"] = config.advice_weight
    return arguments


def policy_class(config: NetworkConfig) -> type[MaskableActorCriticPolicy]:
    """The policy that SB3 is to make."""
    return MaskableActorCriticPolicy if config.advisor is None else AdvisedPolicy


def build_layers(inputs: int, config: NetworkConfig, outputs: int, output_gain: float) -> torch.nn.Sequential:
    """A multilayer perceptron of the configured shape; `output_gain` scales the weights of its last layer."""
    modules: list[torch.nn.Module] = []
    for size in config.layers:
        modules += [torch.nn.Linear(inputs, size), _ACTIVATIONS[config.activation]()]
        inputs = size
    last = torch.nn.Linear(inputs, outputs)
    with torch.no_grad():
        last.weight.mul_(output_gain)
        last.bias.zero_()
    return torch.nn.Sequential(*modules, last)


def module_layers(module: torch.nn.Sequential) -> Layers:
    """What `build_layers` has built as plain layers; on a CPU the arrays are the module's own."""
    linear = [part for part in module if isinstance(part, torch.nn.Linear)]
    names = [name for name, kind in _ACTIVATIONS.items() if any(type(part) is kind for part in module)]
    return _as_layers(linear, names[0] if names else "relu")


def _as_layers(linear: Sequence[torch.nn.Linear], activation: str) -> Layers:
    weights = [layer.weight.detach().cpu().numpy() for layer in linear]
    return Layers(weights, [layer.bias.detach().cpu().numpy() for layer in linear], activation)  # type: ignore[arg-type]


def policy_layers(policy: MaskableActorCriticPolicy) -> Layers:
    """What a policy computes from observations to logits; on a CPU the arrays are the policy's own, and change as it learns.

    Raises:
        ValueError: the policy is no multilayer perceptron.
    """
    linear = list(_linear_modules(policy))
    names = [name for name, module in _ACTIVATIONS.items() if policy.activation_fn is module]
    if not names:
        raise ValueError(f"activation {policy.activation_fn.__name__} is not possible: agents have {' or '.join(_ACTIVATIONS)}")
    return _as_layers(linear, names[0])


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
