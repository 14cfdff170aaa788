"""What a person relies on when writing a schema."""

from __future__ import annotations

import pickle
import tomllib
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pellucid.core.schema import Column, Kind, Role, Schema, TaxonomySource, resolve
from pellucid.core.taxonomy import Taxonomy
from pellucid.core.taxonomy.toml_text import line_of_key
from pellucid.errors import PellucidError, SchemaError, TaxonomyError

Write = Callable[..., Path]

PATIENTS = """\
# what each column is
[columns.name]
role = "identifier"

[columns.age]
role = "quasi"
kind = "number"
domain = [0, 120]
taxonomy = {ladder = [5, 10, 20]}

[columns."zip code"]
role = "quasi"
taxonomy = {prefix = [4, 3, 2]}

[columns.birth]
role = "carry"
kind = "date"
domain = [1900-01-01, 2030-12-31]
taxonomy = {dates = ["month", "year", "decade"]}

[columns.severity]
role = "sensitive"
kind = "ordered"
order = ["low", "mid", "high"]
nulls = "reject"

[columns.disease]
role = "sensitive"
"""
VALID = '[columns.age]\nrole = "quasi"\nkind = "number"\n\n[columns.disease]\nrole = "sensitive"\n\n'  # 7 lines


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(text: str, name: str = "patients.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


# --- reading


def test_a_schema_says_what_each_column_is(written: Write) -> None:
    schema = Schema.load(written(PATIENTS))
    assert list(schema.columns) == ["name", "age", "zip code", "birth", "severity", "disease"]
    assert schema.names(Role.QUASI) == ["age", "zip code"]
    assert schema.names("sensitive") == ["severity", "disease"]
    assert schema.names(Role.DROP) == []
    age, birth, severity = (schema.columns[name] for name in ("age", "birth", "severity"))
    assert (age.kind, age.domain, age.nulls) == (Kind.NUMBER, (0, 120), "value")
    assert birth.domain == (date(1900, 1, 1), date(2030, 12, 31))
    assert (severity.order, severity.nulls) == (("low", "mid", "high"), "reject")
    assert schema.columns["disease"] == Column(role="sensitive")


def test_a_schema_knows_its_folder(written: Write, tmp_path: Path) -> None:
    assert Schema.load(written(PATIENTS)).folder == tmp_path
    assert Schema.of(quasi="age", sensitive="disease").folder == Path()


def test_a_schema_says_where_a_column_stands(written: Write) -> None:
    path = written(PATIENTS)
    schema = Schema.load(path)
    assert schema.line_of("age") == f"{path}, line 5, columns.age"
    assert schema.line_of("zip code", "taxonomy") == f'{path}, line 13, columns."zip code".taxonomy'
    assert Schema.of(quasi="age", sensitive="disease").line_of("age") == "columns.age"


def test_windows_lines_and_a_byte_order_mark_are_read(written: Write) -> None:
    path = written("\ufeff" + PATIENTS.replace("\n", "\r\n"))
    assert Schema.load(path) == Schema.load(written(PATIENTS, "unix.toml"))


def test_integers_stay_integers_and_times_stay_times() -> None:
    bounds = [
        (0, 120),
        (0, 1.5),
        (-2.5, 7),
        (date(2000, 1, 1), date(2001, 1, 1)),
        (datetime(2000, 1, 1), datetime(2000, 1, 1, 0, 0, 1)),
    ]
    for pair in bounds:
        domain = Column(role="quasi", domain=list(pair)).domain
        assert domain == pair
        assert [type(bound) for bound in domain] == [type(bound) for bound in pair]
    assert Column(role="quasi", domain=None, order=None) == Column(role="quasi")
    assert Column(role="quasi", domain=[Decimal(0), Decimal("0.5")]).domain == (0, 0.5)


def test_an_order_of_numbers_is_matched_by_their_text() -> None:
    assert Column(role="quasi", kind="ordered", order=[1, 2.5, True]).order == ("1", "2.5", "true")


# --- in one call


def test_a_schema_in_one_call_keeps_the_order_of_the_columns() -> None:
    schema = Schema.of(
        quasi=["zip", "age"], sensitive="disease", identifier="name", carry=["ward"], kinds={"age": "number"}
    )
    assert schema.names(Role.QUASI) == ["zip", "age"]
    assert schema.names(Role.IDENTIFIER) == ["name"]
    assert schema.names(Role.CARRY) == ["ward"]
    assert schema.columns["age"].kind is Kind.NUMBER
    assert Schema.of(quasi="age", sensitive=["a", "b"]).names(Role.SENSITIVE) == ["a", "b"]


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"quasi": ["age", "disease"], "sensitive": "disease"}, "'disease' is quasi and sensitive.*keep it sensitive"),
        ({"quasi": ["name"], "sensitive": "x", "identifier": "name"}, "'name' is identifier and quasi.*keep one"),
        ({"quasi": ["age"], "sensitive": "x", "carry": "age"}, "'age' is quasi and carry"),
        ({"quasi": ["age", "age"], "sensitive": "x"}, "'age' is named twice as quasi"),
        ({"quasi": [], "sensitive": "x"}, 'no column has role = "quasi"'),
        ({"quasi": "age", "sensitive": "x", "kinds": {"aeg": "number"}}, "'aeg', which has no role.*mean 'age'"),
        ({"quasi": "age", "sensitive": "x", "kinds": {"age": "numbr"}}, r"columns\.age\.kind: 'numbr'.*mean 'number'"),
        ({"quasi": "age", "sensitive": "x", "kinds": {"age": "ordered"}}, r"columns\.age\.kind: .*order = \["),
        ({"quasi": [5.5], "sensitive": "x"}, "5.5 is not the name of a column; give a text"),
    ],
)
def test_contradictory_roles_are_refused_with_the_way_out(roles: dict[str, object], said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        Schema.of(**roles)  # type: ignore[arg-type]


# --- mistakes


@pytest.mark.parametrize(
    ("section", "line", "key", "said"),
    [
        (
            'role = "quazi"',
            9,
            "role",
            ["'quazi'", "identifier, quasi, sensitive, carry, cluster, weight, drop", "mean 'quasi'"],
        ),
        ('role = "Quasi-Identifier"', 9, "role", ["mean 'quasi'"]),
        ("role = 5", 9, "role", ["5 is not one of"]),
        ('rol = "quasi"', 9, "rol", ["no key 'rol'", "role, kind, taxonomy, domain, order, nulls", "mean 'role'"]),
        ('kind = "number"', 8, None, ["the role is missing", "add role ="]),
        ('role = "quasi"\nkind = "numeric"', 10, "kind", ["'numeric'", "mean 'number'"]),
        ('role = "quasi"\n\n# why\nnulls = "drop"', 12, "nulls", ["'drop' is not one of value, reject"]),
        ('role = "quasi"\nnulls = "drop"\nkind = "int"', 11, "kind", ["'int'", "(and 1 more)"]),
        ('role = "quasi"\ndomain = [\n  120,\n  0,\n]', 10, "domain", ["[120, 0]", "lower one first"]),
        ('role = "quasi"\ndomain = [5, 5]', 10, "domain", ["[5, 5]", "go up"]),
        ('role = "quasi"\ndomain = [0, inf]', 10, "domain", ["[0, inf]", "finite"]),
        ('role = "quasi"\ndomain = [0, nan]', 10, "domain", ["[0, nan]", "finite"]),
        ('role = "quasi"\ndomain = [0]', 10, "domain", ["[0] is not a domain", "lowest and the highest"]),
        ('role = "quasi"\ndomain = 5', 10, "domain", ["5 is not a list", "[0, 120]"]),
        ('role = "quasi"\ndomain = ["0", "9"]', 10, "domain", ["['0', '9']", "unquoted"]),
        ('role = "quasi"\ndomain = [false, true]', 10, "domain", ["is not a domain"]),
        ('role = "quasi"\ndomain = [2000-01-01, 9]', 10, "domain", ["is not a domain"]),
        ('role = "quasi"\ndomain = [2000-01-01, 2001-01-01T00:00:00]', 10, "domain", ["both bounds alike"]),
        ('role = "quasi"\nkind = "category"\ndomain = [0, 9]', 11, "domain", ["domain of a number", "category"]),
        ('role = "quasi"\nkind = "number"\ndomain = [2000-01-01, 2001-01-01]', 11, "domain", ["domain of a date"]),
        ('role = "quasi"\nkind = "ordered"', 10, "kind", ["order = ["]),
        ('role = "quasi"\norder = ["a", "b"]', 10, "order", ['kind = "ordered"']),
        ('role = "quasi"\nkind = "ordered"\norder = ["a", "b", "a"]', 11, "order", ["'a' occurs twice"]),
        ('role = "quasi"\nkind = "ordered"\norder = []', 11, "order", ["names no value"]),
        ('role = "quasi"\ntaxonomy = 5', 10, "taxonomy", ["5 is not a taxonomy", "file name"]),
        ('role = "quasi"\ntaxonomy = {}', 10, "taxonomy", ["one source, not 0"]),
        ('role = "quasi"\ntaxonomy = {ladder = [5], prefix = [3]}', 10, "taxonomy", ["one source, not 2"]),
        ('role = "quasi"\ntaxonomy = {lader = [5]}', 10, "taxonomy.lader", ["no key 'lader'", "mean 'ladder'"]),
        ('role = "quasi"\ntaxonomy = {ladder = 5}', 10, "taxonomy.ladder", ["5 is not a list"]),
        ('role = "quasi"\ntaxonomy = {ladder = [5, 12]}', 10, "taxonomy.ladder", ["12", "multiple of 5", "take 10"]),
        ('role = "quasi"\ntaxonomy = {dates = ["yaer"]}', 10, "taxonomy.dates", ["'yaer'", "mean 'year'"]),
        ('role = "quasi"\ntaxonomy = {prefix = [2, 3]}', 10, "taxonomy.prefix", ["write [3, 2]"]),
        ('role = "quasi"\nkind = "date"\ntaxonomy = {ladder = [5]}', 11, "taxonomy.ladder", ["number", "date"]),
        ('role = "quasi"\nkind = "number"\ntaxonomy = {prefix = [3]}', 11, "taxonomy.prefix", ["category", "number"]),
        ('role = "quasi"\nkind = "category"\ntaxonomy = {dates = ["year"]}', 11, "taxonomy.dates", ["date"]),
        ('role = "quasi"\ntaxonomy = {tree = {A = ["B"], B = ["A"]}}', 10, "taxonomy.tree", ["'A' above 'B'"]),
        ('role = "quasi"\n[columns.x.taxonomy.tree]\nA = ["a"]\nB = []', 10, "taxonomy.tree", ["2 roots, 'A', 'B'"]),
        ('role = "quasi"\ntaxonomy = "zips.csv"', 10, "taxonomy", ["no file 'zips.csv'", "schema's folder"]),
        (
            'role = "identifier"\n[columns.y]\nrole = "identifier"',
            None,
            None,
            ["line 11, columns.y.role", "besides 'x'"],
        ),
    ],
)
def test_a_mistake_is_one_line_with_file_line_key_value_and_way_out(
    written: Write, section: str, line: int | None, key: str | None, said: list[str]
) -> None:
    path = written(f"{VALID}[columns.x]\n{section}\n")
    with pytest.raises(SchemaError) as caught:
        Schema.load(path)
    message = str(caught.value)
    if line is not None:
        assert message.startswith(f"{path}, line {line}, columns.x{'' if key is None else '.' + key}: ")
    assert "\n" not in message
    for words in said:
        assert words in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "toml: there are no columns; describe each in a section"),
        ('[column.age]\nrole = "quasi"', "line 1, column: there is no key 'column' here, only columns"),
        ('[columns]\nage = "quasi"', r"line 2, columns\.age: 'quasi' is not a table of keys"),
        ("columns = 5", "line 1, columns: 5 is not a table"),
        ('[columns.age]\nrole = "quasi"', 'line 1, columns: no column has role = "sensitive"'),
        ('[columns.age]\nrole "quasi"', "line 2: this is not TOML: expected '=' .*, at column 6"),
        ('[columns.age]\nrole = "quasi"\nrole = "drop"\n', "line 3: this is not TOML"),
        ('[columns.age]\nrole = "quasi\n', "line 2: this is not TOML"),
        ('[columns.age]\nrole = ["quasi",', "line 2: this is not TOML: .*, at the end of the file"),
    ],
)
def test_a_file_that_is_no_schema_is_refused_with_the_line(written: Write, text: str, said: str) -> None:
    with pytest.raises(SchemaError, match=said) as caught:
        Schema.load(written(text))
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_named(written: Write, tmp_path: Path) -> None:
    written(PATIENTS)
    with pytest.raises(SchemaError, match=r"patient\.toml: there is no such schema file.*mean 'patients\.toml'"):
        Schema.load(tmp_path / "patient.toml")
    with pytest.raises(SchemaError, match="cannot be read"):
        Schema.load(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes("# Zürich".encode("latin-1"))
    with pytest.raises(SchemaError, match="byte 3 is not UTF-8"):
        Schema.load(latin)


def test_a_misspelt_taxonomy_file_is_suggested_unless_the_column_is_dropped(written: Write) -> None:
    written("a;*", "zip.csv")
    text = VALID + '[columns.x]\nrole = "quasi"\ntaxonomy = "zips.csv"\n'
    with pytest.raises(SchemaError, match=r"did you mean 'zip\.csv'"):
        Schema.load(written(text))
    dropped = text.replace('role = "quasi"\ntaxonomy', 'role = "drop"\ntaxonomy')
    assert Schema.load(written(dropped)).names(Role.DROP) == ["x"]


@pytest.mark.parametrize(
    "text",
    [
        '[columns.age]\nrole = "quasi"\n[columns."a b"]\nkind = "number"\nrole = "drop"\n',
        'columns.age.role = "quasi"\n\n\n# more\ncolumns."a b".role = "drop"\n',
        '[columns]\nage = {role = "quasi"}\n\n# more\n"a b" = {kind = "number", role = "drop"}\n',
        '[columns.age]\norder = ["""\n[columns."a b"]\nrole"""]\n[columns.\'a b\'] # here\nrole = "drop"',
    ],
)
def test_the_line_of_a_key_is_found_in_every_way_of_writing_it(text: str) -> None:
    line = line_of_key(text, ["columns", "a b", "role"])
    lines = text.split("\n")
    assert line == max(number for number, content in enumerate(lines, 1) if "drop" in content)


def test_the_line_is_found_in_a_schema_of_thousands_of_columns() -> None:
    text = "".join(f'[columns.c{i}]\nrole = "quasi"\norder = [\n"a",\n]\n' for i in range(2000))
    assert line_of_key(text, ["columns", "c1234", "order", 0]) == 1234 * 5 + 3
    assert line_of_key(text, ["columns", "c1234", "kind"]) == 1234 * 5 + 1
    assert line_of_key(text, ["rows"]) is None


def test_the_line_is_left_out_rather_than_wrong_in_a_statement_of_hundreds_of_lines() -> None:
    text = "a = 1\nb = [\n" + "0,\n" * 150 + "]\nc = 3\n"
    assert [line_of_key(text, [key]) for key in "abc"] == [1, 2, 154]
    longer = text.replace("0,\n", "0,\n" * 10)
    assert line_of_key(longer, ["b"]) is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: Column(role="quazi"),
        lambda: Column(),  # type: ignore[call-arg]
        lambda: Column(role="quasi", colour="red"),  # type: ignore[call-arg]
        lambda: Column(role="quasi", kind="ordered"),
        lambda: Column(role="quasi", taxonomy=17),
        lambda: Column.model_validate("quasi"),
        lambda: TaxonomySource(ladder=[5], prefix=[3]),
        lambda: Schema(columns={}),
        lambda: Schema(columns={"a": {"role": "quasi"}, "b": "sensitive"}),
        lambda: Schema(column={}),  # type: ignore[call-arg]
        lambda: Schema.model_validate(5),
    ],
)
def test_every_mistake_in_python_is_a_schema_error_too(make: Callable[[], object]) -> None:
    with pytest.raises(PellucidError) as caught:
        make()
    assert type(caught.value) is SchemaError
    assert "\n" not in str(caught.value)


def test_a_mistake_leaves_no_trace_in_later_ones(written: Write) -> None:
    with pytest.raises(SchemaError):
        Schema.load(written("[columns.age]\nrole = 5"))
    with pytest.raises(SchemaError, match=r"^role: "):
        Column(role=5)


# --- writing


def test_what_is_written_reads_as_a_person_would_write_it(written: Write) -> None:
    schema = Schema.load(written(PATIENTS))
    assert schema.to_toml() == PATIENTS.partition("\n")[2]


numbers = st.integers(-(10**9), 10**9) | st.floats(-1e300, 1e300)
days = st.dates()
moments = st.datetimes(timezones=st.sampled_from([None]))
texts = st.text(max_size=8)


def ascending(values: st.SearchStrategy[object]) -> st.SearchStrategy[list[object]]:
    return st.lists(values, min_size=2, max_size=2, unique=True).map(sorted)  # type: ignore[arg-type]


plain_columns = st.one_of(
    st.fixed_dictionaries({}, optional={"kind": st.just("number"), "domain": ascending(numbers)}),
    st.fixed_dictionaries({"kind": st.just("date"), "domain": ascending(days) | ascending(moments)}),
    st.fixed_dictionaries({"kind": st.just("ordered"), "order": st.lists(texts, min_size=1, unique=True)}),
    st.fixed_dictionaries(
        {
            "taxonomy": st.one_of(
                texts.map(lambda text: text + ".csv"),
                st.sampled_from([[5], [0.5, 1, 10], [2, 4, 8]]).map(lambda widths: {"ladder": widths}),
                st.sampled_from([["month"], ["quarter", "year"]]).map(lambda parts: {"dates": parts}),
                st.sampled_from([[4, 3], [1]]).map(lambda lengths: {"prefix": lengths}),
                st.lists(texts, min_size=1).map(lambda names: {"tree": {"above all texts": names}}),
                st.dictionaries(texts, st.just([]), min_size=1).map(
                    lambda names: {"tree": {"above all texts": {"a long branch": names}}}
                ),
                st.just(Taxonomy.from_tree({"*": {"A.b": ["x", 'y"'], "C": []}})),
            )
        }
    ),
)


@given(
    st.dictionaries(texts, plain_columns, min_size=2, max_size=6),
    st.sampled_from(["value", "reject"]),
    st.sampled_from(["carry", "drop", "quasi", "sensitive"]),
    st.lists(st.text()),
)
def test_any_schema_survives_writing_and_reading(
    bodies: dict[str, dict[str, Any]], nulls: str, others: str, missing: list[str]
) -> None:
    roles = ["quasi", "sensitive", *[others] * len(bodies)]
    columns = {
        name: Column(role=role, nulls=nulls, missing=missing, **body)
        for (name, body), role in zip(bodies.items(), roles, strict=False)
    }
    schema = Schema(columns=columns)
    again = Schema.model_validate(tomllib.loads(schema.to_toml()))
    assert list(again.columns) == list(columns)
    for name, column in columns.items():
        read = again.columns[name]
        if column.taxonomy is not None and column.taxonomy.ready is not None:
            assert read.taxonomy is not None
            assert Taxonomy.from_tree(read.taxonomy.tree or {}) == column.taxonomy.ready
            read, column = (one.model_copy(update={"taxonomy": None}) for one in (read, column))
        assert read == column


@given(st.text(min_size=1))
def test_any_column_name_survives_writing_and_loading(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    schema = Schema.of(quasi=[name], sensitive=name + "'s")
    path = tmp_path_factory.mktemp("names") / "schema.toml"
    path.write_bytes(schema.to_toml().encode())
    assert Schema.load(path) == schema


def test_a_tree_of_dates_and_empty_branches_survives_writing() -> None:
    column = Column(role="quasi", taxonomy={"tree": {"*": {"A": None, "B": [date(2024, 3, 5), 1.5, True]}}})
    again = tomllib.loads(column.to_toml("x"))["columns"]["x"]["taxonomy"]["tree"]
    assert Taxonomy.from_tree(again).leaves == ("A", "2024-03-05", "1.5", "true")


def test_a_taxonomy_with_several_parents_cannot_be_written_into_a_schema() -> None:
    dag = Taxonomy.from_tree({"*": {"A": ["x"], "B": ["x"]}})
    with pytest.raises(TaxonomyError, match="keep it in a file"):
        Column(role="quasi", taxonomy=dag).to_toml("x")


# --- a value among values


def test_a_schema_cannot_be_changed_and_equals_its_like() -> None:
    schema = Schema.of(quasi=["a", "b"], sensitive="c")
    with pytest.raises(ValidationError, match="frozen"):
        schema.columns = {}  # type: ignore[misc]
    with pytest.raises(ValidationError, match="frozen"):
        schema.columns["a"].role = Role.DROP  # type: ignore[misc]
    assert schema == Schema.of(quasi=["a", "b"], sensitive="c")
    assert hash(schema) == hash(Schema.of(quasi=["a", "b"], sensitive="c"))
    assert schema != Schema.of(quasi=["b", "a"], sensitive="c")  # the order of columns breaks ties
    assert schema != "schema"


def test_a_schema_travels_to_another_process(written: Write, tmp_path: Path) -> None:
    schema = pickle.loads(pickle.dumps(Schema.load(written(PATIENTS))))
    assert schema == Schema.load(tmp_path / "patients.toml")
    assert schema.folder == tmp_path


# --- the taxonomy of a column


def test_each_source_of_a_taxonomy_covers_the_values_that_occur(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("131;13*;*\n148;14*;*\n")
    labels: list[str] = ["131", "148"]
    ready = Taxonomy.from_tree({"*": {"13*": ["131"], "14*": ["148"]}})
    for source in (
        "zip.csv",
        Path("zip.csv"),
        TaxonomySource(file="zip.csv"),
        {"prefix": [2]},
        {"tree": ready.to_tree()},
        ready,
    ):
        found = resolve(Column(role="quasi", taxonomy=source), labels, labels, tmp_path)
        assert found is not None
        assert found.path("131") == ["131", "13*", "*"]
    ladder = resolve(Column(role="quasi", taxonomy={"ladder": [10]}), labels, [131, 148], tmp_path)
    assert ladder is not None
    assert ladder.path("148") == ["148", "[140, 149]", "*"]
    moment = datetime(2024, 3, 5, 12, tzinfo=UTC)
    when = resolve(Column(role="quasi", taxonomy={"dates": ["year"]}), ["that noon"], [moment], tmp_path)
    assert when is not None
    assert when.path("that noon") == ["that noon", "2024", "*"]


def test_a_column_without_a_taxonomy_or_without_values_to_build_one_on_has_none(tmp_path: Path) -> None:
    assert resolve(Column(role="quasi"), ["a"], ["a"], tmp_path) is None
    assert resolve(Column(role="quasi", taxonomy={"ladder": [5]}), [], [], tmp_path) is None


def test_a_schema_file_finds_its_taxonomies_beside_itself(written: Write) -> None:
    written("a;A;*\nb;A;*\n", "letters.csv")
    schema = Schema.load(written(VALID + '[columns.x]\nrole = "quasi"\ntaxonomy = "letters.csv"\n'))
    found = resolve(schema.columns["x"], ["a", "b"], ["a", "b"], schema.folder)
    assert found is not None
    assert found.common_ancestor(["a", "b"]) == "A"


@pytest.mark.parametrize("source", ["letters.csv", {"tree": {"*": ["a"]}}, Taxonomy.from_tree({"*": ["a"]})])
def test_a_value_that_the_taxonomy_misses_is_listed(written: Write, tmp_path: Path, source: object) -> None:
    written("a;*\n", "letters.csv")
    with pytest.raises(TaxonomyError, match="misses 2 values of the column: 'b', 'c'"):
        resolve(Column(role="quasi", taxonomy=source), ["a", "b", "c"], ["a", "b", "c"], tmp_path)


def test_missing_marks_are_texts_and_survive_the_file(written: Write) -> None:
    schema = Schema.load(written(VALID + '[columns.x]\nrole = "quasi"\nmissing = ["?", -9, "", "?"]\n'))
    assert schema.columns["x"].missing == ("?", "-9", "")
    assert Schema.load(written(schema.to_toml(), "again.toml")) == schema
    assert "missing" not in Column(role="quasi").to_toml("x")
    with pytest.raises(SchemaError, match=r"line 9, columns\.x\.missing: '\?' is not a list; write it as missing = \["):
        Schema.load(written(VALID + '[columns.x]\nmissing = "?"\nrole = "quasi"\n'))


def test_a_schema_knows_its_file(written: Write) -> None:
    path = written(PATIENTS)
    assert Schema.load(path).path == path
    assert Schema.of(quasi="a", sensitive="b").path is None


def test_a_schema_or_taxonomy_file_is_suggested_only_if_it_is_really_near(written: Write, tmp_path: Path) -> None:
    written(VALID, "s.toml")
    with pytest.raises(SchemaError, match=r"no such schema file; draft one with pellucid init$"):
        Schema.load(tmp_path / "x.toml")
    (tmp_path / "link.toml").symlink_to("gone.toml")
    with pytest.raises(SchemaError, match=r"no such schema file; it is a link to 'gone\.toml', which does not exist"):
        Schema.load(tmp_path / "link.toml")
    written("a;*", "b.csv")
    with pytest.raises(
        SchemaError, match=r"there is no file 'z\.csv'; a taxonomy's path is relative to the schema's f"
    ):
        Schema.load(written(VALID + '[columns.x]\nrole = "quasi"\ntaxonomy = "z.csv"\n'))
