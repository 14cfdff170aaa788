"""One column: its role, and where it matters its kind, taxonomy, domain, order, cap and null policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from math import isfinite
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import field_validator

from pellucid.core.schema.cap import Bound, Cap, plain_bound
from pellucid.core.schema.condition import Condition
from pellucid.core.schema.explaining import Explained, a_list, broken, in_brief
from pellucid.core.schema.people import ANSWER, EXAMPLES
from pellucid.core.schema.roles import Kind, Role
from pellucid.core.schema.rounding import (
    Quantiles,
    Rounding,
    begins_a_class,
    checked_rounding,
    in_words,
    of_dates,
    public_rounding,
)
from pellucid.core.schema.taxonomy_source import KIND_OF_RULE, TaxonomySource
from pellucid.core.taxonomy import Taxonomy
from pellucid.core.taxonomy.toml_text import toml_key, toml_value
from pellucid.messages.terms import key, quoted_key
from pellucid.runtime.arguments import brief
from pellucid.text.values import label_of, listed

MOST_IMPORTANT = 100
MISSING_EXAMPLE = key("missing", '["?", "NA"]')
USUAL_DIGITS = 3  # of a group's mean weight: sums over whole groups are then right to 0.5 %
MOST_DIGITS = 6
TOLD_FACTS = (
    "missing",
    "date_order",
    "round",
    "cap",
    "order",
    "digits",
    "importance",
    "merge",
    "labels",
    "applies",
    "ruled_out",
)
ORDER_EXAMPLE = key("order", '["low", "mid", "high"]')


class Column(Explained):
    """One column: its role, and where it matters its kind, taxonomy, domain, order and null policy.

    ``missing`` lists texts that stand for a missing value, such as ``missing = ["?", "NA"]``: they are read as null.
    In a text file that happens before the column's type is inferred, so that 30, 41, ? are numbers and a null. Where
    values are numbers or dates already, the texts are compared by value: "-9" is also -9.0. The text of a frame or a
    database stays text; ``kind = "number"`` makes numbers of it, as everywhere.

    ``protect`` lists the values of a sensitive column that are to be protected, such as ``protect = ["Yes"]``; without
    it all of them are.
    ``merge = {often = ["Several", "Most"]}`` reads several values as one, and ``labels = {1 = "yes"}`` reads a value as
    a text. ``applies = "age >= 15"`` says to whom a sensitive column applies: it is null for all others, and no group
    has people of both sides. ``ruled_out = {pregnant = 'sex = "m"'}`` says who cannot have a value, likewise.
    ``people`` of a column that numbers people says what is done about those with several rows: row, person, one, first
    by DATE or last by DATE (:class:`pellucid.core.schema.people.Several`).
    ``date_order`` says how dates are written that are not ISO: dmy for 31.12.2024 or 31/12/2024, mdy for 12/31/2024,
    ymd for 2024/12/31; without it the values decide, and those that may be read in two ways are refused. ``cap`` is
    where a number or date that others may know ends (:class:`Cap`). ``round`` says how exactly a number or date is
    read: 5 (multiples), [0, 18, 65] (where its class begins), {quantiles = 5} (classes of about as many rows), of
    dates "month", "quarter" or "year". ``importance`` of a quasi-identifier, from 0.01 to 100, is how many times its
    extent counts: with 3 a method gives up more of the others before it gives up this one. ``digits``
    is for a weight: to how many significant digits the mean of a group is published, 3 unless said.

    >>> Column(role="quasi", kind="number", domain=[0, 120]).domain
    (0, 120)
    >>> Column(role="quasi", nulls="rejected")
    Traceback (most recent call last):
    pellucid.errors.SchemaError: nulls: 'rejected' is not one of value, reject; did you mean 'reject'?
    """

    role: Role
    kind: Kind | None = None
    taxonomy: TaxonomySource | None = None
    domain: tuple[Bound, Bound] | None = None
    order: tuple[str, ...] | None = None
    nulls: Literal["value", "reject"] = "value"
    missing: tuple[str, ...] = ()
    protect: tuple[str | int | float | bool, ...] | None = None

    @field_validator("protect", mode="before")
    @classmethod
    def _protected(cls, protect: object) -> object:
        if protect is None:
            return None
        given = a_list(protect, 'protect = ["Yes"]')
        for value in given:
            if not isinstance(value, str | int | float):
                raise broken(f'{in_brief(value)} is no value of a column; write texts or numbers, as in ["Yes"]')
        values = list(dict.fromkeys(given))
        if not values:
            raise broken("[] protects nothing; name at least one value, or leave protect out to protect all")
        return values

    people: str | None = None

    @field_validator("people", mode="before")
    @classmethod
    def _an_answer(cls, people: object) -> object:
        if people is None or (isinstance(people, str) and ANSWER.fullmatch(people)):
            return people
        raise broken(
            "{in_brief} is no answer; write one of {examples}, as in {example}",
            in_brief=in_brief(people),
            examples=EXAMPLES,
            example='people = "one"',
        )

    merge: dict[str, tuple[str, ...]] | None = None
    labels: dict[str, str] | None = None

    @field_validator("merge", mode="before")
    @classmethod
    def _merged(cls, given: object) -> object:
        if given is None:
            return None
        if not isinstance(given, Mapping) or not given:
            raise broken(
                "{in_brief} merges nothing; write the values of each new one, as in {example}",
                in_brief=in_brief(given),
                example=key("merge", '{often = ["Several", "Most"]}'),
            )
        example = key("merge", '{often = ["Most"]}')
        merged = {label_of(one): tuple(map(label_of, a_list(some, example))) for one, some in given.items()}
        named = [value for some in merged.values() for value in some]
        if twice := [value for value, times in Counter(named).items() if times > 1]:
            raise broken(f"{listed(twice)} is in two of them; name it once")
        return merged

    @field_validator("labels", mode="before")
    @classmethod
    def _labelled(cls, given: object) -> object:
        if given is None:
            return None
        if not isinstance(given, Mapping) or not given:
            raise broken(
                "{in_brief} labels nothing; write a text for each value, as in {example}",
                in_brief=in_brief(given),
                example=key("labels", '{1 = "yes", 2 = "no"}'),
            )
        return {label_of(value): label_of(text) for value, text in given.items()}

    @property
    def becomes(self) -> dict[str, str]:
        """What values become when they are read: others, of which several may be one."""
        merged = {value: one for one, some in (self.merge or {}).items() for value in some}
        return {**(self.labels or {}), **merged}

    applies: str | None = None
    ruled_out: dict[str, str] | None = None

    @field_validator("applies", mode="before")
    @classmethod
    def _a_condition(cls, applies: object) -> object:
        return None if applies is None else Condition.of(applies).text

    @field_validator("ruled_out", mode="before")
    @classmethod
    def _ruled_out(cls, given: object) -> object:
        if given is None:
            return None
        if not isinstance(given, Mapping) or not given:
            raise broken(
                "{in_brief} rules nothing out; write a condition for each value, as in {example}",
                in_brief=in_brief(given),
                example="""ruled_out = {pregnant = 'sex = "m"'}""",
            )
        return {label_of(value): Condition.of(condition).text for value, condition in given.items()}

    @property
    def conditions(self) -> list[str]:
        """The conditions that say who may have which of its values: no group mixes their sides."""
        return [*([self.applies] if self.applies else []), *(self.ruled_out or {}).values()]

    l: int | None = None

    @field_validator("l", mode="before")
    @classmethod
    def _an_l(cls, l: object) -> object:
        if l is None or (type(l) is int and l > 1):
            return l
        raise broken("{in_brief} is no whole number of at least 2; write l = 4", in_brief=in_brief(l))

    date_order: Literal["dmy", "mdy", "ymd"] | None = None
    cap: Cap | None = None
    round: Rounding | None = None
    importance: int | float = 1

    @field_validator("importance", mode="before")
    @classmethod
    def _times(cls, importance: object) -> object:
        try:
            times = Decimal(str(importance)) if not isinstance(importance, bool) else Decimal(0)
        except InvalidOperation:
            times = Decimal(0)
        hundredths = times * 100
        if not times.is_finite() or hundredths != int(hundredths) or not 0 < times <= MOST_IMPORTANT:
            raise broken(
                "{in_brief} is no number from 0.01 to {most_important} with at most two decimals; write importance = 3 "
                "or 2.5",
                in_brief=in_brief(importance),
                most_important=MOST_IMPORTANT,
            )
        return int(times) if times == int(times) else float(times)

    digits: int | None = None

    @field_validator("digits", mode="before")
    @classmethod
    def _few_digits(cls, digits: object) -> object:
        if digits is None or (type(digits) is int and 1 <= digits <= MOST_DIGITS):
            return digits
        raise broken(
            "{in_brief} is no number of significant digits; write a whole one from 1 to {most_digits}",
            in_brief=in_brief(digits),
            most_digits=MOST_DIGITS,
        )

    @field_validator("round", mode="before")
    @classmethod
    def _way_to_round(cls, given: object) -> object:
        return checked_rounding(given)

    @field_validator("role", "kind", "nulls", "date_order", mode="before")
    @classmethod
    def _a_word(cls, given: object) -> object:
        # what no file can hold may be anything, also what cannot be compared with a word
        return given if given is None or isinstance(given, str | int | float | list | dict) else brief(given)

    @field_validator("missing", mode="before")
    @classmethod
    def _marks(cls, missing: object) -> object:
        return list(dict.fromkeys(label_of(mark) for mark in a_list(missing, MISSING_EXAMPLE)))

    @field_validator("domain", mode="before")
    @classmethod
    def _two_bounds(cls, domain: object) -> object:
        if domain is None:
            return None
        bounds: list[Any] = [plain_bound(bound) for bound in a_list(domain, key("domain", "[0, 120]"))]
        numbers, dates = all(map(_is_number, bounds)), all(isinstance(bound, date) for bound in bounds)
        if len(bounds) != 2 or not (numbers or dates):
            raise broken(
                f"{in_brief(domain)} is not a domain; write the lowest and the highest number or date, unquoted"
            )
        try:
            ascending = _go_up(bounds)
        except TypeError:
            raise broken(f"{in_brief(domain)} mixes days, times or time zones; write both bounds alike") from None
        if not ascending:
            raise broken(f"{in_brief(domain)} does not go up between finite bounds; write the lower one first")
        return bounds

    @field_validator("order", mode="before")
    @classmethod
    def _distinct(cls, order: object) -> object:
        if order is None:
            return None
        labels = [label_of(value) for value in a_list(order, ORDER_EXAMPLE)]
        repeated = [label for label, times in Counter(labels).items() if times > 1]
        if repeated or not labels:
            raise broken(
                f"{listed(repeated)} occurs twice; name every value once"
                if labels
                else "it names no value; list all, upward"
            )
        return labels

    @classmethod
    def _agreeing(cls, made: Self) -> Self:
        if made.order is not None and made.kind is not Kind.ORDERED:
            raise broken(
                "an order needs {kind}; set it or take the order out", "order", kind=quoted_key("kind", "ordered")
            )
        if made.order is None and made.kind is Kind.ORDERED:
            raise broken("an ordered column needs its values upward, as in {example}", "kind", example=ORDER_EXAMPLE)
        cls._refuse_domain(made)
        cls._refuse_becoming(made)
        for key_name, said in (
            ("protect", made.protect),
            ("l", made.l),
            ("applies", made.applies),
            ("ruled_out", made.ruled_out),
        ):
            if said is not None and made.role is not Role.SENSITIVE:
                raise broken(
                    "{key_name} is for {role}, and the role is {made_role}; change one of the two",
                    key_name,
                    key_name=key_name,
                    role=quoted_key("role", "sensitive"),
                    made_role=made.role,
                )
        if made.people is not None and made.role not in (Role.DROP, Role.IDENTIFIER, Role.CLUSTER):
            raise broken(
                "it is for a column that numbers people, and the role is {role}; take it out, or set {drop}",
                "people",
                role=made.role,
                drop=quoted_key("role", "drop"),
            )
        if made.date_order is not None and made.kind not in (None, Kind.DATE):
            raise broken(f"it is for dates, and the kind is {made.kind}; take one of the two out", "date_order")
        cls._refuse_beside_weight(made)
        cls._refuse_cap(made)
        cls._refuse_rounding(made)
        if made.importance != 1 and made.role is not Role.QUASI:
            raise broken(
                f"it says how quasi-identifiers are weighed, and the role is {made.role}; take it out", "importance"
            )
        cls._refuse_rule(made)
        return made

    @classmethod
    def _refuse_becoming(cls, made: Self) -> None:
        """Values that become others are those of a category."""
        which = "merge" if made.merge else "labels"
        if not made.becomes:
            return
        for called, said, allowed in (
            ("kind", made.kind, (None, Kind.CATEGORY, Kind.ORDERED)),
            ("role", made.role, (Role.QUASI, Role.SENSITIVE, Role.CARRY, Role.DROP)),
        ):
            if said not in allowed:
                raise broken(
                    "{which} is for categories, and the {called} is {said}; take one of the two out",
                    which,
                    which=which,
                    called=called,
                    said=said,
                )

    @classmethod
    def _refuse_domain(cls, made: Self) -> None:
        """A domain is that of a number or a date."""
        if made.domain is None:
            return
        needed = Kind.DATE if isinstance(made.domain[0], date) else Kind.NUMBER
        if made.kind not in (None, needed):
            raise broken(
                "{in_brief} is the domain of a {needed}, and the kind is {kind}; "
                "take the domain out or set {quoted_key}",
                "domain",
                in_brief=in_brief(made.domain),
                needed=needed,
                kind=made.kind,
                quoted_key=quoted_key("kind", needed),
            )

    @classmethod
    def _refuse_beside_weight(cls, made: Self) -> None:
        """A weight is a number of which each group shows its mean; nothing else is."""
        if made.role is not Role.WEIGHT:
            if made.digits is not None:
                raise broken(
                    "digits is for {role}, and the role is {made_role}; take it out, or use "
                    "{round} to publish a column less exactly",
                    "digits",
                    role=quoted_key("role", "weight"),
                    made_role=made.role,
                    round=key("round", "5"),
                )
            return
        if made.kind not in (None, Kind.NUMBER):
            raise broken("a weight is a number, and the kind is {kind}; take the kind out", "kind", kind=made.kind)
        for name in ("taxonomy", "domain", "round", "cap", "date_order"):
            if getattr(made, name) is not None:
                raise broken(
                    "a weight is published as the mean of its group, rounded to {digits}; take {name} "
                    "out, or trim the weights in the table itself",
                    name,
                    digits=key("digits", "3"),
                    name=name,
                )

    @classmethod
    def _refuse_rule(cls, made: Self) -> None:
        """A taxonomy by a rule is for the kind that the rule is about."""
        for rule, needed in KIND_OF_RULE.items():
            if getattr(made.taxonomy, rule, None) is not None and made.kind not in (None, needed):
                raise broken(
                    "{rule} is for {kind}, and the kind is {made_kind}; change one of the two",
                    "taxonomy",
                    rule,
                    rule=rule,
                    kind=quoted_key("kind", needed),
                    made_kind=made.kind,
                )

    @classmethod
    def _refuse_cap(cls, made: Self) -> None:
        """Caps are for numbers and dates that others may know: what is protected is published as it is."""
        if made.cap is None:
            return
        if made.role in (Role.SENSITIVE, Role.IDENTIFIER, Role.CLUSTER):
            raise broken(
                f"a cap is for columns that others may know, and the role is {made.role}; take the cap out, or cap the "
                "values in the table itself",
                "cap",
            )
        needed = Kind.DATE if any(isinstance(end, date) for end in (made.cap.low, made.cap.high)) else Kind.NUMBER
        fitting = (None, needed) if made.cap.percent is None else (None, Kind.NUMBER, Kind.DATE)
        if made.kind not in fitting:
            raise broken(
                f"it caps {needed}s, and the kind is {made.kind}; take it out, or set kind = {str(needed)!r}", "cap"
            )
        if made.taxonomy is not None:
            raise broken("a taxonomy says itself what a value becomes; keep the cap or the taxonomy", "cap")

    @classmethod
    def _refuse_rounding(cls, made: Self) -> None:
        """Numbers and dates that are published can be rounded."""
        if made.round is None:
            return
        if isinstance(made.round, Quantiles) and made.role not in (Role.QUASI, Role.CARRY, Role.DROP):
            raise broken(
                f"where classes by quantiles begin is public, and the role is {made.role}; write classes of your own, "
                "as in round = [0, 18, 65]",
                "round",
            )
        if made.role in (Role.IDENTIFIER, Role.CLUSTER):
            raise broken("what is rounded is published, and the role is {role}; take it out", "round", role=made.role)
        ends = {} if made.cap is None else {"low": made.cap.low, "high": made.cap.high}
        for name, end in ends.items():
            if end is not None and not begins_a_class(end, made.round):
                raise broken(
                    f"{name} = {end} is inside a class of the column, which is read {in_words(made.round)}: nobody can "
                    "tell who is beyond it; cap where a class begins, in percent, or take one of the two out",
                    "cap",
                )
        needed = Kind.DATE if of_dates(made.round) else Kind.NUMBER
        open_ = isinstance(made.round, Quantiles) and made.round.begin is None
        if made.kind not in (None, needed, *([Kind.DATE] if open_ else [])):
            raise broken(
                f"it rounds {needed}s, and the kind is {made.kind}; take it out, or set kind = {str(needed)!r}", "round"
            )

    @property
    def by_share(self) -> bool:
        """Whether where it ends, or where its classes do, depends on who is in the table."""
        return isinstance(self.round, Quantiles) or (self.cap is not None and self.cap.by_share)

    @classmethod
    def keys_beside(cls, path: Sequence[object]) -> list[str]:
        """Its own keys, or those of its taxonomy or cap."""
        if len(path) == 1:
            return list(cls.model_fields)
        return (Cap if path[0] == "cap" else TaxonomySource).keys_beside(path[1:])

    def public(self) -> dict[str, Any]:
        """What a reader of the release must know to read the original as it was read, ready for JSON.

        Of a table that was read, a cap in percent has become one in values (``table.schema``).

        >>> Column(role="quasi", missing=["?"], cap={"high": 150}).public()
        {'missing': ['?'], 'cap': {'high': 150}}
        """
        facts = {
            "missing": list(self.missing),
            "date_order": self.date_order,
            "round": public_rounding(self.round),
            "cap": None if self.cap is None else self.cap.public(),
            "digits": self.significant if self.role is Role.WEIGHT else None,
            "importance": self.importance if self.importance != 1 else None,
            "merge": None if self.merge is None else {one: list(some) for one, some in self.merge.items()},
            "labels": self.labels,
            "applies": self.applies,
            "ruled_out": self.ruled_out,
        }
        return {name: fact for name, fact in facts.items() if fact}

    @property
    def significant(self) -> int:
        """To how many significant digits the mean weight of a group is published."""
        return USUAL_DIGITS if self.digits is None else self.digits

    @classmethod
    def told(cls, entry: Mapping[str, Any]) -> Column:
        """The column that an entry of a recipe tells of, as far as it does.

        An order that is not told leaves an ordered column a category, which it then is to whoever reads the release.

        >>> Column.told({"name": "age", "role": "quasi", "kind": "number", "missing": ["?"]}).missing
        ('?',)
        """
        known = {key: entry[key] for key in TOLD_FACTS if entry.get(key)}
        kind = entry.get("kind")
        if kind == Kind.ORDERED and "order" not in known:
            kind = None
        return cls.model_validate({"role": entry["role"], "kind": kind, **known})

    def to_toml(self, name: str) -> str:
        """The column's section, its name quoted where it must be."""
        lines = [f"[columns.{toml_key(name)}]", f'role = "{self.role}"']
        facts = {
            "kind": self.kind and str(self.kind),
            "domain": self.domain,
            "taxonomy": self.taxonomy and self.taxonomy.to_toml(),
            "order": self.order,
            "nulls": None if self.nulls == "value" else self.nulls,
            "missing": self.missing or None,
            "protect": self.protect,
            "merge": self.merge,
            "labels": self.labels,
            "applies": self.applies,
            "ruled_out": self.ruled_out,
            "l": self.l,
            "people": self.people,
            "date_order": self.date_order,
            "round": self.round.public() if isinstance(self.round, Quantiles) else self.round,
            "cap": self.cap and self.cap.to_toml(),
            "digits": self.digits,
            "importance": None if self.importance == 1 else self.importance,
        }
        for name_of, fact in facts.items():
            if fact is not None:
                spelled = fact if name_of in ("taxonomy", "cap") else toml_value(fact)
                lines.append(f"{name_of} = {spelled}")
        return "\n".join(lines) + "\n"


def resolve(column: Column, labels: Sequence[str], values: Sequence[object], base: Path) -> Taxonomy | None:
    """The column's taxonomy over the values that occur, all of them covered; None when the column has none.

    ``labels`` are the texts of ``values``, nulls left out of both; ``base`` is the schema's :attr:`~Schema.folder`.
    A rule needs values to build on: without any (a column of nulls only) there is no taxonomy either.

    >>> resolve(Column(role="quasi", taxonomy={"prefix": [2]}), ["131", "148"], ["131", "148"], Path()).path("131")
    ['131', '13*', '*']
    """
    source = column.taxonomy
    if source is None:
        return None
    if source.ready is not None:
        taxonomy = source.ready
    elif source.file is not None:
        taxonomy = Taxonomy.load(base / source.file)
    elif source.tree is not None:
        taxonomy = Taxonomy.from_tree(source.tree)
    elif not labels:
        return None
    elif source.ladder is not None:
        taxonomy = Taxonomy.ladder(values, source.ladder, labels=labels)
    elif source.dates is not None:
        taxonomy = Taxonomy.dates(values, source.dates, labels=labels)
    else:
        taxonomy = Taxonomy.prefixes(values, source.prefix or (), labels=labels)
    taxonomy.require(labels)
    return taxonomy


def _go_up(bounds: Sequence[Any]) -> bool:
    """Whether two bounds are finite, and the lower one first; a TypeError where they cannot be compared."""
    return bounds[0] < bounds[1] and (isinstance(bounds[0], date) or all(map(isfinite, bounds)))


def _is_number(bound: object) -> bool:
    return isinstance(bound, int | float) and not isinstance(bound, bool)
