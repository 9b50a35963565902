// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every block must stand, whatever it does: random traffic under random stalls, with a
// protocol checker on every socket; one response to each request; nothing left behind; a reset in
// the middle of it all.
//
//   ConformanceRig rig;
//   rig.block = &dut; rig.pool = &pool;
//   rig.initiators = {&sm0, &sm1}; rig.targets = {&dram}; rig.checkers = {&c0, &c1, &c2};
//   run_conformance(rig, {});
//
// The test elaborates; this starts and stops simulation. Call it once, at the end of the case.

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "modules/kernel/block.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/support/scripted_initiator.h"
#include "tests/support/scripted_target.h"

namespace tessera::test {

struct ConformanceRig {
  Block* block = nullptr;
  TransactionPool* pool = nullptr;
  std::vector<ScriptedInitiator*> initiators;
  std::vector<ScriptedTarget*> targets;
  std::vector<ProtocolChecker*> checkers;
  /// Anything else in the rig that must be reset with the block.
  std::function<void()> reset_others;
};

struct ConformanceTraffic {
  std::uint64_t seed = 1;
  unsigned requests_per_port = 300;
  /// Lines are drawn from [base, base + lines * line_bytes).
  std::uint64_t base = 0;
  unsigned lines = 64;
  unsigned line_bytes = 128;
  double stores = 0.3;
  /// Fraction of requests with a random byte mask.
  double masked = 0.5;
  /// Gaps between BEGIN_REQs of a port: 0 half of the time, else up to this.
  Tick largest_gap = 20'000'000;
  /// Stalls of scripted targets' END_REQ and initiators' END_RESP; 0 = none.
  Tick largest_stall = 50'000'000;
  /// The block must be done by then.
  Tick limit = 10'000'000'000'000;
  /// Sets what the block wants to see in a request (kind, home, ids).
  std::function<void(Transaction&)> prepare;
  /// Changes the drawn request itself.
  std::function<void(ScriptedRequest&, std::mt19937_64&)> adjust;
  /// Status that every response must have.
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  bool with_reset = true;
};

/// Schedules the random traffic from now on, without running it.
void schedule_random_traffic(const ConformanceRig& rig, const ConformanceTraffic& traffic,
                             std::uint64_t seed);
/// Runs until every request has its response and has ended, then once more until the block is idle;
/// false when `limit` passes first.
bool run_until_done(const ConformanceRig& rig, Tick limit);
/// CHECKs that each request had exactly one response of that status.
void check_each_completed_once(const ConformanceRig& rig, tlm::tlm_response_status status);
/// CHECKs that nothing is in flight anywhere.
void check_drained(const ConformanceRig& rig);
/// CHECKs names, units, descriptions and uniqueness of the block's statistics.
void check_statistics(const Block& block);
/// Resets every part of the rig.
void reset_all(const ConformanceRig& rig);

/// All of the above: traffic, drain, statistics, reset in flight, traffic again.
void run_conformance(const ConformanceRig& rig, const ConformanceTraffic& traffic);

}  // namespace tessera::test
