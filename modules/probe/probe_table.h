// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace tessera {

/// What a probe carries beside its address (remote-core paper, section III-F: 1 bit for leader or
/// scout, a group identifier, the cores that it searches). It fits into the request's flit.
struct Probe {
  std::uint32_t group = 0;       ///< of the requester's miss
  std::uint32_t requester = 0;   ///< core
  std::uint32_t next = 0;        ///< index of the present target
  std::uint32_t supplier = 0;    ///< of a line: the core that supplied it
  std::uint8_t route_depth = 0;  ///< of the payload's route from its requester; 0: not known yet
  bool scout = false;
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> candidates;  ///< scouts: cores that held the line
};

/// The probes in flight in a GPU. A probe's payload names its probe by MemoryRequest::tag.
class ProbeTable {
 public:
  std::uint32_t add(Probe probe) {
    if (free_.empty()) {
      probes_.push_back(std::move(probe));
      return static_cast<std::uint32_t>(probes_.size()) - 1;
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    probes_[id] = std::move(probe);
    return id;
  }
  Probe& operator[](std::uint32_t id) { return probes_[id]; }
  void remove(std::uint32_t id) { free_.push_back(id); }
  void clear() {
    probes_.clear();
    free_.clear();
  }

 private:
  std::deque<Probe> probes_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tessera
