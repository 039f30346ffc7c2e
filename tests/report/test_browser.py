"""The report in a real browser: it opens without complaint or network, and its switches, tables and tips work."""

import json
import time

import numpy as np
import pytest

from tests.support.browsing import click, downloaded, open_page, run, wait
from tests.support.domains import make_domains
from tests.support.hostile import CLASSES, N_TARGET, ids
from tsrp import NN, Panel

# One browser and one page are enough for all of them.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("report")]


@pytest.fixture
def page(browser, report):
    """The page of hostile names, freshly opened."""
    open_page(browser, report[0])
    return browser


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


def headings(page):
    return run(page, "return [...document.querySelectorAll('#rows th')].map((h) => h.innerText.trim())")


def test_opens_without_complaint_and_without_network(page):
    assert [entry for entry in page.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")] == []
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    # The browser's own first page asks for things, too.
    ours = [request["request"]["url"] for request in sent if request["documentURL"] == page.current_url]
    assert page.current_url in ours
    assert [url for url in ours if url != page.current_url and not url.startswith("data:")] == []


def test_the_page_of_a_panel_opens_too(browser, tmp_path):
    Xs, ys, Xt, _ = make_domains(n_source=120, n_target=100, m=4, n_classes=6, shift=1.0)
    found = Panel("quick").fit(Xs, ys, Xt).report(tmp_path / "report.html")
    assert found.flows.any()
    browser.get_log("browser")
    open_page(browser, tmp_path / "report.html")
    assert [entry for entry in browser.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")] == []
    assert "best member's label" in headings(browser)
    header, _ = downloaded(browser, tmp_path, "#download-rest", "rest.csv")
    assert "best_member_label" in header


def test_rows_of_a_sample_have_the_numbers_labels_and_probabilities_of_the_target(browser, tmp_path):
    Xs, ys, Xt, _ = make_domains(n_source=60, n_target=200, m=4, n_classes=3, shift=1.0)
    model = NN(max_fit_rows=50).fit(Xs, ys, Xt)
    model.report(tmp_path / "report.html")
    open_page(browser, tmp_path / "report.html")
    lines = run(browser, "return [...document.querySelectorAll('#label tr:has(select)')].map((r) => r.innerText)")
    shown = [line.split() for line in lines]
    assert len(shown) == 40
    for cells in shown:
        row = int(cells[0])
        assert row in model.others_.fitted
        place = cells.index("%")
        assert cells[place - 2 : place] == [str(model.labels_[row]), f"{100 * model.probability_[row]:.1f}"]
    header, rest = downloaded(browser, tmp_path, "#download-rest", "rest.csv")
    number, probability = header.index("row"), header.index("probability")
    assert {int(cells[number]) for cells in rest} <= set(model.others_.fitted.tolist())
    for cells in rest:
        assert float(cells[probability]) == pytest.approx(model.probability_[int(cells[number])], abs=1e-4)


def test_labels_that_nothing_remedied_are_shown_once(browser, tmp_path):
    Xs, ys, Xt, _ = make_domains(n_source=60, n_target=50, m=4, n_classes=3, shift=1.0)
    NN().fit(Xs, ys, Xt).report(tmp_path / "report.html")
    open_page(browser, tmp_path / "report.html")
    assert [name for name in headings(browser) if "label" in name] == ["label"]


def test_all_drawings_are_drawn(page):
    places = run(page, "return [...document.querySelectorAll('.plot')].map((p) => [p.id, p.offsetHeight])")
    assert len(places) == 8
    assert all(height > 150 for _, height in places)


def test_hostile_names_do_nothing_but_are_there(page):
    assert page.title == "JDA+TSRP: adaptation report"
    assert page.find_elements("css selector", "img, td script, th script, button script") == []
    legend = run(page, "return [...document.querySelectorAll('#legend button')].map((b) => b.innerText)")
    assert sorted(legend) == sorted(CLASSES)
    click(page, "#download-accepted")
    click(page, "#download-rest")
    run(page, "document.querySelector('#search').value = '<'")
    assert page.title == "JDA+TSRP: adaptation report"


@pytest.mark.parametrize(
    ("value", "source", "target"),
    [("domain", {"value": "#0072b2"}, {"value": "#d55e00"}), ("probability", {"value": "#d0d0d0"}, "probability")],
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
    click(page, "input[name=accepted]")
    assert shown(page, "source") == 0
    assert shown(page, "target") == (~model.confident_).sum()
    assert painted(page) != before
    click(page, "input[name=source]")
    click(page, "input[name=accepted]")
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
    assert f"right with a probability of {model.probability_[rows[0]]:.2f}" in tip
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


def choose(page, field, value):
    """Move a field of the choice of rows, as its user would."""
    run(
        page,
        """const field = document.getElementById(arguments[0]);
        field.value = arguments[1];
        field.dispatchEvent(new Event("input"));""",
        field,
        value,
    )


def choice(page):
    return page.find_element("id", "choice").text


def rest_of(found, k):
    """The rows that are left if the k most probable labels are accepted, the least probable first."""
    return found.by_probability[k:][::-1].tolist()


def test_the_choice_begins_with_the_confident_rows(page, report):
    _, model, found = report
    k = int(model.confident_.sum())
    assert 0 < k < N_TARGET
    p = model.probability_[model.confident_]
    right = found.truth.right[model.confident_].mean()
    assert choice(page) == (
        f"{k} of {N_TARGET} rows, of which {100 * p.mean():.1f} % are expected to be right: about "
        f"{round((1 - p).sum())} wrong. By the true labels {100 * right:.1f} % of {k} are right."
    )
    assert page.find_element("id", "least").get_property("value") == "0.9"


@pytest.mark.parametrize("share", [100, 50, 13, 0])
def test_a_share_of_the_rows_is_chosen_with_the_slider(page, report, share):
    _, model, found = report
    choose(page, "share", share)
    # As JavaScript rounds.
    k = int(np.floor(share * N_TARGET / 100 + 0.5))
    if k == 0:
        assert choice(page) == "No row is accepted."
        assert not page.find_element("id", "download-accepted").is_enabled()
        assert run(page, "return model('chosen').data.x") == []
        return
    p = np.sort(model.probability_)[::-1]
    assert choice(page).startswith(f"{k} of {N_TARGET} rows, of which {100 * p[:k].mean():.1f} % are expected")
    least = float(page.find_element("id", "least").get_property("value"))
    assert p[k - 1] - 0.001 <= least <= p[k - 1]
    mark = run(page, "return [model('chosen').data.x[0], model('chosen').data.y[0]]")
    assert mark == pytest.approx([100 * k / N_TARGET, 100 * p[:k].mean()])
    assert [int(row[0]) for row in body(page)] == rest_of(found, k)[:25]
    assert page.find_element("id", "none").is_displayed() == (k == N_TARGET)


@pytest.mark.parametrize("least", [0, 0.4, 0.75, 1])
def test_a_minimal_probability_is_chosen(page, report, least):
    _, model, _ = report
    choose(page, "least", least)
    chosen = model.probability_ >= least
    k = int(chosen.sum())
    assert choice(page).startswith(f"{k} of {N_TARGET} rows" if k else "No row is accepted.")
    assert page.find_element("id", "download-rest").text == f"Download the other {N_TARGET - k}"
    assert float(page.find_element("id", "share").get_property("value")) == pytest.approx(100 * k / N_TARGET, abs=0.51)
    click(page, "input[name=others]")
    assert shown(page, "target") == k


def test_the_table_begins_with_the_least_probable_and_sorts_by_any_column(page, report):
    _, model, found = report
    rows = rest_of(found, model.confident_.sum())
    assert [int(row[0]) for row in body(page)] == rows[:25]
    click(page, "#rows th:nth-child(1) button")
    assert [int(row[0]) for row in body(page)] == sorted(rows)[:25]
    click(page, "#rows th:nth-child(1) button")
    assert [int(row[0]) for row in body(page)] == sorted(rows)[::-1][:25]
    assert page.find_element("css selector", "#rows th").get_attribute("aria-sort") == "descending"
    click(page, "#rows th:nth-child(5) button")
    assert [float(row[4]) for row in body(page)] == pytest.approx(np.sort(model.probability_)[:25], abs=6e-4)


def test_the_table_is_searched_and_has_pages(page, report):
    _, model, found = report
    rows = rest_of(found, model.confident_.sum())
    pages = -(-len(rows) // 25)
    assert pages > 1
    assert page.find_element("id", "page").text == f"Page 1 of {pages}"
    click(page, "#next")
    assert [int(row[0]) for row in body(page)] == rows[25:50]
    page.find_element("id", "search").send_keys("@sum(a1) ")
    expected = [row for row in rows if "@SUM(A1) " in ids()[row]]
    assert [int(row[0]) for row in body(page)] == expected[:25]
    assert page.find_element("id", "found").text.startswith(f"{len(expected)} of {len(rows)}")


def test_a_row_of_the_table_is_marked_in_the_planes(page, report):
    found = report[2]
    click(page, "#rows .mark")
    row = found.by_probability[-1]
    assert run(page, "return model('marked').data.after_x") == pytest.approx(
        [found.principal.after[100 + row, 0]], rel=1e-5
    )


def test_the_table_of_classes_sorts(page, report):
    click(page, "#classes th:nth-child(3) button")
    cells = page.find_elements("css selector", "#classes table.sortable tbody td:nth-child(3)")
    counts = [int(cell.get_attribute("data-value")) for cell in cells]
    assert counts == sorted(np.bincount(report[2].labels, minlength=4).tolist())


@pytest.mark.parametrize("share", [None, 30, 100])
def test_the_files_have_exactly_the_rows_that_were_chosen_and_the_others(page, report, tmp_path, share):
    _, model, found = report
    k = int(model.confident_.sum())
    if share is not None:
        choose(page, "share", share)
        k = N_TARGET * share // 100
    header, rows = downloaded(page, tmp_path, "#download-accepted", "accepted.csv")
    assert header == ["row", "id", "label", "probability"]
    assert [int(row[0]) for row in rows] == found.by_probability[:k].tolist()
    assert [float(row[3]) for row in rows] == np.sort(model.probability_)[::-1][:k].tolist()
    if k == N_TARGET:
        assert not page.find_element("id", "download-rest").is_enabled()
        return
    header, others = downloaded(page, tmp_path, "#download-rest", "rest.csv")
    columns = ["row", "id", "label", "crude_label", "probability", "runner_up", "runner_up_probability", "true_label"]
    assert header == columns
    assert [int(row[0]) for row in others] == rest_of(found, k)
    assert {row[-1] for row in others} == {""}


def test_the_files_hold_no_formulas(page, report, tmp_path):
    model = report[1]
    labels = []
    for button, name in (("#download-accepted", "accepted.csv"), ("#download-rest", "rest.csv")):
        for row in downloaded(page, tmp_path, button, name)[1]:
            number = int(row[0])
            assert row[1].removeprefix("'") == ids()[number]
            assert row[2].removeprefix("'") == model.labels_[number]
            assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row[1:3])
            labels.append(row[2])
    assert f"'{CLASSES[3]}" in labels


def test_a_narrow_window_has_no_sideways_scrolling_and_stacks_the_planes(page):
    size = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert run(page, "return document.documentElement.scrollWidth") <= 400
        # Tables and drawings that are wider scroll inside a box of their own.
        outside = """const wide = [...document.querySelectorAll("main table, main .plot, main button, main input")];
            return wide.filter((e) => e.closest(".scroll, .legend") === null)
                .filter((e) => e.getBoundingClientRect().right > 400).map((e) => e.id || e.outerHTML)"""
        assert run(page, outside) == []
        boxes = run(
            page, "return ['before', 'after'].map((s) => document.getElementById(`plot-${s}`).getBoundingClientRect())"
        )
        assert boxes[0]["bottom"] < boxes[1]["top"]
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
