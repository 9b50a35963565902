// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/trace_workload.h"

#include <iostream>
#include <map>
#include <set>
#include <unordered_set>

#include "common/error.h"
#include "common/hex.h"
#include "common/text.h"
#include "stimuli/traces/address_map.h"
#include "stimuli/traces/kernel_files.h"
#include "stimuli/traces/tokens.h"
#include "stimuli/traces/trace_source.h"

namespace tessera::traces {
namespace {

/// More ranges than any program has arrays: addresses of damaged records.
constexpr std::size_t kMostRanges = 16384;

using Spools = std::map<std::string, std::shared_ptr<const KernelSpool>>;

Spools spool_all(const KernelList& list, Device& device) {
  Spools spools;
  const std::vector<std::string> files = list.kernels();
  for (const std::string& file : files) {
    const std::unique_ptr<KernelTraceReader> reader = open_kernel(file);
    const double before = static_cast<double>(spools.size());
    spools[file] = std::make_shared<KernelSpool>(*reader, [&](double done) {
      device.working("Reading traces", (before + done) / static_cast<double>(files.size()));
    });
  }
  return spools;
}

void warn(const std::string& text) { std::cerr << "tessera: warning: " << text << std::endl; }

void report_limits(const std::string& name, const Spools& spools) {
  std::map<std::string, std::uint64_t> unknown;
  std::uint64_t unaligned = 0;
  std::uint64_t bulk = 0;
  std::uint64_t kernels = 0;
  std::uint32_t registers = 0;
  for (const auto& entry : spools) {
    for (const std::string& text : entry.second->warnings()) warn(text);
    for (const auto& u : entry.second->unknown_opcodes()) unknown[u.opcode] += u.count;
    unaligned += entry.second->unaligned();
    bulk += entry.second->bulk_copies();
    if (entry.second->impossible_registers() == 0) continue;
    ++kernels;
    registers = entry.second->impossible_registers();
  }
  if (!unknown.empty()) {
    std::vector<std::string> names;
    for (const auto& [opcode, count] : unknown) {
      names.push_back(clipped(opcode) + " (" + std::to_string(count) + ")");
    }
    warn(name + ": unknown opcodes count as ALU operations: " + joined(names));
  }
  if (unaligned != 0) {
    warn(name + ": " + std::to_string(unaligned) +
         " accesses have an address that is not a multiple of their width; they access the "
         "multiple below");
  }
  if (bulk != 0) {
    warn(name + ": no warp waits for the ends of " + std::to_string(bulk) +
         " bulk copies (TMA), because a trace does not have the phases of mbarriers");
  }
  if (kernels != 0) {
    warn(name + ": " + std::to_string(kernels) + (kernels == 1 ? " header has" : " headers have") +
         " more registers than a thread can have (nregs = " + std::to_string(registers) +
         "); the registers that the records name limit the resident CTAs");
  }
}

std::shared_ptr<const AddressMap> place(const KernelList& list, const Spools& spools,
                                        Device& device) {
  std::unordered_set<std::uint64_t> chunks;
  for (const auto& entry : spools) {
    chunks.insert(entry.second->chunks().begin(), entry.second->chunks().end());
  }
  std::vector<TraceRange> copies;
  for (const ListedCommand& c : list.commands) {
    if (c.kernel.empty()) copies.push_back({c.destination, c.bytes});
  }
  const std::vector<TraceRange> ranges = merged_ranges(chunks, copies);
  if (ranges.size() > kMostRanges) {
    throw InputError(list.path + ": expected addresses in at most " + std::to_string(kMostRanges) +
                     " ranges, found " + std::to_string(ranges.size()) +
                     "; addresses of the trace are damaged");
  }
  auto map = std::make_shared<AddressMap>();
  for (const TraceRange& r : ranges) {
    map->add({r.begin, r.bytes, device.allocate("trace " + hex(r.begin), r.bytes)});
  }
  return map;
}

}  // namespace

TraceWorkload::TraceWorkload(const std::string& name) : list_(read_kernel_list(name)) {
  info_.name = name;
  info_.family = "trace";
  info_.without_reference = "no reference: a trace has no values";
  for (const std::string& file : list_.kernels()) open_kernel(file);
  info_.description = "Accel-Sim trace, " + std::to_string(list_.kernels().size()) + " kernels";
}

void TraceWorkload::run(Device& device, Scale /*scale*/, std::uint64_t /*seed*/) {
  Spools spools = spool_all(list_, device);
  report_limits(info_.name, spools);
  const std::shared_ptr<const AddressMap> map = place(list_, spools, device);
  const auto locals = std::make_shared<LocalMemories>(device);
  std::map<std::string, std::shared_ptr<TraceSource>> sources;
  for (const auto& [file, spool] : spools) {
    sources[file] = std::make_shared<TraceSource>(spool, map, locals);
  }
  // Launches of one stream run one after the other, as a host program does that waits for each.
  std::set<std::uint64_t> streams;
  for (const auto& entry : spools) streams.insert(entry.second->kernel().stream);
  for (const ListedCommand& c : list_.commands) {
    if (c.kernel.empty()) {
      if (c.bytes == 0) continue;
      device.write_without_values(map->find(c.destination).to_device(c.destination), c.bytes);
      continue;
    }
    const TraceKernel& kernel = spools.at(c.kernel)->kernel();
    LaunchRequest request;
    request.source = sources.at(c.kernel);
    request.kernel = kernel.name;
    request.grid = kernel.grid;
    request.block = kernel.block;
    if (streams.size() == 1) {
      device.launch(request);
      continue;
    }
    LaunchOrder order;
    if (kernel.stream != 0) order.stream = "stream " + std::to_string(kernel.stream);
    device.enqueue(request, order);
  }
  device.synchronise();
}

std::optional<Verification> TraceWorkload::verify(Device& /*device*/) { return std::nullopt; }

}  // namespace tessera::traces
