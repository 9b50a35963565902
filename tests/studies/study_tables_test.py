#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/study-tables on a small run and page. Usage: study_tables_test.py SCRIPT"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop()
BEGIN = "<!-- study-tables: begin -->"
END = "<!-- study-tables: end -->"

RUN = {
    "scale": "small",
    "seed": 1,
    "values": "functional",
    "window": {"detail": 1000000},
    "summary": {"holds": 1, "direction": 0, "fails": 1, "not_run": 1,
                "effect": {"claims": 2, "mean": 0.5, "median": 0.25}},
    "claims": [
        {"id": "tiny-gain", "what": "gain of a", "where": "Fig. 1", "published": 2.0,
         "measured": 1.5, "effect": 0.585, "verdict": "holds",
         "parts": {"largest": {"published": 4.0, "measured": 3.0, "effect": None}}},
        {"id": "tiny-order", "what": "order", "where": "Sec. 2", "published": ["a", "b"],
         "measured": False, "effect": None, "verdict": "fails"},
        {"id": "tiny-silicon", "what": "on silicon", "where": "Sec. 3", "published": 1.0,
         "measured": None, "effect": None, "verdict": "not_run"},
    ],
}
TABLE = "# tiny\n\n### fig1: gain\n\n| a |\n| --- |\n| 1 |\n"
ROWS = """* **first**: scale small, seed 1, values functional, windows of 1,000,000 thread instructions. \
1 claims hold, 0 hold in direction only, 1 fail. Effect of 2 ratio claims: mean 0.500, median \
0.250 of the published one.

| claim | what | paper | first | effect | verdict |
| --- | --- | --- | --- | --- | --- |
| gain | gain of a (Fig. 1) | 2.00; largest 4.00 | 1.50; largest 3.00 | 0.585 | holds |
| order | order (Sec. 2) | a > b | does not | - | **fails** |
"""


class StudyTables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "page.md"
        self.study = self.folder / "run" / "study.json"
        self.study.parent.mkdir()
        self.study.write_text(json.dumps(RUN))
        (self.study.parent / "table.md").write_text(TABLE)

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, self.page, *arguments],
                              capture_output=True, text=True, check=False)

    def test_what_is_between_the_markers_is_replaced(self):
        self.page.write_text(f"# Page\n\nbefore\n{BEGIN}\nold\nrows\n{END}\nafter\n")
        for _ in range(2):  # the second time, the rows replace themselves
            done = self.run_script(f"first={self.study}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.page.read_text(),
                             f"# Page\n\nbefore\n{BEGIN}\n{ROWS}{END}\nafter\n")
        figures = (self.folder / "results" / "page-first.md").read_text()
        self.assertIn('# Figures of page, run "first"', figures)
        self.assertTrue(figures.endswith("\n## fig1: gain\n\n| a |\n| --- |\n| 1 |\n"), figures)

    def test_a_second_run_has_columns_of_its_own(self):
        second = self.folder / "second" / "study.json"
        second.parent.mkdir()
        second.write_text(json.dumps({**RUN, "scale": "medium", "claims": RUN["claims"][:1]}))
        (second.parent / "table.md").write_text(TABLE)
        self.page.write_text(f"{BEGIN}\n{END}\n")
        done = self.run_script(f"first={self.study}", f"second={second}")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.page.read_text()
        self.assertIn("| first | effect | verdict | second | effect | verdict |", page)
        self.assertIn("| order | order (Sec. 2) | a > b | does not | - | **fails** "
                      "| - | - | not run |", page)

    def test_a_page_without_its_two_markers_is_refused_and_kept(self):
        for text in ("no marker\n", f"{BEGIN}\n", f"{END}\n", f"{END}\n{BEGIN}\n",
                     f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n"):
            with self.subTest(text=text):
                self.page.write_text(text)
                done = self.run_script(f"first={self.study}")
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{self.page} needs one line {BEGIN} and one line {END}",
                              done.stderr)
                self.assertEqual(self.page.read_text(), text)
                self.assertFalse((self.folder / "results").exists())

    def test_a_run_without_a_name_is_bad_usage(self):
        self.page.write_text(f"{BEGIN}\n{END}\n")
        done = self.run_script(str(self.study))
        self.assertEqual(done.returncode, 2)
        self.assertIn("NAME=study.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
