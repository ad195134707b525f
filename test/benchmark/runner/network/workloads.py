"""What the workloads are called, and what is shown of them."""

from ..case import Workload
from ..column import (
    CPU_US,
    MEMORY,
    P50,
    P99,
    P999,
    PREEMPTIONS,
    RATE,
    SWITCHES,
    Column,
)
from .servers import THREADS

POOLED = f"io_context/{THREADS}"


def beside(quantile: str) -> Column:
    """Of the other requests of a mixed load."""
    return Column(
        f"others {quantile} us", lambda r: r["beside"]["latency_us"][quantile], ".0f"
    )


ERRORS = Column("errors", lambda r: r["errors"])
UNANSWERED = Column("unanswered", lambda r: r["unanswered"])
CPU_OF_ALL = Column(
    "CPU us, all", lambda r: 1e6 * r["cpu_seconds"] / r["all_operations"], ".2f"
)
OTHERS = Column(
    "others per second", lambda r: r["beside"]["operations"] / r["seconds"], more_is_better=True
)
TIMES_ALONE = Column(
    "CPU, x alone",
    lambda r: r["cpu_seconds"] / r["operations"] / r["alone_cpu_seconds_each"],
    ".3f",
)
ALONE = Column("CPU us alone", lambda r: 1e6 * r["alone_cpu_seconds_each"], ".2f")
IDLE_OPEN = Column("idle", lambda r: r["idle"])
EACH_IDLE = Column("KiB per idle", lambda r: r["kib_per_idle"], ".2f")

HTTP = Workload(
    "http",
    "64 connections ask for /fast; the server has one processor, the clients another",
    (RATE, SWITCHES, PREEMPTIONS, P50, P99, P999, MEMORY, ERRORS),
    baselines=("io_context/1", "epoll", "Netty", "Jetty"),
    compared=CPU_US,
)
MIXED = Workload(
    "mixed",
    "64 connections ask for /fast, others for what takes long; as fast as they are answered",
    (P50, P99, P999, OTHERS, beside("p99"), CPU_OF_ALL, SWITCHES, MEMORY, ERRORS),
    baselines=("io_context per core", POOLED, "event_loops"),
)
MIXED_RATE = Workload(
    "mixed_rate",
    "likewise, at a constant rate, with times from when a request was due",
    (P50, P99, RATE, UNANSWERED, OTHERS, beside("p99"), CPU_OF_ALL, SWITCHES, ERRORS),
    baselines=("io_context per core", POOLED, "event_loops"),
    compared=P999,
)
ECHO = Workload(
    "echo",
    "64 connections send 64 bytes and get them back; the server has one processor",
    (RATE, SWITCHES, PREEMPTIONS, P50, P99, P999, MEMORY, ERRORS),
    baselines=("io_context/1",),
    compared=CPU_US,
)
ACCEPT = Workload(
    "accept",
    "64 clients connect, send 64 bytes, get them back and leave; the server has one processor",
    (CPU_US, SWITCHES, PREEMPTIONS, P50, P99, P999, MEMORY, ERRORS),
    baselines=("io_context/1",),
)
IDLE = Workload(
    "idle",
    "64 connections ask for /fast, first alone, then beside idle ones; one processor",
    (CPU_US, ALONE, IDLE_OPEN, EACH_IDLE, RATE, P50, P99, ERRORS),
    compared=TIMES_ALONE,
)

ALL = (HTTP, MIXED, MIXED_RATE, ECHO, ACCEPT, IDLE)
