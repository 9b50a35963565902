#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts topologies' names outside platforms/topology/ and presets: there must be none.

Usage: topology_names_test.py REPOSITORY. A shape's file says its name (s.name = "..."). Comments may
name a topology: papers do. Some names are presets' names too: PRESETS lists where one is meant.
"""

import re
import sys
from pathlib import Path

ROOMS = ("common", "modules", "platforms", "policies", "app", "studies")
PRESETS = {("app/command_line.cpp", "uba-mem"), ("app/import/import.h", "uba-mem"), ("app/verbs/list.cpp", "uba-mem")}
# Comments, and texts in quotes, each as one token.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def names_of(topology):
    names = []
    for file in sorted(topology.glob("*.cpp")):
        names += re.findall(r'\bs\.name = "([^"]+)"', file.read_text())
    return names


def findings(repository):
    names = names_of(repository / "platforms/topology")
    if len(names) < 5:
        return [f"found only these shapes: {names}"]
    word = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, names)) + r")(?![\w-])")
    # "modules" is a word of every day: only as a topology it counts, and there it has no name.
    found = []
    for room in ROOMS:
        for file in sorted((repository / room).rglob("*")):
            if file.suffix not in (".h", ".cpp") or "topology" in file.parent.name:
                continue
            path = file.relative_to(repository).as_posix()
            text = file.read_text()
            for token in TOKEN.finditer(text):
                if not token.group().startswith('"'):
                    continue
                for match in word.finditer(token.group()):
                    name = match.group()
                    if name == "modules" or (path, name) in PRESETS:
                        continue
                    line = text.count("\n", 0, token.start()) + 1
                    found.append(f"{path}:{line}: names topology {name}: {token.group()}")
    return found


def main():
    found = findings(Path(sys.argv[1]))
    for line in found:
        print(line)
    print(f"topology names outside platforms/topology/: {len(found)}")
    return 1 if found else 0


sys.exit(main())
