"""The operation-aware loss: what a token counts, and how well each operation is predicted.

The loss of an optimizer step is ``sum(w * nll) / sum(w)`` over all its micro-batches and processes: ``nll`` is a
token's negative log-likelihood and ``w`` the recipe's weight for what the token belongs to. Weights that are all 1 give
the usual mean, and a weight of 0 is the same as having no label. Labels and roles stand at the token that is predicted,
so both are shifted by one against what the model puts out.

What is watched is not weighted: means over the tokens of each role, from sums and counts, so that they are exact
whatever the micro-batches and processes are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch

from train.examples import IGNORED, Role
from train.recipe import LossWeights

WATCHED = tuple(role for role in Role if role is not Role.PROMPT)


class TokenScores(NamedTuple):
    """What the model made of each label: tensors of one shape, [batch, places].

    ``log_probs`` carries the gradient and is 0 where the label is :data:`~train.examples.IGNORED`. ``entropy`` (nats)
    is that of the predicted distribution, and ``is_top1`` says whether no token was more probable than the label.
    """

    labels: torch.Tensor
    roles: torch.Tensor
    log_probs: torch.Tensor
    entropy: torch.Tensor
    is_top1: torch.Tensor


def role_weights(weights: LossWeights) -> torch.Tensor:
    """The weight of each :class:`~train.examples.Role`, by its number; a prompt's is 0."""
    return torch.tensor([0.0 if role is Role.PROMPT else getattr(weights, role.name.lower()) for role in Role])


def batch_weight(batch: Mapping[str, torch.Tensor], weights: torch.Tensor) -> torch.Tensor:
    """What the labels of a micro-batch weigh together; the first place of a row is never predicted."""
    return _weight_of_each(batch["labels"][:, 1:], batch["roles"][:, 1:], weights).sum()


def weighted_loss(scores: TokenScores, weights: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """``sum(w * nll) / total``, and zero (with a gradient of zeros) where ``total`` is zero."""
    total = torch.where(total > 0, total, 1)
    return -(_weight_of_each(scores.labels, scores.roles, weights) * scores.log_probs).sum() / total


def score_by_logits(model: torch.nn.Module, batch: Mapping[str, torch.Tensor]) -> TokenScores:
    """The scores by way of the logits, at those places only where some row has a label.

    For a processor and a small vocabulary. TRL's fused head holds no logits and computes them twice instead, and on a
    processor it computes every place: a step of the demo took 1.05 times as long with labelled places alone, and 1.12
    times with all.
    """
    labelled = (batch["labels"] != IGNORED).any(dim=0)
    labelled[0] = False
    places = labelled.nonzero().flatten()
    labels, roles = batch["labels"][:, places], batch["roles"][:, places]
    rest = {name: value for name, value in batch.items() if name not in ("labels", "roles")}
    logits = model(**rest, logits_to_keep=places - 1, use_cache=False).logits
    distribution = logits.float().log_softmax(dim=-1)
    ignored = labels == IGNORED
    log_probs = distribution.gather(-1, labels.masked_fill(ignored, 0).unsqueeze(-1)).squeeze(-1)
    with torch.no_grad():
        entropy = -(distribution.exp().mul_(distribution)).sum(dim=-1)
        is_top1 = log_probs >= distribution.amax(dim=-1)
    return TokenScores(labels, roles, log_probs.masked_fill(ignored, 0), entropy, is_top1)


@torch.no_grad()
def sum_by_role(scores: TokenScores) -> torch.Tensor:
    """Of each role: how many labels, and the sums of their nll, of those predicted first, and of their entropy.

    Shape [roles, 4], float64. Sums of several micro-batches are added up.
    """
    there = scores.labels != IGNORED
    columns = (there, -scores.log_probs, scores.is_top1, scores.entropy)
    # Zeros and not a selection, which would wait for the GPU; a product, for adding by index has no fixed order there.
    values = torch.stack([torch.where(there, column, 0).double() for column in columns], dim=-1)
    roles = torch.nn.functional.one_hot(scores.roles.long(), len(Role)).double()
    return roles.flatten(0, -2).T @ values.flatten(0, -2)


def figures_by_role(sums: torch.Tensor) -> dict[str, float]:
    """Means over the tokens behind ``sums`` (of :func:`sum_by_role`), overall and of each role that occurs.

    Keys are ``accuracy``, ``entropy``, and for each role ``loss/infer``, ``accuracy/infer``, ``entropy/infer``. No
    overall loss: that is the weighted one, which the trainer knows.
    """
    figures: dict[str, float] = {}
    rows = {"": sums.sum(dim=0)} | {f"/{role.name.lower()}": sums[role] for role in WATCHED}
    for suffix, row in rows.items():
        count, nll, top1, entropy = row.tolist()
        if count:
            means = {"loss": nll / count, "accuracy": top1 / count, "entropy": entropy / count}
            figures |= {name + suffix: mean for name, mean in means.items() if name + suffix != "loss"}
    return figures


def _weight_of_each(labels: torch.Tensor, roles: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return weights[roles.long()] * (labels != IGNORED)
