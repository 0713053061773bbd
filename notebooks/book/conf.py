"""Configures Sphinx for the book of the course; `make book` builds it."""

project = "How Kafka's clients and brokers behave"
html_title = project
author = ""
extensions = ["myst_nb"]
exclude_patterns = ["_build"]
suppress_warnings = [
    "mystnb.unknown_mime_type",
    # a chapter's sections may skip a level
    "myst.header",
]

# The builder has run the chapters already, on the simulator and on Spark.
nb_execution_mode = "off"
# The book needs no other host: no widgets, which load their scripts from the network.
nb_ipywidgets_js = {}
nb_mime_priority_overrides = [
    ("html", "application/vnd.jupyter.widget-view+json", None),
]
nb_merge_streams = True
myst_enable_extensions = []
myst_heading_anchors = 3

html_theme = "sphinx_book_theme"
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": True,
    "show_toc_level": 2,
    "home_page_in_toc": True,
    "navigation_with_keys": True,
    "extra_footer": "",
    # Chapters say more than one number of a version: no copy of another site's switcher.
    "show_navbar_depth": 1,
}
html_static_path = ["_static"]
html_css_files = ["book.css"]
# The theme looks for a mode and says in the browser's console that there is none.
html_context = {"default_mode": "auto"}
# A course has no index of function names.
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_search_language = "en"
pygments_style = "a11y-high-contrast-light"
