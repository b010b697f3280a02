"""Progress: lines for logs, a bar for a terminal."""

import io

from pools.management.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_elsewhere_a_line_every_ten_seconds_and_one_at_the_end():
    out = io.StringIO()
    progress = Progress("slices", 45_000, out)
    progress.add(31_200)
    progress._told -= 11
    progress.add(1)
    progress.add(2)
    progress.close()
    assert out.getvalue() == "31,201 of 45,000 slices\n31,203 of 45,000 slices\n"


def test_a_terminal_sees_a_bar_grow_on_one_line():
    out = Terminal()
    progress = Progress("nodes", 4, out)
    progress._told -= 1
    progress.add(2)
    progress.add(2)
    progress.close()
    drawn = out.getvalue().split("\r\033[K")[1:]
    assert drawn == ["[" + "█" * 15 + "·" * 15 + "] 2 of 4 nodes", "[" + "█" * 30 + "] 4 of 4 nodes\n"]


def test_an_unknown_total_is_not_invented():
    out = io.StringIO()
    Progress("events", None, out).close()
    assert out.getvalue() == "0 events\n"
