#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs software on the virtual platform. Usage: vp_test.py TESSERA SOURCE_DIR; exit status 77 (skipped)
without the RISC-V compiler."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
COMPILER = "riscv64-unknown-elf-gcc"
OPENSBI = pathlib.Path("/usr/lib/riscv64-linux-gnu/opensbi/generic")
U_BOOT = pathlib.Path("/usr/lib/u-boot")
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


class VirtualPlatform(unittest.TestCase):
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
            ([program, "--platform", "memcpy-1-small"], "a platform whose driver copies"),
        ]:
            done = subprocess.run([TESSERA, "vp", *map(str, arguments)], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)

    @classmethod
    def firmware(cls, name):
        """A program of firmware/programs. All are built once."""
        build = cls.folder / "firmware"
        if not build.exists():
            subprocess.run(["make", "-s", "-C", SOURCE / "firmware", f"BUILD={build}"], check=True)
        return build / f"{name}.elf"

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

    def test_programs_without_gpus(self):
        for name, arguments, text in [
            ("hello", [], "hello from tessera: harts 1, GPUs no\n"),
            ("hello", ["--harts", "3"], "hello from tessera: harts 3, GPUs no\n"),
            ("hello", ["--platform", "nuba-small"], "hello from tessera: harts 1, GPUs yes\n"),
            ("formats", [], "formats: 0 wrong\n"),
        ]:
            code, errors, document = self.run_program(self.firmware(name), *arguments, "--quiet")
            self.assertEqual((code, document["uart"]), (0, text), errors)

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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
