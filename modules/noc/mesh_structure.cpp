// SPDX-License-Identifier: Apache-2.0
// Structure of a MeshFabric, its reset, and the description of what waits.
#include <utility>

#include "modules/noc/mesh_fabric.h"

namespace tessera {

MeshFabric::Shape MeshFabric::shape_of(const Config& c, unsigned entries, unsigned exits,
                                       NocDirection towards) {
  Shape s;
  if (towards == NocDirection::kRequests) {
    s.layout = c.layout(entries, exits);
  } else {
    // Responses enter where requests leave.
    s.layout = c.layout(exits, entries);
    std::swap(s.layout.entry_router, s.layout.exit_router);
  }
  s.vcs = c.vcs;
  s.vc_flits = c.vc_flits;
  s.router_latency = c.router_latency;
  s.link_latency = c.link_latency;
  s.credit_latency = c.credit_latency;
  return s;
}

MeshFabric::MeshFabric(Shape shape, Client& client, NocStats& stats)
    : shape_(std::move(shape)),
      client_(client),
      stats_(stats),
      vcs_(shape_.vcs),
      capacity_(shape_.vc_flits),
      hop_(Cycle{shape_.router_latency} + shape_.link_latency),
      ingress_(shape_.router_latency - 1),
      egress_(2 + Cycle{shape_.link_latency}),
      credit_(shape_.credit_latency) {
  for (unsigned i = 0; i < port_of_.size(); ++i) {
    port_of_[i] = static_cast<std::uint8_t>(i / vcs_);
    vc_of_[i] = static_cast<std::uint8_t>(i % vcs_);
  }
  stats_.link_busy_cycles.assign(std::size_t{kDirections} * shape_.layout.routers(), 0);
  build();
  wheel_.lay_out({exits_.size(), routers_.size()}, 1);
}

/// The buffers of the VCs of one port. `first_input`: number of VC 0 among the router's inputs.
void MeshFabric::add_buffers(std::uint32_t source, std::uint32_t sink, std::uint32_t first_input) {
  for (unsigned v = 0; v < vcs_; ++v) {
    Buffer b;
    b.source = source;
    b.sink = sink;
    b.vc = static_cast<std::uint8_t>(v);
    b.input = static_cast<std::uint8_t>(first_input + v);
    buffers_.push_back(b);
  }
}

void MeshFabric::build() {
  const MeshLayout& m = shape_.layout;
  const std::uint32_t count = m.routers();
  std::vector<std::vector<std::uint32_t>> entries(count);
  std::vector<std::vector<std::uint32_t>> exits(count);
  for (std::uint32_t e = 0; e < m.entry_router.size(); ++e) entries[m.entry_router[e]].push_back(e);
  for (std::uint32_t e = 0; e < m.exit_router.size(); ++e) exits[m.exit_router[e]].push_back(e);

  routers_.assign(count, {});
  buffers_.clear();
  outputs_.clear();
  accepted_.clear();
  entries_.assign(m.entry_router.size(), {});
  exits_.assign(m.exit_router.size(), {});
  const auto width = static_cast<std::int64_t>(m.width);
  // Router numbers of the neighbours, by direction.
  const std::int64_t step[] = {1, -1, width, -width};
  const auto has_neighbour = [&m](const Router& r, unsigned direction) {
    return direction == kEast    ? r.x + 1U < m.width
           : direction == kWest  ? r.x > 0
           : direction == kSouth ? r.y + 1U < m.height
                                 : r.y > 0;
  };
  const auto neighbour = [&step](std::uint32_t r, unsigned direction) {
    return static_cast<std::uint32_t>(r + step[direction]);
  };
  for (std::uint32_t r = 0; r < count; ++r) {
    Router& router = routers_[r];
    router.x = static_cast<std::uint16_t>(r % m.width);
    router.y = static_cast<std::uint16_t>(r / m.width);
    router.first = static_cast<std::uint32_t>(buffers_.size());
    router.outputs = static_cast<std::uint32_t>(outputs_.size());
    router.inputs = static_cast<std::uint32_t>(accepted_.size());
    outputs_.resize(outputs_.size() + kDirections + exits[r].size());
    accepted_.resize(accepted_.size() + kDirections + entries[r].size(), 0xff);
    std::uint32_t port = 0;
    for (; port < kDirections; ++port) {
      const std::uint32_t from = has_neighbour(router, port) ? neighbour(r, port) : 0;
      add_buffers(from, r, port * vcs_);
    }
    for (const std::uint32_t e : entries[r]) {
      entries_[e].buffer = static_cast<std::uint32_t>(buffers_.size());
      entries_[e].router = r;
      add_buffers(e | kMeshPort, r, port++ * vcs_);
    }
  }
  for (std::uint32_t r = 0; r < count; ++r) {
    const Router& router = routers_[r];
    for (unsigned d = 0; d < kDirections; ++d) {
      if (!has_neighbour(router, d)) continue;
      // The input that faces this router: east and west, south and north are neighbours in Port.
      const std::uint32_t buffer = routers_[neighbour(r, d)].first + (d ^ 1U) * vcs_;
      outputs_[router.outputs + d].buffer = buffer;
      for (unsigned v = 0; v < vcs_; ++v) buffers_[buffer + v].link = kDirections * r + d;
    }
    std::uint32_t port = kDirections;
    for (const std::uint32_t e : exits[r]) {
      MeshExit& exit = exits_[e];
      exit.buffer = static_cast<std::uint32_t>(buffers_.size());
      exit.router = r;
      exit.port = static_cast<std::uint8_t>(port);
      outputs_[router.outputs + port++].buffer = exit.buffer;
      add_buffers(r, e | kMeshPort, 0);
    }
  }
  slot_bits_ = 0;
  while ((std::uint32_t{1} << slot_bits_) < capacity_) ++slot_bits_;
  slots_.assign(buffers_.size() << slot_bits_, {});
}

void MeshFabric::clear() {
  build();
  packets_.clear();
  free_packets_.clear();
  live_ = 0;
  wheel_.clear();
}

// ---- what waits ----

namespace {

constexpr const char* kSides[] = {"east", "west", "south", "north"};

}  // namespace

std::string MeshFabric::name_of(const Buffer& b) const {
  const std::string vc = ".vc" + std::to_string(b.vc);
  if ((b.sink & kMeshPort) != 0) return "egress" + std::to_string(b.sink & ~kMeshPort) + vc;
  const std::string side = (b.source & kMeshPort) != 0
                               ? "ingress" + std::to_string(b.source & ~kMeshPort)
                               : kSides[port_of_[b.input]];
  return "router" + std::to_string(b.sink) + "." + side + vc;
}

WaitKind MeshFabric::kind_of_wait(std::uint32_t buffer) const {
  const Buffer& b = buffers_[buffer];
  if (!b.allocated) return WaitKind::kResourceBusy;
  return buffers_[b.next].count == capacity_ ? WaitKind::kQueueFull : WaitKind::kNetworkTransfer;
}

std::string MeshFabric::waits_for(std::uint32_t buffer) const {
  const Buffer& b = buffers_[buffer];
  const Slot& flit = slots_[(std::size_t{buffer} << slot_bits_) + b.head];
  const MeshPacket& p = packets_[flit.packet];
  std::string text = "packet ingress " + std::to_string(p.entry) + " -> egress " +
                     std::to_string(p.exit) + " (" +
                     ((flit.kind & kHeadFlit) != 0   ? "head"
                      : (flit.kind & kTailFlit) != 0 ? "tail"
                                                     : "body") +
                     " flit): ";
  const Buffer& next = buffers_[b.next];
  if (b.allocated && next.count == capacity_) return text + "a credit of " + name_of(next);
  if (b.allocated) return text + "the switch, to " + name_of(next);
  if (next.owner == kFreeVc) return text + "the VC of " + name_of(next);
  return text + "the VC of " + name_of(next) + ", which the packet in " +
         name_of(buffers_[routers_[b.sink].first + next.owner]) + " holds";
}

void MeshFabric::describe_waiting(const std::string& name, std::vector<Waiting>& out) const {
  const auto size = [this](std::uint32_t head) {
    std::size_t n = 0;
    for (; head != kNoPacket; head = packets_[head].next) ++n;
    return n;
  };
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const MeshEntry& entry = entries_[e];
    if (entry.head == kNoPacket) continue;
    const MeshPacket& p = packets_[entry.head];
    out.push_back({name + ".ingress" + std::to_string(e), size(entry.head), WaitKind::kQueueFull,
                   "packet to egress " + std::to_string(p.exit) + " (flit " +
                       std::to_string(p.sent) + " of " + std::to_string(p.flits) + "): room in " +
                       name_of(buffers_[entry.buffer + p.vc])});
  }
  for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
    if (buffers_[b].count == 0 || (buffers_[b].sink & kMeshPort) != 0) continue;
    out.push_back(
        {name + "." + name_of(buffers_[b]), buffers_[b].count, kind_of_wait(b), waits_for(b)});
  }
  for (std::size_t e = 0; e < exits_.size(); ++e) {
    if (exits_[e].head == kNoPacket) continue;
    const MeshPacket& p = packets_[exits_[e].head];
    out.push_back({name + ".egress" + std::to_string(e), size(exits_[e].head), WaitKind::kQueueFull,
                   "packet of ingress " + std::to_string(p.entry) + ": the receiver at egress " +
                       std::to_string(e)});
  }
}

}  // namespace tessera
