# SPDX-License-Identifier: Apache-2.0
"""Workloads as plans: a manifest's formulas evaluated, its loops unrolled, for host.cpp.

The manifests of the suite are checked by the command itself. Here, only what a plan cannot express is
refused.
"""

import array
import json
import pathlib
import struct

from . import expressions

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "stimuli" / "kernels"
FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q",
           "u64": "Q", "f32": "f", "f64": "d"}
REFUSED = ("variables", "textures", "surfaces", "streams", "stack_bytes")
MOST_STEPS = 100000


class PlanError(Exception):
    """A workload that cannot run on a GPU in this way."""


def workload_files():
    """Name -> manifest of all workloads of the tree."""
    files = {}
    for path in sorted(KERNELS.glob("*/manifest.json")) + sorted(KERNELS.glob("micro/*/manifest.json")):
        files[json.loads(path.read_text())["name"]] = path
    return files


def parse_name(text):
    """ "vecadd:n=1000" -> ("vecadd", {"n": 1000})."""
    name, *rest = text.split(":")
    sizes = {}
    for part in rest:
        key, equals, value = part.partition("=")
        try:
            number = int(value)
        except ValueError:
            number = None
        if not key or not equals or number is None or key in sizes:
            raise PlanError(f"the workload '{text}': expected NAME=INTEGER after ':', found '{part}'")
        sizes[key] = number
    return name, sizes


def element_bytes(kind):
    return int(kind[1:]) // 8


def is_float(kind):
    return kind[0] == "f"


class Workload:
    """A manifest at one scale. `passes`: a formula; the launches run so many times, without the
    workload's host program if that is C++."""

    def __init__(self, path, scale="small", sizes=None, passes=None):
        self.path = pathlib.Path(path)
        self.manifest = json.loads(self.path.read_text())
        for key in REFUSED:
            if self.manifest.get(key):
                raise PlanError(f"{self.path}: \"{key}\" is not supported on a GPU")
        reference = self.path.parent / "reference.cpp"
        self.passes = passes
        if passes is None and reference.exists() and "HostSession" in reference.read_text():
            raise PlanError(f"{self.path}: its host program is C++")
        self.sizes = dict(self.manifest.get("sizes", {}).get(scale, {}))
        if self.manifest.get("sizes") and scale not in self.manifest["sizes"]:
            raise PlanError(f"{self.path}: there is no scale \"{scale}\"")
        for name, value in (sizes or {}).items():
            if name not in self.sizes:
                raise PlanError(f"{self.path}: there is no size \"{name}\"")
            self.sizes[name] = value
        self.arrays = {a["name"]: a for a in self.manifest.get("arrays", [])}
        self.scalars = {s["name"]: s for s in self.manifest.get("scalars", [])}
        self.launches = []  # names of kernels, in order
        self.steps = []

    @property
    def source(self):
        """The CUDA source beside the PTX, or the PTX itself."""
        ptx = self.manifest["ptx"]
        if not isinstance(ptx, str):
            raise PlanError(f"{self.path}: several PTX files are not supported on a GPU")
        ptx = (self.path.parent / ptx).resolve()
        source = ptx.with_suffix(".cu")
        return source if source.exists() else ptx

    # Values

    def value(self, formula, extra=None):
        return expressions.formula(formula, {**self.sizes, **(extra or {})})

    def bytes_of(self, value, kind, extra=None):
        """The bytes of one element."""
        if isinstance(value, float):
            return struct.pack("<" + FORMATS[kind], value)
        number = self.value(value, extra)
        if is_float(kind):
            return struct.pack("<" + FORMATS[kind], float(number))
        try:
            return struct.pack("<" + FORMATS[kind], number)
        except struct.error:
            raise PlanError(f"{self.path}: {number} does not fit {kind}") from None

    def elements(self, raw, name):
        """The elements of raw bytes of an array."""
        values = array.array(FORMATS[self.arrays[name]["type"]])
        values.frombytes(raw)
        return values

    # The plan

    def plan(self, folder, rounds, read):
        """Lines of a plan. `read`: arrays that are read back, to FOLDER/NAME."""
        lines = [f"rounds {rounds}"]
        lines += [self.array_line(a, folder) for a in self.arrays.values()]
        self.launches, self.steps = [], []
        for _ in range(1 if self.passes is None else self.value(self.passes)):
            self.add_steps(self.manifest.get("launches", []), {})
        return lines + self.steps + [f"read {name} {folder / name}" for name in read]

    def array_line(self, a, folder):
        name, kind, init = a["name"], a["type"], a.get("init", "zero")
        count = str(self.value(a["count"])) if "count" in a else "-"
        head = f"array {name} {kind} {count}"
        if isinstance(init, str):
            init = {init: {}}
        if isinstance(init, list):
            if len(init) != int(count):
                raise PlanError(f"{self.path}: {name} has {count} elements, but {len(init)} values")
            raw = b"".join(self.literal(v, kind) for v in init)
            return f"{head} file {self.write(folder, name, raw)}"
        what, values = next(iter(init.items()))
        if what in ("zero", "permutation"):
            return f"{head} {what}"
        if what == "constant":
            return f"{head} {self.constant(values, kind)}"
        if what == "iota":
            start, step = values.get("start", 0), values.get("step", 1)
            if is_float(kind):
                return f"{head} iota_real {self.real(start)!r} {self.real(step)!r}"
            return f"{head} iota {self.value(start)} {self.value(step)}"
        if what == "uniform":
            return f"{head} uniform {float(values[0])!r} {float(values[1])!r}"
        if what == "random":
            return f"{head} random {self.value(values[0])} {self.value(values[1])}"
        if what == "row_starts":
            return f"{head} {self.row_starts(values, folder, a)}"
        if what == "columns":
            sorted_ = 1 if values.get("sorted", True) else 0
            return f"{head} columns {values['rows']} {self.value(values['of'])} {sorted_}"
        if what == "file":
            return f"{head} file {(self.path.parent / values).resolve()}"
        raise PlanError(f"{self.path}: unknown initialisation \"{what}\"")

    def real(self, value):
        return value if isinstance(value, float) else float(self.value(value))

    def constant(self, value, kind):
        if isinstance(value, float):
            return f"constant_real {value!r}"
        return f"constant {self.value(value)}"

    @staticmethod
    def literal(value, kind):
        return struct.pack("<" + FORMATS[kind], float(value) if is_float(kind) else value)

    @staticmethod
    def write(folder, name, raw):
        path = folder / f"{name}.init"
        path.write_bytes(raw)
        return path

    def row_starts(self, values, folder, a):
        if isinstance(values, list):
            starts = [0]
            for degree in values:
                starts.append(starts[-1] + degree)
            raw = b"".join(self.literal(s, a["type"]) for s in starts)
            return f"file {self.write(folder, a['name'], raw)}"
        if isinstance(values, dict):
            return f"row_starts range {self.value(values['min'])} {self.value(values['max'])}"
        return f"row_starts pairs {self.value(values)}"

    def add(self, line):
        self.steps.append(line)
        if len(self.steps) > MOST_STEPS:
            raise PlanError(f"{self.path}: more than {MOST_STEPS} steps")

    def add_steps(self, steps, extra):
        for step in steps:
            if "kernel" in step:
                self.launch(step, extra)
            elif "until" in step:
                raise PlanError(f"{self.path}: \"until\" is not supported on a GPU")
            elif "fill" in step:
                kind = self.arrays[step["fill"]]["type"]
                self.add(f"fill {step['fill']} {self.bytes_of(step['value'], kind, extra).hex()}")
            elif "set" in step:
                to = step["set"]
                raw = self.bytes_of(to["value"], self.arrays[to["array"]]["type"], extra)
                self.add(f"set {to['array']} {self.value(to['index'], extra)} {raw.hex()}")
            else:
                for i in range(self.value(step["repeat"], extra)):
                    inner = {**extra, "iteration": i}
                    if "as" in step:
                        inner[step["as"]] = i
                    self.add_steps(step["launches"], inner)

    def launch(self, step, extra):
        if "repeat" not in step:
            return self.one_launch(step, extra)
        for i in range(self.value(step["repeat"], extra)):
            self.one_launch(step, {**extra, "iteration": i})
        return None

    def one_launch(self, step, extra):
        shape = self.dimensions(step["grid"], extra) + self.dimensions(step["block"], extra)
        shared = self.value(step.get("dynamic_shared", 0), extra)
        self.launches.append(step["kernel"])
        self.add(f"launch {step['kernel']} {' '.join(map(str, shape))} {shared}")
        for argument in step["arguments"]:
            raw, _, addresses = self.argument(argument, extra)
            line = f"argument {len(raw)} {raw.hex()}"
            for offset, name, element in addresses:
                line += f" {offset} {name} {element}"
            self.add(line)

    def dimensions(self, value, extra):
        values = value if isinstance(value, list) else [value]
        return [self.value(v, extra) for v in values] + [1] * (3 - len(values))

    def argument(self, a, extra):
        """Bytes, alignment, and [(offset, array, element)] of the addresses in them."""
        if isinstance(a, str):
            if a in self.scalars:
                a = self.scalars[a]
            else:
                return bytes(8), 8, [(0, a, 0)]
        if "array" in a:
            return bytes(8), 8, [(0, a["array"], self.value(a["offset"], extra))]
        if "alternate" in a:
            return self.argument(a["alternate"][extra["iteration"] % len(a["alternate"])], extra)
        if "struct" in a:
            return self.structure(a, extra)
        raw = self.bytes_of(a["value"], a["type"], extra)
        return raw, len(raw), []

    def structure(self, a, extra):
        """C's layout."""
        raw, align, addresses = b"", a.get("align", 1), []
        for member in a["struct"]:
            inner, inner_align, inner_addresses = self.argument(member, extra)
            raw += bytes(-len(raw) % inner_align)
            addresses += [(len(raw) + o, name, e) for o, name, e in inner_addresses]
            raw += inner
            align = max(align, inner_align)
        return raw + bytes(-len(raw) % align), align, addresses

    # Figures

    def figure_arrays(self):
        names = expressions.ArrayNames()
        for f in self.manifest.get("figures", []):
            expressions.figure(f["value"], self.sizes, names)
        return names.used

    def figures(self, arrays, launches=None):
        """Name -> value. arrays: name -> elements; launches: [(kernel, cycles)]."""
        terms = expressions.Terms(arrays, launches)
        return {f["name"]: expressions.figure(f["value"], self.sizes, terms)
                for f in self.manifest.get("figures", [])}


def open_workload(text, scale, files, passes=None):
    name, sizes = parse_name(text)
    if name not in files:
        raise PlanError(f"there is no workload '{name}'")
    return Workload(files[name], scale, sizes, passes)
