"""The score of a run is what the fit gave, round by round; an error is a score too."""

import numpy as np
import pytest

from tsrp import utsp
from tsrp.datasets import load_task
from tsrp.experiments.runs import make_run
from tsrp.experiments.scoring import score
from tsrp.methods.jda import JDA

TASK = ("digits", "printed -> handwritten")


def test_a_score_is_counted_from_the_fitted_model():
    run = make_run(*TASK, "jda+tsrp", {"max_iter": 2})
    result = score(run)
    task = load_task(*TASK)
    model = run.spec.build().fit(task.source.X, task.source.y, task.target.X)
    right = model.labels_ == task.target.y
    assert result.accuracy == right.mean()
    assert result.percent == round(100 * right.mean(), 2)
    picked = model.picked_ == 1
    assert result.confident_share == picked.mean()
    assert result.confident_accuracy == right[picked].mean()
    assert [r.accuracy for r in result.rounds] == [np.mean(r.labels == task.target.y) for r in model.history_]
    assert [r.crude for r in result.rounds] == [np.mean(r.crude == task.target.y) for r in model.history_]
    assert [r.confident for r in result.rounds] == [r.confident.mean() for r in model.history_]
    assert result.error is None
    assert set(result.versions) == {"python", "tsrp", "numpy", "scipy", "scikit-learn"}
    assert result.seconds > 0
    assert result.cpu_seconds > 0


def test_a_plain_method_picks_in_the_end_and_not_in_its_rounds():
    run = make_run(*TASK, "nn")
    result, task = score(run), load_task(*TASK)
    picked = utsp(task.target.X, run.spec.build().fit(task.source.X, task.source.y, task.target.X).labels_)
    assert 0 < result.confident_share == picked.mean() < 1
    [first] = result.rounds
    assert (first.confident, first.confident_accuracy) == (None, None)
    assert first.crude == first.accuracy


def test_warnings_become_notes():
    result = score(make_run(*TASK, "jda", {"max_iter": 1, "n_components": 100}))
    assert any("n_components" in note for note in result.notes)


def test_an_error_is_the_result(monkeypatch, tmp_path):
    def fail(self, *arguments):
        raise RuntimeError("no\n  luck")

    monkeypatch.setattr(JDA, "prepare", fail)
    result = score(make_run(*TASK, "jda"))
    assert (result.accuracy, result.error) == (None, "RuntimeError: no luck")
    missing = score(make_run("coil20", "COIL1 -> COIL2", "nn"), tmp_path)
    assert "COIL_2.mat is not on this disk" in missing.error


def test_an_interruption_is_none(monkeypatch):
    def interrupt(self, *arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(JDA, "prepare", interrupt)
    with pytest.raises(KeyboardInterrupt):
        score(make_run(*TASK, "jda"))
