"""The principal components of both domains, where several methods begin."""

from __future__ import annotations

from tsrp._types import FloatArray
from tsrp.linalg.principal import principal_directions


def principal_space(X: FloatArray, n_components: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mean and the principal directions of all samples, and the samples in these coordinates.

    Refuses samples that do not vary.
    """
    mean, directions = principal_directions(X, n_components)
    if directions.shape[1] == 0:
        raise ValueError(
            f"Xs and Xt do not vary (n_features={X.shape[1]}): all rows are equal, so there is nothing to project; use "
            "NN, or features that differ between samples."
        )
    return mean, directions, (X - mean) @ directions
