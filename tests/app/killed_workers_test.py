#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sweep of 64 points whose workers, and the command itself, are killed at random.
Usage: killed_workers_test.py TESSERA"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from result_database import content  # noqa: E402

TESSERA = sys.argv[1]
# Longer than the test on a busy machine with sanitizers.
PATIENCE = 500
SWEEP = {"title": "t", "platforms": ["uba-mem-small"], "workloads": ["vecadd:n=65536"],
         "parameters": {"llc.sets": {"values": [8, 16, 32, 64]}, "llc.ways": {"values": [2, 4, 8, 16]},
                        "llc.latency_cycles": {"values": [40, 80, 120, 160]}},
         "objectives": [{"of": "cycles"}]}
COMMAND = [TESSERA, "sweep", "s.json", "--jobs", "8", "--quiet"]
KILLS = 24


def children(pid):
    try:
        return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class KilledWorkers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.quiet, self.killed = (pathlib.Path(scratch.name) / name for name in ("quiet", "killed"))
        for folder in (self.quiet, self.killed):
            folder.mkdir()
            (folder / "s.json").write_text(json.dumps(SWEEP))

    @staticmethod
    def start(folder):
        return subprocess.Popen(COMMAND, cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def test_killed_workers_and_commands_cost_no_point(self):
        command = self.start(self.quiet)
        out, error = command.communicate(timeout=PATIENCE)
        self.assertEqual(command.returncode, 0, error)
        self.assertIn("64 points: 64 run", out)

        chance = random.Random(64)
        workers = commands = 0
        command = self.start(self.killed)
        deadline = time.monotonic() + PATIENCE
        while True:
            self.assertLess(time.monotonic(), deadline)
            if command.poll() is not None:
                out, error = command.communicate()
                if command.returncode == 0:
                    break
                # Points of killed workers have failed; the same command runs them.
                self.assertIn(command.returncode, (1, -signal.SIGKILL), error)
                command = self.start(self.killed)
            time.sleep(chance.uniform(0.02, 0.15))
            if workers + commands == KILLS:
                continue
            running = children(command.pid)
            if not running:
                continue
            if chance.random() < 0.2:
                commands += 1
                command.kill()
                command.wait()
            else:
                try:
                    os.kill(chance.choice(running), signal.SIGKILL)
                    workers += 1
                except ProcessLookupError:
                    pass
        print(f"killed: {workers} workers, {commands} commands")
        self.assertGreater(workers, 0)
        self.assertGreater(commands, 0)
        points, _ = content(self.killed / "out/results.sqlite")
        self.assertEqual(len(points), 64)
        self.assertTrue(all(p["verified"] == 1 for p in points))
        self.assertEqual(content(self.killed / "out/results.sqlite"), content(self.quiet / "out/results.sqlite"))
        sweep = "out/sweep-s/sweep.json"
        self.assertEqual((self.killed / sweep).read_bytes(), (self.quiet / sweep).read_bytes())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
