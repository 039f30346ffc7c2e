"""All figures, drawn once from made-up results."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tests.support.domains import load_thin_task
from tests.support.fakes import fake
from tsrp.experiments.figures import FIGURES, choice, planes, sweeps, utsp_steps


@pytest.fixture(scope="session")
def nowhere(tmp_path_factory):
    """A folder without data: the embedded digits stand in."""
    return tmp_path_factory.mktemp("nowhere")


@pytest.fixture(scope="session")
def drawn(nowhere):
    """Each figure once, of few samples."""
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planes, "IN_PLANE", 60)
        patch.setattr(planes, "load_task", load_thin_task)
        patch.setattr(utsp_steps, "load_task", load_thin_task)
        for name, drawing in FIGURES.items():
            figure = drawing.draw({run: fake(run) for run in drawing.runs(nowhere)}, nowhere)
            FigureCanvasAgg(figure).draw()
            made[name] = figure
    return made


@pytest.fixture
def on_disk(monkeypatch):
    """Pretends that some tasks are on this disk, by a function of data set and task."""

    def pretend(is_there):
        for module in (choice, sweeps):
            monkeypatch.setattr(module, "is_on_disk", lambda dataset, task, data_dir: is_there(dataset, task))

    return pretend
