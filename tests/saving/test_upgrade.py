"""Models that were saved in the first version of the format."""

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


def as_version_1(path):
    """The file as the first version would have written it."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest["version"] = 1
    text = json.dumps(manifest, indent=1).replace('"max_steps"', '"max_iter"').encode()
    members |= {"manifest.json": text, "manifest.sha256": hashlib.sha256(text).hexdigest().encode()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


@pytest.mark.parametrize("method", [TSL(), DTSL(), TJM(n_components=5), TSRP(TJM(n_components=5))], ids=repr)
def test_a_model_of_version_1_is_one_of_this_version(method, tmp_path):
    Xs, ys, Xt, _ = make_domains()
    model = PerDomain(StandardScaler(), method).fit(Xs, ys, Xt)
    model.save(tmp_path / "model.tsrp")
    as_version_1(tmp_path / "model.tsrp")
    loaded = tsrp.load(tmp_path / "model.tsrp")
    assert repr(clone(loaded)) == repr(clone(model))
    np.testing.assert_array_equal(loaded.predict(Xt), model.labels_)
    np.testing.assert_array_equal(clone(loaded).fit(Xs, ys, Xt).labels_, model.labels_)
