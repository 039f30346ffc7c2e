"""What a fitted model hands out beside arrays: a data frame, a report, a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from tsrp._types import BoolArray, LabelArray
from tsrp.validation import IN_MEMORY, Domains

if TYPE_CHECKING:
    import pandas as pd


class Products:
    """The part that every method and `PerDomain` share."""

    labels_: LabelArray
    confident_: BoolArray
    # What a report shows. In memory only: neither a pickle nor a saved model takes the training data along.
    _seen: Domains

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())  # type: ignore[misc]
        for name in IN_MEMORY:
            state.pop(name, None)
        return state

    def _remember(self, domains: Domains, Xt: npt.ArrayLike) -> None:
        """Keep what a report shows, and the target's row names if it is a data frame."""
        self._seen = domains
        if hasattr(Xt, "index") and hasattr(Xt, "columns"):
            self.target_index_ = Xt.index

    def to_frame(self) -> pd.DataFrame:
        """The labels of the target as a data frame, with the row names of the target if it was one.

        Returns
        -------
        DataFrame
            Columns label, confident and, with TSRP, picked; a row for each target sample, in its order.

        Examples
        --------
        >>> import pandas as pd
        >>> from tsrp import NN
        >>> target = pd.DataFrame({"width": [0.2, 0.9]}, index=["first", "second"])
        >>> NN().fit(pd.DataFrame({"width": [0.0, 1.0]}), ["low", "high"], target).to_frame()
               label  confident
        first    low       True
        second  high       True
        """
        import pandas as pd

        check_is_fitted(self)
        columns: dict[str, Any] = {"label": self.labels_, "confident": self.confident_}
        if hasattr(self, "picked_"):
            columns["picked"] = self.picked_
        return pd.DataFrame(columns, index=getattr(self, "target_index_", None))

    def report(
        self, path: str | os.PathLike[str], *, truth: npt.ArrayLike | None = None, overwrite: bool = False
    ) -> None:
        """Write what the fit found as one HTML page that needs nothing else: to see whether to believe the labels.

        The page has the distance of the domains before and after, both in the plane, the rounds, the classes, the
        doubtful samples as a table to download, and warnings where adaptation looks harmful.

        Parameters
        ----------
        path : path
            The page, .html or .htm.
        truth : array of shape (n_target,), optional
            True labels of the target, where they are known: None or NaN where not. The page then has accuracies.
        overwrite : bool, default False
            Replace a file that exists.

        Raises
        ------
        ValueError
            If the page cannot be written, or if the model was loaded or copied: the data of the fit stay behind.
        """
        check_is_fitted(self)
        if not hasattr(self, "_seen"):
            raise ValueError(
                f"this {type(self).__name__} was loaded or copied, and the data of its fit stayed behind: report needs "
                "a model that was fitted in this process; fit it again."
            )
        from tsrp.report.page import write_report

        write_report(self, path, truth=truth, overwrite=overwrite)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Save the fitted model in a file of arrays and JSON, for `tsrp.load` and the command `tsrp predict`.

        Parameters
        ----------
        path : path
            The file, usually .tsrp.
        overwrite : bool, default False
            Replace a file that exists.

        Raises
        ------
        ValueError
            If the file cannot be written.
        TypeError
            If a part of the model, such as a classifier of another package, has no place in the format.
        """
        from tsrp.saving import save

        check_is_fitted(self)
        save(self, Path(path), overwrite=overwrite)
