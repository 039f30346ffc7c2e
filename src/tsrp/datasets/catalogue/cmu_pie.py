"""CMU-PIE: the faces of 68 people in five poses."""

from __future__ import annotations

from typing import Any

from tsrp.datasets.catalogue.readers import arrays
from tsrp.datasets.record import DataFile, Dataset, FileDomain

_JDA = "AngryCarrot/JDA/12167daf32b01a07b85fdfa3db57a42b3be7eefe/data"
_POSES = {
    "C05": (3332, "db61f06a3086eeaefeea42100111ead4f754235b"),
    "C07": (1629, "b2dc1f6d6f3278408186a86656d01f258fe4938c"),
    "C09": (1632, "425b797344268cf32b79aefa527766234fa0faa9"),
    "C27": (3329, "312acb96889511bd2496bf5ce561b94cea841e48"),
    "C29": (1632, "117c99938c1abd82a2313b0d6b8e2da7d5ad57d2"),
}
_PRIMAL: dict[str, Any] = {"kernel": "primal", "ridge": 0.1}


def _file(pose: str, blob: str) -> DataFile:
    name = f"PIE{pose.removeprefix('C')}.mat"
    return DataFile(name, f"{_JDA}/{name}", blob=blob)


CMU_PIE = Dataset(
    name="cmu-pie",
    title="CMU-PIE",
    domains={pose: FileDomain(size, _file(pose, blob), arrays("fea", "gnd")) for pose, (size, blob) in _POSES.items()},
    tasks=tuple((source, target) for source in _POSES for target in _POSES if source != target),
    n_features=1024,
    class_names={person: f"person {person}" for person in range(1, 69)},
    licence="none stated with the file; the original images are for research",
    citation="Sim, Baker and Bsat: The CMU pose, illumination, and expression database. IEEE TPAMI 2003.",
    origin="grey images of 32 x 32, as used by Long et al. (JDA, ICCV 2013)",
    preprocess="unit",
    settings={
        "jda": _PRIMAL,
        "bda": _PRIMAL,
        "dicd": {**_PRIMAL, "discrimination": 1.0, "repulsion": 1.0},
        "gfk": {"n_components": 100},
        "tca": _PRIMAL,
        "tjm": {"kernel": "linear", "ridge": 1.0, "n_components": 100},
    },
    trust={"nn": 0.9, "jda": 0.85, "bda": 0.85, "dicd": 0.9},
)
