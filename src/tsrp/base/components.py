"""The principal components of both domains, where several methods begin."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray
from tsrp.base.blocked import check_blocked_scale
from tsrp.blocked.samples import BlockedSamples
from tsrp.numerics.passes import principal_directions_of_blocks
from tsrp.numerics.principal import principal_directions
from tsrp.numerics.rows import stacked_unit_rows
from tsrp.validation import check_scale, nothing_to_project


def principal_components(
    Xs: FloatArray, Xt: FloatArray, n_components: int, *, unit: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mean and the principal directions of both domains, and all samples in these coordinates, the source first.

    Rows are scaled to unit length first if `unit`. Samples that do not vary are refused.
    """
    if unit:
        samples = stacked_unit_rows(Xs, Xt)
    else:
        samples = np.vstack([Xs, Xt])
        check_scale(samples, "Xs and Xt")
    mean, directions = principal_directions(samples, n_components)
    if directions.shape[1] == 0:
        raise nothing_to_project(Xs.shape[1], unit=unit)
    return mean, directions, (samples - mean) @ directions


def principal_components_of_blocks(
    Xs: BlockedSamples, Xt: BlockedSamples, n_components: int
) -> tuple[FloatArray, FloatArray]:
    """The mean and the principal directions of both domains, in blocks; samples that do not vary are refused."""
    samples = Xs.followed_by(Xt)
    check_blocked_scale(samples, "Xs and Xt")
    mean, directions = principal_directions_of_blocks(samples, n_components)
    if directions.shape[1] == 0:
        raise nothing_to_project(samples.shape[1], unit=False)
    return mean, directions
