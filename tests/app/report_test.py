#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens reports in a headless Chromium, as a reader does. Usage: report_test.py TESSERA SOURCE_DIR"""

import base64
import csv
import io
import json
import math
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.service import Service

TESSERA, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
REPORTS = {
    "run": ["run", "uba-mem", "mm"],
    "gpus": ["run", "dualopt-small", "spmv"],
    "nuba": ["run", "nuba-small", "kmeans"],
    "channels": ["run", "dualopt-nuba-small", "mm"],
    "mesh": ["run", "mesh-28-8-small", "vecadd:n=4096"],
    "profile": ["run", "nuba-small", str(SOURCE / "docs/guide/examples/columns/columns.json"), "--profile"],
    "pages": ["run", "dualopt-small", "spmv", "--profile"],
    "compare": ["compare", "uba-mem,uba-mem-small", "vecadd,mm"],
    "study": ["study", str(SOURCE / "tests/studies/data/tiny")],
    "silicon": ["study", str(SOURCE / "tests/studies/data/silicon")],
    "sweep": ["sweep", "SWEEPS/sweep.json"],
    "broken": ["sweep", "SWEEPS/broken.json"],
}
SWEEPS = {
    "sweep": {
        "title": "Sizes <b>of</b> caches", "platforms": ["uba-mem-small", "nuba-small"],
        "workloads": ["vecadd:n=4096", "vecadd:n=1024"],
        "sets": {"llc.queue_depth": 8, "system.channel_bytes": "64M"},
        "parameters": {"llc.sets": {"values": [16, 64]}, "llc.replacement": {"values": ["lru", "random"]},
                       "llc.latency_cycles": {"values": [60, 240]}},
        "objectives": [{"name": "time", "of": "time_ns", "relative": True},
                       {"name": "energy", "of": "energy.total_j"},
                       {"name": "capacity", "of": "config.llc.sets * config.llc.ways", "goal": "max"}]},
    # Of four designs, one fails and two are refused.
    "broken": {
        "title": "Limits", "platforms": ["uba-mem-small"], "workloads": ["vecadd:n=4096"],
        "parameters": {"system.cycle_limit": {"values": [10, 0]}, "system.line_bytes": {"values": [96, 128]}},
        "objectives": [{"of": "time_ns"}], "invalid": "skip"},
}
# With software, if it can be built and run here.
SOFTWARE = (shutil.which("riscv64-unknown-elf-gcc") is not None and
            (pathlib.Path(TESSERA).parent.parent / "iss/libtessera_unicorn.so").exists())
if SOFTWARE:
    REPORTS["software"] = ["vp", "FIRMWARE/faults.elf", "--harts", "2", "--platform", "dualopt-small",
                           "--kernels", str(SOURCE / "stimuli/kernels/vecadd/vecadd.ptx")]


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        firmware = f"{cls.folder.name}/firmware"
        if SOFTWARE:
            subprocess.run(["make", "-s", "-C", SOURCE / "firmware", f"BUILD={firmware}"], check=True)
        for name, sweep in SWEEPS.items():
            pathlib.Path(cls.folder.name, name + ".json").write_text(json.dumps(sweep))
        for name, command in REPORTS.items():
            words = [w.replace("FIRMWARE", firmware).replace("SWEEPS", cls.folder.name) for w in command]
            status = subprocess.run([TESSERA, *words, "--out", f"{cls.folder.name}/{name}", "--quiet"],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL if name == "broken" else None).returncode
            if status != (1 if name == "broken" else 0):
                raise RuntimeError(f"{words}: status {status}")
        options = webdriver.ChromeOptions()
        # The sandbox wants what containers and root do not have; the pages are our own.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--hide-scrollbars", "--window-size=1280,900"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    def open(self, name, media="screen", scheme="light", width=1280):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.browser.get(f"file://{self.folder.name}/{name}/report.html")
        self.assertEqual(self.browser.get_log("browser"), [], "the page complains")

    def cdp(self, method, **parameters):
        return self.browser.execute_cdp_cmd(method, parameters)

    def js(self, expression):
        return self.browser.execute_script("return " + expression)

    def test_every_chart_is_drawn_and_gives_svg_and_csv(self):
        counts = {"run": 14, "gpus": 17, "nuba": 17, "channels": 23, "mesh": 15, "profile": 14, "pages": 18, "compare": 9, "study": 2, "silicon": 3, "software": 13,
                  "sweep": 6, "broken": 3}
        for name, least in ((n, counts[n]) for n in REPORTS):
            with self.subTest(name):
                self.open(name)
                self.assertGreaterEqual(self.js("charts.length"), least)
                self.assertEqual(self.overlaps(), [])
                self.js("""(window.saved = [], window.download = (title, kind, text) =>
                           saved.push([title, kind, text]),
                           document.querySelectorAll('.downloads button').forEach((b) => b.click()))""")
                saved = self.js("saved")
                self.assertEqual(len(saved), 2 * self.js("charts.length"))
                for title, kind, text in saved:
                    with self.subTest(f"{title}, {kind}"):
                        self.check_svg(text) if kind == "svg" else self.check_csv(text)

    def check_svg(self, text):
        root = xml.fromstring(text)
        marks = [e for e in root.iter() if e.tag.split("}")[1] in ("rect", "path", "line")]
        self.assertGreater(len(marks), 2)
        # It needs no style sheet of the page.
        self.assertNotIn("var(--", text)
        self.assertNotIn(" class=", text)
        for number in re.findall(r'\b(?:x|y|width|height|d)="([^"]*)"', text):
            self.assertNotIn("NaN", number)

    def check_csv(self, text):
        rows = list(csv.reader(io.StringIO(text)))
        self.assertGreater(len(rows), 1)
        self.assertEqual({len(r) for r in rows}, {len(rows[0])})

    def test_a_full_bar_is_the_peak_for_every_level(self):
        self.open("run")
        bars = self.js("""[...document.querySelectorAll('section:nth-of-type(1) .panel')][0]
            && [...document.querySelectorAll('.panel')].find((p) =>
                p.querySelector('h3') && p.querySelector('h3').textContent === 'Share of peak')""")
        rows = self.browser.execute_script("""
            const [panel] = arguments;
            const width = (e) => Number(e.getAttribute('width'));
            const tracks = [...panel.querySelectorAll('.track')].map(width);
            const bars = [...panel.querySelectorAll('.bar')].map(width);
            return tracks.map((t, i) => [t, bars[i]]);""", bars)
        levels = [l for l in self.js("data.traffic.levels") if l["peak_gb_per_s"]]
        self.assertEqual(len(rows), len(levels))
        for (track, bar), level in zip(rows, levels):
            self.assertEqual(track, rows[0][0])
            self.assertAlmostEqual(bar, max(1, track * level["gb_per_s"] / level["peak_gb_per_s"]),
                                   delta=0.2)

    def test_lines_differ_by_more_than_colour(self):
        self.open("run")
        looks = self.js("""[...[...document.querySelectorAll('.panel')].find((p) =>
            p.querySelector('h3')?.textContent === 'Over time').querySelectorAll('.legend')].map((g) =>
            g.querySelector('.marker').getAttribute('d') +
            g.querySelector('.line').getAttribute('stroke-dasharray'))""")
        self.assertEqual(len(looks), len(self.js("data.traffic.levels")))
        self.assertEqual(len(set(looks)), len(looks))

    def test_series_go_on_to_the_end_of_the_run(self):
        self.open("run")
        ends = self.js("data.traffic.interval_ends_ns")
        self.assertAlmostEqual(ends[-1], self.js("stats.time_ns"), delta=1)
        for level in self.js("data.traffic.levels"):
            self.assertEqual(len(level["gb_per_s_over_time"]), len(ends))

    def test_colours_follow_the_scheme(self):
        seen = set()
        for scheme in ("light", "dark"):
            self.open("run", scheme=scheme)
            seen.add(self.js("getComputedStyle(document.querySelector('.plot .bar')).fill"))
        self.assertEqual(len(seen), 2)

    def overlaps(self):
        """Texts of a chart that overlap. Names with a halo lie over lines on purpose; turned ones have no upright box."""
        return self.js("""charts.flatMap((c) => {
            const boxes = [...c.box.querySelectorAll('text:not([transform]):not(.halo)')].map((t) => [t.textContent, t.getBoundingClientRect()]);
            return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) =>
                Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4)
                .map(([b]) => c.box.closest('.panel').innerText.slice(0, 30) + ': ' + a + ' / ' + b));
        })""")

    def test_a_narrow_window_needs_no_scrolling_sideways_and_no_texts_overlap(self):
        for name in REPORTS:
            with self.subTest(name):
                self.open(name, width=400)
                self.assertLessEqual(self.js("document.documentElement.scrollWidth"), 400)
                self.assertEqual(self.overlaps(), [])

    def test_mm_is_printed_on_thirteen_pages_at_most_and_no_card_is_cut(self):
        self.open("run", media="print")
        self.assertEqual(self.js("""[...document.querySelectorAll('.panel:not(.long), .tile, tr')]
            .filter((e) => getComputedStyle(e).breakInside !== 'avoid').length"""), 0)
        self.assertEqual(self.js("""[...document.querySelectorAll('.downloads, .search, .hint, details')]
            .filter((e) => getComputedStyle(e).display !== 'none').length"""), 0)
        pdf = base64.b64decode(self.cdp("Page.printToPDF", preferCSSPageSize=True)["data"])
        pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
        self.assertGreater(pages, 3)
        self.assertLessEqual(pages, 13)

    def test_nothing_is_wider_than_a_printed_page_or_its_panel_and_no_texts_overlap(self):
        # 210 mm without margins of 12 mm. Chromium shrinks a page with wider contents.
        for name in REPORTS:
            with self.subTest(name):
                self.open(name, media="print", width=703)
                self.browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
                self.assertLessEqual(self.js("document.documentElement.scrollWidth"), 703)
                self.assertEqual(self.js("""[...document.querySelectorAll('.panel')].filter((p) => p.scrollWidth > p.clientWidth)
                    .map((p) => [p.innerText.slice(0, 40), p.scrollWidth, p.clientWidth])"""), [])
                self.assertEqual(self.overlaps(), [])

    def test_why_requests_waited_is_told_for_each_level(self):
        self.open("run")
        text = self.js("document.body.innerText")
        self.assertIn("Waits of memory requests", text)
        for level in ("SM", "LLC", "NoC request", "DRAM"):
            self.assertIn(level, {w["level"] for w in self.js("data.waits.all")})
        top = self.js("data.waits.top")
        self.assertIn(top["where"], text)
        for whole in ("issue slots", "lookups", "the requests' time"):
            self.assertRegex(text, rf"\d\u00a0% of {whole}")

    def panel(self, title):
        return self.js(f"""[...document.querySelectorAll('.panel')].find((p) =>
            p.querySelector('h3') && p.querySelector('h3').textContent === '{title}')""")

    def tips(self, panel):
        return self.browser.execute_script(
            "return [...arguments[0].querySelectorAll('[data-tip]')].map((e) => e.getAttribute('data-tip'))", panel)

    @unittest.skipUnless(SOFTWARE, "no RISC-V compiler, or no instruction-set simulator")
    def test_the_time_line_has_a_row_for_each_core_and_gpu(self):
        self.open("software")
        panel = self.panel("Time line")
        names = [e.text for e in panel.find_elements("css selector", "svg > text.name")]
        self.assertEqual(names, ["core0", "core1"] + [f"gpu{g}{row}" for g in range(4) for row in ("", " page faults")])
        shown = [e.text for e in panel.find_elements("css selector", ".legend")]
        for name in ("executing", "waiting in WFI", "vecadd", "page faults wait for software", "interrupts",
                     "doorbells"):
            self.assertIn(name, shown)
        self.assertRegex(panel.text, r"simulated time, (ns|µs|ms|s)\n?")
        # Bars are as long as their intervals: together, those of a core are as wide as its row.
        widths = self.browser.execute_script("""
            const tips = (e) => (e.getAttribute('data-tip') || '').split('\\n');
            const rects = [...arguments[0].querySelectorAll('rect[data-tip]')];
            const times = stats.timeline.cores[1].intervals;
            const track = Number(arguments[0].querySelector('svg > rect.track:not([data-tip])').getAttribute('width'));
            const x = (e) => e.getAttribute('x');
            const first = rects.filter((e) => tips(e)[0] === 'core1').filter((e, i, all) => !i || x(all[i - 1]) !== x(e));
            return first.map((e, i) => [Number(e.getAttribute('width')),
              track * (times[i].end_ns - times[i].begin_ns) / stats.timeline.end_ns]);""", panel)
        self.assertEqual(len(widths), len(self.js("stats.timeline.cores[1].intervals")))
        for drawn, expected in widths:
            self.assertAlmostEqual(drawn, max(0.7, expected), delta=0.1)
        tips = "\n\n".join(self.tips(panel)).replace("\u202f", "")
        self.assertRegex(tips, r"core0\n\d+ to \d+ ns\nexecuting: \d+ ns\naccessing devices: \d+ ns")
        self.assertRegex(tips, r"gpu1, queue 0\nvecadd\n\d+ to \d+ ns\nbusy: \d+ ns")
        self.assertRegex(tips, r"core0: doorbells\nqueue 0\nat \d+ ns")
        self.assertRegex(tips, r"gpu0: page faults wait for software\n\d+ to \d+ ns")

    @unittest.skipUnless(SOFTWARE, "no RISC-V compiler, or no instruction-set simulator")
    def test_a_drag_enlarges_a_part_of_the_time_line(self):
        self.open("software")
        before = len(self.tips(self.panel("Time line")))
        picture = self.panel("Time line").find_element("css selector", ".plot svg")
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", picture)
        ActionChains(self.browser).move_to_element_with_offset(picture, 100, 20).click_and_hold() \
            .move_by_offset(60, 0).release().perform()
        panel = self.panel("Time line")
        self.assertLess(len(self.tips(panel)), before)
        [reset] = [e for e in panel.find_elements("css selector", ".legend") if e.text.endswith("show the whole run")]
        reset.click()
        self.assertEqual(len(self.tips(self.panel("Time line"))), before)

    @unittest.skipUnless(SOFTWARE, "no RISC-V compiler, or no instruction-set simulator")
    def test_the_table_of_cores_has_instructions_times_and_speed(self):
        self.open("software")
        panel = self.panel("Cores")
        rows = [[c.text.replace("\u202f", "") for c in r.find_elements("css selector", "td")]
                for r in panel.find_elements("css selector", "tbody tr")]
        self.assertEqual([r[0] for r in rows], ["core0", "core1", "all"])
        for row, core in zip(rows, self.js("stats.timeline.cores")):
            end = self.js("stats.timeline.end_ns")
            count = self.js(f"stats.modules['{core['name']}'].instructions")
            self.assertEqual(row[1:7], [str(v) for v in (
                count, core["executing_ns"], core["accessing_ns"], core["waiting_ns"], core["stopped_ns"], end)])
            self.assertAlmostEqual(float(row[7]), 1000 * count / end, delta=0.01 * 1000 * count / end)
        self.assertRegex(panel.text, r"Host: \S+ MIPS of all cores")
        self.open("run")
        self.assertNotIn("Software over time", self.js("document.body.innerText"))

    def test_a_study_tells_what_is_accepted_and_what_stands_on_small_presets(self):
        self.open("study")
        text = self.js("document.body.innerText")
        self.assertIn("0.01 to 0.99", text)
        self.assertIn("within 10\u00a0%, effect 0.5 to 1.5", text)
        self.assertRegex(text, r"effect: mean \S+, median \S+, of 1 ratio\b")
        self.assertIn("judged on small presets (uba-mem-small)", text)
        self.assertNotIn("__", text)

    def chart(self, title):
        """What the chart of this title shows: axes, guides, marks, text."""
        return self.browser.execute_script("""
            const [title] = arguments;
            const panel = [...document.querySelectorAll('.panel')].find((p) =>
                p.querySelector('h3') && p.querySelector('h3').textContent === title);
            const all = (selector) => [...panel.querySelectorAll(selector)];
            const place = (e) => e.getAttribute('transform').match(/[-0-9.]+/g).slice(0, 2).map(Number);
            const line = (e) => ['x1', 'y1', 'x2', 'y2'].map((k) => Number(e.getAttribute(k)));
            const marks = all('.marker').filter((m) => !m.closest('.legend'));
            const y = {}, x = {};
            for (const t of all('text')) {
              if (t.closest('.legend') || !/^[0-9.\u202f]+[kM]?$/.test(t.textContent)) continue;
              (t.classList.contains('end') ? y : x)[t.textContent.replace(/\u202f/g, '')] =
                  Number(t.getAttribute(t.classList.contains('end') ? 'y' : 'x'));
            }
            return {x, y, marks: marks.map((m) => ({at: place(m), tip: m.getAttribute('data-tip'),
                shape: m.getAttribute('d')})),
              guides: all('.guide').filter((g) => !g.closest('.legend')).map((g) => ({at: line(g),
                light: g.classList.contains('light'), tip: g.getAttribute('data-tip')})),
              legend: all('.legend text').map((t) => t.textContent), text: panel.innerText};""", title)

    def check_decades(self, ticks):
        """The ticks are powers of ten at equal distances. Returns the position of a value."""
        decades = sorted((math.log10(float(t.replace("k", "e3").replace("M", "e6"))), at)
                         for t, at in ticks.items())
        self.assertGreater(len(decades), 1)
        (first, begin), (last, end) = decades[0], decades[-1]
        place = lambda v: begin + (math.log10(v) - first) * (end - begin) / (last - first)
        for i, (decade, at) in enumerate(decades):
            self.assertAlmostEqual(decade, first + i, places=6)
            self.assertAlmostEqual(at, place(10 ** decade), delta=0.2)
        return place

    def test_a_correlation_chart_has_marks_of_both_halves_and_the_line_of_equal_values(self):
        self.open("silicon")
        chart = self.chart("error: Model and chip")
        x, y = self.check_decades(chart["x"]), self.check_decades(chart["y"])
        self.assertEqual(chart["x"].keys(), chart["y"].keys())
        claims = [c for c in self.js("data.claims") if c.get("half") and c["measured"] is not None]
        self.assertEqual(len(claims), 4)
        marks = {m["tip"].split(" ")[0]: m for m in chart["marks"]}
        self.assertEqual(len(marks), len(claims))
        for c in claims:
            mark = marks[c["id"]]
            self.assertAlmostEqual(mark["at"][0], x(c["published"]), delta=0.3)
            # A tick's text is 4 below its place.
            self.assertAlmostEqual(mark["at"][1], y(c["measured"]) - 4, delta=0.3)
            unit = " cycles" if c["value_kind"] == "cycles" else ""
            self.assertRegex(mark["tip"], rf"^{c['id']} \({c['half']}\)\npublished \d.*{unit}\n"
                                          rf"measured \d.*{unit}\nerror -?\S+ %$")
        self.assertEqual(marks["va"]["shape"], marks["va-slow"]["shape"])
        self.assertNotEqual(marks["va"]["shape"], marks["sx"]["shape"])
        self.assertEqual(chart["legend"], ["fitted", "test", "measured = published", "+25 %, \u221225 %"])
        for guide, (ratio, light) in zip(chart["guides"], ((1, False), (1.25, True), (0.75, True)),
                                         strict=True):
            self.assertEqual(guide["light"], light)
            # On the line, measured is `ratio` times published.
            left, right = guide["at"][:2], guide["at"][2:]
            for at_x, at_y in (left, right):
                decades = (at_x - x(1)) / (x(10) - x(1))
                self.assertAlmostEqual(at_y, y(ratio * 10 ** decades) - 4, delta=0.5)
            self.assertGreater(right[0] - left[0], 100)
        error = self.js("data.figures[0].error")
        self.assertEqual(error, self.js("data.summary.error"))
        words = (rf"Error against published figures: fitted median \S+ %, worst \S+ % "
                 rf"\({error['fitted']['worst']['claim']}\); test median \S+ %, worst \S+ % "
                 rf"\({error['test']['worst']['claim']}\); correlation -?[\d.]+")
        self.assertRegex(chart["text"], words)
        self.assertRegex(self.js("document.querySelector('header').innerText"), words)

    def test_claim_tables_have_errors_only_if_claims_have_halves(self):
        heads = """[...[...document.querySelectorAll('table')].find((t) =>
            t.textContent.includes('accepted')).querySelectorAll('th')].map((h) => h.textContent)"""
        self.open("silicon")
        self.assertIn("error", self.js(heads))
        self.open("study")
        self.assertIn("effect", self.js(heads))
        self.assertNotIn("error", self.js(heads))
        self.assertNotIn("Error against", self.js("document.body.innerText"))

    def test_logarithmic_axes_have_decades_and_leave_out_what_is_not_above_0(self):
        self.open("silicon")
        lines = self.chart("latency: Latency by footprint")
        x, y = self.check_decades(lines["x"]), self.check_decades(lines["y"])
        points = self.js("data.figures[1].series[0].points")
        self.assertEqual(points[0]["measured"], 0)
        wanted = [(p["label"], p[key]) for key in ("measured", "published") for p in points][1:]
        self.assertEqual(len(lines["marks"]), len(wanted))
        for mark, (label, value) in zip(lines["marks"], wanted):
            self.assertAlmostEqual(mark["at"][0], x(float(label)), delta=0.3)
            self.assertAlmostEqual(mark["at"][1], y(value) - 4, delta=0.3)
        self.assertIn("Without 1 value that is not above 0: the axis is logarithmic.", lines["text"])
        scatter = self.chart("power: Cycles by latency")
        y = self.check_decades(scatter["y"])
        self.assertIn("0", scatter["x"])  # linear
        points = self.js("data.figures[2].series[0].points")
        for mark, value in zip(scatter["marks"], [p["measured"] for p in points] + [45000], strict=True):
            self.assertAlmostEqual(mark["at"][1], y(value) - 4, delta=0.3)
        self.assertNotIn("Without", scatter["text"])

    def stats(self, name):
        return json.loads(pathlib.Path(self.folder.name, name, "stats.json").read_text())

    def blocks(self, stats, pattern):
        return [v for k, v in stats["modules"].items() if re.search(rf"\.{pattern}$", k)]

    def close(self, text, value):
        self.assertAlmostEqual(float(text), value, delta=1e-9 * abs(value))

    def test_the_roofline_has_the_runs_instructions_per_byte_of_each_level_and_its_ceilings(self):
        self.open("nuba")
        stats = self.stats("nuba")
        sms, l1s = self.blocks(stats, r"sm\d+"), self.blocks(stats, r"l1_\d+")
        config, title = stats["config"], "Roofline of each level"
        instructions = sum(s["warp_instructions"] for s in sms)
        speed = instructions / stats["time_ns"] * 1e9
        issue = len(sms) * config["sm"]["schedulers"] * config["sm"]["clock_hz"]
        peaks = stats["derived"]["peak_gb_per_s"]
        network = stats["modules"]["system.gpu0.noc"]
        dram = self.blocks(stats, r"dram\d+")
        wanted = {
            "L1": (sum(b["bytes_to_core"] for b in l1s),
                   len(l1s) * config["system"]["line_bytes"] * config["l1"]["clock_hz"] / 1e9),
            "NoC request": (network["request_bytes"], peaks["noc_request"]),
            "NoC response": (network["response_bytes"], peaks["noc_response"]),
            "LLC": (sum(b["bytes_read"] + b["bytes_written"] for b in self.blocks(stats, r"llc\d+")), peaks["llc"]),
            "DRAM": (sum(b["bytes_read"] + b["bytes_written"] for b in dram), peaks["dram"])}
        rows = {r["level"]: r for r in self.csv(title)}
        self.assertEqual(set(rows), {*wanted, "P2P request", "P2P response", "schedulers"})
        self.close(rows["schedulers"]["ceiling there, warp instructions/s"], issue)
        x = self.check_decades(self.chart(title)["x"])
        marks = {m["tip"].split("\n")[0]: m for m in self.chart(title)["marks"] if m["tip"]}
        self.assertEqual(set(marks), set(rows) - {"schedulers"})
        for level, (moved, peak) in wanted.items():
            with self.subTest(level):
                self.close(rows[level]["warp instructions per byte"], instructions / moved)
                self.close(rows[level]["peak GB/s"], peak)
                self.close(rows[level]["share of the ceiling"], speed / (instructions / moved * peak * 1e9))
                self.assertAlmostEqual(marks[level]["at"][0], x(instructions / moved), delta=0.3)
        # Ceilings end where they meet that of the schedulers.
        ends = self.js("""[...document.querySelectorAll('.ceiling')].map((l) => Number(l.getAttribute('x2')))""")
        for end, row in zip(ends, (r for r in rows.values() if r["level"] != "schedulers"), strict=True):
            self.assertAlmostEqual(end, x(issue / float(row["peak GB/s"]) / 1e9), delta=0.3)

    def test_percentiles_of_latency_are_interpolated_in_their_buckets(self):
        for name in ("nuba", "gpus", "mesh"):
            self.open(name)
            stats = self.stats(name)
            all = [b["miss_latency"] for b in self.blocks(stats, r"l1_\d+")]
            count, most = sum(h["count"] for h in all), max(h["max"] for h in all)
            buckets = [sum(h["log2_buckets"][i] for h in all if i < len(h["log2_buckets"])) for i in range(65)]
            title = "Load latency by hop"
            rows = {r["value"]: r for r in self.csv(title)}
            self.close(rows["mean"]["cycles"], sum(h["sum"] for h in all) / count)
            drawn = self.browser.execute_script("""
                const at = (e, k) => Number(e.getAttribute(k));
                const [zero, ...ticks] = [...arguments[0].querySelectorAll('svg > text.start, svg > text.middle')];
                const end = ticks.filter((t) => t.textContent !== 'cycles').pop();
                const scale = (at(end, 'x') - at(zero, 'x')) / Number(end.textContent.replace(/\u202f/g, '').replace('k', '000'));
                return [...arguments[0].querySelectorAll('.bar.plain')].map((b) => at(b, 'width') / scale);""", self.panel(title))
            for share, width in zip((0.5, 0.9, 0.99), drawn[-3:], strict=True):
                rank, i, before = share * count, 0, 0
                while before + buckets[i] < rank:
                    before += buckets[i]
                    i += 1
                low, high = 2 ** (i - 1) if i else 0, min(2 ** i, most)
                row = rows[f"p{100 * share:g}"]
                with self.subTest(f"{name}, {row['value']}"):
                    self.close(row["cycles"], low + (high - low) * (rank - before) / buckets[i])
                    self.assertEqual((float(row["at least"]), float(row["at most"])), (low, high))
                    self.assertAlmostEqual(width, float(row["cycles"]), delta=0.01 * most)
            hops = [float(r["cycles"]) for r in self.csv(title) if r["value"] not in ("mean", "p50", "p90", "p99", "longest")]
            # The LLC's is divided, and the rounding belongs to the last one.
            self.close(sum(hops), sum(stats["derived"]["latency_breakdown"].values()))
            self.close(sum(hops), sum(h["sum"] for h in all) / count)
            self.assertIn("interpolated in its bucket", self.js("document.body.innerText"))

    def test_energy_has_a_bar_for_each_component_by_cause(self):
        self.open("nuba")
        energy = self.stats("nuba")["energy"]
        parts = [p for p in energy.values() if isinstance(p, dict) and p.get("total_j")]
        [title] = [t for t in self.js("[...document.querySelectorAll('h3')].map((h) => h.textContent)") if t.startswith("Energy: ")]
        rows = self.csv(title)
        most = max(p["total_j"] for p in parts)
        bars = self.browser.execute_script("""
            const all = [...arguments[0].querySelectorAll('.bar[data-tip]')].map((b) => Number(b.getAttribute('width')));
            return [all, Number(arguments[0].querySelector('.track').getAttribute('width'))];""", self.panel(title))
        for i, (row, part) in enumerate(zip([r for r in rows if r["total, J"]], parts, strict=True)):
            self.close(row["events, J"], part["dynamic_j"])
            self.close(row["leakage and clocks, J"], part["static_j"])
            self.close(row["share"], part["total_j"] / energy["total_j"])
            for k, cause in enumerate(("dynamic_j", "static_j")):
                self.assertAlmostEqual(bars[0][2 * i + k], bars[1] * part[cause] / most, delta=0.1)

    def test_a_component_without_an_energy_model_has_words_instead_of_a_bar(self):
        def change(data):
            data["stats"]["energy"]["page_walker"] = {"not_modelled": "no figures"}
        self.open_changed("nuba", change)
        [title] = [t for t in self.js("[...document.querySelectorAll('h3')].map((h) => h.textContent)") if t.startswith("Energy: ")]
        panel = self.panel(title)
        self.assertIn("not modelled", panel.text)
        names = [e.text for e in panel.find_elements("css selector", "svg > text.name")]
        self.assertEqual(names, ["SM", "L1", "LLC", "NoC", "DRAM", "page walker"])
        self.assertEqual(len(panel.find_elements("css selector", ".track")), 5)
        self.assertEqual(self.csv(title)[-1], {"component": "page walker", "events, J": "", "leakage and clocks, J": "", "total, J": "", "share": ""})

    def test_pages_and_bytes_of_each_memory_have_their_balance(self):
        # The channels of "channels" are those of four GPUs, GPU by GPU.
        for name, memories in (("nuba", r"dram\d+"), ("channels", r"dram\d+"), ("gpus", None)):
            self.open(name)
            stats = self.stats(name)
            uvm = next(v for k, v in stats["modules"].items() if k.endswith(".uvm"))
            pages = [uvm[f"pages_channel{i}"] for i in range(sum(k.startswith("pages_channel") for k in uvm))]
            moved = [sum(b["bytes_read"] + b["bytes_written"] for b in self.blocks(stats, memories or rf"gpu{i}\.dram\d+"))
                     for i in range(1 if memories else len(pages))]
            if memories:
                moved = [b["bytes_read"] + b["bytes_written"] for b in self.blocks(stats, memories)]
            rows = self.csv("Pages and traffic of each memory")
            self.assertEqual([float(r["pages"]) for r in rows], pages)
            self.assertEqual([int(r["bytes"]) for r in rows], moved)
            balance = sum(pages) / len(pages) / max(pages)
            self.assertAlmostEqual(balance, stats["derived"]["page_balance"], places=9)
            short = lambda v: f"{float(f'{v:.3g}'):g}"
            self.assertIn(f"pages {short(balance)}, bytes {short(sum(moved) / len(moved) / max(moved))}.",
                          self.panel("Pages and traffic of each memory").text)

    def cells(self, panel):
        return [[c.text for c in row.find_elements("css selector", "td")]
                for row in panel.find_elements("css selector", "tbody tr")]

    def test_lines_of_source_have_the_counts_of_their_instructions(self):
        self.open("profile")
        profile = self.stats("profile")["profile"]
        stalled = sum(i["stall_cycles"] for i in profile["lines"])
        wanted = {f"columns.cu:{i['source_line']}": i for i in profile["lines"]}
        self.assertEqual(len(wanted), 4)
        panel = self.panel("Lines of source")
        heads = [e.text.strip(" ▼▲") for e in panel.find_elements("css selector", "th")]
        digits = lambda text: int(text.replace("\u202f", ""))
        rows = [dict(zip(heads, cells)) for cells in self.cells(panel)]
        self.assertEqual(sorted(r["line"] for r in rows), sorted(wanted))
        for r in rows:
            i = wanted[r["line"]]
            self.assertEqual(r["code"], i["source_text"])
            self.assertEqual(r["kernel"], "sums")
            for head, key in (("warp accesses", "warp_accesses"), ("lines", "lines"), ("L1 hits", "load_hits"),
                              ("merges", "load_merges"), ("misses", "load_misses"), ("writes", "stores")):
                self.assertEqual(digits(r[head]), i[key], (r["line"], head))
            for head, value in (("stalled", i["stall_cycles"] / stalled),
                                ("coalesced", i["useful_bytes"] / (128 * i["lines"])),
                                ("remote", (i["remote_misses"] + i["remote_writes"]) / (i["load_misses"] + i["stores"]))):
                # Three digits, rounded.
                shown = float(r[head].removesuffix(" %"))
                self.assertAlmostEqual(shown, 100 * value, msg=(r["line"], head),
                                       delta=0.50001 * 10 ** (math.floor(math.log10(value)) if value else 0))
        widths = [float(w.rstrip("%")) for w in self.browser.execute_script(
            "return [...arguments[0].querySelectorAll('tbody td:nth-child(4) .bar-fill')].map((e) => e.style.width)", panel)]
        for width, r in zip(widths, rows):
            self.assertAlmostEqual(width, 100 * wanted[r["line"]]["stall_cycles"] / stalled, delta=0.006)
        # By stalled time, and after a click by another column, down and up.
        by = lambda key: [r["line"] for r in sorted(rows, key=key)]
        self.assertEqual([r["line"] for r in rows], by(lambda r: -wanted[r["line"]]["stall_cycles"]))
        for _ in range(2):
            panel.find_elements("css selector", "button.sort")[heads.index("line")].click()
            shown = [cells[0] for cells in self.cells(panel)]
            self.assertEqual(shown, sorted(shown, key=lambda n: int(n.split(":")[1]), reverse=bool(_)))

    def test_arrays_have_their_counts_and_pages_their_touchers_and_homes(self):
        for name in ("profile", "pages"):
            self.open(name)
            profile = self.stats(name)["profile"]
            rows = self.cells(self.panel("Arrays"))
            arrays = {a["name"]: a for a in profile["arrays"]}
            self.assertEqual([r[0] for r in rows], sorted(arrays, key=lambda n: -arrays[n]["filled_bytes"]))
            for r in rows:
                a = arrays[r[0]]
                self.assertEqual([int(c.replace("\u202f", "")) for c in r[3:7]],
                                 [a["loads"], a["stores"], a["atomics"], a["load_misses"] + a["load_bypasses"]])
            touchers = profile["touchers"]
            array = max({p["array"] for p in profile["pages"]["list"]},
                        key=lambda n: sum(sum(p["touches"]) for p in profile["pages"]["list"] if p["array"] == n))
            pages = [p for p in profile["pages"]["list"] if p["array"] == array]
            title = f"Pages of {array}"
            self.assertEqual([[int(r["page"]), r["node of the home"], *[int(r[f"accesses of {t[7:]}"]) for t in touchers]]
                              for r in self.csv(title)],
                             [[p["page"], p["home_node"][7:], *p["touches"]] for p in pages])
            panel = self.panel(title)
            shown = self.browser.execute_script("""
                return [...arguments[0].querySelectorAll('rect.page')].map((c) => [Number(c.getAttribute('x')), Number(c.getAttribute('y')),
                    Number(c.style.fillOpacity), c.getAttribute('data-tip')]);""", panel)
            tops = sorted({y for _, y, _, _ in shown})
            self.assertEqual(len(tops), len(touchers))
            # Groups of pages are columns: the accesses of a row are those of its toucher.
            for t, top in enumerate(tops):
                counts = [int(re.search(r"\n([\d\u202f]+) accesses", tip).group(1).replace("\u202f", ""))
                          for _, y, _, tip in shown if y == top]
                self.assertEqual(sum(counts), sum(p["touches"][t] for p in pages))
            most = max(int(re.search(r"\n([\d\u202f]+) accesses", tip).group(1).replace("\u202f", "")) for _, _, _, tip in shown)
            for _, _, opacity, tip in shown:
                n = int(re.search(r"\n([\d\u202f]+) accesses", tip).group(1).replace("\u202f", ""))
                self.assertAlmostEqual(opacity, 0.08 + 0.72 * n / most if n else 0, delta=0.001)
            homes = [int(m.group(1).replace("\u202f", "")) for _, _, _, tip in shown if (m := re.search(r"home of ([\d\u202f]+)", tip))]
            self.assertEqual(sum(homes), len(pages))
            self.assertEqual(len(panel.find_elements("css selector", "rect.home")), len(homes))
        self.open("run")
        self.assertNotIn("Lines of source", self.js("document.body.innerText"))

    def test_misses_are_shown_by_the_places_of_the_sm_and_of_the_home(self):
        for name, level, nodes in (("nuba", "partition", "system.gpu0.partition"), ("gpus", "GPU", "system.gpu")):
            self.open(name)
            stats = self.stats(name)
            found = {tuple(map(int, re.search(r"gpu(\d+)\.l1_(\d+)$", k).groups())): v
                     for k, v in stats["modules"].items() if re.search(r"\.l1_\d+$", k)}
            l1s = [found[k] for k in sorted(found)]
            homes = sum(k.startswith("misses_home") for k in l1s[0])
            per = len(l1s) // homes
            wanted = [[sum(l1s[i][f"misses_home{k}"] for i in range(n * per, n * per + per)) for k in range(homes)] for n in range(homes)]
            matrix = stats["derived"]["misses_by_home"]
            self.assertEqual(matrix["misses"], wanted)
            self.assertEqual(matrix["from"], [f"{nodes}{n}" for n in range(homes)])
            self.assertEqual(matrix["to"], matrix["from"])
            title = f"Misses by {level}"
            self.assertEqual([[int(v) for k, v in r.items() if k != "SM"] for r in self.csv(title)], wanted)
            most = max(map(max, wanted))
            cells = self.browser.execute_script("""
                return [...arguments[0].querySelectorAll('.place')].map((c) => [Number(c.getAttribute('x')), Number(c.getAttribute('y')),
                    Number(c.style.fillOpacity), c.classList.contains('own'), c.getAttribute('data-tip')]);""", self.panel(title))
            step = cells[1][0] - cells[0][0]
            for i, (x, y, opacity, own, tip) in enumerate(cells):
                row, column = divmod(i, homes)
                n = wanted[row][column]
                self.assertAlmostEqual(x, cells[0][0] + step * column, delta=0.2 * homes)
                self.assertAlmostEqual(y, cells[0][1] + step * row, delta=0.2 * homes)
                self.assertAlmostEqual(opacity, 0.06 + 0.64 * n / most if n else 0, delta=0.001)
                self.assertEqual(own, row == column)
                self.assertIn(f"{row} to ", tip.replace("\u202f", ""))
                self.assertIn(f": {n} misses", tip.replace("\u202f", ""))
            self.assertEqual(len(cells), homes * homes)
            total = sum(map(sum, wanted))
            # Served by the own node: all misses of lines that have their home there.
            self.assertAlmostEqual(sum(wanted[n][n] for n in range(homes)) / total,
                                   stats["derived"]["l1_miss_local_fraction"], delta=0.001)
            self.assertEqual(total, sum(b["miss_latency"]["count"] for b in l1s))
        self.open("run")
        self.assertNotIn("Misses by source and home", self.js("document.body.innerText"))

    def test_a_mesh_shows_the_load_of_each_link_on_its_grid(self):
        self.open("mesh")
        noc = self.stats("mesh")["modules"]["system.gpu0.noc"]
        for direction in ("request", "response"):
            title = f"Links of gpu0.noc: {direction}s"
            wanted = {(m[1], m[2]): v for k, v in noc.items()
                      if (m := re.fullmatch(rf"{direction}_(router\d+)_(\w+)_busy_cycles", k))}
            rows = self.csv(title)
            self.assertEqual({(r["router"], r["link to the"]): int(r["busy cycles"]) for r in rows}, wanted)
            links = self.browser.execute_script("""
                return [...arguments[0].querySelectorAll('.link.busy')].map((l) => [...['x1', 'y1', 'x2', 'y2'].map((k) =>
                    Number(l.getAttribute(k))), Number(l.style.strokeOpacity)]);""", self.panel(title))
            at = self.browser.execute_script("""
                return [...arguments[0].querySelectorAll('.router')].map((r) => ['x', 'y', 'width'].map((k) => Number(r.getAttribute(k))));""",
                                             self.panel(title))
            cycles = self.js("stats.time_ns") * self.js("stats.config.mesh.clock_hz") / 1e9
            for row, (x1, y1, x2, y2, opacity) in zip(rows, links, strict=True):
                busy = int(row["busy cycles"])
                self.assertAlmostEqual(opacity, busy / max(wanted.values()), delta=0.001)
                self.close(row["share of the cycles"], busy / cycles) if busy else None
                x, y, size = at[int(row["router"][len("router"):])]
                # From the side of its router, outwards.
                start, end = {"east": ((x1, x + size), x2 - x1), "west": ((x1, x), x1 - x2),
                              "south": ((y1, y + size), y2 - y1), "north": ((y1, y), y1 - y2)}[row["link to the"]]
                self.assertAlmostEqual(*start, delta=0.2)
                self.assertGreater(end, 5)
        self.open("nuba")
        self.assertNotIn("Mesh", self.js("[...document.querySelectorAll('h2')].map((h) => h.textContent)"))

    def test_a_comparison_shows_what_each_point_spent_and_links_to_its_report(self):
        self.open("compare")
        document = json.loads(pathlib.Path(self.folder.name, "compare/compare.json").read_text())
        points = {(p["workload"], p["platform"]): p for p in document["points"]}
        energy, hops, waits = (self.csv(t) for t in ("Energy by component", "Latency by hop", "Waits by level"))
        self.assertEqual([(r["workload"], r["platform"]) for r in energy],
                         [(w, p) for w in ("vecadd", "mm") for p in ("uba-mem", "uba-mem-small")])
        for rows in zip(energy, hops, waits, strict=True):
            point = points[rows[0]["workload"], rows[0]["platform"]]
            base = points[rows[0]["workload"], "uba-mem"]
            for name, part in (("DRAM", "dram"), ("SM", "sm"), ("NoC", "noc")):
                self.close(rows[0][name], point["energy"][part]["total_j"] / base["energy"]["total_j"])
            llc = [float(rows[1][name]) for name in rows[1] if name.startswith("LLC") and rows[1][name]
                   and name != "LLC return"]
            self.close(sum(llc), point["derived"]["latency_breakdown"]["llc"])
            self.assertGreater(float(rows[2]["sum"]), 0)
        # Bars are as high as their values.
        heights = self.browser.execute_script("""return [...arguments[0].querySelectorAll('rect.bar')]
            .filter((b) => !b.closest('.legend')).map((b) => Number(b.getAttribute('height')));""", self.panel("Energy by component"))
        values = [float(r[name]) for r in energy for name in list(r)[2:-1] if r[name]]
        scale = max(heights) / max(values)
        for height, value in zip(heights, values, strict=True):
            self.assertAlmostEqual(height, scale * value, delta=0.2)
        links = self.js("[...document.querySelectorAll('td a')].map((a) => a.getAttribute('href'))")
        self.assertEqual(links, [f"points/{p}-{w}.html" for w in ("vecadd", "mm") for p in ("uba-mem", "uba-mem-small")])
        for link in links:
            self.browser.get(f"file://{self.folder.name}/compare/{link}")
            self.assertEqual(self.browser.get_log("browser"), [])
            platform, workload = link[len("points/"):-len(".html")].rsplit("-", 1)
            self.assertEqual(self.js("document.querySelector('h1').textContent"), f"{workload} on {platform}")
            self.assertEqual(self.js("stats.cycles"), points[workload, platform]["cycles"])
            # Of the dictionary, as in a run's own report.
            self.assertEqual(self.js("aboutOf('system.gpu0.l1_0', 'load_hits')"), ["access", "loads that hit"])

    def test_tables_below_charts_have_the_rows_of_the_csv(self):
        for name in ("run", "mesh", "compare"):
            self.open(name)
            panels = self.browser.find_elements("css selector", ".panel:has(> details.numbers)")
            self.assertGreaterEqual(len(panels), 3)
            for panel in panels:
                title = panel.find_element("css selector", "h3").text
                rows = len(panel.find_elements("css selector", "details.numbers tbody tr"))
                with self.subTest(f"{name}: {title}"):
                    self.assertEqual(rows, len(self.csv(title)))

    def test_the_verdict_of_a_claim_is_visible_without_scrolling(self):
        for name in ("study", "silicon"):
            for width in (1300, 390):
                with self.subTest(f"{name} at {width}"):
                    self.open(name, width=width)
                    boxes = self.js("""[...document.querySelectorAll('.claims td:nth-child(2), .claims th:nth-child(2)')].map((c) => {
                        const range = document.createRange();
                        range.selectNodeContents(c);
                        const [own, clip] = [range.getBoundingClientRect(), c.closest('.scroll').getBoundingClientRect()];
                        return [c.textContent, own.left - clip.left, clip.right - own.right, innerWidth - own.right];})""")
                    self.assertEqual(boxes[0][0], "verdict")
                    self.assertEqual(len(boxes), 1 + len(self.js("data.claims")))
                    for verdict, left, right, window in boxes:
                        self.assertGreaterEqual(min(left, right, window), 0, verdict)
                    if width == 1300:
                        self.assertEqual(self.js("""(() => { const s = document.querySelector('.claims .scroll');
                            return s.scrollWidth - s.clientWidth; })()"""), 0)

    def open_changed(self, name, change):
        """Opens a report with changed data."""
        source = pathlib.Path(self.folder.name, name, "report.html").read_text()
        begin = source.index('id="data">') + len('id="data">')
        end = source.index("</script>", begin)
        data = json.loads(source[begin:end])
        change(data)
        folder = pathlib.Path(self.folder.name, name + "-changed")
        folder.mkdir(exist_ok=True)
        (folder / "report.html").write_text(source[:begin] + json.dumps(data).replace("<", "\\u003c") + source[end:])
        self.open(folder.name)

    def test_an_explanation_is_below_the_heading(self):
        for name in ("run", "compare"):
            def change(data):
                data["explanation"] = ["The <b>NoC</b> limits it.", "Second line."]
            self.open(name)
            first = self.js("document.querySelector('header + .explanation p').textContent")
            self.assertRegex(first, "^(Bound by |No resource )" if name == "run" else " takes .* cycles and ")
            self.open_changed(name, change)
            self.assertEqual(self.js("[...document.querySelectorAll('header + .explanation p')].map((p) => p.textContent)"),
                             ["The <b>NoC</b> limits it.", "Second line."])

    def document(self, name):
        return json.loads(pathlib.Path(self.folder.name, name, "sweep.json").read_text())

    def pick(self, title, label, name):
        """Chooses a name in a list of the chart of this title."""
        self.browser.execute_script("""
            const [panel, label, name] = arguments;
            const choice = [...panel.querySelectorAll('.choose label')].find((l) => l.textContent.startsWith(label)).querySelector('select');
            choice.value = [...choice.options].findIndex((o) => o.text === name);
            choice.dispatchEvent(new Event('change'));""", self.panel(title), label, name)

    def place(self, selector, index=0):
        """The middle of an element in the window."""
        return self.browser.execute_script("""
            const e = document.querySelectorAll(arguments[0])[arguments[1]];
            e.scrollIntoView({block: 'center'});
            const box = e.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];""", selector, index)

    def mouse(self, kind, x, y):
        self.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1,
                 buttons=0 if kind == "mouseReleased" else 1)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def csv(self, title):
        self.browser.execute_script("""
            window.download = (title, kind, text) => { window.saved = text; };
            [...arguments[0].querySelectorAll('.downloads button')].find((b) => b.textContent === 'CSV').click();""",
                                    self.panel(title))
        return list(csv.DictReader(io.StringIO(self.js("window.saved"))))

    def test_the_marks_of_a_sweeps_front_are_the_documents_front(self):
        document = self.document("sweep")
        designs = document["designs"]
        self.open("sweep")
        for across, up in (("time", "energy"), ("time", "capacity"), ("capacity", "energy")):
            self.pick("Designs by objectives", "across", across)
            self.pick("Designs by objectives", "up", up)
            marks = self.js("""[...document.querySelectorAll('.marker.front, .marker.base')].map((m) =>
                [m.getAttribute('data-tip'), ...m.getAttribute('transform').match(/[-0-9.]+/g).slice(0, 2).map(Number)])""")
            self.assertEqual([m[0].split("\n")[0] for m in marks],
                             [f"design {i} (front)" for i in document["front"]] + ["base design"])
            values = [designs[i]["objectives"] for i in document["front"]] + [document["base"]["objectives"]]
            dots = self.js("""[...document.querySelectorAll('circle.dominated')].filter((e) =>
                !e.closest('.legend')).map((e) => [null, Number(e.getAttribute('cx')), Number(e.getAttribute('cy'))])""")
            self.assertEqual(len(dots), len(designs) - len(document["front"]))
            values += [d["objectives"] for d in designs if not d["front"]]
            # Linear axes: positions are proportional to values.
            for name, key in ((across, 1), (up, 2)):
                at = sorted((v[name], m[key]) for v, m in zip(values, marks + dots))
                (first, begin), (last, end) = at[0], at[-1]
                self.assertEqual(begin < end, key == 1)
                for value, position in at:
                    self.assertAlmostEqual(position, begin + (value - first) * (end - begin) / (last - first), delta=0.2)
        self.assertEqual([r["design"] for r in self.csv("Designs by objectives")],
                         ["base"] + [str(d["id"]) for d in designs])

    def test_the_means_over_two_parameters_are_exact(self):
        self.open("sweep")
        for across, up, objective in (("llc.latency_cycles", "platform", "energy"), ("llc.sets", "llc.replacement", "time")):
            for label, name in (("across", across), ("up", up), ("across", across), ("objective", objective)):
                self.pick("Mean over two parameters", label, name)
            cells = {}
            for d in self.document("sweep")["designs"]:
                setting = {**d["settings"], "platform": d["platform"]}
                cells.setdefault((str(setting[across]), str(setting[up])), []).append(d["objectives"][objective])
            means = {key: sum(v) / len(v) for key, v in cells.items()}
            rows = self.csv("Mean over two parameters")
            self.assertEqual({(r[across], r[up]): float(r["mean of " + objective]) for r in rows}, means)
            self.assertEqual({r["designs"] for r in rows}, {"4"})
            tips = [t for t in self.tips(self.panel("Mean over two parameters")) if t]
            self.assertEqual(len(tips), len(means))
            for tip in tips:
                x, y, shown = (re.sub(".*: ", "", line) for line in tip.split("\n")[:3])
                self.assertAlmostEqual(float(shown), means[x, y], delta=0.005 * means[x, y])
            least = min(means.values())
            best = {key for key, v in means.items() if v == least != max(means.values())}
            self.assertEqual({tuple(re.sub(".*: ", "", line) for line in t.split("\n")[:2])
                              for t in tips if "best mean" in t}, best)

    def test_the_copied_configuration_of_a_design_is_the_design(self):
        document = self.document("sweep")
        self.open("sweep")
        self.browser.execute_script("""Object.defineProperty(navigator, 'clipboard', {value: {writeText: (text) => {
            window.copied = text;
            return Promise.resolve();
        }}})""")
        file = pathlib.Path(self.folder.name, "copied.json")
        for design in [document["designs"][i] for i in document["front"]] + [document["designs"][0]]:
            self.browser.execute_script("""
                const [id, front] = arguments;
                if (!front) document.querySelector('.search input[type=checkbox]').click();
                [...document.querySelectorAll('button.pick')].find((b) => b.textContent === String(id)).click();
                document.querySelector('#chosen .downloads button').click();""", design["id"], design["front"])
            file.write_text(self.js("copied"))
            self.assertEqual(self.js("copied"), self.js("document.querySelector('#chosen pre.file').textContent"))
            self.assertEqual(json.loads(file.read_text())["base"], design["platform"])
            printed = subprocess.run([TESSERA, "config", file], check=True, capture_output=True, text=True)
            self.assertEqual(printed.stderr, "")
            config = json.loads(printed.stdout)
            for path, value in {**design["settings"], "llc.queue_depth": 8, "system.channel_bytes": 64 << 20}.items():
                group, name = path.split(".")
                self.assertEqual(config[group][name], value)
            commands = self.js("document.querySelector('#chosen pre.commands').textContent").splitlines()
            self.assertEqual(len(commands), len(design["runs"]))
            for command, run in zip(commands, design["runs"]):
                words = shlex.split(command)
                self.assertEqual(words[:4], ["tessera", "run", design["platform"], run["workload"]])
                for platform, options in ((words[2], words[4:]), (file, [])):
                    again = subprocess.run([TESSERA, "run", platform, words[3], *options, "--json", "--quiet", "--store",
                                            f"{self.folder.name}/again.sqlite"], check=True, capture_output=True, text=True)
                    self.assertEqual(json.loads(again.stdout)["cycles"], run["cycles"])

    def test_a_click_on_a_design_chooses_it(self):
        self.open("sweep")
        title = "document.querySelector('#chosen th').textContent"
        # Designs at one place share a name.
        names = self.js("""[...document.querySelector('.marker.front').closest('.plot').querySelectorAll('text.halo')]
            .flatMap((e) => e.textContent.split(', '))""")
        self.assertEqual(sorted(names), sorted(["base"] + [str(i) for i in self.document("sweep")["front"]]))
        self.assertEqual(self.js(title), f"design {self.document('sweep')['front'][0]} (front)")
        self.click(*self.place(".marker.base"))
        self.assertEqual(self.js(title), "base design")
        self.assertEqual(json.loads(self.js("document.querySelector('#chosen pre.file').textContent")),
                         {"base": "uba-mem-small", "llc": {"queue_depth": 8}, "system": {"channel_bytes": "64M"}})

    def test_a_drag_along_an_axis_selects_designs(self):
        self.open("sweep")
        document = self.document("sweep")
        lines = """[...document.querySelectorAll('path.design')].filter((e) =>
            !/chosen|hovered/.test(e.getAttribute('class'))).length"""
        fronts = "document.querySelectorAll('path.design.front').length"
        self.assertEqual(self.js(lines), len(document["designs"]))
        self.assertEqual(self.js(fronts), len(document["front"]))
        names = self.js("""[...document.querySelectorAll('path.design')][0].closest('svg').querySelectorAll('text.name.halo').length""")
        self.assertEqual(names, 4 + 3)
        # The first axis has the platforms; its lower end has the first one.
        x, y = self.place(".grip")
        self.mouse("mousePressed", x, y + 40)
        self.mouse("mouseMoved", x, y + 60)
        self.mouse("mouseMoved", x, y + 140)
        self.mouse("mouseReleased", x, y + 140)
        wanted = [d for d in document["designs"] if d["platform"] == "uba-mem-small"]
        self.assertEqual(self.js(lines), len(wanted))
        self.assertEqual(self.js(fronts), sum(d["front"] for d in wanted))
        self.assertIn(f"{len(wanted)} of {len(document['designs'])} designs selected", self.panel("Parameters and objectives").text)
        self.click(*self.place(".grip"))
        self.assertEqual(self.js(lines), len(document["designs"]))

    def test_bars_of_effects_are_as_long_as_their_shares(self):
        self.open("sweep")
        for s in self.document("sweep")["sensitivity"]:
            panel = self.panel(f"Effects on {s['objective']}")
            bars = self.browser.execute_script("""
                const all = (c) => [...arguments[0].querySelectorAll(c)].map((e) => [e.getAttribute('data-tip').split('\\n')[0], Number(e.getAttribute('width'))]);
                return [all('.track')[0][1], Object.fromEntries(all('.bar'))];""", panel)
            self.assertEqual(len(bars[1]), len(s["main"]))
            for m in s["main"]:
                self.assertAlmostEqual(bars[1][m["parameter"]], max(1, m["share"] * bars[0]), delta=0.2)
            listed = [r.text for r in panel.find_elements("css selector", "tbody tr td:first-child")]
            largest = sorted((i for i in s["interactions"] if i["share"] >= 0.0005), key=lambda i: -i["share"])
            self.assertEqual(listed, [" \u00d7 ".join(i["parameters"]) for i in largest[:8]])

    def test_failed_and_refused_designs_have_their_reasons(self):
        self.open("broken")
        document = self.document("broken")
        self.assertEqual((len(document["failed"]), len(document["invalid"])), (1, 2))
        rows = self.js("""[...[...document.querySelectorAll('section')].pop().querySelectorAll('tbody tr')].map((r) =>
            [...r.cells].map((c) => c.textContent))""")
        self.assertEqual([r[0] for r in rows], [str(document["failed"][0]["design"]), "refused", "refused"])
        self.assertEqual([r[4] for r in rows], [" ".join(line.strip() for line in f["error"].split("\n")[:2])
                                                  for f in document["failed"] + document["invalid"]])
        self.assertIn("1 run failed", self.js("document.body.innerText"))
        self.open("sweep")
        self.assertNotIn("refused designs", self.js("document.body.innerText"))
        self.assertEqual(self.js("document.querySelector('h1').textContent"), "Sizes <b>of</b> caches")

    def test_a_sweep_of_ten_thousand_designs_draws_a_part_of_them_and_finds_all(self):
        self.open("sweep")
        # Copies of the designs with other objectives, so that the front stays.
        page = pathlib.Path(self.folder.name, "sweep/report.html").read_text()
        begin = page.index('id="data">') + len('id="data">')
        end = page.index("</script>", begin)
        data = json.loads(page[begin:end])
        own = data["designs"]
        dominated = [d for i, d in enumerate(own) if i not in data["front"]]
        for i in range(10000 - len(own)):
            platform, settings, values, runs = dominated[i % len(dominated)]
            data["designs"].append([platform, settings, [v * (1 + i * s) for v, s in zip(values, (1e-5, 1e-4, -1e-6))], runs])
        folder = pathlib.Path(self.folder.name, "large")
        folder.mkdir()
        (folder / "report.html").write_text(page[:begin] + json.dumps(data).replace("<", "\\u003c") + page[end:])
        self.open("large")
        self.assertLess(self.js("document.querySelectorAll('*').length"), 10000)
        self.assertEqual(self.js("document.querySelectorAll('.marker.front').length"), len(data["front"]))
        text = self.js("document.body.innerText").replace("\u202f", "")
        self.assertIn(f"2000 of {10000 - len(data['front'])} dominated designs", text)
        self.assertRegex(text, r"10000 of 10000 designs selected, .* 4\d\d are drawn")
        self.assertEqual(len(self.csv("Designs by objectives")), 10001)
        # A design that is not drawn.
        undrawn = self.js("complete.filter((d) => !d.front).filter((d, i, all) => !thinned(all, 2000).includes(d)).pop().id")
        self.browser.execute_script("choose(designs[arguments[0]])", undrawn)
        x, y = self.place("circle.chosen", 1)
        self.mouse("mouseMoved", x, y)
        self.assertRegex(self.js("document.querySelector('.tip').textContent"), r"^design \d+\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
