# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Connections that are open and say nothing."""

import resource
import socket
import struct
from types import TracebackType

from .process import Server

SPARE = 500  # descriptors, for everything else in a process


def possible(wanted: int) -> int:
    """How many, at most `wanted`; raises the limit of descriptors for that, also of children."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard - SPARE)


class IdleConnections:
    """As many as wanted, from the beginning to the end of a `with`, accepted by the server."""

    def __init__(self, server: Server, number: int):
        self.server = server
        self.number = number
        self.sockets: list[socket.socket] = []

    def __enter__(self) -> "IdleConnections":
        try:
            for _ in range(self.number):
                self.sockets.append(self.server.connect())
            # The server accepts in order: when this one is answered, it has accepted all.
            with self.server.connect() as last:
                last.sendall(b"GET /fast HTTP/1.1\r\nHost: last\r\n\r\n")
                last.recv(1)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """By a reset, so that their ports are free again at once."""
        for each in self.sockets:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            each.close()
