# SPDX-License-Identifier: Apache-2.0
"""PTX instructions on edge values (vectors.json): a module with a kernel of each form, and a manifest
that launches them all. The same two files run on a GPU and in Tessera."""

import itertools
import json
import math
import pathlib
import struct
import zlib

TABLE = pathlib.Path(__file__).resolve().parent / "vectors.json"
MOST_VECTORS = 128  # a thread of one CTA each
MASK = 2**64 - 1
TARGETS = (70, 75, 80, 90)


class Random:
    """SplitMix64, as stimuli/runner/random.h."""

    def __init__(self, seed, name=""):
        self.state = seed & MASK
        value = 0xcbf29ce484222325
        for c in name.encode():
            value = (value ^ c) * 0x100000001b3 & MASK
        self.state = self.next() ^ value

    def next(self):
        self.state = self.state + 0x9e3779b97f4a7c15 & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        return z ^ z >> 31


class Form:
    def __init__(self, entry, values, number):
        self.ptx = entry["ptx"]
        self.kernel = f"form_{number}"
        self.bits = entry["result"]
        self.minimum_sm = entry.get("minimum_sm", 70)
        self.relative = entry.get("relative", 0)
        self.absolute = entry.get("absolute", 0)
        words = [" ".join(values[o]).split() for o in entry["operands"]]
        self.operand_bits = [4 * len(w[0]) for w in words]
        self.vectors = self.chosen([[int(w, 16) for w in group] for group in words])

    def chosen(self, groups):
        """All combinations of the operands' values, or one of each of MOST_VECTORS equal parts."""
        total = math.prod(len(g) for g in groups)
        if total <= MOST_VECTORS:
            return list(itertools.product(*groups))
        random = Random(1, self.ptx)
        out = []
        for i in range(MOST_VECTORS):
            begin, end = i * total // MOST_VECTORS, (i + 1) * total // MOST_VECTORS
            at = begin + random.next() % (end - begin)
            vector = []
            for g in reversed(groups):
                at, rest = divmod(at, len(g))
                vector.insert(0, g[rest])
            out.append(tuple(vector))
        return out

    @property
    def inputs_crc(self):
        """Changes if the vectors do."""
        return f"{zlib.crc32(repr(self.vectors).encode()):08x}"

    def text(self):
        """The kernel: operand k of vector i is slot k * vectors + i, its result slot i."""
        names = "abc"[:len(self.operand_bits)]
        lines = [f"// {self.ptx}", f".visible .entry {self.kernel}(.param .u64 in, .param .u64 out)",
                 "{", "  .reg .pred %p;", "  .reg .b32 %i;", "  .reg .b64 %in, %out, %at;",
                 f"  .reg .b{self.bits} %d, %t;"]
        lines += [f"  .reg .b{bits} %{n};" for n, bits in zip(names, self.operand_bits)]
        lines += ["  ld.param.u64 %in, [in];", "  ld.param.u64 %out, [out];",
                  "  cvta.to.global.u64 %in, %in;", "  cvta.to.global.u64 %out, %out;",
                  "  mov.u32 %i, %tid.x;", "  mul.wide.u32 %at, %i, 8;", "  add.u64 %in, %in, %at;",
                  "  add.u64 %out, %out, %at;"]
        lines += [f"  ld.global.b{bits} %{n}, [%in + {8 * k * len(self.vectors)}];"
                  for k, (n, bits) in enumerate(zip(names, self.operand_bits))]
        lines += ["  " + part.strip() + ";" for part in self.ptx.rstrip(";").split(";")]
        return "\n".join(lines + [f"  st.global.b{self.bits} [%out], %d;", "  ret;", "}"]) + "\n"

    def words(self):
        """The inputs' slots of 64 bits."""
        return [v[k] for k in range(len(self.operand_bits)) for v in self.vectors]

    def hex(self, slots):
        digits = self.bits // 4
        return " ".join(f"{s & 2**self.bits - 1:0{digits}x}" for s in slots)

    def differs(self, ours, other):
        """Whether two results (integers) differ by more than the form allows."""
        if ours == other:
            return False
        if not (self.relative or self.absolute):
            return True
        code = {32: "<f", 64: "<d"}[self.bits]
        x, y = (struct.unpack(code, v.to_bytes(self.bits // 8, "little"))[0] for v in (ours, other))
        if math.isnan(x) or math.isnan(y):
            return not (math.isnan(x) and math.isnan(y))
        return x != y and not abs(x - y) <= self.absolute + self.relative * abs(y)


def forms(sm=None):
    """The forms of the table that target `sm` has (None: all)."""
    table = json.loads(TABLE.read_text())
    every = [Form(e, table["values"], i) for i, e in enumerate(table["forms"])]
    return [f for f in every if sm is None or f.minimum_sm <= sm]


def write(folder, sm):
    """Writes vectors.ptx (PTX 7.8: CUDA 11.8) and manifest.json for a target; returns the forms."""
    chosen = forms(sm)
    architecture = max(t for t in TARGETS if t <= sm)
    header = ("// SPDX-License-Identifier: Apache-2.0\n"
              f".version 7.8\n.target sm_{architecture}\n.address_size 64\n\n")
    (folder / "vectors.ptx").write_text(header + "\n".join(f.text() for f in chosen))
    words, launches, results = [], [], 0
    for f in chosen:
        launches.append({"kernel": f.kernel, "grid": 1, "block": len(f.vectors),
                         "arguments": [{"array": "inputs", "offset": len(words)},
                                       {"array": "results", "offset": results}]})
        words += f.words()
        results += len(f.vectors)
    (folder / "inputs.bin").write_bytes(struct.pack(f"<{len(words)}Q", *words))
    manifest = {
        "name": "ptx-vectors", "ptx": "vectors.ptx",
        "arrays": [{"name": "inputs", "type": "u64", "count": len(words),
                    "init": {"file": "inputs.bin"}},
                   {"name": "results", "type": "u64", "count": results}],
        "launches": launches, "outputs": [{"array": "results", "file": "results.bin"}]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return chosen


def results(chosen, raw):
    """The results of the forms, for the file: `raw` has all slots."""
    slots = struct.unpack(f"<{len(raw) // 8}Q", raw)
    out, at = [], 0
    for f in chosen:
        out.append({"ptx": f.ptx, "inputs": f.inputs_crc,
                    "results": f.hex(slots[at:at + len(f.vectors)])})
        at += len(f.vectors)
    return out


def differences(measured, ours):
    """Lines about results that differ, and the number of forms compared. Both as of results(). A form
    whose vectors have changed since the measurement is not compared."""
    known = {f.ptx: f for f in forms()}
    own = {r["ptx"]: r for r in ours}
    lines, compared = [], 0
    for r in measured:
        form, mine = known.get(r["ptx"]), own.get(r["ptx"])
        if form is None or mine is None or r["inputs"] != form.inputs_crc:
            continue
        compared += 1
        for vector, theirs, here in zip(form.vectors, r["results"].split(), mine["results"].split()):
            if form.differs(int(here, 16), int(theirs, 16)):
                operands = " ".join(f"{v:0{b // 4}x}" for v, b in zip(vector, form.operand_bits))
                lines.append(f"{form.ptx} of {operands}: {theirs} on the GPU, {here} here")
    return lines, compared
