#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes the Python examples of the guide in their order, in one namespace and an empty folder.
Usage: guide_test.py MODULE_FOLDER GUIDE.md"""

import os
import re
import sys
import tempfile
from pathlib import Path

MODULE = Path(sys.argv[1]).resolve().parent
GUIDE = Path(sys.argv[2]).resolve()
sys.path.insert(0, str(MODULE))


def main():
    lines = GUIDE.read_text().split("\n")
    examples, begin = [], None
    for number, line in enumerate(lines, 1):
        if line == "```python":
            begin = number
        elif line.startswith("```") and begin is not None:
            # With the guide's line numbers in messages.
            examples.append("\n" * begin + "\n".join(lines[begin:number - 1]))
            begin = None
    if len(examples) < 8:
        sys.exit(f"{GUIDE}: only {len(examples)} examples found: the test would check nothing")
    import tessera
    text = "\n".join(lines)
    missing = [n for n in tessera.__all__ if not re.search(rf"\b{n}\b", text)]
    if missing:
        sys.exit(f"{GUIDE}: does not name {', '.join(missing)}")
    namespace = {"__name__": "guide"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for example in examples:
            exec(compile(example, str(GUIDE), "exec"), namespace)
        os.chdir("/")


main()
