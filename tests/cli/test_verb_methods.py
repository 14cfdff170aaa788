"""``pellucid methods`` lists what there is and explains each."""

from __future__ import annotations

import pytest

from cli.program import Program
from pellucid.anonymize.methods import methods


def test_the_list_names_every_method_with_its_summary(call: Program) -> None:
    listed = " ".join(call("methods").out.split())
    for name, method in methods().items():
        assert f"{name} {method.summary}" in listed


def test_the_document_describes_every_method(call: Program) -> None:
    described = call("methods", "--json").document
    assert [method["name"] for method in described] == list(methods())
    for method in described:
        assert set(method["parameters"]) == set(methods()[method["name"]].model_fields)
        assert all(parameter["description"] for parameter in method["parameters"].values())
        assert {"summary", "guarantee", "reference"} <= set(method)
    l = next(method for method in described if method["name"] == "hybrid")["parameters"]["l"]
    assert (l["type"], l["minimum"], l["required"], l["option"]) == ("integer", 1, True, "--l")


@pytest.mark.parametrize("name", ["tailor", "ace", "hybrid", "soft-cut"])
def test_a_method_is_explained(name: str, call: Program) -> None:
    explained = call("methods", name)
    assert explained.code == 0
    assert "--l" in explained.out
    assert methods()[name].reference[:20] in " ".join(explained.out.split())
    assert call("methods", name, "--json").document["guarantee"] == "algorithm"


def test_an_unknown_method_is_refused_with_the_known_ones(call: Program) -> None:
    error = call("methods", "hybird").error
    assert "did you mean 'hybrid'?" in error
    assert "tailor" in error
