"""Labelling rows in the page with a real browser: by keyboard, kept, downloaded, and read by `tsrp adapt --known`."""

import shlex

import numpy as np
import pandas as pd
import PIL.Image
import pytest

from tests.support.browsing import click, downloaded, open_page, run
from tests.support.commands import run as run_command
from tests.support.domains import make_domains
from tests.support.hostile import CLASSES, ids
from tsrp import NN

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("report")]

KINDS = np.array(["ant", "bee", "cat", "=dog"])
HOSTILE_TEXT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e backwards"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of both domains, with a text and a picture for each row of the target, some of them hostile."""
    folder = tmp_path_factory.mktemp("labelling")
    Xs, ys, Xt, yt = make_domains(n_target=60)
    names = [f"f{i}" for i in range(12)]
    pd.DataFrame(Xs, columns=names).assign(kind=KINDS[ys]).to_csv(folder / "lab.csv", index=False)
    (folder / "images").mkdir()
    for row, code in enumerate(yt):
        PIL.Image.new("RGB", (200, 100), ["red", "green", "blue", "black"][code]).save(folder / "images" / f"{row}.png")
    (folder / "images" / "odd.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    pictures = [["../lab.csv", "odd.svg", "none.png"][row % 3] if row % 5 == 0 else f"{row}.png" for row in range(60)]
    target = pd.DataFrame(Xt, columns=names).assign(
        name=[f"r{row}" for row in range(60)], picture=pictures, review=[f"{HOSTILE_TEXT} {row}" for row in range(60)]
    )
    target.to_csv(folder / "field.csv", index=False)
    for show, column in (("text", "review"), ("image", "picture")):
        options = ["--image-folder", folder / "images"] * (show == "image")
        result = adapt(folder, "--report", folder / f"{show}.html", "--show", show, column, *options, "--force")
        assert result.exit_code == 0, result.stderr
    return folder


def adapt(folder, *options):
    return run_command(
        "adapt", folder / "lab.csv", folder / "field.csv", "-l", "kind", "-m", "nn", "--id", "name", *options
    )


@pytest.fixture
def texts(browser, folder):
    yield from fresh(browser, folder / "text.html")


@pytest.fixture
def pictures(browser, folder):
    yield from fresh(browser, folder / "image.html")


@pytest.fixture
def hostile(browser, report):
    yield from fresh(browser, report[0])


def fresh(browser, path):
    """A page that nobody has worked on yet."""
    open_page(browser, path)
    run(browser, "localStorage.clear()")
    open_page(browser, path)
    yield browser
    run(browser, "localStorage.clear()")


def press(page, *keys):
    """Press keys wherever the focus is."""
    from selenium.webdriver import ActionChains

    ActionChains(page).send_keys(*keys).perform()


def start(page):
    run(page, "document.querySelector('#sheet select').focus()")


def chosen(page):
    """The words of the drop-down list of every row."""
    script = "return [...document.querySelectorAll('#sheet select')].map((s) => s.selectedOptions[0].label)"
    return run(page, script)


def focused(page):
    """Which row, counted in the table, the focus is on."""
    return run(page, "return [...document.querySelectorAll('#sheet select')].indexOf(document.activeElement)")


def words(page, identifier):
    return page.find_element("id", identifier).text


def test_ten_labels_by_keyboard_go_all_the_way_round(texts, folder, tmp_path):
    start(texts)
    keys = "1234123412"
    press(texts, keys)
    labels = sorted(KINDS.tolist())
    expected = [labels[int(key) - 1] for key in keys]
    assert [words.rpartition(" (")[0] for words in chosen(texts)[:10]] == expected
    assert words(texts, "labelled") == "10 of 40 rows done"

    open_page(texts, folder / "text.html")
    assert [words.rpartition(" (")[0] for words in chosen(texts)[:10]] == expected
    assert words(texts, "labelled") == "10 of 40 rows done"

    header, rows = downloaded(texts, tmp_path, "#download-labelled", "labelled.csv")
    assert header == ["row", "id", "label", "probability", "true_label", "note"]
    assert len(rows) == 10
    result = adapt(folder, "--known", tmp_path / "labelled.csv", "-o", tmp_path / "labels.csv")
    assert result.exit_code == 0, result.stderr
    assert "10 labels were known, and are kept" in result.stdout
    labelled = pd.read_csv(tmp_path / "labels.csv", index_col="name").loc[[row[1] for row in rows]]
    # Files have an apostrophe before what would be a formula.
    assert [label.removeprefix("'") for label in labelled["label"]] == expected
    assert (labelled["probability"] == 1).all()


def test_the_next_round_keeps_what_was_known_before(texts, folder, tmp_path, browser):
    start(texts)
    press(texts, "111")
    downloaded(texts, tmp_path, "#download-labelled", "labelled.csv")
    (tmp_path / "first.csv").write_bytes((tmp_path / "labelled.csv").read_bytes())
    (tmp_path / "labelled.csv").unlink()
    options = ["-o", tmp_path / "labels.csv", "--report", tmp_path / "second.html"]
    assert adapt(folder, "--known", tmp_path / "first.csv", *options).exit_code == 0
    open_page(browser, tmp_path / "second.html")
    start(browser)
    press(browser, "22")
    _, rows = downloaded(browser, tmp_path, "#download-labelled", "labelled.csv")
    assert [row[-1] for row in rows] == ["known before"] * 3 + [""] * 2
    result = adapt(folder, "--known", tmp_path / "labelled.csv", *options, "--force")
    assert "5 labels were known, and are kept" in result.stdout


def test_keys_move_and_take_back(texts):
    from selenium.webdriver import Keys

    start(texts)
    press(texts, Keys.ARROW_UP)
    assert focused(texts) == 0
    press(texts, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert focused(texts) == 2
    assert set(chosen(texts)) == {"not labelled"}
    press(texts, "3")
    assert focused(texts) == 3
    press(texts, Keys.ARROW_UP, Keys.DELETE)
    assert focused(texts) == 2
    assert set(chosen(texts)) == {"not labelled"}
    assert words(texts, "labelled") == "0 of 40 rows done"
    press(texts, "9")
    assert set(chosen(texts)) == {"not labelled"}


def test_the_drop_down_and_the_buttons_do_the_same(texts):
    from selenium.webdriver.support.select import Select

    selects = texts.find_elements("css selector", "#sheet select")
    assert [option.text for option in Select(selects[4]).options] == [
        "not labelled",
        *(f"{name} ({k})" for k, name in enumerate(sorted(KINDS.tolist()), start=1)),
        "other (-)",
    ]
    Select(selects[4]).select_by_index(2)
    selects[5].click()
    texts.find_elements("css selector", "#keys button")[0].click()
    assert chosen(texts)[4:6] == ["ant (2)", "=dog (1)"]
    assert words(texts, "labelled") == "2 of 40 rows done"


def test_a_row_of_no_class_is_in_the_file_and_not_a_label(texts, folder, tmp_path):
    start(texts)
    press(texts, "-2")
    _, rows = downloaded(texts, tmp_path, "#download-labelled", "labelled.csv")
    assert [row[-2:] for row in rows] == [["", "other"], ["ant", ""]]
    result = adapt(folder, "--known", tmp_path / "labelled.csv", "-o", tmp_path / "labels.csv")
    assert "1 labels were known" in result.stdout
    assert "1 of them other" in words(texts, "audited")


def test_rows_at_random_measure_accuracy(texts):
    given = run(texts, "return [...document.querySelectorAll('#sheet .given bdi')].map((b) => b.textContent)")
    labels = sorted(KINDS.tolist())
    run(texts, "document.querySelectorAll('#sheet select')[20].focus()")
    right = [str(labels.index(label) + 1) for label in given[20:24]]
    press(texts, *right, "-")
    assert words(texts, "audited").endswith("Of 5 rows drawn at random, 4 have the right label.")


def test_all_is_cleared_only_if_the_user_says_so_again(texts, folder):
    start(texts)
    press(texts, "12")
    click(texts, "#clear")
    texts.switch_to.alert.dismiss()
    assert words(texts, "labelled") == "2 of 40 rows done"
    click(texts, "#clear")
    texts.switch_to.alert.accept()
    assert words(texts, "labelled") == "0 of 40 rows done"
    open_page(texts, folder / "text.html")
    assert set(chosen(texts)) == {"not labelled"}


def test_what_others_wrote_into_the_storage_does_nothing(texts, folder):
    key = run(texts, "return `tsrp-labels-${JSON.parse(document.getElementById('data').textContent).labelling.key}`")
    row = run(texts, "return JSON.parse(document.getElementById('data').textContent).labelling.lists[0].rows[0]")
    for stored in ("{", "7", "null", '[[-5, 1], ["<img>", 2], 3, null]', f'[[{row}, 99], [{row}, "1"]]'):
        run(texts, "localStorage.setItem(arguments[0], arguments[1])", key, stored)
        open_page(texts, folder / "text.html")
        assert set(chosen(texts)) == {"not labelled"}
    run(texts, "localStorage.setItem(arguments[0], arguments[1])", key, f"[[{row}, 1]]")
    open_page(texts, folder / "text.html")
    assert words(texts, "labelled") == "1 of 40 rows done"


def test_a_browser_that_keeps_nothing_says_so(texts):
    run(texts, "Storage.prototype.setItem = () => { throw new Error('full'); }")
    start(texts)
    assert not texts.find_element("id", "kept").is_displayed()
    press(texts, "1")
    assert texts.find_element("id", "kept").is_displayed()
    assert words(texts, "labelled") == "1 of 40 rows done"


def test_the_next_step_is_the_command_with_the_file(texts, folder):
    command = shlex.split(words(texts, "again"))
    assert command[:2] == ["tsrp", "adapt"]
    assert command[-3:] == ["--known", "labelled.csv", "--force"]
    assert command[2:4] == [str(folder / "lab.csv"), str(folder / "field.csv")]
    assert command[command.index("--show") + 1 :][:2] == ["text", "review"]


def test_hostile_texts_are_only_shown(texts):
    assert texts.title == "NN: adaptation report"
    assert texts.find_elements("css selector", "main img, main script") == []
    snippets = run(texts, "return [...document.querySelectorAll('#sheet .snippet')].map((b) => b.textContent)")
    assert len(snippets) == 40
    assert all(snippet.startswith(HOSTILE_TEXT) for snippet in snippets)


def test_pictures_are_there_and_hostile_ones_are_a_reason(pictures):
    loaded = run(
        pictures, "return [...document.querySelectorAll('main img')].map((i) => [i.src.slice(0, 16), i.naturalWidth])"
    )
    assert {tuple(image) for image in loaded} == {("data:image/jpeg;", 128)}
    reasons = run(pictures, "return [...document.querySelectorAll('#sheet .missing')].map((m) => m.textContent)")
    assert set(reasons) <= {"outside the folder of images", "not an image that can be shown", "no such file"}
    shown = run(pictures, "return document.querySelectorAll('#sheet img').length")
    assert shown + len(reasons) == 40
    assert len(reasons) > 0
    assert run(pictures, "return document.querySelectorAll('#misfits figure').length") == 12
    complaints = [entry for entry in pictures.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]
    assert complaints == []


def test_hostile_names_of_classes_are_only_names_and_come_back(hostile, tmp_path):
    start(hostile)
    press(hostile, "1234")
    assert hostile.title == "JDA+TSRP: adaptation report"
    header, rows = downloaded(hostile, tmp_path, "#download-labelled", "labelled.csv")
    assert [row[header.index("true_label")].removeprefix("'") for row in rows] == sorted(CLASSES)
    assert all(row[1].removeprefix("'") == ids()[int(row[0])] for row in rows)
    features = run(hostile, "return document.querySelectorAll('#sheet .features').length")
    assert features == 40


def test_classes_that_are_digits_have_their_own_keys(browser, tmp_path):
    NN().fit(*make_domains(n_classes=4)[:3]).report(tmp_path / "report.html")
    open_page(browser, tmp_path / "report.html")
    start(browser)
    press(browser, "30412")
    assert chosen(browser)[:5] == ["3", "0", "1", "2", "not labelled"]
    assert words(browser, "keys").split() == ["0", "1", "2", "3", "-", "other"]


def test_of_many_classes_the_likeliest_of_the_row_have_keys(browser, tmp_path):
    Xs, ys, Xt, _ = make_domains(n_source=200, n_classes=12)
    model = NN().fit(Xs, np.array([f"kind {code}" for code in range(12)])[ys], Xt)
    found = model.report(tmp_path / "report.html")
    open_page(browser, tmp_path / "report.html")
    start(browser)
    press(browser, "192")
    ranked = model.ranked_classes(found.labelling.rows[:3])
    expected = [f"{ranked[0, 0]} (1)", f"{ranked[1, 8]} (9)", f"{ranked[2, 1]} (2)"]
    assert chosen(browser)[:3] == expected
    options = (
        "return [...document.querySelector('#sheet select').options].map((o) => o.label.replace(/ \\(\\d\\)$/, ''))"
    )
    assert sorted(run(browser, options)) == sorted([*model.classes_.tolist(), "not labelled", "other (-)"])


@pytest.mark.parametrize("name", ["text", "image"])
def test_a_narrow_window_has_no_sideways_scrolling(browser, folder, name):
    size = {"width": 480, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        open_page(browser, folder / f"{name}.html")
        assert run(browser, "return document.documentElement.scrollWidth") <= 480
        sheet = run(browser, "const s = document.querySelector('.sheet'); return [s.scrollWidth, s.clientWidth]")
        assert sheet[0] <= sheet[1]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
