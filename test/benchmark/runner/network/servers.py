# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The servers that are compared: how to start each."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..case import NotAvailable, Settings
from . import java

Command = Sequence[str | Path]

THREADS = 16  # at most, where handlers may block
GRACE_US = 10


@dataclass(frozen=True)
class Peer:
    """A server that is compared with others."""

    command: Callable[[Settings], Command]  # raises NotAvailable
    # Seconds under load before it is measured, in the quick set and in the full one.
    warm_up: tuple[float, float] = (0.1, 1.0)
    # Whether that takes so long that the quick set measures it in the first round only.
    slow: bool = False
    # Of a server that is not built here: which one it is, to be shown beside its name.
    version: Callable[[], str] | None = None


STRATEGIES = (
    "produce_consume",
    "produce_execute_consume",
    "execute_produce_consume",
    "eat_what_you_kill",
)
# What blocks stands in a blocking_section, and nothing else is different.
SECTION = "produce_consume+section"
BUSY = "event_loop+busy_wait"
# Selectors that share a pool, as Jetty's do.
SELECTORS = "eat_what_you_kill+grace, 2 contexts"
# With the default grace, others go on while a handler blocks.
COVERED = ("execute_produce_consume", "eat_what_you_kill")


def example(*arguments: str) -> Peer:
    """The server of example/3_server. No client of ours is too slow for it."""

    def command(settings: Settings) -> Command:
        program = settings.programs / "example" / "3_server" / "http_server"
        return [program, "--port", "0", "--timeout", "3600", *arguments]

    return Peer(command)


def ours(name: str, *arguments: str) -> Peer:
    """A server of test/benchmark/network."""

    def command(settings: Settings) -> Command:
        return [settings.programs / "test" / "benchmark" / "network" / name, *arguments]

    return Peer(command)


def handed(library: str, package: str) -> dict[str, Peer]:
    """By name; a server of that library, which may have been missing when the programs were built.
    What it does is given to an io_context, whichever context that is."""

    def peer(*arguments: str) -> Peer:
        server = ours(f"{library}_server", *arguments)

        def command(settings: Settings) -> Command:
            found = server.command(settings)
            if not Path(found[0]).exists():
                raise NotAvailable(f"Debian's {package} is not installed")
            return found

        return Peer(command)

    return {
        "io_context/1": peer("io_context", "1"),
        "produce_consume": peer("produce_consume", str(THREADS)),
        **{f"{name}+grace": peer(name, str(THREADS)) for name in COVERED},
    }


def in_java(name: str, *arguments: str) -> Peer:
    """A server of test/benchmark/network/java; its compiler takes a while to find what is hot."""
    return Peer(
        java.command(name, *arguments), warm_up=(10.0, 20.0), slow=True,
        version=functools.partial(java.version, name),
    )


def strategy(name: str, threads: int = THREADS, grace: int = 0) -> Peer:
    return example("--strategy", name, "--threads", str(threads), "--grace", str(grace))


# By name; all answer to the same paths.
HTTP: dict[str, Peer] = {
    "io_context/1": strategy("io_context", threads=1),
    f"io_context/{THREADS}": strategy("io_context"),
    "io_context per core": example("--strategy", "io_context_per_thread"),
    "io_context+thread_pool": strategy("io_context_and_pool"),
    **{name: strategy(name) for name in STRATEGIES},
    "eat_what_you_kill+grace": strategy("eat_what_you_kill", grace=GRACE_US),
    SELECTORS: example("--model", "jetty", "--threads", str(THREADS), "--grace", str(GRACE_US)),
    "event_loops": example("--model", "netty", "--threads", str(THREADS)),
    "hand_tuned": ours("request_server", "own", "hand_tuned", str(THREADS)),
    "epoll": ours("epoll_server"),
    "Jetty": in_java("JettyServer"),
    "Netty": in_java("NettyServer"),
}

# With fewer threads than there are requests that sleep. By name; `declared`: what blocks is a task
# of its own, and all else says that it does not block.
STARVING: dict[str, Peer] = {
    "io_context/4": strategy("io_context", threads=4),
    "hand_tuned": ours("request_server", "own", "hand_tuned", "4"),
    **{f"{name}+grace": ours("request_server", "own", name, "4") for name in COVERED},
    **{
        f"{name}+grace declared": ours("request_server", "own", f"{name}+declared", "4")
        for name in COVERED
    },
}


# A sixth of the time that clients wait: a request may wait for twice as long.
SHED = ("--max-queue-delay", "8")
SHEDDING = ", shedding"
# Half of the time that clients wait, in milliseconds, or in requests that take one each.
WAITING = "25"
REDIS = ("--model", "redis")


def shedding() -> dict[str, Peer]:
    """By name; they refuse what has waited for too long."""
    # What has begun is not measured: more threads would share the processor of the server.
    return {
        f"produce_consume{SHEDDING}": example("--strategy", "produce_consume", *SHED),
        f"eat_what_you_kill+grace{SHEDDING}": example(
            "--strategy", "eat_what_you_kill", "--grace", str(GRACE_US), "--threads", "2", *SHED),
        f"event_loop{SHEDDING}": example(*REDIS, *SHED),
    }


def overloaded() -> dict[str, Peer]:
    """By name; each has time to find that there are too many clients."""
    peers = {
        "io_context/1": HTTP["io_context/1"],
        "eat_what_you_kill+grace": HTTP["eat_what_you_kill+grace"],
        "event_loop": example(*REDIS),
        **shedding(),
    }
    return {
        **{name: replace(peer, warm_up=(1.5, 3.0)) for name, peer in peers.items()},
        "Jetty": HTTP["Jetty"],
        "Jetty, QoSFilter": in_java("JettyServer", WAITING),
        "Netty": HTTP["Netty"],
        "Netty, bounded": in_java("NettyServer", WAITING),
    }


WEBSOCKET = handed("websocket", "libwebsocketpp-dev")
RESTINIO = handed("restinio", "librestinio-dev")


def requests(form: str) -> dict[str, Peer]:
    """By name; sessions that are the same but for their executors. `native`: for them the context
    is no more than an io_context."""

    def peer(arrangement: str, threads: int = THREADS) -> Peer:
        return ours("request_server", form, arrangement, str(threads))

    annotated = {
        "hand_tuned": peer("hand_tuned"),
        SECTION: peer(SECTION),
    }
    return {
        "io_context/1": peer("io_context", 1),
        f"io_context/{THREADS}": peer("io_context"),
        **(annotated if form != "coroutine" else {}),
        "produce_consume": peer("produce_consume"),
        **{f"{name}+grace": peer(name) for name in COVERED},
        **{f"{name}+grace native": peer(f"{name}+native") for name in COVERED},
        "event_loop": peer("event_loop"),
        BUSY: peer("event_loop+busy_wait"),
    }


def echo(executor: str) -> dict[str, Peer]:
    """By name; all send back what they get, and use serve but where only io_context is said."""

    def peer(*arguments: str) -> Peer:
        return ours("echo_server", executor, *arguments)

    return {
        "io_context/1": peer("io_context", "1"),
        f"io_context/{THREADS}": peer("io_context", str(THREADS)),
        "io_context/1+serve": peer("io_context+serve", "1"),
        **{name: peer(name, str(THREADS)) for name in STRATEGIES},
        "eat_what_you_kill+grace": peer("eat_what_you_kill", str(THREADS), str(GRACE_US)),
        "event_loop": peer("event_loop", "1"),
        "event_loops": peer("event_loops", "1"),
    }
