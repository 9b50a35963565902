# SPDX-License-Identifier: Apache-2.0
"""Time lines of runs (docs/guide/timeline.md): timeline_test.py TESSERA PART [WORKLOAD]. PART is a preset,
whose time line is compared with its plan and its statistics, or "options"."""

import collections
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time

from timeline_reader import Damaged, Timeline

TESSERA = sys.argv[1]
FS = 10 ** 15
WORKLOAD = sys.argv[3] if len(sys.argv) > 3 else "mm"


def check(holds, what):
    if not holds:
        sys.exit(f"timeline_test: {what}")


def equal(measured, expected, what):
    check(measured == expected, f"{what}: {measured}, not {expected}")


def tessera(*arguments, status=0):
    done = subprocess.run([TESSERA, *arguments], capture_output=True, text=True, timeout=300)
    equal(done.returncode, status, f"status of {' '.join(arguments)}\n{done.stderr}")
    return done


def run(platform, *options, workload=WORKLOAD, status=0):
    """stats.json of a run."""
    done = tessera("run", platform, workload, "--json", "--quiet", *options, status=status)
    return json.loads(done.stdout)


def cycles(fs, hertz):
    """A duration in whole cycles, rounded as the model does."""
    return (2 * fs * hertz + FS) // (2 * FS)


def ns_of_cycle(cycle, hertz):
    """The edge of a cycle in nanoseconds, rounded as in the file."""
    return (2 * cycle * FS + hertz) // (2 * hertz) // 10 ** 6


class Request:
    """A request that was followed: its slice on the SM's track, and its hops in order."""

    def __init__(self, outer, hops):
        self.outer, self.hops = outer, hops


def requests_of(line):
    outer, hops = [], collections.defaultdict(list)
    for s in line.named("requests"):
        check(len(s.flows) <= 1, f"several flows in {s}")
        if s.flows:
            hops[s.flows[0]].append(s)
        else:
            outer.append(s)
    equal(sorted(hops), sorted(s.values["request"] for s in outer), "flows and requests")
    return [Request(s, hops[s.values["request"]]) for s in outer]


def check_tree(line, plan):
    paths = {line.path(uuid) for uuid in line.tracks}
    for node in plan["nodes"]:
        check(node["name"].replace(".", "/") in paths, f"no track of {node['name']}")
    for block in plan["blocks"]:
        path = block["node"].replace(".", "/") + "/" + block["name"].split(".")[-1]
        check(path in paths, f"no track {path}")
    roots = [t["name"] for t in line.tracks.values() if "parent_uuid" not in t]
    equal(roots, ["system"], "tracks without parent")


def paths_of_blocks(plan):
    """The path of a block's track, by its name in the statistics."""
    return {b["name"]: b["node"].replace(".", "/") + "/" + b["name"].split(".")[-1]
            for b in plan["blocks"]}


def check_requests(line, plan, stats):
    coherent = any(b["kind"] == "coherent_l1" for b in plan["blocks"])
    hertz = stats["config"]["l1"]["clock_hz"]
    latencies = collections.Counter()
    requests = requests_of(line)
    for r in requests:
        outer, hops = r.outer, r.hops
        equal(outer.begin, hops[0].begin, "begin of the first hop")
        equal(hops[-1].end, outer.end, f"end of the last hop of {outer}")
        for before, after in zip(hops, hops[1:]):
            equal(after.begin, before.end, f"begin of {after}")
        equal(sum(h.values["fs"] for h in hops), outer.values["fs"], f"sum of the hops of {outer}")
        l1 = line.parent(hops[0])
        equal(line.parent(hops[-1]), l1, "place of the last hop")
        if coherent or (outer.name == "load" and "bypass_l1" not in outer.values):
            # Between the first and the last hop, which are in the L1, the miss is under way.
            latencies[l1] += cycles(sum(h.values["fs"] for h in hops[1:-1]), hertz)
    measured = 0
    for name, path in paths_of_blocks(plan).items():
        block = stats["modules"].get(name, {})
        if path.rsplit("/", 1)[1].startswith("l1_"):
            equal(latencies[path], block["miss_latency"]["sum"], f"latency of the misses of {name}")
            measured += latencies[path]
    check(measured > 0, "no miss")
    expected = sum(m["line_requests"] for m in stats["modules"].values() if "line_requests" in m)
    equal(len(requests), expected, "requests")


def check_counters(line, plan, stats):
    tracks = {line.path(uuid): uuid for uuid, t in line.tracks.items() if "counter" in t}
    compared = 0
    for name, path in paths_of_blocks(plan).items():
        for statistic, value in stats["modules"].get(name, {}).items():
            if f"{path}/{statistic}" not in tracks or not isinstance(value, int):
                continue
            equal(round(line.integral(tracks[f"{path}/{statistic}"])), value,
                  f"integral of {path}/{statistic}")
            compared += value > 0
    check(compared > 0, "no bandwidth")
    for path, uuid in tracks.items():
        for _, value in line.counters.get(uuid, []):
            check(value >= 0, f"{path} is {value}")
            check(value <= 100 or line.tracks[uuid]["counter"]["unit_name"] != "%", path)
        if path.endswith("/in flight") and uuid in line.counters:
            equal(line.counters[uuid][-1][1], 0, f"{path} at the end")


def check_events(line, plan, stats):
    hertz = stats["config"]["sm"]["clock_hz"]
    kernels = sorted((s.name, s.end, s.begin) for s in line.named("kernels"))
    expected = sorted((k["name"], ns_of_cycle(k["start_cycle"] + k["cycles"], hertz), k["start_cycle"])
                      for k in stats["kernels"])
    equal([k[:2] for k in kernels], [k[:2] for k in expected], "kernels and their ends")
    for (name, _, begin), (_, _, cycle) in zip(kernels, expected):
        # A launch of a manifest's host program is ready between two edges.
        latest = ns_of_cycle(cycle + (WORKLOAD != "mm"), hertz)
        check(ns_of_cycle(cycle, hertz) <= begin <= latest, f"begin of {name}: {begin}, not in cycle {cycle}")
    paths = paths_of_blocks(plan)
    counts, rows = collections.Counter(), collections.Counter()
    for s in line.slices:
        if line.tracks[s.track]["name"] == "CTAs":
            counts[line.parent(s)] += 1
        if s.name == "row":
            rows[line.parent(s)] += 1
    for name, block in stats["modules"].items():
        if "ctas" in block and "warp_instructions" in block:
            equal(counts[paths[name]], block["ctas"], f"CTAs of {name}")
        if "activates" in block:
            equal(rows[paths[name]], block["activates"], f"rows of {name}")
        if "epochs" in block:
            equal(len([s for s in line.named("epochs") if line.parent(s) == paths[name]]),
                  block["epochs"], f"epochs of {name}")
        if "migrations" in block and "drains" in block:
            equal(len(line.named("pages")), block["migrations"] + block["copies"], "moves of pages")


def check_platform(platform, folder):
    plan = json.loads(tessera("config", platform, "--plan").stdout)
    file = os.path.join(folder, "a.pftrace")
    stats = run(platform, "--timeline", file, "--timeline-sample", "1")
    line = Timeline(file)
    check_tree(line, plan)
    check_requests(line, plan, stats)
    check_counters(line, plan, stats)
    check_events(line, plan, stats)
    # The time line changes no result, and is the same each time.
    without = run(platform)
    for section in ("cycles", "kernels", "modules", "derived", "energy"):
        equal(without[section], stats[section], f"{section} without a time line")
    again = os.path.join(folder, "b.pftrace")
    run(platform, "--timeline", again, "--timeline-sample", "1")
    with open(file, "rb") as first, open(again, "rb") as second:
        check(first.read() == second.read(), "two runs write different files")


def check_sample(folder):
    file = os.path.join(folder, "a.pftrace")
    stats = run("nuba-small", "--timeline", file, "--timeline-sample", "7")
    expected = sum(-(-m["line_requests"] // 7) for m in stats["modules"].values()
                   if "line_requests" in m)
    equal(len(requests_of(Timeline(file))), expected, "every seventh request of each SM")


def check_window(folder):
    file = os.path.join(folder, "a.pftrace")
    for window, begin, end in (("5000:9000", 5000, 9000), ("5000ns:9000ns", 5000, 9000),
                               ("7000cycles:14000cycles", 5000, 10000), (":2000", 0, 2000),
                               (":1401cycles", 0, 1000)):
        run("nuba-small", "--timeline", file, "--timeline-window", window)
        line = Timeline(file)
        (kernel,) = line.named("kernels")
        equal((kernel.begin, kernel.end), (begin, end), f"the kernel in {window}")
        requests = requests_of(line)
        check(requests, f"no requests in {window}")
        for r in requests:
            check(begin <= r.outer.begin < end, f"{r.outer} in the window {window}")
            equal(r.hops[-1].end, r.outer.end, f"end of {r.outer} in {window}")
        for s in line.slices:
            if line.tracks[s.track]["name"] != "requests":
                check(begin <= s.begin <= s.end <= end, f"{s} in the window {window}")
        for values in line.counters.values():
            for at, value in values:
                check(begin <= at <= end, f"a counter at {at} in {window}")
                check(math.isfinite(value), f"a counter is {value} in {window}")


def check_end_of_detail(folder):
    """With --detail, the time line ends with the window, though the run goes on."""
    file = os.path.join(folder, "a.pftrace")
    for preset in ("nuba-small", "memcpy-1-small", "umh-1-small"):
        stats = run(preset, "--timeline", file, "--timeline-sample", "1", "--detail", "2000000")
        check(stats["window"]["complete"] and stats["verified"], f"{preset}: no window with a rest")
        end = ns_of_cycle(stats["window"]["end_cycle"], stats["config"]["sm"]["clock_hz"])
        line = Timeline(file)
        (kernel,) = line.named("kernels")
        equal(kernel.end, end, f"{preset}: end of the kernel")
        for s in line.slices:
            # Arrivals of requests and automatic precharges are recorded when they are announced.
            announced = 1000 if s.name == "row" or line.tracks[s.track]["name"] == "requests" else 0
            check(s.end <= end + announced, f"{preset}: {s} after the window, which ends at {end}")
        for values in line.counters.values():
            check(values[-1][0] <= end + 1, f"{preset}: a counter after the window")
        check([r for r in requests_of(line) if "unfinished" in r.outer.values], f"{preset}: all requests have ended")


def check_refusals(folder):
    file = os.path.join(folder, "a.pftrace")
    for options, message in (
            (["--timeline-window", "1:2"], "--timeline-window needs --timeline"),
            (["--timeline-sample", "2"], "--timeline-sample needs --timeline"),
            (["--timeline", file, "--timeline-sample", "0"], "--timeline-sample"),
            (["--timeline", file, "--timeline-window", "5"], "BEGIN:END"),
            (["--timeline", file, "--timeline-window", "5:5"], "after the begin"),
            (["--timeline", file, "--timeline-window", "5us:9"], "'5us' is no time"),
            (["--timeline", folder + "/a.json"], "a.json' must end with .pftrace or .perfetto-trace"),
            (["--timeline", folder + "/none/x.pftrace"], "x.pftrace cannot be written"),
            (["--timeline", file, "--threads", "2", "--values", "carried"], "without --threads")):
        done = tessera("run", "dca-small", "vecadd", "--quiet", "--json", *options, status=2)
        check(message in done.stderr, f"{options}: {done.stderr}")
    # A refused command leaves files as they were.
    with open(file, "w", encoding="utf-8") as old:
        old.write("old")
    tessera("run", "nuba-small", "vecadd", "--quiet", "--json", "--timeline", file, "--record-traffic",
            f"system.gpu0.no={folder}/a.stl", status=2)
    with open(file, encoding="utf-8") as old:
        equal(old.read(), "old", "the time line of an earlier run")
    equal(os.listdir(folder), ["a.pftrace"], "files after a refusal")


def check_full_disk(folder):
    out = os.path.join(folder, "out")
    done = tessera("run", "nuba-small", "vecadd", "--quiet", "--out", out, "--timeline",
                   "/dev/full", status=1)
    check("/dev/full is not complete" in done.stderr, done.stderr)
    with open(os.path.join(out, "stats.json"), encoding="utf-8") as stats:
        equal(json.load(stats)["verified"], True, "the result of the run")


def check_interrupt(folder):
    """A run that is interrupted keeps what was recorded."""
    file, out = os.path.join(folder, "i.pftrace"), os.path.join(folder, "i")
    command = [TESSERA, "run", "nuba-small", "mm", "--scale", "medium", "--quiet", "--out", out,
               "--timeline", file, "--timeline-sample", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if os.path.exists(file + ".partial") and os.path.getsize(file + ".partial") > 1 << 20:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        equal(process.returncode, 1, "status of the interrupted run")
    line = Timeline(file)
    with open(os.path.join(out, "stats.json"), encoding="utf-8") as stats:
        check(json.load(stats)["interrupted"], "the run was not interrupted")
    unfinished = [r for r in requests_of(line) if "unfinished" in r.outer.values]
    check(unfinished, "no request was under way")
    equal(len(line.named("kernels")), 1, "kernels")


def check_reader(folder):
    """The reader refuses a file that is cut."""
    file = os.path.join(folder, "a.pftrace")
    run("nuba-small", "--timeline", file)
    with open(file, "rb") as whole:
        data = whole.read()
    with open(file, "wb") as cut:
        cut.write(data[:-1])
    try:
        Timeline(file)
    except Damaged:
        return
    check(False, "a cut file is read")


def main():
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[2] != "options":
            check_platform(sys.argv[2], folder)
            return
        for part in (check_reader, check_sample, check_window, check_end_of_detail, check_refusals, check_full_disk,
                     check_interrupt):
            part(folder)


main()
