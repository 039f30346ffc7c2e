"""What is saved is loaded as it was, and every file that is not such a model gets one sentence."""

import hashlib
import json
import pickle
import warnings
import zipfile

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import decomposition
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

import tsrp
from tests.support.every_method import METHODS
from tsrp import JDA, NN, TSRP, GraphRidge, KernelRidge, Panel, PerDomain, RowScaler, SoftScaler
from tsrp.exceptions import InputError, OutputError, UsageError, WrongTypeError

PREPROCESSED = PerDomain(make_pipeline(Normalizer("l1"), StandardScaler()), TSRP(JDA(5)))


@pytest.fixture
def fitted(domains):
    Xs, ys, Xt, _ = domains
    return TSRP(JDA(n_components=5)).fit(Xs, ys, Xt)


@pytest.fixture
def saved(fitted, tmp_path):
    path = tmp_path / "model.tsrp"
    fitted.save(path)
    return path


def rewritten(path, *, checksums=True, sign_arrays=False, **changes):
    """The file with some members replaced by what a function makes of them, checksums made right again or not."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, change in changes.items():
        name = {"manifest": "manifest.json", "array": "arrays/0.npy"}[name]
        members[name] = change(members[name])
    if sign_arrays:
        manifest = json.loads(members["manifest.json"])
        manifest["arrays"] = [hashlib.sha256(members[f"arrays/{i}.npy"]).hexdigest() for i in range(len(members) - 2)]
        members["manifest.json"] = json.dumps(manifest).encode()
    if checksums:
        members["manifest.sha256"] = hashlib.sha256(members["manifest.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def refused(path, *words):
    with pytest.raises(InputError) as caught:
        tsrp.load(path)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert len(sentence) <= 400 + len(str(path))
    assert "\n" not in sentence
    for word in words:
        assert word in sentence


CLASSIFIERS = {
    "kernel ridge": NN(classifier=KernelRidge()),
    "landmarks": PerDomain(RowScaler(), NN(classifier=KernelRidge(n_landmarks=20))),
    "soft": PerDomain(SoftScaler(), NN(unit_rows=True)),
    "pipeline of scikit-learn": TSRP(make_pipeline(StandardScaler(), decomposition.PCA(4))),
    "strong graph ridge": TSRP(JDA(5), strong_classifier=GraphRidge(mu="auto")),
}


@pytest.mark.parametrize(
    "model", [*METHODS.values(), PREPROCESSED, *CLASSIFIERS.values()], ids=[*METHODS, "preprocessed", *CLASSIFIERS]
)
def test_a_loaded_model_answers_as_the_saved_one(model, domains, tmp_path):
    Xs, ys, Xt, _ = domains
    model = clone(model).fit(Xs, np.array(["ant", "bee", "cat", "dog"])[ys], Xt)
    model.save(tmp_path / "model.tsrp")
    loaded = tsrp.load(tmp_path / "model.tsrp")
    assert repr(loaded) == repr(model)
    new = np.vstack([Xs, Xt])
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    for name in ("labels", "probability", "trust", "confident"):
        ours, theirs = (getattr(m.predict_confidence(new), name) for m in (loaded, model))
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(loaded.trust_, model.trust_)
    assert loaded.estimated_accuracy_ == model.estimated_accuracy_
    assert loaded.to_frame().equals(model.to_frame())
    assert loaded.n_features_in_ == 12
    for ours, theirs in zip(loaded.history_, model.history_, strict=True):
        np.testing.assert_array_equal(ours.crude, theirs.crude)
        assert (ours.n_confident, ours.n_moved) == (theirs.n_confident, theirs.n_moved)


def test_the_same_model_is_the_same_file(saved, tmp_path):
    tsrp.load(saved).save(tmp_path / "again.tsrp")
    assert (tmp_path / "again.tsrp").read_bytes() == saved.read_bytes()


@pytest.mark.parametrize("model", [TSRP(JDA(5)), Panel("quick", n_jobs=2)], ids=repr)
def test_the_same_fit_is_the_same_file_however_long_it_took(model, domains, tmp_path):
    Xs, ys, Xt, _ = domains
    for name in ("first.tsrp", "second.tsrp"):
        clone(model).fit(Xs, ys, Xt).save(tmp_path / name)
    assert (tmp_path / "first.tsrp").read_bytes() == (tmp_path / "second.tsrp").read_bytes()
    assert np.isnan(tsrp.load(tmp_path / "first.tsrp").history_[0].seconds)


def test_a_file_holds_no_pickle(saved):
    with zipfile.ZipFile(saved) as archive:
        json.loads(archive.read("manifest.json"))
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        assert names
        for name in names:
            with archive.open(name) as member:
                np.lib.format.read_array(member, allow_pickle=False)


def test_names_of_features_and_of_rows_are_kept(domains, tmp_path):
    Xs, ys, Xt, _ = domains
    names = [f"f{i}" for i in range(12)]
    index = pd.date_range("2026-01-01", periods=len(Xt))
    model = NN().fit(pd.DataFrame(Xs, columns=names), ys, pd.DataFrame(Xt, columns=names, index=index))
    model.save(tmp_path / "model.tsrp")
    loaded = tsrp.load(tmp_path / "model.tsrp")
    assert loaded.feature_names_in_.tolist() == names
    assert loaded.to_frame().index.tolist() == [str(day) for day in index]
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(pd.DataFrame(Xt, columns=names[::-1]))


def test_report_of_a_loaded_model_says_what_is_missing(saved, tmp_path):
    with pytest.raises(ValueError, match="the data of its fit stayed behind"):
        tsrp.load(saved).report(tmp_path / "report.html")


def test_pickle_and_joblib_work_as_well(fitted, domains, tmp_path):
    joblib.dump(fitted, tmp_path / "model.joblib")
    for loaded in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model.joblib")):
        judged = loaded.predict_confidence(domains[2])
        np.testing.assert_array_equal(judged.probability, fitted.predict_confidence(domains[2]).probability)
        assert not hasattr(loaded, "fit_record_")


def test_an_existing_file_is_replaced_only_if_asked(fitted, saved):
    before = saved.read_bytes()
    with pytest.raises(OutputError, match="exists"):
        fitted.save(saved)
    fitted.save(saved, overwrite=True)
    assert saved.read_bytes() == before


def test_a_part_without_a_place_leaves_no_file(domains, tmp_path):
    from sklearn.ensemble import RandomForestClassifier

    Xs, ys, Xt, _ = domains
    model = NN(classifier=RandomForestClassifier(3, random_state=0)).fit(Xs, ys, Xt)
    with pytest.raises(TypeError, match=r"RandomForestClassifier, which the file format has no place for: use joblib"):
        model.save(tmp_path / "model.tsrp")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"a", b"a,b\n1,2\n", pickle.dumps({"a": 1}), b"PK", b"PK\x03\x04 and more"])
def test_a_foreign_file_is_refused(content, tmp_path):
    path = tmp_path / "model.tsrp"
    path.write_bytes(content)
    refused(path)


def test_a_foreign_archive_is_refused(tmp_path):
    np.savez(tmp_path / "arrays.npz", X=np.ones(3))
    refused(tmp_path / "arrays.npz", "is not a model saved by tsrp")
    with zipfile.ZipFile(tmp_path / "other.tsrp", "w") as archive:
        archive.writestr("manifest.json", '{"format": "something else"}')
    refused(tmp_path / "other.tsrp", "is not a model saved by tsrp")


def test_a_folder_and_a_missing_file_are_refused(tmp_path):
    refused(tmp_path, "is a folder")
    refused(tmp_path / "model.tsrp", "does not exist")


@pytest.mark.parametrize("share", [0.01, 0.3, 0.9, 0.999])
def test_a_truncated_file_is_refused(saved, share):
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(share * len(whole))])
    refused(saved, "cut short")


@pytest.mark.parametrize(("number", "advice"), [(3, "fit and save it again"), (7, "upgrade tsrp")])
def test_a_file_of_another_format_says_what_to_do(saved, number, advice):
    rewritten(saved, manifest=lambda text: text.replace(b'"version": 4', b'"version": %d' % number))
    refused(saved, f"format {number}", "reads format 4", advice)


@pytest.mark.parametrize("writer", ["\x1b[2J", "9" * 5000, {"a": 1}], ids=["escapes", "long", "object"])
def test_what_wrote_a_newer_file_is_shown_only_if_it_is_a_version(saved, writer):
    forged(saved, ["version"], 7)
    forged(saved, ["written by", "tsrp"], writer)
    refused(saved, "written by tsrp ?,")


def test_a_changed_array_or_manifest_is_noticed(saved):
    original = saved.read_bytes()
    rewritten(saved, array=lambda data: data[:-1] + bytes([data[-1] ^ 1]))
    refused(saved, "was changed after it was saved (arrays/0.npy")
    saved.write_bytes(original)
    rewritten(saved, manifest=lambda text: text.replace(b'"trust": 0.9', b'"trust": 0.1'), checksums=False)
    refused(saved, "was changed after it was saved (manifest.json")


@pytest.mark.parametrize("name", ["os.system", "builtins.eval", "tsrp.Nonsense"])
def test_classes_that_are_no_part_of_a_model_are_never_looked_up(saved, name):
    rewritten(saved, manifest=lambda text: text.replace(b'"tsrp.LinearMap"', f'"{name}"'.encode()))
    refused(saved, f"'{name}' is not a part of a saved model")


def test_an_array_of_objects_is_never_unpickled(saved):
    class Bomb:
        def __reduce__(self):
            return print, ("exploded",)

    import io

    buffer = io.BytesIO()
    np.save(buffer, np.array([Bomb()], dtype=object), allow_pickle=True)
    data = buffer.getvalue()

    def renamed(text):
        manifest = json.loads(text)
        manifest["arrays"][0] = hashlib.sha256(data).hexdigest()
        return json.dumps(manifest).encode()

    rewritten(saved, array=lambda _: data, manifest=renamed)
    refused(saved, "Object arrays cannot be loaded")


def test_compressed_members_are_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    refused(saved, "is not a model saved by tsrp")


def test_a_part_that_is_no_model_is_refused(saved):
    def only_the_map(text):
        manifest = json.loads(text)
        manifest["model"] = manifest["model"]["state"]["mapping_"]
        return json.dumps(manifest).encode()

    refused(rewritten(saved, manifest=only_the_map), "'tsrp.LinearMap' is not a part of a saved model, or not in this")


def forged(path, place, value):
    """The file with one value of the model replaced (... removes it), under checksums that are right."""

    def change(text):
        manifest = json.loads(text)
        owner = manifest
        for key in place[:-1]:
            owner = owner[key]
        if value is ...:
            del owner[place[-1]]
        else:
            owner[place[-1]] = value
        return json.dumps(manifest).encode()

    return rewritten(path, manifest=change)


@pytest.mark.parametrize("version", [0, -1, 1.0, 0.5, True, "1", None, [1], float("nan")])
def test_a_version_that_is_no_number_of_a_format_is_refused(saved, version):
    refused(forged(saved, ["version"], version))


@pytest.mark.parametrize("name", ["arrays/999.npy", "notes.txt", "manifest.json", "arrays/0.npy"])
def test_members_that_are_surplus_or_repeated_are_refused(saved, name):
    with zipfile.ZipFile(saved, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile's own, of a name that is there already
        archive.writestr(name, archive.read(name) if name in archive.namelist() else b"x")
    refused(saved, "is not a model saved by tsrp")


@pytest.mark.parametrize("constant", [b"NaN", b"Infinity", b"-Infinity"])
def test_numbers_that_json_lacks_are_refused(saved, constant):
    def change(text):
        return text.replace(b'"version": 4', b'"version": 4, "x": ' + constant)

    refused(rewritten(saved, manifest=change), f"{constant.decode()} is not a value of JSON")


def test_repeated_keys_are_refused(saved):
    refused(rewritten(saved, manifest=lambda text: text.replace(b"{", b'{"format": "x",', 1)), "is repeated")


def test_more_than_an_array_in_its_member_is_refused(saved):
    def resign(text):
        manifest = json.loads(text)
        with zipfile.ZipFile(saved) as archive:
            manifest["arrays"][0] = hashlib.sha256(archive.read("arrays/0.npy") + b"x").hexdigest()
        return json.dumps(manifest).encode()

    refused(rewritten(saved, manifest=resign, array=lambda data: data + b"x"), "holds more than an array")


def _set(part, name, value):
    """An attribute, also of a frozen dataclass."""
    vars(part)[name] = value


UNFIT = {
    "NaN in signals": (TSRP(JDA(5)), lambda model: model.evidence_.means.directions.fill(np.nan)),
    "NaN in coefficients": (NN(classifier=LogisticRegression()), lambda model: model.classifier_.coef_.fill(np.nan)),
    "NaN in support vectors": (NN(classifier=SVC()), lambda model: model.classifier_._dual_coef_.fill(np.nan)),
    "a precomputed kernel": (NN(classifier=SVC()), lambda model: _set(model.classifier_, "kernel", "precomputed")),
    "trust in words": (NN(), lambda model: _set(model.evidence_, "trust", model.evidence_.trust.astype("S4"))),
    "votes without classes": (Panel("quick", n_jobs=1), lambda model: _set(model, "votes_", model.votes_[:, 0])),
    "many threads": (NN(classifier=KNeighborsClassifier()), lambda model: _set(model.classifier_, "n_jobs", 65)),
}


@pytest.mark.parametrize(("model", "spoil"), UNFIT.values(), ids=UNFIT)
def test_a_model_that_could_not_be_loaded_is_not_saved(model, spoil, domains, tmp_path):
    Xs, ys, Xt, _ = domains
    model = clone(model).fit(Xs, ys, Xt)
    _ = model.calibration_
    spoil(model)
    with pytest.raises(
        UsageError, match=r"cannot be saved, as it could not be loaded again|has no place for"
    ) as caught:
        model.save(tmp_path / "model.tsrp")
    assert len(str(caught.value)) <= 400
    assert list(tmp_path.iterdir()) == []


def test_an_attribute_of_the_users_own_is_not_dropped_silently(fitted, tmp_path):
    fitted.note = "by hand"
    with pytest.raises(WrongTypeError, match=r"TSRP\.note is 'by hand', which the file format has no place for"):
        fitted.save(tmp_path / "model.tsrp")


def test_a_part_without_its_data_is_not_saved(domains, tmp_path):
    Xs, ys, Xt, _ = domains
    model = PerDomain(StandardScaler(), NN()).fit(Xs, ys, Xt)
    with pytest.raises(UsageError, match="part of another model"):
        model.method_.save(tmp_path / "model.tsrp")
