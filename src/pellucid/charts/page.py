"""A page of one chart that can be clicked, and that needs no network: the program that draws it is inside."""

from __future__ import annotations

import html

# What stands above the chart says itself how it looks; the chart is as wide as it is.
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<title>{title}</title>
<style>#chart.vega-embed {{ display: flex; width: 100% }} #chart.vega-embed details {{ position: relative }}</style>
<script>{program}</script>
</head>
<body>
{above}<div id="chart"></div>
<script>
vegaEmbed("#chart", {specification}, {options}).catch(console.error);
</script>
</body>
</html>
"""
# Without the link that hands the chart, and every figure in it, to an editor on a website.
OPTIONS = '{"mode": "vega-lite", "actions": {"export": true, "source": true, "compiled": false, "editor": false}}'


def chart_page(specification: str, *, program: str, title: str, above: str = "") -> str:
    r"""The page of a specification in JSON; ``above`` is markup that is safe as it is, everything else is escaped.

    >>> page = chart_page('{"title": "</script><b>"}', program="let vegaEmbed;", title="A < B")
    >>> page.count("</script>"), r'{"title": "\u003c/script>\u003cb>"}' in page, "<title>A &lt; B</title>" in page
    (2, True, True)
    """
    return PAGE.format(
        title=html.escape(title),
        program=program,
        above=above,
        specification=safe_in_script(specification),
        options=OPTIONS,
    )


def safe_in_script(written: str) -> str:
    r"""JSON that ends no script and begins no comment: a value ``</script>`` would, and what follows it would be run.

    In JSON a ``<`` is always in a string, where its number says the same.

    >>> safe_in_script('["</script>", "<!--"]')
    '["\\u003c/script>", "\\u003c!--"]'
    """
    return written.replace("<", r"\u003c")
