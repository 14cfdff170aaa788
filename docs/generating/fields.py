"""What a schema and a job file may say. A field without a meaning here, or the other way round, stops the build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pellucid as pc
from generating.markdown import paragraphs, table
from pellucid.core.request import OPTIONS
from pellucid.core.schema.roles import Role
from pellucid.job import KEYS

OF_A_COLUMN = {
    "role": f"One of {', '.join(f'`{role.value}`' for role in Role)}.",
    "kind": "`number`, `ordered`, `category` or `date`. Without it the type of the data decides.",
    "taxonomy": "What a value may become: `{ ladder = [5, 10] }`, `{ dates = [...] }`, `{ prefix = [4, 3] }`, "
    "`{ tree = {...} }`, or a file beside the schema.",
    "domain": "`[low, high]`: extents are measured against it instead of the data's own range.",
    "order": "The values of an ordered column, lowest first.",
    "nulls": '`"value"` (the default: null is a value of its own) or `"reject"`.',
    "missing": "Texts and numbers that stand for null.",
    "protect": "Of a sensitive column: the values to protect, if not all.",
    "merge": 'Of a category: values that are read as one, `{ often = ["Several", "Most"] }`.',
    "labels": 'Of a category: what values are called, `{ 1 = "yes", 2 = "no" }`.',
    "applies": "Of a sensitive column: a condition on quasi-identifiers, such as `age >= 15`. It is null for all "
    "others, and no group has people of both sides (`strata`).",
    "ruled_out": "Of a sensitive column: who cannot have a value, as in `{ pregnant = 'sex = \"m\"' }`; likewise.",
    "l": "The l of a sensitive column, in place of the method's. For `strata`, which keeps one of each.",
    "date_order": "`dmy`, `mdy` or `ymd`, for dates such as 01/02/1980.",
    "cap": "`{ percent = [1, 99] }` or `{ low = 40, high = 150 }`: what lies beyond is published as `<=40`, `>=150`.",
    "importance": "Of a quasi-identifier: how many times its extent counts, from 1 to 100.",
    "people": "Of a dropped column that numbers people with several rows: `row`, `person`, `one`, `first by DATE`, "
    "`last by DATE`.",
    "digits": "Of a weight: to how many significant digits the mean of a group is published, 1 to 6. 3 unless given.",
    "round": "How exactly it is read: `5` (multiples), `[0, 18, 65]` (where classes begin), `{ quantiles = 5 }` "
    'or, of dates, `"month"`, `"quarter"`, `"year"`.',
}
OF_A_SCHEMA = {
    "where": "A condition on quasi-identifiers, such as `age >= 15`: rows for which it does not hold are left out.",
    "unique": "The column that numbers people with several rows: one row of each is published, drawn at random.",
    "people": "The same with any answer, as `--people` has it: `patient=row`, `patient=first by DATE`.",
    "nothing_sensitive": "`true`: no column is sensitive, on purpose. Rows are hidden among k, no value is protected.",
    "columns": "One table for each column: `[columns.age]`.",
    "file": "`[file]` with `separator`, `header`, `encoding`, `decimal` and `sheet`, for files that do not show it.",
    "draft": "`true` in what `pellucid init` writes. Publishing reads it all the same.",
}
OF_A_JOB = {  # where the words of the table of options (src/pellucid/core/request.py) are too short
    "source": "The table: whatever `pellucid publish` reads.",
    "schema": "The schema.",
    "method": "`[method]` with `name` and the parameters of the method.",
    "importance": "How many times the extent of a quasi-identifier counts, as in `{ age = 3 }`. 1 unless given.",
    "recode": "`intervals`, `taxonomy`, `anatomy`, `suppression` or `means`.",
    "median": '`true`, with `recode = "means"`: the median of each group instead of the mean.',
    "split_intervals": "`true`: two columns, low and high, for each interval.",
    "largest_set": "The most values that are listed as a set.",
    "format": "`csv`, `parquet` or `arrow`.",
    "overwrite": "`true`: replace the folder if it exists.",
    "seed": "Fixes the random draws. For tests only.",
    "require": 'Privacy models that must hold, such as `["k-anonymity=5"]`. Otherwise nothing is written.',
    "keep_groups": "A private file with the group of each row, for an audit.",
    "project": "`[project]`, where the browser app saved its session: what it alone needs. A run reads over it.",
}


def text() -> str:
    """Three tables."""
    return paragraphs(
        "### Fields of a schema",
        fields("field", OF_A_SCHEMA, pc.Schema.model_fields),
        "### Fields of a column",
        fields("`[columns.NAME]`", OF_A_COLUMN, pc.Column.model_fields),
        "### Keys of a job file",
        fields("key", {option.name: option.told() for option in OPTIONS if option.on("job")} | OF_A_JOB, KEYS),
    )


def fields(head: str, meanings: Mapping[str, str], declared: Iterable[str]) -> str:
    """A table of what is declared, in that order."""
    declared = list(declared)
    if set(declared) != set(meanings):
        raise ValueError(f"docs/generating/fields.py and the package differ in {set(declared) ^ set(meanings)}")
    return table((head, "meaning"), ((f"`{name}`", meanings[name]) for name in declared))
