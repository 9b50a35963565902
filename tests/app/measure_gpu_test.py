#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/measure-gpu without a GPU: its formulas, contents and PTX beside the command's own.
Usage: measure_gpu_test.py TESSERA SOURCE_DIR COMPILER PART

PART Runner: what needs no nvcc. PART Driver: the script with a driver in small (measure_gpu/driver.cpp);
exit status 77 (skipped) without nvcc, or where its toolkit lacks the driver's header."""

import contextlib
import copy
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

TESSERA, SOURCE, COMPILER, PART = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
SCRIPT = SOURCE / "scripts" / "measure-gpu"
REAL_GPUS = SOURCE / "studies" / "real-gpus"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from measure_gpu import expressions, plans, results, vectors  # noqa: E402

NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def why_skipped():
    """What the part Driver needs and this machine lacks, or None."""
    if NVCC is None:
        return "there is no nvcc here"
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
        source.write("#include <cuda.h>\n")
        source.flush()
        done = subprocess.run([NVCC, "-E", source.name], capture_output=True, text=True)
    return None if done.returncode == 0 else f"{NVCC} finds no cuda.h (a compiler without the toolkit's headers)"


if PART == "Driver" and why_skipped():
    print(f"skipped: {why_skipped()}")
    sys.exit(77)

# A kernel without effect, for manifests of which only arrays and figures matter.
NOTHING = """.version 6.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
"""
INIT = {
    "iota8": ("u8", 300, "iota"),
    "iota_negative": ("i16", 9, {"iota": {"start": "-n", "step": "n / 3"}}),
    "iota_float": ("f32", 9, {"iota": {"start": 0.1, "step": 0.3}}),
    "iota_whole": ("f64", 9, {"iota": {"step": "n"}}),
    "constant": ("u32", 5, {"constant": "n * n"}),
    "constant_float": ("f32", 5, {"constant": "7 / 2"}),
    "constant_real": ("f64", 5, {"constant": 0.1}),
    "uniform": ("f32", 1000, {"uniform": [-1.5, 2]}),
    "uniform64": ("f64", 10, {"uniform": [0, 1]}),
    "random": ("i32", 1000, {"random": [-5, "n"]}),
    "random_float": ("f32", 10, {"random": [0, 9]}),
    "permutation": ("u32", 777, "permutation"),
    "zero": ("i64", 3, "zero"),
    "list": ("f32", 4, [1, "nan", "-inf", 0.1]),
    "list_integers": ("i8", 3, [-128, 0, 127]),
    "rows": ("u32", 21, {"row_starts": 4}),
    "rows_range": ("i64", 21, {"row_starts": {"min": 0, "max": "n"}}),
    "rows_list": ("i32", 4, {"row_starts": [3, 0, 2]}),
    "columns": ("u32", 80, {"columns": {"rows": "rows", "of": 50}}),
    "columns_any": ("i16", None, {"columns": {"rows": "rows_range", "of": 40, "sorted": False}}),
    "file": ("u16", 2, {"file": "two.bin"}),
}
FORMULAS = ["7 / 2", "-7 / 2", "-7 % 3", "7 % -3", "ceil_div(7, 2)", "ceil_div(-7, 2)", "ceil_div(-7, -2)",
            "min(n, 3) * max(2,n)", "- - n", "2 * (n - 1) + n % 4 - 1", "n-1-1", "12 / 5 / 2",
            "9223372036854775807", "-9223372036854775807 - 1", " n\t* 2 "]
REFUSED_FORMULAS = ["", "n +", "9223372036854775808", "9223372036854775807 + 1", "1 / 0", "m", "(n", "n n",
                    "mean(n)", "min(1)", "5 % (n - n)", "+1", "1.5", "f(1)", "-" * 201 + "1"]
FIGURES = ["7 / 2", "mean(values) / n", "sum(values)", "min(values)", "max(values)", "max(max(values), 1)",
           "min(2, n) - n", "n / 0", "7 % 0 + 1", "7 % 2",
           "-7 % 3", "ceil_div(7, 2)", "ceil_div(-7, 2)", "mean(big)", "max(big)", "sum(signed) / 3",
           "cycles(nothing)", "cycles(0) / n", "cycles(9)", "cycles(9) + 1", "-mean(signed) * 2",
           "mean( values )", "min(min(values), n / 4)", "9007199254740993 - 1"]
REFUSED_FIGURES = ["iteration", "mean(nothing)", "mean()", "cycles(-1)", "mean(values, 1)", "values", "n ** 2"]


def run(*command, **options):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def manifest(self, **keys):
        """A manifest that launches nothing()."""
        (self.folder / "nothing.ptx").write_text(NOTHING)
        whole = {"name": "own", "ptx": "nothing.ptx", "sizes": {"small": {"n": 7}}, "arrays": [],
                 "launches": [{"kernel": "nothing", "grid": 1, "block": 32, "arguments": []}], **keys}
        path = self.folder / "manifest.json"
        path.write_text(json.dumps(whole))
        return path

    def tessera(self, path, *arguments):
        """Statistics of a run, and its folder of outputs."""
        out = self.folder / "out"
        done = run(TESSERA, "run", "uba-mem-small", path, "--quiet", "--out", out, "--overwrite", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((out / "stats.json").read_text()), out

    def refused(self, path):
        return run(TESSERA, "run", "uba-mem-small", path, "--quiet", "--json").returncode == 2


class Runner(Scratch):
    def test_formulas_have_the_runners_values(self):
        arrays = [{"name": f"a{i}", "type": "i64", "count": 1, "init": {"constant": f}}
                  for i, f in enumerate(FORMULAS)]
        outputs = [{"array": a["name"], "file": a["name"]} for a in arrays]
        _, out = self.tessera(self.manifest(arrays=arrays, outputs=outputs))
        for i, f in enumerate(FORMULAS):
            theirs = int.from_bytes((out / f"a{i}").read_bytes(), "little", signed=True)
            self.assertEqual(expressions.formula(f, {"n": 7}), theirs, f)

    def test_formulas_that_the_runner_refuses_are_refused(self):
        for f in REFUSED_FORMULAS:
            array = {"name": "a", "type": "i64", "count": 1, "init": {"constant": f}}
            self.assertTrue(self.refused(self.manifest(arrays=[array])), f)
            with self.assertRaises(expressions.ExpressionError, msg=f):
                expressions.formula(f, {"n": 7})

    def figures(self):
        return {
            "arrays": [
                {"name": "values", "type": "f32", "count": 1000, "init": {"uniform": [0, 1]}},
                {"name": "signed", "type": "i16", "count": 3, "init": [-7, 2, 3]},
                {"name": "big", "type": "u64", "count": 2, "init": {"constant": "-1"}}],
            "outputs": [{"array": n, "file": n} for n in ("values", "signed")],
            "figures": [{"name": f"f{i}", "unit": "", "value": f} for i, f in enumerate(FIGURES)]}

    def compare_figures(self, workload, stats, out, files):
        arrays = {n: workload.elements((out / f).read_bytes(), n) for n, f in files.items()}
        launches = [(k["name"], k["cycles"]) for k in stats["kernels"]]
        ours = workload.figures(arrays, launches)
        theirs = {n: f["value"] for n, f in stats["figures"].items()}
        self.assertEqual(ours, theirs)
        return ours

    def test_figures_have_the_runners_values(self):
        keys = self.figures()
        keys["arrays"][2]["init"] = {"constant": 9223372036854775807}
        keys["outputs"].append({"array": "big", "file": "big"})
        path = self.manifest(**keys)
        stats, out = self.tessera(path)
        ours = self.compare_figures(plans.Workload(path), stats, out,
                                    {n: n for n in ("values", "signed", "big")})
        self.assertIsNone(ours[f"f{FIGURES.index('n / 0')}"])
        self.assertEqual(ours["f0"], 3.5)

    def test_figures_that_the_runner_refuses_are_refused(self):
        keys = self.figures()
        del keys["arrays"][2]
        for f in REFUSED_FIGURES:
            keys["figures"] = [{"name": "f", "unit": "", "value": f}]
            self.assertTrue(self.refused(self.manifest(**keys)), f)
            terms = expressions.Terms({"values": [1.0], "signed": [1]}, [])
            with self.assertRaises(expressions.ExpressionError, msg=f):
                expressions.figure(f, {"n": 7}, terms)

    def test_figures_of_all_microbenchmarks_are_those_of_the_runner(self):
        for path in sorted((SOURCE / "stimuli/kernels/micro").glob("*/manifest.json")):
            workload = plans.Workload(path)
            whole = copy.deepcopy(workload.manifest)
            whole["ptx"] = str((path.parent / whole["ptx"]).resolve())
            names = workload.figure_arrays()
            whole["outputs"] = [{"array": n, "file": f"{n}.bin"} for n in names]
            own = self.folder / "micro.json"
            own.write_text(json.dumps(whole))
            stats, out = self.tessera(own)
            ours = self.compare_figures(workload, stats, out, {n: f"{n}.bin" for n in names})
            self.assertNotIn(None, ours.values(), path)

    def contents(self, path):
        """The contents of a manifest's arrays, from its plan."""
        program = self.folder / "contents"
        if not program.exists():
            done = run(COMPILER, "-std=c++17", "-O0", "-I", SOURCE, SOURCE / "tests/app/measure_gpu/contents.cpp",
                       SOURCE / "common/input_file.cpp", "-o", program)
            self.assertEqual(done.returncode, 0, done.stderr)
        folder = self.folder / "contents-out"
        folder.mkdir(exist_ok=True)
        plan = folder / "plan"
        plan.write_text("\n".join(plans.Workload(path).plan(folder, 0, [])) + "\n")
        done = run(program, plan, folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def test_arrays_have_the_runners_contents(self):
        (self.folder / "two.bin").write_bytes(b"\1\2\3\4")
        arrays = [{"name": n, "type": t, "init": i, **({} if c is None else {"count": c})}
                  for n, (t, c, i) in INIT.items()]
        path = self.manifest(arrays=arrays, outputs=[{"array": n, "file": n} for n in INIT])
        _, theirs = self.tessera(path)
        ours = self.contents(path)
        for name in INIT:
            self.assertEqual((ours / name).read_bytes(), (theirs / name).read_bytes(), name)

    def test_every_run_of_the_list_has_a_plan_and_a_source(self):
        files = plans.workload_files()
        runs = json.loads((REAL_GPUS / "measurements.json").read_text())["runs"]
        study = {w["name"]: w["workload"] for w in
                 json.loads((REAL_GPUS / "workloads.json").read_text())["workloads"]}
        names = [r["name"] for r in runs]
        self.assertEqual(len(names), len(set(names)))
        for r in runs:
            self.assertLessEqual(set(r), {"name", "workload", "scale", "sms", "passes"})
            if r["name"] == "ptx":
                continue
            if r["name"] in study and "workload" in r:
                self.assertEqual(r["workload"], study[r["name"]])
            name = r.get("workload") or study[r["name"]]
            workload = plans.open_workload(name, r.get("scale", "small"), files, r.get("passes"))
            self.assertEqual(workload.source.suffix, ".cu", r["name"])
            workload.plan(self.folder, 1, workload.figure_arrays())
            self.assertTrue(workload.launches, r["name"])

    def test_arguments_have_cs_layout(self):
        argument = {"struct": [{"type": "u8", "value": 1}, "a", {"struct": [{"type": "i16", "value": -2}]},
                               {"alternate": [{"type": "i32", "value": "iteration"}, {"type": "i32", "value": 9}]}]}
        array = {"name": "a", "type": "f64", "count": 4}
        launch = {"kernel": "nothing", "grid": [1, "n"], "block": 32, "repeat": 2, "dynamic_shared": 64,
                  "arguments": [argument, {"array": "a", "offset": "iteration + 1"}]}
        loop = {"repeat": 2, "as": "outer", "launches": [
            {"fill": "a", "value": 2}, {"set": {"array": "a", "index": "outer", "value": 0.5}}]}
        lines = plans.Workload(self.manifest(arrays=[array], launches=[launch, loop])).plan(self.folder, 3, ["a"])
        struct = "01" + "00" * 15 + "feff0000"
        self.assertEqual(lines, [
            "rounds 3", "array a f64 4 zero",
            "launch nothing 1 7 1 32 1 1 64", f"argument 24 {struct}00000000 8 a 0", "argument 8 " + "00" * 8 + " 0 a 1",
            "launch nothing 1 7 1 32 1 1 64", f"argument 24 {struct}09000000 8 a 0", "argument 8 " + "00" * 8 + " 0 a 2",
            "fill a 0000000000000040", "set a 0 000000000000e03f",
            "fill a 0000000000000040", "set a 1 000000000000e03f", f"read a {self.folder}/a"])

    def test_what_a_plan_cannot_express_is_refused(self):
        until = {"until": {"array": "a", "index": 0, "equals": 0}, "at_most": 2, "launches": []}
        for keys in ({"variables": [{"name": "v", "type": "i32"}]}, {"launches": [until]}):
            with self.assertRaises(plans.PlanError):
                plans.Workload(self.manifest(**keys)).plan(self.folder, 0, [])
        for name in ("vecadd:n", "vecadd:n=1:n=2", "vecadd:x=1", "nothing", "bfs"):
            with self.assertRaises(plans.PlanError, msg=name):
                plans.open_workload(name, "small", plans.workload_files())
        once = plans.Workload(plans.workload_files()["hotspot"], passes="rounds")
        once.plan(self.folder, 0, [])
        self.assertEqual(once.launches, ["hotspot", "hotspot"] * once.sizes["rounds"])

    def interpreter(self):
        forms = vectors.write(self.folder, max(vectors.TARGETS))
        _, out = self.tessera(self.folder / "manifest.json")
        return forms, vectors.results(forms, (out / "results.bin").read_bytes())

    def test_the_interpreter_executes_all_ptx_forms_and_agrees_with_measured_files(self):
        forms, ours = self.interpreter()
        self.assertGreater(len(forms), 120)
        # Results that Python can compute.
        by_name = {f.ptx: (f, r["results"].split()) for f, r in zip(forms, ours)}
        for ptx, value in [("add.s32 %d, %a, %b;", lambda a, b: a + b & 0xffffffff),
                           ("mul.hi.u64 %d, %a, %b;", lambda a, b: a * b >> 64),
                           ("popc.b32 %d, %a;", lambda a: bin(a).count("1")),
                           ("lop3.b32 %d, %a, %b, %c, 0x96;", lambda a, b, c: a ^ b ^ c),
                           ("shr.u32 %d, %a, %b;", lambda a, b: a >> min(b, 32)),
                           ("rem.u32 %d, %a, %b;", lambda a, b: a % b)]:
            form, found = by_name[ptx]
            self.assertEqual([int(w, 16) for w in found], [value(*v) for v in form.vectors], ptx)
        measured = sorted((REAL_GPUS / "measured").glob("*.json"))
        if not measured:
            print("nothing measured: there is no file in studies/real-gpus/measured")
        for path in measured:
            data = json.loads(path.read_text())
            self.assertEqual(results.check(data), [], path)
            if "ptx" in data:
                lines, compared = vectors.differences(data["ptx"]["forms"], ours)
                print(f"{path.name}: {compared} forms compared")
                self.assertEqual(lines, [])

    def test_a_result_that_differs_is_found(self):
        forms = vectors.forms()
        form = next(f for f in forms if f.ptx.startswith("add.s32"))
        approximate = next(f for f in forms if f.ptx.startswith("sin.approx.f32"))
        same = [{"ptx": f.ptx, "inputs": f.inputs_crc, "results": f.hex([0x3f800000] * len(f.vectors))}
                for f in (form, approximate)]
        self.assertEqual(vectors.differences(same, same), ([], 2))
        other = copy.deepcopy(same)
        for r in other:
            r["results"] = "3f800001" + r["results"][8:]
        lines, _ = vectors.differences(same, other)
        self.assertEqual(len(lines), 1)  # one unit in the last place is within the bound of sin.approx
        self.assertTrue(lines[0].startswith(form.ptx + " of "), lines)
        stale = [{**r, "inputs": "00000000"} for r in same]
        self.assertEqual(vectors.differences(stale, same), ([], 0))

    def test_the_random_numbers_of_the_vectors_are_the_runners(self):
        path = self.manifest(arrays=[{"name": "r", "type": "i64", "count": 3,
                                      "init": {"random": ["-9223372036854775807 - 1", 9223372036854775807]}}],
                             outputs=[{"array": "r", "file": "r"}])
        _, out = self.tessera(path)
        raw = (out / "r").read_bytes()
        ours = vectors.Random(1, "r")
        for i in range(3):
            theirs = int.from_bytes(raw[8 * i:8 * i + 8], "little")
            self.assertEqual((ours.next() - 2**63) % 2**64, theirs)

    # The form of a file

    def published(self):
        """A file of the published figures of a study."""
        claims = json.loads((REAL_GPUS / "claims.json").read_text())["claims"]
        runs = [{"name": c["id"], "workload": "published", "figures": {"value": c.get("value")}, "kernels": []}
                for c in claims]
        self.assertGreater(len(runs), 5)
        return {"gpu": "several", "driver": "none", "cuda": "none", "clocks": {"sm": 1410, "mem": None},
                "date": "2026-11-29", "tessera": "unknown", "runs": runs,
                "left_out": [{"name": "ptx", "why": "not published"}]}

    def check(self, data):
        path = self.folder / "file.json"
        path.write_text(json.dumps(data))
        return run(sys.executable, SCRIPT, "--check", path)

    def test_a_file_of_published_figures_is_well_formed(self):
        done = self.check(self.published())
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_faults_of_a_file_are_named(self):
        form = vectors.forms()[0]
        faults = [
            (lambda d: d.pop("gpu"), 'the key "gpu" is missing'),
            (lambda d: d.update(other=1), 'unknown key "other"'),
            (lambda d: d.update(date="yesterday"), "/date: expected a date"),
            (lambda d: d["clocks"].update(sm="fast"), "/clocks/sm: expected MHz"),
            (lambda d: d["runs"].append(d["runs"][0]), "is taken"),
            (lambda d: d["runs"][0].update(figures={"latency": "30"}), "/runs/0/figures/latency: expected a number"),
            (lambda d: d["runs"][0].update(kernels=[{"name": "k", "ns": -1}]), "/runs/0/kernels/0/ns"),
            (lambda d: d.update(left_out=[{"name": "a"}]), '/left_out/0: the key "why"'),
            (lambda d: d.update(ptx={"forms": [{"ptx": form.ptx, "inputs": form.inputs_crc, "results": "0"}]}),
             f"expected {len(form.vectors)} words of 32 bits"),
            (lambda d: d.update(ptx={"forms": [{"ptx": "x", "inputs": "?", "results": "0"}]}), "a checksum"),
        ]
        for change, message in faults:
            data = self.published()
            change(data)
            self.assertIn(message, "\n".join(results.check(data)))
        done = self.check(data)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{self.folder}/file.json: /ptx/forms/0/inputs: expected a checksum", done.stdout)
        (self.folder / "file.json").write_text("{")
        self.assertEqual(run(sys.executable, SCRIPT, "--check", self.folder / "file.json").returncode, 2)

    def test_what_is_missing_is_named(self):
        done = run(sys.executable, SCRIPT, "--nvcc", "/nonexistent/nvcc")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no nvcc (/nonexistent/nvcc)", done.stderr)
        done = run(sys.executable, SCRIPT, "--nvcc", "/bin/true", "--dry-run", "--only", "chase")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no run 'chase'", done.stderr)


    def test_runs_are_left_out_when_the_minutes_are_over(self):
        script = types.ModuleType("measure_gpu_script")
        script.__file__ = str(SCRIPT)
        exec(compile(SCRIPT.read_text(), SCRIPT, "exec"), script.__dict__)

        class Slow:
            """A GPU and a compiler. Each run ends the minutes."""
            info = {"gpu": "slow", "compute": "8.0", "memory": "1000000000", "l2_bytes": "1"}
            sms, sm, target = 80, 80, 80

            def run(self, plan, cubin, clock, seconds):
                if seconds < 30:
                    raise script.LeftOut("the minutes were over")
                time_now[0] += 40
                return [("empty", 10.0)], None

            def version(self):
                return "13.0"

            def cubin(self, source, sm):
                self.path = source
                return self

            def result(self):
                return self.path

        time_now = [0.0]
        script.time = types.SimpleNamespace(monotonic=lambda: time_now[0])
        script.check_driver = lambda: None
        script.Gpu = lambda builder, folder: builder
        for name, value in (("figure_arrays", lambda w: []), ("figures", lambda w, a, l: {})):
            patch = unittest.mock.patch.object(plans.Workload, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        out = self.folder / "file.json"
        arguments = types.SimpleNamespace(only=["chase-l1", "chase-l2", "chase-shared"], out=out)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            script.measure_all(arguments, Slow(), self.folder, 60.0)
        data = json.loads(out.read_text())
        self.assertEqual(results.check(data), [])
        self.assertEqual([r["name"] for r in data["runs"]], ["chase-l1"])
        self.assertEqual(data["left_out"], [{"name": n, "why": "the minutes were over"}
                                            for n in ("chase-l2", "chase-shared")])


class Driver(Scratch):
    def environment(self):
        done = run(NVCC, "-std=c++17", "-O0", "-shared", "-Xcompiler", "-fPIC",
                   SOURCE / "tests/app/measure_gpu/driver.cpp", "-o", self.folder / "libcuda.so.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {**os.environ, "LD_LIBRARY_PATH": str(self.folder)}

    def test_a_run_writes_a_well_formed_file(self):
        environment = self.environment()
        out = self.folder / "measured" / "file.json"
        done = run(sys.executable, SCRIPT, "--nvcc", NVCC, "--out", out, "--jobs", "2",
                   "--only", "ptx,launches,chase-tlb,read-l1-v100", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = json.loads(out.read_text())
        self.assertEqual(results.check(data), [])
        self.assertEqual((data["gpu"], data["sms"], data["compute"]), ("GPU in small", 4, "8.0"))
        self.assertEqual([r["name"] for r in data["runs"]], ["launches"])
        launches = data["runs"][0]
        # 132 CTAs of a microsecond, at 1500 MHz.
        self.assertEqual(launches["sm_mhz"], 1500)
        self.assertEqual(launches["figures"], {"launch": 198000, "interval": 198000})
        self.assertEqual(launches["kernels"], [{"name": "empty", "ns": 132000}] * 64 +
                         [{"name": "stamp", "ns": 132000}] * 64)
        self.assertEqual(data["left_out"], [
            {"name": "chase-tlb", "why": "needs 12883615640 bytes of memory"},
            {"name": "read-l1-v100", "why": "for GPUs of 80 SMs"}])
        self.assertEqual(len(data["ptx"]["forms"]), len(vectors.forms(80)))
        self.assertEqual(set(data["ptx"]["forms"][0]["results"]), set("0 "))
        # The driver in small executes no PTX: the comparison finds it.
        done = run(sys.executable, SCRIPT, "--compare", out, "--tessera", TESSERA)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"add\.s32 %d, %a, %b; of 0{8} \w{8}: 0{8} on the GPU, \w{8} here")
        self.assertIn(f"{len(vectors.forms(80))} forms compared", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], PART], verbosity=1)
