# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""What the workloads are called, and what is shown of them."""

from collections.abc import Mapping
from typing import Any

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
    per_operation,
)
from .servers import THREADS

POOLED = f"io_context/{THREADS}"


def beside(quantile: str) -> Column:
    """Of the other requests of a mixed load."""

    def value(result: Mapping[str, Any]) -> float | None:
        return result["beside"]["latency_us"][quantile] if "beside" in result else None

    return Column(f"others {quantile} us", value, ".0f")


ERRORS = Column("errors", lambda r: r["errors"])
REFUSED = Column("refused", lambda r: r["refused"])
UNANSWERED = Column("unanswered", lambda r: r["unanswered"])
CPU_OF_ALL = Column(
    "CPU us, all", lambda r: 1e6 * r["cpu_seconds"] / r["all_operations"], ".2f"
)
OTHERS = Column(
    "others per second",
    lambda r: r["beside"]["operations"] / r["seconds"] if "beside" in r else None,
    more_is_better=True,
)
ALLOCATIONS = Column("allocations each", per_operation("allocations", 1), ".2f")
WAKE_UPS = Column("wake-ups/s", lambda r: r["voluntary_switches"] / r["seconds"], ".1f")
CPU_SHARE = Column("CPU us/s", lambda r: 1e6 * r["cpu_seconds"] / r["seconds"], ".0f")
TIMES_ALONE = Column(
    "CPU, x alone",
    lambda r: r["cpu_seconds"] / r["operations"] / r["alone_cpu_seconds_each"],
    ".3f",
)
ALONE = Column("CPU us alone", lambda r: 1e6 * r["alone_cpu_seconds_each"], ".2f")
ALONE_RATE = Column("alone per second", lambda r: r["alone_per_second"])
RATE_ALONE = Column(
    "x alone",
    lambda r: r["operations"] / r["seconds"] / r["alone_per_second"],
    ".3f",
    more_is_better=True,
)
IDLE_OPEN = Column("idle", lambda r: r["idle"])
EACH_IDLE = Column("KiB per idle", lambda r: r["kib_per_idle"], ".2f")

HTTP = Workload(
    "http",
    "64 connections ask for /fast; the server has one processor, the clients another",
    (RATE, SWITCHES, PREEMPTIONS, P50, P99, P999, MEMORY, ERRORS),
    baselines=("io_context/1", "hand_tuned", "epoll", "Netty", "Jetty"),
    compared=CPU_US,
)
MIXED = Workload(
    "mixed",
    "64 connections ask for /fast, others for what takes long; as fast as they are answered",
    (P50, P99, P999, OTHERS, beside("p99"), CPU_OF_ALL, SWITCHES, MEMORY, ERRORS),
    baselines=("io_context per core", POOLED, "event_loops", "hand_tuned"),
)
MIXED_RATE = Workload(
    "mixed_rate",
    "likewise, at a constant rate, with times from when a request was due",
    (P50, P99, RATE, UNANSWERED, OTHERS, beside("p99"), CPU_OF_ALL, SWITCHES, ERRORS),
    baselines=("io_context per core", POOLED, "event_loops", "hand_tuned"),
    compared=P999,
)
STARVING = Workload(
    "starving",
    "64 connections ask for /fast, 8 for what sleeps 10 ms; contexts of at most 4 threads",
    MIXED.columns,
    baselines=("execute_produce_consume+grace declared",),
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
REQUESTS = Workload(
    "requests",
    "64 connections ask for /fast; plain sessions, all alike but for their executors; the server"
    " has one processor, the clients another",
    (ALLOCATIONS, RATE, SWITCHES, PREEMPTIONS, P50, P99, P999, ERRORS),
    baselines=("io_context/1",),
    compared=CPU_US,
)
REQUESTS_BESIDE = Workload(
    "requests_beside",
    "the same sessions, and others for what takes long; as fast as they are answered",
    (CPU_US, P50, P99, P999, OTHERS, beside("p50"), SWITCHES, ERRORS),
    baselines=("hand_tuned",),
    also_compared=(CPU_US, P999, OTHERS),
)
REQUESTS_RATE = Workload(
    "requests_rate",
    "the same sessions at a constant rate, with times from when a request was due",
    (RATE, P50, P99, P999, OTHERS, beside("p50"), SWITCHES, UNANSWERED, ERRORS),
    baselines=("io_context/1", "hand_tuned"),
    compared=CPU_US,
)
OVERLOAD = Workload(
    "overload_http",
    "requests that compute for 1 ms, at so many times the rate that the one processor of the server"
    " can do; the rate is of those answered 50 ms after they were due",
    (P50, P99, P999, REFUSED, UNANSWERED, MEMORY, ERRORS),
    baselines=("io_context/1",),
)
WEBSOCKET = Workload(
    "websocket",
    "28 connections to a WebSocket++ server, first alone, then beside 4 whose handlers sleep",
    (RATE, ALONE_RATE, P50, P99, P999, OTHERS, beside("p50"), CPU_US, ERRORS),
    compared=RATE_ALONE,
)
RESTINIO = Workload(
    "restinio",
    "28 connections to a RESTinio server, first alone, then beside 4 whose handlers sleep",
    (RATE, ALONE_RATE, P50, P99, P999, OTHERS, beside("p50"), CPU_US, ERRORS),
    compared=RATE_ALONE,
)
QUIET = Workload(
    "quiet",
    "a server without clients, since it began or after a load",
    (CPU_SHARE,),
    compared=WAKE_UPS,
)

ALL = (
    HTTP, MIXED, MIXED_RATE, STARVING, ECHO, ACCEPT, IDLE, REQUESTS, REQUESTS_BESIDE,
    REQUESTS_RATE, OVERLOAD, WEBSOCKET, RESTINIO, QUIET,
)
