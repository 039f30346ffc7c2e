"""The report in a real browser: it opens without complaint or network, and its switches, tables and tips work."""

import csv
import io
import json
import os
import shutil
import time

import numpy as np
import pytest

from tests.support.hostile import CLASSES, N_TARGET, ids

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"),
    *(
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--window-size=1280,1000",
        "--force-prefers-reduced-motion",
    ),
)
# One browser and one page are enough for all of them.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("report")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        # Where everything is checked, a missing browser is a failure.
        give_up = pytest.fail if os.environ.get("CI") else pytest.skip
        give_up("needs chromium and chromedriver: run  make browser, or install them")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield started
    started.quit()


@pytest.fixture
def page(browser, report):
    """The page of hostile names, freshly opened."""
    browser.get(report[0].as_uri())
    wait(lambda: browser.execute_script("return document.documentElement.dataset.ready") == "true")
    return browser


def wait(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the page did not get there"
        time.sleep(0.05)


def run(page, script, *arguments):
    return page.execute_script(f"const model = (n) => Bokeh.documents[0].get_model_by_name(n); {script}", *arguments)


def click(page, selector):
    run(page, "document.querySelector(arguments[0]).click()", selector)


def painted(page):
    """The pixels of both planes, when nothing is drawn any more."""
    canvases = """
        const deep = (node) => [node, ...[...node.children, ...(node.shadowRoot?.children ?? [])].flatMap(deep)];
        const found = deep(document.querySelector("#planes .pair")).filter((node) => node.tagName === "CANVAS");
        return found.map((canvas) => canvas.toDataURL());
    """
    before, after = None, run(page, canvases)
    while before != after:
        time.sleep(0.1)
        before, after = after, run(page, canvases)
    assert len(after) >= 2
    return after


def shown(page, domain):
    return run(page, "return model(`view-${arguments[0]}`).indices.count", domain)


def body(page):
    """The rows of the table on this page, a list of cells each."""
    return run(
        page, "return [...document.querySelectorAll('#rows tbody tr')].map((r) => [...r.cells].map((c) => c.innerText))"
    )


def test_opens_without_complaint_and_without_network(page):
    assert [entry for entry in page.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")] == []
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    # The browser's own first page asks for things, too.
    ours = [request["request"]["url"] for request in sent if request["documentURL"] == page.current_url]
    assert page.current_url in ours
    assert [url for url in ours if url != page.current_url and not url.startswith("data:")] == []


def test_all_drawings_are_drawn(page):
    places = run(page, "return [...document.querySelectorAll('.plot')].map((p) => [p.id, p.offsetHeight])")
    assert len(places) == 7
    assert all(height > 150 for _, height in places)


def test_hostile_names_do_nothing_but_are_there(page):
    assert page.title == "JDA+TSRP: adaptation report"
    assert page.find_elements("css selector", "img, td script, th script, button script") == []
    legend = run(page, "return [...document.querySelectorAll('#legend button')].map((b) => b.innerText)")
    assert sorted(legend) == sorted(CLASSES)
    click(page, "#download")
    run(page, "document.querySelector('#search').value = '<'")
    assert page.title == "JDA+TSRP: adaptation report"


@pytest.mark.parametrize(
    ("value", "source", "target"),
    [("domain", {"value": "#0072b2"}, {"value": "#d55e00"}), ("confidence", {"value": "#b5b5b5"}, "confident")],
)
def test_colours_are_switched(page, value, source, target):
    before = painted(page)
    click(page, f"input[name=colour][value={value}]")
    for side in ("before", "after"):
        colour = run(page, "return model(arguments[0]).glyph.fill_color.value", f"{side}-source")
        assert {"value": colour} == source
        line = run(
            page, "const {value, field} = model(arguments[0]).glyph.line_color; return {value, field}", f"{side}-target"
        )
        assert line.get("field") == target or {"value": line.get("value")} == target
    assert painted(page) != before


def test_parts_are_shown_and_hidden(page, report):
    _, model, found = report
    before = painted(page)
    assert shown(page, "source") == 100
    assert shown(page, "target") == N_TARGET
    click(page, "input[name=source]")
    click(page, "input[name=confident]")
    assert shown(page, "source") == 0
    assert shown(page, "target") == (~model.confident_).sum()
    assert painted(page) != before
    click(page, "input[name=source]")
    click(page, "input[name=confident]")
    click(page, "#legend button")
    assert shown(page, "target") == (found.labels == 0).sum()
    assert shown(page, "source") == (found.source == 0).sum()


def test_the_view_is_switched(page):
    before = painted(page)
    ranges = "return ['before', 'after'].map((s) => [model(s).x_range.start, model(s).y_range.end])"
    was = run(page, ranges)
    click(page, "input[name=view][value=tsne]")
    assert run(page, "return model('after-target').glyph.x.field") == "tsne_after_x"
    assert not np.isclose(run(page, ranges), was).any()
    assert painted(page) != before
    click(page, "input[name=view][value=principal]")
    np.testing.assert_allclose(run(page, ranges), was, rtol=1e-4)


def hover(page, x, y):
    """Put the pointer on a point of the plane after adaptation."""
    from selenium.webdriver import ActionChains

    place = page.find_element("css selector", "#plot-after")
    run(page, "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", place)
    frame = run(
        page,
        """const {frame} = Bokeh.index.get_by_id(model("after").id);
        return [frame.x_scale.compute(arguments[0]), frame.y_scale.compute(arguments[1])]""",
        x,
        y,
    )
    width, height = run(page, "return [arguments[0].offsetWidth, arguments[0].offsetHeight]", place)
    ActionChains(page).move_to_element_with_offset(
        place, round(frame[0] - width / 2), round(frame[1] - height / 2)
    ).perform()


def test_the_pointer_tells_about_a_row(page, report):
    _, model, found = report
    point = found.principal.after[100 + 7]
    hover(page, *map(float, point))
    wait(lambda: not page.find_element("id", "tip").get_property("hidden"))
    tip = page.find_element("id", "tip").text
    rows = run(page, "return model('points-target').inspected.indices")
    assert 7 in rows
    assert f"target, row {rows[0]} ({ids()[rows[0]]})" in tip
    assert f"label: {model.labels_[rows[0]]}" in tip
    assert ("confident" if model.confident_[rows[0]] else "uncertain") in tip
    # The same row in the other plane.
    assert run(page, "return model('marked').data.before_x")[0] == pytest.approx(
        found.principal.before[100 + rows[0], 0], rel=1e-5
    )


def test_wheel_and_box_zoom(page):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    place = page.find_element("css selector", "#plot-after")
    run(page, "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", place)
    width = "const r = model('after').x_range; return r.end - r.start"
    was = run(page, width)
    ActionChains(page).scroll_from_origin(ScrollOrigin.from_element(place), 0, -200).perform()
    wait(lambda: run(page, width) < was)
    was = run(page, width)
    actions = ActionChains(page).move_to_element_with_offset(place, -80, -80).click_and_hold()
    actions.move_by_offset(60, 60).move_by_offset(60, 60).release().perform()
    wait(lambda: run(page, width) < 0.8 * was)


def test_the_table_begins_with_the_most_uncertain_and_sorts_by_any_column(page, report):
    found = report[2]
    rows = found.uncertain.rows.tolist()
    assert [int(row[0]) for row in body(page)] == rows[:25]
    click(page, "#rows th:nth-child(1) button")
    assert [int(row[0]) for row in body(page)] == sorted(rows)[:25]
    click(page, "#rows th:nth-child(1) button")
    assert [int(row[0]) for row in body(page)] == sorted(rows)[::-1][:25]
    assert page.find_element("css selector", "#rows th").get_attribute("aria-sort") == "descending"
    click(page, "#rows th:nth-child(5) button")
    assert [float(row[4]) for row in body(page)] == pytest.approx(np.sort(found.uncertain.probability)[:25], abs=6e-4)


def test_the_table_is_searched_and_has_pages(page, report):
    found = report[2]
    pages = -(-len(found.uncertain.rows) // 25)
    assert pages > 1
    assert page.find_element("id", "page").text == f"Page 1 of {pages}"
    click(page, "#next")
    assert [int(row[0]) for row in body(page)] == found.uncertain.rows[25:50].tolist()
    page.find_element("id", "search").send_keys("@sum(a1) ")
    expected = [row for row in found.uncertain.rows.tolist() if "@SUM(A1) " in ids()[row]]
    assert [int(row[0]) for row in body(page)] == expected[:25]
    assert page.find_element("id", "found").text.startswith(f"{len(expected)} of {len(found.uncertain.rows)}")


def test_a_row_of_the_table_is_marked_in_the_planes(page, report):
    found = report[2]
    click(page, "#rows .mark")
    row = found.uncertain.rows[0]
    assert run(page, "return model('marked').data.after_x") == pytest.approx(
        [found.principal.after[100 + row, 0]], rel=1e-5
    )


def test_the_table_of_classes_sorts(page, report):
    click(page, "#classes th:nth-child(3) button")
    cells = page.find_elements("css selector", "#classes table.sortable tbody td:nth-child(3)")
    counts = [int(cell.get_attribute("data-value")) for cell in cells]
    assert counts == sorted(np.bincount(report[2].labels, minlength=4).tolist())


def test_the_csv_file_has_the_uncertain_rows_and_no_formulas(page, report, tmp_path):
    _, model, found = report
    page.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    click(page, "#download")
    wait(lambda: [path.name for path in tmp_path.iterdir()] == ["uncertain.csv"])
    raw = (tmp_path / "uncertain.csv").read_text(encoding="utf-8-sig")
    header, *rows = csv.reader(io.StringIO(raw, newline=""))
    columns = ["row", "id", "label", "crude_label", "probability", "runner_up", "runner_up_probability", "true_label"]
    assert header == columns
    assert [int(row[0]) for row in rows] == found.uncertain.rows.tolist()
    assert {row[-1] for row in rows} == {""}
    for row in rows:
        number = int(row[0])
        assert row[1].removeprefix("'") == ids()[number]
        assert row[2].removeprefix("'") == model.labels_[number]
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row[1:4])
    assert any(row[2] == f"'{CLASSES[3]}" for row in rows)


def test_a_narrow_window_has_no_sideways_scrolling_and_stacks_the_planes(page):
    size = {"width": 480, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert run(page, "return document.documentElement.scrollWidth") <= 480
        boxes = run(
            page, "return ['before', 'after'].map((s) => document.getElementById(`plot-${s}`).getBoundingClientRect())"
        )
        assert boxes[0]["bottom"] < boxes[1]["top"]
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
