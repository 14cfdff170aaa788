"""What a comparison recommends, in sentences: what is kept, who is above the promise, and how it was chosen."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.comparison.cell import Cell, Guesses
from pellucid.comparison.weighing import LOSS, QUERIES, Weighing, believed
from pellucid.messages import Count, Figure, Message, People, Share
from pellucid.messages.terms import MORE_TIME
from pellucid.text.figures import counted, percent
from pellucid.text.figures import figure as in_digits

WHO = ", so that it tells who is in the table"
MOST_REASONS = 3  # why settings have no release
NOTHING = "says nothing about the quasi-identifiers"


def recommendation(weighing: Weighing) -> Message:
    """The best method at the largest l that was asked for and has a safe release."""
    recommended = weighing.recommended()
    if recommended is None:
        return Message("No release was found to be safe: {why}", why=why_none(weighing.cells))
    return _after_each_other(told(weighing, recommended), _ahead_in_the_chart(weighing, recommended))


def _after_each_other(*sentences: str) -> Message:
    return Message.joined([sentence for sentence in sentences if sentence], " ")


def _ahead_in_the_chart(weighing: Weighing, chosen: Cell) -> Message:
    """The release that a chart shows to be better in both, and why it is not recommended; empty where there is none."""
    other = weighing.ahead(chosen)
    if other is None or _shown(weighing, other) == _shown(weighing, chosen):
        return Message("")
    return Message(
        "{title} at {setting} is ahead in the chart ({name} {other} against {chosen}, largest risk {risk:.3g} against "
        "{least:.3g}), but tells less: its loss, what cells leave open, is {loss} against {chosen_loss}.",
        title=title(other),
        setting=other.setting,
        name=weighing.main["name"],
        other=figure(weighing, other),
        chosen=figure(weighing, chosen),
        risk=believed(other),
        least=believed(chosen),
        loss=value_of(other, LOSS),
        chosen_loss=value_of(chosen, LOSS),
    )


def _shown(weighing: Weighing, cell: Cell) -> tuple[Figure, str]:
    """Where a release stands in the chart, as far as the digits tell."""
    return figure(weighing, cell), f"{believed(cell):.3g}"


def how_chosen(weighing: Weighing) -> str:
    """How the recommendation is made, in figures; empty where there is none."""
    chosen = weighing.recommended()
    if chosen is None:
        return ""
    name = weighing.main["name"]
    attackers = " or ".join(dict.fromkeys(risk.adversary for risk in chosen.counted if risk.ran))
    rule = f"How it is chosen: only releases that are safe against somebody who {attackers} are considered. "
    rule += _set_aside(weighing, chosen)
    if weighing.with_detail:
        rule += f"Of each l the one with the highest mean of {accuracy_of(weighing)} (1 less {name}) and detail "
        rule += "(1 less loss) counts. "
    elif weighing.shares:
        rule += f"Of each l the one with the most accuracy (1 less {name}) counts. "
    else:
        rule += f"Of each l the one with the best {name} counts. "
    rule += f"Named is the one at the largest l that has a safe release: {title(chosen)} at {chosen.setting} has "
    rule += f"{number(weighing.kept(chosen))}"
    other = weighing.ahead(chosen)
    rule += ". " if other is None else f", {title(other)} at {other.setting} {number(weighing.kept(other))}. "
    rule += "No figure chooses l or size: they depend on values, and who chooses l or size by them leaves the promise."
    return _after_each_other(rule, _with_own_bounds(weighing.cells))


def _with_own_bounds(cells: Sequence[Cell]) -> Message:
    """What "above 1/l" counts where people have bounds of their own, where that is so."""
    some = [cell for cell in cells if cell.own is not None and cell.own[0]]
    if not some:
        return Message("")
    told = "Rows of {method} are compared with their own bound, which is not 1/l for {largest}."
    each = [
        Message(
            "{people:,} of {rows:,} at {setting} (up to {most})",
            people=cell.own[0],
            rows=cell.rows,
            setting=cell.setting,
            most=Share(cell.own[1]),
        )
        for cell in some
        if cell.own is not None
    ]
    return Message(told, method=title(some[0]), largest=Message.joined(each, ", "))


def _set_aside(weighing: Weighing, chosen: Cell) -> Message:
    """Which safe releases are not weighed at all, and why; empty where all are."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for cell in weighing.set_aside():
        reasons.setdefault((cell.method, _why_aside(cell, chosen)), []).append(cell.setting)
    parts = []
    for (method, why), settings in reasons.items():
        safe = sum(cell.safe and cell.method == method for cell in weighing.cells)
        where = "" if len(settings) == safe else f" at {', '.join(settings)}"
        parts.append(f"{method}{where} ({why})")
    return Message("Not weighed, though safe: {parts}. ", parts="; ".join(parts)) if parts else Message("")


def guesses(right: Guesses) -> Message:
    """How often the strongest attacker with statistics is right, with the release and without."""
    if right.right is None or right.alone is None or right.frequent is None:
        return Message("not known: {why}", why=Message(right.why))
    above = "" if right.above is None else above_bound(right)
    return Message.joined([*([above] if right.some and above else []), _best_guesses(right)], "; ")


def above_bound(right: Guesses) -> Message:
    """Of how many people the strongest attacker believes more than 1/l, with the release and without, and rightly."""
    assert right.above is not None
    alone, rightly_alone, people, rightly = right.above
    told = "{people} above 1/l, {share} rightly ({alone}, {share_alone} without; {base} of all)"
    return Message(
        told,
        people=f"{people:,}",
        share=Share(rightly / max(people, 1)),
        alone=f"{alone:,}",
        share_alone=Share(rightly_alone / max(alone, 1)),
        base=Share(right.base or 0.0, 1),
    )


def _best_guesses(right: Guesses) -> Message:
    return Message(
        "{right} with the release, {alone} without (statistics {who}; the most frequent value alone {frequent})",
        right=Share(right.right or 0.0, 1),
        alone=Share(right.alone or 0.0, 1),
        who=Message(right.who),
        frequent=Share(right.frequent or 0.0, 1),
    )


def explained(weighing: Weighing, text: str) -> Message:
    """What a share of the accuracy means, if that is said."""
    if not (weighing.main["name"] == QUERIES and f"% of the {accuracy_of(weighing)} of" in text):
        return Message("")
    return Message(
        ' "Keeps N % of the query accuracy" divides 1 less the mean error of random counts made with one release by '
        "the same of the other."
    )


def _why_aside(cell: Cell, chosen: Cell) -> Message:
    """Why a safe release is not weighed beside the one that was chosen."""
    if cell.says_nothing and not chosen.says_nothing:
        return Message(NOTHING)
    if chosen.promised and not cell.promised:
        return Message("does not promise it")
    return Message("publishes exact quasi-identifiers, so that its accuracy cannot be compared")


def _with_the_same_promise(weighing: Weighing, mine: Cell) -> list[Cell]:
    """The other releases that were made and measured with the same bound."""
    same = [cell for cell in weighing.cells if cell.bound == mine.bound and cell is not mine]
    return [cell for cell in same if not cell.refused and weighing.value(cell) > float("-inf")]


def told(weighing: Weighing, mine: Cell) -> Message:
    """What is said for a safe release, beside the others with the same promise."""
    others = _with_the_same_promise(weighing, mine)
    rivals = [cell for cell in others if cell.exact <= mine.exact and cell.says_nothing <= mine.says_nothing]
    text: list[str] = [_against_rivals(weighing, mine, rivals)]
    if not mine.promised:
        text.append(f"{title(mine)} does not promise it: on another table somebody may be above.")
    if mine.says_nothing:
        text.append(f"It {NOTHING} ({counted(mine.groups, 'group')}); nothing that says more was found to be safe.")
    if mine.exact:
        text.append(f"It publishes everybody's exact quasi-identifiers{WHO}.")
    else:
        text += _better_but(weighing, mine, others)
    return _after_each_other(*text, "" if mine.rest is None else mine.rest["sentence"])


def _better_but(weighing: Weighing, mine: Cell, others: Sequence[Cell]) -> list[Message]:
    """Releases that are more accurate and as safe, each with the drawback for which it was not taken."""
    better = [cell for cell in others if cell.safe and weighing.value(cell) > weighing.value(mine)]
    exact = [cell for cell in better if cell.exact]
    text = _best_but(weighing, mine, exact, f"publishes everybody's exact quasi-identifiers{WHO}")
    if mine.says_nothing:
        return text
    return [*text, *_best_but(weighing, mine, [cell for cell in better if cell.says_nothing], NOTHING)]


def _best_but(weighing: Weighing, mine: Cell, better: Sequence[Cell], drawback: str) -> list[Message]:
    """The best of the releases that are more accurate and have this drawback; empty where there are none."""
    if not better:
        return []
    best = max(better, key=weighing.value)
    return [
        Message(
            "{title} is more accurate ({name} {best} against {mine}) and as safe, but {drawback}.",
            title=title(best),
            name=weighing.main["name"],
            best=figure(weighing, best),
            mine=figure(weighing, mine),
            drawback=drawback,
        )
    ]


def _against_rivals(weighing: Weighing, mine: Cell, others: Sequence[Cell]) -> Message:
    """What is kept of the best release that does not promise as much, and what is known against that one."""
    setting, promise = (
        f"{title(mine)} at {mine.setting}",
        f"has no row above {mine.promise}" if mine.own is None else _within_own(mine, mine.own),
    )
    rivals = [cell for cell in others if cell.method != mine.method and not (cell.safe and cell.promised)]
    if not rivals:
        rank = _rank_among_safe(weighing, mine, others)
        return Message(
            "{setting} {promise}{rank} ({name} {mine}).",
            setting=setting,
            promise=promise,
            rank=rank,
            name=weighing.main["name"],
            mine=figure(weighing, mine),
        )
    rival = max(rivals, key=weighing.value)
    return Message(
        "{setting} {kept} and {promise}; {risk}.",
        setting=setting,
        kept=_kept_of(weighing, mine, rival),
        promise=promise,
        risk=_risk_of(rival),
    )


def _within_own(cell: Cell, own: tuple[int, float]) -> Message:
    """That nobody is above what the promise allows of them, and that this is not 1/l of everybody."""
    if not own[0]:
        return Message("has no row above {limit}", limit=cell.promise)
    return Message(
        "has no row above its own bound ({limit} for {others:,} of {rows:,}, for {people:,} the share in their "
        "stratum, up to {most})",
        limit=cell.promise,
        others=cell.rows - own[0],
        rows=cell.rows,
        people=own[0],
        most=Share(own[1]),
    )


def _rank_among_safe(weighing: Weighing, mine: Cell, others: Sequence[Cell]) -> Message:
    """How a release stands among those of other methods that promise as much; empty where there are none."""
    count = len({cell.method for cell in others} - {mine.method})
    most = all(weighing.value(mine) >= weighing.value(cell) for cell in others)
    rank = "is the most accurate" if most else "has the highest mean of accuracy and detail"
    return Message(" and {rank} of {count} safe methods", rank=rank, count=count + 1) if count else Message("")


def _kept_of(weighing: Weighing, mine: Cell, rival: Cell) -> Message:
    """How much of a rival's accuracy a release keeps."""
    if weighing.value(mine) >= weighing.value(rival):
        return Message("is at least as accurate as {rival}", rival=title(rival))
    if weighing.shares and weighing.accuracy(rival) > 0:
        share = percent(weighing.accuracy(mine) / weighing.accuracy(rival))
        what = accuracy_of(weighing)
        return Message("keeps {share} of the {what} of {rival}", share=share, what=what, rival=title(rival))
    return Message(
        "has a {name} of {mine} against {rival} of {title}",
        name=weighing.main["name"],
        mine=figure(weighing, mine),
        rival=figure(weighing, rival),
        title=title(rival),
    )


def _counted_reasons(above: int, refused: int, unknown: int) -> list[str]:
    """How many settings are not safe, not feasible, or not known, as far as there are any."""
    counts = {
        f"{above} {'has' if above == 1 else 'have'} rows above the promise": above,
        f"{refused} {'is' if refused == 1 else 'are'} not feasible": refused,
        f"of {unknown} it is not known whether any are, since some attack could not run or left some people open": (
            unknown
        ),
    }
    return [part for part, count in counts.items() if count]


def why_none(cells: Sequence[Cell]) -> Message:
    """Why nothing is recommended."""
    refused = [cell for cell in cells if cell.refused and not cell.failed]
    if cells and len(refused) == len(cells):
        return Message("no setting is feasible: {refused}.", refused=refused[0].refused)
    unknown = sum(cell.undecided for cell in cells)
    parts = _counted_reasons(sum(bool(cell.above) for cell in cells), len(refused), unknown)
    way_out = "; the remarks in the table say which, and what can be done" if unknown else ""
    return Message(
        "of {settings} {parts}{way_out}.",
        settings=Count(len(cells), "setting"),
        parts=", ".join(parts) or "none promises a bound",
        way_out=way_out,
    )


def reasons(cells: Sequence[Cell]) -> list[str]:
    """Why settings have no release, a sentence for each reason and the first few of many, where others have one.

    >>> some = [Cell("tailor", {"l": 2}, 2, refused="it takes no values"), Cell("ace", {"l": 2}, 2, groups=3)]
    >>> reasons(some), reasons(some[:1])
    (['No release by Tailor: it takes no values.'], [])
    """
    having: dict[str, list[str]] = {}
    for cell in cells:
        if cell.refused and title(cell) not in having.setdefault(cell.refused, []):
            having[cell.refused].append(title(cell))
    if all(cell.refused for cell in cells):
        return []  # the recommendation says it
    sentences = [f"No release by {', '.join(names)}: {reason.rstrip('.')}." for reason, names in having.items()]
    more = len(sentences) - MOST_REASONS
    return sentences[:MOST_REASONS] + ([f"{more} more in the column remarks of compare.csv."] if more > 0 else [])


def remarks(cell: Cell) -> list[str]:
    """What could not be found about a setting, and why."""
    if cell.refused:
        return [f"no release: {cell.refused}"]
    return [
        *(
            Message("not attacked by somebody who {adversary}: {how}", adversary=risk.adversary, how=risk.how)
            for risk in cell.counted
            if not risk.ran
        ),
        *(
            Message(
                "somebody who {adversary} may take {more:,} more {people} above 1/l: {why}",
                adversary=risk.adversary,
                more=risk.unsure,
                people=People(),
                why=risk.why,
            )
            for risk in cell.counted
            if risk.unsure
        ),
        *cell.asides,
        *_own_bounds(cell),
        *(f"no {score['metric']}: {score['meaning']}" for score in cell.scores if score["value"] is None),
    ]


def _own_bounds(cell: Cell) -> list[str]:
    """Of how many people the bound is another than 1/l, where that is so."""
    if cell.own is None:
        return []
    told = Message(
        "the bound is {limit} for {others:,} people, and for {people:,} the share in their stratum, up to {most}",
        limit=cell.promise,
        others=cell.rows - cell.own[0],
        people=cell.own[0],
        most=Share(cell.own[1]),
    )
    return [told]


def accuracy_of(weighing: Weighing) -> str:
    """What 1 less the metric is called."""
    return "query accuracy" if "query" in weighing.main["name"] else f"information ({weighing.main['name']})"


def figure(weighing: Weighing, cell: Cell) -> Figure:
    """The figure that methods are compared by."""
    return Figure(cell.value(weighing.main["name"]), share=weighing.main["name"] == QUERIES)


def number(value: float | None) -> str:
    """A figure as :func:`pellucid.measure` writes it, so that one release has the same digits everywhere."""
    return "unknown" if value is None else in_digits(value)


def value_of(cell: Cell, metric: str) -> str:
    """A metric in short; empty where it was not measured."""
    value = cell.value(metric)
    return "" if value is None else in_digits(value)


def title(cell: Cell) -> str:
    """The method's name, as it begins a sentence; that of the default as everywhere else."""
    return "SoftCut" if cell.method == "soft-cut" else cell.method.replace("-", " ").capitalize()


def _left_open(cell: Cell) -> Message:
    """Of whose belief it is not known whether it is above, and why."""
    open_ = next(risk for risk in cell.counted if risk.unsure)
    why = Message(open_.why).problem
    return Message("of what somebody believes who {adversary}: {why}", adversary=open_.adversary, why=why)


def _risk_of(cell: Cell) -> Message:
    """What is known against a rival."""
    failed = [risk for risk in cell.counted if not risk.ran]
    above = cell.above or 0
    name = title(cell)
    if cell.safe:
        return Message("{name} has none on this table either, but does not promise it", name=name)
    if cell.known:
        return Message("{name} has {above:,}", name=name, above=above)
    if not failed:
        if above:
            return Message("{name} has at least {above:,}", name=name, above=above)
        return Message("{name} may have some ({left_open})", name=name, left_open=_left_open(cell))
    how = Message(failed[-1].how)
    why = how if MORE_TIME in how.terms else how.problem  # any other way out is in the remarks
    missing = Message("somebody who {name} could not be tried on it: {why}", name=failed[-1].adversary, why=why)
    if above:
        return Message("{name} has at least {above:,} ({missing})", name=name, above=above, missing=missing)
    return Message("{name} is not known to be safe ({missing})", name=name, missing=missing)
