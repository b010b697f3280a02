"""What the API server may send, or will in a later release, is read although this program does not know it."""

from __future__ import annotations

import pytest

from pools.wire.registry import decode
from tests.wire.samples import CLAIM, MISSING, SLICE, changed


class TestTolerance:
    def test_null_maps_and_lists_are_empty(self) -> None:
        raw = changed(SLICE, "spec/devices", [{"name": "a", "attributes": None, "consumesCounters": None}])
        for key in ("nodeSelector", "partitionTypeAttribute", "allNodes"):
            raw["spec"][key] = None
        raw["metadata"].update(labels=None, annotations={"a": None}, creationTimestamp=None, ownerReferences=None)
        one = decode(raw)
        assert dict(one.devices[0].attributes) == {}
        assert one.meta.annotations == {"a": ""}
        assert decode(changed(SLICE, "spec/devices", None)).devices == ()

    def test_unknown_fields_are_passed_over(self) -> None:
        raw = changed(SLICE, "spec/someFieldOfALaterRelease", ["*"])
        raw["spec"]["devices"][0]["nodeAllocatableResources"] = {"cpu": {"mapping": {}}}
        raw["status"] = {"x": 1}
        assert decode(raw) == decode(SLICE)

    def test_an_attribute_of_a_kind_to_come_is_unknown(self) -> None:
        raw = changed(
            SLICE, "spec/devices/1/attributes", {"a": {"colour": "red"}, "b": {}, "c": None, "d": {"int": None}}
        )
        attributes = decode(raw).devices[1].attributes
        assert {name: (one.kind, one.value) for name, one in attributes.items()} == dict.fromkeys(
            "abcd", ("unknown", None)
        )

    def test_an_unknown_taint_effect_is_kept(self) -> None:
        (taint,) = decode(changed(SLICE, "spec/devices/1/taints/0/effect", "PreferNoSchedule")).devices[1].taints
        assert taint.effect == "PreferNoSchedule"
        assert not taint.blocks

    @pytest.mark.parametrize("entry", [{}, None, {"value": None}, {"valueFrom": {"capacityKey": "memory"}}])
    def test_a_counter_without_value_is_unknown(self, entry: object) -> None:
        raw = changed(SLICE, "spec/devices/1/consumesCounters/0/counters", {"memory": entry, "zero": {"value": "0"}})
        counters = decode(raw).devices[1].consumes[0].counters
        assert counters["memory"].is_unknown
        assert not counters["zero"].is_unknown

    @pytest.mark.parametrize(
        ("value", "text"), [(5, "5"), (1.5, "1.5"), (2.0, "2"), (1e22, "1e+22"), (10**30, "1" + "0" * 30)]
    )
    def test_bare_numbers_are_quantities(self, value: float, text: str) -> None:
        raw = changed(SLICE, "spec/sharedCounters/0/counters/memory/value", value)
        assert decode(raw).counter_sets[0].counters["memory"].text == text

    def test_generation_may_be_absent(self) -> None:
        assert decode(changed(SLICE, "spec/pool/generation", MISSING)).generation == 0

    def test_empty_and_false_selections_are_as_good_as_absent(self) -> None:
        raw = changed(SLICE, "spec/nodeName", "")
        raw["spec"]["allNodes"] = False
        assert not decode(raw).reach.is_set

    def test_an_empty_slice_is_a_slice(self) -> None:
        raw = changed(SLICE, "spec/devices", MISSING)
        del raw["spec"]["sharedCounters"]
        one = decode(raw)
        assert (one.devices, one.counter_sets, one.scope) == ((), (), "pool")

    def test_requests_get_their_defaults(self) -> None:
        (exact,) = decode(CLAIM).requests[0].alternatives
        assert (exact.mode, exact.count, exact.admin_access) == ("ExactCount", 1, False)
        everything = changed(CLAIM, "spec/devices/requests/0/exactly/allocationMode", "All")
        (exact,) = decode(everything).requests[0].alternatives
        assert (exact.mode, exact.count) == ("All", 0)
        zero = changed(CLAIM, "spec/devices/requests/0/exactly/count", 0)
        assert decode(zero).requests[0].alternatives[0].count == 1

    def test_an_empty_allocation_is_an_allocation(self) -> None:
        assert decode(changed(CLAIM, "status/allocation", {})).allocation.results == ()
        assert decode(changed(CLAIM, "status/allocation", None)).allocation is None
        assert decode(changed(CLAIM, "status", None)).allocation is None

    @pytest.mark.parametrize(
        "time", ["2026-12-01T10:00:00Z", "2026-12-01t10:00:00.123456789z", "2026-12-01T10:00:00+02:00"]
    )
    def test_times_of_rfc_3339_are_kept_as_text(self, time: str) -> None:
        assert decode(changed(SLICE, "metadata/creationTimestamp", time)).meta.created == time
