"""Settings of the documentation site. ``./script/docs`` builds and serves it; ``tests/site`` builds it strictly."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # the extension below lives beside this file

project = "pellucid"
author = "the pellucid authors"
version = release = installed("pellucid")

extensions = ["myst_parser", "sphinx.ext.autodoc", "generating"]
exclude_patterns = ["_static", "generating", "schemas", "**/*.ipynb"]
nitpicky = True  # a public name in a docstring that leads nowhere is an error, as a broken link is
# Not looked up: names of other libraries, since nothing is fetched, and of modules that are not public.
nitpick_ignore_regex = [("py:.*", r"(?!pellucid\.).*"), ("py:.*", r"pellucid\.\w+\..*"), ("py:mod", ".*")]

smartquotes = False  # --l is an option, and no dash

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "none"  # parameters are told by the docstrings; annotations would bury them
python_display_short_literal_types = True

html_theme = "furo"
html_title = "pellucid"
html_static_path = ["_static"]
html_css_files = ["pellucid.css"]
html_favicon = "_static/icon.svg"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"sidebar_hide_name": False, "top_of_page_buttons": []}
