"""Tools of scikit-learn that would do the wrong thing with the target are refused, or work."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tsrp import JDA, NN, TSRP, PerDomain
from tsrp.exceptions import UsageError


@pytest.mark.parametrize("method", [TSRP(JDA(5)), NN(), PerDomain(StandardScaler(), JDA(5))])
class TestScikitLearnsTools:
    def test_a_grid_search_would_cut_the_target_into_folds(self, method, domains):
        Xs, ys, _, _ = domains
        grid = {"max_iter": [1]} if isinstance(method, TSRP) else {}
        with pytest.raises(UsageError, match=r"cut Xt into folds.*use tsrp\.selection\.search"):
            GridSearchCV(method, grid, cv=2, error_score="raise").fit(Xs, ys, Xt=Xs + 1)

    def test_cross_validation_too(self, method, domains):
        Xs, ys, Xt, _ = domains
        with pytest.raises(UsageError, match="cut Xt into folds"):
            cross_validate(method, Xs, ys, params={"Xt": Xt}, cv=2, error_score="raise")

    def test_predictions_by_cross_validation_too(self, method, domains):
        Xs, ys, Xt, _ = domains
        with pytest.raises(UsageError, match="cut Xt into folds"):
            cross_val_predict(method, Xs, ys, params={"Xt": Xt}, cv=2)

    def test_a_pipeline_would_leave_the_target_as_it_is(self, method, domains):
        Xs, ys, Xt, _ = domains
        pipeline = make_pipeline(StandardScaler(), method)
        with pytest.raises(UsageError, match=r"does not transform Xt as .*: use PerDomain\(transformer, method\)"):
            pipeline.fit(Xs, ys, **{f"{pipeline.steps[-1][0]}__Xt": Xt})

    def test_a_pipeline_that_goes_on_after_the_method_too(self, method, domains):
        Xs, ys, Xt, _ = domains
        pipeline = make_pipeline(StandardScaler(), method, KNeighborsClassifier(1))
        with pytest.raises(UsageError, match="does not transform Xt as it transforms Xs"):
            pipeline.fit(Xs, ys, **{f"{pipeline.steps[1][0]}__Xt": Xt})

    def test_fit_transform_projects_the_source(self, method, domains):
        Xs, ys, Xt, _ = domains
        projected = method.fit_transform(Xs, ys, Xt)
        np.testing.assert_array_equal(projected, method.project_source(Xs))
        assert method.transform(Xt).shape[1] == projected.shape[1]
