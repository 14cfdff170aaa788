"""A clinic made up with the traps of real tables: patients with several stays, and children without an income."""

from __future__ import annotations

from random import Random


def clinic_table() -> str:
    """400 stays of patients, some of whom came up to six times; nobody below 15 has an income."""
    coins = Random(11)
    lines = ["patient_nbr,age,zip,admitted,income,diagnosis"]
    patient = 0
    while len(lines) <= 400:
        patient += 1
        age, zip_code = coins.randrange(1, 90), 1000 + coins.randrange(12)
        income = coins.choice(["low", "middle", "high", "top"]) if age >= 15 else ""
        ill = coins.choice(["asthma", "diabetes", "flu", "fracture", "gastritis", "migraine", "pneumonia"])
        for _ in range(coins.choice([1, 1, 1, 2, 2, 3, 6])):
            day = f"20{coins.randrange(10, 24)}-{coins.randrange(1, 13):02}-{coins.randrange(1, 29):02}"
            lines.append(f"{7000 + patient * 13 % 997},{age},{zip_code},{day},{income},{ill}")
    coins.shuffle(rows := lines[1:])
    return "\n".join([lines[0], *rows]) + "\n"
