"""Text that every page and every picture can hold, whatever stood in the table."""

from __future__ import annotations

import re
from typing import Any

# What is no character of XML 1.0: control characters but tab and line ends, half of a pair, two that mean nothing.
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def fit_for_pages(value: Any) -> Any:
    r"""A text, or all texts in nested lists and mappings, with a name in place of each character that is unfit.

    Different texts stay different as long as none has such a name in it already. Other values are left as they are.

    >>> fit_for_pages("flu\x01")
    'flu[U+0001]'
    >>> fit_for_pages({"rows": [{"ill\x00": "a\tb", "share": 0.5}]})
    {'rows': [{'ill[U+0000]': 'a\tb', 'share': 0.5}]}
    """
    if isinstance(value, str):
        return UNFIT.sub(lambda found: f"[U+{ord(found[0]):04X}]", value)
    if isinstance(value, dict):
        return {fit_for_pages(key): fit_for_pages(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [fit_for_pages(inner) for inner in value]
    return value
