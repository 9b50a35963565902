#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the Python module. Usage: tessera_test.py MODULE_FOLDER COMMAND [TEST_CASE...]"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path

MODULE = Path(sys.argv[1]).resolve().parent
COMMAND = Path(sys.argv[2]).resolve()
sys.path.insert(0, str(MODULE))

import tessera  # noqa: E402

PLATFORM = "nuba-small"


def command(*arguments, **options):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=120, **options)
    return done.returncode, done.stdout, done.stderr


def stats_of(*arguments):
    status, out, err = command("run", *arguments, "--json", "--quiet")
    assert status == 0, err
    return json.loads(out)


def comparable(stats):
    return {k: v for k, v in stats.items() if k not in ("host", "commit")}


class InFolder(unittest.TestCase):
    """Each test in an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)


class Values(InFolder):
    def test_a_run_has_the_statistics_of_the_command(self):
        self.assertEqual(comparable(tessera.run(PLATFORM, "vecadd").stats),
                         comparable(stats_of(PLATFORM, "vecadd")))

    def test_scale_values_seed_and_window_reach_the_run(self):
        r = tessera.run("uba-mem-small", "histogram", values="carried", seed=7, skip="20000", detail=40000)
        self.assertEqual(comparable(r.stats),
                         comparable(stats_of("uba-mem-small", "histogram", "--values", "carried", "--seed", "7",
                                             "--skip", "20000", "--detail", "40000")))
        self.assertEqual(tessera.run(PLATFORM, "vecadd:n=5000", scale="medium")["scale"], "medium")

    def test_names_reach_values_and_parameters(self):
        r = tessera.run(PLATFORM, "vecadd")
        self.assertEqual(r.cycles, r.stats["cycles"])
        self.assertEqual(r["derived.ipc"], r.derived["ipc"])
        self.assertEqual(r["llc.ways"], r.stats["config"]["llc"]["ways"])
        self.assertIsNone(r.get("derived.none"))
        with self.assertRaises(KeyError):
            r["derived.none"]
        self.assertLessEqual({"cycles", "derived.ipc", "llc.ways", "energy.total_j"}, set(r.names()))
        self.assertIs(r.verified, True)

    def test_rows_are_ordered_by_workload_then_platform(self):
        rows = tessera.compare(["uba-mem-small", PLATFORM], ["vecadd", "histogram"], jobs=2)
        self.assertEqual([(r.workload, r.platform) for r in rows],
                         [("vecadd", "uba-mem-small"), ("vecadd", PLATFORM),
                          ("histogram", "uba-mem-small"), ("histogram", PLATFORM)])
        table = tessera.columns(rows, ["cycles", "llc.ways"])
        self.assertEqual(table["cycles"], [r.cycles for r in rows])
        self.assertEqual(table["cycles"][1], stats_of(PLATFORM, "vecadd")["cycles"])

    def test_other_threads_continue_during_a_run(self):
        longest, ended = [0.0], threading.Event()

        def watch():
            while not ended.is_set():
                begin = time.monotonic()
                time.sleep(0.001)
                longest[0] = max(longest[0], time.monotonic() - begin)

        watcher = threading.Thread(target=watch)
        watcher.start()
        begin = time.monotonic()
        tessera.run("nuba", "mm")
        whole = time.monotonic() - begin
        ended.set()
        watcher.join()
        self.assertLess(longest[0], whole / 2)

    def test_two_threads_can_run(self):
        cycles = []
        threads = [threading.Thread(target=lambda: cycles.append(tessera.run(PLATFORM, "vecadd").cycles))
                   for _ in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(cycles, [cycles[0]] * 2)


class Settings(InFolder):
    def test_settings_equal_those_of_the_command(self):
        r = tessera.run(PLATFORM, "histogram", {"llc": {"ways": 4}, "sm.shared_bytes": "64K"})
        self.assertEqual(comparable(r.stats),
                         comparable(stats_of(PLATFORM, "histogram", "--set", "llc.ways=4", "--set",
                                             "sm.shared_bytes=64K")))
        self.assertEqual(r.settings, {"llc.ways": 4, "sm.shared_bytes": 65536})

    def test_config_is_that_of_the_command(self):
        status, out, _ = command("config", PLATFORM, "--set", "llc.ways=4")
        self.assertEqual(status, 0)
        theirs, ours = json.loads(out), tessera.config(PLATFORM, {"llc.ways": 4})
        self.assertEqual(ours["llc"], theirs["llc"])
        self.assertEqual(ours["llc"]["ways"], 4)

    def test_a_platform_can_be_a_file(self):
        Path("mine.json").write_text('{"base": "nuba-small", "llc": {"ways": 4}}')
        r = tessera.run(Path("mine.json"), "vecadd")
        self.assertEqual(r.cycles, tessera.run(PLATFORM, "vecadd", {"llc.ways": 4}).cycles)

    def test_a_setting_without_effect_is_a_warning(self):
        with self.assertWarnsRegex(tessera.UnusedSetting, "rdma.timeout_cycles=9 changes nothing"):
            tessera.run(PLATFORM, "vecadd", {"rdma.timeout_cycles": 9})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tessera.run(PLATFORM, "vecadd", {"llc.ways": 8})

    def test_lists_are_those_of_the_command(self):
        self.assertIn(PLATFORM, tessera.platforms())
        self.assertIn("vecadd", tessera.workloads())
        self.assertEqual(len(tessera.workloads()), len(set(tessera.workloads())))


class Store(InFolder):
    def test_a_point_is_simulated_once(self):
        first = tessera.compare([PLATFORM], ["vecadd"], store="r.sqlite")
        again = tessera.compare([PLATFORM], ["vecadd"], store="r.sqlite")
        self.assertIn("host", first[0].stats)
        self.assertNotIn("host", again[0].stats)  # the database has none
        self.assertEqual(comparable(first[0].stats), comparable(again[0].stats))
        other = tessera.run(PLATFORM, "vecadd", {"llc.ways": 4}, store="r.sqlite")
        self.assertIn("host", other.stats)

    def test_the_command_finds_the_points_of_python(self):
        r = tessera.run(PLATFORM, "vecadd", store="r.sqlite")
        status, out, err = command("compare", PLATFORM, "vecadd", "--json", "--store", "r.sqlite")
        self.assertEqual(status, 0, err)
        status, out, err = command("results", "--json", "--store", "r.sqlite")
        rows = json.loads(out)
        self.assertEqual(len(tessera.results("r.sqlite")), 1, out)
        self.assertIn(str(r.cycles), out, rows)

    def test_results_have_fields_figures_and_parameters(self):
        r = tessera.run(PLATFORM, "vecadd", {"llc.ways": 4}, store="r.sqlite")
        (row,) = tessera.results("r.sqlite")
        table = tessera.columns([row], ["platform", "cycles", "derived.ipc", "llc.ways", "verified", "seed"])
        self.assertEqual(table, {"platform": [PLATFORM], "cycles": [r.cycles], "derived.ipc": [r["derived.ipc"]],
                                 "llc.ways": [4], "verified": [True], "seed": [1]})
        self.assertEqual(row.settings, {"llc.ways": 4})
        self.assertEqual(row["energy.total_j"], r["energy.total_j"])

    def test_platforms_of_equal_configuration_share_a_point_under_their_own_names(self):
        Path("mine.json").write_text('{"base": "nuba-small"}')
        first = tessera.run(PLATFORM, "vecadd", store="r.sqlite")
        mine = tessera.run("mine.json", "vecadd", store="r.sqlite")
        self.assertNotIn("host", mine.stats)
        self.assertEqual((first.platform, mine.platform, mine.cycles), (PLATFORM, "mine.json", first.cycles))

    def test_without_a_store_nothing_is_saved(self):
        tessera.run(PLATFORM, "vecadd")
        self.assertEqual(os.listdir("."), [])

    def test_a_python_policy_is_never_stored(self):
        tessera.register("stored-not", FirstTouch)
        for _ in range(2):
            r = tessera.run(PLATFORM, "vecadd", {"system.page_placement": "stored-not"}, store="r.sqlite")
            self.assertIn("host", r.stats)
        self.assertEqual(tessera.results("r.sqlite"), [])
        tessera.register("stored-not-either", InOrder)
        tessera.compare([PLATFORM], ["vecadd"], {"dispatch.scheduler": "stored-not-either"}, store="r.sqlite")
        self.assertEqual(tessera.results("r.sqlite"), [])

    def test_a_missing_database_is_an_error(self):
        with self.assertRaisesRegex(tessera.InputError, "r.sqlite does not exist"):
            tessera.results("r.sqlite")


class Errors(InFolder):
    def test_messages_are_those_of_the_command(self):
        for python, arguments in [
                (lambda: tessera.run("nuba-smal", "vecadd"), ["nuba-smal", "vecadd"]),
                (lambda: tessera.run(PLATFORM, "vecad"), [PLATFORM, "vecad"]),
                (lambda: tessera.run(PLATFORM, "vecadd", {"llc.way": 8}), [PLATFORM, "vecadd", "--set", "llc.way=8"]),
                (lambda: tessera.run(PLATFORM, "vecadd", scale="smal"), [PLATFORM, "vecadd", "--scale", "smal"]),
                (lambda: tessera.run(PLATFORM, "vecadd", seed=-1), [PLATFORM, "vecadd", "--seed=-1"])]:
            with self.assertRaises(tessera.InputError) as caught:
                python()
            status, _, err = command("run", *arguments)
            self.assertEqual(status, 2)
            self.assertEqual("tessera: " + str(caught.exception), err.strip())
        self.assertTrue(issubclass(tessera.InputError, ValueError))
        self.assertTrue(issubclass(tessera.RunError, RuntimeError))
        self.assertEqual(tessera.RunError.__module__, "tessera")

    def test_a_failed_run_raises_and_a_failed_row_says_why(self):
        settings = {"system.watchdog_cycles": 1000, "dram.t_cl": 5000}
        with self.assertRaises(tessera.RunError) as caught:
            tessera.run(PLATFORM, "vecadd", settings)
        good, bad = tessera.compare([PLATFORM], ["vecadd"]) + tessera.compare([PLATFORM], ["vecadd"], settings)
        self.assertIsNone(good.failure)
        self.assertEqual(bad.failure, str(caught.exception))
        self.assertEqual((bad.platform, bad.workload), (PLATFORM, "vecadd"))

    def test_wrong_arguments_are_input_errors(self):
        for call in [lambda: tessera.compare(PLATFORM, ["vecadd"]), lambda: tessera.compare([PLATFORM], []),
                     lambda: tessera.compare([PLATFORM], ["vecadd"], jobs=0),
                     lambda: tessera.register("x", dict), lambda: tessera.register("x", FirstTouch(None)),
                     lambda: tessera.register("a.b", FirstTouch), lambda: tessera.register("lab", FirstTouch)]:
            with self.assertRaises(tessera.InputError):
                call()

    def test_an_unknown_column_names_the_nearest(self):
        rows = tessera.compare([PLATFORM], ["vecadd"])
        with self.assertRaisesRegex(tessera.InputError, "no row has 'derived.icp'; did you mean 'derived.ipc'"):
            tessera.columns(rows, ["derived.icp"])
        self.assertEqual(tessera.columns([], ["cycles"]), {"cycles": []})


class FirstTouch(tessera.PagePlacement):
    def place(self, request, view):
        return request.local_channel


class RoundRobin(tessera.PagePlacement):
    def __init__(self, system):
        super().__init__(system)
        self.channel = -1

    def place(self, request, view):
        assert self.system.channels == view.channels == len(view.pages_per_channel)
        self.channel = (self.channel + 1) % view.channels
        return self.channel


class KernelWide(tessera.PagePlacement):
    def place(self, request, view):
        return (request.virtual_page - request.allocation_first_page) * view.channels // request.allocation_pages


class InOrder(tessera.CtaScheduler):
    def begin(self, grid, sm_count):
        assert grid.count == grid.x * grid.y * grid.z and sm_count == self.system.sms
        self.cta, self.end = 0, grid.count

    def next(self, sm):
        if self.cta == self.end:
            return None
        self.cta += 1
        return self.cta - 1

    def has_more(self, sm):
        return self.cta < self.end


class Policies(InFolder):
    def cycles(self, settings, workload="mm"):
        return tessera.run(PLATFORM, workload, settings).cycles

    def test_a_python_policy_gives_the_result_of_the_same_rule_in_cpp(self):
        cycles = set()
        for name, policy in {"first-touch": FirstTouch, "round-robin": RoundRobin, "kernel-wide": KernelWide}.items():
            tessera.register("py-" + name, policy)
            r = tessera.run(PLATFORM, "mm", {"system.page_placement": "py-" + name})
            ours = stats_of(PLATFORM, "mm", "--set", f"system.page_placement={name}")
            self.assertEqual(r.cycles, ours["cycles"], name)
            self.assertEqual(r.derived, ours["derived"], name)
            cycles.add(r.cycles)
        self.assertEqual(len(cycles), 3)  # the rules differ

    def test_a_python_scheduler_gives_the_result_of_the_same_rule_in_cpp(self):
        tessera.register("py-in-order", InOrder)
        for workload in ("mm", "bfs"):
            self.assertEqual(self.cycles({"dispatch.scheduler": "py-in-order"}, workload),
                             stats_of(PLATFORM, workload, "--set", "dispatch.scheduler=round-robin")["cycles"])
        self.assertNotEqual(self.cycles({"dispatch.scheduler": "py-in-order"}),
                            self.cycles({"dispatch.scheduler": "distributed"}))

    def test_an_exception_ends_the_run_with_its_text_and_line(self):
        class Fails(tessera.PagePlacement):
            def place(self, request, view):
                raise ValueError("page 12")

        class Text(tessera.PagePlacement):
            def place(self, request, view):
                return "channel 3"

        class Far(tessera.PagePlacement):
            def place(self, request, view):
                return 1000

        class Stops(tessera.CtaScheduler):
            begin = InOrder.begin
            has_more = InOrder.has_more

            def next(self, sm):
                return {}["cta"]

        for key, policy, text in [
                ("system.page_placement", Fails, r"^page_placement policy 'Fails': ValueError: page 12 "
                                                 r"\(.*tessera_test.py:\d+\)$"),
                ("system.page_placement", Text, r"^page_placement policy 'Text': place\(\) returned 'channel 3'$"),
                ("system.page_placement", Far, "'Far' places page .* in channel 1000"),
                ("dispatch.scheduler", Stops, "^cta_scheduler policy 'Stops': KeyError: 'cta' ")]:
            tessera.register(policy.__name__, policy)
            with self.assertRaisesRegex(tessera.RunError, text):
                self.cycles({key: policy.__name__})

    def test_an_exception_in_the_constructor_is_an_input_error(self):
        class OneChannel(tessera.PagePlacement):
            def __init__(self, system):
                raise ValueError(f"not for {system.channels} channels")

        tessera.register("one-channel", OneChannel)
        with self.assertRaisesRegex(tessera.InputError, "not for 4 channels"):
            self.cycles({"system.page_placement": "one-channel"})

    def test_a_policy_that_is_registered_again_is_replaced(self):
        tessera.register("twice", FirstTouch)
        first = self.cycles({"system.page_placement": "twice"})
        tessera.register("twice", RoundRobin)
        self.assertNotEqual(self.cycles({"system.page_placement": "twice"}), first)

    def test_a_view_is_valid_during_its_call_only(self):
        class Keeps(tessera.PagePlacement):
            view = None

            def place(self, request, view):
                Keeps.view = view
                return view.least_used_channel()

        class Late(tessera.CtaScheduler):
            begin = InOrder.begin
            has_more = InOrder.has_more

            def next(self, sm):
                if Keeps.view is not None:
                    Keeps.view.balance()
                return InOrder.next(self, sm)

        tessera.register("keeps", Keeps)
        tessera.register("late", Late)
        with self.assertRaisesRegex(tessera.RunError, "valid during one call"):
            self.cycles({"system.page_placement": "keeps", "dispatch.scheduler": "late"}, "bfs")

    def test_output_of_a_policy_is_standard_error(self):
        program = ("import tessera\nclass P(tessera.PagePlacement):\n  def place(self, request, view):\n"
                   "    print('placed')\n    return 0\ntessera.register('p', P)\n"
                   "print('before', end='')\n"
                   f"tessera.run('{PLATFORM}', 'vecadd', {{'system.page_placement': 'p'}})\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": str(MODULE), "PYTHONUNBUFFERED": ""})
        self.assertEqual((done.returncode, done.stdout), (0, "before"), done.stderr)
        self.assertIn("placed\n", done.stderr)
        self.assertNotIn("before", done.stderr)

    def test_speed_is_measured(self):
        tessera.register("py-speed", FirstTouch)
        self.assertGreater(tessera.calls_per_second("page_placement", "first-touch"),
                           tessera.calls_per_second("page_placement", "py-speed"))
        with self.assertRaisesRegex(tessera.InputError, "did you mean 'cta_scheduler'"):
            tessera.calls_per_second("cta_schedule", "round-robin")


class Interrupts(InFolder):
    PROGRAM = """
import signal, sys, tessera
before = signal.getsignal(signal.SIGINT)
try:
    print("begin", flush=True)
    tessera.compare(["nuba", "uba-mem"], ["mm", "kmeans"], scale="paper", jobs=2)
    print("complete")
except KeyboardInterrupt:
    print("interrupted")
assert signal.getsignal(signal.SIGINT) is before
print(tessera.run("nuba-small", "vecadd").cycles)
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("again")
"""

    def interrupt(self, number):
        # The default action, also where the test itself runs in the background.
        child = subprocess.Popen([sys.executable, "-c", "import signal\nsignal.signal(signal.SIGINT, "
                                  "signal.default_int_handler)\n" + self.PROGRAM], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "PYTHONPATH": str(MODULE)})
        self.assertEqual(child.stdout.readline(), "begin\n")
        time.sleep(1)
        begin = time.monotonic()
        child.send_signal(number)
        out, _ = child.communicate(timeout=120)
        self.assertLess(time.monotonic() - begin, 60)
        return child.returncode, out

    def test_sigint_ends_the_runs_and_raises_keyboard_interrupt(self):
        status, out = self.interrupt(signal.SIGINT)
        cycles = tessera.run(PLATFORM, "vecadd").cycles
        self.assertEqual((status, out), (0, f"interrupted\n{cycles}\nagain\n"))

    def test_sigterm_ends_the_program(self):
        status, out = self.interrupt(signal.SIGTERM)
        self.assertEqual((status, out), (-signal.SIGTERM, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
