#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captured runs through the command: a replay on the captured platform has the captured run's statistics, a replay on
another does the same work, and the export to Accel-Sim's form has the same instructions and transactions.
Usage: capture_test.py TESSERA"""

import ctypes
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from write_trace import zstd

TESSERA = sys.argv[1]
HERE = pathlib.Path(__file__).parent
PATIENCE = 300
# One of each shape.
PRESETS = ("uba-mem-small", "uba-sm-small", "nuba-small", "mcm-nuba-small", "ladm-4x4-small", "dualopt-small",
           "umh-1-small", "memcpy-1-small", "mesh-28-8-small", "dualopt-nuba-small")
MEASURED = ("cycles", "time_ns", "instructions", "kernels", "modules", "derived", "energy")
# What does not depend on the platform.
WORK = ("warp_instructions", "thread_instructions", "load_instructions", "store_instructions", "atomic_instructions",
        "useful_bytes")

PRODUCT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry product(.param .u64 out)
{
.reg .b32 %r<8>;
.reg .f32 %f<9>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mov.f32 %f1, 0f00000000;
mov.b32 %r2, 0;
mov.b32 %r3, 0;
mov.b32 %r4, 0;
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r2, %r3}, {%r4}, {%f1, %f1, %f1, %f1};
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
shl.b64 %rd2, %rd2, 1;
st.global.f32 [%rd3], %f5;
ret;
}
"""


def tessera(*arguments, status=0):
    done = subprocess.run([TESSERA, *map(str, arguments)], text=True, capture_output=True, timeout=PATIENCE)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def run(platform, workload, *options):
    return json.loads(tessera("run", platform, workload, "--json", "--quiet", *options).stdout)


def work(stats):
    return {name: sum(m.get(name, 0) for module, m in stats["modules"].items() if ".sm" in module) for name in WORK}


def edited(content, edit):
    """The captured run, whose contents `edit` has changed."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    at, packed, raw = struct.unpack("<3Q", content[-32:-8])
    index = ctypes.create_string_buffer(raw)
    library.ZSTD_decompress(index, ctypes.c_size_t(raw), content[at:at + packed], ctypes.c_size_t(packed))
    length, = struct.unpack("<Q", index.raw[:8])
    contents = json.loads(index.raw[8:8 + length])
    edit(contents)
    text = json.dumps(contents).encode()
    index = struct.pack("<Q", len(text)) + text + index.raw[8 + length:]
    frame = zstd(index)
    return content[:at] + frame + struct.pack("<3Q", at, len(frame), len(index)) + content[-8:]


class Captures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.file = self.folder / "run.ttrace"

    def check_equal(self, one, other):
        for key in MEASURED:
            if key != "modules":
                self.assertEqual(one[key], other[key], key)
        self.assertEqual(one["modules"].keys(), other["modules"].keys())
        for module, statistics in one["modules"].items():
            self.assertEqual(statistics, other["modules"][module], module)

    def check_replay(self, platform, workload, *options):
        plain = run(platform, workload, *options)
        self.check_equal(plain, run(platform, workload, "--capture", self.file, *options))
        again = run(platform, self.file, *options)
        self.check_equal(plain, again)
        self.assertIsNone(again["verified"])
        self.assertGreater(plain["cycles"], 0)

    def test_a_replay_has_the_statistics_of_the_captured_run(self):
        for preset in PRESETS:
            for workload in ("mm", "histogram"):
                with self.subTest(preset=preset, workload=workload):
                    self.check_replay(preset, workload)

    def test_copies_streams_named_barriers_local_memory_and_cooperative_kernels_are_replayed(self):
        for preset in ("nuba-small", "dualopt-small", "umh-1-small", "memcpy-1-small"):
            with self.subTest(preset=preset):
                self.check_replay(preset, HERE / "captured.json")

    def test_host_programs_that_loop_are_replayed(self):
        for workload in ("bfs", "kmeans"):
            for preset in ("memcpy-1-small", "umh-1-small"):
                with self.subTest(preset=preset, workload=workload):
                    self.check_replay(preset, workload)

    def test_values_that_travel_do_not_change_a_capture(self):
        self.check_replay("nuba-small", "histogram", "--values", "carried")

    def test_a_replay_can_be_captured(self):
        run("nuba-small", HERE / "captured.json", "--capture", self.file)
        second = self.folder / "second.ttrace"
        run("nuba-small", self.file, "--capture", second)
        infos = [json.loads(tessera("trace", "info", f, "--json", "--quiet").stdout) for f in (self.file, second)]
        self.assertEqual(infos[0]["total"], infos[1]["total"])

    def test_another_platform_does_the_same_work(self):
        for workload in ("mm", HERE / "captured.json"):
            captured = run("nuba-small", workload, "--capture", self.file)
            for preset in PRESETS:
                with self.subTest(preset=preset, workload=workload):
                    self.assertEqual(work(captured), work(run(preset, self.file)))

    def test_pages_of_another_size_move_the_addresses(self):
        run("nuba-small", "mm", "--capture", self.file)
        sets = ("--set", "system.page_bytes=65536")
        self.check_equal(run("nuba-small", "mm", *sets), run("nuba-small", self.file, *sets))

    def test_an_export_has_the_same_instructions_and_transactions(self):
        for workload in ("mm", "histogram", "barneshut", HERE / "captured.json"):
            with self.subTest(workload=workload):
                stats = run("nuba-small", workload, "--capture", self.file)
                folder = self.folder / pathlib.Path(workload).stem
                tessera("trace", "export", self.file, folder, "--accelsim", "--quiet")
                infos = [json.loads(tessera("trace", "info", f, "--json", "--quiet").stdout)
                         for f in (self.file, folder)]
                for info in infos:
                    info["total"].pop("classes")  # costs of instructions are not exported
                self.assertEqual(infos[0]["total"], infos[1]["total"])
                self.assertEqual(infos[1]["total"]["unknown_opcodes"], {})
                self.assertEqual(infos[0]["total"]["warp_instructions"], work(stats)["warp_instructions"])
                self.assertEqual([k["name"] for k in infos[0]["kernels"]], [k["name"] for k in stats["kernels"]])
                again = run("nuba-small", folder)
                self.assertEqual(work(again)["warp_instructions"], work(stats)["warp_instructions"])

    def test_classes_name_what_instructions_are(self):
        (self.folder / "gemma 'x.ptx").write_text(PRODUCT)
        (self.folder / "k.json").write_text(json.dumps({
            "name": "product", "description": "One matrix product", "family": "test", "ptx": "gemma 'x.ptx",
            "sizes": {"small": {"n": 32}}, "arrays": [{"name": "out", "type": "f32", "count": "n", "init": "zero"}],
            "launches": [{"kernel": "product", "grid": [1], "block": [32], "arguments": ["out"]}],
            "outputs": [{"array": "out"}]}))
        run("nuba-small", self.folder / "k.json", "--capture", self.file)
        info = json.loads(tessera("trace", "info", self.file, "--json", "--quiet").stdout)
        # Additions and shifts of 64 bits take two slots. The parameter is read by the ALU.
        self.assertEqual(info["total"]["classes"], {"alu": 6, "alu_multi_slot": 2, "exit": 1, "int_mul": 1, "matrix": 1,
                                                    "memory": 1})

    def test_an_export_names_its_list(self):
        run("nuba-small", "micro-launch", "--capture", self.file)
        for folder, options in (("a", ()), ("b", ("--quiet",))):
            done = tessera("trace", "export", self.file, self.folder / folder, "--accelsim", *options)
            expected = "" if options else f"  trace          {self.folder / folder}/kernelslist.g\n"
            self.assertEqual(done.stdout, expected)

    def check_traffic(self, preset, workload, block, commands, line_bytes):
        """Records `block` in the three forms; returns the requests of the .stl."""
        files = {form: self.folder / f"{preset}.{form}" for form in ("trace", "ldst", "stl")}
        plain = run(preset, workload)
        for file in files.values():
            stats = run(preset, workload, "--record-traffic", f"{block}={file}")
            self.check_equal(plain, stats)
        lines = [line.split() for line in files["stl"].read_text().splitlines() if not line.startswith("#")]
        times = [int(time.rstrip(":")) for time, _, _, _ in lines]
        self.assertEqual(times, sorted(times))
        self.assertLess(times[-1], 1000 * plain["time_ns"])
        counts = {c: sum(command == c for _, _, command, _ in lines) for c in ("read", "write")}
        self.assertEqual(counts, commands(plain["modules"][block]))
        self.assertEqual({size for _, size, _, _ in lines}, {f"({line_bytes})"})
        self.assertEqual(files["trace"].read_text().split("\n")[:-1],
                         [f"{address} {'W' if command == 'write' else 'R'}" for _, _, command, address in lines])
        self.assertEqual(files["ldst"].read_text().split("\n")[:-1],
                         [f"{'ST' if command == 'write' else 'LD'} {address}" for _, _, command, address in lines])
        return counts

    def test_recorded_traffic_is_that_of_the_channels_statistics(self):
        def of_dram(m):
            return {"read": m["reads"], "write": m["writes"]}
        self.assertGreater(self.check_traffic("uba-mem-small", "mm", "system.gpu0.dram0", of_dram, 128)["read"], 0)
        counts = self.check_traffic("umh-1-small", "mm", "system.gpu0.stack0", of_dram, 64)
        self.assertGreater(min(counts.values()), 0)

    def test_packets_between_gpus_are_recorded_as_their_requests(self):
        def recorded(block):
            return [tuple(line.split()[1:]) for line in (self.folder / f"{block}.stl").read_text().splitlines()[1:]]

        engines = [f"system.gpu{gpu}.rdma" for gpu in range(4)]
        blocks = engines + ["system.fabric"]
        words = [w for b in blocks for w in ("--record-traffic", f"{b}={self.folder / b}.stl")]
        stats = run("dualopt-nuba-small", "mm", *words)
        fabric = recorded("system.fabric")
        self.assertEqual(len(fabric), sum(stats["modules"][e]["requests_out"] for e in engines))
        self.assertEqual({size for size, _, _ in fabric}, {"(64)"})
        # Each arrives at the engine of its GPU, at the fabric, and at the engine of the other GPU.
        self.assertEqual(sorted(r for e in engines for r in recorded(e)), sorted(fabric * 2))

    def test_recorded_traffic_ends_with_the_window(self):
        file = self.folder / "a.stl"
        words = ("--record-traffic", f"system.gpu0.dram0={file}")
        run("uba-mem-small", "vecadd", *words)
        requests = file.read_text().splitlines()[1:]
        window = run("uba-mem-small", "vecadd", "--detail", "700000", *words)
        self.assertTrue(window["window"]["complete"])
        self.assertTrue(window["verified"])
        end = 10**12 * window["window"]["end_cycle"] / window["config"]["sm"]["clock_hz"]
        expected = [line for line in requests if int(line.split(":")[0]) <= end]
        self.assertEqual(file.read_text().splitlines()[1:], expected)
        self.assertLess(0, len(expected))
        self.assertLess(len(expected), len(requests))
        self.check_equal(run("uba-mem-small", "vecadd", "--detail", "700000"), window)

    def test_bad_recordings_are_refused(self):
        file = self.folder / "a.stl"
        for recordings, expected in (
                (["system.gpu0.drm0=" + str(file)], "did you mean 'system.gpu0.dram0'?"),
                (["system.gpu0.dram0"], "BLOCK=FILE"),
                (["system.gpu0.dram0=x.txt"], "must end with .trace"),
                ([f"system.gpu0.dram0={file}", f"system.gpu0.dram1={file}"], "system.gpu0.dram0 and --record-traffic system.gpu0.dram1 name one file"),
                ([f"system.gpu0.dram0={self.folder}/none/a.stl"], "cannot be written")):
            with self.subTest(recordings=recordings):
                words = [w for r in recordings for w in ("--record-traffic", r)]
                self.assertIn(expected, tessera("run", "uba-mem-small", "mm", "--quiet", *words, status=2).stderr)

    def test_bad_input_is_refused(self):
        run("nuba-small", "micro-launch", "--capture", self.file)
        bytes_of_file = self.file.read_bytes()

        def refused(content, expected):
            self.file.write_bytes(content)
            self.assertIn(expected, tessera("run", "nuba-small", self.file, "--quiet", status=2).stderr)

        refused(b"", "it is too short")
        refused(b"x" * 100, "found other first bytes")
        refused(bytes_of_file[:-1], "its end is missing")
        refused(bytes_of_file[:12] + bytes(4) + bytes_of_file[16:],
                f"{self.file}: the captured run cannot be read: expected its header as a JSON document, found no bytes")
        refused(bytes_of_file[:8] + b"\2" + bytes_of_file[9:], "expected version 1, found 2")
        for arguments, expected in (
                (("run", "nuba-small", "mm", "--capture", "x.trace"), "must end with .ttrace"),
                (("run", "nuba-small", "mm", "--capture", "x.ttrace", "--detail", "10"), "records whole runs"),
                (("run", "nuba-small", "mm", "--capture", self.folder / "none" / "x.ttrace"), "cannot be written"),
                (("run", "nuba-small", self.folder / "none.ttrace"), "cannot be read"),
                (("trace", "export", self.file, self.folder / "e"), "--accelsim"),
                (("trace", "export", HERE, self.folder / "e", "--accelsim"), "only captured runs")):
            with self.subTest(arguments=arguments):
                self.assertIn(expected, tessera(*arguments, "--quiet", status=2).stderr)

    def test_contents_that_no_run_has_are_refused(self):
        run("nuba-small", "micro-launch", "--capture", self.file)
        content = self.file.read_bytes()

        def refused(edit, expected, *command):
            self.file.write_bytes(edited(content, edit))
            arguments = command or ("run", "nuba-small", self.file)
            done = tessera(*arguments, "--quiet", status=2)
            self.assertIn(expected, done.stderr)
            self.assertIn(f"{self.file}: the captured run ", done.stderr)

        def set_launch(key, value):
            return lambda contents: contents["launches"][0].update({key: value})

        refused(set_launch("grid", [2**22, 2**21, 2**21]), "expected a grid of 1 to 2^32 - 1 CTAs")
        refused(set_launch("grid", [0, 1, 1]), "expected a grid of 1 to 2^32 - 1 CTAs, found (0,1,1)")
        refused(set_launch("block", [2**16, 2**16, 1]), "expected a block of 1 to 1024 threads")
        refused(set_launch("grid", [1.5, 1, 1]), "expected 'grid' as a whole number from 0 to 4294967295, found 1.5")
        refused(set_launch("registers", 2**32), "expected 'registers' as a whole number from 0 to 4294967295")
        refused(set_launch("shared_bytes", -1), "expected 'shared_bytes' as a whole number")
        refused(set_launch("warp_instructions", True), "expected 'warp_instructions' as a whole number")
        refused(lambda contents: contents["operations"][0].update(cost=256), "expected 'cost' as a whole number from 0")

        def without_launches(contents):
            contents["launches"] = []
            for part in ("host", "verify"):
                contents[part] = [h for h in contents[part] if "launch" not in h]
        refused(without_launches, "has no launches that could be exported", "trace", "export", self.file,
                self.folder / "e", "--accelsim")
        self.assertFalse((self.folder / "e").exists())

    def test_an_export_that_cannot_be_written_says_why_and_leaves_no_folder(self):
        run("nuba-small", "mm", "--capture", self.file)
        folder = self.folder / "new" / "export"
        for made in (False, True):
            if made:
                folder.mkdir(parents=True)
            done = subprocess.run(["bash", "-c", 'ulimit -f 8; exec "$@"', "bash", TESSERA, "trace", "export", self.file,
                                   folder, "--accelsim", "--quiet"], text=True, capture_output=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"tessera: {folder}/kernel-1.traceg: cannot be written: File too large\n")
            self.assertEqual(folder.exists(), made)
            self.assertEqual(folder.parent.exists(), made)

    def test_damaged_bytes_end_with_a_message(self):
        run("nuba-small", "mm", "--capture", self.file)
        content = self.file.read_bytes()
        for at in range(200, len(content) - 200, len(content) // 12):
            damaged = bytearray(content)
            damaged[at:at + 8] = bytes(b ^ 0x5a for b in damaged[at:at + 8])
            self.file.write_bytes(damaged)
            done = subprocess.run([TESSERA, "run", "nuba-small", self.file, "--json", "--quiet"], text=True,
                                  capture_output=True, timeout=PATIENCE)
            self.assertIn(done.returncode, (1, 2), (at, done.stderr))
            self.assertIn("run.ttrace", done.stderr)
            exported = subprocess.run([TESSERA, "trace", "export", self.file, self.folder / "e", "--accelsim"],
                                      text=True, capture_output=True, timeout=PATIENCE)
            self.assertIn(exported.returncode, (1, 2), (at, exported.stderr))
            left = list((self.folder / "e").iterdir()) if (self.folder / "e").exists() else []
            self.assertEqual(left, [], at)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
