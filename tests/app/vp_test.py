#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs software on the virtual platform. Usage: vp_test.py TESSERA SOURCE_DIR [CLASS ...]; exit status 77
(skipped) without the RISC-V compiler."""

import json
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
COMPILER = "riscv64-unknown-elf-gcc"
OPENSBI = pathlib.Path("/usr/lib/riscv64-linux-gnu/opensbi/generic")
U_BOOT = pathlib.Path("/usr/lib/u-boot")
GDB = "gdb-multiarch"
if shutil.which(COMPILER) is None:
    print(f"skipped: there is no {COMPILER} here")
    sys.exit(77)

FINISH = """
    li t6, 0x100000
    slli a0, a0, 16
    li t5, 0x3333
    or t5, t5, a0
    bnez a0, 1f
    li t5, 0x5555
1:  sw t5, 0(t6)
2:  j 2b
"""

PLATFORMS = ["uba-mem-small", "nuba-small", "dualopt-small", "umh-1-small", "umh-2-small"]

# What firmware/programs/errors.c prints.
ERRORS = """\
a launch before gpu_open(): NOT_OPEN
no such kernel: UNKNOWN_KERNEL
a name at no address: BAD_ADDRESS
too much memory: NO_MEMORY
a copy in the other direction: BAD_ARGUMENT
no such stream: BAD_ARGUMENT
a handle of no kernel: UNKNOWN_KERNEL
too many threads: REFUSED
the launch after it: 0 of 256 wrong
more launches than the ring holds: RING_FULL
a doorbell for more packets than the ring holds: QUEUE_OVERFLOW
interrupts and errors that nobody has acknowledged: none
errors: 0 unexpected""".splitlines()

# Hart 0 counts, waits for `go`, and ends with `answer`; other harts wait for an interrupt.
DEBUGGED = """
#include "tessera.h"
volatile uint64_t answer = 1, sum, go;
uint64_t __attribute__((noinline)) square(uint64_t x) { __asm__ volatile(""); return x * x; }
void hart_main(uint64_t hart) { (void)hart; for (;;) __asm__ volatile("wfi"); }
int main(void) {
  for (volatile int quanta = 0; quanta < 3000; ++quanta) {}  /* in which other harts begin */
  for (uint64_t i = 1; i <= 4; ++i) sum += square(i);
  put_text("running\\n");
  while (go == 0) {}
  put_text("answer ");
  put_number(answer);
  return (int)answer;
}
"""


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def assemble(self, text):
        """A program of machine mode; `finish` ends it with status a0."""
        source = self.folder / f"{self.id().rpartition('.')[2]}.S"
        program = source.with_suffix(".elf")
        source.write_text(f".globl _start\n_start:\n{text}\nfinish:{FINISH}\n")
        subprocess.run([COMPILER, "-march=rv64gc_zicsr", "-mabi=lp64d", "-mcmodel=medany", "-nostdlib",
                        "-static", "-Wl,-N,--no-warn-rwx-segments,-Ttext=0x80000000,--build-id=none",
                        str(source), "-o", str(program)], check=True)
        return program

    def run_program(self, *arguments):
        """Exit status, standard error and document of a run."""
        done = subprocess.run([TESSERA, "vp", *map(str, arguments), "--json"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
                              check=False)
        return done.returncode, done.stderr, json.loads(done.stdout)

    def expect(self, text, status=0, arguments=()):
        code, errors, document = self.run_program(self.assemble(text), *arguments)
        self.assertEqual(code, status, errors + json.dumps(document))
        return document, errors

    @classmethod
    def firmware(cls, name):
        """A program of firmware/programs. All are built once."""
        build = cls.folder / "firmware"
        if not build.exists():
            subprocess.run(["make", "-s", "-C", SOURCE / "firmware", f"BUILD={build}"], check=True)
        return build / f"{name}.elf"

    def compile(self, text, *sources):
        """A C program with the library of firmware/lib, and more sources."""
        source = self.folder / f"{self.id().rpartition('.')[2]}.c"
        program = source.with_suffix(".elf")
        source.write_text(text)
        lib = SOURCE / "firmware/lib"
        library = self.firmware("hello").parent / "libtessera.a"
        subprocess.run([COMPILER, "-march=rv64gc_zicsr", "-mabi=lp64d", "-mcmodel=medany", "-O1", "-g",
                        "-std=c11", "-ffreestanding", f"-I{lib}", source, *sources, library, "-nostdlib", "-static",
                        "-T", lib / "link.ld", "-Wl,--build-id=none", "-lgcc", "-o", program], check=True)
        return program


class VirtualPlatform(Programs):
    def test_the_exit_status_is_the_programs(self):
        self.expect("li a0, 0")
        document, _ = self.expect("li a0, 42", 42)
        self.assertEqual(document["end"], "finished")

    def test_a_hart_begins_with_its_number_and_the_device_tree(self):
        self.expect("""
            bnez a0, bad
            lwu t0, 0(a1)
            li t1, 0xedfe0dd0     # the magic number, of the other byte order
            bne t0, t1, bad
            j finish
        bad: li a0, 1""")

    def test_the_uart_is_standard_output(self):
        document, _ = self.expect("""
            li t0, 0x10000000
            la t1, text
        1:  lbu t2, 0(t1)
            beqz t2, 2f
            sb t2, 0(t0)
            addi t1, t1, 1
            j 1b
        2:  li a0, 0
            j finish
        text: .asciz "hello"
            .balign 4""")
        self.assertEqual(document["uart"], "hello")

    def test_an_exception_has_cause_pc_and_value(self):
        self.expect("""
            la t0, handler
            csrw mtvec, t0
            li t1, 0x5000000
            addi t2, zero, 1
        bad_load: ld t3, 8(t1)
            li a0, 1
            j finish
            .balign 4
        handler:
            csrr t0, mcause
            li t1, 5
            bne t0, t1, wrong
            csrr t0, mepc
            la t1, bad_load
            bne t0, t1, wrong
            csrr t0, mtval
            li t1, 0x5000008
            bne t0, t1, wrong
            li a0, 0
            j finish
        wrong: li a0, 2""")

    def test_calls_of_user_and_supervisor_mode(self):
        self.expect("""
            la t0, handler
            csrw mtvec, t0
            la t0, user
            csrw mepc, t0
            csrw mstatus, zero     # MPP = U
            mret
        user: ecall
            .balign 4
        handler:
            csrr t0, mcause
            li t1, 8
            bne t0, t1, wrong
            la t0, handler2
            csrw mtvec, t0
            la t0, supervisor
            csrw mepc, t0
            li t0, 1 << 11
            csrw mstatus, t0       # MPP = S
            mret
        supervisor: ecall
            .balign 4
        handler2:
            csrr t0, mcause
            li t1, 9
            bne t0, t1, wrong
            csrr t0, mstatus
            srli t0, t0, 11
            andi t0, t0, 3
            addi t0, t0, -1        # MPP = S
            mv a0, t0
            j finish
        wrong: li a0, 2""")

    def test_a_timer_interrupt_ends_wfi_at_its_time(self):
        document, _ = self.expect("""
            la t0, handler
            csrw mtvec, t0
            li t0, 0x2004000
            li t1, 1000            # 100 us
            sd t1, 0(t0)
            li t0, 0x80
            csrw mie, t0
            csrsi mstatus, 8
        1:  wfi
            j 1b
            .balign 4
        handler:
            csrr t0, mcause
            slli t0, t0, 1
            addi a0, t0, -14
            j finish""")
        self.assertLess(document["instructions"], 100)
        self.assertEqual(document["time_ns"] // 1000, 100)

    def test_a_character_interrupts_through_the_plic(self):
        script = self.folder / "script"
        script.write_text("ready\\n\tx")
        document, _ = self.expect("""
            la t0, handler
            csrw mtvec, t0
            li t0, 0xc000000
            li t1, 1
            sw t1, 40(t0)          # priority of source 10
            li t0, 0xc002000
            li t1, 1 << 10
            sw t1, 0(t0)           # context 0
            li s0, 0x10000000
            li t1, 1
            sb t1, 1(s0)           # IER: received data
            li t0, 0x800
            csrw mie, t0
            csrsi mstatus, 8
            la t1, text
        1:  lbu t2, 0(t1)
            beqz t2, 2f
            sb t2, 0(s0)
            addi t1, t1, 1
            j 1b
        2:  wfi
            j 2b
        text: .asciz "ready\\n"
            .balign 4
        handler:
            li t0, 0xc200004
            lw t1, 0(t0)           # claim
            li t2, 10
            bne t1, t2, wrong
            lbu a0, 0(s0)
            sw t1, 0(t0)           # complete
            j finish
        wrong: li a0, 1""", ord("x"), ["--uart", script])
        self.assertEqual(document["uart"], "ready\n")

    def test_accesses_of_4_and_of_8_bytes_to_one_register(self):
        self.expect("""
            li t0, 0x2004000       # mtimecmp
            li t1, 0x1234567890abcdef
            li t2, 7
            sd t1, 0(t0)
            lwu a1, 4(t0)
            sw t2, 0(t0)
            lwu a2, 0(t0)
            ld a3, 0(t0)
            sd t1, 0(t0)
            lwu a4, 0(t0)
            li a0, 1
            li t3, 0x12345678
            bne a1, t3, finish
            bne a2, t2, finish
            li t3, 0x1234567800000007
            bne a3, t3, finish
            li t3, 0x90abcdef
            bne a4, t3, finish
            li a0, 0""")

    def test_a_hart_wakes_another(self):
        self.expect("""
            bnez a0, second
            li t0, 0x2000004       # msip of hart 1
            li t1, 1
            sw t1, 0(t0)
            la t0, flag
        1:  lw t1, 0(t0)
            beqz t1, 1b
            addi a0, t1, -7
            j finish
        second:
            li t0, 8
            csrw mie, t0
            wfi
            la t0, flag
            li t1, 7
            sw t1, 0(t0)
        2:  wfi
            j 2b
            .balign 4096
        flag: .word 0
            .balign 4096""", 0, ["--harts", "2"])

    def test_virtual_addresses_and_page_faults(self):
        # 1 GB of virtual addresses at 0, at 0x80000000 and at the top are RAM.
        self.expect("""
            li a0, 9
            la t0, handler
            csrw mtvec, t0
            la t0, table
            li t1, 0x200000cf
            sd t1, 0(t0)
            sd t1, 16(t0)
            li t2, 4088
            add t2, t2, t0
            sd t1, 0(t2)
            srli t0, t0, 12
            li t1, 8 << 60         # Sv39
            or t0, t0, t1
            csrw satp, t0
            la t0, supervisor
            csrw mepc, t0
            li t0, 0x800
            csrw mstatus, t0
            mret
        supervisor:
            la t0, 1f
            li t1, 0xffffffff40000000
            add t0, t0, t1
            jr t0
        1:  li a0, 1
            auipc t0, 0            # the code's own virtual address
            bgez t0, bad
            li a0, 2
            li t0, 0x1000          # read-only as a physical address
            li t1, 0x123456789abcdef0
            sd t1, 0x700(t0)
            li t0, 0x80001000
            ld t2, 0x700(t0)
            bne t1, t2, bad
            li a0, 3
            li t0, 0x2000000       # a device as a physical address
            sw a0, 8(t0)
            li t0, 0x82000000
            lw t1, 8(t0)
            bne a0, t1, bad
            li a0, 4
            li t0, 0x40001000
            nop
        no_page: ld t1, 0x10(t0)
        bad: ecall
            .balign 4
        handler:
            la t0, second
            csrw mtvec, t0
            csrr t0, mcause
            li t1, 13
            bne t0, t1, finish
            csrr t0, mtval
            li t1, 0x40001010
            bne t0, t1, finish
            csrr t0, mepc
            la t1, no_page
            li t2, 0xffffffff40000000
            add t1, t1, t2
            bne t0, t1, finish
            li a0, 5
            li t0, 0x5000000       # nothing as a physical address
            lw t1, 4(t0)
        1:  j 1b
            .balign 4
        second:
            csrr t0, mcause
            li t1, 5
            bne t0, t1, finish
            csrr t0, mtval
            li t1, 0x5000004
            bne t0, t1, finish
            li a0, 0
            j finish
            .balign 4096
            .space 4096
        table: .space 4096
            .balign 4096""", 0, ["--limit-ms", "10"])

    def test_an_access_of_8_bytes_to_a_device_by_a_virtual_address_is_one(self):
        # The PLIC has registers of 4 bytes, and refuses others.
        self.expect("""
            li a0, 9
            la t0, handler
            csrw mtvec, t0
            la t0, table
            li t1, 0xcf            # devices, at 0xffffffff80000000
            li t2, 4080
            add t2, t2, t0
            sd t1, 0(t2)
            li t1, 0x200000cf
            sd t1, 16(t0)
            srli t0, t0, 12
            li t1, 8 << 60
            or t0, t0, t1
            csrw satp, t0
            la t0, supervisor
            csrw mepc, t0
            li t0, 0x800
            csrw mstatus, t0
            mret
        supervisor:
            li t0, 0xffffffff8c000000
            lw t1, 8(t0)
            ld t1, 8(t0)
        1:  j 1b
            .balign 4
        handler:
            csrr t0, mcause
            li t1, 5
            bne t0, t1, finish
            csrr t0, mtval
            li t1, 0xffffffff8c000008
            bne t0, t1, finish
            li a0, 0
            j finish
            .balign 4096
        table: .space 4096""", 0, ["--limit-ms", "10"])

    def test_an_exception_without_a_handler_names_place_and_cause(self):
        code, errors, document = self.run_program(self.assemble("""
            csrw mtvec, zero
            li t0, 0x5000000
        deep: sd t0, 16(t0)"""))
        self.assertEqual(code, 1)
        self.assertEqual(document["end"], "exception without a handler")
        self.assertIn("core 0: store access fault at 0x80000008 (deep), address 0x5000010", errors)

    def test_a_program_that_waits_for_ever_is_stuck(self):
        code, errors, document = self.run_program(self.assemble("""
            csrw mie, zero
        asleep: wfi
            j asleep"""))
        self.assertEqual(code, 1)
        self.assertEqual(document["end"], "all cores wait")
        self.assertIn("core 0 waits for an interrupt at", errors)
        self.assertIn("(asleep+0x4)", errors)

    def test_a_handler_that_faults_for_ever_ends_with_the_time_limit(self):
        code, errors, document = self.run_program(self.assemble("""
            li t0, 0x81000000      # zeros: an illegal instruction of 16 bits
            csrw mtvec, t0
            ecall"""), "--limit-ms", "1")
        self.assertEqual((code, document["end"], document["time_ns"]), (1, "time limit", 1000000), errors)

    def test_an_exception_after_a_refused_access_in_its_block_is_taken_too(self):
        self.expect("""
            la t0, handler
            csrw mtvec, t0
            li s0, 0
            li a1, 0x10000000
            .option push
            .option norvc
            lw a2, 0(a1)           # the UART has bytes only
            ecall
            .option pop
            mv a0, s0
            j finish
            .balign 4
        handler:
            csrr t1, mcause
            slli s0, s0, 4
            add s0, s0, t1
            csrr t2, mepc
            li t3, 11
            bne t1, t3, 1f
            addi t2, t2, 4
        1:  csrw mepc, t2
            mret""", 5 * 16 + 11)

    def test_an_atomic_to_nothing_is_a_store_access_fault(self):
        self.expect("""
            la t0, handler
            csrw mtvec, t0
            li a1, 0x5000000
            amoadd.w a2, a1, (a1)
            li a0, 1
            j finish
            .balign 4
        handler:
            csrr a0, mcause
            j finish""", 7)

    def test_images_that_overlap_and_empty_files_are_refused(self):
        program, other = self.assemble("nop"), self.folder / "image"
        other.write_bytes(b"\x13\0\0\0")
        empty = self.folder / "empty"
        empty.write_bytes(b"")
        for arguments, message in [([program, "--load", f"{other}@0x80000000"],
                                    "image: its 4 bytes at 0x80000000 overlap "),
                                   ([program, "--load", f"{empty}@0x80100000"], "it is empty"),
                                   ([program, "--load", f"{other}@0x8010000g"], "is no address"),
                                   ([program, "--ram", "0"], "--ram: expected pages of 4 KiB"),
                                   ([program, "--ram", "5000"], "--ram: expected pages of 4 KiB"),
                                   ([program, "--ram", "4G", "--platform", "nuba-small"],
                                    "up to 2 GiB with --platform"),
                                   ([program, "--link-bandwidth", "1B/s", "--platform", "nuba-small"],
                                    "--link-bandwidth: expected 1MB/s to 100TB/s")]:
            done = subprocess.run([TESSERA, "vp", *map(str, arguments)], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)

    def test_runs_are_equal(self):
        program = self.assemble("""
            li a0, 0
            li t0, 100000
        1:  addi t0, t0, -1
            rdtime t1
            add a0, a0, t1
            bnez t0, 1b
            andi a0, a0, 0x7f""")
        documents = [self.run_program(program)[2] for _ in range(2)]
        for d in documents:
            del d["host"]
        self.assertEqual(*documents)

    def test_bad_arguments_are_refused(self):
        program = self.assemble("nop\n.space 8192")
        for arguments, message in [
            (["/nowhere.elf"], "/nowhere.elf"),
            ([program, "--ram", "4K"], "RAM is 0x80000000 to 0x80001000"),
            ([program, "--load", f"{SOURCE}/README.md@0x10"], "bytes at 0x10"),
            ([program, "--kernels", "/nowhere.ptx"], "--kernels needs --platform"),
            ([program, "--values", "functional"], "--values needs --platform"),
            ([program, "--out", "r"], "--out needs --platform"),
            ([program, "--trace-core", "0"], "need --trace"),
            ([program, "--trace", "/nowhere/trace"], "/nowhere/trace: cannot be written"),
            ([program, "--trace", "/dev/null", "--trace-core", "1"], "there is no core 1 to trace"),
            ([program, "--trace", "/dev/null", "--trace-from", "nobody"], "symbol 'nobody'"),
            ([program, "--platform", "memcpy-1-small"], "a platform whose driver copies"),
        ]:
            done = subprocess.run([TESSERA, "vp", *map(str, arguments)], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)

    @unittest.skipUnless(OPENSBI.exists() and U_BOOT.exists(), "opensbi, u-boot-qemu")
    def test_debians_opensbi_and_u_boot_answer_a_command(self):
        script = self.folder / "boot"
        script.write_text("autoboot: \t \n=> \tversion\\r\n=> \tpoweroff\\r\n")
        code, errors, document = self.run_program(
            OPENSBI / "fw_jump.elf", "--load", U_BOOT / "qemu-riscv64_smode/u-boot.bin@0x80200000",
            "--uart", script, "--limit-ms", 2000)
        text = document["uart"]
        self.assertIn("OpenSBI v1.1", text)
        self.assertIn("Boot HART ID              : 0", text)
        self.assertIn("=> version", text)
        self.assertIn("U-Boot 2023.01", text[text.index("=> version"):])
        self.assertEqual((code, document["end"]), (0, "finished"), errors + text)

    @unittest.skipUnless(U_BOOT.exists(), "u-boot-qemu")
    def test_debians_u_boot_of_machine_mode_reaches_its_prompt(self):
        script = self.folder / "boot"
        script.write_text("autoboot: \t \n=> \techo alive\\r\n")
        _, _, document = self.run_program(U_BOOT / "qemu-riscv64/u-boot.bin", "--uart", script,
                                          "--limit-ms", 500)
        self.assertIn("\nalive", document["uart"])


class Firmware(Programs):
    """Programs of firmware/programs on the platforms' GPUs."""

    def run_firmware(self, name, platform, *kernels, arguments=()):
        """run_program() of a program with kernels of the suite, by their names."""
        options = ["--platform", platform, "--quiet", *arguments]
        for kernel in kernels:
            options += ["--kernels", SOURCE / f"stimuli/kernels/{kernel}/{kernel}.ptx"]
        return self.run_program(self.firmware(name), *options)

    def test_a_driver_launches_a_kernel_on_the_gpus(self):
        for platform in ["uba-mem-small", "nuba-small", "dualopt-nuba-small", "umh-2-small"]:
            with self.subTest(platform):
                runs = [self.run_firmware("vecadd", platform, "vecadd") for _ in range(2)]
                code, errors, document = runs[0]
                self.assertEqual((code, document["uart"]), (0, "vecadd: 0 of 4096 wrong\n"), errors)
                stats = document["stats"]
                self.assertTrue(stats["verified"])
                self.assertEqual([k["name"] for k in stats["kernels"]], ["vecadd"])
                self.assertEqual(stats["instructions"], 4096 // 32 * 22)
                self.assertEqual(stats["values"], "carried")
                for _, _, d in runs:
                    del d["host"], d["stats"]["host"]
                self.assertEqual(runs[0][2], runs[1][2])

    def verify_on_platforms(self, name, kernels, text, arguments=(), platforms=PLATFORMS):
        """The program ends well on each platform, and prints the text. Returns the documents."""
        documents = {}
        for platform in platforms:
            with self.subTest(platform):
                code, errors, document = self.run_firmware(name, platform, *kernels,
                                                           arguments=arguments)
                self.assertEqual(code, 0, errors + document["uart"])
                self.assertRegex(document["uart"], text)
                self.assertTrue(document["stats"]["verified"])
                documents[platform] = document
        self.assertEqual(set(documents), set(platforms))
        return documents

    def test_streams_are_ordered_by_events(self):
        documents = self.verify_on_platforms("vecadd_streams", ["vecadd", "bfs"],
                                             r"^vecadd_streams: 0 of 16384 wrong, \d+\.\d us\n$")
        for document in documents.values():
            kernels = document["stats"]["kernels"]
            self.assertEqual(len(kernels), 4 * 20 + 3 + 3)
            self.assertEqual({k["stream"] for k in kernels}, {f"queue {q}" for q in range(1, 5)})
            together = sum(a["start_cycle"] < b["start_cycle"] < a["start_cycle"] + a["cycles"]
                           for a in kernels for b in kernels if a["stream"] != b["stream"])
            self.assertGreater(together, 0)

    def test_more_streams_than_queues_share_queues(self):
        self.verify_on_platforms("vecadd_streams", ["vecadd", "bfs"], "^vecadd_streams: 0 of 16384 wrong",
                                 ["--set", "dispatch.queues=2"], ["nuba-small"])

    def test_a_matrix_product(self):
        self.verify_on_platforms("mm", ["mm"], "^mm: 0 of 24576 wrong\n$")

    def test_a_search_launches_levels_until_the_frontier_is_empty(self):
        documents = self.verify_on_platforms("bfs", ["bfs"], r"^bfs: 0 of 8192 wrong, \d+ levels\n$")
        for document in documents.values():
            self.assertIn(f", {len(document['stats']['kernels'])} levels", document["uart"])

    def test_a_histogram_with_atomics(self):
        self.verify_on_platforms("histogram", ["histogram"], "^histogram: 0 of 256 wrong\n$")

    def test_harts_share_the_runtime(self):
        for harts, quantum, platforms in [(2, 1000, PLATFORMS), (8, 1, ["nuba-small"])]:
            documents = self.verify_on_platforms("harts", ["vecadd", "saxpy"],
                                                 f"harts: {harts} harts, 0 wrong\n$",
                                                 ["--harts", harts, "--quantum", quantum], platforms)
            for document in documents.values():
                lines = sorted(document["uart"].splitlines())
                self.assertEqual(lines, sorted([f"hart {h}: 0 of 1024 wrong" for h in range(harts)] +
                                               [f"harts: {harts} harts, 0 wrong"]))
                names = [k["name"] for k in document["stats"]["kernels"]]
                self.assertEqual(sorted(names), ["saxpy"] * (20 * (harts // 2)) +
                                 ["vecadd"] * (20 * (harts // 2)))

    def test_kernels_of_two_streams_consume_what_the_other_has_produced(self):
        documents = self.verify_on_platforms("peers", ["transpose", "vecadd"],
                                             "^peers: 0 of 16384 wrong\n$")
        for document in documents.values():
            self.assertEqual([k["name"] for k in document["stats"]["kernels"]],
                             ["transpose", "vecadd"] * 4)
        # Each GPU consumes what others have produced.
        stats = documents["dualopt-small"]["stats"]
        self.assertGreater(stats["derived"]["inter_gpu_bytes"], 0)
        link = documents["umh-2-small"]["stats"]["modules"]["system.host_link"]
        self.assertGreater(link["peer_bytes"], 0)

    def test_mistakes_have_errors_and_do_not_hang(self):
        for platform in ["uba-mem-small", "umh-2-small"]:
            with self.subTest(platform):
                code, errors, document = self.run_firmware("errors", platform, "vecadd",
                                                           arguments=["--limit-ms", "100"])
                self.assertEqual((code, document["uart"].splitlines()), (0, ERRORS), errors)

    def test_a_kernel_that_fails_has_an_error_and_nothing_hangs(self):
        for platform in ["nuba-small", "umh-2-small"]:
            with self.subTest(platform):
                code, errors, document = self.run_firmware("fails", platform, "vecadd",
                                                           arguments=["--limit-ms", "100"])
                self.assertEqual(document["uart"],
                                 "the kernel: KERNEL_FAILED\nits event: KERNEL_FAILED\n"
                                 "the stream that waits for it: KERNEL_FAILED\n"
                                 "a launch after it: KERNEL_FAILED\n", errors)
                self.assertEqual((code, document["end"]), (3, "finished"))

    def test_an_error_ends_a_program_with_its_name(self):
        code, _, document = self.run_firmware("vecadd", "uba-mem-small")
        self.assertEqual(code, 1)
        self.assertIn('gpu_load(&kernel, "vecadd"): UNKNOWN_KERNEL (', document["uart"])
        code, _, document = self.run_program(self.firmware("vecadd"), "--quiet")
        self.assertEqual(code, 1)
        self.assertIn("gpu_open(): NO_DEVICE (", document["uart"])

    def test_accesses_to_device_memory_have_the_values_of_accesses_to_ram(self):
        """Random blocks of loads, stores and atomics of all widths, with base registers that change,
        misaligned ones too: on RAM and on device memory."""
        blocks = 200
        rng = random.Random(1)
        values, bases = ["a0", "a4", "a5", "t0"], ["a1", "a2", "a3"]
        widths = {"sb": 1, "sh": 2, "sw": 4, "sd": 8, "fsd": 8, "lbu": 1, "lh": 2, "lw": 4, "ld": 8, "fld": 8}
        atomics = ["amoadd.w", "amoswap.w", "amoxor.w", "amoadd.d", "amoswap.d", "amoor.d"]

        def instruction(misaligned):
            value, base, kind = rng.choice(values), rng.choice(bases), rng.random()
            if kind < 0.6:
                name = rng.choice(list(widths))
                unit = 1 if misaligned else widths[name]
                register = "fa0" if name[0] == "f" else value
                return f"{name} {register}, {rng.randrange(96 // unit) * unit}({base})"
            if kind < 0.8:
                return rng.choice([f"addi {base}, s1, {8 * rng.randrange(20)}",
                                   f"mv {base}, {rng.choice(bases)}",
                                   f"addi {value}, {value}, {rng.randrange(99)}"])
            return f"{rng.choice(atomics)} {value}, {rng.choice(values)}, ({base})"

        functions = ""
        for n in range(blocks):
            body = "\n".join(instruction(n % 4 == 3) for _ in range(rng.randrange(6, 16)))
            functions += f"""
                block{n}:
                addi sp, sp, -16
                sd s1, 0(sp)
                mv s1, a0
                mv a1, a0
                addi a2, a0, 64
                addi a3, a0, 32
                li a0, 0x1122334455667788
                li a4, 3
                li a5, -5
                li t0, 0x99
                fmv.d.x fa0, a0
                {body}
                xor a0, a0, a4
                xor a0, a0, a5
                xor a0, a0, t0
                ld s1, 0(sp)
                addi sp, sp, 16
                ret"""
        table = "\n".join(f".dword block{n}" for n in range(blocks))
        source = self.folder / "accesses.S"
        source.write_text(f".text\n{functions}\n.section .rodata\n.balign 8\n.globl blocks\nblocks:\n{table}\n")
        program = self.compile("""
            #include "tessera.h"
            extern uint64_t (*const blocks[])(uint64_t*);
            static uint64_t ram[64];
            int main(void) {
              device_pointer device;
              unsigned wrong = 0;
              GPU_CHECK(gpu_open());
              GPU_CHECK(gpu_malloc(&device, sizeof ram));
              uint64_t* const gpu = (uint64_t*)device;
              for (unsigned n = 0; n < BLOCKS; ++n) {
                for (unsigned i = 0; i < 64; ++i) gpu[i] = ram[i] = i * 0x0101010101010101 + n;
                bool same = blocks[n](ram) == blocks[n](gpu);
                for (unsigned i = 0; i < 64; ++i) same &= ram[i] == gpu[i];
                if (!same) printf("block %u\\n", n);
                wrong += !same;
              }
              printf("%u of %u wrong\\n", wrong, BLOCKS);
              return wrong != 0;
            }""".replace("BLOCKS", str(blocks)), source)
        code, errors, document = self.run_program(program, "--platform", "uba-mem-small", "--quiet")
        self.assertEqual((code, document["uart"]), (0, f"0 of {blocks} wrong\n"), errors)

    def test_software_places_the_pages_of_the_gpus(self):
        documents = self.verify_on_platforms("faults", ["vecadd"], "faults: 0 of 98304 wrong\n$",
                                             platforms=["nuba-small", "dualopt-small", "umh-2-small"])
        for platform, document in documents.items():
            stats = document["stats"]
            queue = stats["modules"]["gpu_faults"]
            found = re.findall(r"^(.*): (\d+) faults, (\d+) local; pages: (.*)$", document["uart"], re.M)
            self.assertEqual([f[0] for f in found],
                             ["first-touch", "round-robin", "local and balanced"])
            faults = [int(f[1]) for f in found]
            self.assertEqual((queue["faults"], queue["placed"], queue["errors"]),
                             (sum(faults), sum(faults), 0))
            pages = [sum(map(int, column)) for column in zip(*(f[3].split() for f in found))]
            self.assertEqual(sum(pages), sum(faults))
            if platform == "nuba-small":  # all pages of three arrays of 32 pages, three times
                self.assertEqual(faults, [96, 96, 96])
                self.assertEqual(found[0][2], found[0][1])
                self.assertEqual(found[1][3], "24 24 24 24")
                self.assertLess(int(found[1][2]), 96)
                placed = [stats["modules"]["system.gpu0.uvm"][f"pages_channel{c}"] for c in range(4)]
                self.assertEqual(placed, pages)

    def test_a_core_and_the_gpus_share_coherent_memory(self):
        documents = self.verify_on_platforms("producer", ["saxpy"], "^producer: 0 of 12288 wrong\n$")
        port = documents["umh-2-small"]["stats"]["modules"]["gpu_memory"]
        core = documents["umh-2-small"]["stats"]["modules"]["system.cpu0"]
        self.assertEqual((port["loads"], port["stores"]), (6 * 2048, 2 * 6 * 2048))
        self.assertEqual(core["stores"], port["stores"])

    def test_fast_until_the_software_asks_for_detail(self):
        for platform in ["uba-mem-small", "umh-2-small"]:
            with self.subTest(platform):
                code, errors, document = self.run_firmware("detail", platform, "vecadd",
                                                           arguments=["--fast"])
                self.assertEqual(code, 0, errors + document["uart"])
                before, after = re.search(r"instructions (\d+), then (\d+)$", document["uart"]).groups()
                self.assertEqual(int(before), 0)
                self.assertGreater(int(after), 0)
                self.assertEqual([k["name"] for k in document["stats"]["kernels"]], ["vecadd"])
                port = document["stats"]["modules"]["gpu_memory"]
                self.assertEqual(port["loads"], 2 * 4096)

    def test_statistics_do_not_depend_on_the_quantum(self):
        for platform in ["uba-mem-small", "umh-2-small"]:
            with self.subTest(platform):
                first = None
                for quantum in [1, 10, 1000, 10000]:
                    _, _, document = self.run_firmware("vecadd", platform, "vecadd",
                                                       arguments=["--quantum", str(quantum)])
                    del document["host"], document["stats"]["host"]
                    first = first or document
                    self.assertEqual(document, first)

    def check_timeline(self, document):
        """Each core is in one state at each time of the run, and nothing is after its end."""
        timeline = document["stats"]["timeline"]
        end = timeline["end_ns"]
        self.assertEqual(end, document["time_ns"])
        for core in timeline["cores"]:
            begin = 0
            states = {"executing_ns": 0, "accessing_ns": 0, "waiting_ns": 0, "stopped_ns": 0}
            for i in core["intervals"]:
                self.assertEqual(i["begin_ns"], begin)
                begin = i["end_ns"]
                self.assertEqual(sum(i.get(s, 0) for s in states), i["end_ns"] - i["begin_ns"])
                for state in states:
                    states[state] += i.get(state, 0)
            self.assertEqual(begin, end)
            self.assertEqual(states, {s: core[s] for s in states})
            self.assertEqual(sum(states.values()), end)
            self.assertLessEqual(len(core["intervals"]), 512)
        spans = [s for c in timeline["cores"] for kind in ("interrupts", "exceptions", "doorbells") for s in c[kind]]
        spans += [k for g in timeline["gpus"] for q in g["queues"] for k in q["kernels"]]
        spans += [f for g in timeline["gpus"] for f in g["page_faults"]] + timeline["detail"]
        for span in spans:
            self.assertLessEqual(0, span["begin_ns"])
            self.assertLessEqual(span["begin_ns"], span["end_ns"])
            self.assertLessEqual(span["end_ns"], end)
        return timeline

    def test_the_time_line_says_what_cores_and_gpus_did(self):
        for platform, gpus in [("nuba-small", 1), ("dualopt-small", 4), ("umh-2-small", 2)]:
            with self.subTest(platform):
                runs = [self.run_firmware("vecadd", platform, "vecadd", arguments=["--harts", "2"])
                        for _ in range(2)]
                timeline = self.check_timeline(runs[0][2])
                self.assertEqual(json.dumps(timeline), json.dumps(runs[1][2]["stats"]["timeline"]))
                first, second = timeline["cores"]
                modules = runs[0][2]["stats"]["modules"]
                self.assertEqual((first["name"], second["name"]), ("board.core0", "board.core1"))
                # The clock has 1 GHz, so that an instruction takes a ns. The last wait has not ended.
                for core in timeline["cores"]:
                    counted = modules[core["name"]]["waiting"]
                    last = core["intervals"][-1].get("waiting_ns", 0)
                    self.assertIn(core["waiting_ns"] - counted, (0, last))
                    self.assertAlmostEqual(core["executing_ns"], modules[core["name"]]["instructions"], delta=2)
                self.assertGreater(first["executing_ns"], second["executing_ns"])
                self.assertEqual(sum(sum(d["counts"].values()) for d in first["doorbells"]),
                                 modules["doorbell_rule"]["doorbells"])
                self.assertIn("external", {name for i in first["interrupts"] for name in i["counts"]})
                self.assertEqual(len(timeline["gpus"]), gpus)
                [kernel] = runs[0][2]["stats"]["kernels"]
                for gpu in timeline["gpus"]:
                    [queue] = gpu["queues"]
                    [span] = queue["kernels"]
                    self.assertEqual((queue["name"], span["launches"]), (kernel["stream"], {"vecadd": 1}))
                    self.assertEqual(span["busy_ns"], span["end_ns"] - span["begin_ns"])
                    self.assertGreater(span["busy_ns"], 0)
                    # The core waits meanwhile: it has rung the doorbell before, and goes on after.
                    self.assertGreater(span["begin_ns"], first["doorbells"][-1]["begin_ns"])
                    [after] = [i for i in first["intervals"] if i["end_ns"] > span["end_ns"] >= i["begin_ns"]]
                    self.assertEqual(list(after)[2:], ["waiting_ns"])
                self.assertEqual(timeline["detail"], [{"begin_ns": 0, "end_ns": timeline["end_ns"],
                                                       "detail_ns": timeline["end_ns"]}])

    def test_the_time_line_has_streams_faults_and_the_region_of_interest(self):
        _, _, document = self.run_firmware("vecadd_streams", "nuba-small", "vecadd", "bfs")
        queues = self.check_timeline(document)["gpus"][0]["queues"]
        self.assertEqual([q["name"] for q in queues], [f"queue {q}" for q in range(1, 5)])
        launches = sum(sum(k["launches"].values()) for q in queues for k in q["kernels"])
        self.assertEqual(launches, len(document["stats"]["kernels"]))
        _, _, document = self.run_firmware("faults", "nuba-small", "vecadd")
        [gpu] = self.check_timeline(document)["gpus"]
        waiting = sum(f["waiting_ns"] for f in gpu["page_faults"])
        self.assertGreater(waiting, 0)
        self.assertLess(waiting, sum(k["busy_ns"] for k in gpu["queues"][0]["kernels"]))
        _, _, document = self.run_firmware("detail", "uba-mem-small", "vecadd", arguments=["--fast"])
        timeline = self.check_timeline(document)
        [detail] = timeline["detail"]
        self.assertGreater(detail["begin_ns"], 0)
        [kernel] = timeline["gpus"][0]["queues"][0]["kernels"]
        self.assertLessEqual(detail["begin_ns"], kernel["begin_ns"])

    def test_a_long_run_has_a_time_line_of_bounded_size(self):
        program = self.compile("""
            #include "tessera.h"
            int main(void) {
              volatile uint64_t* const due = (volatile uint64_t*)CLINT_MTIMECMP(0);
              volatile uint64_t* const time = (volatile uint64_t*)CLINT_MTIME;
              __asm__ volatile("csrci mstatus, 8; csrw mie, %0" ::"r"(1UL << 7));
              for (unsigned i = 0; i < 3000; ++i) {
                *due = *time + 1 + i % 7;
                __asm__ volatile("wfi");
              }
              *due = CLINT_MTIMECMP_RESET;
              return 0;
            }""")
        code, errors, document = self.run_program(program, "--platform", "nuba-small", "--quiet")
        self.assertEqual(code, 0, errors)
        [core] = self.check_timeline(document)["cores"]
        self.assertGreater(core["resolution_ns"], 0)
        self.assertGreater(len(core["intervals"]), 128)
        self.assertLessEqual(len(core["interrupts"]), 512)
        counted = document["stats"]["modules"]["board.core0"]
        self.assertGreaterEqual(counted["waits"], 1000)
        timers = sum(i["counts"]["timer"] for i in core["interrupts"])
        self.assertEqual(timers, counted["waits"] - 1)  # after the program's end the library waits
        self.assertEqual(core["waiting_ns"], counted["waiting"])

    def test_mistakes_of_a_driver_are_seen(self):
        """The status, what the UART has, and what the command says. A status of None: it hangs."""
        for mistake, status, text, message in [
            ("NONE", 0, "right\n", ""),
            ("DOORBELL_BEFORE_PACKET", 2, "BAD_PACKET\n", ""),
            ("NO_FENCE", 1, "right\n",
             "rule doorbell-fence: the doorbell of queue 0 has been written without a fence"),
            ("WRONG_STRIDE", 2, "BAD_PACKET\n", ""),
            ("NOT_ACKNOWLEDGED", None, "", "time limit"),
            ("NOT_COMPLETED", None, "", "board.core0.wfi: 1 waiting for an interrupt"),
            ("NOT_ENABLED", None, "", "board.core0.wfi: 1 waiting for an interrupt"),
            ("STALE_SIGNAL", 4, " wrong\n", ""),
            ("EARLY_READ", 4, " wrong\n", ""),
            ("MISALIGNED_ARGUMENTS", 2, "BAD_PACKET\n", ""),
            ("SHARED_ARGUMENTS", 4, " wrong\n", ""),
            ("RING_OVERRUN", 2, "QUEUE_OVERFLOW\n", ""),
            ("MISSING_ARGUMENT", 4, "4096 of 4096 wrong\n", ""),
            ("WRONG_HANDLE", 2, "UNKNOWN_KERNEL\n", ""),
            ("WRONG_REGISTER", 3, "cause 7, address 20000068\n", ""),
            ("FAULTS_WITHOUT_HANDLER", None, "", "gpu_faults.faults: "),
            ("CONTROL_WHILE_BUSY", 3, "cause 7, address 20000010\n", ""),
        ]:
            with self.subTest(mistake):
                program = self.folder / f"{mistake}.elf"
                library = self.firmware("vecadd").parent / "libtessera.a"
                subprocess.run([COMPILER, "-O2", "-march=rv64gc_zicsr", "-mabi=lp64d", "-mcmodel=medany",
                                "-std=c11", "-ffreestanding", f"-DMISTAKE={mistake}", "-I",
                                SOURCE / "firmware/lib", SOURCE / "tests/app/firmware/mistakes.c",
                                library, "-nostdlib", "-static", "-T",
                                SOURCE / "firmware/lib/link.ld", "-lgcc", "-o", program], check=True)
                code, errors, document = self.run_program(
                    program, "--platform", "nuba-small", "--quiet", "--limit-ms", "20", "--quantum", "1", "--kernels",
                    SOURCE / "stimuli/kernels/vecadd/vecadd.ptx")
                said = errors + document["end"] + document["why"]
                self.assertEqual(code, 1 if status is None else status, said + document["uart"])
                self.assertTrue(document["uart"].endswith(text), document["uart"])
                self.assertIn(message, said)
                if status is None:
                    self.assertNotEqual(document["end"], "finished")

    def test_loads_of_device_memory_take_both_latencies_of_the_link(self):
        times = [self.run_firmware("vecadd", "nuba-small", "vecadd",
                                   arguments=["--link-latency-ns", str(ns)])[2]["time_ns"]
                 for ns in (450, 1450)]
        self.assertEqual(times[1] - times[0], 4096 // 2 * 2 * 1000)  # loads of 8 bytes

    def test_several_harts_do_not_depend_on_an_open_terminal(self):
        command = [TESSERA, "vp", self.firmware("harts"), "--harts", "3", "--platform", "nuba-small",
                   "--json", "--quiet"]
        for kernel in ["vecadd", "saxpy"]:
            command += ["--kernels", SOURCE / f"stimuli/kernels/{kernel}/{kernel}.ptx"]
        documents = []
        for end in [subprocess.DEVNULL, subprocess.PIPE]:  # a pipe that stays open until the end
            with subprocess.Popen(list(map(str, command)), stdin=end, stdout=subprocess.PIPE) as run:
                documents.append(json.loads(run.stdout.read()))
                if run.stdin:
                    run.stdin.close()
            del documents[-1]["host"], documents[-1]["stats"]["host"]
        self.assertEqual(*documents)

    def test_the_watchdog_waits_for_a_timer(self):
        program = self.compile("""
            #include "tessera.h"
            static volatile int rung;
            static void ring(void) { rung = 1; }
            int main(void) {
              interrupts_disable();
              const uint64_t begin = mtime();
              timer_set(begin + 50000, ring); /* 5 ms, more than the watchdog's time */
              while (!rung) interrupts_wait();
              return mtime() - begin == 50000 ? 0 : 1;
            }""")
        code, errors, _ = self.run_program(program, "--platform", "nuba-small", "--quiet")
        self.assertEqual(code, 0, errors)

    def test_detail_cannot_change_while_a_launch_is_queued(self):
        program = self.compile("""
            #include "tessera.h"
            int main(void) {
              gpu_kernel kernel;
              float *a, *b, *c;
              const uint32_t n = 256;
              GPU_CHECK(gpu_open());
              GPU_CHECK(gpu_load(&kernel, "vecadd"));
              GPU_CHECK(gpu_malloc_managed((void**)&a, n * sizeof *a));
              GPU_CHECK(gpu_malloc_managed((void**)&b, n * sizeof *b));
              GPU_CHECK(gpu_malloc_managed((void**)&c, n * sizeof *c));
              const gpu_argument arguments[] = {GPU_ARGUMENT(a), GPU_ARGUMENT(b), GPU_ARGUMENT(c),
                                                GPU_ARGUMENT(n)};
              GPU_CHECK(gpu_launch(&(gpu_launch_info){
                  .kernel = kernel, .block = {256}, .arguments = arguments, .count = 4}));
              const gpu_error early = gpu_set_detail(false);
              GPU_CHECK(gpu_stream_synchronize(0));
              const gpu_error late = gpu_set_detail(false);
              printf("%s, %u", gpu_error_name(early), (unsigned)late);
              return 0;
            }""")
        # The kernel is fetched a while after its doorbell.
        code, errors, document = self.run_program(
            program, "--platform", "nuba-small", "--quiet", "--set", "dispatch.fetch_cycles=5000",
            "--kernels", SOURCE / "stimuli/kernels/vecadd/vecadd.ptx")
        self.assertEqual((code, document["uart"]), (0, "BUSY, 0"), errors)
        self.assertEqual([k["name"] for k in document["stats"]["kernels"]], ["vecadd"])

    def test_programs_without_gpus(self):
        for name, arguments, text in [
            ("hello", [], "hello from tessera: harts 1, GPUs no\n"),
            ("hello", ["--harts", "3"], "hello from tessera: harts 3, GPUs no\n"),
            ("hello", ["--platform", "nuba-small"], "hello from tessera: harts 1, GPUs yes\n"),
            ("formats", [], "formats: 0 wrong\n"),
        ]:
            code, errors, document = self.run_program(self.firmware(name), *arguments, "--quiet")
            self.assertEqual((code, document["uart"]), (0, text), errors)


class Trace(Programs):
    LINE = re.compile(r"(\d+) (\d+) ([USM]) (0x[0-9a-f]+) ([0-9a-f]{4}|[0-9a-f]{8})"
                      r"(?: <([^>]+)>)?(?: (load|store|atomic) (\d+) (0x[0-9a-f]+)(?: (\S+))?)?")

    def trace(self, program, *arguments):
        """The lines without the header, and the document of the run."""
        file = self.folder / "trace"
        _, errors, document = self.run_program(program, "--trace", file, *arguments)
        self.assertTrue(file.exists(), errors)
        return [n for n in file.read_text().split("\n") if n and n[0] != "#"], document

    def test_each_instruction_has_a_line(self):
        program = self.assemble("""
            la t0, 1f
            csrw mtvec, t0
            li t0, 0x10000000
            li t1, 0x41
            sb t1, 0(t0)
            sd t1, -16(sp)         # sp is 0: no memory
            .balign 4
        1:  li a0, 3""")
        lines, document = self.trace(program)
        self.assertEqual((document["status"], document["uart"]), (3, "A"))
        matched = [self.LINE.fullmatch(n) for n in lines if " trap " not in n]
        self.assertNotIn(None, matched, lines)
        self.assertEqual(lines[0], "0 0 M 0x1000 00000297")  # the ROM
        self.assertEqual([int(m[1]) for m in matched[:5]], [0, 1, 2, 3, 4])
        entry = [m for m in matched if m[6] == "_start"]
        self.assertEqual(entry[0][4], "0x80000000")
        self.assertEqual([(m[7], m[8], m[9], m[10]) for m in matched if m[9] and m[10]],
                         [("store", "1", "0x10000000", "uart"), ("store", "4", "0x100000", "finisher")])
        trap = [n for n in lines if " trap " in n]
        self.assertEqual(len(trap), 1)
        self.assertRegex(trap[0], r"^\d+ 0 trap 0x7 0x800000[0-9a-f]+ 0xfffffffffffffff0$")
        times = [int(n.split()[0]) for n in lines]
        self.assertEqual(times, sorted(times))

    def test_a_trace_does_not_change_the_run(self):
        program = self.compile(DEBUGGED.replace("while (go == 0) {}", ""))
        plain = self.run_program(program, "--harts", "2")[2]
        lines, document = self.trace(program, "--harts", "2")
        for d in (plain, document):
            del d["host"]
        self.assertEqual(plain, document)
        # Counted are whole basic blocks, also those with WFI and the store that ends the run.
        self.assertLess(abs(len(lines) - plain["instructions"]), 20)
        self.assertEqual({n.split()[1] for n in lines}, {"0", "1"})

    def test_a_trace_of_one_core_from_a_function_on(self):
        program = self.compile(DEBUGGED.replace("while (go == 0) {}", ""))
        lines, _ = self.trace(program, "--harts", "2", "--trace-core", "0", "--trace-from", "square")
        self.assertEqual({n.split()[1] for n in lines}, {"0"})
        self.assertIn("<square>", lines[0])
        entries = [n for n in lines if n.endswith("<square>")]
        self.assertEqual(len(entries), 4)
        lines, _ = self.trace(program, "--harts", "2", "--trace-core", "1")
        self.assertEqual({n.split()[1] for n in lines}, {"1"})


@unittest.skipIf(shutil.which(GDB) is None, GDB)
class Debugger(Programs):
    def debug(self, program, commands, *arguments, interrupt_at=()):
        """A session of GDB. `interrupt_at`: texts of the UART at which the user types ^C. Returns what GDB
        prints, the exit status of the run, and what the UART and standard error have."""
        run = subprocess.Popen([TESSERA, "vp", str(program), "--gdb", "0", "--quiet", *map(str, arguments)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        try:
            port = re.fullmatch(r"gdb: listening on 127\.0\.0\.1:(\d+)\n", run.stderr.readline())[1]
            script = self.folder / "commands"
            script.write_text("\n".join(["set confirm off", "set pagination off", "set width 0",
                                         f"target remote 127.0.0.1:{port}", *commands]) + "\n")
            gdb = subprocess.Popen([GDB, "-nx", "-batch", "-x", str(script), str(program)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
            sent = ""
            for text in interrupt_at:
                while text not in sent:
                    character = run.stdout.read(1)
                    self.assertTrue(character, sent)
                    sent += character
                gdb.send_signal(signal.SIGINT)
            printed, _ = gdb.communicate(timeout=120)
            rest, errors = run.communicate(timeout=120)
        finally:
            run.kill()
            run.wait()
            run.stdout.close()
            run.stderr.close()
        return printed, run.returncode, sent + rest, errors

    def expect_in_order(self, texts, printed):
        at = 0
        for text in texts:
            found = printed.find(text, at)
            self.assertGreaterEqual(found, 0, f"{text} is not in\n{printed[at:]}\nof\n{printed}")
            at = found + len(text)

    def test_a_session_of_gdb(self):
        printed, status, sent, _ = self.debug(self.compile(DEBUGGED), [
            "print/x $pc",
            "monitor time",
            "break square",
            "continue",
            "print x",
            "print sum",
            "watch sum",
            "continue",
            "continue",
            "print x",
            "delete",
            "finish",
            "next",
            "stepi",
            "info threads",
            "thread 2",
            "print $mhartid",
            "thread 1",
            "monitor pc",
            "print $priv",
            "print/x $misa & 0x1105",
            "print $ft0.double = 1.5",
            "print $ft0.double",
            "x/2i main",
            "print answer = 7",
            "continue",
            "print go",
            "print go = 1",
            "continue",
        ], "--harts", "2", interrupt_at=["running\n"])
        self.expect_in_order([
            "= 0x1000", "board.core0: 0 ns",
            "Breakpoint 1, square (x=", "= 1", "= 0",
            "watchpoint 2: sum", "Old value = 0", "New value = 1",
            "Breakpoint 1, square (x=", "= 2",
            "Value returned is", "= 4",
            "(core 0, machine mode)", "(core 1, waits for an interrupt)",
            "= 1", "core 0 is at 0x8", "core 1 waits for an interrupt at 0x8",
            "= 3", "= 0x1105", "= 1.5", "= 1.5",
            "<main>",
            "= 7", "received signal SIGINT", "main ()", "= 0", "= 1",
            "exited with code 07"], printed)
        self.assertEqual((status, sent), (7, "running\nanswer 7"), printed)

    def test_a_session_does_not_change_the_run(self):
        program = self.compile(DEBUGGED.replace("while (go == 0) {}", ""))
        plain = self.run_program(program, "--harts", "2", "--quantum", "13")[2]
        printed, status, sent, _ = self.debug(
            program, ["break square if x == 3", "break put_char", "continue", "stepi", "continue", "stepi",
                      "watch sum", "continue", "delete", "continue"],
            "--harts", "2", "--quantum", "13", "--json")
        self.assertIn("exited with code 01", printed)
        document = json.loads(sent)
        self.assertEqual(status, 1)
        for d in (plain, document):
            del d["host"]
        self.assertEqual(plain, document)

    def test_an_exception_without_a_handler_is_a_signal(self):
        printed, status, _, errors = self.debug(self.assemble("""
            csrw mtvec, zero
            li t0, 0x5000000
        deep: sd t0, 16(t0)"""), ["continue", "info symbol $pc", "print/x $mtval", "continue"])
        self.expect_in_order(["received signal SIGSEGV", "deep in section .text", "= 0x5000010",
                              "exited with code 01"], printed)
        self.assertEqual(status, 1)
        self.assertIn("store access fault at 0x80000008 (deep)", errors)
        self.assertIn("the trap vector leads to 0x0", errors)
        printed, _, _, _ = self.debug(self.assemble("""
            csrw mtvec, zero
        bad: .word 0xffffffff"""), ["continue", "info symbol $pc", "print/x *(int*)&bad",
                                    "print *(char*)0x10000000"])
        self.expect_in_order(["received signal SIGILL", "bad in section .text", "= 0xffffffff",
                              "Cannot access memory at address 0x10000000"], printed)

    def test_a_break_while_all_cores_wait(self):
        printed, status, _, _ = self.debug(self.assemble("""
            li t0, 0x10000000
            li t1, 0x21
            li t2, 0x2004000
            li t3, 0x7fffffff
            sd t3, 0(t2)           # in 214 s
            li t2, 0x80
            csrw mie, t2
            sb t1, 0(t0)
        asleep: wfi
        awake: li a0, 5"""), ["continue", "info symbol $pc", "info threads", "stepi", "info symbol $pc",
                              "continue"], "--clock", "1MHz", interrupt_at=["!"])
        self.expect_in_order(["received signal SIGINT", "awake in section .text",
                              "core 0, waits for an interrupt", "awake", "exited with code 05"], printed)
        self.assertEqual(status, 5)

    def test_cores_that_wait_for_ever_stop_once(self):
        printed, status, _, _ = self.debug(self.assemble("""
            csrw mie, zero
        asleep: wfi
            j asleep"""), ["continue", "continue"])
        self.expect_in_order(["Nothing can raise an interrupt", "received signal SIGINT",
                              "exited with code 01"], printed)
        self.assertEqual(status, 1)

    def test_detach_and_kill(self):
        program = self.compile(DEBUGGED.replace("while (go == 0) {}", ""))
        printed, status, sent, _ = self.debug(program, ["break square", "continue", "print answer = 9",
                                                        "detach"])
        self.assertEqual((status, sent), (9, "running\nanswer 9"), printed)
        printed, status, sent, _ = self.debug(program, ["break square", "continue", "kill"], "--json")
        self.assertEqual((status, json.loads(sent)["end"]), (1, "killed by the debugger"), printed)

    def test_a_debugger_connects_again(self):
        run = subprocess.Popen([TESSERA, "vp", str(self.compile(DEBUGGED)), "--gdb", "0", "--quiet"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        port = re.search(r":(\d+)$", run.stderr.readline())[1]
        program = str(self.folder / "test_a_debugger_connects_again.elf")
        for commands in [["break main", "continue", "print go", "detach"], ["print go = 1", "detach"]]:
            arguments = [a for c in [f"target remote :{port}", *commands] for a in ("-ex", c)]
            done = subprocess.run([GDB, "-nx", "-batch", *arguments, program], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertIn("detached", done.stdout + done.stderr)
        sent, _ = run.communicate(timeout=60)
        self.assertEqual((run.returncode, sent), (1, "running\nanswer 1"))

    def test_cores_that_the_debugger_holds(self):
        text = DEBUGGED.replace('for (;;) __asm__ volatile("wfi");', "for (;;) ++sum;")
        printed, status, _, _ = self.debug(self.compile(text.replace("sum += square(i)", "square(i)")), [
            "break square", "continue", "delete", "set scheduler-locking on", "set $before = sum",
            "stepi 40", "print sum - $before", "thread 2", "stepi 40", "print sum > $before", "thread 1",
            "set scheduler-locking off", "set $before = sum", "stepi 40", "print sum > $before",
            "print go = 1", "print answer = 4", "continue"], "--harts", "2", "--quantum", "10")
        self.expect_in_order(["= 0", "= 1", "= 1", "exited with code 04"], printed)
        self.assertEqual(status, 4)

    def test_memory_of_the_gpus(self):
        printed, status, sent, _ = self.debug(
            self.firmware("vecadd"),
            ["break gpu_launch", "continue", "up", "x/2fw db", "print *(float*)(da + 20) = 6", "delete",
             "continue"],
            "--platform", "uba-mem-small", "--kernels", SOURCE / "stimuli/kernels/vecadd/vecadd.ptx")
        self.expect_in_order(["\t1\t3", "= 6", "exited with code 01"], printed)
        self.assertEqual((status, sent), (1, "vecadd: 1 of 4096 wrong\n"))

    def test_a_page_gets_another_home_in_the_fault_handler(self):
        printed, status, sent, _ = self.debug(
            self.firmware("faults"),
            ["break first_touch", "continue", "print fault->local",
             "print ((gpu_fault*)fault)->local = (fault->local + 1) % 4", "delete", "continue"],
            "--platform", "nuba-small", "--kernels", SOURCE / "stimuli/kernels/vecadd/vecadd.ptx")
        self.assertEqual(status, 0, printed)
        local, changed = map(int, re.search(r"\$1 = (\d)\n\$2 = (\d)\n", printed).groups())
        pages = [24, 24, 24, 24]
        pages[local] -= 1
        pages[changed] += 1
        self.assertIn("first-touch: 96 faults, 96 local; pages: " + " ".join(map(str, pages)), sent)

    def test_a_step_of_an_instruction_that_traps_ends_at_the_handler(self):
        printed, status, _, _ = self.debug(self.assemble("""
            la t0, handler
            csrw mtvec, t0
            li a1, 0x5000000
        store: sd a1, 0(a1)
            .balign 4
        handler: li a0, 6"""), ["break *store", "continue", "delete", "stepi", "info symbol $pc",
                                "continue"])
        self.expect_in_order(["handler in section .text", "exited with code 06"], printed)
        self.assertEqual(status, 6)

    def test_a_port_in_use_is_refused(self):
        program = self.assemble("li a0, 0")
        with socket.create_server(("127.0.0.1", 0)) as other:
            done = subprocess.run([TESSERA, "vp", str(program), "--gdb", str(other.getsockname()[1])],
                                  capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no debugger can connect to port", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
