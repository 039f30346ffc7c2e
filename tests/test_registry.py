"""Methods and parameters by name."""

import pytest
from sklearn.svm import SVC

from tsrp import BDA, DICD, JDA, NN, TSRP
from tsrp.registry import methods
from tsrp.spec import CLASSIFIERS, PREPROCESSING, WRAPPERS, defaults, make_method, parse_settings


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
        ("dcid", {}, "there is no method 'dcid'; there are bda, cdml, dicd, .*. Did you mean 'dicd'?"),
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
