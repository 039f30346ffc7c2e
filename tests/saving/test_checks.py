"""A forged model is refused when it is loaded, also where the samples of the trial do not come to what is wrong."""

import io
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.saving.test_archive import forged, refused, rewritten
from tsrp import JDA, NN, Panel
from tsrp.classifiers.forest import Forest
from tsrp.memory import limited_memory
from tsrp.selection.heads import Head


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.tsrp"


@pytest.fixture
def forest(domains):
    Xs, ys, Xt, _ = domains
    return NN(classifier=Forest(3)).fit(Xs, ys, Xt)


def endless(forest):
    forest._children[:, 1] = 0
    forest._children[:, 0] = 1
    forest._depth = 10**15


def too_deep(forest):
    forest._depth = 10**15


def last_child_of_nobody(forest):
    forest._children[1, -1] = len(forest._thresholds)


def last_feature_beyond(forest):
    forest._features[-1] = forest.n_features_in_


def last_leaf_beyond(forest):
    forest._leaves[-1] = len(forest._shares)


def negative_leaf(forest):
    forest._leaves[-1] = -1


def root_beyond(forest):
    forest._roots[-1] = len(forest._thresholds)


def roots_of_fractions(forest):
    forest._roots = forest._roots.astype(float)


def fewer_thresholds(forest):
    forest._thresholds = forest._thresholds[:-1]


def shares_of_fewer_classes(forest):
    forest._shares = forest._shares[:, :-1]


@pytest.mark.parametrize(
    "forge",
    [
        endless,
        too_deep,
        last_child_of_nobody,
        last_feature_beyond,
        last_leaf_beyond,
        negative_leaf,
        root_beyond,
        roots_of_fractions,
        fewer_thresholds,
        shares_of_fewer_classes,
    ],
)
def test_trees_that_lead_nowhere_are_refused(forest, path, forge):
    forge(forest.classifier_)
    forest.save(path)
    refused(path, "cannot be read as a saved model")


def test_a_single_wrong_neighbour_of_a_panels_member_is_refused(domains, path):
    Xs, ys, Xt, _ = domains
    panel = Panel("quick", n_jobs=1).fit(Xs, ys, Xt)
    voters = [voter.model for voter in panel.voters_]
    classifier = next(own.classifier_ for own in voters if type(own.classifier_).__name__ == "NearestNeighbour")
    classifier._codes[-1] = 99
    panel.save(path)
    refused(path, "the neighbours are not of the model's classes")


@pytest.mark.parametrize("factors", [[1.0, 1.0], [1.0, 1.0, np.nan], [1.0, 1.0, 0.0], [1.0, 1.0, -1.0]], ids=str)
def test_factors_of_a_panels_classes_that_are_none_are_refused(domains, path, factors):
    Xs, ys, Xt, _ = domains
    panel = Panel("quick", n_jobs=1).fit(Xs, ys, Xt)
    panel.class_factors_ = np.array(factors)
    panel.save(path)
    refused(path)


def _of_another_class(panel):
    panel.student_.classes_ = panel.student_.classes_ + 99


def _without_end(panel):
    panel.student_._children[:] = 0


def _of_other_features(panel):
    panel.student_.n_features_in_ += 1


def _of_no_weight(panel):
    panel.student_weight_ = np.nan


def _with_all_doubt(panel):
    panel.doubt_ = 1.1


def _without_probabilities(panel):
    member = next(voter.model for voter in panel.voters_ if voter.name == "logistic regression, soft")
    member.classifier_.intercept_[:] = np.nan


@pytest.mark.parametrize(
    "forge",
    [
        _of_another_class,
        _without_end,
        _of_other_features,
        _of_no_weight,
        _with_all_doubt,
        _without_probabilities,
    ],
)
def test_a_panel_whose_student_or_members_do_not_belong_to_it_is_refused(domains, path, forge):
    Xs, ys, Xt, _ = domains
    panel = Panel("quick", n_jobs=1).fit(Xs, ys, Xt)
    forge(panel)
    panel.save(path)
    refused(path, "cannot be read as a saved model")


def test_a_method_with_another_classifier_on_top_is_looked_at_too(domains, path):
    Xs, ys, Xt, _ = domains
    model = Head(JDA(5), LogisticRegression()).fit(Xs, ys, Xt)
    model.classifier_.coef_ = model.classifier_.coef_[:, :-1]
    model.save(path)
    refused(path, "it labels no sample")


def test_a_model_of_more_features_than_it_has_numbers_is_refused(domains, path):
    Xs, ys, Xt, _ = domains
    NN().fit(Xs, ys, Xt).save(path)
    forged(path, ["model", "part", "state", "n_features_in_"], 10**9)
    refused(path, "it holds nothing of 1,000,000,000 features")


def test_elements_of_no_bytes_are_refused(domains, path):
    Xs, ys, Xt, _ = domains
    NN().fit(Xs, ys, Xt).save(path)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|S0", "fortran_order": False, "shape": (10**12,)})
    rewritten(path, array=lambda _: header.getvalue(), sign_arrays=True)
    refused(path, "holds more than an array")


def test_members_that_overlap_are_refused(domains, path):
    Xs, ys, Xt, _ = domains
    NN().fit(Xs, ys, Xt).save(path)
    with zipfile.ZipFile(path, "a") as archive:
        for member in archive.infolist():
            member.file_size = member.compress_size = path.stat().st_size // 2
        # Its table of contents is written again.
        vars(archive)["_didModify"] = True
    refused(path, "its members overlap")


def test_wide_texts_that_are_listed_but_not_used_fill_no_memory(domains, path):
    Xs, ys, Xt, _ = domains
    NN().fit(Xs, np.array(["ant", "bee", "cat", "dog"])[ys], Xt).save(path)
    many = b'"dog"' + b',""' * 999
    rewritten(path, manifest=lambda text: text.replace(b'"<U3"', b'"<U99999"').replace(b'"dog"', many))
    with limited_memory("300MB"):
        refused(path, "does not fit into memory")
