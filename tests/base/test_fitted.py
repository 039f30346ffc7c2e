"""What a fitted model hands out beside arrays."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

import tsrp
from tsrp import JDA, NN, TSRP, PerDomain
from tsrp.exceptions import OutputError

MODELS = {
    "TSRP": TSRP(JDA(n_components=5)),
    "plain": NN(),
    "per domain": PerDomain(StandardScaler(), TSRP(JDA(n_components=5))),
}
every_kind = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def frames(domains):
    Xs, ys, Xt, _ = domains
    names = [f"f{i}" for i in range(Xs.shape[1])]
    index = [f"sample {i}" for i in range(len(Xt))]
    return pd.DataFrame(Xs, columns=names), pd.Series(ys), pd.DataFrame(Xt, columns=names, index=index)


@every_kind
class TestFrames:
    def test_labels_come_with_the_targets_index(self, model, domains):
        source, labels, target = frames(domains)
        table = model.fit(source, labels, target).to_frame()
        assert table.index.equals(target.index)
        assert table.columns.tolist() == ["label", "probability", "confident"]
        np.testing.assert_array_equal(table["label"], model.labels_)
        np.testing.assert_array_equal(table["probability"], model.probability_)
        np.testing.assert_array_equal(table["confident"], model.confident_)
        np.testing.assert_array_equal(model.to_frame(confident_at=0.5)["confident"], model.probability_ >= 0.5)
        assert pickle.loads(pickle.dumps(model)).to_frame().equals(table)

    def test_arrays_get_row_numbers(self, model, domains):
        Xs, ys, Xt, _ = domains
        model.fit(*frames(domains)).fit(Xs, ys, Xt)
        assert model.to_frame().index.equals(pd.RangeIndex(len(Xt)))

    def test_transform_gives_frames_if_asked(self, model, domains):
        source, labels, target = frames(domains)
        plain = model.fit(source, labels, target).transform(target)
        assert isinstance(plain, np.ndarray)
        try:
            projected = model.set_output(transform="pandas").transform(target)
        finally:
            model.set_output(transform="default")
        assert isinstance(projected, pd.DataFrame)
        assert projected.index.equals(target.index)
        assert projected.columns.tolist() == model.get_feature_names_out().tolist()
        assert len(projected.columns) == plain.shape[1]
        np.testing.assert_array_equal(projected.to_numpy(), plain)

    def test_a_pickle_leaves_the_training_data_behind(self, model, domains):
        Xs, ys, Xt, _ = domains
        model.fit(Xs, ys, Xt)
        assert not hasattr(pickle.loads(pickle.dumps(model)), "fit_record_")
        assert hasattr(model, "fit_record_")


@pytest.mark.parametrize("product", ["to_frame", "report", "save"])
def test_asks_to_be_fitted_first(product, tmp_path):
    with pytest.raises(NotFittedError):
        getattr(NN(), product)(*([] if product == "to_frame" else [tmp_path / "x.html"]))


def test_a_fit_that_fails_leaves_no_data_of_an_earlier_one(domains):
    Xs, ys, Xt, _ = domains
    model = NN().fit(*frames(domains))
    with pytest.raises(ValueError, match="Xt: 600 values"):
        model.fit(Xs, ys, Xt * np.nan)
    assert not hasattr(model, "fit_record_")
    assert not hasattr(model, "target_index_")


def test_parameters_of_numpys_types_can_be_saved(domains, tmp_path):
    Xs, ys, Xt, _ = domains
    JDA(n_components=np.int64(5), ridge=np.float32(1)).fit(Xs, ys, Xt).save(tmp_path / "model.tsrp")
    assert tsrp.load(tmp_path / "model.tsrp").n_components == 5


def test_a_device_is_never_replaced(domains):
    Xs, ys, Xt, _ = domains
    with pytest.raises(OutputError, match="is not a regular file"):
        NN().fit(Xs, ys, Xt).save("/dev/null", overwrite=True)
