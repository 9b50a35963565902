# SPDX-License-Identifier: Apache-2.0
"""The form of a file of measurements."""

import datetime
import json
import re

from . import vectors


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text(value):
    return isinstance(value, str) and value != ""


def optional_number(value):
    return value is None or number(value)


def keys(errors, where, value, needed, optional=()):
    """Whether `value` is an object with these keys."""
    if not isinstance(value, dict):
        errors.append(f"{where}: expected an object")
        return False
    errors += [f"{where}: the key \"{k}\" is missing" for k in needed if k not in value]
    errors += [f"{where}: unknown key \"{k}\"" for k in value if k not in (*needed, *optional, "comment")]
    return all(k in value for k in needed)


def expect(errors, where, value, test, what):
    if not test(value):
        errors.append(f"{where}: expected {what}, found {json.dumps(value)}")


def entries(errors, where, value):
    expect(errors, where, value, lambda v: isinstance(v, list), "a list")
    return [(f"{where}/{i}", e) for i, e in enumerate(value)] if isinstance(value, list) else []


def is_date(value):
    try:
        return text(value) and bool(datetime.date.fromisoformat(value))
    except ValueError:
        return False


def check_run(errors, where, run):
    if not keys(errors, where, run, ("name", "workload", "figures", "kernels"), ("scale", "passes", "sm_mhz")):
        return
    expect(errors, where + "/name", run["name"], text, "a name")
    expect(errors, where + "/workload", run["workload"], text, "a workload")
    expect(errors, where + "/sm_mhz", run.get("sm_mhz"), optional_number, "a number")
    if not isinstance(run["figures"], dict):
        errors.append(f"{where}/figures: expected an object")
    else:
        for name, value in run["figures"].items():
            expect(errors, f"{where}/figures/{name}", value, optional_number, "a number or null")
    for at, kernel in entries(errors, where + "/kernels", run["kernels"]):
        if keys(errors, at, kernel, ("name", "ns")):
            expect(errors, at + "/name", kernel["name"], text, "a name")
            expect(errors, at + "/ns", kernel["ns"], lambda v: number(v) and v >= 0, "nanoseconds")


def check_form(errors, where, form, known):
    if not keys(errors, where, form, ("ptx", "inputs", "results")):
        return
    expect(errors, where + "/inputs", form["inputs"],
           lambda v: text(v) and re.fullmatch("[0-9a-f]{8}", v), "a checksum of 8 digits")
    expect(errors, where + "/results", form["results"],
           lambda v: text(v) and re.fullmatch("[0-9a-f]+( [0-9a-f]+)*", v), "words of hex digits")
    today = known.get(form["ptx"])
    if today is None or today.inputs_crc != form["inputs"] or not text(form["results"]):
        return
    words = form["results"].split()
    if len(words) != len(today.vectors) or any(len(w) != today.bits // 4 for w in words):
        errors.append(f"{where}/results: expected {len(today.vectors)} words of {today.bits} bits")


def check(data):
    """Lines about what is wrong with a file's contents; none if it is well-formed."""
    errors = []
    needed = ("gpu", "driver", "cuda", "clocks", "date", "tessera", "runs", "left_out")
    optional = ("spdx", "source", "sms", "compute", "memory", "l2_bytes", "seed", "ptx")
    if not keys(errors, "", data, needed, optional):
        return errors
    for key in ("gpu", "driver", "cuda", "tessera"):
        expect(errors, "/" + key, data[key], text, "a text")
    expect(errors, "/date", data["date"], is_date, "a date (YYYY-MM-DD)")
    for key in ("sms", "memory", "l2_bytes", "seed"):
        expect(errors, "/" + key, data.get(key), optional_number, "a number")
    if keys(errors, "/clocks", data["clocks"], ("sm", "mem")):
        for key in ("sm", "mem"):
            expect(errors, "/clocks/" + key, data["clocks"][key], optional_number, "MHz or null")
    names = set()
    for where, run in entries(errors, "/runs", data["runs"]):
        check_run(errors, where, run)
        name = run.get("name") if isinstance(run, dict) else None
        if name in names:
            errors.append(f"{where}: the name \"{name}\" is taken")
        names.add(name)
    for where, left in entries(errors, "/left_out", data["left_out"]):
        if keys(errors, where, left, ("name", "why")):
            expect(errors, where + "/name", left["name"], text, "a name")
            expect(errors, where + "/why", left["why"], text, "a reason")
    if data.get("ptx") is not None and keys(errors, "/ptx", data["ptx"], ("forms",)):
        known = {f.ptx: f for f in vectors.forms()}
        for where, form in entries(errors, "/ptx/forms", data["ptx"]["forms"]):
            check_form(errors, where, form, known)
    return errors
