# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""Builds and runs the suites that include what has changed, those nearest to the change first.

Called by test/run --changed [REV]. Each suite is a program of its own here, so a change in one is
compiled in seconds. Which includes what is read from the sources: in a fresh clone no compiler has
said so yet. No suite is begun after two minutes; those that are left are named.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "gcc-plain"
FOLDERS = "include", "test", "example"
INCLUDE = re.compile(r'^#include (?:<(asio_ewyk[^>]*)>|"([^"]+)")', re.MULTILINE)
SUITES = "unit", "stress", "delays", "model"
AT_ONCE = 2 * os.cpu_count()
SECONDS = 120
# To compile what is begun last, and to run it.
LAST_BEGIN = SECONDS - 20
CHECKS = ".ci/check_sources", ".ci/check_rooms", ".ci/check_snippets"


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True,
                          text=True).stdout.split()


def sources():
    for folder in FOLDERS:
        yield from (p for p in (ROOT / folder).rglob("*.?pp") if p.is_file())


def included_by():
    """Each file, and those that include it."""
    by = collections.defaultdict(set)
    for path in sources():
        for public, other in INCLUDE.findall(path.read_text(encoding="utf-8")):
            what = ROOT / "include" / public if public else (path.parent / other).resolve()
            by[what].add(path)
    return by


def distances(changed, by):
    """How many includes each file is away from what has changed."""
    found = {path: 0 for path in changed}
    queue = collections.deque(changed)
    while queue:
        path = queue.popleft()
        for nearer in by[path] - found.keys():
            found[nearer] = found[path] + 1
            queue.append(nearer)
    return found


def program(path):
    """What is built for that source, and with which arguments it runs; none: it is not a suite."""
    folder = path.parent.name
    if path.suffix != ".cpp" or path.stem == "main":
        return None
    if path.parent.parent == ROOT / "test":
        if folder in SUITES:
            return f"{folder}.{path.stem}", BUILD / "test" / f"{folder}.{path.stem}"
        if folder == "interleaving":
            of = "succession" if path.stem.startswith("succession") else "tests"
            return f"interleaving_{of}", BUILD / "test" / f"interleaving_{of}"
        if folder == "weak_memory":
            target = f"weak_memory_{path.stem}"
            return target, BUILD / "test" / target
    if folder in ("1_tutorial", "2_models", "5_ladder", "6_cookbook"):
        return path.stem, BUILD / "example" / folder / path.stem
    return None


def targets():
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "targets", "all"], check=True,
                            capture_output=True, text=True).stdout
    return {line.split(":")[0] for line in listed.splitlines()}


def run(target, command):
    output = BUILD / f"{target}.log"
    with open(output, "wb") as file:
        try:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                    timeout=300).returncode
        except (OSError, subprocess.TimeoutExpired) as error:
            file.write(str(error).encode())
            status = 1
    print(f"{'passed' if status == 0 else 'FAILED'}  {target}", flush=True)
    if status != 0:
        text = output.read_text(encoding="utf-8", errors="replace")
        print("\n".join(text.splitlines()[-30:]), flush=True)
    return status == 0


def main():
    revision = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    names = git("diff", "--name-only", revision) + git("ls-files", "-o", "--exclude-standard")
    changed = [ROOT / name for name in names]
    if not changed:
        sys.exit("nothing has changed")
    start = time.monotonic()
    configured = subprocess.run(["cmake", "--preset", "gcc-plain", "-S", ROOT],
                                capture_output=True, text=True)
    if configured.returncode != 0:
        sys.exit(configured.stdout + configured.stderr)
    if any(path.suffix in (".cmake", ".txt", ".json") for path in changed):
        print("the build itself has changed: that takes test/run")

    known = targets()
    programs = {}
    found = distances(changed, included_by())
    for path in sorted(found, key=lambda p: (found[p], p)):
        wanted = program(path)
        if wanted and wanted[0] in known:
            programs.setdefault(*wanted)
    print(f"{len(names)} files have changed, {len(programs)} programs include them")

    results = []
    queue = list(programs.items())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as jobs:
        for check in CHECKS:
            results.append(jobs.submit(run, pathlib.Path(check).name, [ROOT / check]))
        while queue and time.monotonic() - start < LAST_BEGIN:
            now, queue = queue[:AT_ONCE], queue[AT_ONCE:]
            built = subprocess.run(["cmake", "--build", BUILD, "--target", *(t for t, _ in now),
                                    "--", "-k", "0"], capture_output=True, text=True)
            if built.returncode != 0:
                print(built.stdout[-4000:], flush=True)
                results.append(jobs.submit(lambda: False))
                continue
            results += [jobs.submit(run, target, [command]) for target, command in now]
    passed = sum(job.result() for job in results)
    if queue:
        print("not begun, for the time is over:", *(target for target, _ in queue))
    print(f"{time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {len(results) - passed} failed")
    return passed != len(results)


if __name__ == "__main__":
    sys.exit(main())
