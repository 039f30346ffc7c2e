"""Office-Caltech: ten kinds of objects photographed by four sources, in three descriptions."""

from __future__ import annotations

from typing import Any

from tsrp.datasets.catalogue.readers import arrays
from tsrp.datasets.record import DataFile, Dataset, FileDomain

SIZES = {"C": 1123, "A": 958, "W": 295, "D": 157}
TASKS = tuple((source, target) for source in SIZES for target in SIZES if source != target)
CLASSES = dict(
    enumerate(
        (
            *("backpack", "bike", "calculator", "headphones", "keyboard"),
            *("laptop", "monitor", "mouse", "mug", "projector"),
        ),
        start=1,
    )
)
LICENCE = "none stated for the images; used for research"
IMAGES = "Gong, Shi, Sha and Grauman: Geodesic flow kernel for unsupervised domain adaptation. CVPR 2012."
LINEAR: dict[str, Any] = {"kernel": "linear", "ridge": 1.0}
DICD: dict[str, Any] = {**LINEAR, "discrimination": 1.0, "repulsion": 0.1}
TJM: dict[str, Any] = {**LINEAR, "n_components": 20}
# Of GFK's subspaces, from the comments of its authors' program.
GFK = {
    frozenset(pair): {"n_components": dimensions}
    for pair, dimensions in {"WD": 10, "DA": 20, "WA": 10, "CW": 20, "CD": 10, "CA": 20}.items()
}

_JDA = "AngryCarrot/JDA/12167daf32b01a07b85fdfa3db57a42b3be7eefe/data"
_CMMS = "LeiTian-qj/CMMS/1c7c45b858bd400b25c132d178c8e2f603074afc/data/Office-Caltech10"
_SURF_FILES = {
    "C": DataFile(
        "Caltech10_SURF_L10.mat",
        f"{_JDA}/Caltech10_SURF_L10.mat",
        "4f9334c8ced489d5054de97a5fd51a61f017f3bcd1f38c9a85c6d78cb9d7bda5",
        "c722e73ad53f8480bdf8bfe8447c4c91b82752fb",
        150751,
    ),
    "A": DataFile(
        "amazon_SURF_L10.mat",
        f"{_JDA}/amazon_SURF_L10.mat",
        "df32548b994e18d364c99e1f317e1fae100597259f0423a41b90f4f68187bb1f",
        "f7b9f80031fca5169388f05346ba7ac279280968",
        104970,
    ),
    "W": DataFile(
        "webcam_SURF_L10.mat",
        f"{_JDA}/webcam_SURF_L10.mat",
        "a6a9c78b4b7181dfbb58bcfd351d4ebd737f171c31247b8884948aa156d3f700",
        "81bb7794911595f6c452b9ae7749fb5c4fba57b4",
        32406,
    ),
    "D": DataFile(
        "dslr_SURF_L10.mat",
        f"{_JDA}/dslr_SURF_L10.mat",
        "44d673c68e1d07b837893aa74dba3b986e4a6cc3fd66f0dd357683bdef059216",
        "944902f10891e355beed167f54d14c345453e38b",
        18348,
    ),
}
_DECAF_FILES = {
    "C": DataFile("caltech_decaf.mat", f"{_CMMS}/caltech_decaf.mat", blob="0cbd7bfef812fc7d8275f1874eac53d6e703e27e"),
    "A": DataFile("amazon_decaf.mat", f"{_CMMS}/amazon_decaf.mat", blob="79a03a3befed86b5c02b8796a9054e7f9fd07af8"),
    "W": DataFile(
        "webcam_decaf.mat",
        f"{_CMMS}/webcam_decaf.mat",
        "e42207580fb1fadd3adba2504e1d8cff9620f464fca7536f9d7093f84c1459a3",
        "8a97157cd79b2dc35d998ad332cdd34f4f856d14",
        1407979,
    ),
    "D": DataFile(
        "dslr_decaf.mat",
        f"{_CMMS}/dslr_decaf.mat",
        "42443f5e82e98cbe6304cacdba905e24c8430ed977b3d6b7b279f088b76e108f",
        "17056093870aa4613eb9be2e2304deedaca721b2",
        748396,
    ),
}
# Not published anywhere, hence neither address nor checksum.
_MOBILENET_FILES = {
    letter: DataFile(f"{name}_mobilenetv2.mat")
    for letter, name in {"C": "caltech10", "A": "amazon", "W": "webcam", "D": "dslr"}.items()
}


def _domains(files: dict[str, DataFile], features_key: str) -> dict[str, FileDomain]:
    return {name: FileDomain(SIZES[name], file, arrays(features_key, "labels")) for name, file in files.items()}


SURF = Dataset(
    name="office-caltech-surf",
    title="Office-Caltech, SURF",
    type="object",
    domains=_domains(_SURF_FILES, "fts"),
    tasks=TASKS,
    n_features=800,
    class_names=CLASSES,
    licence=LICENCE,
    citation=IMAGES,
    origin="counts of 800 visual words, as used by Long et al. (JDA, ICCV 2013)",
    preprocess="rowsum-zscore",
    settings={"jda": LINEAR, "bda": LINEAR, "dicd": DICD, "tca": LINEAR, "tjm": TJM},
    pair_settings={"gfk": GFK},
    trust={"nn": 0.9, "jda": 0.85, "bda": 0.85, "dicd": 0.9},
)
DECAF6 = Dataset(
    name="office-caltech-decaf6",
    title="Office-Caltech, DeCAF6",
    type="object",
    domains=_domains(_DECAF_FILES, "feas"),
    tasks=TASKS,
    n_features=4096,
    class_names=CLASSES,
    licence=LICENCE,
    citation=f"{IMAGES} Donahue et al.: DeCAF, a deep convolutional activation feature. ICML 2014.",
    origin="activations of the sixth layer of a convolutional network",
    settings={"jda": LINEAR, "bda": LINEAR, "dicd": DICD, "tca": {**LINEAR, "preprocess": "unit"}, "tjm": TJM},
    pair_settings={"gfk": GFK},
    trust={"nn": 0.85, "jda": 0.85, "bda": 0.85, "dicd": 0.85},
)
MOBILENETV2 = Dataset(
    name="office-caltech-mobilenetv2",
    title="Office-Caltech, MobileNetV2",
    type="object",
    domains=_domains(_MOBILENET_FILES, "feas"),
    tasks=TASKS,
    n_features=1280,
    class_names=CLASSES,
    licence=LICENCE,
    citation=f"{IMAGES} Sandler et al.: MobileNetV2, inverted residuals and linear bottlenecks. CVPR 2018.",
    origin="activations of MobileNetV2's last layer before its classifier; the files are not published",
    # No published figures: the settings for the other network's activations, and the default trust.
    settings={"jda": LINEAR, "bda": LINEAR, "dicd": DICD, "tca": {**LINEAR, "preprocess": "unit"}, "tjm": TJM},
    pair_settings={"gfk": GFK},
)
