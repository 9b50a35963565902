#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the skeleton that all blocks of modules/ share (modules/kernel/block_base.h).
Usage: skeleton_test.py check SOURCE_DIR | skeleton_test.py self-test

A block is a class that derives from Block or BlockBase. It has the aliases Config, Stats and Site: as
arguments of BlockBase, by `using`, or from the block that it derives from. Their structs have fixed places:
Config in the class's header or in a *_config.h; Stats in the class's header, in a *_stats.h or after Config
in its file; both before the class, Config before Stats. A Site that derives from BlockSite is in the room's
sites.h, another one in the class's header between Stats and the class, or in a *_site.h.

A callback of a socket has the name of its sort. If two sockets of a block have different callbacks of a sort,
the socket's name precedes it: probes_forward.
"""

import re
import sys
import tempfile
from collections import defaultdict, namedtuple
from pathlib import Path

SORTS = {"nb_transport_fw": "forward", "nb_transport_bw": "backward", "b_transport": "blocking",
         "transport_dbg": "debug", "get_direct_mem_ptr": "direct",
         "invalidate_direct_mem_ptr": "invalidate_direct"}
ALIASES = ("Config", "Stats", "Site")
NONE = {"NoConfig", "NoSite"}
# Abstract: each block that derives from it has aliases of its own.
ABSTRACT = {"CoherenceBlock", "NetworkModule"}
# Statistics of a part that several blocks have, in the part's header.
OF_PARTS = {"DirectoryMemoryStats": "modules/umh/directory_memory.h"}

Class = namedtuple("Class", "name file start line bases aliases")
Fault = namedtuple("Fault", "file line text")


def without_comments(text):
    """The text with comments and strings blanked; characters keep their places."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    return token.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def split_arguments(text):
    """Arguments at the top level of a list, without the inside of <>."""
    out, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "<") - (c == ">")
        if c == "," and depth == 0:
            out.append(text[last:i])
            last = i + 1
    return [a.strip() for a in [*out, text[last:]] if a.strip()]


def body_end(text, begin):
    """Index behind the brace that closes the one at `begin`."""
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    return len(text)


def plain(name):
    return re.sub(r"<.*", "", name, flags=re.S).split("::")[-1].strip()


def line_at(text, index):
    return text.count("\n", 0, index) + 1


class Tree:
    """Classes and structs of modules/, and the registrations of callbacks."""

    def __init__(self, root):
        self.classes, self.structs, self.texts = {}, {}, {}
        for f in sorted((root / "modules").rglob("*")):
            if f.suffix in (".h", ".cpp"):
                self.texts[f.relative_to(root).as_posix()] = without_comments(f.read_text())
        for name, text in self.texts.items():
            if name.endswith(".h"):
                self.read(name, text)

    def read(self, file, text):
        head = re.compile(r"^(?:class|struct)\s+(?:alignas\([^)]*\)\s+)?(\w+)(?:\s+final)?\s*(?::\s*([^;{]*?))?\s*\{",
                          re.M)
        for m in head.finditer(text):
            bases = [re.sub(r"^(?:public|protected|private|virtual|\s)+\s", "", b).strip()
                     for b in split_arguments(m.group(2) or "")]
            body = text[m.end() - 1:body_end(text, m.end() - 1)]
            aliases = {a: t.strip() for a, t in re.findall(r"^  using (\w+) = ([^;]*);", body, re.M) if a in ALIASES}
            for b in bases:
                if plain(b) == "BlockBase":
                    arguments = split_arguments(b[b.index("<") + 1:b.rindex(">")])
                    aliases.update(zip(ALIASES, arguments))
            c = Class(m.group(1), file, m.start(), line_at(text, m.start()), bases, aliases)
            self.structs.setdefault(c.name, []).append(c)
            if any(plain(b) for b in bases):
                self.classes[c.name] = c

    def is_block(self, name, seen=()):
        if name in ("Block", "BlockBase"):
            return True
        c = self.classes.get(name)
        return c is not None and name not in seen and any(self.is_block(plain(b), (*seen, name)) for b in c.bases)

    def blocks(self):
        return [c for c in self.classes.values() if c.name != "BlockBase" and self.is_block(c.name)]

    def has(self, name, alias):
        c = self.classes.get(name)
        return c is not None and (alias in c.aliases or any(self.has(plain(b), alias) for b in c.bases))


def room_of(file):
    return "/".join(file.split("/")[:2])


def place_faults(tree, c):
    """Faults of the places of the structs that a class names itself."""
    found = {}
    for alias, type_name in c.aliases.items():
        if type_name.startswith("typename") or plain(type_name) in NONE:
            continue
        all_of = tree.structs.get(plain(type_name), [])
        here = [s for s in all_of if room_of(s.file) == room_of(c.file)] or all_of
        if not here:
            yield Fault(c.file, c.line, f"{c.name}::{alias}: no struct {type_name} in modules/")
            continue
        found[alias] = here[0]
    for alias, s in found.items():
        own = s.file == c.file
        if alias == "Config":
            good = own or s.file.endswith("_config.h")
            where = "its header or a *_config.h"
        elif alias == "Stats":
            config = found.get("Config")
            good = (own or s.file.endswith("_stats.h") or (config is not None and s.file == config.file)
                    or OF_PARTS.get(s.name) == s.file)
            where = "its header, a *_stats.h or the file of Config"
        elif any(plain(b) == "BlockSite" for b in s.bases):
            good = s.file == room_of(c.file) + "/sites.h"
            where = "the sites.h of its room"
        else:
            good = own or s.file.endswith("_site.h")
            where = "its header or a *_site.h, or derives from BlockSite"
        if not good:
            yield Fault(s.file, s.line, f"{s.name} is {alias} of {c.name}: its place is {where}")
        elif own and s.start > c.start:
            yield Fault(s.file, s.line, f"{s.name} is {alias} of {c.name}: its place is before the class")
    config, stats = found.get("Config"), found.get("Stats")
    if config and stats and config.file == stats.file and config.start > stats.start:
        yield Fault(config.file, config.line, f"{config.name} is Config of {c.name}: its place is before {stats.name}")
    site = found.get("Site")
    if site and stats and site.file == stats.file and site.start < stats.start:
        yield Fault(site.file, site.line, f"{site.name} is Site of {c.name}: its place is after {stats.name}")


def callback_faults(tree):
    any_of = "|".join(SORTS)
    call = re.compile(rf"\bregister_({any_of})\s*\(")
    member = re.compile(r"(\w+)(?:\[[^\]]*\])?(?:\.|->)$")
    callback = re.compile(r"\s*this,\s*(?:static_cast<\w+>\(\s*)?&\s*(?:\w+::)*?(\w+)(?:<\w+>)?::(\w+)\b")
    registered = defaultdict(set)  # by class and sort: callback, socket, file, line
    for file, text in tree.texts.items():
        for m in call.finditer(text):
            socket = member.search(text[:m.start()])
            to = callback.match(text, m.end())
            line = line_at(text, m.start())
            if not socket or not to:
                yield Fault(file, line, f"register_{m.group(1)}: not of a member function of the block")
                continue
            registered[to.group(1), SORTS[m.group(1)]].add((to.group(2), socket.group(1), file, line))
    for (name, sort), all_of in sorted(registered.items()):
        several = len({callback for callback, *_ in all_of}) > 1
        for found, socket, file, line in sorted(all_of):
            expected = f"{socket}_{sort}" if several else sort
            if found != expected:
                yield Fault(file, line, f"{name}::{found}: the name of this callback is {expected}")


def check(root):
    """All faults of a source tree, and the number of blocks."""
    tree = Tree(root)
    faults = []
    blocks = tree.blocks()
    for c in blocks:
        if c.name in ABSTRACT:
            continue
        faults += [Fault(c.file, c.line, f"{c.name} has no alias {a}") for a in ALIASES if not tree.has(c.name, a)]
        faults += place_faults(tree, c)
    for name in sorted(ABSTRACT - {c.name for c in blocks}):
        if len(blocks) > 20:  # of the repository
            faults.append(Fault("tests/structure/skeleton_test.py", 1, f"{name} is no block"))
    faults += callback_faults(tree)
    return sorted(set(faults)), len(blocks)


# A tree without faults, which each case of the self-test changes.
CLEAN = {
    "modules/kernel/block.h": "class Block {\n public:\n};\n",
    "modules/kernel/block_base.h":
        "template <class C, class T, class S>\nclass BlockBase : public sc_core::sc_module, public Block {\n"
        " public:\n  using Config = C;\n  using Stats = T;\n  using Site = S;\n};\n",
    "modules/noc/link.h":
        "struct LinkSite;\nstruct LinkConfig {\n};\nstruct LinkStats {\n};\n"
        "class Link final : public BlockBase<LinkConfig, LinkStats, LinkSite>, public FlushIf {\n};\n",
    "modules/noc/link.cpp":
        "Link::Link() {\n  in.register_nb_transport_fw(this, &Link::forward);\n"
        "  out[i].register_nb_transport_bw(this, &Link::backward, 0);\n"
        "  in.register_b_transport(this, static_cast<Blocking>(&Link::blocking));\n"
        "  // in.register_transport_dbg(this, &Link::dbg);\n}\n",
    "modules/noc/sites.h": "struct LinkSite : BlockSite {\n};\nstruct RingSite : BlockSite {\n};\n",
    "modules/noc/ring_config.h": "struct RingConfig {\n};\nstruct RingStats {\n};\n",
    "modules/noc/network.h":
        "template <class F>\nclass NetworkModule : public sc_core::sc_module, public Block {\n public:\n"
        "  using Config = typename F::Config;\n  using Stats = RingStats;\n};\n",
    "modules/noc/ring.h":
        "class Ring final : public NetworkModule<RingFabric> {\n public:\n  using Config = RingConfig;\n"
        "  using Stats = RingStats;\n  using Site = RingSite;\n};\n",
    "modules/host/bridge.h":
        "struct BridgeSite {\n};\nclass Bridge final : public BlockBase<NoConfig, BridgeStats, BridgeSite> {\n};\n",
    "modules/host/bridge_stats.h": "struct BridgeStats {\n};\n",
    "modules/host/bridge.cpp":
        "Bridge::Bridge() {\n  near.register_nb_transport_fw(this, &Bridge::near_forward);\n"
        "  far.register_nb_transport_fw(this, &Bridge::far_forward);\n"
        "  near.register_transport_dbg(this, &Bridge::debug);\n  far.register_transport_dbg(this, &Bridge::debug);\n}\n",
}

# Name, file, (old, new), and the faults that follow.
CASES = [
    ("a class without an alias", "modules/noc/ring.h", ("  using Site = RingSite;\n", ""),
     ["modules/noc/ring.h:1: Ring has no alias Site"]),
    ("a class that derives from Block only", "modules/noc/link.h",
     ("public BlockBase<LinkConfig, LinkStats, LinkSite>", "public sc_core::sc_module, public Block"),
     [f"modules/noc/link.h:6: Link has no alias {a}" for a in sorted(ALIASES)]),
    ("a configuration in another header", "modules/noc/ring.h", ("Config = RingConfig", "Config = LinkConfig"),
     ["modules/noc/link.h:2: LinkConfig is Config of Ring: its place is its header or a *_config.h",
      "modules/noc/ring_config.h:3: RingStats is Stats of Ring: its place is its header, a *_stats.h or the file of Config"]),
    ("statistics in another header", "modules/noc/ring.h", ("Stats = RingStats", "Stats = LinkStats"),
     ["modules/noc/link.h:4: LinkStats is Stats of Ring: its place is its header, a *_stats.h or the file of Config"]),
    ("statistics before the configuration", "modules/noc/ring_config.h",
     ("struct RingConfig {\n};\nstruct RingStats {\n};\n", "struct RingStats {\n};\nstruct RingConfig {\n};\n"),
     ["modules/noc/ring_config.h:3: RingConfig is Config of Ring: its place is before RingStats"]),
    ("statistics after the class", "modules/noc/link.h",
     ("struct LinkStats {\n};\nclass Link final : public BlockBase<LinkConfig, LinkStats, LinkSite>, public FlushIf {\n};\n",
      "class Link final : public BlockBase<LinkConfig, LinkStats, LinkSite> {\n};\nstruct LinkStats {\n};\n"),
     ["modules/noc/link.h:6: LinkStats is Stats of Link: its place is before the class"]),
    ("a factory's site outside sites.h", "modules/host/bridge.h", ("struct BridgeSite {", "struct BridgeSite : BlockSite {"),
     ["modules/host/bridge.h:1: BridgeSite is Site of Bridge: its place is the sites.h of its room"]),
    ("another site in another header", "modules/noc/sites.h", ("RingSite : BlockSite", "RingSite"),
     ["modules/noc/sites.h:3: RingSite is Site of Ring: its place is its header or a *_site.h, or derives from BlockSite"]),
    ("a site that is not there", "modules/noc/sites.h", ("RingSite", "RingPlace"),
     ["modules/noc/ring.h:1: Ring::Site: no struct RingSite in modules/"]),
    ("a site before the statistics", "modules/host/bridge.h", ("struct BridgeSite {\n};\n",
                                                               "struct BridgeSite {\n};\nstruct BridgeStats {\n};\n"),
     ["modules/host/bridge.h:1: BridgeSite is Site of Bridge: its place is after BridgeStats"]),
    ("a callback with another name", "modules/noc/link.cpp", ("Link::forward", "Link::fw"),
     ["modules/noc/link.cpp:2: Link::fw: the name of this callback is forward"]),
    ("a socket's name where it is not needed", "modules/noc/link.cpp", ("Link::backward", "Link::out_backward"),
     ["modules/noc/link.cpp:3: Link::out_backward: the name of this callback is backward"]),
    ("two callbacks of a sort without the sockets' names", "modules/host/bridge.cpp", ("near_forward", "forward"),
     ["modules/host/bridge.cpp:2: Bridge::forward: the name of this callback is near_forward"]),
    ("a callback with another socket's name", "modules/host/bridge.cpp", ("Bridge::far_forward", "Bridge::home_forward"),
     ["modules/host/bridge.cpp:3: Bridge::home_forward: the name of this callback is far_forward"]),
    ("a callback with a cast and another name", "modules/noc/link.cpp", ("Link::blocking", "Link::b_transport"),
     ["modules/noc/link.cpp:4: Link::b_transport: the name of this callback is blocking"]),
    ("a callback of another object", "modules/noc/link.cpp", ("(this, &Link::forward", "(&part_, &Part::forward"),
     ["modules/noc/link.cpp:2: register_nb_transport_fw: not of a member function of the block"]),
]


def self_test():
    """Faults of CLEAN and of each case, as lines of what differs from what is expected."""
    wrong = []
    for name, file, change, expected in [("no fault", "modules/noc/link.h", ("", ""), []), *CASES]:
        tree = dict(CLEAN)
        assert change[0] == "" or tree[file].count(change[0]) == 1, (name, change[0])
        tree[file] = tree[file].replace(*change) if change[0] else tree[file]
        with tempfile.TemporaryDirectory() as folder:
            for path, text in tree.items():
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_text(text)
            found = [f"{f.file}:{f.line}: {f.text}" for f in check(Path(folder))[0]]
        if found != expected:
            wrong.append(f"{name}:\n  expected: {expected or 'no fault'}\n  found:    {found or 'no fault'}")
    print(f"self-test: {len(CASES) + 1} trees, {len(wrong)} not as expected")
    return wrong


if __name__ == "__main__":
    if sys.argv[1:] == ["self-test"]:
        lines = self_test()
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        faults, blocks = check(Path(sys.argv[2]))
        lines = [f"{f.file}:{f.line}: {f.text}" for f in faults]
        if blocks < 20:
            lines.append(f"only {blocks} blocks found: the check would count nothing")
        print(f"{blocks} blocks, {len(faults)} faults")
    else:
        sys.exit(__doc__)
    for line in lines:
        print(line)
    sys.exit(1 if lines else 0)
