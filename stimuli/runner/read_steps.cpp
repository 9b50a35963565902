// SPDX-License-Identifier: Apache-2.0
// Launches, loops, host writes and arguments of a manifest.

#include <algorithm>

#include "common/json.h"
#include "common/suggest.h"
#include "stimuli/runner/manifest_reader.h"

namespace tessera::kernels {
namespace {

constexpr unsigned kMostLoops = 8;
// The priority of a packet of the command processor; less is more urgent.
constexpr std::int64_t kLeastNumber = -32768;
constexpr std::int64_t kMostNumber = 32767;

}  // namespace

/// A name, or {"name", "priority"}.
void ManifestReader::stream(const Node& n) {
  StreamSpec s;
  if (n.value().is_string()) {
    s.name = n.string();
  } else {
    n.object({"name", "priority"});
    s.name = n.required("name").string();
    if (const auto p = n.member("priority")) {
      const std::int64_t v = p->integer();
      if (v < kLeastNumber || v > kMostNumber) {
        p->expected("an integer from " + std::to_string(kLeastNumber) + " to " +
                    std::to_string(kMostNumber));
      }
      s.priority = static_cast<std::int32_t>(v);
    }
  }
  if (s.name.empty()) n.expected("a name");
  if (m_.stream(s.name) != nullptr) n.fail("the name \"" + s.name + "\" is taken");
  m_.streams.push_back(std::move(s));
}

std::vector<Step> ManifestReader::steps(const Node& n) {
  std::vector<Step> out;
  for (const Node& one : n.elements()) out.push_back(step(one));
  return out;
}

Step ManifestReader::step(const Node& n) {
  if (!n.value().is_object()) n.expected("an object: a launch, a loop, \"fill\" or \"set\"");
  const auto make = [&n](auto what) { return Step{std::move(what), n.pointer()}; };
  if (n.member("kernel")) return make(launch(n));
  if (n.member("until")) return make(until(n));
  if (n.member("repeat") && n.member("launches")) return make(repeat(n));
  if (n.member("fill")) return make(fill(n));
  if (n.member("set")) return make(set(n));
  // An unknown step is read as a launch, because errors in launches are the most likely ones.
  return make(launch(n));
}

LaunchSpec ManifestReader::launch(const Node& n) {
  n.object({"kernel", "grid", "block", "dynamic_shared", "repeat", "arguments", "name", "stream",
            "after"});
  LaunchSpec l;
  l.pointer = n.pointer();
  if (!n.member("kernel")) {
    n.fail(
        "the key \"kernel\" is missing (a launch has it; a loop has \"repeat\" or \"until\" and "
        "\"launches\"; a write of the host has \"fill\" or \"set\")");
  }
  l.kernel = n.required("kernel").string();
  l.grid = dimensions(n.required("grid"));
  l.block = dimensions(n.required("block"));
  if (const auto d = n.member("dynamic_shared")) l.dynamic_shared = formula(*d);
  if (const auto r = n.member("repeat")) l.repeat = formula(*r);
  if (l.repeat) ++loops_;
  for (const Node& a : n.required("arguments").elements()) l.arguments.push_back(argument(a));
  if (l.repeat) --loops_;
  order(n, l);
  return l;
}

/// Name, stream and dependencies of a launch. The names in "after" are checked when all launches
/// are known (launch_order.h).
void ManifestReader::order(const Node& n, LaunchSpec& launch) {
  if (const auto name = n.member("name")) {
    launch.name = name->string();
    if (launch.name.empty()) name->expected("a name");
    if (!launch_names_.insert(launch.name).second) {
      name->fail("the name \"" + launch.name + "\" is taken");
    }
  }
  if (const auto stream = n.member("stream")) {
    if (m_.streams.empty()) {
      stream->fail("the manifest has no streams: list their names in \"streams\"");
    }
    std::set<std::string> known;
    for (const StreamSpec& s : m_.streams) known.insert(s.name);
    check_name(*stream, known, "stream");
    launch.stream = stream->string();
  }
  if (const auto after = n.member("after")) {
    for (const Node& other : after->elements()) {
      launch.after.push_back({other.string(), other.pointer()});
    }
  }
}

std::array<Formula, 3> ManifestReader::dimensions(const Node& n) {
  std::array<Formula, 3> out{Formula{"1", n.pointer()}, Formula{"1", n.pointer()},
                             Formula{"1", n.pointer()}};
  if (!n.value().is_array()) {
    out[0] = formula(n);
    return out;
  }
  const auto list = n.elements();
  if (list.empty() || list.size() > 3) n.expected("one to three dimensions");
  for (std::size_t i = 0; i < list.size(); ++i) out[i] = formula(list[i]);
  return out;
}

std::vector<Step> ManifestReader::body(const Node& loop, std::string* counter) {
  if (loops_ == kMostLoops) loop.fail("loops are nested more than 8 deep");
  if (const auto as = loop.member("as")) {
    *counter = as->string();
    if (*counter == kIteration || size_names_.count(*counter) != 0) {
      as->fail("the name \"" + *counter + "\" is taken");
    }
  }
  ++loops_;
  std::vector<Step> out = steps(loop.required("launches"));
  --loops_;
  if (out.empty()) loop.required("launches").expected("at least one launch");
  return out;
}

RepeatSpec ManifestReader::repeat(const Node& n) {
  n.object({"repeat", "as", "launches"});
  RepeatSpec r;
  r.times = formula(n.required("repeat"));
  r.steps = body(n, &r.counter);
  return r;
}

UntilSpec ManifestReader::until(const Node& n) {
  n.object({"until", "at_most", "as", "launches"});
  UntilSpec u;
  const Node condition = n.required("until");
  condition.object({"array", "index", "equals"});
  u.element = element(condition);
  u.equals = number_of(condition.required("equals"), m_.array(u.element.array)->type);
  u.at_most = formula(n.required("at_most"));
  u.steps = body(n, &u.counter);
  return u;
}

ElementRef ManifestReader::element(const Node& n) const {
  return {array_name(n.required("array")), formula(n.required("index"))};
}

FillSpec ManifestReader::fill(const Node& n) const {
  n.object({"fill", "value"});
  const ArraySpec& array = array_of(n.required("fill"));
  return {array.name, number_of(n.required("value"), array.type)};
}

SetSpec ManifestReader::set(const Node& n) const {
  n.object({"set"});
  const Node what = n.required("set");
  what.object({"array", "index", "value"});
  ElementRef to = element(what);
  const Element type = m_.array(to.array)->type;
  return {std::move(to), number_of(what.required("value"), type)};
}

ArgumentSpec ManifestReader::argument(const Node& n) {
  ArgumentSpec out;
  out.pointer = n.pointer();
  if (n.value().is_string()) {
    check_name(n, names_, "array, variable, scalar, texture or surface");
    out.value = n.string();
    return out;
  }
  if (!n.value().is_object()) {
    n.expected(
        "the name of an array or scalar, {\"type\": ..., \"value\": ...}, {\"array\": ..., "
        "\"offset\": ...}, {\"struct\": [...]} or {\"alternate\": [...]}");
  }
  if (n.member("array")) {
    n.object({"array", "offset"});
    out.value = ElementRef{array_name(n.required("array")), formula(n.required("offset"))};
  } else if (n.member("struct")) {
    out.value = structure(n);
  } else if (n.member("alternate")) {
    n.object({"alternate"});
    if (loops_ == 0) n.fail("\"alternate\" needs a loop around it, or a launch with \"repeat\"");
    Alternation a;
    const Node choices = n.required("alternate");
    for (const Node& one : choices.elements()) {
      if (one.value().is_object() && one.member("alternate")) {
        one.fail("\"alternate\" inside of \"alternate\"");
      }
      a.choices.push_back(argument(one));
    }
    if (a.choices.size() < 2) choices.expected("two arguments or more");
    out.value = std::move(a);
  } else {
    out.value = scalar(n, false);
  }
  return out;
}

StructSpec ManifestReader::structure(const Node& n) {
  n.object({"struct", "align"});
  StructSpec out;
  const Node members = n.required("struct");
  for (const Node& member : members.elements()) out.members.push_back(argument(member));
  if (out.members.empty()) members.expected("at least one member");
  if (const auto align = n.member("align")) {
    const std::int64_t v = align->integer();
    if (v < 1 || v > 128 || (v & (v - 1)) != 0) align->expected("a power of two up to 128");
    out.align = static_cast<unsigned>(v);
  }
  return out;
}

}  // namespace tessera::kernels
