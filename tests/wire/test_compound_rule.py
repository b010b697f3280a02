"""CompoundPoolRule: what is read, what is refused and where, and that the JSON schema says the same."""

from __future__ import annotations

import copy
import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from pools.domain.compound import CountRange, ListedGroup
from pools.domain.errors import Undecodable
from pools.wire.compound_rule import MOST, TEXTS, compound_rule, structure
from tests.compounds import ROOT, RULE, TRIPLETS, rule, rule_raw

ROOT_FOLDER = pathlib.Path(__file__).parents[2]
SCHEMA = json.loads((ROOT_FOLDER / "docs/schemas/compound-pool-rule.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
EXAMPLES = sorted((ROOT_FOLDER / "demo/compound").glob("rule*.yaml"))

FULL: dict[str, Any] = {
    "apiVersion": "dashboard.dra.dev/v1alpha1",
    "kind": "CompoundPoolRule",
    "metadata": {"name": "full.rule", "labels": {"team": "hpc"}, "annotations": {"note": "all fields"}},
    "spec": {
        "driver": "compound.example.com",
        "pool": "{node}-c",
        "counterSet": "parts",
        "members": [
            {
                "name": "gpu",
                "driver": "gpu.example.com",
                "selectors": [{"cel": {"expression": 'device.attributes["gpu.example.com"].type == "gpu"\n'}}],
                "label": "g{index}",
                "attributes": ["model", "resource.kubernetes.io/numaNode"],
                "capacity": [],
            },
            {"name": "nic", "driver": "nic.example.com", "attributes": ["*"], "label": "n{nic.example.com/index}"},
        ],
        "grouping": {"attributes": {"gpu": "numa", "nic": "nic.example.com/numaNode"}},
        "molecules": [{"count": {"gpu": 1, "nic": {"min": 0, "max": 2}}, "type": "one.gpu"}, {"count": {"gpu": 2}}],
        "name": "{group}-{gpu}-{nic}",
        "repeatedAttributes": "List",
        "repeatedCapacity": "Sum",
        "partitionTypeAttribute": "compound.example.com/type",
    },
}


def refusal(raw: Any) -> Undecodable:
    with pytest.raises(Undecodable) as caught:
        compound_rule(raw)
    return caught.value


class TestReading:
    def test_the_shortest_rule_gets_sensible_defaults(self) -> None:
        read = rule(pool=None, counterSet=None)

        assert (read.pool, read.counter_set, read.name) == ("{node}", "devices", "{members}")
        assert (read.repeated_attributes, read.repeated_capacity) == ("Indexed", "Indexed")
        assert (read.members[0].label, read.members[0].attributes, read.members[0].capacity) == (
            "{device}",
            ("*",),
            ("*",),
        )
        assert read.type_attribute == "compound.example.com/type"

    def test_each_field_is_read(self) -> None:
        read = compound_rule(FULL)

        assert read.meta.name == "full.rule"
        assert read.meta.labels == {"team": "hpc"}
        gpu, nic = read.members
        assert gpu.selectors == ('device.attributes["gpu.example.com"].type == "gpu"\n',)
        assert (gpu.label, gpu.attributes, gpu.capacity) == (
            "g{index}",
            ("model", "resource.kubernetes.io/numaNode"),
            (),
        )
        assert nic.label == "n{nic.example.com/index}"
        assert read.grouping.attributes == {"gpu": "numa", "nic": "nic.example.com/numaNode"}
        assert read.molecules[0].counts == {"gpu": CountRange(1, 1), "nic": CountRange(0, 2)}
        assert [each.type for each in read.molecules] == ["one.gpu", ""]
        assert (read.pool, read.counter_set, read.name) == ("{node}-c", "parts", "{group}-{gpu}-{nic}")
        assert (read.repeated_attributes, read.repeated_capacity) == ("List", "Sum")
        assert read.partition_type_attribute == "compound.example.com/type"

    def test_one_attribute_groups_all_members_and_lists_are_kept_in_order(self) -> None:
        assert rule().grouping.attributes == {"gpu": ROOT, "nic": ROOT}
        first = rule(grouping={"lists": TRIPLETS}).grouping.lists[0]
        assert first == ListedGroup("triplet-0", {"gpu": ("gpu0", "gpu1"), "nic": ("nic0",)})

    def test_a_whole_number_written_as_a_fraction_is_a_number(self) -> None:
        assert rule(molecules=[{"count": {"gpu": 1.0, "nic": 1}}]).molecules[0].counts["gpu"] == CountRange(1, 1)

    @pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
    def test_the_examples_are_read(self, path: pathlib.Path) -> None:
        assert compound_rule(yaml.safe_load(path.read_text())).driver == "compound.example.com"

    def test_the_rule_in_the_documentation_is_read(self) -> None:
        text = (ROOT_FOLDER / "docs/compound.md").read_text()
        (example,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
        assert compound_rule(yaml.safe_load(example)).molecules[1].type == "whole-triplet"
        VALIDATOR.validate(yaml.safe_load(example))


MISTAKES = [
    ("spec.driver", {"driver": None}, "required, but missing"),
    ("spec.molecules", {"molecules": None}, "required, but missing"),
    ("spec.members", {"members": []}, "at least one is needed"),
    ("spec.grouping", {"grouping": None}, "required, but missing"),
    ("spec.grouping", {"grouping": {}}, "exactly one of attribute, attributes and lists"),
    ("spec.grouping", {"grouping": {"attribute": ROOT, "lists": TRIPLETS}}, "exactly one of"),
    ("spec.grouping.atribute", {"grouping": {"atribute": ROOT}}, "did you mean attribute?"),
    ("spec.repeatedAttributes", {"repeatedAttributes": "Both"}, "one of Indexed, List, Omit"),
    ("spec.pool", {"pool": "{nodes}"}, "no other placeholder than {node}"),
    (
        "spec.name",
        {"name": "{members}-{gpus}"},
        "unknown placeholder {gpus}; known are members, group, type, node, gpu",
    ),
    ("spec.partitionTypeAttribute", {"partitionTypeAttribute": "type"}, "a qualified attribute"),
    ("spec.molecules[0].count.gpus", {"molecules": [{"count": {"gpus": 1}}]}, "there is no member gpus"),
    ("spec.molecules[0].count.gpu", {"molecules": [{"count": {"gpu": {"min": 2, "max": 1}}}]}, "runs backwards"),
    ("spec.molecules[0].count.gpu.min", {"molecules": [{"count": {"gpu": {"max": 1}}}]}, "required, but missing"),
    ("spec.molecules[0].count.gpu", {"molecules": [{"count": {"gpu": 0}}]}, "must be 1 to 64, is 0"),
    ("spec.molecules[0].count.gpu", {"molecules": [{"count": {"gpu": True}}]}, "expected a number"),
    ("spec.molecules[0].count", {"molecules": [{"count": {"gpu": {"min": 0, "max": 1}}}]}, "a molecule of nothing"),
    ("spec.molecules[0].type", {"molecules": [{"count": {"gpu": 1}, "type": "a b"}]}, "expected a word"),
    ("spec.members[1].name", {"molecules": [{"count": {"gpu": 1}}]}, "no molecule has a nic"),
    ("spec.members[1].name", {"members": [{"name": "gpu", "driver": "a.b"}] * 2}, "another member is called gpu"),
    ("spec.members[0].name", {"members": [{"name": "node", "driver": "a.b"}]}, "another meaning in templates"),
    ("spec.members[0].name", {"members": [{"name": "my_gpu", "driver": "a.b"}]}, "a member's name"),
    ("spec.members[0].driver", {"members": [{"name": "gpu", "driver": "compound.example.com"}]}, "its own devices"),
    ("spec.members[0].driver", {"members": [{"name": "gpu", "driver": "GPU"}]}, "a driver's name"),
    ("spec.members[0].selector", {"members": [{"name": "gpu", "driver": "a.b", "selector": "true"}]}, "selectors?"),
    ("spec.members[0].selectors[0].cel", {"members": [{"name": "gpu", "driver": "a.b", "selectors": [{}]}]}, "missing"),
    (
        "spec.members[0].attributes[1]",
        {"members": [{"name": "gpu", "driver": "a.b", "attributes": ["x", "x"]}]},
        "x is listed twice",
    ),
    ("spec.members[0].label", {"members": [{"name": "gpu", "driver": "a.b", "label": "{a b}"}]}, "placeholders"),
    ("spec.grouping.attributes", {"grouping": {"attributes": {"gpu": "numa"}}}, "no attribute is given for member nic"),
    ("spec.grouping.lists[1].name", {"grouping": {"lists": [TRIPLETS[0]] * 2}}, "another group is called triplet-0"),
    (
        "spec.grouping.lists[0].devices.nics",
        {"grouping": {"lists": [{"name": "a", "devices": {"nics": ["nic0"]}}]}},
        "there is no member nics",
    ),
    (
        "spec.grouping.lists[0].devices.gpu[1]",
        {"grouping": {"lists": [{"name": "a", "devices": {"gpu": ["g", "g"]}}]}},
        "g is listed twice",
    ),
]


class TestRefusals:
    @pytest.mark.parametrize(("path", "change", "reason"), MISTAKES, ids=[f"{m[0]}: {m[2]}" for m in MISTAKES])
    def test_a_mistake_is_told_with_its_place(self, path: str, change: dict[str, Any], reason: str) -> None:
        fault = refusal(rule_raw(**change))

        assert fault.path == path
        assert reason in fault.reason
        assert fault.object == "CompoundPoolRule gpu-nic"

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"apiVersion": "dashboard.dra.dev/v2"}, "apiVersion"),
            ({"kind": "CompoundRule"}, "kind"),
            ({"status": {}}, "status"),
            ({"metadata": {"name": "a", "nmae": "b"}}, "metadata.nmae"),
            ({"metadata": {"name": "A_B"}}, "metadata.name"),
            ({"metadata": {"name": "a", "labels": {"x": 1}}}, "metadata.labels.x"),
            ({"metadata": None}, "metadata"),
            ({"spec": []}, "spec"),
        ],
    )
    def test_mistakes_around_the_spec_are_told_too(self, change: dict[str, Any], path: str) -> None:
        assert refusal({**RULE, **change}).path == path

    def test_null_is_not_taken_for_absent(self) -> None:
        raw = rule_raw()
        raw["spec"]["name"] = None
        raw["spec"]["members"][0]["selectors"] = None

        assert refusal(raw).reason == "null; leave the field out, or give a value"

    def test_deep_nesting_is_refused_and_does_not_crash(self) -> None:
        deep: Any = "x"
        for _ in range(100_000):
            deep = [deep]
        assert "too deeply" in refusal({**RULE, "spec": deep}).reason


def mutations(value: Any) -> Iterator[Any]:
    """Copies of a JSON value with one place changed: left out, of another type, of another size, with more in it."""
    yield from ("", "a", "x" * 400, 0, 1, 65, 1.5, True, [], {}, [{}], {"a": 1}, "A B", "{x}", "a.b/c")
    if isinstance(value, dict):
        yield {**value, "unknown": 1}
        for key in value:
            yield {other: inner for other, inner in value.items() if other != key}
            for changed in mutations(value[key]):
                yield {**value, key: changed}
    elif isinstance(value, list):
        yield [*value, *value]
        yield value * 300
        for index, inner in enumerate(value):
            yield [*value[:index], *value[index + 1 :]]
            for changed in mutations(inner):
                yield [*value[:index], changed, *value[index + 1 :]]


def form_is_fine(raw: Any) -> bool:
    try:
        structure(raw)
    except Undecodable:
        return False
    return True


class TestSchema:
    def test_it_is_a_schema_and_takes_the_examples(self) -> None:
        Draft202012Validator.check_schema(SCHEMA)
        assert len(EXAMPLES) == 2
        for raw in (RULE, FULL, *(yaml.safe_load(path.read_text()) for path in EXAMPLES)):
            VALIDATOR.validate(raw)

    @pytest.mark.parametrize(
        "raw", [RULE, FULL, rule_raw(grouping={"lists": TRIPLETS[:2]})], ids=["short", "full", "lists"]
    )
    def test_it_takes_and_refuses_the_same_forms_as_the_reader(self, raw: dict[str, Any]) -> None:
        tried = taken = 0
        for changed in mutations(copy.deepcopy(raw)):
            if isinstance(changed, dict):
                tried += 1
                taken += form_is_fine(changed)
                assert VALIDATOR.is_valid(changed) == form_is_fine(changed), changed
        assert tried > 400
        assert 20 < taken < tried / 2

    def test_what_the_reader_takes_the_schema_takes(self) -> None:
        """And what only the reader refuses are parts that do not go together."""
        for _, change, reason in MISTAKES:
            raw = rule_raw(**change)
            assert VALIDATOR.is_valid(raw) == form_is_fine(raw), reason

    def test_each_kind_of_text_has_the_same_pattern_in_both(self) -> None:
        found = {json.dumps([entry["pattern"], entry["maxLength"]]) for entry in walk(SCHEMA) if "maxLength" in entry}
        assert found == {json.dumps([f"^({text.pattern})$", text.longest]) for text in TEXTS.values()}

    def test_lists_have_the_same_bounds_in_both(self) -> None:
        found = {entry["maxItems"] for entry in walk(SCHEMA) if "maxItems" in entry}
        assert found == {MOST[key] for key in ("members", "molecules", "lists", "selectors", "carried", "devices")}


def walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(inner)
