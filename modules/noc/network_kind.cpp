// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/network_kind.h"

#include "common/json.h"
#include "modules/noc/network_energy.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"

namespace tessera {

namespace {

void derive(RunFigures& run, const char* kind) {
  for (const PlannedBlock* b : run.plan().of_kind(kind)) {
    const PlannedNetwork& network = network_of(*b);
    const NetworkStats s = network_stats(run, *b);
    const auto bytes = static_cast<double>(s.requests.bytes + s.responses.bytes);
    const auto packets = static_cast<double>(s.requests.packets);
    // Each byte once: all other networks only pass on what these have sent.
    if (network.traffic == run.plan().traffic.front().name) {
      run.add("noc_bytes", bytes);
      run.add("noc_requests", packets);
    }
    if (network.joins != NodeLevel::kModule) continue;
    run.add("inter_module_bytes", bytes);
    run.add("off_node_requests", packets);
  }
}

}  // namespace

NetworkStats network_stats(const RunFigures& run, const PlannedBlock& block) {
  NetworkStats s;
  StatisticsReader reader = run.reader(block);
  describe(reader, s.requests, NocDirection::kRequests);
  describe(reader, s.responses, NocDirection::kResponses);
  return s;
}

NocRouting routing_of(const PlannedBlock& network, const AddressMap& map) {
  NocRouting routing;
  const std::vector<std::uint32_t>& exits = network_of(network).exits;
  if (exits.empty()) {
    routing.by_request = [](const MemoryRequest&) { return 0U; };
    routing.by_address = [](std::uint64_t) { return 0U; };
    return routing;
  }
  // An invalid home slice maps to an invalid exit, so that the network refuses the request.
  const auto exit_of = [&exits, none = network.outputs](SliceId slice) -> unsigned {
    return slice.value < exits.size() ? exits[slice.value] : none;
  };
  routing.by_request = [exit_of](const MemoryRequest& r) { return exit_of(r.home().slice); };
  routing.by_address = [exit_of, &map](std::uint64_t address) {
    return exit_of(map.locate(address).slice);
  };
  return routing;
}

BlockKind network_kind(const char* name) {
  BlockKind k(name, name);
  k.is_network = true;
  k.rank = 34;
  // The links at the outputs and at the inputs of a network carry its traffic.
  k.egress = {"", 5};
  k.ingress = {"", 4};
  k.traffic = [](const PlannedBlock& b) { return network_of(b).traffic; };
  k.print = [](const PlannedBlock& b, nlohmann::ordered_json& d) {
    d["network"] = name_of(network_of(b).kind);
    d["traffic"] = network_of(b).traffic;
    d["egress_by_home_slice"] = network_of(b).exits;
  };
  k.derive = [name](RunFigures& run) { derive(run, name); };
  k.energy = [name](const RunFigures& run, EnergyReport& report) {
    add_network_energy(name, run, report);
  };
  return k;
}

}  // namespace tessera
