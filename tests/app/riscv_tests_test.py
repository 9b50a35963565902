#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/riscv-tests with checkouts in small. Usage: riscv_tests_test.py TESSERA SOURCE_DIR; exit
status 77 (skipped) without the RISC-V compiler."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
if shutil.which("riscv64-unknown-elf-gcc") is None:
    print("skipped: there is no riscv64-unknown-elf-gcc here")
    sys.exit(77)

SUITES = ["rv64ui", "rv64um", "rv64ua", "rv64uf", "rv64ud", "rv64uc", "rv64si", "rv64mi"]
LINK = "SECTIONS { . = 0x80000000; .text : { *(.text) } . = ALIGN(4096); .tohost : { *(.tohost) } }\n"
# Sends a character and ends with VERDICT, which is 1 or 2 * TEST + 1.
ISA_TEST = """
    .globl _start
_start:
    la t0, tohost
    li t1, 0x0101000000000000 + 'x'
    sd t1, 0(t0)
1:  ld t1, 0(t0)
    bnez t1, 1b
    li t1, VERDICT
    sd t1, 0(t0)
2:  j 2b
    .section .tohost, "aw"
    .globl tohost
tohost: .dword 0
"""
ARCH_TEST = """#include "model_test.h"
RVTEST_ISA("RV64I")
RVTEST_CASE(0,"//check ISA:=regex(.*64.*I.*);def VALUE=5;",x)
RVTEST_CASE(1,"//check ISA:=regex(^[^C]+$);def VALUE=6;",x)
    .section .text.init
    .globl rvtest_entry_point
rvtest_entry_point:
    RVMODEL_BOOT
    la t0, result
    li t1, VALUE
    sw t1, 0(t0)
    RVMODEL_HALT
    .data
    RVMODEL_DATA_BEGIN
result: .word 0, 0xabcdef01
    RVMODEL_DATA_END
"""


class RiscvTests(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        folder = pathlib.Path(self.scratch.name)
        self.isa, self.arch = folder / "isa-tests", folder / "arch-tests"
        self.write(self.isa / "env/p/riscv_test.h", "")
        self.write(self.isa / "env/p/link.ld", LINK)
        for suite in SUITES:
            self.write(self.isa / "isa" / suite / "Makefrag", "")
        self.write(self.arch / "riscv-test-suite/env/arch_test.h", "")

    @staticmethod
    def write(file, text):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def isa_tests(self, verdicts):
        names = " ".join(f"rv64ui-p-{name}" for name in verdicts)
        self.write(self.isa / "isa/rv64ui/Makefrag", f"rv64ui_p_tests = {names}\n")
        for name, verdict in verdicts.items():
            self.write(self.isa / f"isa/rv64ui/{name}.S", ISA_TEST.replace("VERDICT", verdict))

    def arch_test(self, name, reference):
        folder = self.arch / "riscv-test-suite/rv64i_m/I"
        self.write(folder / f"src/{name}.S", "#define RVTEST_ISA(x)\n#define RVTEST_CASE(...)\n" +
                   ARCH_TEST)
        if reference is not None:
            self.write(folder / f"references/{name}.reference_output", reference)

    def run_script(self, *arguments):
        done = subprocess.run([SOURCE / "scripts/riscv-tests", *map(str, arguments), "--tessera",
                               TESSERA], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_a_test_says_itself_whether_it_has_passed(self):
        self.isa_tests({"good": "1", "bad": "2 * 7 + 1", "other": "2"})
        status, text, errors = self.run_script(self.isa)
        self.assertEqual(status, 1, errors)
        self.assertIn("| rv64ui-p | 1 | 2 | 0 |", text)
        self.assertIn("failed: rv64ui-p-bad: status 7: x", text)
        self.assertIn("failed: rv64ui-p-other: an unknown request to the host: x", text)
        status, text, errors = self.run_script(self.isa, "--only", "good")
        self.assertEqual(status, 0, text + errors)

    def test_a_signature_is_compared(self):
        self.arch_test("good", "00000005\nABCDEF01\n00000000\n00000000\n")
        self.arch_test("bad", "00000006\nabcdef01\n00000000\n00000000\n")
        self.arch_test("short", "00000005\n")
        self.arch_test("alone", None)
        status, text, errors = self.run_script(self.isa, self.arch)
        self.assertEqual(status, 1, errors)
        self.assertIn("| arch I | 1 | 2 | 1 |", text)
        self.assertIn("failed: rv64i_m/I/bad: 1 of 4 words differ from the reference, first 0: "
                      "00000005 in place of 00000006", text)
        self.assertIn("failed: rv64i_m/I/short: signature of 4 words, the reference: 1", text)
        self.assertIn("not run: rv64i_m/I/alone: no reference signature", text)

    def test_what_does_not_build_or_end_has_failed(self):
        self.isa_tests({"syntax": "no such thing(", "endless": "0"})
        status, text, _ = self.run_script(self.isa, "--limit-ms", "1")
        self.assertEqual(status, 1)
        self.assertIn("| rv64ui-p | 0 | 2 | 0 |", text)
        self.assertIn("failed: rv64ui-p-syntax: not built: ", text)
        self.assertIn("failed: rv64ui-p-endless: time limit: ", text)

    def test_wrong_arguments(self):
        for arguments, message in [([self.arch], "git submodule update"),
                                   ([self.isa, self.isa], "no arch_test.h"),
                                   ([self.isa, "--only", "none"], "no test has such a name")]:
            status, _, errors = self.run_script(*arguments)
            self.assertEqual(status, 2, errors)
            self.assertIn(message, errors)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
