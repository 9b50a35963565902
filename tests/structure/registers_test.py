#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files that scripts/generate-registers writes are those of modules/vp/registers.json, and the script notices
when they are not. Usage: registers_test.py SOURCE_DIR"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop())
SCRIPT = SOURCE / "scripts/generate-registers"
TABLE = "modules/vp/registers.json"


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Registers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.table = json.loads((SOURCE / TABLE).read_text())
        pages = {self.table["map"]} | {b["docs"] for b in self.table["blocks"] if "docs" in b}
        headers = {self.table["c"], self.table["board"]["header"]}
        headers |= {b["cpp"]["header"] for b in self.table["blocks"] if "cpp" in b}
        self.outputs = sorted(pages | headers)
        for name in [TABLE, *self.outputs]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.root / name)

    def block(self, name):
        return next(b for b in self.table["blocks"] if b["name"] == name)

    def generate(self, *arguments):
        (self.root / TABLE).write_text(json.dumps(self.table))
        return run("--root", self.root, *arguments)

    def test_the_files_are_those_of_the_table(self):
        status, text = run("--root", SOURCE, "--check")
        self.assertEqual((status, text), (0, ""))

    def test_a_change_of_any_file_is_noticed(self):
        for name in self.outputs:
            original = (self.root / name).read_text()
            changed = original.replace("0x18", "0x19") if "0x18" in original else original.replace("0x1", "0x2")
            self.assertNotEqual(changed, original, name)
            (self.root / name).write_text(changed)
            status, text = self.generate("--check")
            self.assertEqual(status, 1, name)
            self.assertIn(f"{name}: differs from {TABLE}", text)
            self.assertEqual((self.root / name).read_text(), changed, "--check writes nothing")
            self.assertEqual(self.generate()[0], 0)
            self.assertEqual((self.root / name).read_text(), original)

    def test_a_register_reaches_all_files_of_its_block(self):
        registers = self.block("gpu-services")["registers"]
        end = max(int(r["offset"], 0) + r["bytes"] for r in registers)
        registers.append(
            {"name": "ROI", "offset": hex(end), "bytes": 8, "access": "RW", "description": "region of interest",
             "fields": [{"name": "RUNS", "bits": "0", "description": "statistics are counted"},
                        {"name": "NUMBER", "bits": "15:8", "description": "of the region"}]})
        self.assertEqual(self.generate()[0], 0)
        header = (self.root / "firmware/lib/gpu_registers.h").read_text()
        for line in ["#define GPU_SERVICES_ROI (GPU_SERVICES_BASE + GPU_SERVICES_ROI_OFFSET)",
                     f"#define GPU_SERVICES_ROI_OFFSET {end:#x}UL", "#define GPU_SERVICES_ROI_RUNS 0x1UL",
                     "#define GPU_SERVICES_ROI_NUMBER 0xff00UL", "#define GPU_SERVICES_ROI_NUMBER_SHIFT 8"]:
            self.assertIn(line + "\n", header)
        code = (self.root / "modules/vp/gpu_services_registers.h").read_text()
        self.assertIn(f"  kRoi = {end:#x},\n", code)
        self.assertIn(f"inline constexpr std::uint64_t kGpuServicesRegisterBytes = {end + 8:#x};", code)
        self.assertIn("namespace gpu_services_roi {", code)
        page = (self.root / "docs/guide/virtual-platform.md").read_text()
        self.assertIn(f"| {end:#x} | ROI | 8 | RW | 0 | region of interest: bit 0 RUNS: statistics are counted; "
                      "bits 15 to 8 NUMBER: of the region |", page)

    def test_a_new_block_needs_its_place_on_its_page(self):
        self.table["blocks"].append(
            {"name": "example", "base": "0x30000000", "bytes": "0x1000", "interrupt": 50,
             "description": "page faults", "docs": "docs/guide/virtual-platform.md",
             "cpp": {"header": "modules/vp/example_registers.h", "name": "Example"},
             "registers": [{"name": "HEAD", "offset": 0, "bytes": 8, "access": "RO", "description": "head"}]})
        status, text = self.generate()
        self.assertEqual(status, 1)
        self.assertIn("needs one line <!-- registers: example begin -->", text)
        page = self.root / "docs/guide/virtual-platform.md"
        page.write_text(page.read_text() +
                        "\n<!-- registers: example begin -->\n<!-- registers: example end -->\n")
        self.assertEqual(self.generate()[0], 0)
        self.assertIn("#define EXAMPLE_SOURCE 50 ", (self.root / "firmware/lib/gpu_registers.h").read_text())
        self.assertIn("kExampleInterrupt = 50;", (self.root / "modules/vp/board_registers.h").read_text())
        self.assertIn("enum class ExampleRegister", (self.root / "modules/vp/example_registers.h").read_text())
        self.assertIn("| 0x30000000 | 0x1000 | page faults | 50 |", page.read_text())

    def test_mistakes_are_refused(self):
        def register(**changes):
            return lambda: self.block("gpu-services")["registers"][1].update(changes)

        for change, message in [
            (register(offset="0x0"), "ID and ARG0 overlap"),
            (register(offset="0xc"), "8 bytes at 0xc"),
            (register(access="R"), "access 'R'"),
            (register(acess="RO"), 'unknown key "acess"'),
            (register(fields=[{"name": "A", "bits": "64", "description": ""}]), "bits '64'"),
            (register(fields=[{"name": "A", "bits": "3:0", "description": ""},
                              {"name": "B", "bits": "3", "description": ""}]), "overlap another field"),
            (register(name="ID"), "'ID' is there twice"),
            (register(offset="0x1g"), "'0x1g' is no number"),
            (lambda: self.block("clint").update(base="0xc000800"), "the ranges of clint and plic overlap"),
            (lambda: self.block("clint").update(prefix="PLIC"), "one prefix"),
            (lambda: self.block("clint").update(interrupt=10), "clint and uart have one interrupt"),
            (lambda: self.block("command-processor")["structures"][0]["fields"].pop(), "the fields have 56 bytes"),
        ]:
            self.table = json.loads((SOURCE / TABLE).read_text())
            change()
            status, text = self.generate()
            self.assertEqual(status, 1, message)
            self.assertIn(message, text)


if __name__ == "__main__":
    unittest.main()
