// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_config.h"
#include "platforms/topology/shape.h"

namespace tessera::topology::uba_sm {

namespace {

constexpr std::uint32_t kSides = 2;

bool divides(const GpuConfig& c, std::vector<std::string>& errors) {
  const SystemConfig& s = c.system;
  bool sound = must_divide("the two sides", kSides, "system.sms", s.sms, errors);
  return must_divide("the two sides", kSides, "system.channels", s.channels, errors) && sound;
}

void validate(const GpuConfig& c, std::vector<std::string>& errors) {
  for (const std::string& e : c.side_link.validate()) errors.push_back("side_link: " + e);
}

void connect(Planner& p, Planner::Gpu& gpu) {
  const GpuConfig& c = p.config();
  const std::uint32_t sms = gpu.sms / kSides;
  const std::uint32_t slices = gpu.slices / kSides;
  PlannedNetwork network = p.gpu_network(false);
  network.span.along = kSides;
  for (std::uint32_t side = 0; side < kSides; ++side) {
    const std::uint32_t node = gpu.leaves[side * gpu.leaves.size() / kSides];
    // A request for a line of the other side is sent to the slice with the home's position on
    // this side.
    const PlannedBlockId noc =
        p.add_network("noc" + std::to_string(side), node, 0, network, sms, slices,
                      [slices](std::uint32_t slice) { return slice % slices; });
    for (std::uint32_t i = 0; i < sms; ++i) p.link({gpu.l1s[side * sms + i], 0}, {noc, i});
    for (std::uint32_t i = 0; i < slices; ++i) {
      p.link({noc, i}, {gpu.llcs[side * slices + i], 0});
    }
  }
  // Connects each slice to the peer slice on the other side, which caches the same lines.
  PlannedNetwork wire;
  wire.kind = NetworkKind::kPointToPoint;
  wire.traffic = "link";
  wire.noc = c.side_link.as_network();
  wire.of_links = true;
  wire.span = {NetworkSpan::Way::kStraight, kSides, 1};
  for (std::uint32_t i = 0; i < gpu.slices; ++i) {
    const PlannedBlockId id =
        p.add_network("link" + std::to_string(i), gpu.node, 0, wire, 1, 1, nullptr);
    p.link({gpu.llcs[i], 1}, {id, 0});
    p.link({id, 0}, {gpu.llcs[(i + slices) % gpu.slices], 1});
  }
}

}  // namespace

/// SM-side UBA (NUBA figure 1b): two sides, each with a crossbar between its SMs and its slices.
/// The peer slice, at the home's position on the other side, caches the line coherently.
///
///   l1_[i] -> noc[side] -> llc[home or its peer] (-> link -> llc[home]) -> dram[channel]
const bool kRegistered = register_shape([] {
  Shape s;
  s.order = 1;
  s.name = "uba-sm";
  s.partitions = [](const SystemConfig&) -> std::uint32_t { return kSides; };
  s.divides = divides;
  s.validate = validate;
  s.slices = {"peer", 1, true};
  s.connect = connect;
  s.report = [](Planner& p) { p.report("link"); };
  s.alone_because = "its two sides are kept coherent by peer slices of one GPU";
  s.reads = {"side_link.", "llc.directory_"};
  return s;
}());

}  // namespace tessera::topology::uba_sm
