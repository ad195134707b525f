# Copyright (c) 2026 The asio_ewyk authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
# copy at https://www.boost.org/LICENSE_1_0.txt)

"""The results of a run as a file, to be shown again later."""

import json
from typing import Any

from .case import Case, NotAvailable, Result, Settings
from .rounds import Results


def as_json(conditions: dict[str, Any], results: Results) -> str:
    measured = [
        {
            "workload": case.workload,
            "peer": case.peer,
            "parameters": dict(case.parameters),
            "rounds": rounds,
        }
        for case, rounds in results
    ]
    return json.dumps({"conditions": conditions, "results": measured}, indent=1) + "\n"


def from_json(text: str) -> tuple[dict[str, Any], Results]:
    """What as_json() was given; the cases cannot be measured again."""

    def measure(settings: Settings) -> Result:
        raise NotAvailable("it was measured in another run")

    known = json.loads(text)
    return known["conditions"], [
        (Case(each["workload"], each["peer"], each["parameters"], measure), each["rounds"])
        for each in known["results"]
    ]
