#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tessera explain on twenty systems with a planted bottleneck: names, predictions and their checks.
Usage: explain_systems_test.py TESSERA [REST_OF_A_NAME]. Prints a table (docs/guide/explain.md has it)."""

import json
import pathlib
import subprocess
import sys
import tempfile

TESSERA = sys.argv[1]
PART = sys.argv[2] if len(sys.argv) > 2 else ""
# Of the measured gain, of systems that are "close".
TOLERANCE = 0.15


def command(*words):
    r = subprocess.run([TESSERA, *words], capture_output=True, text=True, timeout=300)
    if r.returncode != 0:
        sys.exit(f"{' '.join(words)}: status {r.returncode}\n{r.stderr}")
    return r.stdout


def explained(system, folder):
    command("run", *system["run"], "--out", folder, "--quiet", "--store", folder + "/r.sqlite")
    return json.loads(command("explain", folder, "--check", "--json", "--quiet"))


def main():
    file = pathlib.Path(__file__).with_name("systems.json")
    systems = [s for s in json.loads(file.read_text())["systems"] if PART in s["name"]]
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        for i, system in enumerate(systems):
            document = explained(system, f"{scratch}/{i}")
            check = document["check"][0]
            first = document["bottlenecks"][0]["resource"]
            assert check["resource"].startswith(first)
            # The measured gain comes from a run of its own.
            assert abs(check["measured_share"] - (1 - check["measured_cycles"] / document["cycles"])) < 1e-9
            error = abs(check["predicted_share"] / check["measured_share"] - 1) if check["measured_share"] > 0 else 9
            if not first.startswith(system["first"]):
                wrong.append(f"{system['name']}: {system['first']} is not named first")
            if (error <= TOLERANCE) != system["close"]:
                wrong.append(f"{system['name']}: the prediction is {100 * error:.0f} % off (close: {system['close']})")
            print(f"| {system['name']} | {document['cycles']:.0f} | {first} | {100 * check['predicted_share']:.0f} % | "
                  f"{100 * check['measured_share']:.0f} % |", flush=True)
    print(f"{len(systems)} systems, {sum(s['close'] for s in systems)} predicted within {100 * TOLERANCE:.0f} %")
    if wrong:
        sys.exit("\n".join(wrong))


main()
