"""The options of publishing that the form of the page has, made of :data:`pellucid.core.request.OPTIONS`.

A setting has them as texts by name, as a form sends them, with ``recode`` among them; an empty one is not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import Recoder
from pellucid.core.request import OPTIONS, Option, Request, recoder_with
from pellucid.errors import MethodError

RECODE = next(option for option in OPTIONS if option.name == "recode")  # which has a field of its own on the page
ON_THE_FORM = [option for option in OPTIONS if option.on("page") and "page" not in option.own]


def options_in(form: Mapping[str, str]) -> dict[str, str]:
    """The options that a form says."""
    given = {option.name: form.get(f"p-{option.name}", "").strip() for option in ON_THE_FORM}
    given |= {option.name: "True" for option in ON_THE_FORM if option.form == "flag" and f"p-{option.name}" in form}
    return known_options({**given, "recode": form.get("recode", "")})


def known_options(said: Mapping[str, Any]) -> dict[str, str]:
    """Those of some options that the page has, as a setting has them; what cannot be one of them is left out.

    >>> known_options({"recode": "means", "median": True, "largest_set": 3, "split_intervals": False, "odd": "x"})
    {'recode': 'means', 'median': 'True', 'largest_set': '3'}
    """
    texts = {option.name: said.get(option.name) for option in (RECODE, *ON_THE_FORM)}
    return {
        option.name: str(texts[option.name])
        for option in (RECODE, *ON_THE_FORM)
        if type(texts[option.name]) in (str, int, bool)
        and texts[option.name] not in ("", False)
        and (not option.choices or texts[option.name] in option.choices)
    }


def typed_options(options: Mapping[str, str]) -> dict[str, Any]:
    """The options as a request has them; raise for a number that is none."""
    return {option.name: _typed(option, options[option.name]) for option in ON_THE_FORM if option.name in options}


def _typed(option: Option, text: str) -> Any:
    if option.form == "flag":
        return text == "True"
    if option.form != "number":
        return text
    least = option.least or 0
    if not (text.isascii() and text.isdigit()) or len(text) > 18 or int(text) < least:
        raise MethodError(f"{page_title(option)}: type a whole number of at least {least}, or leave it empty")
    return int(text)


def chosen_recoder(options: Mapping[str, str], method: Method) -> Recoder:
    """What a group becomes."""
    return recoder_with(options.get("recode") or method.recoder, typed_options(options))


def page_title(option: Option) -> str:
    """What the page calls it.

    >>> page_title(RECODE)
    'Recode'
    """
    return option.name.replace("_", " ").capitalize()


def request_of(source: str, method: Method, options: Mapping[str, str]) -> Request:
    """The request for a table that a setting makes."""
    made = {name: value for name, value in typed_options(options).items() if name in Request.__dataclass_fields__}
    return Request(source, method, recode=chosen_recoder(options, method), **made)
