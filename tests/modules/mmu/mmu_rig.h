// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/mmu/translation.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/support/conformance.h"

namespace tessera::test {

inline const ClockDomain kCore(1'400'000'000);
inline Tick edge(std::uint64_t n) { return kCore.time_of(n); }

inline constexpr std::uint64_t kPage = 4096;

/// A translation request of SM `port` whose BEGIN_REQ may go at `at`; it arrives 1 fs later.
inline ScriptedRequest translation(Tick at, std::uint64_t address, unsigned port = 0) {
  ScriptedRequest r;
  r.at = at;
  r.port = port;
  r.address = address;
  r.bytes = kTranslationBytes;
  r.mask = ByteMask::first(kTranslationBytes);
  r.prepare = [port](Transaction& t) {
    t.request().kind = RequestKind::kTranslation;
    t.request().requester = SmId(port);
    t.request().carries_data = false;
  };
  return r;
}

/// ... that arrives exactly at a clock edge.
inline std::size_t ask(ScriptedInitiator& sm, std::uint64_t cycle, std::uint64_t address,
                       unsigned port = 0) {
  return sm.add(translation(edge(cycle) - 1, address, port));
}

inline std::uint64_t response(const ScriptedResult& r) {
  std::uint64_t physical = 0;
  if (r.data.size() >= sizeof physical) std::memcpy(&physical, r.data.data(), sizeof physical);
  return physical;
}

/// Latency of a scripted target (response_delay 1 fs) whose response shall arrive `cycles` after an
/// arrival at `from`.
inline Tick target_latency(std::uint64_t from, std::uint64_t cycles) {
  return edge(from + cycles) - edge(from) - 1;
}

/// A checker on each of `n` sockets.
class Checkers {
 public:
  Checkers(const std::string& name, unsigned n) {
    for (unsigned i = 0; i < n; ++i) {
      all_.push_back(std::make_unique<ProtocolChecker>((name + std::to_string(i)).c_str()));
    }
  }
  ProtocolChecker& operator[](unsigned i) { return *all_[i]; }
  void add_to(std::vector<ProtocolChecker*>& list) {
    for (auto& c : all_) list.push_back(c.get());
  }

 private:
  std::vector<std::unique_ptr<ProtocolChecker>> all_;
};

}  // namespace tessera::test
