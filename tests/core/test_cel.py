"""Selectors answer as Kubernetes' own evaluator does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pools.core.cel_program import Facts, Program, program
from pools.core.cel_values import CelUnsupported
from pools.domain.device import AttributeValue, Capacity, Device
from pools.domain.quantity import parse_quantity
from pools.queries.cel_lines import answer_line
from tests.conftest import shared_path

D, C = 'device.attributes["gpu.example.com"]', 'device.capacity["gpu.example.com"]'
OUTCOMES = {"result": {True: "true", False: "false"}, "error": "error", "compileError": "refused"}
DEVICES = {
    "full": {
        "name": "full",
        "attributes": {
            "model": {"string": "H100"},
            "index": {"int": 3},
            "ecc": {"bool": True},
            "driverVersion": {"version": "580.65.6"},
            "pre": {"version": "1.2.0-rc.1+b5"},
            "resource.kubernetes.io/pcieRoot": {"string": "pci0000:01"},
            "other.example.com/x": {"int": -7},
            "big": {"int": 9007199254740993},
            "empty": {"string": ""},
            "uni": {"string": "größe-✓"},
            "profile": {"string": "1g.10gb+me"},
        },
        "capacity": {
            "memory": {"value": "80Gi"},
            "cores": {"value": "132"},
            "frac": {"value": "1500m"},
            "other.example.com/bw": {"value": "400G"},
            "tiny": {"value": "1u"},
            "huge": {"value": "9E"},
        },
    },
    "list": {
        "name": "list",
        "attributes": {
            "model": {"string": "X"},
            "numa": {"ints": [0, 2]},
            "zones": {"strings": ["a", "b"]},
            "flags": {"bools": [True, False]},
            "fws": {"versions": ["1.0.0", "2.0.0-beta"]},
        },
        "capacity": {"memory": {"value": "1Ti"}},
    },
}


def ask(expression, device="full", driver="gpu.example.com"):
    given = DEVICES[device] if isinstance(device, str) else device
    return answer_line(json.dumps({"expression": expression, "driver": driver, "device": given}))


def outcome(answer):
    (kind, value), *_ = answer.items()
    named = OUTCOMES.get(kind, kind)
    return named[value] if isinstance(named, dict) else named


def table():
    lines = (Path(__file__).parent / "cel_answers.txt").read_text().splitlines()[1:]
    return [line.split("\t") for line in lines]


def spell_out(expression):
    """The table writes D and C for the maps of the driver's domain."""
    expression = re.sub(r"(?<![\w\"'(])D(?=[.\[ ,)]|$)|(?<=\()D(?=[.\[ ,)]|$)", lambda _: D, expression)
    return re.sub(r"(?<![\w\"'(])C(?=[.\[ ,)]|$)|(?<=\()C(?=[.\[ ,)]|$)", lambda _: C, expression)


def test_the_recorded_answers_of_kubernetes_are_given():
    wrong = []
    for device, expected, expression in table():
        answer = ask(spell_out(expression), device)
        if outcome(answer) != expected:
            wrong.append((expression, expected, answer))
    assert wrong == []
    assert len(table()) > 700


@pytest.mark.parametrize("file", ["cel_cases.jsonl", "cel_vectors.jsonl"])
def test_every_conformance_expression_agrees(file):
    words = {"match": "true", "no-match": "false", "runtime-error": "error", "compile-error": "refused"}
    wrong = []
    for line in shared_path("conformance", file).read_text().splitlines():
        question = json.loads(line)
        expected = words.get(question.get("expected")) or outcome(
            {key: question[key] for key in ("result", "error", "compileError") if key in question}
        )
        if outcome(answer_line(line)) != expected:
            wrong.append((question["expression"], expected, answer_line(line)))
    assert wrong == []


def test_an_expression_over_ten_kibibytes_is_refused():
    assert outcome(ask(f'"{"x" * 10240}" != ""')) == "refused"


def test_an_expression_that_costs_more_than_a_million_units_fails():
    assert "cost limit" in ask("lists.range(800).sort().size() == 800")["error"]
    assert ask("lists.range(300).sort().size() == 300") == {"result": True}


def test_a_deeply_nested_expression_ends_in_an_answer():
    assert outcome(ask("(" * 200 + "true" + ")" * 200)) in ("true", "refused", "unsupported")
    assert outcome(ask("!" * 5000 + "true")) in ("true", "refused", "unsupported")


def test_a_regular_expression_with_nested_repetition_takes_no_time():
    assert outcome(ask('"' + "a" * 60 + '!".matches("^(a+)+$")')) == "false"


@pytest.mark.parametrize(
    "expression", ["device == device", '"%e".format([1.5]) == ""', "google.protobuf.BoolValue{} == null"]
)
def test_what_cannot_be_evaluated_here_is_said_to_be_so(expression):
    assert outcome(ask(expression)) == "unsupported"


def test_a_version_that_is_none_makes_every_selector_fail_on_the_device():
    broken = {"name": "d", "attributes": {"v": {"version": "1.2"}}}
    assert "semantic version" in ask("true", broken)["error"]


def test_an_attribute_of_an_unknown_kind_makes_every_selector_fail_on_the_device():
    assert "unsupported attribute" in ask("true", {"name": "d", "attributes": {"v": {"tensor": 1}}})["error"]


def test_a_bare_name_belongs_to_the_drivers_domain():
    device = {"name": "d", "attributes": {"a": {"int": 1}, "gpu.example.com/b": {"int": 2}}}
    assert ask(f"{D}.a == 1 && {D}.b == 2", device) == {"result": True}


def test_the_values_an_expression_reads_are_known():
    checked = Program(f'{D}.model == "x" || device.driver == "y" || cel.bind(c, {C}, c.memory.sign() == 1)')
    assert checked.error  # sign() is a function, not a method
    text = f'{D}.model == "x" || device.driver == "y" || cel.bind(c, {C}, c.size() == 1)'
    assert set(Program(text).reads) == {
        ("device.attributes", "gpu.example.com", "model"),
        ("device.driver", None, None),
        ("device.capacity", "gpu.example.com", None),
    }


def test_devices_that_differ_in_what_is_read_are_told_apart():
    def device(model, memory):
        return Device("d", {"model": AttributeValue("string", model)}, {"memory": Capacity(parse_quantity(memory))})

    selector = program(f'{D}.model == "H100" && {C}.memory.isInteger()')
    answers = [
        selector.matches(Facts("gpu.example.com", device(model, memory)))
        for model, memory in (("H100", "1Gi"), ("T4", "1Gi"), ("H100", "1.5Gi"), ("H100", "1536Mi"))
    ]
    assert answers == [True, False, False, True]


def test_a_selector_refused_once_is_refused_for_every_device():
    selector = program("device.nosuch")
    assert selector.error
    assert not selector.unsupported


def test_lines_that_are_no_question_are_told_apart_from_answers():
    assert "invalid" in answer_line("{")
    assert "invalid" in answer_line("[]")
    assert "invalid" in answer_line('{"expression": 1}')
    assert "path" not in answer_line('{"expression": "true", "device": {"name": "d", "attributes": []}}')
    assert "invalid" in answer_line('{"expression": "true", "device": {"name": "d", "attributes": 1}}')


PARTITION = Device(
    "mig",
    {
        "gpu.example.com/profile": AttributeValue("string", "1g.5gb"),
        "healthy": AttributeValue("bool", True),
        "driver": AttributeValue("version", "550.1.0"),
    },
    {"memory": Capacity(parse_quantity("5Gi"))},
)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("device.driverName == 'gpu.example.com'", True),
        ("device.stringAttributes['gpu.example.com/profile'] == '1g.5gb'", True),
        ("device.stringAttributes['gpu.example.com/nothing'] == ''", True),
        ("device.boolAttributes['gpu.example.com/healthy']", True),
        ("device.boolAttributes['gpu.example.com/nothing']", False),
        ("device.versionAttributes['gpu.example.com/driver'].isGreaterThan(semver('550.0.0'))", True),
        ("device.quantityAttributes['gpu.example.com/memory'].compareTo(quantity('5Gi')) == 0", True),
        ("device.quantityAttributes['gpu.example.com/nothing'].compareTo(quantity('0')) == 0", True),
        ("'gpu.example.com/profile' in device.attributes", True),
        ("'gpu.example.com/nothing' in device.stringAttributes", False),
    ],
)
def test_selectors_of_the_prototype_have_a_language_of_their_own(text, answer):
    assert program(text, prototype=True).matches(Facts("gpu.example.com", PARTITION)) is answer
    assert program(text).error or "device.attributes" in text


def test_unsupported_is_an_error_of_its_own():
    with pytest.raises(CelUnsupported):
        program("device == device").matches(Facts("d", Device("x")))
