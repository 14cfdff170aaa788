"""Writes what pyCANON reports about Adult to pycanon_facts.json; run once, in an environment of its own.

    python3 -m venv /tmp/pycanon && /tmp/pycanon/bin/pip install pycanon==1.3.6
    /tmp/pycanon/bin/python tests/data/pycanon_facts.py ../shared/data/adult/adult.csv

``tests/contract/test_agreement_with_pycanon.py`` compares these figures with ours, and says where and why they differ.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from pycanon import anonymity

CASES = {
    "text": (["decade", "sex", "race"], ["occupation"]),
    "numbers": (["decade", "sex"], ["hours-per-week"]),
    "two columns": (["decade", "sex"], ["occupation", "education"]),
    "fine": (["age", "sex", "race", "workclass"], ["education"]),
    "coarse": (["sex"], ["marital-status"]),
    "coarse with a rare value": (["sex", "salary-class"], ["workclass"]),
}
MODELS = {
    "k-anonymity": lambda data, quasi, *_: anonymity.k_anonymity(data, quasi),
    "(alpha,k)-anonymity": anonymity.alpha_k_anonymity,
    "distinct l-diversity": anonymity.l_diversity,
    "entropy l-diversity": anonymity.entropy_l_diversity,
    "recursive (c,l)-diversity": lambda data, quasi, sensitive, gen: anonymity.recursive_c_l_diversity(
        data, quasi, sensitive, gen=gen
    ),
    "beta-likeness": anonymity.basic_beta_likeness,
    "enhanced beta-likeness": anonymity.enhanced_beta_likeness,
    "delta-disclosure": anonymity.delta_disclosure,
    "t-closeness": anonymity.t_closeness,
}


def plain(figure: object) -> object:
    if isinstance(figure, tuple):
        return [plain(one) for one in figure]
    number = float(figure)  # type: ignore[arg-type]
    if np.isnan(number):
        return None
    return int(number) if number == int(number) else number


def asked(ask: object, *arguments: object) -> object:
    """The figure, or the name of the error that pyCANON ends with."""
    try:
        return plain(ask(*arguments))  # type: ignore[operator]
    except (ArithmeticError, ValueError, LookupError) as error:
        return type(error).__name__


def main() -> None:
    data = pd.read_csv(sys.argv[1])
    data["decade"] = data["age"] // 10 * 10
    facts: dict[str, object] = {"pycanon": version("pycanon"), "rows": len(data)}
    for name, (quasi, sensitive) in CASES.items():
        for gen in (True, False) if len(sensitive) > 1 else (True,):
            case = name if gen else f"{name}, harmonised"
            facts[case] = {
                "quasi": quasi,
                "sensitive": sensitive,
                "harmonised": not gen,
                "levels": {model: asked(ask, data, quasi, sensitive, gen) for model, ask in MODELS.items()},
            }
    eight = pd.DataFrame({"zip": ["a", "a", "b", "b", "c", "c", "c", None], "disease": list("xyxyxyxy")})
    facts["eight rows, the zip code of the last one is null"] = asked(anonymity.k_anonymity, eight, ["zip"])
    adults = data[data["age"] >= 80]  # keeps its row labels, as a filtered frame does
    shuffled = adults.reset_index(drop=True).sample(frac=1, random_state=1)
    for name, frame in {
        "plain index": adults.reset_index(drop=True),
        "filtered index": adults,
        "shuffled index": shuffled,
        "string index": adults.set_axis([f"row {i}" for i in range(len(adults))]),
    }.items():
        facts[name] = asked(anonymity.t_closeness, frame, ["sex"], ["marital-status"])
    uniform = [pd.DataFrame({"q": [1] * m, "s": [f"v{i}" for i in range(m)]}) for m in range(1, 51)]
    facts["entropy l of m equally frequent values, m = 1..50"] = [
        asked(anonymity.entropy_l_diversity, frame, ["q"], ["s"]) for frame in uniform
    ]
    skewed = pd.DataFrame({"q": [1] * 100, "s": ["a"] * 98 + ["b", "c"]})
    facts["recursive (c,l) of counts 98, 1, 1"] = asked(anonymity.recursive_c_l_diversity, skewed, ["q"], ["s"])
    text = json.dumps(facts, indent=1)
    Path(__file__).with_suffix(".json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
