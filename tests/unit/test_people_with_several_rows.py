"""People who occur several times: nothing is published before somebody says what is protected, and then it is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from fractions import Fraction
from html import unescape
from itertools import permutations, product
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.disclosure.intersecting import intersected
from pellucid.cli.program import main
from pellucid.core.coins import Coins
from pellucid.core.hints.people import numbers_people
from pellucid.core.schema import Schema
from pellucid.core.schema.people import Several
from pellucid.errors import SchemaError
from pellucid.io.people import one_of_each
from pellucid.io.unnamed_people import numbered_in

ROLES = {"quasi": ["age", "zip"], "sensitive": "ill"}


def stays(people: int = 60, rows: int = 150, seed: int = 1) -> pl.DataFrame:
    coins = Random(seed)
    whose = [coins.randrange(people) for _ in range(rows)]
    return pl.DataFrame(
        {
            "stay": list(range(rows)),
            "patient_nbr": whose,
            "age": [20 + one for one in whose],
            "zip": [coins.randrange(9) for _ in whose],
            "admitted": [coins.randrange(40) for _ in whose],
            "ill": [coins.choice("abcdefg") for _ in whose],
        }
    )


def test_a_table_whose_people_repeat_is_refused_whatever_the_role_of_their_number(tmp_path: Path) -> None:
    table = stays()
    people = table["patient_nbr"].n_unique()
    said = rf"patient_nbr seems to number people, and {people} have 150 rows.*\({150 - people} rows go\)"
    table.write_csv(tmp_path / "stays.csv")
    dropped = pc.Schema(
        columns={
            "age": {"role": "quasi"},
            "ill": {"role": "sensitive"},
            "stay": {"role": "identifier"},
            "patient_nbr": {"role": "drop"},
        }
    )
    for source in (table, table.to_pandas(), tmp_path / "stays.csv", pc.read(table, **ROLES)):
        named = {} if isinstance(source, type(pc.read(table, **ROLES))) else ROLES
        with pytest.raises(SchemaError, match=said):
            pc.publish(source, pc.SoftCut(l=2), **named)
    with pytest.raises(SchemaError, match=said):
        pc.publish(table, pc.SoftCut(l=2), schema=dropped)


@pytest.mark.parametrize("spelled", ["seqn", "PatientID", "subject_id", "person_nr", "pid"])
def test_a_number_of_people_is_known_by_its_name(spelled: str) -> None:
    with pytest.raises(SchemaError, match=f"{spelled} seems to number people"):
        pc.publish(stays().rename({"patient_nbr": spelled}), pc.SoftCut(l=2), **ROLES)


@pytest.mark.parametrize("spelled", ["ward_id", "surname", "employer", "n_patients", "patient_weight", "hospital nr"])
def test_numbers_of_other_things_ask_nothing(spelled: str) -> None:
    assert numbers_people(spelled) == ""
    assert pc.publish(stays().rename({"patient_nbr": spelled}), pc.SoftCut(l=2), **ROLES).recipe["rows"] == 150


def test_a_number_of_something_asks_where_it_may_be_people() -> None:
    many = stays(people=400, rows=900).rename({"patient_nbr": "ID"})
    with pytest.raises(SchemaError, match="ID seems to number people"):
        pc.publish(many, pc.SoftCut(l=2), **ROLES)
    few = stays(people=9).rename({"patient_nbr": "ID"})  # wards, say
    assert pc.publish(few, pc.SoftCut(l=2), **ROLES).recipe["rows"] == 150
    once = stays().unique("patient_nbr")
    assert "people" not in pc.publish(once, pc.SoftCut(l=2), **ROLES).recipe


def test_each_answer_does_what_it_says() -> None:
    table = stays()
    people = table["patient_nbr"].n_unique()
    row = pc.publish(table, pc.Anatomy(l=2), people="patient_nbr=row", **ROLES)
    assert row.recipe["rows"] == 150
    assert "names any one row's ill" in row.promise
    assert "person's" not in row.promise
    assert "may be right more often about that person" in row.promise
    one = pc.publish(table, pc.SoftCut(l=2), people="patient_nbr=one", **ROLES)
    assert one.recipe["rows"] == people
    assert "any one person's ill" in one.promise
    assert one.promise.endswith("Of each person whom patient_nbr numbers one row is published, drawn by lot.")
    whole = pc.publish(table, pc.SoftCut(l=2, cluster_rows=1), people="patient_nbr=person", **ROLES)
    assert whole.recipe["cluster"] == "patient_nbr"
    assert whole.recipe["rows"] == 150
    assert pc.publish(table, pc.SoftCut(l=2), people="patient_nbr=last by admitted", **ROLES).recipe["rows"] == people


def test_a_table_that_was_read_takes_an_answer_that_leaves_its_rows() -> None:
    table = stays()
    assert pc.publish(pc.read(table, **ROLES), pc.SoftCut(l=2), people="patient_nbr=row").recipe["rows"] == 150
    with pytest.raises(SchemaError, match="this table was read without it; say it where the table is read"):
        pc.publish(pc.read(table, **ROLES), pc.SoftCut(l=2), people="patient_nbr=one")
    read = pc.read(table, people="patient_nbr=one", **ROLES)
    release = pc.publish(read, pc.SoftCut(l=2))
    assert release.recipe["people"] == "patient_nbr=one"
    assert len(read) == table["patient_nbr"].n_unique()
    assert pc.attack(release, truth=read).max_risk <= 0.5


@pytest.mark.parametrize(
    ("people", "said"),
    [
        ("patient_nbr=first by ill", "ill is sensitive, and which row is published would tell about its values"),
        ("patient_nbr=two", "does not say what is done about whom"),
        ("age=row", "'age', which has the role quasi"),
        ("nobody=row", "no column 'nobody'"),
        ("patient_nbr=first by when", "no column 'when'"),
        ("patient_nbr=first by word", "word has texts, and no row of a person is the first"),
    ],
)
def test_an_answer_that_cannot_be_is_refused(people: str, said: str) -> None:
    table = stays().with_columns(word=pl.col("ill") + "x")
    with pytest.raises(SchemaError, match=said):
        pc.publish(table, pc.SoftCut(l=2), people=people, **ROLES)


def test_one_row_of_each_is_the_first_the_last_or_any() -> None:
    for seed in range(40):
        coins = Random(seed)
        table = stays(coins.randrange(2, 12), coins.randrange(3, 40), seed)
        table = table.with_columns(
            admitted=pl.Series([None if coins.random() < 0.2 else coins.randrange(4) for _ in range(table.height)]),
            patient_nbr=pl.Series([None if coins.random() < 0.1 else one for one in table["patient_nbr"]]),
        )
        rows = list(table.iter_rows(named=True))
        of = defaultdict(list)
        for place, row in enumerate(rows):
            of[place if row["patient_nbr"] is None else ("p", row["patient_nbr"])].append(place)
        schema = Schema.of(quasi="age", sensitive="ill")
        for answer, best in (("one", None), ("first by admitted", min), ("last by admitted", max)):
            kept = one_of_each(table, Several("patient_nbr", answer), schema, Coins.from_seed(seed)).tolist()
            for places in of.values():
                (chosen,) = set(kept) & set(places)
                known = [rows[place]["admitted"] for place in places if rows[place]["admitted"] is not None]
                assert best is None or rows[chosen]["admitted"] == (best(known) if known else None)


def test_the_lot_is_fair_and_knows_nothing_of_the_order_of_the_file() -> None:
    table = pl.DataFrame(
        {"stay": [7, 3, 5], "patient_nbr": [1, 1, 1], "day": [2, 2, 9], "age": [1, 2, 3], "ill": [1, 2, 3]}
    )
    schema, lot = Schema.of(quasi="age", sensitive="ill", identifier="stay"), Several("patient_nbr", "one")
    drawn = Counter(
        int(one_of_each(table, Several("patient_nbr", "one"), schema, Coins.fresh())[0]) for _ in range(600)
    )
    assert all(120 < drawn[place] < 280 for place in range(3))
    ties = Counter(
        int(one_of_each(table, Several("patient_nbr", "first by day"), schema, Coins.fresh())[0]) for _ in range(400)
    )
    assert ties[2] == 0
    assert all(130 < ties[place] < 270 for place in range(2))
    for seed in range(20):
        seen = {
            table[list(order)]["stay"][int(one_of_each(table[list(order)], lot, schema, Coins.from_seed(seed))[0])]
            for order in permutations(range(3))
        }
        assert len(seen) == 1


def test_a_lot_never_looks_at_what_is_protected() -> None:
    table = stays()
    other = table.with_columns(ill=table["ill"].reverse())
    for answer in ("one", "first by admitted", "last by admitted"):
        kept = [
            one_of_each(
                one, Several("patient_nbr", answer), Schema.of(quasi="age", sensitive="ill"), Coins.from_seed(3)
            )
            for one in (table, other)
        ]
        assert kept[0].tolist() == kept[1].tolist()


def test_rows_that_go_leave_no_value_behind() -> None:
    table = stays(seed=4).with_columns(
        ill=pl.when(pl.col("stay") % 2 == 0).then(pl.lit("rare")).otherwise(pl.col("ill"))
    )
    read = pc.read(table, quasi="age", sensitive="ill", where="age < 40", people="patient_nbr=last by stay")
    assert read.attributes[0].values.max() < 40
    left = table.filter(pl.col("age") < 40).sort("stay").group_by("patient_nbr").last()
    assert set(read.attributes[1].values) == set(left["ill"])
    assert int(read.kept.sum()) == len(read) == left.height


def test_households_settle_it_only_where_they_have_people_whole() -> None:
    table = stays().with_columns(home=pl.col("patient_nbr") // 2)
    settled = pc.read(table, quasi="age", sensitive="ill", cluster="home")
    assert settled.persons is None
    parted = pc.read(table.with_columns(home=pl.col("stay") // 3), quasi="age", sensitive="ill", cluster="home")
    assert parted.persons is not None
    assert parted.persons.answer == ""


def test_the_groups_that_are_kept_are_those_of_the_rows_of_the_file(tmp_path: Path) -> None:
    table = stays()
    table.write_csv(tmp_path / "stays.csv")
    (tmp_path / "schema.toml").write_text(
        '[columns.age]\nrole = "quasi"\n\n[columns.ill]\nrole = "sensitive"\n\n'
        '[columns.patient_nbr]\nrole = "drop"\npeople = "one"\n'
    )
    words = f"publish {tmp_path}/stays.csv --schema {tmp_path}/schema.toml --l 2 --out {tmp_path}/out --quiet"
    assert main([*words.split(), "--keep-groups", str(tmp_path / "groups.csv")]) == 0
    kept = pl.read_csv(tmp_path / "groups.csv")["group"]
    assert len(kept) == 150
    assert int((kept >= 0).sum()) == table["patient_nbr"].n_unique()


def test_intersecting_is_what_enumeration_says() -> None:
    for seed in range(60):
        coins = Random(seed)
        rows = coins.randrange(4, 8)
        labels = [coins.randrange(2) for _ in range(rows)]
        values = [coins.randrange(3) for _ in range(rows)]
        persons = [coins.randrange(3) for _ in range(rows)]
        found = intersected(*(np.array(one, np.int32) for one in (persons, labels, values)))
        for place, person in enumerate(found.persons.tolist()):
            mine = [row for row in range(rows) if persons[row] == person]
            groups = [[row for row in range(rows) if labels[row] == group] for group in range(2)]
            ways: Counter[int] = Counter()
            for orders in product(*(permutations(group) for group in groups)):
                places = zip(groups, orders, strict=True)
                world = {row: values[to] for one in places for row, to in zip(*one, strict=True)}
                held = {world[row] for row in mine}
                if len(held) == 1:
                    ways[held.pop()] += 1
            assert found.left[place] == len(ways)
            most = max((Fraction(n, sum(ways.values())) for n in ways.values()), default=Fraction(0))
            assert found.most[place] == pytest.approx(float(most))
            if len(ways) == 1:
                own = {values[row] for row in mine}
                assert (found.right[place], found.once[place]) == (own == {*ways}, own > {*ways} or own == {*ways})
            alone = [len({values[row] for row in groups[labels[row]]}) == 1 for row in mine]
            assert (found.single[place] == 1) == any(alone)


def test_what_intersecting_gives_is_said_with_what_it_assumes() -> None:
    persons, labels = np.array([0, 0, 1, 1, 2, 3, 4]), np.array([0, 1, 2, 2, 0, 1, 1])
    found = intersected(persons, labels, np.array([5, 6, 7, 7, 8, 5, 6]))
    assert found.told("ill") == (
        "Assuming that ill is the same in all rows of a person, intersecting the groups of these rows leaves one value "
        "for 2 of them. All rows have it for 1, and at least one row for 2. Without assuming this, the value of some "
        "row is certain for 1 of them"
    )


def test_publishing_and_attacking_say_what_intersecting_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pl.DataFrame({"patient_nbr": [1, 2, 3, 1, 4, 5], "age": [1, 2, 3, 4, 5, 6], "ill": list("abcade")})
    table = pl.concat([table.with_columns(pl.col("patient_nbr") + 9 * n, pl.col("age") + 100 * n) for n in range(20)])
    table.write_csv(tmp_path / "stays.csv")
    asked = [str(tmp_path / "stays.csv"), "--quasi", "age", "--sensitive", "ill", "--people", "patient_nbr=row"]
    assert main(["publish", *asked, "--l", "3", "--out", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "20 people have several rows. Assuming that ill is the same in all rows of a person," in said
    read = pc.read(table, quasi="age", sensitive="ill", people="patient_nbr=row")
    release = pc.publish(read, pc.Tailor(l=3))
    report = pc.attack_all(release, truth=read)
    (finding,) = [one for one in report.findings if one.attack == "intersecting"]
    assert finding.ran
    assert finding.details["people"] == 20


def _published(folder: Path, people: str) -> list[str]:
    """Rows of people whom a column of an unknown name numbers, published by the command line; the words to attack."""
    table = pl.concat(
        [
            pl.DataFrame(
                {"zq": [1, 2, 3, 1, 4, 5], "age": [1, 2, 3, 4, 5, 6], "year": range(6), "ill": list("abcade")}
            ).with_columns(pl.col("zq") + 9 * n, pl.col("age") + 100 * n)
            for n in range(20)
        ]
    )
    table.write_csv(folder / "stays.csv")
    asked = f"publish {folder}/stays.csv --quasi age --sensitive ill --people".split()
    kept = ["--l", "3", "--out", str(folder / "out"), "--keep-groups", str(folder / "groups.csv")]
    assert main([*asked, people, *kept]) == 0
    return [str(folder / "out"), str(folder / "stays.csv"), "--groups", str(folder / "groups.csv")]


def test_the_column_that_the_recipe_names_is_looked_at_whatever_it_is_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, truth, *groups = _published(tmp_path, "zq=row")
    told = "These bounds are of single rows. 20 people have several rows, which zq numbers."
    main(["attack", release, "--truth", truth, *groups])
    head, _, _ = capsys.readouterr().out.partition("attackers below")
    assert told in " ".join(head.split())
    page = tmp_path / "page.html"
    main(["report", release, "--original", truth, *groups, "--out", str(page)])
    assert told in " ".join(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("people", ["zq=one", "zq=first by year"])
def test_groups_tell_which_row_of_each_person_was_published(
    people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, truth, *groups = _published(tmp_path, people)
    assert main(["attack", release, "--truth", truth, *groups, "--max-risk", "promised"]) == 0
    assert "\nholds: " in capsys.readouterr().out
    assert main(["report", release, "--original", truth, *groups, "--out", str(tmp_path / "page.html")]) == 0
    assert main(["measure", release, "--original", truth, *groups]) == 0


def _visits(people: int = 80) -> pl.DataFrame:
    coins = Random(3)
    own = [
        (n, coins.randrange(2), coins.randrange(1930, 1990), coins.randrange(5), coins.choice("ABO"))
        for n in range(people)
    ]
    rows = [(*one, year, coins.choice("abcdefg")) for one in own for year in range(coins.randrange(1, 6))]
    return pl.DataFrame(rows, schema=["zq", "sex", "born", "schooling", "blood", "year", "ill"], orient="row").sample(
        fraction=1, shuffle=True, seed=1
    )


@pytest.mark.parametrize("dropped", [True, False])
def test_a_column_within_which_nothing_changes_numbers_people_whatever_it_is_called(
    dropped: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = _visits()
    people = table["zq"].n_unique()
    columns = {"sex": {"role": "quasi"}, "year": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    schema = pc.Schema(columns=columns | ({"zq": {"role": "drop"}} if dropped else {}))
    said = f"zq seems to number people, and {people} have {table.height} rows"
    table.write_csv(tmp_path / "visits.csv")
    for source in (table, table.to_pandas(), tmp_path / "visits.csv"):
        with pytest.raises(SchemaError, match=said):
            pc.publish(source, pc.SoftCut(l=2), schema=schema)
    assert pc.publish(table, pc.SoftCut(l=2), schema=schema, people="zq=one").recipe["rows"] == people
    once = pc.publish(table, pc.SoftCut(l=2), schema=schema, where="year == 0")
    assert once.recipe["rows"] == people
    assert main(["init", str(tmp_path / "visits.csv"), "--out", str(tmp_path / "draft.toml")]) == 0
    assert f"seems to number people or things: {people} have {table.height} rows" in " ".join(
        capsys.readouterr().out.split()
    )


def test_a_town_of_few_people_numbers_nobody() -> None:
    coins = Random(5)
    towns = [(f"town {n}", n % 40, n % 8, n % 4, coins.random(), coins.randrange(100, 9999)) for n in range(200)]
    rows = [
        (*coins.choice(towns), coins.randrange(2), coins.randrange(90), coins.choice("abcdefg")) for _ in range(900)
    ]
    table = pl.DataFrame(
        rows, schema=["town", "county", "state", "region", "north", "size", "sex", "age", "ill"], orient="row"
    )
    assert pc.publish(table, pc.SoftCut(l=2), quasi=["sex", "age"], sensitive="ill").recipe["rows"] == 900


def test_a_schema_says_it_above_its_columns_as_a_call_does(tmp_path: Path) -> None:
    table, file = stays(), tmp_path / "schema.toml"
    columns = '[columns.age]\nrole = "quasi"\n\n[columns.ill]\nrole = "sensitive"\n'
    file.write_text(f'people = "patient_nbr=first by admitted"\n{columns}')
    release = pc.publish(table, pc.SoftCut(l=2), schema=file)
    assert release.recipe["people"] == "patient_nbr=first by admitted"
    schema = Schema.load(file)
    assert schema.to_toml().startswith('people = "patient_nbr=first by admitted"\n')
    with pytest.raises(SchemaError, match="people is said twice"):
        pc.publish(table, pc.SoftCut(l=2), schema=schema, people="patient_nbr=one")
    file.write_text(f'people = "patient_nbr=two"\n{columns}')
    with pytest.raises(SchemaError, match="does not say what is done about whom"):
        Schema.load(file)


def _of_people(seed: int, *, several: bool) -> tuple[str, pl.DataFrame]:
    """A table with a column of numbers of any name; a part of its people has several rows, or nobody has."""
    coins = Random(seed)
    name = "".join(coins.choice("bcdfghjklmnpqrstvwxz") for _ in range(5))
    share, people = coins.choice([0.04, 0.1, 0.3, 1.0]), coins.choice([300, 700])
    spelled = coins.choice([lambda n: n, lambda n: f"K{n:05}", float, lambda n: 10**9 + n * 7919 % 10**6])
    rows = []
    for one in range(people):
        own = (coins.choice("mf"), coins.randrange(1930, 2010), coins.choice("abcdefgh"))
        for _ in range(1 + (coins.choice([1, 1, 2, 4]) if several and coins.random() < share else 0)):
            number = spelled(one if several else coins.randrange(2 * people))  # type: ignore[no-untyped-call]
            day = f"2023-{coins.randrange(1, 13):02}-{coins.randrange(1, 29):02}"
            rows.append((number, *own, day, coins.choice("PQRS"), coins.choice("uvwxyz")))
    coins.shuffle(rows)
    own_names = ["sex", coins.choice(["born", "birth_year", "yob"]), "region"]
    frame = pl.DataFrame(rows, schema=[name, *own_names, "day", "ward", "ill"], orient="row")
    frame = frame.drop(coins.sample([*own_names, "day"], k=coins.choice([0, 1])))
    return name, frame.select(coins.sample(frame.columns, k=frame.width))


@pytest.mark.parametrize("seed", range(60))
def test_few_people_with_several_rows_are_found_by_what_a_person_keeps(seed: int) -> None:
    name, frame = _of_people(seed, several=True)
    with pytest.raises(SchemaError, match=f"{name} seems to number people"):
        pc.publish(frame, pc.SoftCut(l=2), quasi=[c for c in frame.columns if c not in (name, "ill")], sensitive="ill")


@pytest.mark.parametrize("seed", range(60))
def test_a_number_that_repeats_by_chance_numbers_nobody(seed: int) -> None:
    name, frame = _of_people(seed, several=False)
    assert frame[name].n_unique() < frame.height
    assert numbered_in(frame, frame.columns) is None


@pytest.mark.parametrize("audience", ["public", "private"])
def test_a_report_on_rows_never_says_that_a_person_has_one(audience: str) -> None:
    frame = stays()
    release = pc.publish(frame, pc.Strata(l=2, size=20), quasi="age", sensitive="ill", people="patient_nbr=row")
    page = unescape(pc.report(release, frame if audience == "private" else None, audience=audience).html)
    assert "Each person has one row" not in page
    assert "For every person" not in page
    assert "Some people have several rows: an attacker who finds several rows of one person may be right" in page
    assert "names one row's value with probability" in page
    assert not re.search(r"\d of 150 people|\d people in \d", page)


def test_the_program_says_rows_where_each_row_is_protected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stays().write_csv(tmp_path / "stays.csv")
    roles = ["--quasi", "age", "--sensitive", "ill", "--people", "patient_nbr=row"]
    assert main(["publish", str(tmp_path / "stays.csv"), *roles, "--l", "2", "--out", str(tmp_path / "out")]) == 0
    assert re.search(r"the bound is 1/2 for (everybody|[\d,]+ of 150 rows)", " ".join(capsys.readouterr().out.split()))
    for verb in (["levels"], ["verify", "--require", "average re-identification risk=1"]):
        assert main([verb[0], str(tmp_path / "out"), *verb[1:]]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "a row known to be in the table is found" in said
        assert "somebody known to be" not in said
