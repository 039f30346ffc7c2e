"""Models that were saved in earlier versions of the format."""

import hashlib
import json
import zipfile

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import tsrp
from tests.support.domains import make_domains
from tsrp import DTSL, TJM, TSL, TSRP, PerDomain
from tsrp.saving.checks import ASSESSMENT


def as_version(number, path):
    """The file as an earlier version would have written it, with UTSP's picks and without probabilities."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest["version"] = number
    for name in ASSESSMENT:
        del manifest["model"]["part"]["state"][name]
    picks = {"part": {"class": "tsrp.Trusted", "state": {"thresholds": {"list": []}}}}
    manifest["model"]["part"]["state"]["method_"]["part"]["state"] |= {"trusted_": picks, "confident_": {"list": []}}
    text = json.dumps(manifest, indent=1)
    data = (text.replace('"max_steps"', '"max_iter"') if number == 1 else text).encode()
    members |= {"manifest.json": data, "manifest.sha256": hashlib.sha256(data).hexdigest().encode()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("method", [TSL(), DTSL(), TJM(n_components=5), TSRP(TJM(n_components=5))], ids=repr)
def test_a_model_of_an_earlier_version_labels_as_one_of_this_version(method, version, tmp_path):
    Xs, ys, Xt, _ = make_domains()
    model = PerDomain(StandardScaler(), method).fit(Xs, ys, Xt)
    model.save(tmp_path / "model.tsrp")
    as_version(version, tmp_path / "model.tsrp")
    loaded = tsrp.load(tmp_path / "model.tsrp")
    assert repr(clone(loaded)) == repr(clone(model))
    np.testing.assert_array_equal(loaded.predict(Xt), model.labels_)
    with pytest.raises(ValueError, match="saved by an earlier version"):
        loaded.predict_confidence(Xt)
    np.testing.assert_array_equal(clone(loaded).fit(Xs, ys, Xt).labels_, model.labels_)
