"""The bridge to skada, against the real package."""

import os
import pickle
import re
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.preprocessing import StandardScaler

from tests.support.domains import global_random_state
from tsrp import DICD, JDA, NN, TSRP, NearestNeighbour, PerDomain
from tsrp.remedy import remedy
from tsrp.skada import FromSkada, ToSkada

if find_spec("skada") is None and not os.environ.get("CI"):
    pytest.skip('needs skada: run  pip install "tsrp[skada]"', allow_module_level=True)

# The import switches scikit-learn's metadata routing on: not for the tests of other modules.
with sklearn.config_context():
    import skada
    from skada import metrics, model_selection
    from skada.datasets import DomainAwareDataset, make_shifted_datasets

SCORERS = {
    "SupervisedScorer": {},
    "CircularValidation": {},
    "ImportanceWeightedScorer": {},
    "MixValScorer": {"random_state": 0},
    "PredictionEntropyScorer": {},
    "SoftNeighborhoodDensity": {},
    "DeepEmbeddedValidation": {"random_state": 0},
    "MaNoScorer": {},
}
MOVERS = [
    skada.CORALAdapter(),
    skada.OTMappingAdapter(),
    skada.EntropicOTMappingAdapter(),
    skada.LinearOTMappingAdapter(),
    skada.MultiLinearMongeAlignmentAdapter(),
    skada.SubspaceAlignmentAdapter(n_components=5),
    skada.TransferComponentAnalysisAdapter(n_components=5),
    skada.TransferJointMatchingAdapter(n_components=5),
]


@pytest.fixture(autouse=True)
def metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def packed(domains):
    """Both domains in skada's form, rows shuffled and target labels masked; and the labels unmasked."""
    Xs, ys, Xt, yt = domains
    order = np.random.default_rng(0).permutation(len(Xs) + len(Xt))
    sample_domain = np.repeat([1, -2], [len(Xs), len(Xt)])[order]
    truth = np.concatenate([ys, yt])[order]
    return np.vstack([Xs, Xt])[order], np.where(sample_domain < 0, -1, truth), sample_domain, truth


class TestToSkada:
    @pytest.mark.parametrize(
        "method", [JDA(n_components=5), TSRP(JDA(n_components=5)), PerDomain(StandardScaler(), NN())], ids=repr
    )
    def test_finds_what_the_method_finds_alone(self, packed, method):
        X, y, sample_domain, _ = packed
        source, new = sample_domain >= 0, X[:7] + 0.1
        plain = clone(method).fit(X[source], y[source], X[~source])
        model = ToSkada(method).fit(X, y, sample_domain=sample_domain)
        assert np.array_equal(model.labels_, plain.labels_)
        assert np.array_equal(model.probability_, plain.probability_)
        assert np.array_equal(model.confident_, plain.confident_)
        assert np.array_equal(model.trust_, plain.trust_)
        assert model.estimated_accuracy_ == plain.estimated_accuracy_
        assert np.array_equal(model.predict(new), plain.predict(new))
        assert np.array_equal(model.transform(new), plain.transform(new))

    def test_labels_are_those_of_the_target_rows_in_their_order(self, packed):
        X, y, sample_domain, truth = packed
        model = ToSkada(TSRP(NN())).fit(X, y, sample_domain=sample_domain)
        assert np.array_equal(model.labels_, model.predict(X[sample_domain < 0]))
        score = model.score(X[sample_domain < 0], truth[sample_domain < 0], sample_domain[sample_domain < 0])
        assert score == np.mean(model.labels_ == truth[sample_domain < 0])

    def test_never_looks_at_target_labels(self, packed):
        X, y, sample_domain, truth = packed
        unknown = np.where(sample_domain < 0, np.nan, y)
        fits = [ToSkada(JDA(n_components=5)).fit(X, labels, sample_domain) for labels in (y, truth, unknown)]
        for fit in fits[1:]:
            assert np.array_equal(fit.labels_, fits[0].labels_)

    def test_takes_all_sources_together_and_all_targets_together(self, packed):
        X, y, sample_domain, _ = packed
        several = np.where(np.arange(len(X)) % 2, sample_domain, sample_domain * 3)
        assert len(np.unique(several)) == 4
        one, many = (
            ToSkada(JDA(n_components=5)).fit(X, y, sample_domain=numbers) for numbers in (sample_domain, several)
        )
        assert np.array_equal(one.labels_, many.labels_)

    def test_keeps_labels_of_any_type(self, packed):
        X, _, sample_domain, truth = packed
        names = np.array(["ant", "bee", "cat", "dog"])[truth]
        model = ToSkada(JDA(n_components=5)).fit(X, names, sample_domain)
        assert set(model.predict(X[:5])) <= set(names)

    def test_data_frames_keep_their_columns(self, packed):
        X, y, sample_domain, _ = packed
        frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])], index=np.arange(len(X)) % 7)
        scale = make_column_transformer((StandardScaler(), ["f0", "f1"]), remainder="passthrough")
        model = ToSkada(PerDomain(scale, NN())).fit(frame, pd.Series(y), pd.Series(sample_domain, dtype="Int64"))
        assert np.array_equal(model.predict(frame[sample_domain < 0]), model.labels_)
        assert model.feature_names_in_.tolist() == list(frame.columns)

    def test_is_cloned_and_pickled_and_has_nested_parameters(self, packed):
        X, y, sample_domain, _ = packed
        model = ToSkada(TSRP(JDA(n_components=5))).fit(X, y, sample_domain)
        assert not hasattr(clone(model), "labels_")
        assert clone(model).set_params(method__base__n_components=3).method.base.n_components == 3
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict(X), model.predict(X))

    def test_weights_count_in_the_score(self, packed):
        X, y, sample_domain, truth = packed
        model = ToSkada(NN()).fit(X, y, sample_domain)
        weights = np.random.default_rng(1).random(len(X))
        expected = accuracy_score(truth, model.predict(X), sample_weight=weights)
        assert model.score(X, truth, sample_weight=weights) == expected

    @pytest.mark.parametrize(
        "method",
        [
            JDA(n_components=5, classifier=LogisticRegression()),
            TSRP(JDA(n_components=5, classifier=LogisticRegression())),
            TSRP(NN(), strong_classifier=LogisticRegression()),
            PerDomain(StandardScaler(), TSRP(NN(), classifier=LogisticRegression())),
        ],
        ids=repr,
    )
    def test_probabilities_are_those_of_the_last_classifier(self, packed, method):
        X, y, sample_domain, _ = packed
        assert hasattr(ToSkada(method), "predict_proba")
        model = ToSkada(method).fit(X, y, sample_domain)
        chances = model.predict_proba(X)
        assert np.allclose(chances.sum(axis=1), 1)
        assert np.array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))

    def test_probabilities_do_not_hang_on_what_transform_gives(self, packed):
        X, y, sample_domain, _ = packed
        model = ToSkada(JDA(n_components=5, classifier=LogisticRegression())).fit(X, y, sample_domain)
        chances = model.predict_proba(X)
        with sklearn.config_context(transform_output="pandas"):
            assert np.array_equal(model.predict_proba(X), chances)

    @pytest.mark.parametrize("method", [NN(), TSRP(NN()), TSRP(NN(), strong_classifier=NearestNeighbour())], ids=repr)
    def test_one_nearest_neighbour_has_no_probabilities(self, method):
        assert not hasattr(ToSkada(method), "predict_proba")

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"sample_domain": None}, "sample_domain is missing"),
            ({"sample_domain": np.ones(110)}, "sample_domain holds no target"),
            ({"sample_domain": -np.ones(110)}, "sample_domain holds no source"),
            ({"sample_domain": [1, -2]}, r"sample_domain has the shape \(2,\), but X has 110 rows"),
            ({"sample_domain": ["s", "t"] * 55}, "sample_domain must hold whole numbers"),
            ({"sample_domain": [1.0, np.nan] * 55}, "sample_domain must hold whole numbers"),
            ({"sample_domain": [1.0, -0.5] * 55}, "sample_domain must hold whole numbers"),
            ({"y": None}, "y is None"),
            ({"y": [0, 1]}, "y has 2 labels, but X has 110 rows"),
            ({"y": np.full(110, -1)}, "y holds -1 in 60 source row"),
            ({"y": np.full(110, np.nan)}, r"y \(of the source rows\): 60 labels are missing"),
            ({"y": np.zeros(110)}, "one class only"),
            ({"X": np.full((110, 12), np.nan)}, "X: 1320 values are NaN"),
        ],
    )
    def test_refuses_bad_input_in_one_sentence(self, packed, changes, message):
        X, y, sample_domain, _ = packed
        with pytest.raises(ValueError, match=message):
            ToSkada(NN()).fit(**({"X": X, "y": y, "sample_domain": sample_domain} | changes))

    def test_refuses_what_does_not_adapt(self, packed):
        X, y, sample_domain, _ = packed
        with pytest.raises(TypeError, match="method must be one of this package"):
            ToSkada(LogisticRegression()).fit(X, y, sample_domain)

    def test_asks_only_about_the_target_unless_told(self, packed):
        X, y, sample_domain, _ = packed
        model = ToSkada(JDA(n_components=5, classifier=LogisticRegression())).fit(X, y, sample_domain)
        for ask in (model.predict, model.transform, model.predict_proba):
            with pytest.raises(ValueError, match="sample_domain holds rows of a source"):
                ask(X, sample_domain)
            with pytest.raises(ValueError, match="sample_domain has the shape"):
                ask(X, sample_domain[:3], allow_source=True)
            assert np.array_equal(ask(X, sample_domain, allow_source=True), ask(X))

    def test_answers_nothing_before_the_fit(self, packed):
        with pytest.raises(NotFittedError):
            ToSkada(NN()).predict(packed[0])


class TestPipelines:
    def test_preprocessing_of_skada_then_the_method(self, packed):
        X, y, sample_domain, truth = packed
        pipe = skada.make_da_pipeline(StandardScaler(), ToSkada(TSRP(DICD(n_components=5))))
        pipe.fit(X, y, sample_domain=sample_domain)
        source, scaled = sample_domain >= 0, StandardScaler().fit_transform(X)
        plain = TSRP(DICD(n_components=5)).fit(scaled[source], y[source], scaled[~source])
        assert np.array_equal(pipe[-1].get_estimator().labels_, plain.labels_)
        assert np.array_equal(
            pipe.predict(X[~source], sample_domain=sample_domain[~source]), plain.predict(scaled[~source])
        )
        assert pipe.score(X[~source], truth[~source]) == np.mean(plain.predict(scaled[~source]) == truth[~source])

    def test_refuses_to_stand_before_another_step(self, packed):
        X, y, sample_domain, _ = packed
        pipe = skada.make_da_pipeline(ToSkada(JDA(n_components=5)), LogisticRegression())
        with pytest.raises(ValueError, match="put this step last"):
            pipe.fit(X, y, sample_domain=sample_domain)

    def test_domain_aware_datasets(self):
        dataset = make_shifted_datasets(
            n_samples_source=4, n_samples_target=4, label="multiclass", random_state=0, return_dataset=True
        )
        X, y, sample_domain = dataset.pack(as_sources=["s"], as_targets=["t"], mask_target_labels=True)
        model = ToSkada(TSRP(JDA(n_components=2))).fit(X, y, sample_domain)
        Xt, yt, target = dataset.pack(as_sources=[], as_targets=["t"], mask_target_labels=False)
        assert model.score(Xt, yt, target) == np.mean(model.labels_ == yt)

    # pack_train and pack_test are on their way out of skada.
    @pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:The `return_X_y` parameter is deprecated")
    def test_several_domains_of_a_dataset_and_its_older_methods(self, packed):
        X, _, sample_domain, truth = packed
        Xs, ys, Xt, yt = X[sample_domain > 0], truth[sample_domain > 0], X[sample_domain < 0], truth[sample_domain < 0]
        dataset = DomainAwareDataset([(Xs[:30], ys[:30], "a"), (Xs[30:], ys[30:], "b"), (Xt[:20], yt[:20], "c")])
        dataset.add_domain(Xt[20:], yt[20:], domain_name="d")
        packs = [
            dataset.pack_train(["a", "b"], ["c", "d"]),
            dataset.pack(["a", "b"], ["c", "d"], mask_target_labels=True),
        ]
        for X_all, y_all, domain in packs:
            assert len(np.unique(domain)) == 4
            model = ToSkada(JDA(n_components=5)).fit(X_all, y_all, domain)
            assert np.array_equal(model.labels_, JDA(n_components=5).fit(Xs, ys, Xt).labels_)
        assert model.score(*dataset.pack_test(["c", "d"])) == np.mean(model.labels_ == yt)

    @pytest.mark.parametrize("name", SCORERS)
    def test_scorers_with_cross_validation(self, packed, name):
        X, y, sample_domain, truth = packed
        method = TSRP(JDA(n_components=5), classifier=LogisticRegression(), max_iter=2)
        given = {"target_labels": truth} if name == "SupervisedScorer" else {}
        found = cross_validate(
            skada.make_da_pipeline(StandardScaler(), ToSkada(method)),
            X,
            y,
            cv=model_selection.StratifiedDomainShuffleSplit(n_splits=2, test_size=0.4, random_state=0),
            scoring=getattr(metrics, name)(**SCORERS[name]),
            params={"sample_domain": sample_domain, **given},
            error_score="raise",
        )
        assert np.isfinite(found["test_score"]).all()

    def test_the_supervised_scorer_says_what_scoring_by_hand_says(self, packed):
        X, y, sample_domain, truth = packed
        cv = model_selection.SourceTargetShuffleSplit(n_splits=1, test_size=0.4, random_state=0)
        [(train, test)] = cv.split(X, y, sample_domain)
        model = ToSkada(JDA(n_components=5))
        found = cross_validate(
            model,
            X,
            y,
            cv=[(train, test)],
            scoring=metrics.SupervisedScorer(),
            params={"sample_domain": sample_domain, "target_labels": truth},
            error_score="raise",
        )
        fitted = clone(model).fit(X[train], y[train], sample_domain[train])
        held_out = test[sample_domain[test] < 0]
        assert found["test_score"][0] == np.mean(fitted.predict(X[held_out]) == truth[held_out])

    def test_settings_are_searched_without_target_labels(self, packed):
        X, y, sample_domain, _ = packed
        search = GridSearchCV(
            skada.make_da_pipeline(StandardScaler(), ToSkada(TSRP(JDA(n_components=5), max_iter=2))),
            {"toskada__method__trust": [0.5, 0.9]},
            cv=model_selection.StratifiedDomainShuffleSplit(n_splits=1, test_size=0.4, random_state=0),
            scoring=metrics.CircularValidation(),
            error_score="raise",
        ).fit(X, y, sample_domain=sample_domain)
        assert search.best_params_["toskada__method__trust"] in (0.5, 0.9)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()


class TestFromSkada:
    @pytest.mark.parametrize("one", [skada.CORALAdapter(), skada.OTMappingAdapter()], ids=repr)
    def test_within_tsrp_is_the_steps_by_hand(self, domains, one):
        Xs, ys, Xt, _ = domains
        model = TSRP(FromSkada(one)).fit(Xs, ys, Xt)
        adapter, number = clone(one), np.repeat([3, -5], [len(Xs), len(Xt)])
        moved = adapter.fit_transform(np.vstack([Xs, Xt]), np.append(ys, np.full(len(Xt), -1)), sample_domain=number)
        Zs, Zt = moved[: len(Xs)], moved[len(Xs) :]
        crude = NearestNeighbour().fit(Zs, ys).predict(Zt)
        by_hand = remedy(Zs, ys, Zt, crude, np.arange(4), trust=0.9, inner_iterations=3)
        assert model.n_iter_ == 1
        assert not np.array_equal(Zs, Xs)
        assert np.array_equal(model.history_[0].crude, crude)
        assert np.array_equal(model.labels_, by_hand.codes)
        assert np.array_equal(model.picked_, by_hand.picked)

    def test_alone_is_skadas_pipeline(self, domains):
        Xs, ys, Xt, _ = domains
        model = FromSkada(skada.CORALAdapter()).fit(Xs, ys, Xt)
        pipe = skada.make_da_pipeline(skada.CORALAdapter(), NearestNeighbour())
        pipe.fit(np.vstack([Xs, Xt]), np.append(ys, np.full(len(Xt), -1)), sample_domain=np.repeat([1, -2], [60, 50]))
        assert np.array_equal(model.labels_, pipe.predict(Xt))
        assert np.array_equal(model.predict(Xt[:9] + 0.1), pipe.predict(Xt[:9] + 0.1))

    @pytest.mark.parametrize("one", MOVERS, ids=repr)
    def test_later_samples_of_the_target_go_where_the_target_went(self, domains, one):
        Xs, ys, Xt, yt = domains
        rounds = FromSkada(one).prepare(Xs, ys, Xt, 4)
        Zs, Zt = rounds.project(None)
        mapping = pickle.loads(pickle.dumps(rounds.mapping()))
        assert len(Zs) == len(Xs)
        assert np.array_equal(mapping.transform(Xt), Zt)
        np.testing.assert_allclose(mapping.transform(Xt[:3]), Zt[:3], rtol=1e-4, atol=1e-8)
        assert TSRP(FromSkada(one)).fit(Xs, ys, Xt).score(Xt, yt) > 0.8

    def test_is_cloned_and_has_nested_parameters(self, domains):
        Xs, ys, Xt, _ = domains
        model = TSRP(FromSkada(skada.CORALAdapter())).fit(Xs, ys, Xt)
        again = clone(model).set_params(base__adapter__reg=0.5)
        assert (again.base.adapter.reg, model.base.adapter.reg) == (0.5, "auto")
        assert not np.array_equal(again.fit(Xs, ys, Xt).transform(Xs), Xs)
        assert not hasattr(model.base.adapter, "mean_source_")

    def test_leaves_the_global_random_state_alone(self, domains):
        Xs, ys, Xt, _ = domains
        before = global_random_state()
        # So many columns that scikit-learn's PCA draws random ones.
        wide = [np.tile(X, 60) for X in (Xs, Xt)]
        fits = [FromSkada(skada.SubspaceAlignmentAdapter(n_components=2)).fit(wide[0], ys, wide[1]) for _ in range(2)]
        assert np.array_equal(fits[0].transform(wide[1]), fits[1].transform(wide[1]))
        assert global_random_state() == before

    def test_works_in_a_pipeline_of_skada(self, packed):
        X, y, sample_domain, _ = packed
        method = TSRP(FromSkada(skada.CORALAdapter()))
        pipe = skada.make_da_pipeline(ToSkada(method)).fit(X, y, sample_domain=sample_domain)
        source = sample_domain >= 0
        plain = clone(method).fit(X[source], y[source], X[~source])
        assert np.array_equal(pipe.predict(X[~source]), plain.labels_)

    @pytest.mark.parametrize(
        ("adapter", "message"),
        [
            (skada.KLIEPReweightAdapter(gamma=1.0), "KLIEPReweightAdapter weights them"),
            (skada.GaussianReweightAdapter(), "GaussianReweightAdapter weights them"),
            (skada.JCPOTLabelPropAdapter(), "JCPOTLabelPropAdapter labels them"),
            (skada.Subsampler(train_size=10), "Subsampler labels them or leaves some out"),
            (skada.CORALAdapter, r"not a class: pass CORALAdapter\(\)"),
            (skada.CORAL(), "but its type is Pipeline"),
            (StandardScaler(), "but its type is StandardScaler"),
        ],
    )
    def test_refuses_what_does_not_move_samples(self, domains, adapter, message):
        Xs, ys, Xt, _ = domains
        with pytest.raises(TypeError, match=message):
            TSRP(FromSkada(adapter)).fit(Xs, ys, Xt)

    # numpy on the root of a negative eigenvalue.
    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_refuses_samples_that_went_to_infinity(self, domains):
        Xs, ys, Xt, _ = domains
        flat = np.column_stack([Xs, Xs[:, 0] * 0.0])
        with pytest.raises(ValueError, match="CORALAdapter moved samples to NaN or infinity"):
            FromSkada(skada.CORALAdapter(reg=None)).fit(flat, ys, np.column_stack([Xt, Xt[:, 0]]))

    def test_says_how_to_install_skada(self, domains, monkeypatch):
        Xs, ys, Xt, _ = domains
        model = FromSkada(skada.CORALAdapter())
        monkeypatch.setitem(sys.modules, "skada", None)
        with pytest.raises(ImportError, match=re.escape('run  pip install "tsrp[skada]"')):
            model.fit(Xs, ys, Xt)
