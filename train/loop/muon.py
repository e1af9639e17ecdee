"""Muon for the matrices of the layers, AdamW for the rest, as one optimizer that the Trainer can drive and save.

Muon (Jordan et al., 2024, https://kellerjordan.github.io/posts/muon) makes each update of a matrix orthogonal, so that
rare directions are learned as fast as frequent ones. It is meant for hidden layers: embeddings, the head and vectors
stay with AdamW. ``torch.optim.Muon`` takes matrices alone, and a Trainer takes one optimizer.

``torch.optim.Muon`` updates one matrix after another, with 23 operations for each: in a small model as many as the
forward and backward passes have. All matrices of one shape are updated together here, to the same values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn
from torch.optim import AdamW, Muon, Optimizer
from transformers import PreTrainedModel


class MuonWithAdamW(Optimizer):
    """Both optimizers on the trained weights of ``model``; groups and states are those of the two.

    Args:
        muon_learning_rate: of the matrices; 0.01 and 0.02 were used for small models from random weights.
        learning_rate: of the rest, and ``betas`` and ``eps`` of AdamW.
        weight_decay: of matrices, and of embeddings and head; vectors have none.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        muon_learning_rate: float,
        learning_rate: float,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
    ) -> None:
        matrices = hidden_matrices(model)
        by_muon = {id(matrix) for matrix in matrices}
        rest = [weight for weight in model.parameters() if weight.requires_grad and id(weight) not in by_muon]
        groups = [
            {"params": [weight for weight in rest if weight.ndim > 1], "weight_decay": weight_decay},
            {"params": [weight for weight in rest if weight.ndim <= 1], "weight_decay": 0.0},
        ]
        self._adamw = AdamW([g for g in groups if g["params"]], lr=learning_rate, betas=betas, eps=eps, fused=True)
        self._muon = MuonByShape(matrices, lr=muon_learning_rate, weight_decay=weight_decay)
        # The base class takes the groups of both as its own, and _share gives both what is kept there.
        super().__init__([*self._adamw.param_groups, *self._muon.param_groups], {})
        self._share()

    def _share(self) -> None:
        """Let both work on the groups and the states of this optimizer, which schedulers change and checkpoints hold.

        AdamW's groups are first: the learning rate in the log is that of the recipe's ``learning_rate``.
        """
        self._adamw.param_groups, self._muon.param_groups = self.param_groups[:-1], self.param_groups[-1:]
        self._adamw.state = self._muon.state = self.state

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """One step of both."""
        loss = None if closure is None else closure()
        self._adamw.step()
        self._muon.step()
        return loss

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """As the parent; then both work on what was loaded."""
        super().load_state_dict(state_dict)
        self._share()


class MuonByShape(Muon):
    """``torch.optim.Muon``, which updates all matrices of one shape together; its other settings are torch's."""

    def __init__(self, matrices: Iterable[nn.Parameter], *, lr: float, weight_decay: float = 0.1) -> None:
        super().__init__(matrices, lr=lr, weight_decay=weight_decay)

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """One step of all matrices that have a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[tuple[torch.Tensor, torch.Tensor]]] = defaultdict(list)
            for matrix in group["params"]:
                if matrix.grad is not None:
                    by_shape[matrix.shape].append((matrix, matrix.grad))
            for of_shape in by_shape.values():
                matrices, gradients = zip(*of_shape, strict=True)
                self._step_together(matrices, gradients, group)
        return loss

    def _step_together(
        self, matrices: tuple[torch.Tensor, ...], gradients: tuple[torch.Tensor, ...], group: dict[str, Any]
    ) -> None:
        for matrix in matrices:
            if "momentum_buffer" not in self.state[matrix]:
                self.state[matrix]["momentum_buffer"] = torch.zeros_like(matrix)
        momenta = [self.state[matrix]["momentum_buffer"] for matrix in matrices]
        # One kernel for all matrices; torch's own optimizers use these private functions too.
        torch._foreach_lerp_(momenta, gradients, 1 - group["momentum"])
        updates = torch._foreach_lerp(gradients, momenta, group["momentum"]) if group["nesterov"] else momenta
        orthogonal = orthogonalized(torch.stack(updates), group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = matrices[0].shape
        # Larger for tall matrices, as in torch by default ("original" of _adjust_lr in torch/optim/_muon.py).
        rate = group["lr"] * max(1.0, rows / columns) ** 0.5
        torch._foreach_mul_(matrices, 1 - group["lr"] * group["weight_decay"])
        torch._foreach_add_(matrices, list(orthogonal.unbind()), alpha=-rate)


def orthogonalized(
    matrices: torch.Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> torch.Tensor:
    """About the nearest orthogonal matrix of each of ``matrices``, [count, rows, columns]; in bfloat16.

    Newton and Schulz's iteration with a polynomial of degree 5, as in ``torch.optim.Muon``.
    """
    a, b, c = coefficients
    found = matrices.bfloat16()
    # The iteration multiplies by the Gram matrix, which is smaller on the short side.
    if tall := matrices.size(1) > matrices.size(2):
        found = found.mT
    # It converges for singular values of at most 1, which the Frobenius norm bounds.
    found = found / found.norm(dim=(1, 2), keepdim=True).clamp(min=eps)
    for _ in range(steps):
        # X <- a X + (b G + c G G) X with G = X X^T: an odd polynomial of degree 5 of the singular values of X.
        gram = found @ found.mT
        found = torch.baddbmm(found, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), found, beta=a)
    return found.mT if tall else found


def hidden_matrices(model: PreTrainedModel) -> list[nn.Parameter]:
    """The trained weights of linear layers, but for that of the output head."""
    head = model.get_output_embeddings()
    # With tied embeddings this matrix is the embeddings too, which Muon is not meant for.
    tied = None if head is None else head.weight
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    weights = [module.get_parameter("weight") for module in linear]
    return [weight for weight in weights if weight.requires_grad and weight is not tied]
