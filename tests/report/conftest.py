"""The page of hostile names, which the tests of the page read and those of the browser open; and the browser."""

import os
import shutil

import pytest

from tests.support.hostile import write_hostile

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


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """Its path, the model and the findings."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    return path, *write_hostile(path)


@pytest.fixture(scope="session")
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
