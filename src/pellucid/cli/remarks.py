"""What a person should hear about a release before relying on it: that it promises nothing, or tells nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.beyond_the_bound import beyond_the_bound
from pellucid.anonymize.disclosure.counted_as_one import merged_column
from pellucid.anonymize.disclosure.intersecting import intersected
from pellucid.anonymize.disclosure.set_disclosure import one_or_another, protects_several
from pellucid.anonymize.layout.by_cuts import Above, CutBetweenCodes
from pellucid.anonymize.method import STRICT, DiverseAsPublished, largest_feasible, protect_only, sensitive_counts
from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.anonymize.recode import RECODERS
from pellucid.anonymize.recode.alike import as_read, published_alike
from pellucid.anonymize.several import MOST_VECTORS, Vectors
from pellucid.anonymize.sides import sizes_applying
from pellucid.core.importance import without_effect
from pellucid.core.naming import LONG_TEXT, MANY_TEXTS
from pellucid.core.release import Release
from pellucid.core.schema import OF_GROUP, Kind, Role
from pellucid.core.table import Table, frequencies
from pellucid.drafting.column_values import missing_codes
from pellucid.drafting.odd_cells import odd_cells
from pellucid.io import line_in
from pellucid.io.inference import Nature, has_decimal_commas, looks_of
from pellucid.io.text_form import filled_in
from pellucid.messages import Count, Message, Names, Share, Term, Value
from pellucid.messages.terms import (
    BY_SCHEMA,
    BY_VALUES,
    INSIDE,
    LEAST_ROWS,
    METHOD,
    RECODE,
    file_key,
    quoted_key,
)
from pellucid.models import Groups
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import codes_meant
from pellucid.runtime.records import record
from pellucid.runtime.series import series_of
from pellucid.text.figures import counted, percent
from pellucid.text.values import in_quotes, listed

MUCH = 0.1  # a release that suppresses more of the rows should say so
HUGE = 20  # times what most groups have, and what l asks for: a group that was hardly divided
FEW_DATES = 20  # names as good as any
TIMES = 3  # as likely as before: from here on it is said
LIMIT = 2  # times, for which an l is named
LARGE_L = 20  # groups of more people keep little, so that a larger l is no advice
LITTLE = 0.05  # a release that keeps less of every quasi-identifier is hardly worth publishing


EXAMPLES_OF_TAXONOMIES = {
    Kind.NUMBER: "{ ladder = [5, 10, 20] }",
    Kind.DATE: '{ dates = ["month", "year", "decade"] }',
    Kind.ORDERED: '"levels.csv" (lines value;level 1;...;*)',
    Kind.CATEGORY: '"towns.csv" (lines value;level 1;...;*), or { prefix = [4, 3] } of codes',
}


@record()
class Remark:
    """One line, and how it begins."""

    label: Literal["warning", "note"]
    text: str


def remarks_on(
    table: Table,
    method: Method,
    figures: Mapping[str, Any],
    recode: str,
    counts: Mapping[int, NDArray[np.int64]] | None = None,
    *,
    alone: int = 0,
) -> list[Remark]:
    """The remarks on a release, most important first.

    ``alone``: how many rows are a group by themselves. ``counts``: how often the sensitive values occur, by column,
    where the table at hand is without its rows.
    """
    l = getattr(method, "l", None)
    l = max(l.values()) if isinstance(l, Mapping) else l
    if l == 1:
        single = figures["groups"] == figures["rows"]
        how = "rows are published as they are" if single else "a group may have a single sensitive value"
        return [Remark("warning", f"l = 1 promises nothing: {how}; use l = 2 or more")]
    vain = [Remark("note", text)] if (text := without_effect(table, method)) else []
    lost = figures.get("suppressed_rows", 0) / max(figures.get("rows", 0), 1)
    losing = (
        [
            Remark(
                "note",
                f"{percent(lost)} of the rows are suppressed; use a weaker parameter, or a method that keeps all",
            )
        ]
        if lost > MUCH
        else []
    )
    losing += [*vain, *standing_alone(method, alone, figures["rows"] - figures.get("suppressed_rows", 0))]
    trouble = _trouble(table, figures)
    if not trouble:
        return losing
    cut = _undivided(table, method, figures)
    if not cut and l is not None and method.protects is None:
        cut = _no_cut(table, method.name, l, counts)
    cut = cut or _ways(method, figures, recode, l)
    return [*losing, Remark("note", Message.of(trouble, cut))]


def dates_as_names(table: Table) -> list[Remark]:
    """That dates are published as names, each by itself, because nobody said that they are dates, or in which order."""
    names_by_looks: dict[Nature, list[str]] = {}
    for i in table.having(Role.QUASI):
        attribute = table.attributes[i]
        if attribute.kind is Kind.CATEGORY and attribute.taxonomy is None and len(attribute) > FEW_DATES:
            nature = looks_of(attribute.values).nature
            if nature is not None and nature.orders:
                names_by_looks.setdefault(nature, []).append(attribute.name)
    return [
        Remark(
            "note",
            Message(
                "{names} {look} like {looks}, and each is a category of its own, in no order; {so}",
                names=Names(tuple(map(repr, names))),
                look="looks" if len(names) == 1 else "look",
                looks=looks.words,
                so=Term(
                    "say date order",
                    f'say kind = "date" and date_order = {_orders(looks)} in a schema (pellucid init drafts one)',
                ),
            ),
        )
        for looks, names in names_by_looks.items()
    ]


def texts_among_numbers(table: Table, source: Any) -> list[Remark]:
    """That a column which others may know is one of texts because of few cells, where nobody said that texts are meant.

    >>> import pellucid as pc
    >>> frame = pl.DataFrame({"age": [*map(str, range(20, 50)), "3x"], "ill": ["flu", "gout", "cold"] * 10 + ["flu"]})
    >>> [remark] = texts_among_numbers(pc.read(frame, quasi="age", sensitive="ill"), frame)
    >>> remark.text.partition(";")[0]
    "1 of 31 values of 'age' is no number ('3x'), so that all of them are texts in no order"
    """
    remarks = _with_decimal_commas(table)
    for i in (*table.having(Role.QUASI), *table.having(Role.CARRY)):
        attribute = table.attributes[i]
        said = table.schema.columns[attribute.name].kind if table.schema is not None else None
        known = attribute.values.drop_nulls()
        if attribute.kind is not Kind.CATEGORY or said or attribute.taxonomy is not None or known.dtype != pl.String:
            continue
        null = len(attribute.values) - len(known)  # its code is 0

        def counts(i: int = i, null: int = null) -> NDArray[np.int64]:
            return frequencies(table.codes[i], len(table.attributes[i]))[null:]

        with filled_in(None if table.schema is None else table.schema.file):
            odd = odd_cells(known.alias(attribute.name), counts)
            odd = odd and odd.found_in(attribute.name, partial(line_in, source))
        if odd is not None:
            ways = (
                f"correct {odd.them}, list {odd.them} in {odd.missing} in a schema (pellucid init drafts one), or say "
                'kind = "category" there if texts are meant'
            )
            remarks.append(Remark("note", Message.of(odd.problem(f" of {attribute.name!r}"), odd.correct(ways))))
    return remarks


def codes_among_numbers(table: Table) -> list[Remark]:
    """That numbers which others may know have codes such as 99 for a missing one, where nobody said what is missing.

    >>> import pellucid as pc
    >>> frame = pl.DataFrame({"age": [*range(20, 60), 99, 99], "ill": ["flu", "gout"] * 21})
    >>> [remark] = codes_among_numbers(pc.read(frame, quasi="age", sensitive="ill"))
    >>> remark.text.partition(";")[0]
    '99 in 2 rows of age looks like a code for a missing value, and is taken for a number'
    """
    remarks = []
    for i in (*table.having(Role.QUASI), *table.having(Role.CARRY)):
        attribute = table.attributes[i]
        said = None if table.schema is None else table.schema.columns.get(attribute.name)
        if attribute.kind is not Kind.NUMBER or (said is not None and (said.kind or said.missing)):
            continue
        values = attribute.values.gather(series_of(table.codes[i])).cast(pl.Float64)
        for code in missing_codes(values):
            told = Message(
                "{code} in {rows} of {column} looks like a code for a missing value, and is taken for a number; if it "
                "is one, write {missing} under {column} in a schema (pellucid init drafts it)",
                code=code,
                rows=counted(int((values == float(code)).sum()), "row"),
                column=attribute.name,
                missing=f'missing = ["{code}"]',
            )
            remarks.append(Remark("warning", told))
    return remarks


def _with_decimal_commas(table: Table) -> list[Remark]:
    """That published columns look like numbers with a decimal comma and are texts in no order.

    >>> import pellucid as pc
    >>> frame = pl.DataFrame({"pay": [f"{n},50" for n in range(40)], "ill": ["flu", "gout"] * 20})
    >>> [remark] = _with_decimal_commas(pc.read(frame, quasi="pay", sensitive="ill"))
    >>> remark.text.partition(";")[0]
    "'pay': numbers with a decimal comma were read as texts in no order"
    """
    known = {} if table.schema is None else table.schema.columns
    texts = [
        attribute.name
        for attribute in table.attributes
        if attribute.kind is Kind.CATEGORY
        and attribute.values.dtype == pl.String
        and (attribute.name not in known or known[attribute.name].kind is None)
        and attribute.role in (*OF_GROUP, Role.SENSITIVE)
        and has_decimal_commas(attribute.values.drop_nulls())
    ]
    if not texts:
        return []
    what = "{names}: numbers with a decimal comma were read as texts in no order; say {decimal}, or {category} if meant"
    names, decimal = listed(texts), file_key("decimal", ",")
    return [Remark("warning", Message(what, names=names, decimal=decimal, category=quoted_key("kind", "category")))]


def free_text(table: Table) -> list[Remark]:
    """That a column which others may know is text that somebody wrote: a group shows whole texts of it.

    >>> import polars as pl, pellucid as pc
    >>> texts = [f"visit {i}: wants to come back next week with the family" for i in range(101)]
    >>> frame = pl.DataFrame({"note": texts, "age": range(101), "ill": ["flu"] * 50 + ["gout"] * 51})
    >>> [remark.text.partition(";")[0] for remark in free_text(pc.read(frame, quasi=["note", "age"], sensitive="ill"))]
    ["'note' looks like free text (101 different ones of 54 characters on average), which may name people"]
    """
    remarks = []
    for i in (*table.having(Role.QUASI), *table.having(Role.CARRY)):
        attribute = table.attributes[i]
        texts = attribute.values.drop_nulls() if attribute.kind is Kind.CATEGORY else attribute.values.clear()
        if texts.dtype != pl.String or len(texts) <= MANY_TEXTS or attribute.taxonomy is not None:
            continue
        length = float(texts.str.len_chars().mean() or 0.0)  # type: ignore[arg-type]
        if length > LONG_TEXT:
            remarks.append(
                Remark(
                    "warning",
                    f"{attribute.name!r} looks like free text ({len(texts):,} different ones of {length:.0f} "
                    "characters on average), which may name people; groups show whole texts, so drop the column, or "
                    "make a few classes of it",
                )
            )
    return remarks


def bounds_of_strata(table: Table, method: Method, release: Release, threads: int = 1) -> list[Message]:
    """For how many people the bound is 1/l, and for how many the share in their stratum: nobody may read 1/l there.

    >>> import pellucid as pc
    >>> frame = pl.DataFrame({"age": [20, 20, 21, 21, 60, 60, 61, 61], "ill": list("aabcaaab")})
    >>> table, method = pc.read(frame, quasi="age", sensitive="ill"), pc.Strata(l=2, size=4)
    >>> bounds_of_strata(table, method, pc.publish(table, method))
    ['the bound is 1/2 for 4 of 8 people (50 %), and for 4 people in 1 stratum the share of the value there, up to \
75 %']

    Of groups that are published alike the largest share counts: whoever cannot tell them apart may believe it. Of
    several sensitive columns each has its own.
    """
    grouping = release.private.grouping
    if not isinstance(method, CutBetweenCodes):
        return []
    alike = published_alike(table, grouping, release.public.recipe.recoder, threads)
    above, shares, sizes = {}, method.beyond(table, grouping), sizes_applying(table, grouping)
    for column, beyond in shares.items():
        largest = np.zeros(int(alike.max()) + 1)
        np.maximum.at(largest, alike, np.where(sizes[column], beyond, 0))
        above[column] = Above.of(largest[alike], sizes[column])
    return beyond_the_bound(method, above, int(grouping.sizes.sum()))


def strata_that_mix(pins: Sequence[Mapping[str, Any]]) -> list[Remark]:
    """That strata leave columns open by which attackers may know statistics, where they do.

    >>> strata_that_mix([{"column": "sex", "how": "constant"}, {"column": "age", "how": "mixed", "alone": 0.1}])[0].text
    'strata mix age: statistics by it are not covered; name it in same=, or coarsen it'
    """
    mixed = [pin["column"] for pin in pins if pin["how"] == "mixed"]
    told = "strata mix {columns}: statistics by {them} are not covered; name {them} in {SAME}, or coarsen {them}"
    them = "it" if len(mixed) == 1 else "them"
    return [Remark("warning", Message(told, columns=Names(mixed), them=them))] if mixed else []


def strata_of_no_use(table: Table, method: Method, grouping: Grouping) -> list[Remark]:
    """That there is one stratum, and which columns no stratum can be divided for."""
    if not isinstance(method, CutBetweenCodes) or method.promises_nothing:
        return []
    found, beyond = [], method.beyond(table, grouping)
    if grouping.strata is not None and int(grouping.strata.max()) == 0:
        told = Message(
            "there is one stratum: no cut by quasi-identifiers leaves {size} people on both sides, so no statistic by "
            "them is covered",
            size=method.whole_from,
        )
        found.append(Remark("note", told))
    for column, of_column in beyond.items():
        if isinstance(method, DiverseAsPublished) and (of_column > 0).all():
            found.append(_no_stratum_divided(table, method, grouping, column))
    return found


def _no_stratum_divided(table: Table, method: DiverseAsPublished, grouping: Grouping, column: str) -> Remark:
    """That no stratum allows the l of a column, and what would do."""
    l = method.protecting(column).l
    held = {of.name: (of, counts) for of, counts in sensitive_counts(table)}.get(column)
    others = "" if held is None or method.about(column) is not None else protect_only(*held, len(table), l)
    told = Message(
        "no stratum allows l = {l} of {column}, so all {people} are in strata published whole; a smaller l or "
        "some values only would do, if they are chosen before anybody looks at the values{others}",
        l=l,
        column=column,
        people=Count(int(grouping.sizes.sum()), "person", "people"),
        others=Message(": {others}{by}", others=others, by=BY_VALUES) if others else "",
    )
    return Remark("note", told)


def huge_groups(table: Table, method: Method, grouping: Grouping) -> list[Remark]:
    """That many rows are in few groups, each many times as large as most; sizes and quasi-identifiers alone tell it.

    Rows that agree in every quasi-identifier lose nothing by being many, and full-domain recoding makes no groups of
    like size.

    >>> import pellucid as pc
    >>> frame = pl.DataFrame({"age": range(109), "ill": ["flu", "gout", "cold"] * 36 + ["cold"]})
    >>> table = pc.read(frame, quasi="age", sensitive="ill")
    >>> grouping = Grouping.from_labels(np.array([*np.repeat(np.arange(16), 3), *[16] * 61], np.int32))
    >>> [remark.text.partition(",")[0] for remark in huge_groups(table, pc.SoftCut(l=3), grouping)]
    ['56 % of the rows are in one group of 61 rows that were not divided further']
    """
    l, sizes = getattr(method, "l", None), grouping.sizes
    if (
        l is None
        or method.whole_from is not None
        or method.recoder == "taxonomy"
        or len(sizes) < 2
        or int(sizes.max()) <= HUGE * l
    ):
        return []
    usual = int(np.partition(sizes, (len(sizes) - 1) // 2)[(len(sizes) - 1) // 2])
    large = np.flatnonzero(sizes > HUGE * max(usual, l))
    if int(sizes[large].sum()) > MUCH * int(sizes.sum()):  # else nobody needs to look at the rows
        large = large[_differ(table, grouping, large)]
    share = int(sizes[large].sum()) / int(sizes.sum())
    if share <= MUCH:
        return []
    least, most = int(sizes[large].min()), int(sizes[large].max())
    rows = f"{most:,} rows" if least == most else f"{least:,} to {most:,} rows"
    ways = ["use a smaller l"] if l > 2 else []
    can_choose = isinstance(method, ProtectingMethod) and method.values is None
    ways += [Message("protect fewer values{by}", by=BY_VALUES)] if can_choose else []
    return [
        Remark(
            "note",
            Message.of(
                f"{percent(share)} of the rows are in {'one group' if len(large) == 1 else f'{len(large):,} groups'} "
                f"of {rows} that were not divided further, and half of all groups have at most "
                f"{counted(usual, 'row')}",
                Message.joined(ways, ", or ") if ways else "",
            ),
        )
    ]


def _differ(table: Table, grouping: Grouping, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Of which of these groups the rows differ in some quasi-identifier."""
    sizes = grouping.sizes[groups]
    begins = np.cumsum(sizes) - sizes
    rows = grouping.members[np.arange(int(sizes.sum())) + np.repeat(grouping.starts[groups] - begins, sizes)]
    differ = np.zeros(len(groups), np.bool_)
    for i in table.having(Role.QUASI):
        codes = table.codes[i][rows]
        differ |= np.minimum.reduceat(codes, begins) != np.maximum.reduceat(codes, begins)
    return differ


def without_taxonomies(table: Table, method: Method, kept: Mapping[str, float]) -> list[Remark]:
    """That a method which climbs taxonomies published ``*`` in columns that have none; ``kept`` of each column.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease")
    >>> [remark] = without_taxonomies(table, pc.Incognito(k=2), {"age": 0.0, "zipcode": 1.0})
    >>> remark.text.partition(";")[0]
    "'age' has no taxonomy, so incognito publishes its values as they are or as *, and here it is *"
    """
    if method.recoder != "taxonomy":
        return []
    quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
    starred = [one for one in quasi if one.taxonomy is None and kept.get(one.name) == 0 and len(one) > 1]
    if not starred:
        return []
    examples = dict.fromkeys(EXAMPLES_OF_TAXONOMIES[attribute.kind] for attribute in starred)
    names, one = " and ".join(repr(attribute.name) for attribute in starred), len(starred) == 1
    return [
        Remark(
            "note",
            f"{names} {'has' if one else 'have'} no taxonomy, so {method.name} publishes {'its' if one else 'their'} "
            f"values as they are or as *, and here it is *; give {'it' if one else 'them'} a taxonomy in the schema, "
            f"such as {' or '.join(f'taxonomy = {example}' for example in examples)}",
        )
    ]


def _orders(looks: Nature) -> str:
    """What a schema says of dates that look so; both where they do not tell.

    >>> both = "dates written day/month/year or month/day/year"
    >>> _orders(Nature("dates", "other notation", both, ("dmy", "mdy")))
    '"dmy" or "mdy"'
    """
    return " or ".join(f'"{order}"' for order in looks.orders)


def _ways(method: Method, figures: Mapping[str, Any], recode: str, l: int | None) -> Message:
    """What helps a release that tells hardly anything, as far as that is known."""
    alone = figures["groups"] == 1
    ways = ["a smaller l" if l is not None else "a weaker requirement"]
    if not (alone and method.name == "tailor"):  # whether Tailor cuts at all depends on sensitive values alone
        ways.append("fewer quasi-identifiers")
    coarse = RECODERS[recode].coarse and not alone
    ranges = Message("{recode}", recode=RECODE.such_as("intervals"))
    return Message("use {ways}", ways=Message.joined([ranges, *ways] if coarse else ways, ", or "))


def _undivided(table: Table, method: Method, figures: Mapping[str, Any]) -> Message:
    """That a table has too many combinations of sensitive values to be divided; empty where that is not so."""
    columns = table.having(Role.SENSITIVE)
    if figures["groups"] > 1 or len(columns) < 2 or not isinstance(method, ProtectingMethod):
        return Message("")
    marks = [method.protected(table.attributes[i]) for i in columns]
    many = len(Vectors.of([table.codes[i] for i in columns], marks).parts)
    names = " and ".join(table.attributes[i].name for i in columns)
    if many <= MOST_VECTORS:
        return Message("")
    return Message(
        "{names} have {many:,} different combinations of values, too many to divide where one value "
        "has nearly one row in l; use a smaller l, coarser values, or protect some values only",
        names=names,
        many=many,
    )


def standing_alone(method: Method, alone: int, rows: int) -> list[Remark]:
    """Where some values only are protected, rows may stand alone, and whoever finds one knows all the rest of it."""
    about = method.protects
    if about is None or not alone or (method.whole_from is None and "k" not in type(method).model_fields):
        return []
    from pellucid.audit.protected import in_words  # here: it brings the whole audit along

    named = in_words(dict(about)) if isinstance(about, Mapping) else " and ".join(map(in_quotes, about))
    return [
        Remark(
            "note",
            Message(
                "{share} of the rows ({alone:,} of {rows:,}) are each a group of their own and published as they are, "
                "because nothing but {named} is protected; use {way} for groups of at least {least} rows",
                share=Share(alone / rows),
                alone=alone,
                rows=rows,
                named=named,
                way=LEAST_ROWS.such_as(5) if method.whole_from is None else INSIDE.such_as("none"),
                least=method.whole_from or 5,
            ),
        )
    ]


def rising(table: Table, method: Method) -> list[Remark]:
    """How many times as likely as before a protected value may become, where only some are protected.

    It is computed from the share of the value in the whole table. With an l of at least 1 / (t times the share) it is
    at most t times.
    """
    told = []
    for column in table.having(Role.SENSITIVE):
        attribute = table.attributes[column]
        model, about = method.satisfied_below(attribute.name), method.about(attribute.name)
        if about is None or not isinstance(model, LDiversity) or model.l == 1:
            continue
        counts = frequencies(table.codes[column], len(attribute))
        if method.as_one and len(about) > 1:
            attribute, merged, name = merged_column(attribute, table.codes[column], tuple(about))
            about, counts = (name,), frequencies(merged, len(attribute))
        codes = [code for code in codes_meant(about, attribute) if counts[code]]
        rarest = min(codes, key=lambda code: counts[code], default=None)
        if rarest is None or len(table) < TIMES * int(counts[rarest]) * model.l:
            continue
        share = Fraction(int(counts[rarest]), len(table))
        needed = ceil(1 / (LIMIT * share))
        more = min(needed, max(LARGE_L, 2 * model.l))
        way = "; l = {needed:,} would make it {limit}, and leave little of the table: merge {value} with like values"
        told.append(
            Message(
                "{column} = {value}: {share} of all people have it, and up to 1/{l} of a group, {times} times as many. "
                "With l = {more} it is at most {limit} times as many{far}",
                column=attribute.name,
                value=Value(attribute.values[rarest]),
                share=Share(share, 1),
                l=model.l,
                times=round(1 / (model.l * share)),
                more=more,
                limit=LIMIT if more == needed else ceil(1 / (more * share)),
                far=""
                if more == needed
                else Message(way, needed=needed, limit=LIMIT, value=Value(attribute.values[rarest])),
            )
        )
    return [Remark("note", text) for text in told]


def k_above_l(table: Table, method: Method) -> list[Remark]:
    """That an l as large as k makes groups of k rows too: a stronger promise, and often smaller groups."""
    k, l = getattr(method, "k", None), getattr(method, "l", None)
    if not isinstance(method, ProtectingMethod) or k is None or not isinstance(l, int) or k <= l:
        return []
    more = min(k, largest_feasible(table, values=method.protects).largest)
    if more <= l:
        return []
    text = Message(
        "k = {k} is above l = {l}. Groups have at least {k} rows with l = {more} too, which promises more and may keep "
        "more: try it",
        k=k,
        l=l,
        more=more,
    )
    return [Remark("note", text)]


def certain_of_one(table: Table, method: Method, release: Release, threads: int = 1) -> list[Remark]:
    """That everybody in some groups has one of several protected values, of which each by itself stays a guess."""
    columns = [i for i in table.having(Role.SENSITIVE) if protects_several(method, table.attributes[i].name)]
    if not columns:
        return []
    grouping = release.private.grouping
    read = as_read(grouping, published_alike(table, grouping, release.public.recipe.recoder, threads))
    told = [one_or_another(method, Groups.of(read.labels, table.codes[i], table.attributes[i])) for i in columns]
    return [Remark("warning", text) for text in told if text]


def intersecting_rows(table: Table, release: Release) -> list[Remark]:
    """What intersecting the groups of a person's rows gives, where some people have several."""
    persons, grouping = table.persons, release.private.grouping
    if persons is None or persons.leaves_one:
        return []
    told = []
    for column in table.having(Role.SENSITIVE):
        found = intersected(persons.numbers, grouping.labels, table.codes[column])
        told.append(
            Message(
                "{people:,} people have several rows. {told}",
                people=len(found.persons),
                told=found.told(table.attributes[column].name),
            )
        )
    return [Remark("warning", text) for text in told]


def _trouble(table: Table, figures: Mapping[str, Any]) -> Message:
    """In what way the release tells hardly anything; empty when it does."""
    if figures["groups"] == 1:
        return Message("all rows are in one group")
    kept = [figures["information_kept"][table.attributes[i].name] for i in table.having(Role.QUASI)]
    if max(kept) < LITTLE:
        return Message("less than {little} of every quasi-identifier is kept", little=Share(LITTLE))
    return Message("")


def _ways_to_cut(method: str, largest: int, others: str, by: Term) -> list[str]:
    """What helps where a cut needs a smaller l, up to the ``largest``, or ``others`` to be left unprotected ``by``."""
    ways: list[str] = [Message("{method}", method=METHOD.such_as(STRICT))] if method == "tailor" else []
    ways += [f"l = {largest} or less"] if largest >= 2 else []
    ways = ways or ["fewer quasi-identifiers"]
    return ways + ([Message("{others}{by}", others=others, by=by)] if others else [])


def _no_cut(table: Table, method: str, l: int, counts: Mapping[int, NDArray[np.int64]] | None) -> Message:
    """Why Tailor, alone or in another method, was sure of no cut of the whole table, and what helps; else empty."""
    if method not in ("tailor", "hybrid", "soft-cut"):
        return Message("")
    counts = counts or {i: np.bincount(table.codes[i]) for i in table.having(Role.SENSITIVE)}
    column = max(counts, key=lambda i: int(counts[i].max()))
    most, rows = int(counts[column].max()), int(counts[column].sum())
    if rows >= 2 * l * most:
        return Message("")
    attribute = table.attributes[column]
    value = attribute.values[int(counts[column].argmax())]
    others = protect_only(attribute, counts[column], rows, 2 * l) if method != "tailor" else ""
    ways = _ways_to_cut(method, rows // (2 * most), others, BY_VALUES if len(counts) == 1 else BY_SCHEMA)
    trouble, sure = ("SoftCut was sure of no cut", "that") if method == STRICT else ("Tailor could not cut", "a cut")
    return Message(
        "{trouble}: {value} is the {name} of {share} of the rows and {sure} needs at most 1/(2 l) = 1/{parts}; use "
        "{ways}",
        trouble=trouble,
        value=Value(None) if value is None else repr(value),
        name=attribute.name,
        share=Share(most / rows),
        sure=sure,
        parts=2 * l,
        ways=Message.joined(ways, ", or "),
    )
