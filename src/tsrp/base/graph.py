"""What MEDA and ARTL share: features that are learned once, and the graph classifier that labels them in rounds."""

from __future__ import annotations

from typing import Any, ClassVar

from tsrp.base.once import LearnedOnce
from tsrp.classifiers.graph_ridge import PARAMETERS, GraphRidge


class GraphMethod(LearnedOnce):
    """A method whose classifier is a `GraphRidge`; subclasses say in which space (`_learn`)."""

    constraints: ClassVar = PARAMETERS

    def __init__(
        self,
        *,
        mu: float | str = 0.5,
        alignment: float = 10.0,
        ridge: float = 0.1,
        smoothness: float = 1.0,
        n_neighbors: int = 10,
        n_landmarks: int | str = "auto",
        max_iter: int = 10,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.mu = mu
        self.alignment = alignment
        self.ridge = ridge
        self.smoothness = smoothness
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.max_iter = max_iter
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    @property
    def final_classifier(self) -> Any:
        """The classifier, untrained: the graph classifier with these parameters, unless another one was passed."""
        if self.classifier is not None:
            return self.classifier
        return GraphRidge(**{name: getattr(self, name) for name in PARAMETERS})
