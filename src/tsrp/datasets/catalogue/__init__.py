"""The data sets that are known by name; a new one is a new file here and a line in `DATASETS`."""

from __future__ import annotations

from tsrp.datasets.catalogue.amazon_reviews import AMAZON_REVIEWS
from tsrp.datasets.catalogue.cmu_pie import CMU_PIE
from tsrp.datasets.catalogue.coil20 import COIL20
from tsrp.datasets.catalogue.gas_drift import GAS_DRIFT
from tsrp.datasets.catalogue.mnist_usps import MNIST_USPS
from tsrp.datasets.catalogue.mushrooms import MUSHROOMS
from tsrp.datasets.catalogue.office_caltech import DECAF6, MOBILENETV2, SURF
from tsrp.datasets.catalogue.phishing import PHISHING
from tsrp.datasets.catalogue.printed_digits import DIGITS
from tsrp.datasets.record import Dataset

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        *(SURF, DECAF6, CMU_PIE, MNIST_USPS, COIL20),
        *(MOBILENETV2, GAS_DRIFT, AMAZON_REVIEWS, MUSHROOMS, PHISHING, DIGITS),
    )
}
# Those of the paper, in its order.
PAPER = ("office-caltech-surf", "office-caltech-decaf6", "cmu-pie", "mnist-usps", "coil20")
