"""The operation-aware loss: weights by role, and how well each operation is predicted.

The loss of an optimizer step is ``sum(w * nll) / sum(w)`` over all its micro-batches and processes: ``nll`` is a
token's negative log-likelihood and ``w`` the recipe's weight for its role. If all weights are 1 it is the usual mean,
and a weight of 0 is the same as no label. Labels and roles belong to the token that is predicted, so both are shifted
by one against the outputs of the model.

The logged figures are not weighted: they are means over the tokens of each role, computed from sums and counts, and
therefore exact whatever the micro-batches and processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch

from train.data.examples import IGNORED, TRAINED_ROLES, Role
from train.recipe import LossWeights


class TokenScores(NamedTuple):
    """The prediction of each label: tensors of shape [batch, positions].

    ``log_probs`` has the gradient and is 0 where the label is :data:`~train.data.examples.IGNORED`. ``entropy`` (nats)
    is that of the predicted distribution; ``is_top1``: no token was more probable than the label.
    """

    labels: torch.Tensor
    roles: torch.Tensor
    log_probs: torch.Tensor
    entropy: torch.Tensor
    is_top1: torch.Tensor


def role_weights(weights: LossWeights) -> torch.Tensor:
    """The weight of each :class:`~train.data.examples.Role`, by its number; that of the prompt is 0."""
    return torch.tensor([0.0 if role is Role.PROMPT else getattr(weights, role.name.lower()) for role in Role])


def batch_weight(batch: Mapping[str, torch.Tensor], weights: torch.Tensor) -> torch.Tensor:
    """The sum of the weights of a micro-batch's labels. The first token of a row is never predicted."""
    return _label_weights(batch["labels"][:, 1:], batch["roles"][:, 1:], weights).sum()


def weighted_loss(scores: TokenScores, weights: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """``sum(w * nll) / total``, or zero (with a zero gradient) if ``total`` is zero."""
    total = torch.where(total > 0, total, 1)
    return -(_label_weights(scores.labels, scores.roles, weights) * scores.log_probs).sum() / total


@torch.no_grad()
def sum_by_role(scores: TokenScores) -> torch.Tensor:
    """For each role: the number of labels, and the sums of nll, top-1 hits and entropy.

    Shape [roles, 4], float64. The sums of several micro-batches can be added.
    """
    labelled = scores.labels != IGNORED
    columns = (labelled, -scores.log_probs, scores.is_top1, scores.entropy)
    # Zeros instead of a selection, which would wait for the GPU; a matrix product, because adding by index is not
    # deterministic there.
    values = torch.stack([torch.where(labelled, column, 0).double() for column in columns], dim=-1)
    roles = torch.nn.functional.one_hot(scores.roles.long(), len(Role)).double()
    return roles.flatten(0, -2).T @ values.flatten(0, -2)


def figures_by_role(sums: torch.Tensor) -> dict[str, float]:
    """Means over the tokens behind ``sums`` (of :func:`sum_by_role`), overall and of each role that occurs.

    Keys are ``accuracy``, ``entropy``, and for each role ``loss/infer``, ``accuracy/infer``, ``entropy/infer``. The
    overall loss is not among them: it is the weighted loss, which the trainer logs.
    """
    figures: dict[str, float] = {}
    rows = {"": sums.sum(dim=0)} | {f"/{role.name.lower()}": sums[role] for role in TRAINED_ROLES}
    for suffix, row in rows.items():
        count, nll, top1, entropy = row.tolist()
        if count:
            means = {"loss": nll / count, "accuracy": top1 / count, "entropy": entropy / count}
            figures |= {name + suffix: mean for name, mean in means.items() if name + suffix != "loss"}
    return figures


def _label_weights(labels: torch.Tensor, roles: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return weights[roles.long()] * (labels != IGNORED)
