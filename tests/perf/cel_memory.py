"""
Evaluates selectors a million times, no two devices alike, and shows that memory does not grow.

Run by `python -m tests.perf.cel_memory`.
"""

from __future__ import annotations

import resource
import time

from pools.core.cel_program import Facts, program
from pools.domain.device import AttributeValue, Capacity, Device
from pools.domain.quantity import Quantity

DRIVER = "gpu.example.com"
A, C = f'device.attributes["{DRIVER}"]', f'device.capacity["{DRIVER}"]'
SELECTORS = [
    f'{A}.model == "H100" && {A}.index % 2 == 0',
    f'{C}.memory.compareTo(quantity("40Gi")) >= 0',
    f'{A}.driverVersion.isGreaterThan(semver("550.0.0"))',
    f'has({A}.profile) && {A}.profile.matches("^[12]g[.]")',
    f'{A}.exists(k, v, k == "model" && v == "H100")',
]


def device(number: int) -> Device:
    return Device(
        f"gpu-{number}",
        {
            "model": AttributeValue("string", "H100" if number % 3 else "T4"),
            "index": AttributeValue("int", number),
            "driverVersion": AttributeValue("version", f"{number % 900}.0.{number}"),
            "profile": AttributeValue("string", f"{number % 9}g.{number}gb"),
        },
        {"memory": Capacity(Quantity(number * 10**9, str(number)))},
    )


def resident_mib() -> float:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 2**20


def run(evaluations: int = 1_000_000) -> tuple[float, float]:
    """MiB that memory grew by after the first tenth, when every cache is full, and the seconds everything took."""
    selectors = [program(text) for text in SELECTORS]
    devices = max(10, evaluations // len(selectors))
    started, settled = time.perf_counter(), 0.0
    for number in range(devices):
        facts = Facts(DRIVER, device(number))
        for selector in selectors:
            selector.matches(facts)
        if number == devices // 10:
            settled = resident_mib()
    return resident_mib() - settled, time.perf_counter() - started


def main(evaluations: int = 1_000_000) -> None:
    grown, seconds = run(evaluations)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{evaluations:,} evaluations: {resident_mib():.1f} MiB, grown by {grown:.1f} MiB, peak {peak:.1f} MiB")
    print(f"{seconds / evaluations * 1e6:.1f} µs each, devices made and values read included")


if __name__ == "__main__":
    main()
