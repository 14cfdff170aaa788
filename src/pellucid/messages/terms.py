"""What a person can change, as terms: the parameters of calls, keys of files, and steps that take some of them."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.messages.values import Term


def parameter(name: str) -> Term:
    """A parameter of the Python functions, as in ``quasi=``."""
    return Term(name, f"{name}=")


def bare_term(name: str) -> Term:
    """The same without the sign of equality, as the subject of a sentence."""
    return Term(name, name)


def switch(name: str, on: bool) -> Term:
    """A parameter that is yes or no: ``strict=True``, which is ``--strict`` as an option, and ``--no-strict``."""
    return Term(name if on else f"no_{name}", f"{name}={on}")


def key(name: str, value: str) -> Term:
    """A key of a schema file with a value, as TOML writes it: ``kind = "date"``. A page has a field for it."""
    return Term(f"key {name}", f"{name} = {value}", value)


def quoted_key(name: str, value: str) -> Term:
    """The same of a text, which TOML quotes."""
    return Term(f"key {name}", f'{name} = "{value}"', value)


def in_python(way: str) -> Term:
    """What can be done in Python alone."""
    return Term("in python", way)


def place(path: Sequence[object], where: str) -> Term:
    """Where in a schema something is wrong, before what it is: the keys that lead there, and in a file's words."""
    return Term("place", f"{where}: ", [str(part) for part in path])


def file_key(name: str, value: object) -> Term:
    """A key of a schema's section about its file, which is an option as well: ``separator = ";"``."""
    written = str(value).lower() if isinstance(value, bool) else f'"{value}"'
    return Term(f"file {name}", f"{name} = {written} under [file] in a schema", value)


QUASI, SENSITIVE, IDENTIFIER = parameter("quasi"), parameter("sensitive"), parameter("identifier")
SCHEMA, GROUP, VALUES, TOGETHER = parameter("schema"), parameter("group"), parameter("values"), parameter("together")
TRUTH, POPULATION, GROUPS = parameter("truth"), parameter("population"), parameter("groups")
MADE_BY, MODEL, SEED = parameter("made_by"), parameter("model"), parameter("seed")
CLUSTER_ROWS = parameter("cluster_rows")
PEOPLE, WHERE, APPLIES = parameter("people"), parameter("where"), parameter("applies")
THE_BUDGET, PATIENCE, EXACT = parameter("budget"), parameter("patience"), Term("exact", "exact=True")
AUDIENCE = parameter("audience")
RECODE, METHOD, LEAST_ROWS, INSIDE = parameter("recode"), parameter("method"), parameter("k"), parameter("inside")
SAME = parameter("same")
BY_VALUES, BY_SCHEMA = Term("by_values", " (values=)"), Term("by_schema", " (protect in the schema)")
MORE_TIME = Term("more time", "--patience (patience= in Python)")  # a comparison keeps it, whoever reads it then
WITHOUT_SPARK = Term("without_spark", "write it (release.write(folder)) and report on the folder without Spark")
MAX_RISK = Term("max_risk", "most=")
JUDGE_ALL = Term("judge_all", "adversaries= judges those whom it names")
JUDGE_OTHERS = Term("judge_others", "adversaries= names others")
NULLS_REJECTED = Term("nulls rejected", 'the schema says nulls = "reject"')
ALLOW_NULLS = Term("allow nulls", 'set nulls = "value"')
DRAFTED = Term("drafted by init", " (pellucid init drafts one)")
LEARNING_GOES_ON = Term("learning goes on", "Transparency does not stop learning or composition.")
NULL = Term("no value", "null")
KNOWS_QUASI_ALONE = Term("knows quasi alone", "knows the quasi-identifiers alone")
VALUES_BY_COLUMN = Term("values_by_column", "values={column: values}")
OVERWRITE = Term("say_overwrite", "say overwrite")
OVERWRITE_IN_JOB = Term("overwrite_in_job", "set overwrite = true in the job")
KEEP_GROUPS = bare_term("keep_groups")
KEEP_GROUPS_IN_JOB = Term("key keep_groups", "keep_groups")
LARGEST_SET = Term("largest_set", "largest_set=")
HEADER = Term("header", "header = true")
HEADER_ROW = parameter("header_row")
MAX_UNPACKED = parameter("max_unpacked")
NO_HEADER = file_key("header", False)
ANOTHER_ENCODING = Term("another_encoding", "another encoding under [file] in a schema")
BLACK_BOX = Term("attack_anonymizer", "attack_anonymizer()")
MORE_BUDGET = Term("more_budget", "raise the budget")
SAMPLE_OR_MORE_BUDGET = Term("sample_or_more_budget", "sample, or raise the budget")
MORE_BUDGET_OF_ATTACK = Term("more_budget_of_attack", "raise budget")
GIVE_TABLE = Term("give_table", "give the table as truth=")
TELL_GROUPS = Term("tell_groups", "tell who is in which group with groups= (publishing keeps it)")
GIVE_TABLE_AND_GROUPS = Term(
    "give_table_and_groups", "give the table as truth=, and who is in which group with groups= (publishing keeps it)"
)
TERMS = {name: term for name, term in globals().items() if isinstance(term, Term)}  # a template may name them
