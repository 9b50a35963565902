// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/modules/umh/protocol_mutant.h"
#include "tests/modules/umh/tested_system.h"

namespace tessera::umh::test {

/// One operation of an agent: an L1, or the flush engine of a device.
struct Operation {
  enum class Kind : std::uint8_t {
    kLoad,
    kStore,
    kNStore,
    kAdd,          ///< atomic addition of 1 to the line's counter
    kReadCounter,  ///< load of the line's counter
    kSynchronise,  ///< store of zero bytes
    kEvict,        ///< of a line, from a cache of `level`
    kFlush         ///< of the whole device
  };
  Kind kind = Kind::kLoad;
  unsigned agent = 0;
  std::uint64_t line = 0;
  unsigned first = 0;  ///< first byte
  unsigned size = 1;   ///< bytes
  unsigned level = 0;  ///< kEvict: 0 L1, 1 L2, 2 SMD or LLC
  unsigned gap = 0;    ///< steps after the agent's previous operation
};

/// A run of some operations on one system.
struct Episode {
  Shape shape;
  std::uint64_t seed = 0;
  std::uint64_t max_delay = 40;
  ProtocolMutation mutation = ProtocolMutation::kNone;  ///< of a UmhSystem
  std::vector<Operation> operations;
};

/// Result of a run. A fault is a wrong value, a violated invariant, an unexpected message or a
/// deadlock.
struct Outcome {
  std::string fault;  ///< empty: none
  std::size_t issued = 0;
  std::uint64_t messages = 0;
};

/// `operations` random operations on `lines` lines. Shape and probabilities depend on the seed.
Episode random_episode(std::uint64_t seed, std::size_t operations);

/// Runs an episode on a system of its shape and checks the contract of docs/systems/umh.md after
/// every step. If `trace` is given, it receives the operations and messages.
Outcome run_on(TestedSystem& system, const Episode& episode,
               std::vector<std::string>* trace = nullptr);
/// The same on a UmhSystem.
Outcome run(const Episode& episode, std::vector<std::string>* trace = nullptr);

/// Drops operations of a failing episode while it still fails. `attempts`: runs at most.
Episode shrink(Episode episode, unsigned attempts);

/// The operations of an episode and the trace of its run.
std::string report(const Episode& episode);

}  // namespace tessera::umh::test
