"""What-ifs about a mirrored cluster: answered from its objects, and nothing of it written."""

import json

import pytest

from pools.domain.errors import ScenarioError
from pools.domain.ids import ClaimId
from pools.models import Cluster, StoredObject
from pools.queries.inquiry import read_values
from pools.queries.snapshot import snapshot
from pools.queries.whatif import what_if, what_if_of
from pools.stored import unpack
from pools.wire.registry import decode
from tests.queries.test_inquiry import values
from tests.web import objects

pytestmark = pytest.mark.django_db
MIG = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "mig.nvidia.com"},
    "spec": {"selectors": [{"cel": {"expression": "device.attributes['gpu.nvidia.com'].type == 'mig'"}}]},
}
GPU = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu.nvidia.com"},
    "spec": {"selectors": [{"cel": {"expression": "device.attributes['gpu.nvidia.com'].type == 'gpu'"}}]},
}


@pytest.fixture
def cluster():
    """Two nodes with an A100 each, half of each taken; a class of partitions and one of whole cards."""
    objects.fleet(2)
    objects.put(MIG, GPU)
    return Cluster.objects.get()


def ask(cluster, **parts):
    return what_if(cluster, read_values(values(**parts)))


def test_a_class_and_a_type_are_enough_to_ask(cluster):
    found = ask(cluster, class_="mig.nvidia.com", type="3g.20gb")

    (line,) = found.outcome.lines
    assert line.placed.nodes == ("node-0", "node-1")
    assert found.outcome.copies.count == 2
    assert found.fits


def test_a_whole_card_fits_only_when_its_claim_goes(cluster):
    assert not ask(cluster, class_="gpu.nvidia.com").fits

    found = ask(cluster, class_="gpu.nvidia.com", release="ml/train-1")

    (line,) = found.outcome.lines
    assert (line.before, line.placed.state, line.placed.nodes) == ("infeasible", "feasible", ("node-1",))


def test_what_does_not_fit_says_why(cluster):
    (line,) = ask(cluster, class_="gpu.nvidia.com").outcome.lines

    assert line.why.code == "counters-insufficient"


def test_copies_are_placed_one_after_another(cluster):
    found = ask(cluster, class_="mig.nvidia.com", type="3g.20gb", copies="3")

    assert [line.placed.state for line in found.outcome.lines] == ["feasible", "feasible", "infeasible"]
    assert not found.fits


def test_nothing_asked_means_what_waits(cluster):
    found = ask(cluster, drain="node-0")

    assert found.outcome.waiting
    assert {line.placed.question.about for line in found.outcome.lines} == {"claim ml/waiting-0", "claim ml/waiting-1"}
    assert [line.placed.question.about for line in found.outcome.evicted] == ["pod ml/trainer-0"]


def test_pasted_objects_are_asked_about(cluster):
    found = ask(cluster, objects=json.dumps([objects.claim("new"), objects.pod("user", "new")]))

    assert [line.placed.question.about for line in found.outcome.lines] == ["pod ml/user"]
    assert found.fits


def test_a_layout_is_answered_on_the_card_emptied_or_as_it_is(cluster):
    card = {"pool": "gpu.nvidia.com/node-0", "card": "gpu-0-counter-set"}

    assert ask(cluster, **card, layout="7 × 1g.5gb", emptied="true").layout.answer.verdict == "fits"
    assert ask(cluster, **card, layout="7 × 1g.5gb").layout.answer.verdict == "impossible"
    assert not ask(cluster, **card, layout="4 × 1g.10gb + 3 × 1g.5gb", emptied="true").fits


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ({"claim": "ml/nobody"}, "claim[0]"),
        ({"pod": "ml/nobody"}, "pod[0]"),
        ({"template": "ml/nobody"}, "template[0]"),
        ({"class_": "mig.nvidia.com", "type": "9g"}, "type"),
        ({"layout": "1 × 1g.5gb", "pool": "gpu.nvidia.com/none", "card": "x"}, "pool"),
        ({"layout": "1 × 1g.5gb", "pool": "gpu.nvidia.com/node-0", "card": "x"}, "card"),
        ({"release": "ml/nobody"}, "release[0]"),
    ],
)
def test_what_is_not_there_cannot_be_asked_about(cluster, parts, path):
    with pytest.raises(ScenarioError) as caught:
        ask(cluster, **parts)

    assert caught.value.path == path


def test_nothing_is_written(cluster):
    before = list(StoredObject.objects.order_by("pk").values_list("pk", "digest"))
    revision = cluster.revision

    ask(cluster, class_="gpu.nvidia.com", release="ml/train-1", drain="node-0", grow="node-1:2")

    cluster.refresh_from_db()
    assert cluster.revision == revision
    assert list(StoredObject.objects.order_by("pk").values_list("pk", "digest")) == before
    assert not ask(cluster, class_="gpu.nvidia.com").fits


def test_files_give_the_same_answer_as_the_mirror(cluster):
    rows = StoredObject.objects.filter(cluster=cluster).order_by("kind", "namespace", "name")
    decoded = [decode(unpack(bytes(row.body))) for row in rows]
    inquiry = read_values(values(class_="mig.nvidia.com", type="3g.20gb", release="ml/train-0"))

    mirrored, read = what_if(cluster, inquiry), what_if_of(type(snapshot(cluster)).of(decoded), inquiry)

    assert [line.placed for line in mirrored.outcome.lines] == [line.placed for line in read.outcome.lines]
    assert mirrored.outcome.copies == read.outcome.copies
    assert mirrored.outcome.aftermath == read.outcome.aftermath


def test_one_claim_of_two_alike_can_lose_its_place(cluster):
    found = ask(cluster, class_="mig.nvidia.com", type="3g.20gb", copies="2", release=["ml/train-0"])

    lost = found.outcome.aftermath.claims
    assert set(lost) <= {ClaimId("ml", "waiting-0"), ClaimId("ml", "waiting-1")}
    assert {row.type for row in found.outcome.aftermath.types} >= {"3g.20gb"}
