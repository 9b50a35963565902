#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what the text of an Accel-Sim trace contains, without Tessera's code.

count_trace.py TRACE [--line BYTES]

TRACE is a folder with a kernelslist.g, or a .traceg file. The names are those of the SMs' statistics: the sums over all
SMs of a run with lines of as many bytes are equal. Each kernel's file counts once. Bulk copies (TMA) and generic
accesses are not counted."""

import argparse
import collections
import json
import os
import re

LANES = 32
SECTOR = 32
BANKS = 32
SPACES = {"LDG": ("global", "load"), "LDGSTS": ("global", "load"), "STG": ("global", "store"),
          "ATOM": ("global", "atomic"), "ATOMG": ("global", "atomic"), "RED": ("global", "atomic"),
          "LDL": ("local", "load"), "STL": ("local", "store"),
          "LDS": ("shared", "load"), "STS": ("shared", "store"), "ATOMS": ("shared", "atomic")}


def kernels(trace):
    if not os.path.isdir(trace):
        return [trace]
    with open(os.path.join(trace, "kernelslist.g")) as lines:
        return [os.path.join(trace, line.strip()) for line in lines if line.startswith("kernel")]


def width(opcode):
    for modifier in opcode.split(".")[1:]:
        found = re.fullmatch("U?(8|16|32|64|128|256)", modifier)
        if found:
            return int(found.group(1)) // 8
    return 4


def addresses(fields, lanes):
    mode, fields = int(fields[0]), fields[1:]
    if mode == 0:
        return [int(f, 16) for f in fields[:lanes]]
    if mode == 1:
        return [int(fields[0], 16) + int(fields[1]) * k for k in range(lanes)]
    at = [int(fields[0], 16)] if lanes else []
    for step in fields[1:lanes]:
        at.append(at[-1] + int(step))
    return at


def records(path):
    """(CTA, warp, PC, lanes, opcode, addresses; None without) of each record."""
    version, has_lines, cta, warp = 1, False, None, None
    with open(path) as lines:
        for line in map(str.strip, lines):
            if cta is None and line.startswith("-"):
                key, value = (part.strip() for part in line[1:].split("=", 1))
                version = int(value.split(".")[0]) if key == "accelsim tracer version" else version
                has_lines = value == "1" if key == "enable lineinfo" else has_lines
            elif line.startswith("thread block"):
                cta = tuple(int(x) for x in line.split("=")[1].split(","))
            elif line.startswith("warp"):
                warp = int(line.split("=")[1])
            elif line and line[0] != "#" and not line.startswith(("insts", "cluster")):
                fields = line.split()[4 if version < 3 else 0:][1 if has_lines else 0:]
                pc, mask = int(fields[0], 16), int(fields[1], 16)
                fields = fields[3 + int(fields[2]):]
                opcode, fields = fields[0], fields[2 + int(fields[1]):]
                lanes = [i for i in range(LANES) if mask >> i & 1]
                yield (cta, warp, pc, lanes, opcode,
                       addresses(fields[1:], len(lanes)) if fields[0] != "0" else None)


def shared_passes(lanes, at, size):
    """8 bytes are accessed by half warps, 16 by quarters."""
    words = max(1, size // 4)
    total = 0
    for first in range(0, LANES, LANES // words):
        banks = collections.defaultdict(set)
        for lane, a in zip(lanes, at):
            if first <= lane < first + LANES // words:
                for word in range(a // 4, a // 4 + words):
                    banks[word % BANKS].add(word)
        total += max(map(len, banks.values()), default=0)
    return max(total, 1)


def count_kernel(path, line, counts, touched):
    local = [min(r[5]) for r in records(path) if r[5] and r[4].split(".")[0] in ("LDL", "STL")]
    low = min(local, default=0) // 16 * 16
    ctas, warps = set(), set()
    for cta, warp, _, lanes, opcode, at in records(path):
        ctas.add(cta)
        warps.add((cta, warp))
        root, size = opcode.split(".")[0], width(opcode)
        counts["warp_instructions"] += 1
        counts["thread_instructions"] += len(lanes)
        counts["barriers"] += root == "BAR" and bool(lanes)
        if root not in SPACES or not at:
            continue
        space, kind = SPACES[root]
        if space == "shared":
            counts["shared_instructions"] += 1
            counts["shared_conflict_cycles"] += shared_passes(lanes, at, size) - 1
            continue
        if space == "local":  # the same word of consecutive lanes is contiguous
            word = max(size, 4)
            at = [((a - low) // word * LANES + lane) * word + a % word for lane, a in zip(lanes, at)]
        data = {b for a in at for b in range(a // size * size, a // size * size + size)}
        sectors = {b // SECTOR for b in data}
        counts[kind + "_instructions"] += 1
        counts["line_requests"] += len({b // line for b in data})
        counts["sectors"] += len(sectors)
        counts["useful_bytes"] += len(data)
        if space == "global":
            touched |= sectors
    counts["ctas"] += len(ctas)
    counts["warps"] += len(warps)


def count(trace, line=128):
    counts = collections.Counter()
    touched = set()
    for path in dict.fromkeys(kernels(trace)):
        count_kernel(path, line, counts, touched)
    return {**counts, "bytes_touched": len(touched) * SECTOR}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("--line", type=int, default=128)
    options = parser.parse_args()
    print(json.dumps(count(options.trace, options.line), indent=2))


if __name__ == "__main__":
    main()
