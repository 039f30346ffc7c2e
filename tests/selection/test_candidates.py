"""What a search chooses from."""

import pytest
from sklearn import decomposition
from sklearn.preprocessing import StandardScaler

from tsrp import DICD, JDA, NN, TSRP, PerDomain
from tsrp.selection import Candidate, candidate_grid, default_candidates
from tsrp.spec import MethodSpec


def test_a_name_a_candidate_and_an_estimator_are_candidates():
    made = Candidate.named("jda", {"ridge": 0.1}, "zscore")
    assert Candidate.of(made) is made
    assert isinstance(Candidate.of(" DICD+TSRP ").estimator.base, DICD)
    ready = PerDomain(StandardScaler(), TSRP(JDA(5)))
    assert Candidate.of(ready).estimator is ready
    assert str(Candidate.of(ready)) == "jda+tsrp, n_components=5, zscore"
    assert Candidate.of(TSRP(decomposition.PCA(3))).method == "TSRP(base=PCA(n_components=3))"


@pytest.mark.parametrize("wrong", [3, NN, StandardScaler(), None])
def test_anything_else_is_refused(wrong):
    with pytest.raises(TypeError, match=r"candidates must hold names such as 'dicd\+tsrp'"):
        Candidate.of(wrong)


def test_the_default_candidates_begin_with_nn_and_have_the_single_default():
    names = [str(candidate) for candidate in default_candidates()]
    assert names[0] == "nn"
    assert "dicd+tsrp" in names
    assert len(set(names)) == len(names) == 18


def test_no_default_candidate_has_a_ridge_that_depends_on_the_number_of_samples():
    for candidate in default_candidates():
        assert ("ridge" in candidate.settings) == (candidate.settings.get("ridge_scale") == "relative")


def test_a_grid_gives_each_method_the_parameters_that_it_has():
    grid = candidate_grid(["nn", "JDA+tsrp"], {"ridge": [0.1, 1], "trust": [0.8, 0.9]}, ["none", "zscore"])
    assert [str(candidate) for candidate in grid[:5]] == [
        "nn",
        "jda+tsrp, ridge=0.1, trust=0.8",
        "jda+tsrp, ridge=0.1, trust=0.9",
        "jda+tsrp, ridge=1, trust=0.8",
        "jda+tsrp, ridge=1, trust=0.9",
    ]
    assert [candidate.preprocess for candidate in grid] == ["none"] * 5 + ["zscore"] * 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((["dcid"],), "there is no method 'dcid'"),
        ((["jda+tspr"],), "there is no wrapper 'tspr'"),
        ((["nn"], {"ridge": [1]}), "there is no parameter 'ridge' of nn"),
        ((["jda"], {"ridge": [-1]}), "ridge must be a number greater than 0"),
        ((["jda"], {}, ["wash"]), "there is no preprocessing 'wash'"),
    ],
)
def test_wrong_names_and_values_are_refused_before_any_work(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        candidate_grid(*arguments)


def test_an_estimator_that_names_can_describe_has_a_spec():
    candidate = Candidate.of(PerDomain(StandardScaler(), TSRP(DICD(n_components=20))))
    assert candidate.spec == MethodSpec("dicd+tsrp", {"n_components": 20}, "zscore")
    assert Candidate.of(TSRP(decomposition.PCA(3))).spec is None
