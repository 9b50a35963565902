// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/captured_run.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "common/error.h"
#include "common/json.h"
#include "stimuli/traces/record_decoder.h"

namespace tessera::traces {
namespace {

using nlohmann::ordered_json;

// Names in the order of the enumerations.
constexpr std::array kUnitNames = {"alu",     "int_mul", "fp64", "sfu", "memory",
                                   "barrier", "fence",   "wait", "exit"};
constexpr std::array kKindNames = {"compute", "memory", "barrier", "fence", "exit"};
constexpr std::array kAccessNames = {"load", "store", "atomic"};
constexpr std::array kSpaceNames = {"global", "shared", "local", "constant", "parameter"};
constexpr std::array kScopeNames = {"l1", "bypass_l1"};
constexpr std::array kAtomicNames = {"add", "min", "max", "inc",      "dec",
                                     "and", "or",  "xor", "exchange", "compare_and_swap"};
constexpr std::array kAtomicTypeNames = {
    "u32", "s32",  "b32",    "f32",  "u64",   "s64",   "b64",   "f64",   "f16x2",  "b16",
    "f16", "bf16", "bf16x2", "b128", "f32x2", "f32x4", "f16x4", "f16x8", "bf16x4", "bf16x8"};
constexpr std::array kHostKindNames = {"allocate", "allocate_slots", "write",   "defer",
                                       "read",     "launch",         "enqueue", "synchronise"};

/// More than any kernel has.
constexpr std::uint32_t kMostArgumentBytes = 1U << 16;

template <class Names, class Enum>
const char* name_in(const Names& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

template <class Enum, class Names>
Enum value_in(const Names& names, const ordered_json& name, const char* what) {
  const auto text = name.get<std::string>();
  const auto at = std::find(names.begin(), names.end(), text);
  if (at == names.end()) throw InputError("'" + text + "' is no " + what);
  return static_cast<Enum>(at - names.begin());
}

/// Throws InputError unless it is a whole number that T can have.
template <class T>
T whole(const ordered_json& value, const char* what) {
  using Limits = std::numeric_limits<T>;
  bool fits = false;
  if (value.is_number_unsigned()) {
    fits = value.get<std::uint64_t>() <= static_cast<std::uint64_t>(Limits::max());
  } else if (value.is_number_integer() && std::is_signed_v<T>) {
    fits = value.get<std::int64_t>() >= static_cast<std::int64_t>(Limits::min());
  }
  if (!fits) {
    throw InputError("expected '" + std::string(what) + "' as a whole number from " +
                     std::to_string(Limits::min()) + " to " + std::to_string(Limits::max()) +
                     ", found " + value.dump());
  }
  return value.get<T>();
}

template <class T>
T whole_of(const ordered_json& object, const char* key) {
  return whole<T>(object.at(key), key);
}

template <class T>
T whole_or_zero(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? T{0} : whole<T>(*found, key);
}

ordered_json dim_document(const Dim3& d) { return {d.x, d.y, d.z}; }

Dim3 read_dim(const ordered_json& object, const char* key) {
  const ordered_json& d = object.at(key);
  return {whole<std::uint32_t>(d.at(0), key), whole<std::uint32_t>(d.at(1), key),
          whole<std::uint32_t>(d.at(2), key)};
}

ordered_json document_of(const CapturedOperation& o) {
  ordered_json reads = ordered_json::array();
  ordered_json writes = ordered_json::array();
  for (unsigned i = 0; i < o.info.read_count; ++i) reads.push_back(o.info.registers[i]);
  for (unsigned i = 0; i < o.info.write_count; ++i) {
    writes.push_back(o.info.registers[o.info.read_count + i]);
  }
  ordered_json d = {{"pc", o.info.pc},
                    {"line", o.info.line},
                    {"text", o.text},
                    {"unit", name_in(kUnitNames, o.info.unit)},
                    {"cost", o.info.cost},
                    {"reads", std::move(reads)},
                    {"writes", std::move(writes)},
                    {"kind", name_in(kKindNames, o.kind)}};
  if (o.kind == IssueResult::Kind::kMemory) {
    d["access"] = name_in(kAccessNames, o.access);
    d["space"] = name_in(kSpaceNames, o.space);
    d["scope"] = name_in(kScopeNames, o.scope);
    d["bytes"] = o.lane_bytes;
    d["read_only"] = o.read_only;
    d["asynchronous"] = o.asynchronous;
    if (o.access == AccessKind::kAtomic) {
      d["atomic"] = name_in(kAtomicNames, o.atomic);
      d["atomic_type"] = name_in(kAtomicTypeNames, o.atomic_type);
    }
  } else if (o.kind == IssueResult::Kind::kBarrier) {
    d["barrier"] = o.barrier;
    d["threads"] = o.barrier_threads;
    d["arrive_only"] = o.arrive_only;
  } else if (o.kind == IssueResult::Kind::kExit) {
    d["ends_warp"] = o.ends_warp;
  }
  return d;
}

CapturedOperation read_operation(const ordered_json& d) {
  CapturedOperation o;
  o.info.pc = whole_of<std::uint32_t>(d, "pc");
  o.info.line = whole_of<std::uint32_t>(d, "line");
  o.text = d.at("text").get<std::string>();
  o.info.unit = value_in<Unit>(kUnitNames, d.at("unit"), "unit");
  o.info.cost = whole_of<std::uint8_t>(d, "cost");
  std::size_t n = 0;
  for (const char* const list : {"reads", "writes"}) {
    for (const ordered_json& r : d.at(list)) {
      if (n == OpInfo::kMaxRegisters) throw InputError("an instruction with too many registers");
      o.info.registers[n++] = whole<std::uint16_t>(r, list);
    }
  }
  o.info.read_count = static_cast<std::uint8_t>(d.at("reads").size());
  o.info.write_count = static_cast<std::uint8_t>(d.at("writes").size());
  o.kind = value_in<IssueResult::Kind>(kKindNames, d.at("kind"), "kind of instruction");
  if (o.kind == IssueResult::Kind::kMemory) {
    o.access = value_in<AccessKind>(kAccessNames, d.at("access"), "access");
    o.space = value_in<Space>(kSpaceNames, d.at("space"), "space");
    o.scope = value_in<CacheScope>(kScopeNames, d.at("scope"), "scope");
    o.lane_bytes = whole_of<std::uint8_t>(d, "bytes");
    if (o.lane_bytes == 0 || o.lane_bytes > kMaxLaneBytes ||
        (o.lane_bytes & (o.lane_bytes - 1)) != 0) {
      throw InputError("an access of " + std::to_string(o.lane_bytes) + " bytes by each lane");
    }
    o.read_only = d.at("read_only").get<bool>();
    o.asynchronous = d.at("asynchronous").get<bool>();
    if (o.access == AccessKind::kAtomic) {
      o.atomic = value_in<AtomicOp>(kAtomicNames, d.at("atomic"), "atomic operation");
      o.atomic_type = value_in<AtomicType>(kAtomicTypeNames, d.at("atomic_type"), "atomic's type");
    }
  } else if (o.kind == IssueResult::Kind::kBarrier) {
    o.barrier = whole_of<std::uint8_t>(d, "barrier");
    if (o.barrier >= CtaProgram::kBarriers) {
      throw InputError("barrier " + std::to_string(o.barrier) + " does not exist");
    }
    o.barrier_threads = whole_of<std::uint32_t>(d, "threads");
    o.arrive_only = d.at("arrive_only").get<bool>();
  } else if (o.kind == IssueResult::Kind::kExit) {
    o.ends_warp = d.at("ends_warp").get<bool>();
  }
  return o;
}

ordered_json document_of(const HostOperation& h) {
  ordered_json d = {{"do", name_in(kHostKindNames, h.kind)}};
  switch (h.kind) {
    case HostKind::kAllocate:
    case HostKind::kAllocateSlots:
      d["name"] = h.name;
      [[fallthrough]];
    case HostKind::kWrite:
    case HostKind::kDefer:
    case HostKind::kRead:
      d["address"] = h.address;
      d["bytes"] = h.bytes;
      if (h.kind == HostKind::kAllocateSlots) d["warp_bytes"] = h.warp_bytes;
      break;
    case HostKind::kEnqueue:
      d["stream"] = h.name;
      d["after"] = h.after;
      d["priority"] = h.priority;
      [[fallthrough]];
    case HostKind::kLaunch:
      d["launch"] = h.launch;
      break;
    case HostKind::kSynchronise:
      break;
  }
  return d;
}

HostOperation read_host(const ordered_json& d) {
  HostOperation h;
  h.kind = value_in<HostOperation::Kind>(kHostKindNames, d.at("do"), "operation of the host");
  h.name = d.value("name", d.value("stream", std::string()));
  h.address = whole_or_zero<std::uint64_t>(d, "address");
  h.bytes = whole_or_zero<std::uint64_t>(d, "bytes");
  h.warp_bytes = whole_or_zero<std::uint64_t>(d, "warp_bytes");
  h.launch = whole_or_zero<std::uint64_t>(d, "launch");
  for (const ordered_json& launch : d.value("after", ordered_json::array())) {
    h.after.push_back(whole<std::uint64_t>(launch, "after"));
  }
  h.priority = whole_or_zero<std::int32_t>(d, "priority");
  return h;
}

ordered_json document_of(const std::vector<HostOperation>& all) {
  ordered_json d = ordered_json::array();
  for (const HostOperation& h : all) d.push_back(document_of(h));
  return d;
}

std::vector<HostOperation> read_hosts(const ordered_json& d) {
  std::vector<HostOperation> all;
  for (const ordered_json& h : d) all.push_back(read_host(h));
  return all;
}

ordered_json document_of(const std::optional<ArrayLocality>& l) {
  if (!l) return nullptr;
  return {{"type", static_cast<unsigned>(l->type)},
          {"stride_bytes", l->stride_bytes},
          {"datablock_bytes", l->datablock_bytes},
          {"row_bytes", l->row_bytes},
          {"tile", l->tile}};
}

std::optional<ArrayLocality> read_locality(const ordered_json& d) {
  if (d.is_null()) return std::nullopt;
  ArrayLocality l;
  const auto type = whole_of<unsigned>(d, "type");
  if (type < 1 || type > static_cast<unsigned>(LocalityType::kUnclassified)) {
    throw InputError("locality type " + std::to_string(type) + " does not exist");
  }
  l.type = static_cast<LocalityType>(type);
  l.stride_bytes = whole_of<std::uint64_t>(d, "stride_bytes");
  l.datablock_bytes = whole_of<std::uint64_t>(d, "datablock_bytes");
  l.row_bytes = whole_of<std::uint64_t>(d, "row_bytes");
  l.tile = d.at("tile").get<bool>();
  return l;
}

ordered_json parameters_document(const CapturedLaunch& l) {
  ordered_json parameters = ordered_json::array();
  for (std::size_t i = 0; i < l.facts.parameters.size(); ++i) {
    const KernelParameter& p = l.facts.parameters[i];
    ordered_json argument = ordered_json::array();
    for (const std::byte b : l.arguments.at(i).bytes) argument.push_back(static_cast<unsigned>(b));
    parameters.push_back(
        {{"name", p.name},
         {"offset", p.offset},
         {"bytes", p.bytes},
         {"read_only", p.read_only},
         {"argument", std::move(argument)},
         {"locality", i < l.locality.size() ? document_of(l.locality[i]) : ordered_json(nullptr)}});
  }
  return parameters;
}

ordered_json document_of(const CapturedLaunch& l) {
  return {{"kernel", l.kernel},
          {"grid", dim_document(l.grid)},
          {"block", dim_document(l.block)},
          {"dynamic_shared_bytes", l.dynamic_shared_bytes},
          {"registers", l.resources.registers_per_thread},
          {"shared_bytes", l.resources.shared_bytes},
          {"register_names", l.register_names},
          {"cooperative", l.cooperative},
          {"local_warp_bytes", l.local_warp_bytes},
          {"warp_instructions", l.warp_instructions},
          {"thread_instructions", l.thread_instructions},
          {"argument_bytes", l.facts.argument_bytes},
          {"parameters", parameters_document(l)},
          {"has_locality", !l.locality.empty()},
          {"at_facts", document_of(l.at_facts)},
          {"at_make", document_of(l.at_make)}};
}

CapturedLaunch read_launch(const ordered_json& d) {
  CapturedLaunch l;
  l.kernel = d.at("kernel").get<std::string>();
  l.grid = read_dim(d, "grid");
  l.block = read_dim(d, "block");
  check_shape(l.grid, l.block);
  l.dynamic_shared_bytes = whole_of<std::uint32_t>(d, "dynamic_shared_bytes");
  l.resources = {static_cast<std::uint32_t>(l.block.count()),
                 whole_of<std::uint32_t>(d, "registers"),
                 whole_of<std::uint32_t>(d, "shared_bytes")};
  l.register_names = whole_of<std::uint32_t>(d, "register_names");
  l.cooperative = d.at("cooperative").get<bool>();
  l.local_warp_bytes = whole_of<std::uint64_t>(d, "local_warp_bytes");
  l.warp_instructions = whole_of<std::uint64_t>(d, "warp_instructions");
  l.thread_instructions = whole_of<std::uint64_t>(d, "thread_instructions");
  l.facts.argument_bytes = whole_of<std::uint32_t>(d, "argument_bytes");
  if (l.facts.argument_bytes > kMostArgumentBytes) {
    throw InputError(std::to_string(l.facts.argument_bytes) + " bytes of arguments");
  }
  const bool has_locality = d.at("has_locality").get<bool>();
  for (const ordered_json& p : d.at("parameters")) {
    l.facts.parameters.push_back(
        {p.at("name").get<std::string>(), whole_of<std::uint32_t>(p, "offset"),
         whole_of<std::uint32_t>(p, "bytes"), p.at("read_only").get<bool>()});
    const KernelParameter& added = l.facts.parameters.back();
    if (std::uint64_t{added.offset} + added.bytes > l.facts.argument_bytes) {
      throw InputError("parameter '" + added.name + "' is outside of the arguments");
    }
    KernelArgument argument;
    for (const ordered_json& b : p.at("argument")) {
      argument.bytes.push_back(static_cast<std::byte>(whole<std::uint8_t>(b, "argument")));
    }
    l.arguments.push_back(std::move(argument));
    if (has_locality) l.locality.push_back(read_locality(p.at("locality")));
  }
  l.at_facts = read_hosts(d.at("at_facts"));
  l.at_make = read_hosts(d.at("at_make"));
  for (const auto* list : {&l.at_facts, &l.at_make}) {
    for (const HostOperation& h : *list) {
      if (h.kind == HostKind::kLaunch || h.kind == HostKind::kEnqueue ||
          h.kind == HostKind::kSynchronise) {
        throw InputError("a launch within a launch");
      }
    }
  }
  return l;
}

}  // namespace

ordered_json header_of(const CapturedRun& run) {
  return {{"tessera", run.version},
          {"platform", run.platform},
          {"workload", run.workload},
          {"scale", run.scale},
          {"seed", run.seed}};
}

ordered_json contents_of(const CapturedRun& run) {
  ordered_json launches = ordered_json::array();
  for (const CapturedLaunch& l : run.launches) launches.push_back(document_of(l));
  ordered_json operations = ordered_json::array();
  for (const CapturedOperation& o : run.operations) operations.push_back(document_of(o));
  return {{"host", document_of(run.host)},
          {"verify", document_of(run.verify)},
          {"launches", std::move(launches)},
          {"operations", std::move(operations)}};
}

void read_header(const ordered_json& document, CapturedRun& run) {
  run.version = document.at("tessera").get<std::string>();
  run.platform = document.at("platform").get<std::string>();
  run.workload = document.at("workload").get<std::string>();
  run.scale = document.at("scale").get<std::string>();
  run.seed = whole_of<std::uint64_t>(document, "seed");
}

void read_contents(const ordered_json& document, CapturedRun& run) {
  run.host = read_hosts(document.at("host"));
  run.verify = read_hosts(document.at("verify"));
  for (const ordered_json& l : document.at("launches")) run.launches.push_back(read_launch(l));
  for (const ordered_json& o : document.at("operations")) {
    run.operations.push_back(read_operation(o));
  }
  for (const auto* list : {&run.host, &run.verify}) {
    for (const HostOperation& h : *list) {
      const bool launches =
          h.kind == HostOperation::Kind::kLaunch || h.kind == HostOperation::Kind::kEnqueue;
      if (launches && h.launch >= run.launches.size()) throw InputError("a launch is missing");
    }
  }
}

}  // namespace tessera::traces
