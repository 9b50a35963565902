#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the examples' inputs and what their kernels must compute, with other algorithms in exact
or double arithmetic. The files are in the repository; this shows where they come from."""

import heapq
import random
import struct
from collections import deque
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent


def write(name, kind, values):
    (HERE / name).write_bytes(struct.pack(f"<{len(values)}{kind}", *values))


def bfs(n=1024):
    """Distances by a queue; the kernels go level by level with masks."""
    rng = random.Random(1)
    rows = [sorted(rng.sample(range(n), rng.randint(1, 9))) for _ in range(n)]
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    cost = [-1] * n
    cost[0] = 0
    queue = deque([0])
    while queue:
        v = queue.popleft()
        for to in rows[v]:
            if cost[to] < 0:
                cost[to] = cost[v] + 1
                queue.append(to)
    write("bfs/row_start.bin", "i", starts)
    write("bfs/edges.bin", "i", [to for row in rows for to in row])
    write("bfs/cost.bin", "i", cost)
    return starts[-1]


def lud(n=32):
    """Crout's order of the sums in exact fractions; the kernels subtract column by column."""
    rng = random.Random(2)
    a = [[rng.randint(-8, 8) / 8 + (n / 2 if i == j else 0) for j in range(n)] for i in range(n)]
    lu = [[Fraction(0)] * n for _ in range(n)]
    for j in range(n):
        for i in range(n):
            rest = Fraction(a[i][j]) - sum(lu[i][k] * lu[k][j] for k in range(min(i, j)))
            lu[i][j] = rest if i <= j else rest / lu[j][j]
    write("lud/matrix.bin", "f", [x for row in a for x in row])
    write("lud/expected.bin", "f", [float(x) for row in lu for x in row])


def pathfinder(rows=21, columns=600):
    """Dijkstra over the whole grid; the kernel goes row by row."""
    rng = random.Random(3)
    wall = [[rng.randint(0, 9) for _ in range(columns)] for _ in range(rows)]
    best = {}
    heap = [(wall[0][x], 0, x) for x in range(columns)]
    heapq.heapify(heap)
    while heap:
        cost, y, x = heapq.heappop(heap)
        if (y, x) in best:
            continue
        best[y, x] = cost
        if y + 1 == rows:
            continue
        for to in (x - 1, x, x + 1):
            if 0 <= to < columns and (y + 1, to) not in best:
                heapq.heappush(heap, (cost + wall[y + 1][to], y + 1, to))
    write("pathfinder/first_row.bin", "i", wall[0])
    write("pathfinder/wall.bin", "i", [v for row in wall[1:] for v in row])
    write("pathfinder/expected.bin", "i", [best[rows - 1, x] for x in range(columns)])


if __name__ == "__main__":
    print("bfs has", bfs(), "edges")
    lud()
    pathfinder()
