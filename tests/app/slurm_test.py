#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps, studies and comparisons through a Slurm of its own (controller and one node on this machine).
Usage: slurm_test.py TESSERA. Exit status 77: Slurm's daemons are not installed, or do not start on this
machine (a user namespace without setgroups(2), a host name that does not resolve)."""

import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from result_database import content  # noqa: E402

TESSERA = sys.argv[1]
os.environ["PATH"] += ":/usr/sbin:/sbin"
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")
# Longer than any step on a busy machine.
PATIENCE = 120
CONFIGURATION = """
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=1,sched_min_interval=0,sched_interval=1,bf_interval=1
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
NodeName=node NodeAddr=127.0.0.1 NodeHostname={host} CPUs=2 RealMemory=65536
PartitionName=main Nodes=node Default=YES MaxTime=INFINITE State=UP
"""


def wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not in {PATIENCE} s: {what}")
        time.sleep(0.05)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=folder, user=getpass.getuser(), host=socket.gethostname().split(".")[0],
            controller_port=free_port(), node_port=free_port()))
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        self.controller = self.start("slurmctld", "-D", "-c")
        self.node = self.start("slurmd", "-D", "-N", "node")
        try:
            wait_until(self.ready, "a node is idle")
        except AssertionError:
            for daemon in (self.node, self.controller):
                daemon.kill()
                daemon.wait()
            raise

    def ready(self):
        for daemon in (self.controller, self.node):
            if daemon.poll() is not None:
                output = (self.folder / f"{daemon.args[0]}.out").read_text()
                raise AssertionError(f"{daemon.args[0]} has ended:\n{output}")
        return "idle" in self.ask("sinfo", "--noheader", "--format=%T")

    def start(self, *words):
        with open(self.folder / f"{words[0]}.out", "a") as out:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    @staticmethod
    def ask(*words):
        return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE).stdout

    def tasks(self, fields="%T"):
        return self.ask("squeue", "--noheader", "--array", "--states=all", f"--format={fields}").split("\n")[:-1]

    def active(self):
        return [t for t in self.tasks() if t in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING")]

    def restart_node(self):
        self.node.kill()
        self.node.wait()
        time.sleep(1)
        self.node = self.start("slurmd", "-D", "-N", "node")

    def stop(self):
        self.ask("scancel", f"--user={getpass.getuser()}")
        wait_until(lambda: not self.active(), "all tasks have ended")
        for daemon in (self.node, self.controller):
            daemon.terminate()
            daemon.wait(timeout=PATIENCE)


def task_processes(folder):
    """Processes of tasks whose requests are in the folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if len(words) > 2 and words[1] == b"farm-task" and words[2].startswith(bytes(folder)):
            found.append(int(entry.name))
    return found


def saved(store):
    try:
        db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
        count = db.execute("SELECT count(*) FROM points").fetchone()[0]
        db.close()
        return count
    except sqlite3.Error:
        return 0


class Farm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        root = pathlib.Path(cls.scratch.name)
        (root / "slurm").mkdir()
        cls.cluster = Cluster(root / "slurm")
        cls.addClassCleanup(cls.cluster.stop)
        (root / "local").mkdir()
        cls.write_sweep(root / "local")
        done = subprocess.run([TESSERA, "sweep", "s.json", "--jobs", "2", "--quiet"], cwd=root / "local",
                              stdout=subprocess.DEVNULL, timeout=PATIENCE)
        assert done.returncode == 0
        cls.local = root / "local"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch.name))
        self.store = self.folder / "out/results.sqlite"
        self.write_sweep(self.folder)

    @staticmethod
    def write_sweep(folder, parameters=None):
        (folder / "s.json").write_text(json.dumps({
            "title": "t", "platforms": ["uba-mem-small"], "workloads": ["vecadd:n=262144"], "objectives": [{"of": "cycles"}],
            "parameters": parameters or {"llc.sets": {"values": [16, 32, 64]}, "llc.ways": {"values": [2, 4, 8, 16]}}}))

    def start(self, *options):
        return subprocess.Popen([TESSERA, "sweep", "s.json", "--slurm", *options], cwd=self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, command):
        out, error = command.communicate(timeout=PATIENCE)
        return command.returncode, out, error

    def check_equals_local(self):
        self.assertEqual(content(self.store), content(self.local / "out/results.sqlite"))
        self.assertEqual((self.folder / "out/sweep-s/sweep.json").read_bytes(),
                         (self.local / "out/sweep-s/sweep.json").read_bytes())

    def test_a_sweep_survives_a_killed_task_and_a_restarted_node(self):
        command = self.start()
        wait_until(lambda: task_processes(self.folder), "a task runs")
        os.kill(task_processes(self.folder)[0], signal.SIGKILL)
        wait_until(lambda: saved(self.store) >= 3, "three points are saved")
        self.assertLess(saved(self.store), 12)
        self.cluster.restart_node()
        status, out, error = self.end(command)
        self.assertEqual(status, 0, error)
        self.assertIn("12 points: 12 run, 0 kept from earlier, 0 failed", out)
        self.assertIn("it is submitted again, 1 of 3", error)
        self.check_equals_local()
        self.assertFalse((self.folder / "out/sweep-s/slurm-tasks").exists())
        self.assertFalse((self.folder / "out/sweep-s/slurm-tasks.lock").exists())

        # Nothing is computed again.
        before = self.cluster.tasks()
        status, out, error = self.end(self.start())
        self.assertEqual(status, 0, error)
        self.assertIn("12 points: 0 run, 12 kept from earlier, 0 failed", out)
        self.assertEqual(len(self.cluster.tasks()), len(before))

    def test_the_next_command_takes_what_the_tasks_of_a_killed_one_have_saved(self):
        command = self.start("--jobs", "1", "--slurm-args", "--comment=killed")
        wait_until(lambda: saved(self.store) >= 1, "a point is saved")
        command.kill()
        self.end(command)
        there = saved(self.store)
        wait_until(lambda: saved(self.store) > there, "a task of the killed command saves its point")
        status, out, error = self.end(self.start())
        self.assertEqual(status, 0, error)
        kept = int(out.split(" kept from earlier")[0].split()[-1])
        self.assertGreater(kept, there)
        self.assertIn("killed CANCELLED", self.cluster.tasks("%k %T"))
        self.check_equals_local()

    def test_an_interrupt_cancels_the_array_and_keeps_points(self):
        command = self.start()
        wait_until(lambda: saved(self.store) >= 1, "a point is saved")
        command.send_signal(signal.SIGINT)
        status, _, error = self.end(command)
        self.assertEqual(status, 1)
        self.assertIn("points are done and kept; the same command goes on from there", error)
        wait_until(lambda: not self.cluster.active(), "no task is active")
        self.assertGreaterEqual(saved(self.store), 1)
        self.assertLess(saved(self.store), 12)

    def test_points_of_a_failed_node_are_submitted_again(self):
        self.write_sweep(self.folder, {"llc.ways": {"values": [4, 8]}})
        command = self.start()
        wait_until(lambda: task_processes(self.folder), "a task runs")
        node = ("scontrol", "update", "nodename=node")
        self.cluster.ask(*node, "state=down", "reason=test")
        wait_until(lambda: "NODE_FAIL" in self.cluster.tasks(), "a task has failed with its node")
        self.cluster.ask(*node, "state=resume")
        status, out, error = self.end(command)
        self.assertEqual(status, 0, error)
        self.assertIn("(NODE_FAIL): it is submitted again", error)
        self.assertIn("2 points: 2 run", out)

    def test_limits_come_from_earlier_points_and_a_point_that_fails_is_not_repeated(self):
        self.write_sweep(self.folder, {"llc.ways": {"values": [4]}})
        self.assertEqual(self.end(self.start("--slurm-args", "--comment=first"))[0], 0)
        self.write_sweep(self.folder, {"system.cycle_limit": {"values": [10, 0]}, "llc.ways": {"values": [8]}})
        status, out, error = self.end(self.start("--slurm-args", "--comment=second -p main"))
        self.assertEqual(status, 1)
        self.assertIn("2 points: 2 run, 0 kept from earlier, 1 failed", out)
        self.assertIn('with {"llc.ways":8,"system.cycle_limit":10}: ', error)
        self.assertNotIn("submitted again", error)
        tasks = [t.split() for t in self.cluster.tasks("%k %l %m")]
        # The default of small points; then three times some seconds, and ten minutes.
        self.assertEqual([t[1:] for t in tasks if t[0] == "first"], [["1:00:00", "2G"]])
        derived = [t[1:] for t in tasks if t[0] == "second"]
        self.assertEqual(len(derived), 2)
        self.assertEqual({t[0] for t in derived}, {"11:00"})
        self.assertTrue(all(512 <= int(t[1].rstrip("M")) < 2048 for t in derived), derived)

    def test_a_study_has_the_document_of_a_local_run(self):
        tiny = pathlib.Path(__file__).resolve().parents[1] / "studies/data/tiny"
        documents = []
        for options in ([], ["--slurm"]):
            store = self.folder / f"{len(documents)}.sqlite"
            r = subprocess.run([TESSERA, "study", tiny, "--json", "--store", store, *options], cwd=self.folder,
                               capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(r.returncode, 0, r.stderr)
            documents.append(r.stdout)
            self.assertGreater(saved(store), 0)
        self.assertEqual(*documents)

    def test_a_comparison_has_the_document_of_a_local_run(self):
        documents = []
        for options in ([], ["--slurm"]):
            store = self.folder / f"{len(documents)}.sqlite"
            r = subprocess.run([TESSERA, "compare", "uba-mem-small,nuba", "vecadd,saxpy", "--json", "--store", store, *options],
                               cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(r.returncode, 0, r.stderr)
            documents.append(r.stdout)
            self.assertEqual(saved(store), 4)
        self.assertEqual(*documents)

    def test_bad_commands_are_refused_before_anything_is_made(self):
        def refused(words, part, **environment):
            r = subprocess.run([TESSERA, "sweep", "s.json", *words], cwd=self.folder, capture_output=True, text=True,
                               env={**os.environ, **environment})
            self.assertEqual(r.returncode, 2, r.stderr)
            self.assertIn(part, r.stderr)
            self.assertFalse((self.folder / "out").exists())
        refused(["--slurm"], "--slurm: not in PATH: sbatch, squeue, scancel", PATH="/nowhere")
        refused(["--slurm-args", "-p main"], "--slurm-args needs --slurm")

    def test_a_task_that_never_has_a_result_fails_after_three_more(self):
        self.write_sweep(self.folder, {"llc.ways": {"values": [4]}})
        status, out, error = self.end(self.start("--slurm-args", "--output=/nonexistent/output"))
        self.assertEqual(status, 1)
        self.assertIn("1 points: 1 run, 0 kept from earlier, 1 failed", out)
        self.assertIn("it is submitted again, 3 of 3", error)
        self.assertIn("its Slurm task ended without a result 4 times (the last one: FAILED", error)
        # Kept, because it has the output of tasks.
        self.assertTrue((self.folder / "out/sweep-s/slurm-tasks/request-3.json").exists())

    def test_an_array_that_slurm_refuses_ends_the_command(self):
        status, _, error = self.end(self.start("--slurm-args", "--partition=other"))
        self.assertEqual(status, 1)
        self.assertIn("sbatch failed: ", error)
        self.assertIn("partition", error)


if __name__ == "__main__":
    missing = [p for p in PROGRAMS if shutil.which(p) is None]
    if missing:
        print(f"skipped: not installed: {', '.join(missing)} (Debian's packages slurmctld, slurmd, slurm-client)")
        sys.exit(77)
    if pathlib.Path("/proc/self/setgroups").read_text().strip() == "deny":
        print("skipped: Slurm's daemons call setgroups(2), which this user namespace denies")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as first:
        try:
            Cluster(pathlib.Path(first)).stop()
        except AssertionError as e:
            print(f"skipped: Slurm's daemons do not start on this machine: {e}")
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
