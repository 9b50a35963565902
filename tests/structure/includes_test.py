#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks arrows between rooms against the table in docs/architecture.md, "Rooms and arrows".
Usage: includes_test.py check SOURCE_DIR | includes_test.py self-test

An arrow is an #include of a room's sources, or a link dependency of a room's CMake target. It may
stay in its room, or lead to a room that the table names. The table itself names only rooms of lower
layers and, without cycles and with a reason, sisters (rooms of the same layer) that the room uses. SystemC is included from the layer of modules/kernel upward.

Files of a room on which one of its folders rests (BELOW), as far as the folder includes them, do not include the folder.

Files without blocks (PLAIN, PLAIN_TARGETS, PLAIN_NAMES) reach neither SystemC nor BLOCKS, by any chain of includes.
Headers include nlohmann-json's forward header alone, except JSON_HEADERS.
"""

import re
import sys
import tempfile
from collections import namedtuple
from pathlib import Path, PurePosixPath

TABLE = "docs/architecture.md"
HEADING = "## Rooms and arrows"
SOURCES = (".h", ".cpp", ".h.in", ".cpp.in")
# Targets of cmake/ and CMakeLists.txt that have no room: compiler settings.
SETTINGS = {"tessera_flags", "tessera_lto"}
KERNEL = "modules/kernel"
# Folders of a room that include files beside them: topology reads the configuration.
BELOW = {"platforms/topology": "platforms"}

# Files that define, make and connect no block: folders, the sources of targets, and ends of names.
PLAIN = ["common/", "policies/", "stimuli/", "studies/", "app/", "modules/power/", "platforms/topology/",
         "tests/common/", "tests/policies/", "tests/stimuli/", "tests/studies/", "tests/app/"]
PLAIN_TARGETS = {"tessera_configuration"}
PLAIN_NAMES = ("_config",)
# Of these folders: sc_main, the handler of SystemC's reports, a user's platform.
NOT_PLAIN = ("app/main.cpp", "app/systemc_reports.cpp", "tests/app/install/")
BLOCKS = ("modules/kernel/block.h", "modules/kernel/block_base.h")
# The second is the result of a run, of which every user reads the document.
JSON_HEADERS = ("common/json.h", "platforms/run_result.h")
JSON = ("nlohmann/json.hpp", "common/json.h")
SYSTEM_C = re.compile(r"(systemc|tlm|sysc|tlm_utils|tlm_core)(\.h)?(/|$)")

Room = namedtuple("Room", "layer named reasons line")  # named: rooms that it may include
Arrow = namedtuple("Arrow", "room to file line what")
Fault = namedtuple("Fault", "file line text")


def read_table(root):
    """Rooms of the table by name, in its order; "modules/*" is expanded. Exits if there is none."""
    rooms = {}
    lines = (root / TABLE).read_text().split("\n")
    if HEADING not in lines:
        sys.exit(f"{TABLE} has no section '{HEADING}'")
    first = lines.index(HEADING) + 1
    for number, line in enumerate(lines[first:], first + 1):
        if line.startswith("## "):
            break
        cells = [c.strip() for c in line.strip("|").split("|")]
        if not line.startswith("|") or not cells[0].isdigit():
            continue
        name, named = re.findall(r"`([^`]+)`", cells[1])[0], re.findall(r"`([^`]+)`", cells[2])
        rooms[name] = Room(int(cells[0]), named, cells[3] if len(cells) > 3 else "", number)
    if not rooms:
        sys.exit(f"{TABLE}: the section '{HEADING}' has no rows")

    def expand(room):
        for name in rooms[room].named:
            if name.endswith("/*"):
                yield from (r for r in rooms if r.startswith(name[:-1]) and r != room)
            else:
                yield name

    return {r: room._replace(named=set(expand(r))) for r, room in rooms.items()}


def room_of(rooms, path):
    """The room of a path: the longest name that it begins with; None outside of the rooms."""
    parents = [str(p) for p in PurePosixPath(path).parents]
    return next((p for p in parents if p in rooms), None)


def tops(rooms):
    """Folders of the root that have rooms."""
    return sorted({r.split("/")[0] for r in rooms})


def source_files(root, rooms):
    """Names and texts of the sources below the folders of the rooms."""
    for top in tops(rooms):
        for f in sorted((root / top).rglob("*")):
            if f.name.endswith(SOURCES) and f.is_file():
                yield f.relative_to(root).as_posix(), f.read_text()


def includes(root, rooms):
    """Arrows of #include lines, and faults of files without a room and of SystemC's headers."""
    line_of = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
    for name, text in source_files(root, rooms):
        room = room_of(rooms, name)
        if room is None:
            yield Fault(name, 1, "is in no room of the table")
            continue
        for number, line in enumerate(text.split("\n"), 1):
            found = line_of.match(line)
            if not found:
                continue
            own, system = found.groups()
            if system:
                if (KERNEL in rooms and rooms[room].layer < rooms[KERNEL].layer
                        and SYSTEM_C.match(system)):
                    yield Fault(name, number, f"{room} is below {KERNEL} and includes SystemC's <{system}>")
                continue
            # From the root, or from the file's folder.
            beside = (root / name).parent / own
            if not (root / own).exists() and beside.exists():
                own = beside.resolve().relative_to(root.resolve()).as_posix()
            to = room_of(rooms, own)
            if to is None:
                if own.split("/")[0] in tops(rooms):
                    yield Fault(name, number, f'"{own}" is in no room of the table')
                continue
            yield Arrow(room, to, name, number, f'includes "{own}"')


def below(root, rooms):
    """Faults of files that a folder of BELOW includes, directly or by each other, and that include the folder."""
    line_of = re.compile(r'\s*#\s*include\s*"([^"]+)"')
    included = {}
    for name, text in source_files(root, rooms):
        found = ((n, line_of.match(line)) for n, line in enumerate(text.split("\n"), 1))
        included[name] = [(n, m.group(1)) for n, m in found if m]
    for folder, room in BELOW.items():
        inside = folder + "/"
        seen, files = set(), [f for f in included if f.startswith(inside)]
        while files:
            for _, to in included[files.pop()]:
                # What a header declares is defined in the file beside it.
                for f in (to, str(PurePosixPath(to).with_suffix(".cpp"))):
                    if room_of(rooms, f) == room and not f.startswith(inside) and f in included and f not in seen:
                        seen.add(f)
                        files.append(f)
        for f in sorted(seen):
            for number, to in included[f]:
                if to.startswith(inside):
                    yield Fault(f, number, f'{folder} rests on this file, which includes "{to}"')


def include_graph(root, rooms):
    """Of each source of the rooms and of the tests: its includes in order, as line, name, and whether it is a file."""
    line_of = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')
    tests = ((f.relative_to(root).as_posix(), f.read_text()) for f in sorted((root / "tests").rglob("*"))
             if f.name.endswith(SOURCES) and f.is_file())
    texts = dict([*source_files(root, rooms), *tests])
    graph = {}
    for name, text in texts.items():
        graph[name] = []
        for number, line in enumerate(text.split("\n"), 1):
            found = line_of.match(line)
            if not found:
                continue
            to = found.group(1)
            beside = str(PurePosixPath(name).parent / to)
            to = to if to in texts or beside not in texts else beside
            graph[name].append((number, to, to in texts))
    return graph


def plain_sources(root):
    """Sources of PLAIN_TARGETS."""
    for f in sorted(root.glob("*/CMakeLists.txt")):
        for _, _, args in commands(f.read_text(), "tessera_library", "tessera_policy_library"):
            if args[0] in PLAIN_TARGETS:
                yield from (f"{f.parent.name}/{a}" for a in args[1:] if a.endswith(".cpp"))


def reach(root, rooms):
    """Faults of files without blocks that reach SystemC or a block, and of headers that include JSON's."""
    graph = include_graph(root, rooms)
    of_targets = set(plain_sources(root))

    def plain(name):
        if name.startswith(NOT_PLAIN):
            return False
        stem = name.rsplit("/", 1)[-1].split(".")[0]
        return name in of_targets or name.startswith(tuple(PLAIN)) or stem.endswith(PLAIN_NAMES)

    def chain(name, goal):
        """The includes by which a file reaches a goal: the shortest list of names; None if it does not."""
        ways, seen = [[name]], {name}
        for way in ways:
            if goal(way[-1]):
                return way
            for _, to, _ in graph.get(way[-1], []):
                if to not in seen:
                    seen.add(to)
                    ways.append([*way, to])
        return None

    for name, found in graph.items():
        room = room_of(rooms, name)
        for number, to, is_file in found:
            if name.endswith(".h") and room and name not in JSON_HEADERS and to in JSON:
                yield Fault(name, number, f'a header includes "{to}": "common/json_fwd.h" has its names')
            # The first arrow of a chain that leaves these files is the fault; includes() reports SystemC's in low rooms.
            if not plain(name) or (is_file and plain(to)):
                continue
            low = KERNEL in rooms and room and rooms[room].layer < rooms[KERNEL].layer
            for what, goal in (("SystemC", lambda n: n not in graph and SYSTEM_C.match(n)),
                               ("blocks", lambda n: n in BLOCKS)):
                way = chain(to, goal)
                if way and (is_file or not low):
                    yield Fault(name, number, f"a file without blocks reaches {what}: {' > '.join(way)}")
                    break


def commands(text, *names):
    """Calls of CMake commands without comments: line and arguments."""
    text = re.sub(r"#[^\n]*", "", text)
    for found in re.finditer(rf"\b({'|'.join(names)})\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text):
        yield text.count("\n", 0, found.start()) + 1, found.group(1), found.group(2).split()


def links(root, rooms):
    """Arrows of the CMake targets of the rooms, and faults of targets without one room."""
    room_of_target, alias, depends, faulty = {}, {}, [], set()
    for top in tops(rooms):
        for f in sorted((root / top).rglob("CMakeLists.txt")):
            name = f.relative_to(root).as_posix()
            text = f.read_text()
            here = room_of(rooms, name)
            for line, _, args in commands(text, "tessera_library", "tessera_policy_library"):
                target, rest = args[0], args[1:]
                at = rest.index("DEPENDS") if "DEPENDS" in rest else len(rest)
                sources = [a for a in rest[:at]
                           if a not in ("COLD", "SOURCES", "PLAIN") and not a.startswith("${")]
                paths = [(f.parent / s).resolve().relative_to(root.resolve()).as_posix() for s in sources]
                of = {room_of(rooms, p) for p in paths} or {here}
                if len(of) != 1 or None in of:
                    faulty.add(target)
                    yield Fault(name, line, f"{target} has sources of {' and '.join(sorted(map(str, of)))}")
                    continue
                room_of_target[target] = of.pop()
                depends += [(target, d, name, line) for d in rest[at + 1:]]
            for line, _, args in commands(text, "add_executable"):
                if "ALIAS" not in args and "${" not in args[0] and here is not None:
                    room_of_target[args[0]] = here
            for line, _, args in commands(text, "add_library"):
                if args[1:2] == ["ALIAS"]:
                    alias[args[0]] = args[2]
            for line, _, args in commands(text, "target_link_libraries"):
                depends += [(args[0], d, name, line) for d in args[1:]
                            if d not in ("PUBLIC", "PRIVATE", "INTERFACE")]
    for target, dependency, name, line in depends:
        dependency = alias.get(dependency, dependency)
        room, to = room_of_target.get(target), room_of_target.get(dependency)
        if room is None or dependency in SETTINGS | faulty or not dependency.startswith("tessera_"):
            continue
        if to is None:
            yield Fault(name, line, f"{target} links {dependency}, which no room's CMakeLists.txt makes")
            continue
        yield Arrow(room, to, name, line, f"{target} links {dependency}")


def why_not(rooms, room, to):
    """What is wrong with an arrow, or None."""
    if to == room or to in rooms[room].named:
        return None
    if rooms[to].layer > rooms[room].layer:
        return "points up"
    kind = "sister room" if rooms[to].layer == rooms[room].layer else "lower room"
    return f"{kind} that the table does not name"


def table_faults(root, rooms):
    for name, room in rooms.items():
        if not (root / name).is_dir():
            yield Fault(TABLE, room.line, f"{name} is not a folder")
        for to in sorted(room.named):
            if to not in rooms:
                yield Fault(TABLE, room.line, f"{name} names {to}, which is not a room")
            elif rooms[to].layer == room.layer and not room.reasons:
                yield Fault(TABLE, room.line, f"{name} names its sister {to} without a reason")
            elif rooms[to].layer > room.layer:
                yield Fault(TABLE, room.line, f"{name} names {to}, which is above it")

    def reaches(start, goal, seen):
        sisters = {to for to in rooms[start].named if to in rooms and rooms[to].layer == rooms[start].layer}
        return goal in sisters or any(reaches(to, goal, seen | {to}) for to in sisters - seen)

    for name, room in rooms.items():
        if reaches(name, name, set()):
            yield Fault(TABLE, room.line, f"{name} reaches itself by the arrows that the table names")


def check(root):
    """All faults of a source tree, and the number of arrows between rooms."""
    rooms = read_table(root)
    faults = list(table_faults(root, rooms))
    if faults:
        return faults, 0
    used = set()
    for found in [*includes(root, rooms), *below(root, rooms), *reach(root, rooms), *links(root, rooms)]:
        if isinstance(found, Fault):
            faults.append(found)
            continue
        used.add((found.room, found.to))
        fault = why_not(rooms, found.room, found.to)
        if fault:
            faults.append(Fault(found.file, found.line, f"{found.room} -> {found.to} ({found.what}): {fault}"))
    for name, room in rooms.items():
        for to in sorted(room.named):
            if rooms[to].layer == room.layer and (name, to) not in used:
                faults.append(Fault(TABLE, room.line, f"{name} names its sister {to}, which it does not use"))
    return faults, len({(a, b) for a, b in used if a != b})


# A tree without faults, which each case of the self-test changes.
CLEAN = {
    TABLE: f"# Page\n\n{HEADING}\n\n| layer | room | may include | reason |\n| --- | --- | --- | --- |\n"
           "| 1 | `common` | | |\n"
           "| 2 | `policies` | `common` | |\n"
           "| 3 | `modules/kernel` | `common` | |\n"
           "| 4 | `modules/sm` | `modules/kernel`, `policies` | |\n"
           "| 4 | `modules/probe` | `modules/sm` | probes L1s |\n"
           "| 4 | `modules/noc` | `common` | |\n"
           "| 5 | `platforms` | `modules/*` | |\n\n## Next\n\n| 9 | `no/room` | | |\n",
    "common/ids.h": "#include <cstdint>\n",
    "common/CMakeLists.txt": "tessera_library(tessera_common SOURCES ids.cpp)\n",
    "policies/policy.h": '#include "common/ids.h"\n',
    "policies/CMakeLists.txt":
        "file(GLOB all *.cpp)\ntessera_policy_library(tessera_policies SOURCES ${all} DEPENDS tessera_common)\n",
    "modules/kernel/time.h": '#include <systemc>\n#include "common/ids.h"\n',
    "modules/kernel/CMakeLists.txt":
        "tessera_library(tessera_kernel SOURCES time.cpp DEPENDS tessera_common SystemC::systemc)\n",
    "modules/sm/l1.h": '#include "modules/kernel/time.h"\n#include "policies/policy.h"\n#include "l1_role.h"\n',
    "modules/sm/l1_role.h": "",
    "modules/sm/l1_config.h": '#include "policies/policy.h"\n',
    "modules/kernel/block.h": "",
    "modules/kernel/ticks.h": "",
    "common/json.h": "#include <nlohmann/json.hpp>\n",
    "tests/policies/policy_test.cpp": '#include "common/json.h"\n#include "policies/policy.h"\n',
    "tests/modules/sm/l1_test.cpp": '#include "modules/sm/l1.h"\n',
    "modules/sm/CMakeLists.txt":
        "tessera_library(tessera_sm\n  SOURCES l1.cpp  # (its role)\n  DEPENDS tessera_kernel tessera_policies)\n",
    "modules/probe/probe.h": '#include "modules/sm/l1.h"\n// #include "platforms/gpu.h"\n',
    "modules/probe/CMakeLists.txt": "tessera_library(tessera_probe SOURCES probe.cpp DEPENDS tessera_sm)\n",
    "modules/noc/link.h": '#include "common/ids.h"\n',
    "platforms/gpu.h": '#include "modules/probe/probe.h"\n#include "platforms/topology/shape.h"\n',
    "platforms/system.h": "",
    "platforms/config.h": '#include "platforms/system.h"\n',
    "platforms/config.cpp": '#include "platforms/config.h"\n#include <nlohmann/json.hpp>\n#include "modules/kernel/ticks.h"\n',
    "platforms/topology/shape.h": '#include "platforms/config.h"\n',
    "platforms/CMakeLists.txt":
        "tessera_library(tessera_configuration SOURCES config.cpp DEPENDS tessera_probe)\n"
        "tessera_library(tessera_platforms SOURCES gpu.cpp DEPENDS tessera_configuration ${CMAKE_DL_LIBS})\n"
        "target_link_libraries(tessera_platforms PRIVATE tessera_flags)\n",
}

# Name, file, text to append to it or (old, new), and the one fault that follows.
CASES = [
    ("an include that points up", "modules/sm/l1.h", '#include "platforms/gpu.h"\n',
     "modules/sm/l1.h:4: modules/sm -> platforms (includes \"platforms/gpu.h\"): points up"),
    ("an include of a sister that is not named", "modules/sm/l1.h", '#include "modules/probe/probe.h"\n',
     "modules/sm/l1.h:4: modules/sm -> modules/probe (includes \"modules/probe/probe.h\"): "
     "sister room that the table does not name"),
    ("an include of a lower room that is not named", "modules/kernel/time.h", '#include "policies/policy.h"\n',
     "modules/kernel/time.h:3: modules/kernel -> policies (includes \"policies/policy.h\"): "
     "lower room that the table does not name"),
    ("an include by a path from its folder", "modules/sm/l1.h", '#include "../probe/probe.h"\n',
     "modules/sm/l1.h:4: modules/sm -> modules/probe (includes \"modules/probe/probe.h\"): "
     "sister room that the table does not name"),
    ("SystemC below the kernel", "policies/policy.h", "#include <tlm_utils/simple_target_socket.h>\n",
     "policies/policy.h:2: policies is below modules/kernel and includes SystemC's "
     "<tlm_utils/simple_target_socket.h>"),
    ("a link dependency that points up", "policies/CMakeLists.txt",
     "target_link_libraries(tessera_policies PUBLIC tessera_platforms)\n",
     "policies/CMakeLists.txt:3: policies -> platforms (tessera_policies links tessera_platforms): points up"),
    ("a library's DEPENDS that points up", "modules/sm/CMakeLists.txt",
     ("tessera_policies)", "tessera_policies tessera_platforms)"),
     "modules/sm/CMakeLists.txt:1: modules/sm -> platforms (tessera_sm links tessera_platforms): points up"),
    ("a link dependency on a sister that is not named", "modules/sm/CMakeLists.txt",
     ("tessera_policies)", "tessera_policies tessera_probe)"),
     "modules/sm/CMakeLists.txt:1: modules/sm -> modules/probe (tessera_sm links tessera_probe): "
     "sister room that the table does not name"),
    ("an alias of a target of an upper room", "modules/sm/CMakeLists.txt",
     "add_library(tessera_all ALIAS tessera_platforms)\ntarget_link_libraries(tessera_sm PUBLIC tessera_all)\n",
     "modules/sm/CMakeLists.txt:5: modules/sm -> platforms (tessera_sm links tessera_platforms): points up"),
    ("a link dependency on an unknown library", "common/CMakeLists.txt",
     "target_link_libraries(tessera_common PUBLIC tessera_other)\n",
     "common/CMakeLists.txt:2: tessera_common links tessera_other, which no room's CMakeLists.txt makes"),
    ("a target with sources of two rooms", "modules/sm/CMakeLists.txt", ("l1.cpp", "l1.cpp ../probe/probe.cpp"),
     "modules/sm/CMakeLists.txt:1: tessera_sm has sources of modules/probe and modules/sm"),
    ("a configuration that includes the topology that reads it", "platforms/config.h",
     '#include "platforms/topology/shape.h"\n',
     'platforms/config.h:2: platforms/topology rests on this file, which includes "platforms/topology/shape.h"'),
    ("the same in a part of the configuration", "platforms/system.h", '#include "platforms/topology/shape.h"\n',
     'platforms/system.h:1: platforms/topology rests on this file, which includes "platforms/topology/shape.h"'),
    ("the same in the source beside its header", "platforms/config.cpp", '#include "platforms/topology/shape.h"\n',
     'platforms/config.cpp:4: platforms/topology rests on this file, which includes "platforms/topology/shape.h"'),
    ("a configuration that reaches SystemC by other headers", "modules/sm/l1_config.h", '#include "modules/sm/l1.h"\n',
     "modules/sm/l1_config.h:2: a file without blocks reaches SystemC: "
     "modules/sm/l1.h > modules/kernel/time.h > systemc"),
    ("the same in a folder without blocks", "platforms/topology/shape.h", '#include "modules/probe/probe.h"\n',
     "platforms/topology/shape.h:2: a file without blocks reaches SystemC: "
     "modules/probe/probe.h > modules/sm/l1.h > modules/kernel/time.h > systemc"),
    ("the same in a source of a target without blocks", "platforms/config.cpp", '#include "modules/kernel/time.h"\n',
     "platforms/config.cpp:4: a file without blocks reaches SystemC: modules/kernel/time.h > systemc"),
    ("the same in a test of such a room", "tests/policies/policy_test.cpp", '#include "modules/kernel/time.h"\n',
     "tests/policies/policy_test.cpp:3: a file without blocks reaches SystemC: modules/kernel/time.h > systemc"),
    ("a test of such a room that includes SystemC", "tests/policies/policy_test.cpp", "#include <systemc>\n",
     "tests/policies/policy_test.cpp:3: a file without blocks reaches SystemC: systemc"),
    ("a folder without blocks that reaches blocks", "platforms/topology/shape.h", '#include "modules/kernel/block.h"\n',
     "platforms/topology/shape.h:2: a file without blocks reaches blocks: modules/kernel/block.h"),
    ("a header with JSON's own header", "modules/noc/link.h", '#include "common/json.h"\n',
     'modules/noc/link.h:2: a header includes "common/json.h": "common/json_fwd.h" has its names'),
    ("the same by its name", "policies/policy.h", "#include <nlohmann/json.hpp>\n",
     'policies/policy.h:2: a header includes "nlohmann/json.hpp": "common/json_fwd.h" has its names'),
    ("a file in no room", "modules/other/new.h", "", "modules/other/new.h:1: is in no room of the table"),
    ("a table that names an upper room", TABLE, ("| `common` | |\n| 3", "| `common`, `modules/sm` | |\n| 3"),
     f"{TABLE}:8: policies names modules/sm, which is above it"),
    ("a table that names what is no room", TABLE, ("| `common` | |\n| 3", "| `common`, `shared` | |\n| 3"),
     f"{TABLE}:8: policies names shared, which is not a room"),
    ("a table that names a sister without a reason", TABLE, ("| probes L1s |", "| |"),
     f"{TABLE}:11: modules/probe names its sister modules/sm without a reason"),
    ("a table that names a sister without need", TABLE, ("`modules/noc` | `common` | ", "`modules/noc` | `modules/sm`, `common` | none"),
     f"{TABLE}:12: modules/noc names its sister modules/sm, which it does not use"),
]


def self_test():
    """Faults of CLEAN and of each case, as lines of what differs from what is expected."""
    wrong = []
    cycle = ("sisters in a cycle", TABLE,
             ("`modules/kernel`, `policies` | |", "`modules/kernel`, `policies`, `modules/probe` | reason |"),
             f"{TABLE}:10: modules/sm reaches itself by the arrows that the table names\n"
             f"{TABLE}:11: modules/probe reaches itself by the arrows that the table names")
    for name, file, change, expected in [("no fault", TABLE, "", ""), *CASES, cycle]:
        tree = dict(CLEAN)
        old = tree.get(file, "")
        if isinstance(change, tuple):
            assert old.count(change[0]) == 1, (name, change[0])
            tree[file] = old.replace(*change)
        else:
            tree[file] = old + change
        with tempfile.TemporaryDirectory() as folder:
            for path, text in tree.items():
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_text(text)
            found = "\n".join(f"{f.file}:{f.line}: {f.text}" for f in check(Path(folder))[0])
        if found != expected:
            wrong.append(f"{name}:\n  expected: {expected or 'no fault'}\n  found:    {found or 'no fault'}")
    print(f"self-test: {len(CASES) + 2} trees, {len(wrong)} not as expected")
    return wrong


if __name__ == "__main__":
    if sys.argv[1:] == ["self-test"]:
        lines = self_test()
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        faults, arrows = check(Path(sys.argv[2]))
        lines = [f"{f.file}:{f.line}: {f.text}" for f in faults]
        print(f"{arrows} arrows between rooms, {len(lines)} faults")
    else:
        sys.exit(__doc__)
    for line in lines:
        print(line)
    sys.exit(1 if lines else 0)
