#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types commands into an interactive shell and presses TAB. Usage: completion_test.py bash|zsh SHELL
TESSERA, where SHELL is the shell's path; exit status 77 (skipped) if there is none."""

import os
import pathlib
import pty
import re
import select
import sys
import tempfile
import time
import unittest

NAME, SHELL, TESSERA = sys.argv[1:4]
if not os.access(SHELL, os.X_OK):
    print(f"skipped: there is no {NAME} here")
    sys.exit(77)

SETUP = {
    # Ctrl-G prints the line; Ctrl-U clears it. No prompt, no bell, no colours.
    "bash": """
PS1= ; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'
bind 'set show-all-if-ambiguous off'; bind 'set completion-query-items 10000'
bind 'set page-completions off'
show() {{ printf '\\nLINE<%s>\\n' "$READLINE_LINE"; }}
bind -x '"\\C-g": show'
PATH={folder}:$PATH; source <(tessera completion bash)
""",
    "zsh": """
PS1= ; unsetopt beep zle_bracketed_paste prompt_sp list_ambiguous auto_menu 2>/dev/null; LISTMAX=10000
zstyle ':completion:*' insert-unambiguous true
autoload -Uz compinit; compinit -u -D
show() {{ printf '\\nLINE<%s>\\n' "$BUFFER" }}
zle -N show; bindkey '^G' show; bindkey '^U' kill-whole-line
PATH={folder}:$PATH; source <(tessera completion zsh)
""",
}
ARGUMENTS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        (cls.folder / "tessera").symlink_to(TESSERA)
        (cls.folder / "results").mkdir()
        for name in ["mine.json", "results/own.json", "a,b.json"]:
            (cls.folder / name).write_text("{}")
        cls.pid, cls.terminal = pty.fork()
        if cls.pid == 0:
            os.chdir(cls.folder)
            os.environ.update(TERM="dumb", HOME=str(cls.folder), HISTFILE="")
            os.execv(SHELL, ARGUMENTS[NAME])
        cls.type(SETUP[NAME].format(folder=cls.folder) + "echo REA''DY\n")
        cls.read_until(r"READY")

    @classmethod
    def tearDownClass(cls):
        os.close(cls.terminal)
        os.waitpid(cls.pid, 0)
        cls.scratch.cleanup()

    @classmethod
    def type(cls, text):
        os.write(cls.terminal, text.encode())

    @classmethod
    def read_until(cls, pattern, seconds=20):
        """Text up to a match of the pattern, which it returns."""
        text = ""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([cls.terminal], [], [], 0.1)[0]:
                text += os.read(cls.terminal, 65536).decode(errors="replace")
                found = re.search(pattern, text)
                if found:
                    return found
        raise AssertionError(f"the shell did not respond: {text!r}")

    def completed(self, line, key="\t"):
        """The line after the key."""
        self.type(line + key + "\x07")
        result = self.read_until(r"LINE<([^>]*)>").group(1)
        self.type("\x15")
        return result

    def test_verbs_and_options(self):
        self.assertEqual(self.completed("tessera compa"), "tessera compare ")
        self.assertEqual(self.completed("tessera run --val"), "tessera run --values ")
        self.assertEqual(self.completed("tessera run --scale pa"), "tessera run --scale paper ")
        self.assertEqual(self.completed("tessera run --scale=pa"), "tessera run --scale=paper ")

    def test_platforms_and_workloads(self):
        self.assertEqual(self.completed("tessera run uba-sm-"), "tessera run uba-sm-small ")
        self.assertEqual(self.completed("tessera run uba-mem vecad"), "tessera run uba-mem vecadd ")
        self.assertEqual(self.completed("tessera compare nuba,uba-sm-"),
                         "tessera compare nuba,uba-sm-small ")
        self.assertEqual(self.completed("tessera run mine"), "tessera run mine.json ")
        self.assertEqual(self.completed("tessera study nub"), "tessera study nuba ")

    def test_files_of_a_list(self):
        self.assertEqual(self.completed("tessera compare nuba,min"),
                         "tessera compare nuba,mine.json ")
        self.assertEqual(self.completed("tessera compare nuba,results/ow"),
                         "tessera compare nuba,results/own.json ")
        self.assertEqual(self.completed("tessera compare mine.json,resu"),
                         "tessera compare mine.json,results/")
        self.assertEqual(self.completed("tessera diff a,b"), "tessera diff a,b.json ")

    def test_parameters_and_their_values(self):
        self.assertEqual(self.completed("tessera run uba-mem mm --set l2_"),
                         "tessera run uba-mem mm --set l2_tlb.")
        self.assertEqual(self.completed("tessera run uba-mem mm --set llc.way"),
                         "tessera run uba-mem mm --set llc.ways=")
        self.assertEqual(self.completed("tessera run --set system.page_placement=fir"),
                         "tessera run --set system.page_placement=first-touch ")
        self.assertEqual(self.completed("tessera run --set=noc.kind=cr"),
                         "tessera run --set=noc.kind=crossbar ")

    def test_folders(self):
        self.assertEqual(self.completed("tessera run --out res"), "tessera run --out results/")

    def test_nothing_is_invented(self):
        self.assertEqual(self.completed("tessera run --set llc.ways=8"),
                         "tessera run --set llc.ways=8")
        self.assertEqual(self.completed("tessera nonsense uba-m"), "tessera nonsense uba-m")

    @unittest.skipUnless(NAME == "bash", "readline's insert-completions")
    def test_every_candidate(self):
        # Meta-* inserts all of them.
        self.assertEqual(self.completed("tessera list p", "\x1b*"),
                         "tessera list parameters platforms policies ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
