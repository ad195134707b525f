#!/usr/bin/env python3
# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""hello.py PROGRAM...: a client that says nothing keeps nobody waiting, and eight others get their
answer; a header that is too long gets one, too. What is no port, or one in use, is said to be."""

import concurrent.futures
import socket
import subprocess
import sys
import urllib.parse
import urllib.request


def ask(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.status, answer.read()


def ask_with_long_header(where, size):
    with socket.create_connection((where.hostname, where.port), timeout=60) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nLong: " + b"x" * size + b"\r\n\r\n")
        with client.makefile("rb") as answer:
            return answer.read().split()[1]


def refuses(status, arguments, expected):
    """The program ends with that status, and says why."""
    ended = subprocess.run([*sys.argv[1:], *arguments], capture_output=True, text=True, timeout=60)
    assert ended.returncode == status and expected in ended.stderr, (arguments, ended)


def main():
    for arguments in (["abc"], [""], ["80x"], ["-1"], ["99999"], ["0", "0"]):
        refuses(2, arguments, "hello_server [PORT]")

    with subprocess.Popen([*sys.argv[1:], "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            where = urllib.parse.urlsplit(url)
            if len(sys.argv) == 2:    # Windows lets two programs have one port
                refuses(1, [str(where.port)], "Address already in use")
            with socket.create_connection((where.hostname, where.port)), \
                    concurrent.futures.ThreadPoolExecutor(8) as clients:
                answers = list(clients.map(ask, [url] * 8))
            assert answers == [(200, b"hello\n")] * 8, answers
            for size in (9_000, 100_000):
                status = ask_with_long_header(where, size)
                assert status == b"431", status
            assert server.poll() is None, "the server has ended"
        finally:
            server.kill()


main()
