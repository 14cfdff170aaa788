"""Made-up people in whom sensitive values depend on what others may know, for tests of what a release says of that."""

from __future__ import annotations

from random import Random

import polars as pl

PROTECTED = ["drugs", "depressed", "diabetes", "smokes"]


def survey(rows: int = 3_400, seed: int = 8) -> pl.DataFrame:
    """A health survey: four yes/no answers that depend on sex, age and schooling."""
    random = Random(seed)
    people = []
    for _ in range(rows):
        man, age, schooling = random.random() < 0.5, random.randint(20, 79), random.randint(1, 5)
        chances = {
            "drugs": 0.10 + 0.10 * man + 0.06 * (age < 40),
            "depressed": 0.14 - 0.06 * man + 0.03 * (5 - schooling) / 2,
            "diabetes": 0.03 + 0.004 * max(0, age - 40),
            "smokes": 0.12 + 0.06 * man + 0.03 * (5 - schooling),
        }
        answers = {name: "yes" if random.random() < chance else "no" for name, chance in chances.items()}
        people.append(
            {"sex": "m" if man else "f", "age": age, "race": random.randint(1, 5), "schooling": schooling, **answers}
        )
    return pl.DataFrame(people)


def census_excerpt(rows: int = 6_000, seed: int = 8) -> pl.DataFrame:
    """People of a census: difficulty remembering, rare and growing with age, and income by schooling and sex."""
    random = Random(seed)
    people = []
    for _ in range(rows):
        age, schooling, sex = random.randint(18, 89), random.randint(1, 8), random.choice("fm")
        forgets = 0.01 + 0.55 * max(0, age - 70) / 20
        rich = min(0.95, 0.04 * schooling + 0.1 * (sex == "m") + 0.002 * min(age, 50))
        people.append(
            {
                "sex": sex,
                "age": age,
                "area": random.randint(1, 30),
                "schooling": schooling,
                "remembering": "difficult" if random.random() < forgets else "no difficulty",
                "income": "high" if random.random() < rich else "low",
            }
        )
    return pl.DataFrame(people)
