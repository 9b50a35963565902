// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every fault that a payload can have, sent to a target socket by each transport.

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "modules/kernel/block.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/payload_check.h"
#include "tests/modules/targets/raw_initiator.h"
#include "tests/support/expect_report.h"

namespace tessera::test {

struct BadPayload {
  std::string name;
  std::function<void(RawPayload&)> spoil;
  /// What nb_transport_fw sets; kNone: the target takes it.
  PayloadFault timed = PayloadFault::kNone;
  /// What b_transport sets.
  PayloadFault untimed = PayloadFault::kNone;
};

/// A target socket under test.
struct Target {
  Block* block = nullptr;
  RawInitiator* initiator = nullptr;
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = 0;
  unsigned bytes = 128;
  /// Sets what the target wants to see in a sound request.
  std::function<void(RawPayload&)> prepare;
  /// Faults of this target alone.
  std::vector<BadPayload> more;
  /// Names of faults of the common table that are none here.
  std::set<std::string> sound;
  /// Faults that the target finds in its process, and responds to like any request, without a
  /// report.
  std::set<PayloadFault> found_later;
  /// Whether memory's bytes are as they were.
  std::function<bool()> intact;
};

inline std::vector<BadPayload> common_faults() {
  using F = PayloadFault;
  const auto set = [](auto change) { return change; };
  return {
      {"no extension", [](RawPayload& p) { p.payload.clear_extension(&p.request); },
       F::kNoExtension, F::kNone},
      {"no memory manager", [](RawPayload& p) { p.payload.set_mm(nullptr); }, F::kNoManager,
       F::kNone},
      {"command 7", [](RawPayload& p) { p.payload.set_command(static_cast<tlm::tlm_command>(7)); },
       F::kCommand, F::kCommand},
      {"command -1",
       [](RawPayload& p) { p.payload.set_command(static_cast<tlm::tlm_command>(-1)); }, F::kCommand,
       F::kCommand},
      {"ignore command", [](RawPayload& p) { p.payload.set_command(tlm::TLM_IGNORE_COMMAND); },
       F::kCommand, F::kCommand},
      {"a kind that is none", [](RawPayload& p) { p.request.kind = static_cast<RequestKind>(200); },
       F::kCommand, F::kCommand},
      {"a kind of another protocol", [](RawPayload& p) { p.request.kind = RequestKind::kProbe; },
       F::kCommand, F::kCommand},
      {"null data pointer", [](RawPayload& p) { p.payload.set_data_ptr(nullptr); }, F::kNoData,
       F::kNoData},
      {"length 0", [](RawPayload& p) { p.resize(0); }, F::kLength, F::kLength},
      {"two lines", [](RawPayload& p) { p.resize(256); }, F::kLength, F::kLength},
      {"four gigabytes",
       [](RawPayload& p) {
         p.payload.set_data_length(0xffffffff);
         p.payload.set_streaming_width(0xffffffff);
       },
       F::kLength, F::kLength},
      {"across the end of a line",
       set([](RawPayload& p) { p.payload.set_address(p.payload.get_address() + 64); }), F::kLength,
       F::kLength},
      {"streaming width 0", [](RawPayload& p) { p.payload.set_streaming_width(0); }, F::kStreaming,
       F::kStreaming},
      {"streaming width 4", [](RawPayload& p) { p.payload.set_streaming_width(4); }, F::kStreaming,
       F::kStreaming},
      {"byte enables of length 0",
       [](RawPayload& p) {
         p.enables.assign(1, TLM_BYTE_ENABLED);
         p.payload.set_byte_enable_ptr(p.enables.data());
         p.payload.set_byte_enable_length(0);
       },
       F::kByteEnables, F::kByteEnables},
      {"more useful bytes than bytes", [](RawPayload& p) { p.request.useful_bytes = 4096; },
       F::kUsefulBytes, F::kUsefulBytes},
      {"an address beyond the memory",
       [](RawPayload& p) { p.payload.set_address(std::uint64_t{1} << 60); }, F::kAddress,
       F::kAddress},
      {"the last address of all", [](RawPayload& p) { p.payload.set_address(~std::uint64_t{127}); },
       F::kAddress, F::kAddress},
  };
}

/// A sound request is accepted and completed.
inline void check_works(const Target& target, const std::string& after) {
  INFO("after " << after);
  CountingManager mm;
  RawPayload p(mm, target.command, target.address, target.bytes);
  if (target.prepare) target.prepare(p);
  const unsigned before = target.initiator->responses;
  const tlm::tlm_sync_enum sync = target.initiator->forward(p.payload, tlm::BEGIN_REQ);
  sc_core::sc_start(to_sc_time(10'000'000'000));
  CHECK((sync == tlm::TLM_COMPLETED || target.initiator->responses == before + 1));
  CHECK(p.payload.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(target.block->idle());
  CHECK(p.payload.get_ref_count() == 1);
}

inline void send_timed(const Target& target, const BadPayload& bad, bool sound) {
  INFO("nb_transport_fw: " << bad.name);
  CountingManager mm;
  RawPayload p(mm, target.command, target.address, target.bytes);
  if (target.prepare) target.prepare(p);
  bad.spoil(p);
  const bool managed = p.payload.has_mm();
  const unsigned before = target.initiator->responses;
  const tlm::tlm_sync_enum sync = target.initiator->forward(p.payload, tlm::BEGIN_REQ);
  if (sound || bad.timed == PayloadFault::kNone) {
    sc_core::sc_start(to_sc_time(10'000'000'000));
    CHECK((sync == tlm::TLM_COMPLETED || target.initiator->responses == before + 1));
    CHECK(p.payload.get_response_status() == tlm::TLM_OK_RESPONSE);
  } else if (target.found_later.count(bad.timed) != 0) {
    sc_core::sc_start(to_sc_time(10'000'000'000));
    CHECK((sync == tlm::TLM_COMPLETED || target.initiator->responses == before + 1));
    CHECK(p.payload.get_response_status() == status_of(bad.timed));
    CHECK(target.block->idle());
  } else {
    CHECK(sync == tlm::TLM_COMPLETED);
    CHECK(p.payload.get_response_status() == status_of(bad.timed));
    CHECK(target.block->idle());
    sc_core::sc_start(to_sc_time(1'000'000'000));
    CHECK(target.initiator->responses == before);
  }
  if (managed) CHECK(p.payload.get_ref_count() == 1);
  if (target.intact) CHECK(target.intact());
}

inline void send_untimed(const Target& target, const BadPayload& bad, bool sound) {
  INFO("b_transport: " << bad.name);
  CountingManager mm;
  RawPayload p(mm, target.command, target.address, target.bytes);
  if (target.prepare) target.prepare(p);
  bad.spoil(p);
  target.initiator->blocking(p.payload);
  CHECK(p.payload.get_response_status() == (sound ? tlm::TLM_OK_RESPONSE : status_of(bad.untimed)));
  if (target.intact) CHECK(target.intact());
}

/// A phase that nobody sends forward, or that nobody waits for.
inline void send_stray_phases(const Target& target) {
  for (const tlm::tlm_phase phase : {tlm::END_RESP, tlm::END_REQ, tlm::BEGIN_RESP}) {
    INFO("stray " << phase.get_name());
    CountingManager mm;
    RawPayload p(mm, target.command, target.address, target.bytes);
    if (target.prepare) target.prepare(p);
    const ExpectReport stray(report::kProtocol);
    target.initiator->forward(p.payload, phase);
    sc_core::sc_start(to_sc_time(1'000'000'000));
    CHECK(target.block->idle());
    CHECK(p.payload.get_ref_count() == 1);
  }
}

/// Debug accesses that no memory can serve: fewer bytes than asked for, and no crash.
inline void send_debug(const Target& target) {
  CountingManager mm;
  RawPayload p(mm, target.command, target.address, target.bytes);
  p.payload.set_data_ptr(nullptr);
  CHECK(target.initiator->debug(p.payload) == 0);
  p.payload.set_data_ptr(p.data.data());
  p.payload.set_address(~std::uint64_t{0});
  const unsigned served = target.initiator->debug(p.payload);
  if (target.intact) CHECK(served == 0);  // scripted memories have no end
  p.payload.set_address(target.address);
  p.payload.set_command(static_cast<tlm::tlm_command>(7));
  CHECK(target.initiator->debug(p.payload) == 0);
}

/// The whole table. One warning for each kind of fault, then silence.
inline void run_payload_table(const Target& target) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  check_works(target, "nothing");
  std::vector<BadPayload> table = common_faults();
  table.insert(table.end(), target.more.begin(), target.more.end());
  std::set<PayloadFault> reported;
  for (const BadPayload& bad : table) {
    if (target.sound.count(bad.name) != 0) continue;
    if (bad.timed != PayloadFault::kNone) reported.insert(bad.timed);
    if (bad.untimed != PayloadFault::kNone) reported.insert(bad.untimed);
  }
  for (const PayloadFault fault : target.found_later) reported.erase(fault);
  {
    const ExpectReport warnings(report::kBadPayload, reported.size());
    for (const BadPayload& bad : table) {
      const bool sound = target.sound.count(bad.name) != 0;
      send_timed(target, bad, sound);
      send_untimed(target, bad, sound);
      check_works(target, bad.name);
    }
  }
  send_stray_phases(target);
  send_debug(target);
  check_works(target, "stray phases and debug accesses");
}

}  // namespace tessera::test
