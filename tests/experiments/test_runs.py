"""Runs: the presets make the paper's, equal settings have equal names, and mistakes are found at once."""

import json

import pytest

from tsrp import BDA, DICD, TSRP, PerDomain, registry
from tsrp.datasets import DATASETS
from tsrp.experiments.paper_tables import column_label
from tsrp.experiments.runs import GROUPS, STRONG, Run, choices, grid, make_run, paper_grid, strong_grid, variants
from tsrp.methods.nn import NN
from tsrp.registry import MethodInfo, method_names
from tsrp.spec import MethodSpec, defaults

SURF = "office-caltech-surf"


def test_the_preset_of_the_data_set_is_in_the_settings():
    settings = json.loads(make_run(SURF, "C -> A", "dicd+tsrp").spec.record)
    assert settings["preprocess"] == "rowsum-zscore"
    assert (settings["kernel"], settings["ridge"], settings["trust"], settings["repulsion"]) == ("linear", 1, 0.9, 0.1)
    assert (settings["max_iter"], settings["inner_iterations"]) == (10, 3)


def test_a_run_makes_its_estimator():
    model = make_run(SURF, "C -> A", "bda+tsrp", {"mu": 0.3}).spec.build()
    assert isinstance(model, PerDomain)
    assert isinstance(model.method, TSRP)
    assert isinstance(model.method.base, BDA)
    assert (model.method.trust, model.method.base.mu) == (0.85, 0.3)
    assert isinstance(make_run("coil20", "COIL1 -> COIL2", "dicd").spec.build(), DICD)


def test_equal_settings_are_the_same_run_however_they_are_spelt():
    one = make_run("coil20", "COIL1 -> COIL2", "jda", {"ridge": 1, "n_components": 100.0, "max_iter": 10})
    assert one == make_run("coil20", "COIL1 -> COIL2", "jda", {"ridge": 1.0})
    assert one == make_run("coil20", "COIL1 -> COIL2", "jda")
    assert one != make_run("coil20", "COIL1 -> COIL2", "jda", {"ridge": 0.1})


def test_a_seed_counts_only_where_something_is_random():
    assert make_run("coil20", "COIL1 -> COIL2", "nn", seed=3).seed == 0
    assert make_run("digits", "printed -> handwritten", "nn", seed=3).seed == 3


def test_the_ablations_have_the_trust_of_tsrp():
    settings = json.loads(make_run(SURF, "C -> A", "jda+tsrp_n").spec.record)
    assert (settings["picker"], settings["trust"]) == ("neighbours", 0.85)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("coil21", "COIL1 -> COIL2", "nn"), "no data set 'coil21'"),
        (("coil20", "COIL1 -> COIL3", "nn"), "no task 'COIL1 -> COIL3' in coil20"),
        (("coil20", "COIL1 -> COIL2", "jad"), "no method 'jad'.*Did you mean 'jda'"),
        (("coil20", "COIL1 -> COIL2", "jda+trsp"), "no wrapper 'trsp'"),
        (("coil20", "COIL1 -> COIL2", "jda", {"mu": 0.5}), "no parameter 'mu' of jda"),
        (("coil20", "COIL1 -> COIL2", "jda", {"ridge": -1}), "ridge"),
        (("coil20", "COIL1 -> COIL2", "jda", {"ridge": None}), "ridge"),
        (("coil20", "COIL1 -> COIL2", "jda", {"preprocess": "wash"}), "no preprocessing 'wash'"),
    ],
)
def test_a_mistake_is_found_before_anything_runs(arguments, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        make_run(*arguments)


def test_the_grid_is_every_task_and_method_with_and_without_tsrp():
    runs = grid([SURF, "coil20"], ["jda", "dicd"])
    assert len(runs) == len(set(runs)) == 14 * 4
    assert {run.spec.name for run in runs} == {"jda", "jda+tsrp", "dicd", "dicd+tsrp"}
    assert {run.spec.name for run in grid(["coil20"], ["nn", "jda+tsrp_c"], "with")} == {"nn+tsrp", "jda+tsrp_c"}
    assert {run.task for run in grid([SURF, "coil20"], ["nn"], tasks=["C -> A"])} == {"C -> A"}
    assert len(grid(["digits", "coil20"], ["jda"], "without", seeds=[0, 1, 2])) == 3 + 2


def test_the_papers_grid_has_what_it_compares_with_on_its_own_data_sets_and_without_tsrp():
    runs = paper_grid(["digits", "coil20"])
    assert len(runs) == len(set(runs))
    compared = {"pca", "gfk", "tca", "tsl", "tjm", "dtsl", "cdml", "rtml"}
    improved = {name + end for name in ("nn", "jda", "bda", "dicd") for end in ("", "+tsrp")}
    assert {run.spec.name for run in runs if run.dataset == "digits"} == improved
    assert {run.spec.name for run in runs if run.dataset == "coil20"} == improved | compared
    assert {run.spec.name for run in paper_grid(["coil20"], "with")} == {name for name in improved if "+" in name}
    assert {run.task for run in paper_grid([SURF, "digits"], tasks=["C -> A"])} == {"C -> A"}
    assert {run.dataset for run in paper_grid([SURF, "digits"], tasks=["printed -> handwritten"])} == {"digits"}


def test_a_method_may_have_settings_for_each_pair_of_domains():
    dimensions = {
        task: json.loads(make_run(SURF, task, "gfk").spec.record)["n_components"] for task in DATASETS[SURF].task_names
    }
    assert (dimensions["C -> A"], dimensions["A -> C"], dimensions["W -> D"], dimensions["D -> W"]) == (20, 20, 10, 10)
    assert json.loads(make_run("digits", "printed -> handwritten", "gfk").spec.record)["n_components"] == "auto"


def test_bda_is_tried_with_the_oracles_mu_and_without_labels():
    tasks = DATASETS["coil20"].task_names[:1]
    tried = [json.loads(run.spec.record)["mu"] for run in grid(["coil20"], ["bda"], "without", tasks=tasks)]
    assert tried == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, "auto"]
    assert choices("coil20", "jda+tsrp") == [{}]


def test_there_is_no_oracle_where_nothing_was_published():
    assert choices("digits", "bda") == [{"mu": "auto"}]
    assert choices("digits", "nn") == [{}, {"unit_rows": True}]


def test_a_data_set_may_have_variants_of_its_own():
    assert list(variants("cmu-pie", "dicd")) == ["z-scores"]
    specs = [run.spec for run in grid(["cmu-pie"], ["dicd"], "without", tasks=["C05 -> C07"])]
    assert [spec.preprocess for spec in specs] == ["unit", "rowsum-zscore"]
    assert specs[1].settings == defaults(DICD)
    assert not variants("coil20", "dicd")


def test_a_choice_by_the_user_replaces_the_papers():
    assert len(grid(["digits"], ["bda"], "without", changes={"mu": 0.25})) == 1


def test_a_variant_that_is_changed_into_another_one_is_left_out():
    changed = grid(["cmu-pie"], ["dicd"], "without", tasks=["C05 -> C07"], changes={"preprocess": "zscore"})
    assert [(run.spec.preprocess, run.spec.settings["kernel"]) for run in changed] == [("zscore", "primal")]
    same = grid(["cmu-pie"], ["dicd"], "without", tasks=["C05 -> C07"], changes={"preprocess": "rowsum-zscore"})
    assert [run.spec.settings["kernel"] for run in same] == ["primal", "linear"]


@pytest.mark.parametrize("method", method_names())
def test_preprocessing_is_a_choice_of_every_method(method):
    changed = grid(["coil20"], [method], changes={"preprocess": "zscore"})
    assert {run.spec.preprocess for run in changed} == {"zscore"}
    assert {run.spec.name for run in changed} == {method, f"{method}+tsrp"}


def test_the_stronger_methods_have_one_setting_on_all_data_sets():
    runs = strong_grid(DATASETS)
    assert len(runs) == len(set(runs))
    found: dict[str, set[str]] = {}
    for run in runs:
        found.setdefault(column_label(run), set()).add(str(dict(run.spec.settings)))
    assert set(found) == {name + end for name in STRONG for end in ("", "+TSRP")}
    assert all(len(settings) == 1 for settings in found.values())


def test_the_stronger_methods_are_at_their_defaults():
    for run in strong_grid(["coil20"], "with"):
        _, own = STRONG[column_label(run).removesuffix("+TSRP")]
        usual = defaults(TSRP) | defaults(run.spec.info.kind) | own
        # With trees a fit takes three inner iterations, and there is no share.
        del usual["share"]
        usual["inner_iterations"] = 3
        assert {**dict.fromkeys(usual), **run.spec.settings} == usual


def test_the_stronger_methods_have_the_preprocessing_of_the_data_set_or_what_their_defaults_need():
    tasks = ["C -> A", "batch1 -> batch2", "C05 -> C07", "COIL1 -> COIL2"]
    runs = strong_grid([SURF, "gas-drift", "cmu-pie", "coil20"], "without", tasks=tasks)
    prepared = {(run.dataset, run.spec.base): run.spec.preprocess for run in runs}
    assert prepared[SURF, "dicd"] == prepared[SURF, "meda"] == "rowsum-zscore"
    assert prepared["gas-drift", "spl"] == "zscore"
    assert (prepared["cmu-pie", "dicd"], prepared["cmu-pie", "agecs"]) == ("rowsum-zscore", "unit")
    assert (prepared["coil20", "meda"], prepared["coil20", "artl"]) == ("row-zscore", "none")


def test_of_the_largest_data_set_the_stronger_methods_have_each_domain_once_on_either_side():
    tasks = [task.split(" -> ") for task in dict.fromkeys(run.task for run in strong_grid(["cmu-pie"]))]
    assert [sorted(side) for side in zip(*tasks, strict=True)] == [sorted(DATASETS["cmu-pie"].domains)] * 2
    assert {run.task for run in strong_grid(["cmu-pie"], tasks=["C05 -> C27"])} == {"C05 -> C27"}


def test_a_group_takes_the_options_of_a_grid():
    assert set(GROUPS) == {"paper", "strong"}
    for make in GROUPS.values():
        runs = make(["digits"], "with", changes={"trust": 0.5}, seeds=[0, 1])
        assert {(run.seed, run.spec.settings["trust"]) for run in runs} == {(0, 0.5), (1, 0.5)}


def test_unknown_tasks_and_choices_are_refused():
    with pytest.raises(ValueError, match=r"no task 'C -> B'.*Did you mean"):
        grid([SURF], ["nn"], tasks=["C -> B"])
    with pytest.raises(ValueError, match="no value of `tsrp` 'maybe'"):
        grid([SURF], ["nn"], "maybe")


def test_a_new_method_and_a_new_data_set_need_no_change_of_the_runner(monkeypatch):
    monkeypatch.setitem(registry.methods(), "mine", MethodInfo("mine", NN, "mine", "me", "none"))
    monkeypatch.setitem(DATASETS, "yours", DATASETS["digits"])
    assert grid(["yours"], ["mine"], "without") == [
        Run("yours", "printed -> handwritten", MethodSpec("mine", {"unit_rows": False}))
    ]
