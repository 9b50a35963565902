# SPDX-License-Identifier: Apache-2.0
"""Reads a time line in Perfetto's format: an own protobuf reader, without a library."""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


WIRE_TYPES = {"uint": VARINT, "double": FIXED64, "fixed64": FIXED64, "string": BYTES}
REPEATED = ("debug_annotations", "flow_ids", "event_names", "debug_annotation_names")


class Damaged(Exception):
    """The file is not in the format."""


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data):
            raise Damaged(f"a number ends the data at {at}")
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise Damaged(f"a number of more than ten bytes at {at}")


def fields(data):
    """(field number, wire type, value) of each field of a message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            value, at = varint(data, at)
        else:
            if wire == BYTES:
                size, at = varint(data, at)
            elif wire in (FIXED64, FIXED32):
                size = 8 if wire == FIXED64 else 4
            else:
                raise Damaged(f"wire type {wire} of field {number}")
            if at + size > len(data):
                raise Damaged(f"field {number} is longer than its message")
            value = data[at:at + size]
            at += size
        yield number, wire, value


def message(data, known):
    """The fields of a message by name: `known` is {number: (name, how it is read)}. A field that is
    not known is an error, so that a wrong number is not skipped."""
    result = {}
    for number, wire, value in fields(data):
        if number not in known:
            raise Damaged(f"field {number} of wire type {wire} is not known")
        name, kind = known[number]
        expected = BYTES if isinstance(kind, dict) else WIRE_TYPES[kind]
        if wire != expected:
            raise Damaged(f"field {name} has wire type {wire}")
        if kind == "double":
            value = struct.unpack("<d", value)[0]
        elif kind == "fixed64":
            value = struct.unpack("<Q", value)[0]
        elif kind == "string":
            value = value.decode()
        elif isinstance(kind, dict):
            value = message(value, kind)
        if name in REPEATED:
            result.setdefault(name, []).append(value)
        elif name in result:
            raise Damaged(f"field {name} occurs twice")
        else:
            result[name] = value
    return result


NAME = {1: ("iid", "uint"), 2: ("name", "string")}
ANNOTATION = {1: ("name_iid", "uint"), 3: ("uint_value", "uint"), 5: ("double_value", "double"),
              7: ("pointer_value", "uint")}
TRACK_EVENT = {4: ("debug_annotations", ANNOTATION), 9: ("type", "uint"), 10: ("name_iid", "uint"),
               11: ("track_uuid", "uint"), 44: ("double_counter_value", "double"),
               47: ("flow_ids", "fixed64")}
TRACK = {1: ("uuid", "uint"), 2: ("name", "string"), 5: ("parent_uuid", "uint"),
         8: ("counter", {6: ("unit_name", "string")}), 11: ("child_ordering", "uint"),
         12: ("sibling_order_rank", "uint")}
PACKET = {8: ("timestamp", "uint"), 10: ("trusted_packet_sequence_id", "uint"),
          11: ("track_event", TRACK_EVENT),
          12: ("interned_data", {2: ("event_names", NAME), 3: ("debug_annotation_names", NAME)}),
          13: ("sequence_flags", "uint"), 60: ("track_descriptor", TRACK)}


class Slice:
    def __init__(self, track, name, begin, flows, values):
        self.track, self.name, self.begin, self.end = track, name, begin, None
        self.flows, self.values = flows, values

    def __repr__(self):
        return f"{self.name} [{self.begin}, {self.end}) on {self.track} {self.values}"


class Timeline:
    """Tracks by uuid, slices in the order of their begins in the file, instants, and the values of
    each counter. Checks what must hold of each file."""

    def __init__(self, path):
        self.tracks, self.slices, self.instants, self.counters = {}, [], [], {}
        self.open = {}    # by track: slices that have not ended
        self.last = {}    # by track: time of the last event
        self.names = {"event_names": {}, "debug_annotation_names": {}}
        with open(path, "rb") as file:
            data = file.read()
        self.bytes, self.packets = len(data), 0
        for number, wire, value in fields(data):
            if number != 1 or wire != BYTES:
                raise Damaged(f"field {number} of a trace")
            self.packet(message(value, PACKET))
            self.packets += 1
        left = [s for stack in self.open.values() for s in stack]
        if left:
            raise Damaged(f"slices without end: {left[:3]}")

    def packet(self, packet):
        flags = packet.get("sequence_flags", 0)
        if packet.get("trusted_packet_sequence_id") != 1:
            raise Damaged("a packet of another sequence")
        if (self.packets == 0) != bool(flags & 1):
            raise Damaged("the state of the sequence is cleared at the first packet only")
        for index, entries in packet.get("interned_data", {}).items():
            for entry in entries:
                if self.names[index].setdefault(entry["iid"], entry["name"]) != entry["name"]:
                    raise Damaged(f"two names of {entry['iid']}")
        if "track_descriptor" in packet:
            track = packet["track_descriptor"]
            parent = track.get("parent_uuid", 0)
            if track["uuid"] in self.tracks or parent not in (0, *self.tracks):
                raise Damaged(f"track {track}")
            self.tracks[track["uuid"]] = track
        elif "track_event" in packet:
            self.event(packet["timestamp"], packet["track_event"], bool(flags & 2))
        else:
            raise Damaged(f"an empty packet: {packet}")

    def event(self, at, event, interned):
        track = event["track_uuid"]
        if track not in self.tracks:
            raise Damaged(f"an event of an unknown track: {event}")
        if at < self.last.get(track, 0):
            raise Damaged(f"time goes back on {self.path(track)}")
        self.last[track] = at
        values = {}
        for v in event.get("debug_annotations", []):
            name = self.names["debug_annotation_names"][v.pop("name_iid")]
            (values[name],) = v.values()
        if (values or "name_iid" in event) and not interned:
            raise Damaged("a packet with interned names does not say so")
        name = self.names["event_names"][event["name_iid"]] if "name_iid" in event else None
        counter = "counter" in self.tracks[track]
        if counter != (event["type"] == COUNTER):
            raise Damaged(f"event {event} of track {self.path(track)}")
        stack = self.open.setdefault(track, [])
        if event["type"] == BEGIN:
            s = Slice(track, name, at, event.get("flow_ids", []), values)
            stack.append(s)
            self.slices.append(s)
        elif event["type"] == END:
            if not stack:
                raise Damaged(f"an end without begin on {self.path(track)}")
            stack[-1].end = at
            stack.pop().values.update(values)
        elif event["type"] == INSTANT:
            self.instants.append((track, at, name))
        else:
            self.counters.setdefault(track, []).append((at, event["double_counter_value"]))

    def path(self, track):
        names = []
        while track != 0:
            names.append(self.tracks[track]["name"])
            track = self.tracks[track].get("parent_uuid", 0)
        return "/".join(reversed(names))

    def named(self, name):
        """The slices on tracks of that name."""
        return [s for s in self.slices if self.tracks[s.track]["name"] == name]

    def parent(self, s):
        """Path of the track that contains a slice's track: of its block."""
        return self.path(self.tracks[s.track]["parent_uuid"])

    def integral(self, track):
        """Of a counter over the run, in its unit times nanoseconds."""
        values = self.counters.get(track, [])
        return sum(value * (after - at) for (at, value), (after, _) in zip(values, values[1:]))
