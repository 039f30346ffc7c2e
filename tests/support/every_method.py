"""Every method of the registry in its small settings, alone and as the base of TSRP."""

from sklearn import decomposition

from tsrp import TSRP
from tsrp.registry import methods

ALONE = {
    f"{info.kind.__name__} {variant}".strip(): info.kind(**settings)
    for info in methods().values()
    for variant, settings in info.small.items()
}
WRAPPED = {f"{name}+TSRP": TSRP(method) for name, method in ALONE.items() if " " not in name}
METHODS = {**ALONE, **WRAPPED, "scikit-learn's PCA+TSRP": TSRP(decomposition.PCA(3))}
# One of each class: for what does not depend on a method's parameters.
CLASSES = {name: method for name, method in METHODS.items() if name not in ALONE or " " not in name}
