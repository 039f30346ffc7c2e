"""COIL20: twenty objects on a turntable; each domain has half of the angles."""

from __future__ import annotations

from typing import Any

from tsrp.datasets.catalogue.readers import arrays
from tsrp.datasets.record import DataFile, Dataset, FileDomain

# The paper's task COIL1 -> COIL2 is this file from X_src to X_tar. COIL_1.mat of the same origin holds the same
# samples with the sides exchanged; other papers call COIL1 what is COIL2 here.
_FILE = DataFile(
    "COIL_2.mat",
    "AngryCarrot/JDA/12167daf32b01a07b85fdfa3db57a42b3be7eefe/data/COIL_2.mat",
    "61a351ef5fafeb97e14faef6108c5f2c6f7d50e255057773f9ffc046e03d8082",
    "7a3281ce70f4bf5a6220807ded367053ce9c8e37",
    3016146,
)
_LINEAR: dict[str, Any] = {"kernel": "linear", "ridge": 1.0}
_PRIMAL: dict[str, Any] = {"kernel": "primal", "ridge": 0.1}

COIL20 = Dataset(
    name="coil20",
    title="COIL20",
    type="object",
    domains={
        "COIL1": FileDomain(720, _FILE, arrays("X_src", "Y_src")),
        "COIL2": FileDomain(720, _FILE, arrays("X_tar", "Y_tar")),
    },
    tasks=(("COIL1", "COIL2"), ("COIL2", "COIL1")),
    n_features=1024,
    class_names={number: f"object {number}" for number in range(1, 21)},
    licence="none stated with the file; the original images are for research",
    citation="Nene, Nayar and Murase: Columbia Object Image Library (COIL-20). Report CUCS-005-96, 1996.",
    origin="grey images of 32 x 32, as used by Long et al. (JDA, ICCV 2013)",
    settings={
        "jda": _LINEAR,
        "bda": _LINEAR,
        "dicd": {"kernel": "linear", "ridge": 0.1, "discrimination": 1.0, "repulsion": 0.1},
        "pca": {"preprocess": "unit"},
        "gfk": {"preprocess": "unit", "n_components": 100},
        "meda": {"preprocess": "row-zscore"},
        "tca": {"preprocess": "unit", **_PRIMAL},
        "tjm": {**_LINEAR, "n_components": 100},
    },
    trust={"nn": 0.9, "jda": 0.9, "bda": 0.9, "dicd": 0.9},
)
