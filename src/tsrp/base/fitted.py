"""What a fitted model hands out beside arrays: a data frame, a report, a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from tsrp._types import FloatArray
from tsrp.base.assessed import Assessed
from tsrp.exceptions import UsageError
from tsrp.progress import Round
from tsrp.trust.judgement import CONFIDENT_AT, check_confident_at

Self = TypeVar("Self", bound="FittedModel")

if TYPE_CHECKING:
    import pandas as pd

    from tsrp.report.findings import Findings


class FittedModel(Assessed):
    """What a report, a saved file and the label-free scores ask of a fitted model.

    A method answers itself (`tsrp.Adapter`); a model that wraps one passes the question on (`tsrp.base.delegation`).

    Attributes
    ----------
    fill_values_ : array of shape (n_features,) or None
        What `tsrp adapt --impute` filled the target's gaps with, for `tsrp predict`. In Python gaps are refused.
    categorical_, decimal_ : list of str, str
        The columns of categories and the decimal mark of the tables that `tsrp adapt` read, for `tsrp predict`.
    """

    history_: list[Round]
    classifier_: Any
    fill_values_: FloatArray | None = None
    categorical_: Sequence[str] = ()
    decimal_: str = "."
    target_index_: pd.Index[Any]
    # Of models that have no such parameter.
    max_fit_rows: int | None = None

    @property
    def _limit(self) -> int | None:
        """How many rows of each domain the fit learns from at most; None: from all."""
        return self.max_fit_rows

    @property
    def takes_blocks(self) -> bool:
        """Whether `fit` takes samples in blocks, as the parameters are."""
        return False

    def __getstate__(self) -> dict[str, Any]:
        # Neither a pickle nor a saved model takes the training data along: what they say of a label is found now.
        if "fit_record_" in vars(self):
            _ = self.calibration_, self.trust_
        return {
            name: value
            for name, value in super().__getstate__().items()  # type: ignore[misc]
            if name != "fit_record_"
        }

    def of_fit(self: Self) -> Self:
        """The same, as if the target were the rows that the fit learned from."""
        _ = self.calibration_
        model = type(self).__new__(type(self))
        vars(model).update(vars(self))
        index = getattr(self, "target_index_", None)
        if self.others_ is not None and index is not None:
            model.target_index_ = index[self.others_.fitted]
        model.others_ = None
        return model

    def _note_rows(self, Xt: npt.ArrayLike) -> None:
        """Keep the target's row names, if it is a data frame."""
        if hasattr(Xt, "index") and hasattr(Xt, "columns"):
            self.target_index_ = Xt.index

    def to_frame(self, *, confident_at: float = CONFIDENT_AT) -> pd.DataFrame:
        """The labels of the target as a data frame, with the row names of the target if it was one.

        Parameters
        ----------
        confident_at : float in [0, 1], default 0.9
            The probability from which a label is called confident.

        Returns
        -------
        DataFrame
            Columns label, probability and confident; a row for each target sample, in its order.

        Examples
        --------
        >>> import pandas as pd
        >>> from tsrp import NN
        >>> target = pd.DataFrame({"width": [0.2, 0.9]}, index=["first", "second"])
        >>> NN().fit(pd.DataFrame({"width": [0.0, 1.0]}), ["low", "high"], target).to_frame(confident_at=0.6)["label"]
        first      low
        second    high
        Name: label, dtype: str
        """
        import pandas as pd

        check_is_fitted(self)
        check_confident_at(confident_at)
        p = self.probability_
        columns = {"label": self.labels_, "probability": p, "confident": p >= confident_at}
        return pd.DataFrame(columns, index=getattr(self, "target_index_", None))

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        truth: npt.ArrayLike | None = None,
        ids: Sequence[Any] | None = None,
        files: tuple[str, str] | None = None,
        confident_at: float = CONFIDENT_AT,
        suggest: int | None = None,
        audit: int | None = None,
        show: tuple[str, Sequence[Any]] | None = None,
        image_folder: str | os.PathLike[str] = ".",
        command: str | None = None,
        overwrite: bool = False,
    ) -> Findings:
        """Write what the fit found as one HTML page that needs nothing else: to see whether to believe the labels.

        First comes how many labels are estimated to be right, whether adaptation helps, and a choice of rows to accept:
        how right they are expected to be, and files of these and of the others. Then warnings, the distance of the
        domains before and after, both in the plane, the rounds, the classes, and rows to label in the page itself.

        Parameters
        ----------
        path : path
            The page, .html or .htm.
        truth : array of shape (n_target,), optional
            True labels of the target, where they are known: None or NaN where not. The page then has accuracies.
        ids : sequence of length n_target, optional
            What the target's rows are called. None: the row names of the target, if it was a data frame that has any.
        files : tuple of two str, optional
            Where source and target come from.
        confident_at : float in [0, 1], default 0.9
            The probability from which a label is called confident: where the choice of rows begins.
        suggest, audit : int, optional
            How many rows to ask about: those whose labels would help most, and rows at random, to measure accuracy.
            20 each if not given, fewer if there are not as many; 0 for none.
        show : tuple of {"text", "image"} and a sequence of length n_target, optional
            Texts, or paths of image files, by which a person recognises rows: those to label, and the misfits of each
            class. None: some features are shown, beside the source's range.
        image_folder : path, default "."
            Where image files are; none is opened elsewhere.
        command : str, optional
            The command that was run; the page tells how to run it again with the labels that were filled in.
        overwrite : bool, default False
            Replace a file that exists.

        Returns
        -------
        Findings
            What the page shows; its `diagnostics` are the warnings.

        Raises
        ------
        OutputError
            If the page cannot be written.
        UsageError
            If the model was loaded or copied: the data of the fit stay behind.
        """
        check_is_fitted(self)
        if not hasattr(self, "fit_record_"):
            raise UsageError(
                f"this {type(self).__name__} was loaded or copied, and the data of its fit stayed behind: report needs "
                "a model that was fitted in this process; fit it again."
            )
        self._fit_data_in_memory("report")
        from tsrp.report.page import write_report

        return write_report(
            self,
            path,
            truth=truth,
            ids=ids,
            files=files,
            confident_at=confident_at,
            suggest=suggest,
            audit=audit,
            show=show,
            image_folder=image_folder,
            command=command,
            overwrite=overwrite,
        )

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
        OutputError
            If the file cannot be written.
        WrongTypeError
            If a part of the model, such as a classifier of another package, has no place in the format.
        """
        from tsrp.saving import save

        check_is_fitted(self)
        if self.others_ is not None:
            # What is not asked before the data of the fit are left behind cannot be asked later.
            _ = self.trust_
        save(self, Path(path), overwrite=overwrite)
