# SPDX-License-Identifier: Apache-2.0
"""Tessera's platforms and workloads from Python (docs/guide/python.md).

Each point (a workload on a platform) is simulated in a process of its own.
"""

import difflib
import json
import os
import warnings

from ._tessera import CtaGrid, InputError, PlacementRequest, PlacementView, RunError, System
from . import _tessera

__all__ = ["CtaGrid", "CtaScheduler", "InputError", "PagePlacement", "PlacementRequest", "PlacementView",
           "Result", "RunError", "System", "UnusedSetting", "calls_per_second", "columns", "compare", "config", "platforms",
           "register", "results", "run", "workloads"]


class UnusedSetting(UserWarning):
    """A setting that changes nothing on the platforms of the call."""


def platforms():
    """Names of the presets."""
    return _tessera.platforms()


def workloads():
    """Names of the suite's workloads."""
    return _tessera.workloads()


def config(platform, settings=None):
    """All parameters of a platform (a preset's name or a JSON file), as nested dicts."""
    return json.loads(_tessera.config(os.fspath(platform), _sets(settings)))


class Result:
    """A point. `failure`: why it is not complete or not correct; None if it is.

    `stats` is the run's stats.json. A row of results() has no modules in it, but the settings, figures and
    configuration of the point.
    """

    def __init__(self, stats, failure=None, figures=None):
        self.stats = stats
        self.failure = failure
        self._figures = figures or {}

    def __getitem__(self, name):
        """A value by its dotted name: a key of `stats`, or a parameter ("llc.ways"). KeyError if there is none."""
        if name == "failure":
            return self.failure
        if name in self._figures:
            return self._figures[name]
        for document in (self.stats, self.stats.get("config") or {}):
            try:
                for part in name.split("."):
                    document = document[part]
            except (KeyError, TypeError):
                continue
            return document
        raise KeyError(name)

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default

    def names(self):
        """Dotted names of all single values but those of modules and kernels."""
        found = ["failure", *self._figures]
        parts = {k: v for k, v in self.stats.items() if k not in ("modules", "dictionary", "config")}
        for document in (parts, self.stats.get("config") or {}):
            found += _names(document, "")
        return list(dict.fromkeys(found))

    platform = property(lambda self: self.stats.get("platform"))
    workload = property(lambda self: self.stats.get("workload"))
    cycles = property(lambda self: self.get("cycles"))
    time_ns = property(lambda self: self.get("time_ns"))
    verified = property(lambda self: self.stats.get("verified"), doc="None: not checked")
    derived = property(lambda self: self.stats.get("derived", {}))
    settings = property(lambda self: self.stats.get("settings", {}))

    def __repr__(self):
        end = f", failure={self.failure!r}" if self.failure else ""
        return f"Result({self.workload!r} on {self.platform!r}, cycles={self.cycles}{end})"


def run(platform, workload, settings=None, *, scale="small", values="functional", seed=1, skip=None,
        detail=None, rest=True, store=None, progress=False):
    """Simulates one point. Raises RunError if the run fails or computes wrong values."""
    (result,) = compare([platform], [workload], settings, scale=scale, values=values, seed=seed, skip=skip,
                        detail=detail, rest=rest, store=store, progress=progress)
    if result.failure:
        raise RunError(result.failure)
    return result


def compare(platforms, workloads, settings=None, *, scale="small", values="functional", seed=1, skip=None,
            detail=None, rest=True, jobs=None, store=None, progress=False):
    """Simulates every workload on every platform, `jobs` at a time (default: one a core).

    `store`: path of a database of results. Points that are in it are not simulated again. Returns Results,
    ordered by workload, then platform. A failed point has `failure`.
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs: {jobs} is not a whole number from 1 on")
    options = ["--scale", scale, "--values", values, "--seed", str(seed)]
    for name, value in (("--skip", skip), ("--detail", detail)):
        if value is not None:
            options += [name, str(value)]
    if not rest:
        options.append("--no-rest")
    document = json.loads(_tessera.run_points(
        [os.fspath(p) for p in _several("platforms", platforms)],
        [os.fspath(w) for w in _several("workloads", workloads)], _sets(settings), options, jobs or 0,
        None if store is None else os.fspath(store), progress))
    for note in document["notes"]:
        warnings.warn(note, UnusedSetting, stacklevel=2)
    rows = []
    for point in document["points"]:
        if point["unsaved"]:
            warnings.warn(point["unsaved"], stacklevel=2)
        stats = point["stats"] or {"platform": point["platform"], "workload": point["workload"]}
        rows.append(Result(stats, point["failure"] or None))
    return rows


def results(store):
    """The points of a database of results, oldest first."""
    rows = []
    for point in json.loads(_tessera.stored_points(os.fspath(store))):
        figures = point.pop("figures")
        stats = dict(point)
        for name, value in figures.items():
            *path, last = name.split(".")
            inner = stats
            for part in path:
                inner = inner.setdefault(part, {})
            inner[last] = value
        rows.append(Result(stats, None, figures))
    return rows


def columns(rows, names):
    """{name: [value of each row]}, as pandas.DataFrame takes it. None where a row has no such value."""
    rows = list(rows)
    for name in names:
        if rows and not any(_has(r, name) for r in rows):
            known = sorted({n for r in rows for n in r.names()})
            near = difflib.get_close_matches(name, known, 1)
            raise InputError(f"no row has '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    return {name: [r.get(name) for r in rows] for name in names}


class PagePlacement:
    """Base of page-placement policies: selects the channel of a page (policies/page_placement.h)."""

    def __init__(self, system):
        self.system = system

    def place(self, request, view):
        """Returns a channel below view.channels. `request`: PlacementRequest, `view`: PlacementView."""
        raise NotImplementedError


class CtaScheduler:
    """Base of CTA schedulers: selects the next CTA of an SM (policies/cta_scheduler.h)."""

    def __init__(self, system):
        self.system = system

    def begin(self, grid, sm_count):
        """Begins a launch."""
        raise NotImplementedError

    def begin_round(self):
        """Begins a new round over the SMs with free resources."""

    def next(self, sm):
        """Returns the number of the next CTA for the SM; None if there is none."""
        raise NotImplementedError

    def has_more(self, sm):
        """Whether next() will still return a CTA for the SM."""
        raise NotImplementedError


def register(name, policy, description=""):
    """Registers a class derived from PagePlacement or CtaScheduler under a name, for settings.

    A class that was registered under the name before is replaced.
    """
    families = {PagePlacement: _tessera.register_page_placement, CtaScheduler: _tessera.register_cta_scheduler}
    for base, add in families.items():
        if isinstance(policy, type) and issubclass(policy, base):
            return add(name, policy, description or (policy.__doc__ or "").strip().split("\n")[0])
    raise InputError(f"'{name}': a policy is a class derived from tessera.PagePlacement or "
                     f"tessera.CtaScheduler, not {policy!r}")


def calls_per_second(family, name):
    """Speed of a policy alone, in Python or C++. `family`: "page_placement" or "cta_scheduler"."""
    return _tessera.calls_per_second(family, name)


def _several(what, names):
    if isinstance(names, (str, os.PathLike)):
        raise InputError(f"{what}: expected a list of names, not {names!r}")
    names = list(names)
    if not names:
        raise InputError(f"{what}: the list is empty")
    return names


def _sets(settings, begin=""):
    """["path=value"] of a dict of settings; inner dicts stand for longer paths."""
    sets = []
    for name, value in (settings or {}).items():
        if isinstance(value, dict):
            sets += _sets(value, f"{begin}{name}.")
        else:
            sets.append(f"{begin}{name}={value if isinstance(value, str) else json.dumps(value)}")
    return sets


def _names(document, begin):
    found = []
    for name, value in document.items():
        if isinstance(value, dict):
            found += _names(value, f"{begin}{name}.")
        elif not isinstance(value, list):
            found.append(begin + name)
    return found


def _has(row, name):
    try:
        row[name]
    except KeyError:
        return False
    return True
