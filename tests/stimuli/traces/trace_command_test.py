#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces that write_trace.py writes from formulas, through the command: counts of `tessera trace info` and of runs equal
those of the formulas and, instruction by instruction, those of PTX runs of the same kernels.
Usage: trace_command_test.py TESSERA"""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import count_trace  # noqa: E402
import write_trace  # noqa: E402

TESSERA = sys.argv[1]
HERE = pathlib.Path(__file__).parent
PATIENCE = 300
# What an SM counts. Totals of write_trace.py have other names for some.
SM_COUNTS = ("warp_instructions", "thread_instructions", "load_instructions", "store_instructions",
             "atomic_instructions", "line_requests", "sectors", "useful_bytes")
OF_TOTALS = {"load_instructions": "loads", "store_instructions": "stores", "atomic_instructions": "atomics",
             "line_requests": "lines", "useful_bytes": "bytes"}


def tessera(*arguments, status=0, **options):
    done = subprocess.run([TESSERA, *map(str, arguments)], text=True, capture_output=True, timeout=PATIENCE, **options)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def run(platform, workload, *options):
    return json.loads(tessera("run", platform, workload, "--json", "--quiet", *options).stdout)


def sm_counts(stats):
    return {name: sum(m.get(name, 0) for module, m in stats["modules"].items() if ".sm" in module)
            for name in SM_COUNTS}


class Traces(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, kernel, n, block=128, **options):
        """Returns the trace's folder and the totals of its formulas."""
        folder = self.folder / "-".join([kernel, str(n), *map(str, options.values())])
        words = [f"--{k}={v}" for k, v in options.items()]
        subprocess.run([sys.executable, HERE / "write_trace.py", kernel, folder, f"--n={n}", f"--block={block}", *words],
                       check=True)
        return folder, write_trace.totals(write_trace.KERNELS[kernel](n, block))

    def check_info(self, folder, totals):
        total = json.loads(tessera("trace", "info", folder, "--json").stdout)["total"]
        for name in ("ctas", "warp_instructions", "thread_instructions", "bytes_touched"):
            self.assertEqual(total[name], totals[name], name)
        for name in ("lines", "sectors", "bytes"):
            self.assertEqual(total["global_" + name], totals[name], name)
        self.assertEqual(total["unknown_opcodes"], {})

    def test_info_of_all_versions_forms_and_compressions(self):
        variants = [dict(version=v) for v in (1, 2, 3, 4, 5, 6)] + [dict(form=f) for f in ("list", "stride", "delta")]
        variants += [dict(compress=c) for c in ("gz", "xz", "zst")] + [dict(container=c) for c in ("plain", "dictionary")]
        for kernel, n in (("vecadd", 1000), ("transpose", 64), ("stencil", 2048), ("barrier", 512)):
            for variant in variants:
                with self.subTest(kernel=kernel, **variant):
                    self.check_info(*self.write(kernel, n, **variant))

    def test_runs_have_the_formulas_counts_on_platforms_of_all_shapes(self):
        names = [p["name"] for p in json.loads(tessera("list", "platforms", "--json").stdout)["platforms"]]
        platforms = [name for name in names if name.endswith("-small")]
        self.assertGreater(len(platforms), 30)
        for kernel, n in (("vecadd", 1000), ("barrier", 1024)):
            folder, _ = self.write(kernel, n)
            for platform in platforms:
                for values in ("carried", "functional"):
                    with self.subTest(kernel=kernel, platform=platform, values=values):
                        stats = run(platform, folder, f"--values={values}")
                        counts = sm_counts(stats)
                        line = stats["config"]["system"]["line_bytes"]
                        totals = write_trace.totals(write_trace.KERNELS[kernel](n, 128), line)
                        # Local accesses reach the memory system, too: only of "barrier".
                        local = kernel == "barrier"
                        for name in SM_COUNTS[:2] if local else SM_COUNTS:
                            self.assertEqual(counts[name], totals[OF_TOTALS.get(name, name)], name)
                        self.assertIsNone(stats["verified"])

    def test_runs_count_as_the_text_of_the_trace(self):
        for kernel, n in (("vecadd", 1000), ("transpose", 64), ("stencil", 2048), ("barrier", 1024)):
            for version in (1, 5):
                folder, _ = self.write(kernel, n, version=version)
                total = json.loads(tessera("trace", "info", folder, "--json").stdout)["total"]
                for platform in ("uba-mem-small", "dualopt-small"):
                    with self.subTest(kernel=kernel, version=version, platform=platform):
                        stats = run(platform, folder)
                        text = count_trace.count(str(folder), stats["config"]["system"]["line_bytes"])
                        for name in ("warps", "bytes_touched"):
                            self.assertEqual(total[name], text.pop(name), name)
                        modules = [m for name, m in stats["modules"].items() if ".sm" in name]
                        for name, number in text.items():
                            self.assertEqual(sum(m.get(name, 0) for m in modules), number, name)

    def test_runs_count_as_runs_of_the_same_kernels_as_ptx(self):
        def manifest(kernel, type_, count, grid):
            document = {"name": kernel, "ptx": str(HERE / "kernels.ptx"), "sizes": {"small": {}},
                        "arrays": [{"name": "a", "type": type_, "count": count, "init": "zero"},
                                   {"name": "b", "type": type_, "count": count, "init": "zero"}],
                        "launches": [{"kernel": kernel, "grid": grid, "block": 128, "arguments": ["a", "b"]}]}
            path = self.folder / f"{kernel}.json"
            path.write_text(json.dumps(document))
            return path

        pairs = [("vecadd", 1000, "vecadd:n=1000"),
                 ("transpose", 64, manifest("transpose_rows", "f32", 4096, 32)),
                 ("stencil", 2048, manifest("stencil3", "f64", 2048, 16))]
        for kernel, n, ptx in pairs:
            folder, totals = self.write(kernel, n)
            for platform in ("uba-mem-small", "nuba-small"):
                with self.subTest(kernel=kernel, platform=platform):
                    trace, same = sm_counts(run(platform, folder)), sm_counts(run(platform, ptx))
                    self.assertEqual(trace, same)
                    self.assertEqual(trace["line_requests"], totals["lines"])

    def test_all_cta_schedulers_run_every_cta(self):
        folder, totals = self.write("vecadd", 8192)
        documents = json.loads(tessera("list", "policies", "--json").stdout)["policies"]
        names = [p["name"] for p in documents if "dispatch.scheduler" in p["chosen_by"]]
        self.assertIn("distributed", names)
        for name in names:
            with self.subTest(scheduler=name):
                counts = sm_counts(run("uba-mem-small", folder, "--set", f"dispatch.scheduler={name}"))
                self.assertEqual(counts["warp_instructions"], totals["warp_instructions"])

    def test_a_window_executes_every_thread_instruction_of_the_trace_once(self):
        folder, totals = self.write("barrier", 1024)
        for options in (["--skip=1000"], ["--skip=1000", "--detail=2000"], ["--detail=3000"]):
            with self.subTest(options=options):
                window = run("nuba-small", folder, *options)["window"]
                parts = [window[f"{part}_thread_instructions"] for part in ("skipped", "detailed", "rest")]
                self.assertEqual(sum(parts), totals["thread_instructions"])

    def test_copies_of_the_list_are_copies_of_the_host(self):
        for kernel, n, size in (("vecadd", 1000, 2 * 4 * 1000), ("transpose", 64, 4 * 64 * 64),
                                ("stencil", 2048, 8 * 2048)):
            with self.subTest(kernel=kernel):
                folder, _ = self.write(kernel, n)
                self.assertEqual(run("memcpy-1-small", folder)["derived"]["copied_bytes"], size)

    def test_kernels_of_two_streams_run_at_the_same_time(self):
        folder, _ = self.write("vecadd", 1000)
        first = folder / "kernel-1.traceg"
        text = first.read_text()
        first.write_text(text.replace("stream id = 0", "stream id = 1"))
        (folder / "kernel-2.traceg").write_text(text.replace("stream id = 0", "stream id = 2"))
        (folder / "kernelslist.g").write_text("kernel-1.traceg\nkernel-2.traceg\nkernel-1.traceg\n")
        a, b, c = sorted(run("uba-mem-small", folder)["kernels"], key=lambda k: (k["start_cycle"], k["stream"]))
        self.assertEqual([k["stream"] for k in (a, b, c)], ["stream 1", "stream 2", "stream 1"])
        self.assertLess(b["start_cycle"], a["start_cycle"] + a["cycles"])
        self.assertGreaterEqual(c["start_cycle"], a["start_cycle"] + a["cycles"])

    def test_a_store_keeps_results_apart_by_the_files_contents(self):
        folder, _ = self.write("vecadd", 1000)
        store = self.folder / "results.db"

        def points():
            """Points in the database after a comparison."""
            tessera("compare", "uba-mem-small", folder, "--store", store, "--out", self.folder / "out", "--quiet",
                    "--overwrite")
            with contextlib.closing(sqlite3.connect(store)) as database:
                return database.execute("SELECT COUNT(*) FROM points").fetchone()[0]

        self.assertEqual((points(), points()), (1, 1))
        kernel = folder / "kernel-1.traceg"
        kernel.write_text(kernel.read_text().replace("FADD", "FMUL"))
        self.assertEqual(points(), 2)
        names = folder / "kernelslist.g"
        names.write_text("# a comment\n" + names.read_text())
        self.assertEqual(points(), 3)

    def test_verification_says_that_a_trace_has_no_values(self):
        folder, _ = self.write("vecadd", 256)
        out = tessera("run", "uba-mem-small", folder, "--out", self.folder / "out", "--quiet").stdout
        self.assertIn("no reference: a trace has no values", out)

    def test_unknown_opcodes_are_reported_once_with_their_number(self):
        folder, _ = self.write("vecadd", 256)
        kernel = folder / "kernel-1.traceg"
        kernel.write_text(kernel.read_text().replace("FADD", "FROB"))
        error = tessera("run", "uba-mem-small", folder, "--out", self.folder / "out", "--quiet").stderr
        self.assertEqual(error.count("FROB (8)"), 1)
        self.assertEqual(json.loads(tessera("trace", "info", folder, "--json").stdout)["total"]["unknown_opcodes"],
                         {"FROB": 8})
        self.assertIn("FROB", tessera("trace", "info", folder).stdout)

    def test_unknown_opcodes_are_clipped_in_the_warning(self):
        folder, _ = self.write("vecadd", 256)
        kernel = folder / "kernel-1.traceg"
        text = kernel.read_bytes()
        for opcode, expected in ((b"Q" * 100_000, "Q" * 40 + "... (8)"), (b"F\x80B", "F?B (8)")):
            kernel.write_bytes(text.replace(b"FADD", opcode))
            error = tessera("run", "uba-mem-small", folder, "--json", "--quiet").stderr
            self.assertEqual(
                error, f"tessera: warning: {folder}: unknown opcodes count as ALU operations: {expected}\n")
            self.assertIn(f"\n{expected.split()[0]} ", tessera("trace", "info", folder).stdout)

    def test_runs_and_info_warn_of_missing_warps(self):
        folder, _ = self.write("vecadd", 256)
        kernel = folder / "kernel-1.traceg"
        kernel.write_text(kernel.read_text().replace("block dim = (128,1,1)", "block dim = (160,1,1)"))
        warning = f"tessera: warning: {kernel}: 2 of the 10 warps of its CTAs have no instructions\n"
        for words in (("trace", "info", folder, "--quiet"), ("run", "uba-mem-small", folder, "--json", "--quiet")):
            self.assertEqual(tessera(*words).stderr, warning)

    def test_registers_that_no_thread_can_have_are_a_warning(self):
        folder, _ = self.write("vecadd", 256)
        kernel = folder / "kernel-1.traceg"
        kernel.write_text(kernel.read_text().replace("-nregs = 16", "-nregs = 21955", 1))
        warning = tessera("run", "uba-mem-small", folder, "--json", "--quiet").stderr
        self.assertIn("more registers than a thread can have (nregs = 21955)", warning)

    def test_errors_have_file_line_and_exit_status_2(self):
        folder, _ = self.write("vecadd", 256)
        kernel = folder / "kernel-1.traceg"
        kernel.write_text(kernel.read_text().replace("#END_TB", "#END", 1))
        for words in (("trace", "info", folder), ("run", "uba-mem-small", folder)):
            error = tessera(*words, status=2).stderr
            self.assertRegex(error, r"kernel-1\.traceg:\d+: expected 'warp = NUMBER', found '#END'")
        error = tessera("trace", "inf", folder, status=2).stderr
        self.assertIn("did you mean 'info'?", error)
        error = tessera("trace", "info", folder / "nothing.g", status=2).stderr
        self.assertIn("nothing.g: cannot be read", error)


if __name__ == "__main__":
    os.environ.pop("TESSERA_STORE", None)
    unittest.main(argv=sys.argv[:1])
