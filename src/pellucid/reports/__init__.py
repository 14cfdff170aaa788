"""A report that a data steward can sign: one page about one release, for the file or for everybody.

The package is called so because ``pellucid.report`` is the function.

**The public report** stands beside the data, so it must tell nothing that the data does not. It is a function of two
things: the public half of the release (frames and recipe), and what the schema declares. The original is not read: not
its sensitive values, and not its quasi-identifiers either, because their range may be that of somebody who is not in
the release. So the same page comes out whatever the original is, and tests change it to see that. Of what could be told
from the public half, it tells only what is about the whole table:

- common sensitive values with their share of all rows, but not one that fewer than ten rows have;
- how many groups have how many rows, but no group, no published row, no sample;
- how far the best known models hold, but not where they are weakest;
- for each kind of attacker what is *promised*. Beliefs that an attack finds are left out, also those that an attack
  finds without the truth: the largest belief is that about one person, a count of people above a bound may be a count
  of one, and a bar of a histogram may be one person. So are sentences that explain an attack.

**The private report** has all of that, scored with the truth: figures and charts of every attacker, the worst groups
with the reasoning in words, every metric, and some groups before and after. It says on every page that it is private.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike
from typing import Any, get_args

from pellucid.anonymize.disclosure.beyond_the_bound import beyond_the_bound, told_by_strata
from pellucid.anonymize.disclosure.strata_odds import told_inside
from pellucid.anonymize.disclosure.strata_pins import sentence as pins_in_words
from pellucid.anonymize.layout.by_cuts import Above, CutBetweenCodes, larger
from pellucid.anonymize.methods import Method
from pellucid.audit import Audit
from pellucid.core.release import Release
from pellucid.core.request import shown_publicly
from pellucid.core.schema import Roles, Schema, as_roles
from pellucid.core.table import Table
from pellucid.errors import AttackError, ModelError, OutputError
from pellucid.messages import Message, Speaker, spoken_by
from pellucid.messages.speaker import told
from pellucid.metrics import Metric, Score, measure
from pellucid.metrics.open_release import published_rows
from pellucid.metrics.pre_rounding import not_counted
from pellucid.metrics.told_groups import NotWithGroups
from pellucid.models.sensitive import largest_protected
from pellucid.reports import hiding
from pellucid.reports.adversaries import AttackedColumn, attack_columns, attacked
from pellucid.reports.charts import group_sizes, shares
from pellucid.reports.contradiction import contradictions
from pellucid.reports.levels import levels_of
from pellucid.reports.naming import naming_columns
from pellucid.reports.opened import Given, given_of, schema_for, table_for
from pellucid.reports.origin import Origin, known_schema, origin_of, published_files, title_of, withheld
from pellucid.reports.page import Audience, Report, check_installed, render, versions
from pellucid.reports.pictures import Picture
from pellucid.reports.promise import assumptions_of, promise_of
from pellucid.reports.published import ReleaseFigures, published_of
from pellucid.reports.release_only import declared_for, undeclared_words
from pellucid.reports.sample import samples_of
from pellucid.reports.several_columns import each_by_itself, limits_of, one_of_several
from pellucid.reports.utility import Utility, carried_of, public_utility, utility_of
from pellucid.risk.report.attack_report import AttackReport
from pellucid.risk.views.gather import knows_the_rows
from pellucid.runtime.patience import Effort
from pellucid.runtime.progress import SILENT, Progress

__all__ = ["Audience", "Origin", "Report", "report"]


def report(  # noqa: PLR0913  (a public verb)
    release: Any,
    original: Any = None,
    *,
    audience: Audience = "private",
    title: str | None = None,
    roles: Roles | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    quasi: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    identifier: str | None = None,
    groups: Any = None,
    made_by: Method | None = None,
    metrics: Sequence[Metric] | None = None,
    attacks: AttackReport | Sequence[AttackReport] | None = None,
    scores: Sequence[Score] | None = None,
    origin: Origin | None = None,
    files: Mapping[str, str] | None = None,
    accepted: Sequence[str] = (),
    patience: float | None = None,
    spark: Any = None,
    progress: Progress = SILENT,
) -> Report:
    """A report on a release: what was published, what is promised, what attackers learn, what was lost.

    ``release``: what :func:`pellucid.publish` gave, the folder it was written to, or anybody's file or frame with what
    its columns are. ``original``: the table that it was made of; without it attackers are tried on the rows of the
    release, and nothing is measured; a public report does not look at it. ``audience``: ``"public"`` may be published
    beside the data, ``"private"`` names people and groups and is for the file.

    ``groups``: who is in which group of a release that was read from files, as publishing kept it (a file, or a number
    for each row of the original); without it a private report leaves open what its published values leave open.

    ``attacks`` and ``scores``: what :func:`pellucid.attack_all` and :func:`pellucid.measure` found, for whoever has
    that already; a private report finds them itself otherwise, with these ``metrics``, or all. A public one leaves
    them out. ``origin``: what the original is called and the checksum of its file, when ``original`` is not the path of
    that file; only the private report tells it. ``files``: checksums of the published files by name, when ``release``
    is not the folder that has them. ``accepted``: against which warnings it is released all the same, a sentence each;
    only the private report has them, above the signature, with what the recipe says was accepted. ``patience``: how
    many seconds each attacker may take; who is not done shows nothing.

    The public report of a release whose rows are with Spark is made there: Spark DataFrames, what publishing with
    Spark gave, or with a session as ``spark`` Parquet files. It is the same page, and no row comes here.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=2), **roles)
    >>> page = pc.report(release, pc.datasets.patients(), audience="public", **roles)
    >>> page.audience, "at most 1/2" in page.html, "dyspepsia" in page.html
    ('public', True, False)
    """
    _check_audience(audience)
    effort = Effort(patience, progress)
    check_installed()
    columns = as_roles(roles, schema=schema, quasi=quasi, sensitive=sensitive, identifier=identifier)
    secret = audience == "private"
    given = given_of(release, columns, made_by=made_by, secret=secret, spark=spark, progress=progress)
    if secret:
        _check_groups(groups, original)
        known = origin_of(original) if origin is None else origin
        if original is not None and not isinstance(original, Table) and not isinstance(release, Release):
            read_by = Roles(schema=schema_for(given, original, columns.identifier))
            original, _, groups = published_rows(original, read_by, groups, given.recipe)
        table = None if original is None else table_for(given, original, columns.identifier, progress)
    else:
        known, table = Origin(), None
    declared = declared_for(release, given, original, declared=columns.schema is not None)
    with spoken_by(Speaker(rows=given.counts_rows)):
        several = each_by_itself(given.audit, given.method, secret=secret)
        content = shared(given, title or told(title_of(given, known)), declared, table) | {
            "audience": audience,
            "accepted": [],
            "unsigned": "",
            "left_open": [] if several is None else [several],
            "limits": limits_of(given, several),
            "origin": known,
            "files": published_files(release, spark) if files is None else dict(files),
        }
        if not secret:
            content |= for_everybody(given, declared)
        else:
            if table is not None:  # first: it notices a table that the release was not made of, and groups
                scores = _measured(release, table, metrics, groups, scores, progress)
            own = _with_its_rows(release, given, table)
            by_column = _as_list(attacks) or attack_columns(
                own,
                given,
                table if isinstance(own, Release) else original,
                identifier=columns.identifier,
                groups=groups,
                effort=effort,
            )
            content |= for_the_file(own, given, table, by_column, scores)
            content["made_groups"] = len(release.private.grouping) if isinstance(release, Release) else None
            content |= _names_and_withheld(content["published"], release, given, table, original, columns.identifier)
            content["left_open"] += one_of_several(given.rows_here, given.method)
            content["accepted"] = [*accepted, *_accepted_known(given, accepted)]
            content["unsigned"] = _too_little_for_a_signature(own, content["attacked"], table, groups)
        progress.stage("drawing", 0)
        summary = summary_of(content, compared=original is not None)
        content["problems"] = summary["problems"]
        return Report(render(content), audience, content["title"], summary)


def _too_little_for_a_signature(
    release: Any, attacked: Sequence[AttackedColumn], table: Table | None, groups: Any
) -> Message:
    """What is to be given first where attackers could not be tried for want of it; empty where nothing is lacking."""
    if table is None:
        lacking = Message("the original, and {GROUPS}")
    elif groups is None and not isinstance(release, Release) and any(map(_misses_for_want_of_groups, attacked)):
        lacking = Message("{GROUPS}")
    else:
        return Message("")
    return Message("Not to be signed yet: attackers could not be tried. Report again with {lacking}.", lacking=lacking)


def _misses_for_want_of_groups(one: AttackedColumn) -> bool:
    """Whether an attacker could not be tried because nobody tells the groups; others have reasons of their own."""
    missed = () if one.result is None else one.result.missed
    return any("groups" in term.name for each in missed for term in Message(each.why).terms)


def _check_audience(audience: str) -> None:
    if audience not in get_args(Audience):
        raise OutputError(f"audience = {audience!r}: must be one of {', '.join(get_args(Audience))}")


def _check_groups(groups: Any, original: Any) -> None:
    if groups is not None and original is None:
        raise AttackError("{GROUPS} tells the group of each row of the original; give the original too")


def _measured(
    release: Any,
    table: Table,
    metrics: Sequence[Metric] | None,
    groups: Any,
    known: Sequence[Score] | None,
    progress: Progress,
) -> Sequence[Score]:
    """What the release is good for, with who is in which group where that tells more; groups of others are refused.

    What is ``known`` already is not measured.
    """
    if groups is not None:
        try:
            found = measure(release, table, metrics if known is None else [], groups=groups, progress=progress)
        except NotWithGroups:  # whether they are its groups, attacks notice
            pass
        else:
            return found if known is None else known
    return measure(release, table, metrics, progress=progress) if known is None else known


def _with_its_rows(release: Any, given: Given, table: Table | None) -> Any:
    """A release in memory, where its groups are of the rows of this table; else what was handed out, as of files."""
    if isinstance(release, Release) and table is not None and not knows_the_rows(release, table):
        return given.source
    return release


def _as_list(attacks: AttackReport | Sequence[AttackReport] | None) -> list[AttackReport | tuple[str, str]]:
    if attacks is None:
        return []
    return [attacks] if isinstance(attacks, AttackReport) else list(attacks)


def _accepted_known(given: Given, told: Sequence[str]) -> list[str]:
    """What the recipe says was accepted, as far as no sentence is there that tells it."""
    names = () if given.recipe is None else given.recipe.document.get("accepted_known", ())
    untold = [name for name in names if not any(other.startswith(f"{name} is published though") for other in told)]
    return [f"{name} is published though it gives a protected column away." for name in untold]


def _names_and_withheld(
    published: ReleaseFigures, release: Any, given: Given, table: Table | None, original: Any, identifier: str | None
) -> dict[str, Any]:
    """The columns that name people, and those of the original that are not published."""
    names = [column.name for column in published.columns]
    exact = [column.name for column in published.columns if column.has_values]
    return {
        "naming": () if table is None else naming_columns(table, names, exact),
        "withheld": withheld(original, known_schema(release, given), names, identifier),
    }


def shared(given: Given, title: str, schema: Schema | None, table: Table | None) -> dict[str, Any]:
    """What both audiences read, told from the public half; where the ``table`` is given, names are told by it."""
    published, promise = published_of(given, schema, table), promise_of(given)
    strata, above = None if given.recipe is None else given.recipe.document.get("strata"), _above(given)
    return {
        "title": title,
        "date": datetime.now(UTC).date(),
        "published": published,
        "promise": promise,
        "method": None if given.method is None else given.method.name,
        "assumptions": assumptions_of(
            given.method, clustered=given.clustered, parted=given.parted, of_rows=given.of_rows
        )
        if given.audit.sensitive
        else hiding.assumptions_of(of_rows=given.of_rows),
        "hidden": hiding.hidden_in(given, table),
        "contradictions": contradictions(given),
        "strata": "" if strata is None else pins_in_words(strata["pins"]),
        "bounds": _bounds(given, above),
        "telling": "" if given.method is None else told_by_strata(given.method, above),
        "pictures": [group_sizes(*published.sizes), *value_pictures(published, given)],
        "recipe": ""
        if given.recipe is None
        else json.dumps(given.recipe.document, indent=2, ensure_ascii=False, sort_keys=True),
        "asked": [] if given.recipe is None else shown_publicly(given.recipe.document),
        "versions": versions(),
        "rare": {name: values.left_out for name, values in published.values.items() if not values.shares},
        "undeclared": undeclared_words(given, schema, table),
    }


def _above(given: Given) -> dict[str, Above]:
    """Of how many rows the bound is not 1/l, by what reads as one group: the release tells that to everybody."""
    method, above = given.method, dict[str, Above]()
    if not isinstance(method, CutBetweenCodes) or not isinstance(given.audit, Audit):  # with Spark rows are not here
        return {}
    for column in given.audit.sensitive:
        groups, protected = given.audit.groups_of(column).groups, method.protecting(column)
        try:
            largest = largest_protected(*protected.model.viewed(groups))
        except ModelError:  # nobody has a protected value
            continue
        bounds = method.bounds_of(column, groups.sizes, largest)
        above[column] = Above.of(larger(bounds, 1 / protected.l), groups.sizes)
    return above


def _bounds(given: Given, above: Mapping[str, Above]) -> Message:
    """The same in words; empty where the bound is one for everybody."""
    if given.method is None or not above:
        return Message("")
    counted = Message.joined(beyond_the_bound(given.method, above, given.audit.rows, "what reads as one group"), "; ")
    told = "By what reads as one group, {bounds}. Where strata read alike, one of them may have a larger share."
    return Message(told, bounds=counted) if counted else Message("")


def value_pictures(published: ReleaseFigures, given: Given) -> list[Picture]:
    """How common values are in the whole table, beside what a group may have of one."""
    most = None if given.method is None or given.nothing else given.method.counted
    return [
        shares(
            values.shares,
            title=f"How common the values of {name} are, in all rows",
            caption=" ".join(
                filter(None, (COMMON, "" if most is None else _impossible(str(most)), values.left_out)),
            ),
            axis="share of all rows",
            name=f"values{number}",
            line=None if most is None else (float(most), str(most)),
            whole=False,
        )
        for number, (name, values) in enumerate(published.values.items())
        if values.shares
    ]


COMMON = "The bar is the share of all published rows: what somebody would guess who knows nothing of a person."


def _impossible(n_most: str) -> Message:
    return Message(
        "A protected value above {n_most} of the rows would make {n_most} impossible to promise.", n_most=n_most
    )


def for_everybody(given: Given, schema: Schema | None) -> dict[str, Any]:
    """What only the public report says; it gets what the schema declares, and nothing of the original."""
    return {
        "levels": levels_of(given.audit, everything=False),
        "attacked": (),
        "utility": public_utility(given, schema),
        "samples": (),
        "inside_strata": "",
        "withheld": (),
        "naming": (),
        "made_groups": None,
    }


def for_the_file(
    release: Any,
    given: Given,
    table: Table | None,
    reports: Sequence[AttackReport | tuple[str, str]],
    measured: Sequence[Score] | None,
) -> dict[str, Any]:
    """What only the private report says."""
    first = next((attack for attack in reports if isinstance(attack, AttackReport)), None)
    if measured is not None and not given.audit.sensitive:  # the others ask about a column that is protected
        measured = [score for score in measured if score.applies]
    return {
        "levels": levels_of(given.audit, everything=True),
        "attacked": tuple(attacked(attack, given, number) for number, attack in enumerate(reports)),
        "utility": Utility(note="The original was not given, so nothing was measured.")
        if measured is None
        else utility_of(
            measured,
            None if table is None else carried_of(release, given, table),
            () if table is None else not_counted(table),
        ),
        "samples": () if table is None else samples_of(release, given, table, first),
        "inside_strata": "" if table is None else told_inside(table, given.method),
    }


def _problems_of(content: Mapping[str, Any], *, compared: bool) -> list[str]:
    """Why nobody should sign the page: what attackers found, what counting found, each once."""
    attacks = (attack.problem(compared=compared) for attack in content["attacked"])
    counted = (one.problem for one in content["contradictions"])
    hidden = "" if content["hidden"] is None else content["hidden"].problem
    return [problem for problem in (*attacks, *counted, hidden) if problem]


def summary_of(content: dict[str, Any], *, compared: bool) -> dict[str, Any]:
    """The main figures of a page, none that the page does not show.

    ``problems`` say why nobody should sign it.
    """
    return {
        "title": content["title"],
        "rows": content["published"].rows,
        "groups": content["published"].groups,
        "files": content["files"],
        "method": content["method"],
        "guarantee": content["promise"].guarantee,
        "sentence": content["promise"].sentence,
        "verdicts": {attack.column: attack.verdict for attack in content["attacked"]},
        "hidden": "" if content["hidden"] is None else content["hidden"].verdict,
        "guessing": {attack.column: attack.guessing for attack in content["attacked"] if attack.guessing},
        "undeclared": content["undeclared"],
        "not_tried": [name for attack in content["attacked"] for name in attack.missed],
        "contradicted": " ".join(one.sentence for one in content["contradictions"]),
        "problems": _problems_of(content, compared=compared),
    }
