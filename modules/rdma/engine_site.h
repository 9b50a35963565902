// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/ids.h"
#include "policies/transfer_policy.h"

namespace sc_core {
class sc_time;
}
namespace tlm {
class tlm_generic_payload;
}

namespace tessera {

class Domain;
class PacketPool;
struct MemoryRequest;

/// Untimed accesses of other GPUs to a GPU's lines, sent directly to the home slices.
class HomeAccessIf {
 public:
  virtual ~HomeAccessIf() = default;
  virtual unsigned debug_home(tlm::tlm_generic_payload& payload) = 0;
  virtual void blocking_home(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) = 0;
};

/// An RDMA engine's place in its system. Every field must be set; referenced objects must outlive
/// the engine.
struct RdmaEngineSite {
  GpuId self;
  unsigned gpus = 0;   ///< 2 or more
  unsigned ports = 0;  ///< number of local_in's sockets; 1 or more
  /// The home GPU of a request's line; must differ from `self`.
  std::function<GpuId(const MemoryRequest&)> home_of;
  /// Can change during the run.
  const RemoteAccessMode* transfer = nullptr;
  PacketPool* packets = nullptr;
  /// Targets of local_in's transport_dbg and b_transport: debug_home() and blocking_home() of the
  /// engine of the line's home GPU.
  std::function<unsigned(tlm::tlm_generic_payload&)> debug_at_home;
  std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> blocking_at_home;
};

/// The GPUs of a decision engine. Plain data.
struct DecisionEngineSite {
  std::uint32_t line_bytes = 0;          ///< size of an L1 line, a multiple of 4
  std::vector<RemoteAccessMode*> modes;  ///< of each GPU, set by the engine. They must outlive it
  std::vector<Domain*> gpus;             ///< domains of the GPUs; empty: that of the engine
};

}  // namespace tessera
