#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what the structure of the sources promises. Usage: structure_test.py CHECK SOURCE_DIR

role-tests        conditions about a role in the pipelines of LLC slices and L1s: none
header-lines      headers of LLC slices, L1s, SMs and the host's blocks: at most 150 lines
host-craft        noinline, alignas and prefetch in blocks' headers outside kernel, protocol and cache: none
outside-files     references to files that are not in the repository: none
kind-names        names of kinds of blocks in platforms/ outside the shapes, but for KINDS_IN_PLATFORMS: none
file-readers      sources that open files for reading without common/input_file.h: none
test-names        names of test cases with a semicolon, at which CMake parts them into two: none
top-files         tracked files in the source folder itself, but for TOP_FILES: none
"""

import re
import subprocess
import sys
from pathlib import Path

PIPELINES = ["modules/llc/slice_*", "modules/llc/llc_slice.*", "modules/sm/l1_pipeline.h",
             "modules/sm/l1_cache.*", "modules/sm/l1_stages.cpp"]
HEADERS = ["modules/llc/*.h", "modules/llc/roles/*.h", "modules/sm/*.h", "modules/sm/*/*.h",
           "modules/host/*.h"]
MOST_LINES = 150
# Files of this project's planning that are not part of the repository.
OUTSIDE = re.compile(r"design\.md|conventions\.md|(?<![-\w])names\.md|LEDGER\.md|configs\.json|\.\./shared")


# Everything else is in a room's folder. What a command left behind is no source.
TOP_FILES = {".clang-format", ".clang-tidy", ".gitignore", "CMakeLists.txt", "CMakePresets.json",
             "CONTRIBUTING.md", "LICENSE", "README.md"}


def files(root, *patterns):
    """Tracked and new files that match a pattern."""
    names = subprocess.run(
        ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        check=True, capture_output=True, text=True).stdout.split("\n")
    found = [Path(root) / n for n in names if n and (Path(root) / n).is_file()]
    if not found:
        sys.exit(f"no file matches {' '.join(patterns)}: the check would count nothing")
    return found


def without_comments(text):
    """The text with comments blanked; lines keep their numbers."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    return token.sub(lambda m: m.group() if m.group()[0] == '"' else "\n" * m.group().count("\n"), text)


def role_tests(root):
    role = re.compile(r"\bis_home\b|\bis_remote_cache\b|\bcoherent\b|\bis_peer\b|\bis_partition\b|"
                      r"role\(?\)?\s*[!=]=|\bgpus?\b|\bremote_cache\b")
    for f in files(root, *PIPELINES):
        for number, line in enumerate(without_comments(f.read_text()).split("\n"), 1):
            if role.search(re.sub(r'"[^"]*"', '""', line)):
                yield f, number, line.strip()


def header_lines(root):
    for f in files(root, *HEADERS):
        lines = f.read_text().count("\n")
        if lines > MOST_LINES:
            yield f, lines, f"{lines} lines; at most {MOST_LINES}"


def host_craft(root):
    craft = re.compile(r"noinline|alignas|prefetch")
    for f in files(root, "modules/*.h", "platforms/*.h", "policies/*.h"):
        if f.relative_to(root).parts[1] in ("kernel", "protocol", "cache"):
            continue
        for number, line in enumerate(without_comments(f.read_text()).split("\n"), 1):
            if craft.search(line):
                yield f, number, line.strip()


def outside_files(root):
    for f in files(root, "*.h", "*.cpp", "*.md", "*.txt", "*.cmake", "*.py", "scripts/*", "*.json"):
        if f.name == Path(__file__).name:
            continue
        for number, line in enumerate(f.read_text(errors="replace").split("\n"), 1):
            if OUTSIDE.search(line):
                yield f, number, line.strip()


# Kinds that the platform itself needs: home slices and channels, which its debug accesses and page
# moves reach by their numbers; levels of the hierarchy of which it asks whether they are there.
KINDS_IN_PLATFORMS = {("untimed_memory.cpp", "dram"), ("untimed_memory.cpp", "llc"),
                      ("system_build.cpp", "llc"),
                      ("profile_nodes.cpp", "dram"),
                      ("system.cpp", "stack"), ("system_build.cpp", "hmd"), ("simulation.cpp", "hmd"),
                      # The network of a level of the tree.
                      ("unused_parameters.cpp", "ring"), ("raw_bandwidths.cpp", "ring"),
                      ("tree_check.cpp", "noc")}  # the settings of ingress crossbars
# Groups of parameters with the name of a kind, and what is called "l1" beside the kind: a level.
GROUPS_OF_PARAMETERS = ("gpu_config.cpp", "system_config.cpp", "derived.cpp")


def kind_names(root):
    names = set()
    kind = re.compile(r'Site : BlockSite \{\s+static constexpr const char\* kFamily = "(\w+)"|(?:BlockKind k|cache_kind|link_kind)\("(\w+)"')
    for f in files(root, "modules/*.h", "modules/*.cpp"):
        for match in kind.finditer(f.read_text()):
            names.add(match.group(1) or match.group(2))
    if len(names) < 20:
        sys.exit(f"only {len(names)} kinds of blocks found: the check would count nothing")
    quoted = re.compile(r'"(' + "|".join(sorted(names)) + r')"')
    for f in files(root, "platforms/*.h", "platforms/*.cpp"):
        if f.parent.name == "topology" or f.name in GROUPS_OF_PARAMETERS:
            continue
        for number, line in enumerate(without_comments(f.read_text()).split("\n"), 1):
            for match in quoted.finditer(line):
                level = match.group(1) == "l1" and ("level" in line or "Stage" in line or "push_back({" in line)
                if not level and (f.name, match.group(1)) not in KINDS_IN_PLATFORMS:
                    yield f, number, line.strip()


def file_readers(root):
    # fopen(..., "w") and open(..., O_WRONLY) write.
    opens = re.compile(r"\bifstream\b|\bfopen\((?!.*, \"wb?\"\))|(?<!\w)::open\((?!.*\bO_WRONLY\b)|\bstd::fstream\b")
    # The readers themselves; the lock of a file of our own; the kernel's list of this process's pages.
    others = ("common/input_file.cpp", "app/file_lock.cpp", "modules/kernel/huge_pages.cpp")
    for f in files(root, "*.h", "*.cpp"):
        name = str(f.relative_to(root))
        if name in others or name.startswith("tests/"):
            continue
        for number, line in enumerate(without_comments(f.read_text()).split("\n"), 1):
            if opens.search(line):
                yield f, number, line.strip()


def test_names(root):
    name = re.compile(r'TEST_CASE\(\s*("(?:\\.|[^"\\])*"(?:\s*"(?:\\.|[^"\\])*")*)')
    for file in files(root, "tests/*.cpp"):
        text = file.read_text()
        for m in name.finditer(text):
            if ";" in m.group(1):
                yield file, text.count("\n", 0, m.start()) + 1, m.group(1)


def top_files(root):
    names = subprocess.run(["git", "-C", root, "ls-files"], check=True, capture_output=True, text=True).stdout
    top = {n for n in names.split("\n") if n and "/" not in n}
    if not TOP_FILES <= top:
        sys.exit(f"not tracked: {', '.join(sorted(TOP_FILES - top))}")
    for name in sorted(top - TOP_FILES):
        yield Path(root) / name, 1, "has no room"


CHECKS = {"role-tests": role_tests, "header-lines": header_lines, "host-craft": host_craft,
          "outside-files": outside_files, "file-readers": file_readers,
          "kind-names": kind_names, "test-names": test_names,
          "top-files": top_files}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CHECKS:
        sys.exit(__doc__)
    found = list(CHECKS[sys.argv[1]](sys.argv[2]))
    for f, number, text in found:
        print(f"{f.relative_to(sys.argv[2])}:{number}: {text}")
    print(f"{sys.argv[1]}: {len(found)}")
    sys.exit(1 if found else 0)
