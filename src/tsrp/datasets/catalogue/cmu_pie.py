"""CMU-PIE: the faces of 68 people in five poses."""

from __future__ import annotations

from typing import Any

from tsrp.datasets.catalogue.readers import arrays
from tsrp.datasets.record import Copy, DataFile, Dataset, FileDomain

_JDA = "AngryCarrot/JDA/12167daf32b01a07b85fdfa3db57a42b3be7eefe/data"
# Samples, git's id of the published file, and SHA-256 of the one that was rebuilt from JPEG images.
_POSES = {
    "C05": (
        3332,
        "db61f06a3086eeaefeea42100111ead4f754235b",
        "2023c84f0e31a679e399146b10320c8db257b90ea8cafb9e26089be8ea6dc8a8",
    ),
    "C07": (
        1629,
        "b2dc1f6d6f3278408186a86656d01f258fe4938c",
        "db8459fcb0fc5ef3ff43bbc60158f5e32cefff56f0d7e4258932fd33e266b98a",
    ),
    "C09": (
        1632,
        "425b797344268cf32b79aefa527766234fa0faa9",
        "10d281e06573711a1984c820a8ce26f93abc45ef04cebe5a0abdca7d874e9afe",
    ),
    "C27": (
        3329,
        "312acb96889511bd2496bf5ce561b94cea841e48",
        "c8e62a8fadccbe45cd79f8ab9c286f5e8934b931156cc3bb2001840167b81182",
    ),
    "C29": (
        1632,
        "117c99938c1abd82a2313b0d6b8e2da7d5ad57d2",
        "194fc8077632744b26cac38dc9d64297e88ce919502789886c99201356ab45d3",
    ),
}
_REBUILT = "rebuilt from JPEG images, near the published ones but not equal"
_PRIMAL: dict[str, Any] = {"kernel": "primal", "ridge": 0.1}


def _domain(pose: str) -> FileDomain:
    n_samples, blob, rebuilt = _POSES[pose]
    name = f"PIE{pose.removeprefix('C')}.mat"
    file = DataFile(name, f"{_JDA}/{name}", blob=blob, copy=Copy(_REBUILT, rebuilt, "cmu-pie-jpeg"))
    return FileDomain(n_samples, file, arrays("fea", "gnd"))


CMU_PIE = Dataset(
    name="cmu-pie",
    title="CMU-PIE",
    type="face",
    domains={pose: _domain(pose) for pose in _POSES},
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
        # Z-scores and less exact steps: each takes seconds at 3,300 x 3,300 pairs.
        "dtsl": {"preprocess": "zscore", "growth": 1.3, "tolerance": 1e-3},
        "tjm": {"kernel": "linear", "ridge": 1.0, "n_components": 100},
    },
    # The method's own defaults on other features: above what was published with any setting.
    variants={
        "dicd": {
            "z-scores": {
                "preprocess": "rowsum-zscore",
                "kernel": "linear",
                "ridge": 1.0,
                "discrimination": 1.0,
                "repulsion": 0.1,
            }
        }
    },
    trust={"nn": 0.9, "jda": 0.85, "bda": 0.85, "dicd": 0.9},
)
