#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inspects and steers a virtual platform by its session. Usage: vp_session_test.py TESSERA SOURCE_DIR;
exit status 77 (skipped) without the RISC-V compiler."""

import contextlib
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import vp_test
from vp_test import SOURCE, TESSERA

ENDLESS = "1: j 1b"
# Sends "ready", and ends with the character that it then receives. The core waits in WFI.
ECHO = """
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
    beqz t2, asleep
    sb t2, 0(s0)
    addi t1, t1, 1
    j 1b
asleep: wfi
    j asleep
text: .asciz "ready\\n"
    .balign 4
handler:
    li t0, 0xc200004
    lw t1, 0(t0)           # claim
    lbu a0, 0(s0)
    sw t1, 0(t0)           # complete
    j finish"""


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(f"{status}: {error}")
        self.status, self.error = status, error


class Run:
    """A run with a session."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            [TESSERA, "vp", *map(str, arguments), "--session", "0", "--json", "--quiet"],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first = self.process.stderr.readline()
        assert self.first.startswith("session: http://127.0.0.1:"), self.first + self.process.stderr.read()
        self.url = self.first.split()[1]
        self.port = int(self.url.rsplit(":", 1)[1].rstrip("/"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def request(self, request):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as e:
            raise Refused(e.code, json.loads(e.read())["error"]) from None

    def get(self, path, /, **query):
        return self.request(self.url + path + ("?" + urllib.parse.urlencode(query) if query else ""))

    def post(self, path, body=None, content_type="application/json"):
        data = b"" if body is None else json.dumps(body).encode()
        return self.request(urllib.request.Request(self.url + path, data, {"Content-Type": content_type}))

    def wait_for(self, state):
        """The first answer with a state."""
        for _ in range(600):
            s = self.get("state")
            if s["state"] == state:
                return s
            time.sleep(0.05)
        raise AssertionError(f"the run is not {state}: {s}")

    def end(self):
        """Exit status, document and standard error of a run that ends."""
        out, errors = self.process.communicate(timeout=120)
        return self.process.returncode, json.loads(out), errors

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def statistics(self, path):
        return {s["path"]: s["value"] for s in self.get("statistics", path=path)["statistics"]}


class Session(unittest.TestCase):
    assemble = vp_test.VirtualPlatform.assemble

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def refused(self, status, text, call, /, *arguments, **named):
        with self.assertRaises(Refused) as caught:
            call(*arguments, **named)
        self.assertEqual(caught.exception.status, status, caught.exception)
        self.assertIn(text, caught.exception.error)

    def vecadd(self):
        subprocess.run(["make", "-s", "-C", SOURCE / "firmware", f"BUILD={self.folder}/firmware"], check=True)
        return [self.folder / "firmware/vecadd.elf", "--platform", "uba-mem-small", "--kernels",
                SOURCE / "stimuli/kernels/vecadd/vecadd.ptx"]

    def test_a_run_that_begins_paused_has_executed_nothing(self):
        with Run(self.assemble(ENDLESS), "--harts", 2, "--paused") as run:
            s = run.get("state")
            self.assertEqual((s["state"], s["time_fs"], s["instructions"]), ("paused", 0, 0))
            self.assertEqual([(c["name"], c["pc"], c["idle"]) for c in s["cores"]],
                             [("board.core0", "0x1000", False), ("board.core1", "0x1000", False)])
            self.assertIsNone(s["end"])

    def test_a_step_takes_exactly_its_time(self):
        for program, name in ((ENDLESS, "executes"), ("csrw mie, zero\n1: wfi\nj 1b", "waits")):
            with self.subTest(name), Run(self.assemble(program), "--paused", "--clock", "700MHz") as run:
                expected = 0
                for ns in (1, 7, 1000, 999_999, 1_000_000, 12_345):
                    s = run.post(f"step?ns={ns}")
                    expected += ns
                    self.assertEqual((s["time_ns"], s["time_fs"]), (expected, expected * 10**6))
                    self.assertEqual((s["state"], s["why"]), ("paused", "the end of a step"))
                self.assertEqual(run.post("step", {"ns": "2us"})["time_ns"], expected + 2000)
                self.refused(400, "expected a number from 1", run.post, "step?ns=0")
                self.refused(400, "expected a number from 1", run.post, "step")

    def test_a_step_executes_the_instructions_of_its_time(self):
        with Run(self.assemble(ENDLESS), "--paused", "--quantum", 100) as run:
            before = run.get("state")["instructions"]
            after = run.post("step?ns=1000000")["instructions"]
            self.assertLess(abs(after - before - 10**6), 200)

    def test_an_ended_run_stays_for_clients_and_keeps_its_status(self):
        with Run(self.assemble("li a0, 42"), "--paused") as run:
            run.post("continue")
            s = run.wait_for("ended")
            self.assertEqual((s["end"]["reason"], s["end"]["status"]), ("finished", 42))
            self.assertGreater(run.statistics("board.core0")["board.core0.instructions"], 0)
            for path in ("pause", "continue", "step?ns=1"):
                self.refused(409, "the run has ended", run.post, path)
            self.refused(409, "the run has ended", run.post, "uart", {"text": "x"})
            run.post("quit")
            code, document, errors = run.end()
            self.assertEqual((code, document["end"], document["status"]), (42, "finished", 42))
            self.assertIn("session: the run has ended (finished, status 42)", errors)

    def test_a_client_ends_a_run_whose_measurements_are_kept(self):
        with Run(self.assemble(ENDLESS)) as run:
            while run.get("state")["time_ns"] < 1000:
                pass
            run.post("quit")
            code, document, errors = run.end()
            self.assertEqual((code, document["end"]), (1, "interrupted"))
            self.assertGreaterEqual(document["instructions"], 1000)
            self.assertIn("core 0 is at 0x80000000 (_start)", errors)

    def test_an_interrupt_ends_a_paused_run_and_an_ended_one(self):
        for program, state, end in ((ENDLESS, "paused", (1, "interrupted")), ("li a0, 3", "ended", (3, "finished"))):
            with self.subTest(state), Run(self.assemble(program), "--paused") as run:
                run.post("step?ns=1000000")
                run.wait_for(state)
                run.process.send_signal(signal.SIGINT)
                code, document, _ = run.end()
                self.assertEqual((code, document["end"]), end)

    def test_a_paused_run_stands_still_without_host_time(self):
        with Run(self.assemble(ENDLESS)) as run:
            while run.get("state")["time_ns"] == 0:
                pass
            paused = run.post("pause")
            self.assertEqual(paused["state"], "paused")
            before = run.cpu_seconds()
            time.sleep(1)
            self.assertLess(run.cpu_seconds() - before, 0.1)
            self.assertEqual(run.get("state"), paused)
            self.assertEqual(run.post("continue")["state"], "running")
            while run.get("state")["time_fs"] == paused["time_fs"]:
                pass

    def test_requests_are_answered_while_the_run_goes_on(self):
        with Run(self.assemble(ENDLESS), "--harts", 8) as run:
            longest = 0
            for _ in range(50):
                begin = time.monotonic()
                self.assertEqual(run.get("state")["state"], "running")
                longest = max(longest, time.monotonic() - begin)
            print(f"longest answer of a running machine: {longest * 1e3:.1f} ms")
            self.assertLess(longest, 1)  # 50 ms on a machine that does nothing else

    def test_two_clients_at_once(self):
        with Run(self.assemble(ENDLESS), "--paused") as run:
            answers = []
            step = threading.Thread(target=lambda: answers.append(run.post("step?ns=1000000000000")))
            step.start()
            s = run.wait_for("running")
            self.refused(409, "the run is not paused", run.post, "step?ns=1")
            while run.get("state")["time_fs"] == s["time_fs"]:
                pass
            self.assertEqual(answers, [])
            paused = run.post("pause")
            step.join(10)
            self.assertEqual(answers, [paused])
            self.assertEqual(paused["why"], "a request")
            # The step is over: another one is not cut short by its end.
            self.assertEqual(run.post("step?ns=500")["time_fs"], paused["time_fs"] + 500 * 10**6)

    def test_statistics_have_values_units_and_descriptions(self):
        with Run(self.assemble(ENDLESS), "--paused") as run:
            s = run.post("step?ns=5000")
            all_of_it = run.get("statistics")["statistics"]
            paths = [one["path"] for one in all_of_it]
            for path in ("board.core0.waiting", "board.bus.transactions", "board.clint.timer_interrupts",
                         "board.plic.claims", "board.uart.sent", "board.ram.accesses"):
                self.assertIn(path, paths)
            [one] = run.get("statistics", path="board.core0.instructions")["statistics"]
            self.assertEqual(one, {"path": "board.core0.instructions", "value": s["instructions"],
                                   "unit": "instruction", "kind": "counter",
                                   "description": "instructions executed"})
            self.assertEqual(set(run.statistics("board.uart")), {"board.uart.sent", "board.uart.received"})
            self.assertEqual(set(run.statistics("*.sent")), {"board.uart.sent"})
            self.assertEqual(run.statistics("nothing*"), {})
            self.refused(404, "did you mean 'board.core0.instructions'?", run.get, "statistics",
                         path="board.core0.instruction")

    def test_a_cores_parameters_change_while_it_runs(self):
        with Run(self.assemble(ENDLESS), "--paused", "--quantum", 10) as run:
            def rate():
                before = run.get("state")["instructions"]
                return (run.post("step?ns=1000000")["instructions"] - before) / 10**6

            self.assertAlmostEqual(rate(), 1, 2)
            self.assertEqual(run.post("parameters", {"board.core0.clock_hz": "500MHz"}),
                             {"board.core0.clock_hz": 500_000_000})
            self.assertAlmostEqual(rate(), 0.5, 2)
            run.post("parameters", {"board.core0.cycles_per_instruction": 5, "board.core0.clock_hz": 2 * 10**9})
            self.assertAlmostEqual(rate(), 0.4, 2)
            run.post("parameters", {"board.core0.quantum": 250_000})
            before = run.get("state")["instructions"]
            self.assertGreaterEqual(run.post("step?ns=100")["instructions"] - before, 250_000)
            shown = {p["path"]: p for p in run.get("parameters", path="board.core0")["parameters"]}
            self.assertEqual({k: p["value"] for k, p in shown.items()},
                             {"board.core0.clock_hz": 2 * 10**9, "board.core0.cycles_per_instruction": 5,
                              "board.core0.quantum": 250_000})
            self.assertTrue(all(p["settable"] for p in shown.values()))

    def test_parameters_that_cannot_be_set_are_refused_and_nothing_is_changed(self):
        with Run(self.assemble(ENDLESS), "--paused") as run:
            before = run.get("parameters")
            for settings, status, text in (
                    ({"board.core0.quantums": 1}, 404, "did you mean 'board.core0.quantum'?"),
                    ({"board.ram_bytes": 1}, 409, "it is fixed at elaboration, where the memory map is made"),
                    ({"board.core0.quantum": 0}, 400, "board.core0.quantum is 0: 1 to 1000000 expected"),
                    ({"board.core0.quantum": 2**40}, 400, "board.core0.quantum: 1099511627776 is too large"),
                    ({"board.core0.quantum": "many"}, 400, "is no whole number of instruction"),
                    ({"board.core0.clock_hz": -1}, 400, "is no whole number of Hz"),
                    ({"board.uart.script": True}, 409, "a script begins with the run"),
                    ({"board.core0.quantum": 5, "board.harts": 4}, 409, "board.harts cannot change"),
                    ({}, 400, "expected an object"), ([], 400, "expected an object")):
                with self.subTest(settings):
                    self.refused(status, text, run.post, "parameters", settings)
                    self.assertEqual(run.get("parameters"), before)
            self.refused(404, "unknown parameter 'board.core9'", run.get, "parameters", path="board.core9")

    def test_the_uarts_script_can_be_ended(self):
        script = self.folder / "script"
        script.write_text("ready\tx")
        with Run(self.assemble(ECHO), "--paused", "--uart", script) as run:
            self.assertEqual(run.get("parameters", path="board.uart.script")["parameters"][0]["value"], True)
            run.post("parameters", {"board.uart.script": False})
            run.post("continue")
            while run.get("state")["uart"]["sent"] < 6:
                pass
            self.assertEqual(run.get("state")["uart"]["received"], 0)
            run.post("uart", {"text": "y"})
            self.assertEqual(run.wait_for("ended")["end"]["status"], ord("y"))

    def test_memory_is_read_and_written_without_time(self):
        program = self.assemble("""
            la t0, flag
        1:  lw a0, 0(t0)
            beqz a0, 1b
            j finish
            .balign 4096
            .globl flag
        flag: .word 0
            .balign 4096""")
        with Run(program) as run:
            [flag] = run.get("symbols", name="flag")["symbols"]
            s = run.post("pause")
            self.assertEqual(run.get("memory", address=flag["address"], bytes=4)["data"], "0" * 8)
            code = run.get("memory", address="0x80000000", bytes=4)["data"]
            self.assertNotEqual(code, "00000000")
            self.assertEqual(run.get("memory", address=0x80000000, bytes=4)["data"], code)
            run.post("memory", {"address": flag["address"], "data": "07000000"})
            self.assertEqual(run.get("memory", address=flag["address"], bytes=4)["data"], "07000000")
            self.assertEqual(run.get("state")["time_fs"], s["time_fs"])
            for query, status, text in (({"address": "0x5000000", "bytes": 4}, 404, "no memory answers at 0x5000000"),
                                        ({"address": "0x10000000", "bytes": 1}, 404, "no memory answers"),
                                        ({"address": "0x87fffffc", "bytes": 8}, 404, "at 0x88000000"),
                                        ({"address": "main", "bytes": 8}, 400, "'main' is no address"),
                                        ({"address": "0x80000000", "bytes": 65537}, 400, "bytes: expected"),
                                        ({"address": "0x80000000"}, 400, "bytes: expected")):
                self.refused(status, text, run.get, "memory", **query)
            for body in ({"address": "0x80000000"}, {"address": "0x80000000", "data": "0"},
                         {"address": "0x80000000", "data": "zz"}, {"address": -4, "data": "00"}):
                self.refused(400, "", run.post, "memory", body)
            # Half of it beyond the end: nothing is written.
            end = run.get("memory", address="0x87fffffc", bytes=4)["data"]
            self.refused(404, "at 0x88000000", run.post, "memory", {"address": "0x87fffffc", "data": "ff" * 8})
            self.assertEqual(run.get("memory", address="0x87fffffc", bytes=4)["data"], end)
            run.post("continue")
            self.assertEqual(run.wait_for("ended")["end"]["status"], 7)

    def test_the_uart_is_read_and_written(self):
        with Run(self.assemble(ECHO)) as run:
            while run.get("state")["uart"]["sent"] < 6:
                pass
            self.assertEqual(run.get("uart"), {"from": 0, "next": 6, "text": "ready\n"})
            self.assertEqual(run.get("uart", **{"from": 4}), {"from": 4, "next": 6, "text": "y\n"})
            self.assertEqual(run.get("uart", **{"from": 99})["text"], "")
            self.assertTrue(run.get("state")["cores"][0]["idle"])
            self.assertIn("asleep", run.get("state")["cores"][0]["symbol"])
            self.refused(400, "expected", run.post, "uart", {"txt": "x"})
            self.assertEqual(run.post("uart", {"text": "k"}), {"bytes": 1})
            self.assertEqual(run.wait_for("ended")["end"]["status"], ord("k"))
            run.post("quit")
            self.assertEqual(run.end()[1]["uart"], "ready\n")

    def test_devices_and_symbols(self):
        with Run(self.assemble("nop\n.globl middle\nmiddle: nop"), "--paused") as run:
            devices = {d["name"]: d for d in run.get("devices")["devices"]}
            self.assertEqual(devices["uart"], {"name": "uart", "address": "0x10000000", "bytes": 4096,
                                               "interrupt": 10})
            self.assertEqual(devices["ram"], {"name": "ram", "address": "0x80000000", "bytes": 128 << 20,
                                              "interrupt": None})
            self.assertEqual(set(devices), {"rom", "finisher", "clint", "plic", "uart", "ram"})
            self.assertEqual(run.get("symbols", name="middle")["symbols"],
                             [{"name": "middle", "address": "0x80000002"}])
            self.assertIn("middle", [s["name"] for s in run.get("symbols", name="m*")["symbols"]])
            self.assertEqual(run.get("symbols", address="0x80000003")["symbols"][0]["name"], "middle+0x1")
            self.refused(404, "did you mean 'middle'?", run.get, "symbols", name="midle")
            self.refused(400, "needs name=", run.get, "symbols")

    def test_breakpoints_pause_once(self):
        with Run(self.assemble(ECHO), "--paused") as run:
            first = run.post("breakpoint", {"time_ns": 200})["id"]
            run.post("breakpoint", {"time_ns": 150})
            text = run.post("breakpoint", {"uart": "ready\n"})["id"]
            never = run.post("breakpoint", {"uart": "never"})["id"]
            self.assertEqual([b["id"] for b in run.get("breakpoint")["breakpoints"]],
                             [first, first + 1, text, never])
            run.post("breakpoint", {"remove": first + 1})
            self.refused(404, "there is no breakpoint", run.post, "breakpoint", {"remove": first + 1})
            run.post("continue")
            paused = [run.wait_for("paused")]
            run.post("continue")
            paused.append(run.wait_for("paused"))
            self.assertEqual({p["why"] for p in paused},
                             {f"breakpoint {first}: 200 ns", f"breakpoint {text}: software has sent \"ready\\n\""})
            [at] = [p for p in paused if "200 ns" in p["why"]]
            self.assertEqual(at["time_ns"], 200)
            self.assertEqual(run.get("uart")["text"], "ready\n")
            self.assertEqual([b["id"] for b in run.get("breakpoint")["breakpoints"]], [never])
            # A step that a breakpoint cuts short is answered.
            begin = run.get("state")["time_ns"]
            run.post("breakpoint", {"time_ns": int(begin) + 300})
            s = run.post("step?ns=1000000")
            self.assertEqual((s["time_ns"], s["why"].split(": ")[1]), (int(begin) + 300, f"{int(begin) + 300} ns"))
            for body in ({"time_ns": 100}, {"time_ns": -1}, {"uart": ""}, {}, {"remove": 99}):
                with self.assertRaises(Refused):
                    run.post("breakpoint", body)

    def raw(self, run, method, path, headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", run.port, timeout=10)
        connection.putrequest(method, path, skip_host=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(body or b"")))
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer, text

    def test_requests_of_other_sites_are_refused(self):
        with Run(self.assemble(ENDLESS), "--paused") as run:
            for host, status in (("localhost", 200), (f"127.0.0.1:{run.port}", 200), ("LOCALHOST:80", 200),
                                 ("evil.example", 403), (f"evil.example:{run.port}", 403),
                                 ("127.0.0.1.evil.example", 403), ("localhost:80.evil.example", 403), (None, 403)):
                headers = {} if host is None else {"Host": host}
                self.assertEqual(self.raw(run, "GET", "/state", headers)[0].status, status, host)
                self.assertEqual(self.raw(run, "GET", "/", headers)[0].status, status, host)
            local = {"Host": "localhost"}
            for kind, status in ((None, 415), ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
                                 ("application/json; charset=utf-8", 200)):
                headers = dict(local) if kind is None else {**local, "Content-Type": kind}
                self.assertEqual(self.raw(run, "POST", "/pause", headers)[0].status, status, kind)
            for method in ("DELETE", "OPTIONS", "PUT", "HEAD"):
                answer, _ = self.raw(run, method, "/state", local)
                self.assertEqual(answer.status, 405)
                self.assertIsNone(answer.getheader("Access-Control-Allow-Origin"))
            # Only this host's own address listens.
            with socket.socket() as other:
                self.assertNotEqual(other.connect_ex(("127.0.0.2", run.port)), 0)

    def test_requests_that_cannot_be_read_are_refused(self):
        with Run(self.assemble(ENDLESS), "--paused") as run:
            local = {"Host": "localhost", "Content-Type": "application/json"}
            for method, path, body, status in (("POST", "/parameters", b"{", 400), ("POST", "/parameters", b"\xff", 400),
                                               ("GET", "/memory?address=%zz", None, 400),
                                               ("GET", "/state?a=1&a=2", None, 400),
                                               ("POST", "/memory", b"[" + b" " * (1 << 20) + b"]", 413),
                                               ("GET", "/" + "x" * 20000, None, 400)):
                answer, text = self.raw(run, method, path, local, body)
                self.assertEqual(answer.status, status, text)
                self.assertIn("error", json.loads(text))
            self.refused(404, "did you mean '/state'?", run.get, "stat")
            self.refused(405, "/pause takes POST only", run.get, "pause")
            self.refused(405, "/state takes GET only", run.post, "state")
            with socket.create_connection(("127.0.0.1", run.port)) as client:
                client.sendall(b"nonsense\r\n\r\n")
                self.assertIn(b"400", client.recv(1000))
            self.assertEqual(run.get("state")["state"], "paused")

    def poll_all(self, run):
        """GETs of everything until the run has ended. Returns their number."""
        count = 0
        while True:
            for path in ("state", "statistics", "parameters", "uart", "devices", "breakpoint",
                         "memory?address=0x80000000&bytes=64"):
                answer = run.get(path)
                count += 1
                if path == "state" and answer["state"] == "ended":
                    return count

    def test_a_passive_session_changes_nothing(self):
        program = self.assemble("""
            la t0, handler
            csrw mtvec, t0
            li t0, 0x80
            csrw mie, t0
            csrsi mstatus, 8
            li s1, 2000            # timer interrupts
        again:
            li t0, 0x200bff8
            ld t1, 0(t0)
            addi t1, t1, 2000
            li t0, 0x2004000
            sd t1, 0(t0)
        1:  rdtime t2
            andi t2, t2, 0x3f
            bnez t2, 1b
            wfi
            j 1b
            .balign 4
        handler:
            addi s1, s1, -1
            li t0, 0x10000000
            li t1, '.'
            sb t1, 0(t0)
            la t0, again
            csrw mepc, t0
            li a0, 0
            beqz s1, finish
            mret""")
        script = self.folder / "none"
        script.write_text("never sent\tx")
        for arguments in ([program, "--uart", script], self.vecadd() + ["--uart", script]):
            done = subprocess.run([TESSERA, "vp", *map(str, arguments), "--json", "--quiet"],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
            plain = json.loads(done.stdout)
            with self.subTest(arguments[0]), Run(*arguments) as run:
                print(f"{arguments[0].name}: {self.poll_all(run)} requests")
                run.post("quit")
                code, watched, errors = run.end()
                self.assertEqual(code, done.returncode, errors)
                for document in (plain, watched):
                    del document["host"]
                    (document["stats"] or {}).pop("host", None)
                self.assertEqual(json.dumps(watched), json.dumps(plain))

    def test_steps_of_a_run_with_gpus_change_nothing(self):
        done = subprocess.run([TESSERA, "vp", *map(str, self.vecadd()), "--json", "--quiet"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=True)
        plain = json.loads(done.stdout)
        with Run(*self.vecadd(), "--paused") as run:
            steps = 0
            while True:
                s = run.post("step?ns=1537")
                steps += 1
                if s["state"] == "ended":
                    break
                self.assertEqual(s["time_ns"], 1537 * steps)
            self.assertGreater(steps, 3)
            run.post("quit")
            code, stepped, errors = run.end()
            self.assertEqual(code, 0, errors)
            for document in (plain, stepped):
                del document["host"], document["stats"]["host"]
            self.assertEqual(json.dumps(stepped), json.dumps(plain))

    def test_the_gpus_of_a_platform(self):
        with Run(*self.vecadd(), "--paused") as run:
            self.assertEqual(run.get("state")["queues"], [])
            fixed = run.get("parameters", path="llc.sets")["parameters"]
            self.assertEqual([p["settable"] for p in fixed], [False])
            self.refused(409, "give it with --set", run.post, "parameters", {"llc.sets": 64})
            self.refused(404, "did you mean 'llc.sets'?", run.post, "parameters", {"llc.setz": 64})
            self.assertEqual({d["name"]: d["interrupt"] for d in run.get("devices")["devices"]}["gpu"], 11)
            run.post("breakpoint", {"uart": "of 4096 wrong\n"})
            run.post("continue")
            s = run.wait_for("paused")
            self.assertEqual(run.get("uart")["text"], "vecadd: 0 of 4096 wrong\n")
            self.assertEqual([(q["queue"], q["completed"], q["busy"]) for q in s["queues"]], [(0, 1, False)])
            blocks = run.statistics("system.gpu0*")
            self.assertGreater(len(blocks), 100)
            self.assertTrue(any(v for v in blocks.values() if isinstance(v, int)))
            run.process.send_signal(signal.SIGINT)
            code, document, errors = run.end()
            self.assertEqual((code, document["end"]), (1, "interrupted"), errors)
            self.assertTrue(document["stats"]["interrupted"])

    def test_a_client_ends_a_run_with_gpus(self):
        with Run(*self.vecadd(), "--paused") as run:
            run.post("step?ns=2000")
            run.post("quit")
            code, document, _ = run.end()
            self.assertEqual((code, document["end"], document["stats"]["interrupted"]), (1, "interrupted", True))

    def test_a_machine_that_waits_for_a_person_needs_no_host_time(self):
        for arguments in ([self.assemble(ECHO)], [self.assemble(ECHO), "--platform", "uba-mem-small"]):
            with self.subTest(arguments), Run(*arguments, stdin=subprocess.PIPE) as run:
                while run.get("state")["uart"]["sent"] < 6:
                    pass
                time.sleep(0.3)
                begin, cpu, s = time.monotonic(), run.cpu_seconds(), run.get("state")
                time.sleep(1)
                after = run.get("state")
                host = time.monotonic() - begin
                self.assertLess(run.cpu_seconds() - cpu, 0.3)
                self.assertEqual(after["state"], "running")
                self.assertTrue(after["cores"][0]["idle"])
                # It does not stand still, and does not run ahead of the host.
                self.assertGreater(after["time_ns"] - s["time_ns"], 0.2e9)
                self.assertLess(after["time_ns"] - s["time_ns"], (host + 0.1) * 1e9)
                run.process.stdin.write("q")
                run.process.stdin.flush()
                self.assertEqual(run.wait_for("ended")["end"]["status"], ord("q"))

    def test_bad_options_are_refused(self):
        program = self.assemble("li a0, 0")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            for arguments, message in ((["--paused"], "--paused needs --session"),
                                       (["--session", "65536"], "--session"),
                                       (["--session", taken.getsockname()[1]], "Address already in use")):
                done = subprocess.run([TESSERA, "vp", str(program), *map(str, arguments)], capture_output=True,
                                      text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)


class Page(unittest.TestCase):
    """The page in a headless Chromium."""

    @classmethod
    def setUpClass(cls):
        options = webdriver.ChromeOptions()
        # The sandbox wants what containers and root do not have; the page is our own.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--window-size=1280,900"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def at(self, name):
        return self.browser.find_element(By.ID, name)

    def wait(self, condition):
        WebDriverWait(self.browser, 20).until(lambda _: condition())

    def test_a_person_pauses_steps_types_and_changes_a_parameter(self):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            self.folder = pathlib.Path(folder)
            run = stack.enter_context(Run(vp_test.VirtualPlatform.assemble(self, ECHO)))
            self.browser.get(run.url)
            self.wait(lambda: "ready" in self.at("uart").text)
            self.assertEqual(self.at("state").text, "running")
            self.assertIn("waits for an interrupt", self.at("cores").text)
            self.assertIn("board.core0.instructions", self.at("statistics").text)
            self.assertIn("0x10000000", self.at("devices").text)
            self.assertIn("board.core0.quantum", self.at("parameters").text)

            self.at("pause").click()
            self.wait(lambda: self.at("state").text == "paused")
            before = run.get("state")["time_fs"]
            self.at("ns").clear()
            self.at("ns").send_keys("1234")
            self.at("step").click()
            self.wait(lambda: run.get("state")["time_fs"] == before + 1234 * 10**6)
            self.wait(lambda: self.at("why").text == "the end of a step")

            field = self.browser.find_element(By.CSS_SELECTOR, "input[aria-label='board.core0.quantum']")
            field.clear()
            field.send_keys("77\t")
            self.wait(lambda: run.get("parameters", path="board.core0.quantum")["parameters"][0]["value"] == 77)
            self.at("read").submit()
            self.wait(lambda: self.at("dump").text.startswith("0x80000000  "))
            # An error of the server is shown.
            self.at("address").clear()
            self.at("address").send_keys("finsh")
            self.at("read").submit()
            self.wait(lambda: "did you mean 'finish'?" in self.at("error").text)

            self.at("continue").click()
            self.wait(lambda: self.at("state").text == "running")
            self.at("typed").send_keys("Z\n")
            self.wait(lambda: self.at("state").text == "ended")
            self.assertEqual(self.at("why").text, f"finished, status {ord('Z')}")
            # The refusal above is a message of the browser; nothing else is.
            messages = [m["message"] for m in self.browser.get_log("browser") if "404" not in m["message"]]
            self.assertEqual(messages, [])
            self.at("quit").click()
            self.assertEqual(run.end()[0], ord("Z"))


if __name__ == "__main__":
    unittest.main(argv=["vp_session_test.py"], verbosity=2)
