"""What explanations, relief and what-ifs look like: the shapes of `queries.why_json` and `queries.whatif_json`."""

from __future__ import annotations

from rest_framework import serializers

from pools.api.rows import Row, text
from pools.queries.inquiry import LISTS, MOST, MOST_COPIES

VERDICTS = ["allocatable", "impossible", "error", "undecided"]
ANSWERS = ["allocated", "feasible", "infeasible", "undecided"]


def texts(help_text: str = "") -> serializers.ListField:
    """A list of texts."""
    return serializers.ListField(child=serializers.CharField(), help_text=help_text)


class ClaimHolder(Row):
    """A claim's hold on a device."""

    namespace = text()
    claim = text()
    request = text()
    device = text()
    pods = texts("namespace/name of the claim's consumers.")
    since = text(help_text="When it was allocated (RFC 3339); empty when unknown.")


class Shortage(Row):
    """A counter or capacity that does not suffice; amounts are exact quantities."""

    name = text()
    need = text()
    left = text(help_text="Negative when overdrawn.")
    short_by = text()


class DropExample(Row):
    """A device that drops out, and who stands in its way."""

    driver = text()
    pool = text()
    device = text()
    detail = text(help_text="The selector, taint or error.")
    rule = text(help_text="The DeviceTaintRule that brings the taint.")
    short = Shortage(many=True)
    holders = ClaimHolder(many=True)
    holders_more = serializers.IntegerField(help_text="How many more claims hold what it needs.")


class ReadingRow(Row):
    """A value that a selector looked at."""

    name = text(help_text="The attribute or capacity.")
    value = serializers.CharField(allow_null=True, help_text="null where the device does not have it.")
    devices = serializers.IntegerField(help_text="On how many of the devices that it refuses.")


class DropRow(Row):
    """Devices that drop out at one stage, those of each selector by themselves; the nearest to fitting as examples."""

    stage = text(help_text="A stable slug, such as selector, tainted, in-use or counter-short.")
    count = serializers.IntegerField()
    examples = DropExample(many=True)
    read = ReadingRow(many=True, help_text="What the selector read, the most frequent values.")


class FunnelStep(Row):
    """How many devices are left after a step; steps at which none drops out are left out."""

    what = text()
    left = serializers.IntegerField()


class RequestFunnelRow(Row):
    """One way to satisfy a request on nodes of one kind."""

    name = text(help_text="The request, or request/alternative.")
    wanted = serializers.IntegerField(help_text="How many devices it needs; 0 for all that match.")
    steps = FunnelStep(many=True)
    drops = DropRow(many=True, help_text="The last step first.")


class NodeKind(Row):
    """Nodes on which the claim fares alike."""

    names = texts()
    verdict = serializers.ChoiceField(VERDICTS)
    message = text(help_text="The scheduler's own error, if it has one.")
    requests = RequestFunnelRow(many=True)


class ReasonCode(Row):
    """The one obstacle without which the claim would fit."""

    code = text(help_text="A stable slug; several when no single obstacle is to blame.")
    detail = text()
    request = text()


class PodSentence(Row):
    """A pod that uses the claim, and what it waits for."""

    pod = text()
    state = text()
    sentence = text()


class SchedulerMessage(Row):
    """What the scheduler wrote about a pod that uses the claim."""

    pod = text()
    message = text()


class ExplainRow(Row):
    """Why a claim waits."""

    cluster = text()
    namespace = text()
    name = text()
    state = serializers.ChoiceField(ANSWERS, help_text="The allocator's verdict.")
    sentence = text(help_text="The one thing to read.")
    reason = ReasonCode(allow_null=True)
    notes = texts("What lies outside of allocation, a sentence each.")
    nodes = NodeKind(many=True, help_text="Kinds of nodes, the most promising first.")
    pods = PodSentence(many=True)
    scheduler = SchedulerMessage(many=True, help_text="FailedScheduling messages, where they are known.")


class PickRow(Row):
    """A device that a claim would get."""

    claim = text()
    request = text()
    driver = text()
    pool = text()
    device = text()
    admin = serializers.BooleanField()
    consumed = serializers.DictField(child=serializers.CharField(), help_text="What a share would take.")


class MoveAgain(Row):
    """Where a released claim would find room again."""

    claim = text()
    node = text()
    picks = PickRow(many=True)


class ReliefSet(Row):
    """Claims whose release makes the claim fit on a node."""

    node = text()
    claims = texts()
    pods = texts("Their consumers.")
    since = texts("When they were allocated, youngest first.")
    devices = texts("What they hold there.")
    would_get = texts("The devices that the pending claim would then get.")
    moves = MoveAgain(many=True, help_text="Where all of them would fit again; empty when one of them would not.")


class CardMove(Row):
    """One allocation made again elsewhere on its card."""

    source = serializers.CharField()  # type: ignore[assignment]
    target = text()
    type = text()
    holders = ClaimHolder(many=True)


class CardMoves(Row):
    """Moves on one card after which one more device of a type fits."""

    driver = text()
    pool = text()
    card = text()
    label = text()  # type: ignore[assignment]
    type = text()
    moves = CardMove(many=True)
    gained = texts("Devices of the type that then fit together.")
    pods = texts("Pods that the moves touch.")


class ReliefRow(Row):
    """What would help a claim that fits nowhere; empty for any other claim."""

    cluster = text()
    namespace = text()
    name = text()
    state = serializers.ChoiceField(ANSWERS)
    exact = serializers.BooleanField(help_text="Everything was tried, so that no smaller set would do.")
    nodes_looked_at = serializers.IntegerField()
    nodes = serializers.IntegerField()
    tried = serializers.IntegerField(help_text="How many sets of claims were tried.")
    sets = ReliefSet(many=True, help_text="The smallest found, cheapest first.")
    card_moves = CardMoves(many=True)


class TriedNodes(Row):
    """Nodes with one verdict."""

    nodes = texts()
    verdict = serializers.ChoiceField(VERDICTS)
    message = text()


class WhatIfLine(Row):
    """One question and its answer."""

    about = text()
    claims = texts("Claims that have to be allocated together.")
    state = serializers.ChoiceField(ANSWERS)
    before = serializers.ChoiceField(ANSWERS, allow_null=True, help_text="Without the changes; null without any.")
    nodes = texts("Where it fits.")
    node = serializers.CharField(allow_null=True, help_text="Where it was placed for what comes after.")
    picks = PickRow(many=True)
    reason = serializers.CharField(allow_null=True, help_text="Why it does not fit, as a stable slug.")
    message = text(help_text="The same as a sentence.")
    tried = TriedNodes(many=True)


class NodeCount(Row):
    """How many on one node."""

    node = text()
    count = serializers.IntegerField()


class CopiesRow(Row):
    """How many copies fit in all, placed one after another."""

    count = serializers.IntegerField()
    exact = serializers.BooleanField(help_text="False when a bound was met: there may be more.")
    nodes = NodeCount(many=True)


class TypeDropRow(Row):
    """A type of which fewer would fit on a card. Rows are alternatives."""

    driver = text()
    pool = text()
    card = text()
    label = text()  # type: ignore[assignment]
    type = text()
    before = serializers.IntegerField()
    after = serializers.IntegerField()
    exact = serializers.BooleanField()


class BlocksRow(Row):
    """What others would have less of."""

    types = TypeDropRow(many=True)
    claims = texts("Pending claims that would then fit nowhere.")
    cut = serializers.BooleanField(help_text="Not all pending claims were asked.")


class WhatIfOutcome(Row):
    """What fits where."""

    state = serializers.ChoiceField(ANSWERS, help_text="Of everything asked, and of claims that have to leave.")
    waiting = serializers.BooleanField(help_text="Nothing was asked: the lines are the cluster's pending claims.")
    cut = serializers.BooleanField(help_text="There are more pending claims than lines.")
    notes = texts()
    new_nodes = texts()
    lines = WhatIfLine(many=True, help_text="In order; each with all before it placed.")
    evicted = WhatIfLine(many=True, help_text="Claims of drained nodes and of devices tainted NoExecute.")
    copies = CopiesRow(allow_null=True)
    blocks = BlocksRow(allow_null=True)


class LayoutEntryRow(Row):
    """One entry of a layout."""

    type = text()
    count = serializers.IntegerField()
    alone = serializers.IntegerField(help_text="The most that fits without the rest, up to count.")
    beside = serializers.IntegerField(allow_null=True, help_text="Beside the rest; null when not even that fits.")
    devices = texts("Where, when the layout fits.")


class LayoutRow(Row):
    """Whether a whole layout fits on a card."""

    driver = text()
    pool = text()
    card = text()
    emptied = serializers.BooleanField()
    verdict = serializers.ChoiceField(["fits", "impossible", "undecided"])
    legal = serializers.BooleanField(help_text="Each entry would fit by itself.")
    entries = LayoutEntryRow(many=True)
    reasons = texts()


class WhatIfRow(Row):
    """The answer to a what-if."""

    cluster = text()
    revision = serializers.IntegerField(help_text="Of the cluster, when it was asked.")
    question = serializers.DictField(help_text="As understood; it can be sent again.")
    fits = serializers.BooleanField(help_text="Everything asked certainly fits.")
    outcome = WhatIfOutcome(allow_null=True)
    layout = LayoutRow(allow_null=True)


HELP = {
    "cluster": "Of which cluster; needed when there are several.",
    "claim": "A claim, as namespace/name; one that is allocated stands for another like it.",
    "pod": "All claims of a pod together.",
    "template": "A claim as it would be generated from a template.",
    "class": "A claim made up of this device class.",
    "type": "With class: devices of this type.",
    "count": "With class: how many devices.",
    "selector": "With class: a CEL expression.",
    "copies": f"How many of what is asked, up to {MOST_COPIES}.",
    "objects": "Objects to add first, as YAML or JSON text or as JSON; slices take the place of their pool.",
    "swap": "driver/pool: the slices among the objects stand in for this pool.",
    "grow": "Add nodes like this one first: node, or node:number.",
    "untaint": "Free a device of its taints first: driver/pool/device.",
    "taint": "Taint a device first: driver/pool/device, or with =key:Effect or =key=value:Effect behind it.",
    "release": "Take this claim away first.",
    "drain": "Take this node away first; its claims have to find another place.",
    "pool": "With layout: driver/pool.",
    "card": "With layout: the card's key.",
    "layout": "A whole layout on one card, as in 4 × 1g.10gb + 3 × 1g.5gb.",
    "emptied": "With layout: as if the card were empty.",
}


def _question_field(name: str, text: str) -> serializers.Field:  # type: ignore[type-arg]
    if name in LISTS:
        child = serializers.CharField()
        return serializers.ListField(child=child, required=False, max_length=MOST, help_text=text)
    if name in ("count", "copies"):
        return serializers.IntegerField(required=False, min_value=1, help_text=text)
    if name == "emptied":
        return serializers.BooleanField(required=False, help_text=text)
    if name == "objects":
        return serializers.JSONField(required=False, help_text=text)
    return serializers.CharField(required=False, help_text=text)


Question: type[Row] = type(
    "WhatIfQuestion",
    (Row,),
    {"__doc__": "A what-if.", **{name: _question_field(name, told) for name, told in HELP.items()}},
)
"""`class` is no name that a Python class could give a field."""
