"""Phishing websites: honest or not, by 30 features; the domains are addresses with an IP number and without."""

from __future__ import annotations

from tsrp.datasets.catalogue.readers import read_phishing, table_rows
from tsrp.datasets.record import DataFile, Dataset, FileDomain

_FILE = DataFile(
    "phishing.csv",
    "philomathic-guy/Malicious-Web-Content-Detection-Using-Machine-Learning/"
    "c86d4709354691d702e0c693f482e1fabd3b172c/dataset/Training Dataset.arff",
    "b96b4f75c0a6eaaf4a51b118438ab4cf211e1f0e4989e1c7f155bd6a2b90893f",
    "84374bee124ca55c8523e535c28868908ec65889",
    799773,
)

PHISHING = Dataset(
    name="phishing",
    title="Phishing websites",
    type="table",
    domains={
        "named": FileDomain(7262, _FILE, table_rows("0", 1, read_phishing)),
        "numbered": FileDomain(3793, _FILE, table_rows("0", -1, read_phishing)),
    },
    tasks=(("named", "numbered"), ("numbered", "named")),
    n_features=30,
    class_names={-1: "phishing", 1: "legitimate"},
    licence="CC BY 4.0 (UCI Machine Learning Repository)",
    citation=(
        "Mohammad, Thabtah and McCluskey: An assessment of features related to phishing websites using an automated "
        "technique. ICITST 2012."
    ),
    origin="Phishing Websites of the UCI Machine Learning Repository; the domains differ in the first feature",
    # No published figures: the defaults of each method.
)
