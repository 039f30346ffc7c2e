"""A method with its settings and its preprocessing as one value."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn import decomposition
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from tsrp import BDA, DICD, JDA, NN, TSRP, PerDomain
from tsrp.exceptions import UsageError, WrongTypeError
from tsrp.registry import methods
from tsrp.spec import CLASSIFIERS, PREPROCESSING, WRAPPERS, MethodSpec, defaults, make_method, parse_settings


@pytest.mark.parametrize(("name", "kind"), [("nn", NN), ("jda", JDA), ("BDA", BDA), (" dicd ", DICD)])
def test_a_name_is_a_method(name, kind):
    assert type(make_method(name)) is kind


def test_a_plus_wraps_it_and_parameters_find_their_place():
    settings = {"trust": 0.8, "n_components": 7, "max_iter": 3, "classifier": "svm", "strong_classifier": "1nn"}
    model = make_method("DICD+TSRP", settings)
    assert isinstance(model, TSRP)
    assert (model.trust, model.base.n_components, model.base.max_iter) == (0.8, 7, 3)
    assert isinstance(model.base.classifier, SVC)
    assert model.strong_classifier is None


def test_the_ablations_have_names():
    assert make_method("jda+tsrp_n").picker == "neighbours"
    assert make_method("jda+tsrp_c").strong_training == "source"


@pytest.mark.parametrize("base", methods())
@pytest.mark.parametrize("wrapper", ["", *WRAPPERS])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_combination_works(base, wrapper, classifier, domains):
    Xs, ys, Xt, _ = domains
    name = f"{base}+{wrapper}" if wrapper else base
    # Two rounds are enough.
    wanted = {"n_components": 5, "max_iter": 2}
    own = {key: value for key, value in wanted.items() if key in defaults(methods()[base].kind)}
    assert make_method(name, {"classifier": classifier, **own}).fit(Xs, ys, Xt).labels_.shape == (50,)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("dcid", {}, "there is no method 'dcid'; there are .*dicd, .*. Did you mean 'dicd'?"),
        ("jda+", {}, "there is no wrapper ''"),
        ("jda+tspr", {}, "there is no wrapper 'tspr'; there are tsrp, tsrp_n, tsrp_c. Did you mean 'tsrp'"),
        ("jda", {"trust": 0.9}, "there is no parameter 'trust' of jda"),
        ("jda+tsrp", {"n_component": 3}, "no parameter 'n_component' of jda.tsrp; .*Did you mean 'n_components'?"),
        ("jda+tsrp", {"base": 3}, "there is no parameter 'base'"),
        ("nn", {"classifier": "forest"}, "there is no classifier 'forest'; there are 1nn, knn, svm, logistic"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(name, settings, message):
    with pytest.raises(ValueError, match=message):
        make_method(name, settings)


def test_texts_become_values():
    texts = ["a=1", "b = 0.5", "c=linear", "d=none", "e=True", "f=1e-3", "g=x=y"]
    expected = {"a": 1, "b": 0.5, "c": "linear", "d": None, "e": True, "f": 0.001, "g": "x=y"}
    assert parse_settings(texts) == expected


@pytest.mark.parametrize("text", ["a", "=1", "a=", "", "="])
def test_a_text_of_another_form_is_refused(text):
    with pytest.raises(ValueError, match="not of the form NAME=VALUE"):
        parse_settings([text])


def test_a_parameter_given_twice_is_refused():
    with pytest.raises(ValueError, match="a is given twice"):
        parse_settings(["a=1", "a=2"])


def test_defaults_are_those_of_the_signature():
    assert defaults(TSRP)["trust"] == 0.9
    assert "base" not in defaults(TSRP)


def test_preprocessing_by_name_makes_transformers_or_nothing():
    assert PREPROCESSING["none"]() is None
    assert all(hasattr(PREPROCESSING[name](), "fit") for name in PREPROCESSING if name != "none")


class TestMethodSpec:
    @pytest.mark.parametrize("preprocess", PREPROCESSING)
    @pytest.mark.parametrize(
        ("name", "settings"),
        [
            ("nn", {}),
            ("nn", {"unit_rows": True}),
            ("dicd+tsrp", {"n_components": 50, "trust": 0.85, "kernel": "primal"}),
            ("jda+tsrp_n", {"ridge": 0.1}),
            ("bda+tsrp_c", {"mu": "auto", "strong_classifier": "svm"}),
            ("tca+tsrp", {"max_iter": 1, "classifier": "knn"}),
        ],
    )
    def test_says_the_same_as_text_as_a_record_and_as_an_estimator(self, name, settings, preprocess):
        spec = MethodSpec(name, settings, preprocess)
        assert MethodSpec.parse(str(spec)) == spec
        assert MethodSpec.from_record(spec.name, spec.record) == spec
        assert MethodSpec.of(spec.build()) == spec
        assert hash(MethodSpec.of(spec.build())) == hash(spec)

    def test_equal_settings_are_equal_however_they_are_spelt(self):
        one = MethodSpec("jda", {"ridge": 1, "n_components": 5})
        other = MethodSpec(" JDA ", {"n_components": 5, "ridge": 1.0, "classifier": None})
        assert one == other
        assert hash(one) == hash(other)
        assert one.record == '{"n_components": 5, "preprocess": "none", "ridge": 1}'

    def test_preprocessing_stands_around_the_method(self):
        assert repr(MethodSpec("jda", preprocess="zscore").build()) == repr(PerDomain(StandardScaler(), JDA()))

    @pytest.mark.parametrize(
        "estimator",
        [
            TSRP(decomposition.PCA(3)),
            JDA(classifier=LogisticRegression(C=3)),
            PerDomain(MinMaxScaler(), JDA()),
            PerDomain(StandardScaler(), PerDomain(StandardScaler(), JDA())),
            TSRP(JDA(max_iter=5), max_iter=3),
            JDA(kernel="cubic"),
        ],
        ids=repr,
    )
    def test_there_is_none_where_names_cannot_say_all_of_an_estimator(self, estimator):
        assert MethodSpec.of(estimator) is None

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("jda, wash", "there is no preprocessing 'wash'"),
            ("jda, zscore, unit", "names more than one preprocessing: zscore, unit"),
            ("jda, ridge=", "not of the form NAME=VALUE"),
            ("jda, ridge=-1", "ridge must be a number greater than 0, but it is -1"),
            ("tsl, max_iter=3", "there is no parameter 'max_iter' of tsl"),
        ],
    )
    def test_refuses_what_cannot_be_built_when_it_is_made(self, text, message):
        with pytest.raises(UsageError, match=message):
            MethodSpec.parse(text)

    def test_survives_pickling(self):
        spec = MethodSpec("dicd+tsrp", {"trust": 0.8}, "unit")
        assert pickle.loads(pickle.dumps(spec)) == spec

    @pytest.mark.parametrize("name", CLASSIFIERS)
    def test_knows_a_classifier_by_the_name_that_makes_it(self, name):
        spec = MethodSpec.parse(f"dicd+tsrp, classifier={name}, strong_classifier={name}")
        assert MethodSpec.of(spec.build()) == spec

    def test_takes_numbers_of_numpy_and_classifiers_as_objects_that_have_a_name(self):
        spec = MethodSpec("jda", {"n_components": np.int64(5), "ridge": np.float32(0.5), "classifier": SVC()})
        assert spec == MethodSpec("jda", {"n_components": 5, "ridge": 0.5, "classifier": "SVM"})
        assert MethodSpec("jda", {"classifier": "1nn"}) == MethodSpec("jda")
        with pytest.raises(WrongTypeError, match="classifier must be the name of a classifier"):
            MethodSpec("jda", {"classifier": SVC(C=3)})

    def test_cannot_be_changed(self):
        settings: Any = MethodSpec("jda", {"ridge": 1}).settings
        with pytest.raises(TypeError):
            settings["ridge"] = 2

    def test_refuses_a_setting_that_contradicts_its_name(self):
        with pytest.raises(UsageError, match=r"picker=tree contradicts jda\+tsrp_n, which is picker=neighbours"):
            MethodSpec("jda+tsrp_n", {"picker": "tree"})

    @pytest.mark.parametrize("arguments", [(None,), ("jda", None), ("jda", {}, None)])
    def test_refuses_other_types(self, arguments):
        with pytest.raises(WrongTypeError, match="a MethodSpec needs a name"):
            MethodSpec(*arguments)


@pytest.mark.parametrize("name", ["spl", "spl+tsrp"])
def test_1nn_is_a_choice_where_the_method_has_a_classifier_of_its_own(name):
    spec = MethodSpec(name, {"classifier": "1nn"})
    assert "classifier=NearestNeighbour()" in repr(spec.build())
    assert spec != MethodSpec(name)
    assert MethodSpec.parse(str(spec)) == MethodSpec.from_record(name, spec.record) == spec
    assert MethodSpec("jda", {"classifier": "1nn"}) == MethodSpec("jda")
