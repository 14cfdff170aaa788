"""Tabs in one window of the browser, for all tests of a process: another window takes a second of the processor.

Cookies go with the tab. Everything else that a browser keeps (files, storage) belongs to an address with its port, and
every server has a port of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 900_000  # milliseconds; the machine may be busy
LIGHT: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}

SETTLED = "() => document.querySelector('footer') && !document.querySelector('section.job')"

_windows: dict[Browser, BrowserContext] = {}


@contextmanager
def tab_in(browser: Browser) -> Iterator[Page]:
    """A tab in which nobody came in yet; it is closed with all tabs that were opened beside it."""
    if browser not in _windows:
        _windows[browser] = browser.new_context(**LIGHT)
        _windows[browser].set_default_timeout(PATIENCE)
        _windows[browser].new_page()  # empty and always there, so that the process for pages stays
    window = _windows[browser]
    yield window.new_page()
    for page in window.pages[1:]:
        page.close()
    window.clear_cookies()


@contextmanager
def tab_in_new_window(browser: Browser) -> Iterator[Page]:
    """A tab of a browser that has kept no file."""
    context = browser.new_context(**LIGHT)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def settles(page: Page) -> None:
    """Until the page is there whole and shows no work going on; it loads itself again when the work ends.

    Asked for now and then: Playwright would ask for every picture of the screen, and have all of them drawn.
    """
    page.wait_for_function(SETTLED, polling=50)
