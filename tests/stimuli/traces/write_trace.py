# SPDX-License-Identifier: Apache-2.0
"""Writes traces of known kernels from formulas, in Accel-Sim's format. It shares no code with
stimuli/traces, which reads them.

write_trace.py KERNEL FOLDER [--n N] [--block N] [--version 1..6] [--form list|stride|delta|best]
               [--compress none|gz|xz|zst] [--container none|plain|dictionary]
write_trace.py --totals KERNEL [--n N] [--block N]

KERNEL: vecadd, transpose, stencil, barrier, stream (kernels below). --n is the number of elements (default: 1024); of
transpose, it is the side of the square matrix (default: 128). The second form prints what the trace contains as JSON.
"""

import argparse
import ctypes
import gzip
import json
import lzma
import os
import struct
import sys

LANES = 32
LINE = 128
SECTOR = 32
A, B, C = 0x7F1000000000, 0x7F1000400000, 0x7F1000800000
SHARED_BASE, LOCAL_BASE = 0x7F2000000000, 0x7F2001000000


class Instruction:
    """addresses: {lane: address}, or None. width: bytes of a lane."""

    def __init__(self, pc, opcode, destinations=(), sources=(), mask=0xFFFFFFFF, addresses=None, width=4):
        self.pc, self.opcode, self.mask = pc, opcode, mask
        self.destinations, self.sources = destinations, sources
        self.addresses, self.width = addresses, width

    @property
    def lanes(self):
        return bin(self.mask).count("1")


def mask_of(threads):
    return sum(1 << lane for lane, active in enumerate(threads) if active)


def plain(first, opcodes, mask):
    """Instructions without accesses, one each 16 bytes."""
    return [Instruction(first + 16 * k, opcode, mask=mask) for k, opcode in enumerate(opcodes)]


def vecadd(n, block):
    """c[i] = a[i] + b[i], one element a thread; instruction by instruction as the suite's vecadd.ptx."""
    ctas = (n + block - 1) // block

    def warp(cta, w):
        ids = [cta * block + w * LANES + lane for lane in range(LANES)]
        in_block = [w * LANES + lane < block for lane in range(LANES)]
        inside = [b and i < n for b, i in zip(in_block, ids)]
        full, active = mask_of(in_block), mask_of(inside)
        at = lambda base: {lane: base + 4 * ids[lane] for lane in range(LANES) if inside[lane]}
        yield from plain(0x00, ["LDC", "S2R", "S2R", "S2R", "IMAD", "ISETP.GE.AND"], full)
        yield Instruction(0x60, "BRA", mask=full & ~active)
        if active:
            yield from plain(0x70, ["LDC.64", "LDC.64", "MOV", "LDC.64", "MOV", "MOV", "IMAD.WIDE", "IADD3", "IADD3",
                                    "IADD3"], active)
            yield Instruction(0x110, "LDG.E.SYS", ["R4"], ["R2"], active, at(A))
            yield Instruction(0x120, "LDG.E.SYS", ["R5"], ["R6"], active, at(B))
            yield Instruction(0x130, "FADD", ["R9"], ["R4", "R5"], active)
            yield Instruction(0x140, "STG.E.SYS", [], ["R8", "R9"], active, at(C))
        yield Instruction(0x150, "EXIT", [], [], full)

    return "vecadd", (ctas, 1, 1), (block, 1, 1), 0, warp


def transpose(n, block):
    """out[x][y] = in[y][x] of an n x n matrix of f32, without tiles: a warp reads a row of 32 elements and writes a
    column. As transpose_rows in kernels.ptx."""
    ctas = n * n // block

    def warp(cta, w):
        ids = [cta * block + w * LANES + lane for lane in range(LANES)]
        yield from plain(0x00, ["LDC.64", "LDC.64", "S2R", "S2R", "S2R", "IMAD", "IMAD.WIDE", "IADD3"], 0xFFFFFFFF)
        yield Instruction(0x80, "LDG.E", ["R4"], ["R2"],
                          addresses={l: A + 4 * i for l, i in enumerate(ids)})
        yield from plain(0x90, ["LOP3", "SHF", "IMAD", "IMAD.WIDE", "IADD3"], 0xFFFFFFFF)
        yield Instruction(0xE0, "STG.E", [], ["R6", "R4"],
                          addresses={l: B + 4 * (i % n * n + i // n) for l, i in enumerate(ids)})
        yield Instruction(0xF0, "EXIT")

    return "transpose_rows", (ctas, 1, 1), (block, 1, 1), 0, warp


def stencil(n, block):
    """out[i] = in[i-1] + in[i] + in[i+1] of f64, with clamped indices. As stencil3 in kernels.ptx."""
    ctas = n // block

    def warp(cta, w):
        ids = [cta * block + w * LANES + lane for lane in range(LANES)]
        clamp = lambda i: min(max(i, 0), n - 1)
        load = lambda pc, register, offset: Instruction(
            pc, "LDG.E.64.CONSTANT", [register], ["R2"], width=8,
            addresses={l: A + 8 * clamp(i + offset) for l, i in enumerate(ids)})
        yield from plain(0x00, ["LDC.64", "LDC.64", "S2R", "S2R", "S2R", "IMAD"], 0xFFFFFFFF)
        for k, (register, offset) in enumerate((("R4", -1), ("R6", 0), ("R8", 1))):
            at = 0x60 + 0x50 * k
            yield from plain(at, ["IADD3", "IMNMX", "IMNMX", "IMAD.WIDE", "IADD3"][0 if offset else 3:], 0xFFFFFFFF)
            yield load(at + 0x48, register, offset)
        yield Instruction(0x150, "DADD", ["R4"], ["R4", "R6"])
        yield Instruction(0x160, "DADD", ["R4"], ["R4", "R8"])
        yield from plain(0x170, ["IMAD.WIDE", "IADD3"], 0xFFFFFFFF)
        yield Instruction(0x190, "STG.E.64", [], ["R10", "R4"], width=8,
                          addresses={l: B + 8 * i for l, i in enumerate(ids)})
        yield Instruction(0x1A0, "EXIT")

    return "stencil3", (ctas, 1, 1), (block, 1, 1), 0, warp


def barrier(n, block):
    """Each warp stores to shared memory, waits, loads what another warp has stored, spills and
    reloads a register, adds atomically, and ends."""
    ctas = n // block

    def warp(cta, w):
        ids = [w * LANES + lane for lane in range(LANES)]
        shared = lambda i: SHARED_BASE + 4 * i
        yield Instruction(0x00, "STS", [], ["R0", "R1"],
                          addresses={l: shared(i) for l, i in enumerate(ids)})
        yield Instruction(0x10, "BAR.SYNC.DEFER_BLOCKING")
        yield Instruction(0x20, "LDS", ["R2"], ["R0"],
                          addresses={l: shared(block - 1 - i) for l, i in enumerate(ids)})
        yield Instruction(0x30, "STL.64", [], ["R1", "R2"], width=8,
                          addresses={l: LOCAL_BASE + 0xFFF00 for l in range(LANES)})
        yield Instruction(0x40, "LDL.64", ["R4"], ["R1"], width=8,
                          addresses={l: LOCAL_BASE + 0xFFF00 for l in range(LANES)})
        yield Instruction(0x50, "RED.E.ADD.STRONG.GPU", [], ["R6", "R4"],
                          addresses={l: C + 4 * (l % 8) for l in range(LANES)})
        yield Instruction(0x60, "EXIT")

    return "barrier", (ctas, 1, 1), (block, 1, 1), 4 * block, warp


def stream(n, block):
    """b[i] = a[i], 32 elements a thread: for traces of any size."""
    each = 32
    ctas = n // (block * each)
    target = A + (1 << 32)

    def warp(cta, w):
        for k in range(each):
            first = 4 * ((cta * each + k) * block + w * LANES)
            yield Instruction(0x00, "LDG.E", ["R4"], ["R2"], addresses={l: A + first + 4 * l for l in range(LANES)})
            yield Instruction(0x10, "STG.E", [], ["R6", "R4"],
                              addresses={l: target + first + 4 * l for l in range(LANES)})
        yield Instruction(0x20, "EXIT")

    return "stream", (ctas, 1, 1), (block, 1, 1), 0, warp


KERNELS = {"vecadd": vecadd, "transpose": transpose, "stencil": stencil, "barrier": barrier, "stream": stream}
SIZES = {"transpose": 128}
# Arrays that the host copies to the device, and their bytes.
INPUTS = {"vecadd": lambda n: [(A, 4 * n), (B, 4 * n)], "transpose": lambda n: [(A, 4 * n * n)],
          "stencil": lambda n: [(A, 8 * n)], "barrier": lambda n: [(C, 4 * 8)], "stream": lambda n: [(A, 4 * n)]}


def overlap(kernel, n):
    """Whether the arrays of n elements would overlap. Those of stream are 4 GiB apart."""
    return max(size for _, size in INPUTS[kernel](n)) > (1 << 32 if kernel == "stream" else B - A)


def address_fields(addresses, form):
    at = [addresses[lane] for lane in sorted(addresses)]
    lanes = sorted(addresses)
    steps = [b - a for a, b in zip(at, at[1:])]
    contiguous = lanes == list(range(lanes[0], lanes[0] + len(lanes)))
    if form == "best":
        form = "stride" if contiguous and len(at) > 1 and len(set(steps)) == 1 else "delta"
    if form == "stride" and not (contiguous and len(set(steps)) <= 1):
        form = "list"
    if form == "stride":
        return f"1 0x{at[0]:x} {steps[0] if steps else 0}"
    if form == "delta":
        return " ".join([f"2 0x{at[0]:x}"] + [str(s) for s in steps])
    return " ".join(["0"] + [f"0x{a:x}" for a in at])


def record(i, version, form, cta, warp):
    fields = [f"{cta}", "0", "0", f"{warp}"] if version < 3 else []
    fields += [f"{i.pc:04x}", f"{i.mask:08x}", str(len(i.destinations)), *i.destinations, i.opcode,
              str(len(i.sources)), *i.sources]
    fields.append(f"{i.width} {address_fields(i.addresses, form)}" if i.addresses else "0")
    if version >= 4:
        fields.append("0")
    if version >= 6:
        fields.append("NoVal")
    return " ".join(fields)


def header(name, grid, block, shared, version):
    dims = lambda d: f"({d[0]},{d[1]},{d[2]})"
    return (f"-kernel name = {name}\n-kernel id = 1\n-grid dim = {dims(grid)}\n"
            f"-block dim = {dims(block)}\n-shmem = {shared}\n-nregs = 16\n-binary version = 80\n"
            f"-cuda stream id = 0\n-shmem base_addr = 0x{SHARED_BASE:016x}\n"
            f"-local mem base_addr = 0x{LOCAL_BASE:016x}\n-nvbit version = 1.7.1\n"
            f"-accelsim tracer version = {version}\n-enable lineinfo = 0\n\n#traces format = comment\n\n")


def text_lines(kernel, version, form):
    name, grid, block, shared, warp = kernel
    yield header(name, grid, block, shared, version)
    warps = (block[0] + LANES - 1) // LANES
    for cta in range(grid[0]):
        yield f"#BEGIN_TB\n\nthread block = {cta},0,0\n\n"
        for w in range(warps):
            records = [record(i, version, form, cta, w) for i in warp(cta, w)]
            yield f"warp = {w}\ninsts = {len(records)}\n" + "".join(r + "\n" for r in records) + "\n"
        yield "#END_TB\n\n"


def zstd(data, dictionary=b""):
    """A frame with the content's size, by libzstd."""
    library = ctypes.CDLL("libzstd.so.1")
    for function in ("ZSTD_compressBound", "ZSTD_compress_usingDict"):
        getattr(library, function).restype = ctypes.c_size_t
    library.ZSTD_createCCtx.restype = ctypes.c_void_p
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    library.ZSTD_freeCCtx.argtypes = [ctypes.c_void_p]
    library.ZSTD_compress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
                                                ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                                ctypes.c_size_t, ctypes.c_int]
    context = library.ZSTD_createCCtx()
    out = ctypes.create_string_buffer(library.ZSTD_compressBound(len(data)))
    size = library.ZSTD_compress_usingDict(context, out, len(out), data, len(data), dictionary, len(dictionary), 3)
    library.ZSTD_freeCCtx(context)
    if size > len(out):
        sys.exit("libzstd cannot compress")
    return out.raw[:size]


def container(kernel, version, form, raw, per_chunk=3):
    """raw: the dictionary."""
    name, grid, block, shared, warp = kernel
    out = header(name, grid, block, shared, version).encode() + b"\0"
    out += struct.pack("<II", len(raw), per_chunk) + raw
    index = struct.pack("<I", grid[0])
    warps = (block[0] + LANES - 1) // LANES
    for cta in range(grid[0]):
        index += struct.pack("<11I", cta, 0, 0, 0, 0, 0, 0, 0, 0, 0, warps)
        for w in range(warps):
            records = [record(i, version, form, cta, w) + "\n" for i in warp(cta, w)]
            chunks = [records[k:k + per_chunk] for k in range(0, len(records), per_chunk)]
            index += struct.pack("<IIQ", len(records), len(chunks), len(out))
            index += b"".join(struct.pack("<I", len(c)) for c in chunks)
            out += struct.pack("<II", len(records), len(chunks))
            for c in chunks:
                data = zstd("".join(c).encode(), raw)
                out += struct.pack("<I", len(data)) + data
    return out + index + struct.pack("<Q", len(out))


def totals(kernel, line=LINE):
    """What the trace contains. line: bytes of a cache line."""
    name, grid, block, shared, warp = kernel
    t = dict(ctas=grid[0], warp_instructions=0, thread_instructions=0, memory_instructions=0, loads=0, stores=0,
             atomics=0, lines=0, sectors=0, bytes=0)
    touched = set()
    for cta in range(grid[0]):
        for w in range((block[0] + LANES - 1) // LANES):
            for i in warp(cta, w):
                t["warp_instructions"] += 1
                t["thread_instructions"] += i.lanes
                if not i.addresses:
                    continue
                t["memory_instructions"] += 1
                if not i.opcode.startswith(("LDG", "STG", "RED")):
                    continue
                kind = "loads" if i.opcode.startswith("LD") else "stores" if i.opcode.startswith("ST") else "atomics"
                t[kind] += 1
                at = i.addresses.values()
                t["lines"] += len({a // line for a in at})
                sectors = {a // SECTOR for a in at}
                t["sectors"] += len(sectors)
                t["bytes"] += len({a + k for a in at for k in range(i.width)})
                touched |= sectors
    t["bytes_touched"] = len(touched) * SECTOR
    return t


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--totals", action="store_true")
    parser.add_argument("kernel", choices=KERNELS)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--n", type=int)
    parser.add_argument("--block", type=int, default=128)
    parser.add_argument("--version", type=int, default=5)
    parser.add_argument("--form", default="best", choices=["list", "stride", "delta", "best"])
    parser.add_argument("--compress", default="none", choices=["none", "gz", "xz", "zst"])
    parser.add_argument("--container", default="none", choices=["none", "plain", "dictionary"])
    options = parser.parse_args()
    n = options.n or SIZES.get(options.kernel, 1024)
    if overlap(options.kernel, n):
        parser.error(f"--n {n} of {options.kernel}: its arrays would overlap")
    kernel = KERNELS[options.kernel](n, options.block)
    if options.totals:
        print(json.dumps(totals(kernel)))
        return
    os.makedirs(options.folder, exist_ok=True)
    file = "kernel-1.traceg"
    if options.container != "none":
        file = "kernel-1.tracez"
        words = b" ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f1000000000 4 0\n" * 4
        data = container(kernel, options.version, options.form,
                         words if options.container == "dictionary" else b"")
        with open(os.path.join(options.folder, file), "wb") as f:
            f.write(data)
    else:
        suffix = {"none": "", "gz": ".gz", "xz": ".xz", "zst": ".zst"}[options.compress]
        file += suffix
        path = os.path.join(options.folder, file)
        lines = (line.encode() for line in text_lines(kernel, options.version, options.form))
        if options.compress == "zst":
            with open(path, "wb") as f:
                f.write(zstd(b"".join(lines)))
        else:
            opened = {"none": open, "gz": gzip.open, "xz": lzma.open}[options.compress]
            with opened(path, "wb") as f:
                f.writelines(lines)
    with open(os.path.join(options.folder, "kernelslist.g"), "w") as f:
        for base, size in INPUTS[options.kernel](n):
            f.write(f"MemcpyHtoD,0x{base:016x},{size}\n")
        f.write(file + "\n")


if __name__ == "__main__":
    main()
