"""Gas-sensor drift: sixteen sensors, six gases, ten batches over three years, in which the sensors age."""

from __future__ import annotations

from tsrp.datasets.catalogue.readers import read_gas_batch
from tsrp.datasets.record import DataFile, Dataset, FileDomain

_ORIGIN = "Alan5279/Online-Sensor-Drift-Compensation-Matlab-Code/1403124b1aad7d5091fb2a3c39b5d073807bc5ab/Data"
# Samples, git's id, and SHA-256 and size where they are known.
_BATCHES: dict[int, tuple[int, str, str | None, int | None]] = {
    1: (
        445,
        "2bf4623cc7c80c3fc170ee178bd66ac9e1ac8ea5",
        "6b62f3e71b90f95dd9c2157fa91ffce32571faa7f474dd52f29a4ae769144625",
        757889,
    ),
    2: (
        1244,
        "8b1540ac843c2f6d7724938f6c98a7cba87faabd",
        "4ea9490068457badf9efd0c22f359fbfce12c208cdd440526b97ac91d31b9002",
        2134300,
    ),
    3: (
        1586,
        "f33877e761f5f9090fc3fa73db203db80bcd68ff",
        "aabf06bf8b8200740156235dc59458e06d99aa8faba4d6764a22c6b6c2674ff4",
        2725224,
    ),
    4: (
        161,
        "303bf891e8137ed5b3e9cdb5d5be6db3afc61e8c",
        "ffc87c5146001bbe8ce90c4b2f7dad5b390ca3079f51b559032df53ffe5ff0af",
        278400,
    ),
    5: (
        197,
        "26f3a65d2d359e3bb2bd80d8d8d1bdee827664b5",
        "dcad4939c300a6c7d9f41b9470a9253eecc0ebc5c2c4e940d8ae20b8fc4240d0",
        341379,
    ),
    6: (
        2300,
        "7e036ff62f3ca2f5cda779e8cc9b17267dc7f87f",
        "297d3a8b594dee4e2f4d7d2c4f5c485939fa708c10b5a11ed5cce95e05049afb",
        3928247,
    ),
    7: (3613, "ce44587436e9edee7ac88593e70f6fb8a66ad9d4", None, None),
    8: (
        294,
        "222da4223d5cf50519747dc2b1046bbbaa979979",
        "58146b3e2dd68b125b2d5432cdd4968ec1fff47464ceb04282382181932d49be",
        495298,
    ),
    9: (
        470,
        "f326cd7e44720379fac12eb2022b6249319fd2be",
        "51f368ae8dee5d285be7f2029770e10eb12f342578830bc40ea852db19d19c9b",
        791293,
    ),
    10: (3600, "500b7e02d513322e9a42f33ddc18b283ad75db42", None, None),
}
_SENSORS = range(1, 17)
# Steady state and its normalised form, then rising and falling moving averages at three rates.
_MEASURES = ("DR", "|DR|", "EMAi0.001", "EMAi0.01", "EMAi0.1", "EMAd0.001", "EMAd0.01", "EMAd0.1")


def _domain(number: int) -> FileDomain:
    size, blob, sha256, n_bytes = _BATCHES[number]
    name = f"batch{number}.dat"
    return FileDomain(size, DataFile(name, f"{_ORIGIN}/{name}", sha256, blob, n_bytes), read_gas_batch)


GAS_DRIFT = Dataset(
    name="gas-drift",
    title="Gas-sensor drift",
    type="sensor",
    domains={f"batch{number}": _domain(number) for number in _BATCHES},
    # From the first batch to each later one; some of these lack a gas.
    tasks=tuple(("batch1", f"batch{number}") for number in _BATCHES if number > 1),
    n_features=128,
    class_names=dict(
        enumerate(("ethanol", "ethylene", "ammonia", "acetaldehyde", "acetone", "toluene"), start=1),
    ),
    feature_names=tuple(f"sensor {sensor} {measure}" for sensor in _SENSORS for measure in _MEASURES),
    licence="CC BY 4.0 (UCI Machine Learning Repository)",
    citation=(
        "Vergara et al.: Chemical gas sensor drift compensation using classifier ensembles. Sensors and Actuators B "
        "166-167, 2012."
    ),
    origin="Gas Sensor Array Drift Dataset of the UCI Machine Learning Repository",
    # The features differ in scale by orders of magnitude. No published figures: the defaults of each method.
    preprocess="zscore",
)
