#!/usr/bin/env python3
# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""hello.py PROGRAM...: a client that says nothing keeps nobody waiting, and eight others get their
answer."""

import concurrent.futures
import socket
import subprocess
import sys
import urllib.parse
import urllib.request


def ask(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.status, answer.read()


def main():
    with subprocess.Popen([*sys.argv[1:], "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            where = urllib.parse.urlsplit(url)
            with socket.create_connection((where.hostname, where.port)), \
                    concurrent.futures.ThreadPoolExecutor(8) as clients:
                answers = list(clients.map(ask, [url] * 8))
            assert answers == [(200, b"hello\n")] * 8, answers
            assert server.poll() is None, "the server has ended"
        finally:
            server.kill()


main()
