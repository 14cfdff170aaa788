"""Every condition of a verdict removed in turn: does the suite notice?

A mutant is one text of one file that attacks rely on put in place of another while it is imported; nothing is
written. The tests of its file are run on it, quick ones first, until one fails: *caught*. What none of them notices
*survived*, and ends this script with 1.

    .venv/bin/python benchmark/mutants.py                 # all of them, one after the other
    .venv/bin/python benchmark/mutants.py --only inference.untold_view    # of one file
    .venv/bin/python benchmark/mutants.py --only papers   # of what docs/papers.md cites a test for, on that test alone
    .venv/bin/python benchmark/mutants.py --list
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = "mutated"  # the module below, as pytest imports it
VERDICTS = (("tests/unit/test_verdict.py",),)
ATTACKS = (
    (
        "tests/unit/test_readings.py",
        "tests/oracle/test_reviewed_attacks.py",
        "tests/oracle/test_attacks_once_wrong.py",
        "tests/contract/test_verify_asks_the_verdict.py",
        "tests/contract/test_recipe_tells_what_steered.py",
        "tests/contract/test_outsiders.py",
    ),
    (
        "tests/oracle/test_attack_configurations.py",
        "tests/contract/test_attack_soundness.py",
        "tests/contract/test_attack_population.py",
        "tests/contract/test_values_attacked.py",
        "tests/contract/test_soft_cut_attacked.py",
    ),
)


@dataclass(frozen=True)
class Mutant:
    """A text that is put in place of another, which occurs once in a file."""

    file: str
    old: str
    new: str
    cited: str = ""  # the test that docs/papers.md cites for it, by itself enough

    @property
    def path(self) -> Path:
        """Where the file is."""
        return ROOT.joinpath("src", *self.module.split(".")).with_suffix(".py")

    @property
    def module(self) -> str:
        """``posterior.shape`` is that module; others, as ``inference.untold_view``, are in ``pellucid.risk``."""
        elsewhere = self.file.split(".")[0] in ("anonymize", "models", "posterior")
        return f"pellucid.{self.file}" if elsewhere else f"pellucid.risk.{self.file}"

    @property
    def name(self) -> str:
        """The file, and what becomes of it."""
        return f"{self.file}: {' '.join(self.old.split())[:70]} -> {' '.join(self.new.split())[:60]}"

    def applied(self, source: str) -> str:
        """The source with the mutant in it."""
        if source.count(self.old) != 1:
            raise SystemExit(f"{self.name}: the text occurs {source.count(self.old)} times; mend the list of mutants")
        return source.replace(self.old, self.new)


def of(file: str, *pairs: tuple[str, str]) -> list[Mutant]:
    """Mutants of one file."""
    return [Mutant(file, old, new) for old, new in pairs]


VERDICT = of(
    "verdict",
    ("isinstance(most, np.ndarray) else float(most)) * ROUNDING\n", "isinstance(most, np.ndarray) else float(most))\n"),
    ("    if surely_above(beliefs, limit).any():", "    if False:"),
    ("    if beliefs.exactness is Exactness.UNKNOWN:\n        return np.zeros(len(beliefs.counted), np.bool_)\n", ""),
    ("    lower = beliefs.counted if beliefs.lower is None else beliefs.lower\n", "    lower = beliefs.counted\n"),
    (
        "    if beliefs.exactness is not Exactness.SAMPLED:\n        return lower\n",
        "    if True:\n        return lower\n",
    ),
    ("    if beliefs.surely is not None:\n        return beliefs.surely\n", ""),
    (
        "beliefs.counted - wider(beliefs) * (beliefs.counted - lower)",
        "beliefs.counted - 2.8 * (beliefs.counted - lower)",
    ),
    ("    people = max(1, int((beliefs.lower < beliefs.upper).sum()))", "    people = len(beliefs.risk)"),
    ("    reasons = [*beliefs.lacking]\n", "    reasons: list[str] = []\n"),
    ("    if beliefs.exactness is Exactness.SAMPLED:", "    if False:"),
    ("    elif not beliefs.exactness.sound and not reasons:", "    elif False:"),
    ("for one in (beliefs.at_most, beliefs.otherwise) if", "for one in (beliefs.otherwise,) if"),
    ("for one in (beliefs.at_most, beliefs.otherwise) if", "for one in (beliefs.at_most,) if"),
    ("    if any(bool(np.any(one > limit)) for one in otherwise):", "    if False:"),
    ("    upper = beliefs.counted if beliefs.upper is None else beliefs.upper\n", "    upper = beliefs.counted\n"),
    ("    if above > 0:", "    if False:"),
    ("    if any(verdict.standing is Standing.FAILS for verdict in verdicts):", "    if False:"),
    ("    if why or missed or not verdicts:", "    if missed or not verdicts:"),
    ("    if why or missed or not verdicts:", "    if why or not verdicts:"),
    ("    if why or missed or not verdicts:", "    if why or missed:"),
)
EXACTNESS = of(
    "exactness",
    ("in (Exactness.EXACT, Exactness.BOUND)", "in (Exactness.EXACT, Exactness.BOUND, Exactness.SAMPLED)"),
    ("in (Exactness.EXACT, Exactness.BOUND)", "in (Exactness.EXACT, Exactness.BOUND, Exactness.UNKNOWN)"),
    ("in (Exactness.EXACT, Exactness.BOUND)", "in (Exactness.EXACT,)"),
)
STEERING = of(
    "inference.require_inputs",
    ("    if lacking:\n        raise", "    if False:\n        raise"),
    ("not evidence.lacking or gives_nothing_away(evidence):", "not evidence.lacking:"),
    ("if reason not in (UNORDERED, UNTOLD) or order_matters(evidence)]", "if reason not in (UNORDERED, UNTOLD)]"),
    ("if reason not in (UNORDERED, UNTOLD) or order_matters(evidence)]", "]"),
    ("not order_is_idle(evidence.method, evidence.people) and tells_by_order(evidence)", "tells_by_order(evidence)"),
    ("not order_is_idle(evidence.method, evidence.people) and tells_by_order(evidence)", "False"),
)
STEERED = of(
    "views.missing_inputs",
    ("    if schema is None and (recipe is None or not recipe.tells_what_steered):", "    if False:"),
    ("    if suppressed != 0 and _compares_with_table", "    if False and _compares_with_table"),
    ('part.looks_at == "values" and not isinstance(part, DiversityModel)', 'part.looks_at == "values"'),
    ("    if method is not None and not method.may_suppress:\n        return 0\n", ""),
    (
        "    return None if recipe is None else recipe.suppressed",
        "    return 0 if recipe is None else recipe.suppressed",
    ),
    ("    if schema.names(Role.QUASI) != quasi:", "    if False:"),
    ('    for key in ("role", "kind", "domain",', '    for key in ("role", "kind",'),
    ('"domain", "order", "taxonomy", "missing", "importance"):', '"domain", "taxonomy", "missing", "importance"):'),
    ('"domain", "order", "taxonomy", "missing", "importance"):', '"domain", "order", "missing", "importance"):'),
    ('"domain", "order", "taxonomy", "missing", "importance"):', '"domain", "order", "taxonomy", "importance"):'),
    ('"domain", "order", "taxonomy", "missing", "importance"):', '"domain", "order", "taxonomy", "missing"):'),
    ('for key in ("role", "kind", "domain"', 'for key in ("kind", "domain"'),
    ('for key in ("role", "kind", "domain"', 'for key in ("role", "domain"'),
)
VIEWS = of(
    "inference.untold_view",
    ("    if read.membership is None:  # the release tells", "    if True:  # the release tells"),
    ("    if _made_in_public(evidence) and not told.adversary.facts:", "    if _made_in_public(evidence):"),
    (
        "    if len(evidence.people) > MOST_PEOPLE:\n        return _at_most(told)",
        "    if len(evidence.people) > MOST_PEOPLE:\n        return told",
    ),
    ("    except AttackError:\n        return _at_most(told)", "    except AttackError:\n        return told"),
    ("return not drawn and made_without_values(method)", "return not drawn"),
    ("    more = theirs > mine * (1 + 1e-12)\n", "    more = theirs < 0\n"),
    ("    weaker = kinds[max(", "    weaker = kinds[min("),
    ("risk=np.where(more, alone.risk, told.risk)", "risk=told.risk"),
    ("    proved = None if told.adversary.facts else told.evidence.proved", "    proved = told.evidence.proved"),
    ("at_most=1.0 if proved is None else float(proved)", "at_most=None if proved is None else float(proved)"),
    ("    if evidence.protected is None:\n", "    if True:\n"),
)
READING = of(
    "views.reader_view",
    (
        "    read = evidence.anonymous or evidence.membership is not None or evidence.crowd is not None\n",
        "    read = True\n",
    ),
    ("    if may_be_several(evidence) or len(evidence.people)", "    if len(evidence.people)"),
    (
        "    return all(int(mask.sum()) == int(sizes[number])",
        "    return all(int(mask.sum()) <= 10**9 + int(sizes[number])",
    ),
    ("    return method.cuts_between_values and isinstance(recoder, RowRecoder) and all(", "    return all("),
    (
        "isinstance(recoder, RowRecoder) and all(map(recoder.tells_apart, attributes))",
        "isinstance(recoder, RowRecoder)",
    ),
    (
        "    large = np.flatnonzero(evidence.published.sizes >= 2 * least_rows(method)).tolist()",
        "    large: list[int] = []",
    ),
    ("    if evidence.membership is not None:  # nobody knows who is in a class", "    if False:  # nobody knows"),
    ("any(not (ranges and _reached_by_one(", "any(not (_reached_by_one("),
    ("isinstance(part, LDiversity) and method.protects is None", "isinstance(part, LDiversity)"),
    ("            rows.append(part.k)", "            rows.append(9)"),
    ("if attribute.kind is Kind.CATEGORY or (attribute.has_null and (codes == 0).any()):", "if False:"),
)
COVERING = of(
    "anonymize.recode.cell_coverage",
    (
        "        if isinstance(recoder, TwoTables):\n            members",
        "        if False:\n            members",
    ),
    (
        "        return [(codes, tell(_distinct(codes[members]))) for codes, tell in held]\n",
        "        return [(codes, np.isin(np.arange(codes.max() + 1), codes[members])) for codes, _ in held]\n",
    ),
    ("isinstance(recoder, RowRecoder) and grouping.levels is None\n", "isinstance(recoder, RowRecoder)\n"),
)
BELIEVE = of(
    "inference.select_engine",
    ("    require_known(evidence, adversary)\n", ""),
    ("        return left_open(evidence)\n", "        return evidence\n"),
    ("        return replace(evidence, several=True)\n", "        return evidence\n"),
    ("    if may_be_several(evidence):\n        return unsettled(evidence)\n", ""),
    ("    if evidence.lookalikes is None:\n        return evidence\n", "    return evidence\n"),
    ("        return told_too(sure_who_is_there(alone))", "        return sure_who_is_there(alone)"),
    ("        return told_too(sure_who_is_there(alone))", "        return told_too(alone)"),
    ("if told_who(evidence) else beliefs", "if False else beliefs"),
    ("    if quiet and not beliefs.adversary.facts:  # nothing", "    if quiet:  # nothing"),
    ("    proved = None if beliefs.adversary.facts else evidence.proved", "    proved = evidence.proved"),
    ("    if not evidence.anonymous or not may_be_several(evidence):", "    if True:"),
    ("evidence.proved is not None and not beliefs.adversary.facts  # of", "evidence.proved is not None  # of"),
    ("    told = evidence.crowd is None and not evidence.anonymous", "    told = evidence.crowd is None"),
    ("not evidence.several and not beliefs.adversary.facts:", "not beliefs.adversary.facts:"),
    ("np.where(likeliest, np.minimum(lower, single), 0.0)", "np.minimum(lower, single)"),
    ("lower=np.zeros(len(risk)),  #", "lower=risk if beliefs.lower is None else beliefs.lower,  #"),
    ("exactness=Exactness.BOUND if beliefs.exactness.sound else beliefs.exactness,", ""),
    ("notes=(*beliefs.notes, note), exactness=Exactness.UNKNOWN)", "notes=(*beliefs.notes, note))"),
    ("    return replace(beliefs, exactness=Exactness.UNKNOWN, notes", "    return replace(beliefs, notes"),
)
WORLDS = of(
    "inference.world_enumeration",
    ("    if _other_ends(evidence):", "    if False:"),
    ("    return not untold and not method.draws_coins", "    return not method.draws_coins"),
    ("    return not untold and not method.draws_coins", "    return not untold"),
    ("    if any(not np.allclose(beliefs.risk, by_recoder[0].risk) for beliefs in by_recoder):", "    if False:"),
)
AT_WORK = of(
    "inference.method_at_work",
    (
        "        groups = None if self.by_content else sorted(map(sorted, partition_of(grouping)))\n",
        "        groups = None\n",
    ),
    ("self.evidence.origin.suppressed != 0\n", "bool(self.evidence.origin.suppressed)\n"),
    ("            if not order_is_idle(self.evidence.method, table):\n", "            if False:\n"),
    ("        self.by_content = ours and read ", "        self.by_content = False "),
)
WHO = of(
    "views.linkage",
    ("    if table is not None and table.order is not None:  # never by", "    if False:  # never by"),
)
CROWD = of(
    "views.population",
    ("            lacking = (UNTOLD if order is None else UNORDERED,)\n", "            pass\n"),
)
LOOK = of(
    "views.opened_release",
    ("            lacking += (SHARES,)\n", "            pass\n"),
    ("        if hidden == outside and membership.certain:", "        if True:"),
    ("            hidden = 0  # the table is among", "            pass  # the table is among"),
    ("            usual = TwoTables() if self.in_two else", "            usual ="),
)
BOX = of(
    "inference.black_box",
    ("        return 0.25 if self.independent or self.anew < 100 else 0.02", "        return 0.0"),
    ("        if anywhere and self.box.runs == 1 and np.array", "        if anywhere and np.array"),
    ("engine, notes, walk.surely(), ", "engine, notes, "),
)
PAPERS = [
    Mutant(file, old, new, f"tests/{test}")
    for file, old, new, test in (
        (
            "posterior.greedy_buckets",
            "self.weighed(states, self.p, self.one)",
            "self.weighed(states, self.one, self.one)",
            "oracle/test_consecutive.py::test_counting_buckets_is_the_same_as_enumerating_worlds",
        ),
        (
            "posterior.refusal.one_cut",
            "{value: shown(expected[value] / a, exact)",
            "{value: shown(Fraction(counts[value], a + b), exact)",
            "oracle/test_consecutive.py::test_the_count_of_refused_cuts_is_that_of_enumeration",
        ),
        (
            "anonymize.layout.consecutive",
            "kernel.halves(seen, model.l,",
            "kernel.halves(seen, model.l + 1,",
            "property/test_consecutive_equal_definitions.py::test_groups_are_those_of_the_definitions",
        ),
        (
            "anonymize.layout.consecutive",
            "below = int(p * 2**63)",
            "below = int((1 - p) * 2**63)",
            "property/test_consecutive_equal_definitions.py::test_groups_are_those_of_the_definitions",
        ),
        (
            "anonymize.methods.anatomy",
            'draws = coins.draws(orders, purpose="anatomy", threads=threads)',
            "draws = orders.copy()",
            "statistical/test_consecutive_laws.py::test_the_method_follows_its_law_over_fresh_coins",
        ),
        (
            "posterior.merged_classes",
            "if sum(tuple_) == positives and _some_class_violates(class_sizes, tuple_, l)",
            "if sum(tuple_) == positives",
            "golden/test_minimality_attack.py::test_sensitive_tuples_are_those_of_table_6",
        ),
        (
            "anonymize.layout.buckets",
            "draws = coins.draws(ordered, threads=threads)",
            "draws = ordered.copy()",
            "statistical/test_laws.py::test_the_method_follows_its_law_over_fresh_coins",
        ),
        (
            "anonymize.methods.hybrid",
            "self.l, ace=True, coins",
            "self.l, ace=False, coins",
            "property/test_methods_equal_definitions.py::test_groups_are_those_of_the_definitions",
        ),
        (
            "anonymize.methods.mask",
            "surplus[bad] = protected_rows[bad] - sizes[bad] * protected_rows[chosen] // sizes[chosen]",
            "surplus[bad] = protected_rows[bad] + -sizes[bad] * protected_rows[chosen] // sizes[chosen]",
            "property/test_disguise.py::test_mask_publishes_what_the_definition_says",
        ),
        (
            "anonymize.methods.mask",
            "return Incognito(k=self.k)",
            "return Mondrian(k=self.k)",
            "property/test_disguise.py::test_mask_of_each_value_publishes_what_the_definition_says",
        ),
        (
            "anonymize.methods.spurious_records",
            "self.l * groups.largest - groups.sizes)",
            "self.l * groups.largest + 1 - groups.sizes)",
            "property/test_disguise.py::test_spurious_records_are_those_of_the_definition",
        ),
        (
            "inference.priors",
            "    return KnownPrior(look, table, before[keys])",
            "    return KnownPrior(look, table[:: -1].copy(), before[keys])",
            "contract/test_attack_beliefs.py::test_a_distribution_is_exact_in_large_groups_and_leaves_outsiders_aside",
        ),
        (
            "inference.by_disguise",
            "donors[: (method.l - 1) * len(changed)]",
            "donors",
            "oracle/test_disguised_breaches.py::test_an_attack_on_mask_says_what_is_proved_of_ann_whatever_is_true",
        ),
        (
            "inference.by_disguise",
            "comb(kept + lost, lost)",
            "1",
            "oracle/test_disguised_breaches.py::test_an_attack_on_mask_says_what_is_proved_of_ann_whatever_is_true",
        ),
        (
            "models.maximum_risk",
            "Ratios(np.ones(len(groups), np.int64), groups.sizes)",
            "Ratios(np.ones(len(groups), np.int64), groups.sizes + 1)",
            "unit/test_models.py::test_levels_of_a_small_table_are_those_computed_by_hand",
        ),
        (
            "models.recursive_diversity",
            "np.where(largest > 0, left, 1))",
            "np.where(largest > 0, 2 * left, 1))",
            "golden/test_minimality_attack.py::test_beliefs_after_incognito_are_those_of_the_worked_example",
        ),
        (
            "models.recursive_diversity",
            "    strict: ClassVar[bool] = True\n",
            "",
            "golden/test_minimality_attack.py::test_beliefs_after_incognito_are_those_of_the_worked_example",
        ),
        (
            "models.t_closeness",
            "return Ratios(apart, 2 * sizes * rows)",
            "return Ratios(apart, 4 * sizes * rows)",
            "golden/test_minimality_attack.py::test_beliefs_after_incognito_are_those_of_the_worked_example",
        ),
        (
            "posterior.generalized",
            "self.model.l - dict(own).get(value, 0) for",
            "self.model.l for",
            "oracle/test_local_recoding.py::test_table_8_and_a_case_that_failed",
        ),
        (
            "inference.prior_in_fractions",
            "Fraction(having[looks[row], code], max(alike[looks[row]], 1)) for",
            "Fraction(having[looks[row], code] / max(alike[looks[row]], 1)) for",
            "oracle/test_robust_levels.py::test_shares_that_floats_round_are_compared_as_fractions",
        ),
    )
]
NOTHING = Mutant("inference.untold_view", "LARGER = ", "LARGER = ")  # changes nothing: with it all tests pass
MUTANTS = [
    *VERDICT,
    *EXACTNESS,
    *STEERING,
    *STEERED,
    *VIEWS,
    *READING,
    *COVERING,
    *BELIEVE,
    *WORLDS,
    *AT_WORK,
    *WHO,
    *CROWD,
    *LOOK,
    *BOX,
    *PAPERS,
    NOTHING,
]


def tests_of(mutant: Mutant) -> tuple[tuple[str, ...], ...]:
    """The tests that should notice it, quick ones first."""
    if mutant.cited:
        return ((mutant.cited,),)
    return VERDICTS if mutant.file in ("verdict", "exactness") else ATTACKS


def caught_by(mutant: Mutant, seconds: float) -> str | None:
    """The test that notices a mutant; None where none does."""
    mutant.applied(mutant.path.read_text())
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", PLUGIN, "-p", "no:cacheprovider", "-p", "no:randomly"]
    told = {"PELLUCID_MUTANT": str(MUTANTS.index(mutant)), "PYTHONDONTWRITEBYTECODE": "1"}
    paths = [str(ROOT / "src"), str(ROOT / "benchmark"), os.environ.get("PYTHONPATH", "")]
    given = os.environ | told | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    for tests in tests_of(mutant):
        try:
            run = subprocess.run(
                [*words, *tests], cwd=ROOT, env=given, capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return "nothing: it does not end"
        said = run.stdout.decode()
        if run.returncode not in (0, 1, 2):
            raise SystemExit(f"{mutant.name}: pytest ended with {run.returncode}\n{said[-2000:]}")
        if run.returncode:
            failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
            return failed[0].split("::")[-1].split(" - ")[0] if failed else tests[0]
    return None


def main() -> int:
    """Print a line for each mutant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="mutants of this file, such as inference.untold_view")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--seconds", type=float, default=600, help="how long a test file may take")
    parser.add_argument("--list", action="store_true", help="name them, and run nothing")
    given = parser.parse_args()
    chosen = [
        one for one in MUTANTS[given.first : -1] if given.only in (None, one.file, "papers" if one.cited else None)
    ]
    if not given.list and (failing := caught_by(NOTHING, given.seconds)):
        raise SystemExit(f"{failing} fails without any mutant; mend that first")
    survived = 0
    for mutant in chosen:
        number = MUTANTS.index(mutant)
        if given.list:
            mutant.applied(mutant.path.read_text())
            print(f"{number:3} {mutant.name}")
            continue
        started = time.monotonic()
        found = caught_by(mutant, given.seconds)
        survived += found is None
        said = "SURVIVED" if found is None else f"caught by {found[:60]}"
        print(f"{number:3} {said:70} {mutant.name} ({time.monotonic() - started:.0f} s)", flush=True)
    print(f"{len(chosen)} mutants, {survived} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
