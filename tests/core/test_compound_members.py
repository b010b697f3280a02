"""From molecules down to underlying devices and back, and devices published in two places."""

from __future__ import annotations

import pytest

from pools.core.compound import compound
from pools.core.compound_members import (
    compound_findings,
    is_compound,
    members_of,
    molecules_of,
    parts_of,
    underlying_uses,
)
from pools.core.gather import gather
from pools.domain.device import AttributeValue, Device
from pools.domain.ids import CounterId, DeviceId
from tests.compounds import (
    COMPOUND,
    GPU,
    NIC,
    ROOT,
    device,
    gpus,
    judged,
    made,
    nics,
    only,
    pools,
    published,
    rule,
    slice_raw,
)
from tests.core import builders


def own(name: str, driver: str = GPU, pool: str = "node0") -> DeviceId:
    return DeviceId(driver, pool, name)


class TestMembers:
    def test_a_molecule_is_shown_down_to_its_devices_and_counters(self) -> None:
        pool = published(only(made(gpus(2), nics(1))))
        found = members_of(pool, "gpu0-gpu1-nic0")

        assert [(part.member, part.device, part.counter) for part in found] == [
            ("gpu", own("gpu0"), CounterId("node0", "gpu0")),
            ("gpu", own("gpu1"), CounterId("node0", "gpu1")),
            ("nic", own("nic0", NIC), CounterId("node0", "nic0")),
        ]

    def test_a_device_shows_the_molecules_that_have_it(self) -> None:
        pool = published(only(made(gpus(), nics())))
        assert molecules_of(pool, own("nic0", NIC)) == ("gpu0-nic0", "gpu1-nic0", "gpu0-gpu1-nic0")
        assert molecules_of(pool, own("gpu0", NIC)) == ()

    def test_labels_and_several_pools_and_long_names_are_recorded_within_64_bytes(self) -> None:
        long = "/".join(["p" * 60] * 4)
        raws = [
            slice_raw(GPU, [device(f"{'d' * 59}-{i}", {ROOT: "r", "index": i}) for i in range(3)], pool=long),
            slice_raw(GPU, [device("other", {ROOT: "r", "index": 3})]),
            slice_raw(NIC, [device("nic0", {ROOT: "r"})]),
        ]
        members = [{"name": "gpu", "driver": GPU, "label": "g{index}"}, {"name": "nic", "driver": NIC}]
        made_of = only(made(*raws, members=members, molecules=[{"count": {"gpu": 4, "nic": 1}}]))
        pool = published(made_of)
        (item,) = pool.devices

        assert members_of(pool, "g3-g0-g1-g2-nic0") == made_of.molecules[0].parts
        assert {part.device.pool for part in made_of.molecules[0].parts} == {long, "node0"}
        assert max(len(str(value.value)) for value in item.device.attributes.values()) <= 64
        assert max(len(key.partition("/")[2]) for key in item.device.attributes) <= 32

    def test_twelve_devices_of_a_node_are_recorded_in_few_attributes(self) -> None:
        lists = [
            {"name": "all", "devices": {"gpu": [f"gpu{i}" for i in range(8)], "nic": [f"nic{i}" for i in range(4)]}}
        ]
        made_of = only(
            made(gpus(), nics(), grouping={"lists": lists}, molecules=[{"count": {"gpu": 8, "nic": 4}}], name="all")
        )
        item = made_of.slices[1].devices[0]
        assert len([key for key in item.attributes if key.startswith("dashboard.dra.dev/")]) == 6
        assert len(parts_of(item)) == 12

    def test_ordinary_devices_and_broken_records_have_no_members(self) -> None:
        def recorded(**texts: str) -> Device:
            return Device(
                "d", {f"dashboard.dra.dev/{key}": AttributeValue("string", text) for key, text in texts.items()}
            )

        assert parts_of(builders.device("plain", model="x")) == ()
        assert parts_of(recorded(gpu_driver="a.b", gpu_devices="x")) == ()
        assert parts_of(recorded(gpu_driver="a.b", gpu_pool="p", gpu_devices="x,y", gpu_counters="c")) == ()
        (part,) = parts_of(recorded(gpu_driver="a.b", gpu_pool="p", gpu_devices="x"))
        assert (part.device, part.counter) == (DeviceId("a.b", "p", "x"), None)

    def test_only_pools_with_records_are_compound(self) -> None:
        assert is_compound(published(only(made(gpus(2), nics(1)))))
        assert not any(map(is_compound, pools(gpus(), nics())))


class TestUses:
    def test_a_claim_on_a_molecule_is_shown_at_each_of_its_devices(self) -> None:
        report = judged(published(only(made(gpus(2), nics(1)))), "gpu0-nic0")
        uses = {use.part.device.name: use for use in underlying_uses(report)}

        assert list(uses) == ["gpu0", "gpu1", "nic0"]
        ((molecule, holders),) = uses["nic0"].held_by
        assert (molecule, str(holders[0].claim)) == ("gpu0-nic0", "ml/claim-gpu0-nic0")
        assert uses["gpu0"].held_by == uses["nic0"].held_by
        assert uses["gpu1"].held_by == ()
        assert uses["gpu1"].molecules == ("gpu1", "gpu1-nic0", "gpu0-gpu1-nic0")

    def test_a_molecule_that_left_the_pool_still_holds_its_devices(self) -> None:
        before = compound(rule(), pools(gpus(2), nics(1)), generation=1).pools[0]
        after = compound(rule(), pools(gpus(1), nics(1)), generation=2).pools[0]
        (pool,) = gather([*before.slices, *after.slices])
        uses = {use.part.device.name: use for use in underlying_uses(judged(pool, "gpu0-gpu1-nic0"))}

        assert [uses[name].held_by[0][0] for name in ("gpu0", "gpu1", "nic0")] == ["gpu0-gpu1-nic0"] * 3
        assert uses["gpu1"].molecules == ()


class TestPublishedTwice:
    def test_a_device_of_a_compound_that_its_driver_publishes_too_is_an_error_that_names_both_pools(self) -> None:
        found = pools(gpus(2), nics(1))
        done = published(compound(rule(), found).pools[0])
        findings = compound_findings([done, found[0]])

        assert [(each.code, each.severity, each.object) for each in findings] == [
            ("compound-device-published-twice", "error", f"{COMPOUND}/node0-compound0")
        ]
        assert findings[0].message.startswith(
            f"gpu0 and gpu1: part of molecules here and published in pool {GPU}/node0 too"
        )
        assert len(compound_findings([done, *found])) == 2

    def test_a_device_in_two_compounds_is_an_error_too(self) -> None:
        found = pools(gpus(2), nics(1))
        both = [
            published(compound(rule(driver=driver), found).pools[0]) for driver in ("a.example.com", "b.example.com")
        ]
        (finding,) = compound_findings(both)

        assert finding.object == "a.example.com/node0-compound0"
        assert "published in pool b.example.com/node0-compound0 too" in finding.message

    def test_devices_of_one_name_on_two_nodes_are_two_devices(self) -> None:
        """Drivers may put devices of all nodes into one pool; their names then repeat from node to node."""
        raws = []
        for driver, kind in ((GPU, "gpu"), (NIC, "nic")):
            devices = [device(f"{kind}0", {ROOT: "r"}, nodeName=f"n{i}") for i in range(2)]
            raws.append(slice_raw(driver, devices, node="", pool="all", perDeviceNodeSelection=True))
        done = made(*raws)
        both = [published(each) for each in done.pools]

        assert [each.id.name for each in both] == ["n0-compound0", "n1-compound0"]
        assert compound_findings(both) == ()
        assert len(compound_findings([*both, *pools(*raws)])) == 4

    def test_a_compound_alone_or_beside_strangers_is_fine(self) -> None:
        done = published(only(made(gpus(2), nics(1))))
        assert compound_findings([done]) == ()
        assert (
            compound_findings([done, *pools(gpus(2, node="node1"), slice_raw("x.example.com", [device("gpu0")]))]) == ()
        )


@pytest.mark.parametrize("count", [1, 3])
def test_nothing_is_published_twice_when_only_the_compound_is(count: int) -> None:
    done = made(*(raw for i in range(count) for raw in (gpus(2, node=f"n{i}"), nics(1, node=f"n{i}"))))
    assert compound_findings([published(each) for each in done.pools]) == ()
