# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Compiles and starts the servers in Java, where a JDK and their libraries are installed."""

import functools
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from ..case import NotAvailable, Settings

SOURCES = Path(__file__).parents[2] / "network" / "java"
LIBRARIES = Path("/usr/share/java")  # of Debian

JARS = {
    "JettyServer": (
        "jetty9-server jetty9-http jetty9-io jetty9-util jetty9-security jetty9-servlet"
        " jetty9-servlets servlet-api",
        "libjetty9-java",
    ),
    "NettyServer": (
        "netty-buffer netty-codec netty-codec-http netty-common netty-handler netty-resolver"
        " netty-transport netty-transport-native-epoll netty-transport-native-unix-common",
        "libnetty-java",
    ),
}


def class_path(server: str) -> str:
    names, package = JARS[server]
    jars = [LIBRARIES / f"{name}.jar" for name in names.split()]
    if not all(jar.exists() for jar in jars):
        raise NotAvailable(f"Debian's {package} is not installed")
    return ":".join(map(str, jars))


def version(server: str) -> str:
    """Of its library, as the manifest of the first of its jars says; empty if that does not say."""
    jar = class_path(server).split(":")[0]
    with zipfile.ZipFile(jar) as opened:
        manifest = opened.read("META-INF/MANIFEST.MF").decode()
    found = re.search(r"^(?:Implementation|Bundle)-Version: *(\S+)", manifest, re.MULTILINE)
    return found[1] if found else ""


@functools.cache
def compiled(server: str, scratch: Path) -> str:
    """The class path of the server and its libraries."""
    if not shutil.which("javac"):
        raise NotAvailable("no JDK is installed, such as Debian's openjdk-17-jdk-headless")
    libraries = class_path(server)
    to = scratch / server
    subprocess.run(
        ["javac", "-cp", libraries, "-d", to, SOURCES / f"{server}.java", SOURCES / "Work.java"],
        check=True,
    )
    return f"{to}:{libraries}"


def command(server: str, *arguments: str) -> Callable[[Settings], Sequence[str]]:
    """With the JVM's own choice of collector, compilers and heap."""
    return lambda settings: [
        "java", "-cp", compiled(server, settings.scratch), server, *arguments]
