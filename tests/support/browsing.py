"""A page in a real browser: opened, asked and clicked."""

import csv
import io
import time


def wait(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the page did not get there"
        time.sleep(0.05)


def open_page(browser, path):
    browser.get(path.as_uri())
    wait(lambda: browser.execute_script("return document.documentElement.dataset.ready") == "true")


def run(page, script, *arguments):
    return page.execute_script(f"const model = (n) => Bokeh.documents[0].get_model_by_name(n); {script}", *arguments)


def click(page, selector):
    run(page, "document.querySelector(arguments[0]).click()", selector)


def downloaded(page, folder, button, name):
    """The header and the rows of the file that a button gives."""
    page.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    click(page, button)
    wait(lambda: (folder / name).is_file())
    header, *rows = csv.reader(io.StringIO((folder / name).read_text(encoding="utf-8-sig"), newline=""))
    return header, rows
