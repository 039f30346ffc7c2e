"""The report as a file: complete, by itself, and deaf to what names say."""

import json
import pickle
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.base import clone

from tests.support.domains import make_domains
from tests.support.hostile import CLASSES, FILES, ids
from tsrp import JDA, NN, TSRP, Panel
from tsrp.exceptions import OutputError
from tsrp.report import findings as findings_module
from tsrp.report.page import render, write_report
from tsrp.report.style import class_colours

pytestmark = pytest.mark.xdist_group("report")


class Elements(HTMLParser):
    """The elements of a page with their attributes, the text of the page, and the contents of its scripts."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.scripts, self.text = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.scripts[-1] += data
        elif self.cdata_elem is None:
            self.text += data


@pytest.fixture(scope="module")
def hostile(report):
    path, model, found = report
    return path.read_text(encoding="utf-8"), model, found


@pytest.fixture
def without_tsne(monkeypatch):
    monkeypatch.setattr(findings_module, "_tsne", lambda X: np.zeros((len(X), 2)))


def test_names_are_text_wherever_they_stand(hostile):
    page = Elements(hostile[0])
    assert [tag for tag, _ in page.elements if tag in ("img", "b", "iframe")] == []
    assert len(page.scripts) == 4
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    for name in (*CLASSES, *FILES):
        assert name in page.text


def test_the_scripts_data_are_json_with_the_names_as_they_are(hostile):
    data, plots = (json.loads(script) for script in Elements(hostile[0]).scripts[:2])
    assert sorted(data["classes"]) == sorted(CLASSES)
    assert list(data["ids"].values()) == ids()
    assert set(plots["roots"].values()) == {
        *("plot-coverage", "plot-before", "plot-after", "plot-rounds", "plot-rounds-accuracy"),
        *("plot-flows", "plot-confusion-before", "plot-confusion-after"),
    }
    raw = [hostile[0].partition(f'id="{name}">')[2].partition("</script>")[0] for name in ("data", "plots")]
    for text in raw:
        assert text.isascii()
        assert not set("<>&") & set(text)


@pytest.mark.parametrize("with_truth", [False, True])
@pytest.mark.parametrize("model", [NN(), TSRP(JDA(n_components=4)), Panel("quick")])
def test_every_drawing_has_its_place_in_the_page(model, with_truth, without_tsne, tmp_path):
    Xs, ys, Xt, yt = make_domains(n_source=120, n_target=100, m=4, n_classes=6, shift=1.0)
    model = clone(model).fit(Xs, ys, Xt)
    found = write_report(model, tmp_path / "report.html", truth=yt if with_truth else None)
    # Of a panel: rows on which the best member is outvoted.
    assert found.flows.any() or isinstance(model, NN)
    page = Elements((tmp_path / "report.html").read_text(encoding="utf-8"))
    places = {attributes["id"] for _, attributes in page.elements if attributes.get("class") == "plot"}
    assert set(json.loads(page.scripts[1])["roots"].values()) == places


def test_the_estimate_says_what_it_rests_on(hostile):
    found = hostile[2]
    assert "Estimated to be right, without true labels" in Elements(render(found)).text
    told = replace(found.estimated, votes=0.71, nearby=0.62, n_known=12)
    text = Elements(render(replace(found, estimated=told))).text
    assert "without true labels" not in text
    assert "71 % of the votes on a row are for its label, 62 % of those on neighbouring rows" in text
    assert "12 known labels, which correct it" in text


def test_members_of_a_panel_show_how_right_they_are_where_labels_are_known(hostile):
    found = hostile[2]
    shares = {"weight": 0.7, "same": 0.8, "accuracy": 0.75, "seconds": 1.0, "right": 0.613}
    failed = {"member": "MEDA", "error": "its time was up."}
    found = replace(found, members=[{"member": "SPL", "error": "", **shares}, {**shares, **failed}])
    assert "right where known" not in Elements(render(found)).text
    text = Elements(render(replace(found, labelling=replace(found.labelling, known=np.array([3]))))).text
    assert "right where known" in text
    assert text.count("61.3 %") == 1
    assert "and the more known labels it gives without having learnt from them" in text


def test_a_student_shows_its_share_of_a_panels_vote(hostile):
    member = {"member": "SPL", "error": "", "weight": 1.0, "same": 0.8, "accuracy": 0.75, "seconds": 1.0}
    found = replace(hostile[2], members=[member])
    assert "A student" not in Elements(render(found)).text
    text = Elements(render(replace(found, student_share=1 / 3))).text
    assert "A student, trees that learned the target from the members' labels, has 33.3 % of the vote" in text


def test_doubt_in_adaptation_is_said_among_a_panels_members(hostile):
    member = {"member": "trees", "error": "", "weight": 1.0, "same": 0.8, "accuracy": 0.75, "seconds": 1.0}
    found = replace(hostile[2], members=[member])
    assert "Adaptation is in doubt" not in Elements(render(found)).text
    text = Elements(render(replace(found, doubt=0.25, doubt_reason="so it is"))).text
    assert "Adaptation is in doubt by 25.0 %: so it is." in text


def test_the_command_to_run_again_is_text_as_it_was_typed(hostile):
    command = "tsrp adapt 'a <b> file.csv' x.csv --known labelled.csv"
    page = render(replace(hostile[2], command=command))
    assert command in Elements(page).text


def test_nothing_is_fetched_and_only_its_own_scripts_may_run(hostile):
    page = Elements(hostile[0])
    addresses = [attributes[key] for _, attributes in page.elements for key in ("src", "href") if key in attributes]
    assert all(re.match(r"#|data:", address) for address in addresses)
    (policy,) = [attributes["content"] for _, attributes in page.elements if "http-equiv" in attributes]
    assert "default-src 'none'" in policy
    assert re.fullmatch(r" script-src( 'sha256-[\w+/=]+'){2}", policy.split(";")[1])


def test_all_rows_are_there_the_most_probable_label_first(hostile):
    page, model, found = hostile
    rows = json.loads(Elements(page).scripts[0])["rows"]
    assert rows["row"] == found.by_probability.tolist()
    assert [found.classes[k] for k in rows["label"]] == model.labels_[rows["row"]].tolist()
    assert rows["probability"] == model.probability_[rows["row"]].tolist()
    assert rows["right"] == found.truth.right[rows["row"]].astype(int).tolist()


def first_screen(page):
    """The words above the details."""
    return " ".join(Elements(page.partition('id="domains"')[0].partition('id="diagnostics"')[0]).text.split())


def test_the_first_screen_says_how_right_the_labels_are_and_what_that_rests_on(hostile):
    page, model, found = hostile
    text = first_screen(page)
    estimated = model.estimated_accuracy_
    assert text.index(found.verdict.headline) < text.index("Estimated to be right")
    assert f"{100 * estimated.value:.0f} % between {100 * estimated.low:.0f} % and {100 * estimated.high:.0f} %" in text
    assert f"{100 * estimated.reverse:.0f} % of the source's labels come back" in text
    assert f"{100 * found.truth.accuracy:.1f} %" in text
    assert f"{model.confident_.sum()} of 150 rows" in text
    for way in found.comparison.alternatives:
        assert way.name in text


@pytest.mark.parametrize("word", ["crude", "threshold", "picked"])
def test_the_first_screen_needs_no_terms_of_the_method(hostile, word):
    assert word not in first_screen(hostile[0]).lower()


def test_only_a_good_verdict_has_a_tick(hostile):
    found = hostile[2]
    for level in ("good", "unclear", "bad"):
        page = render(with_level(found, level))
        assert ("✓" in page) == (level == "good")
        assert f'class="verdict {level}"' in page


def with_level(found, level):
    """The same findings with another verdict."""
    same = replace(found)
    same.__dict__["verdict"] = replace(found.verdict, level=level)
    return same


def test_an_alternative_that_looks_better_is_named_with_its_command_before_anything_else(hostile):
    found = hostile[2]
    other = replace(found.comparison.alternatives[1], name="<i>other</i>")
    worse = replace(found, truth=None, comparison=replace(found.comparison, better=other))
    text = first_screen(render(worse)).partition("The run")[2]
    assert text.strip().startswith("This page draws with scripts")
    assert "✗ <i>other</i> without adaptation looks better than JDA+TSRP." in text
    assert f"Run the same tsrp adapt command with {other.command}" in text
    assert text.index(other.command) < text.index("Estimated to be right")


def test_a_model_writes_its_own_report(without_tsne, domains, tmp_path):
    Xs, ys, Xt, yt = domains
    model = TSRP(JDA(n_components=5)).fit(Xs, ys, Xt)
    model.report(tmp_path / "report.html", truth=yt)
    text = Elements((tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "JDA+TSRP" in text
    assert f"{100 * np.mean(model.labels_ == yt):.1f} %" in text
    with pytest.raises(OutputError, match="exists; pass `overwrite=True`"):
        model.report(tmp_path / "report.html")
    model.report(tmp_path / "report.html", overwrite=True)
    with pytest.raises(ValueError, match="was loaded or copied"):
        pickle.loads(pickle.dumps(model)).report(tmp_path / "other.html")


@pytest.mark.parametrize("n_classes", [2, 68])
@pytest.mark.parametrize("truth", [False, True])
def test_few_and_many_classes(without_tsne, n_classes, truth):
    Xs, ys, Xt, yt = make_domains(n_source=300, n_target=200, n_classes=n_classes)
    found = findings_module.find(TSRP(JDA(n_components=5)).fit(Xs, ys, Xt), truth=yt if truth else None)
    page = Elements(render(found))
    assert sum(tag == "tr" for tag, _ in page.elements) > n_classes
    assert ("Compared with the truth" in page.text) == truth
    assert "nan" not in page.text.lower()


def test_a_plain_method_on_few_rows(tmp_path):
    model = NN().fit([[0.0], [1.0], [5.0]], ["low", "low", "high"], [[0.2], [4.0]])
    found = write_report(model, tmp_path / "report.html")
    text = Elements((tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "There are too few rows to tell." in text
    assert "remedy" not in text
    assert f"{len(found.labels)} rows to judge by" in text


@pytest.mark.parametrize("name", ["report.pdf", "nowhere/report.html"])
def test_a_place_that_cannot_be_written_is_refused_before_any_work(monkeypatch, domains, tmp_path, name):
    model = NN().fit(*domains[:3])
    monkeypatch.setattr("tsrp.report.page.find", None)
    with pytest.raises(OutputError, match=name):
        write_report(model, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_every_class_has_a_colour_of_its_own():
    colours = class_colours(68)
    assert len(set(colours)) == 68
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)
    assert class_colours(3) == colours[:3]
