// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shares that the summary and the report of a run show, beside those of traffic.h and waits.h.

#include <string>
#include <utility>
#include <vector>

#include "app/report/share.h"
#include "common/json_fwd.h"

namespace tessera::app {

struct NamedShare {
  std::string name;
  Share share;
};

/// Hits over lookups (hits, misses, merges into a pending miss, row conflicts), for each statistic
/// that counts hits and misses, over all blocks of a kind: "llc* hits of lookups".
std::vector<NamedShare> hit_rates_of(const nlohmann::ordered_json& stats);
/// A use of the schedulers' issue slots.
struct IssueSlotUse {
  const char* statistic;  ///< of the SMs
  const char* name;
  const char* resource;  ///< what all warps waited for; null: an instruction was issued
};
inline constexpr IssueSlotUse kIssueSlotUses[] = {
    {"issued_slots", "issued", nullptr},
    {"memory_slots", "memory", "memory"},
    {"structural_slots", "unit busy", "an execution or memory unit"},
    {"dependency_slots", "fixed latency", "a result of fixed latency"},
    {"barrier_slots", "barrier", "a barrier"},
    {"idle_slots", "no warp", "a CTA: no warp was resident"}};

std::vector<NamedShare> issue_slots_of(const nlohmann::ordered_json& stats);
/// Hops of an average load that missed in the L1, in L1 cycles; last the rest, of loads that no
/// slice served.
std::vector<NamedShare> latency_hops_of(const nlohmann::ordered_json& stats);
/// Energy by component, and by events and leakage, in joules; empty without energy.
std::vector<NamedShare> energy_components_of(const nlohmann::ordered_json& stats);
std::vector<NamedShare> energy_kinds_of(const nlohmann::ordered_json& stats);
/// Of several GPUs: accesses of the L1s by whose memory they are of, and the latency of remote
/// loads by place; empty for one GPU.
std::vector<NamedShare> remote_accesses_of(const nlohmann::ordered_json& stats);
std::vector<NamedShare> remote_latency_of(const nlohmann::ordered_json& stats);
/// The derived values that are shares (docs/guide/first-run.md), by their dotted names.
std::vector<NamedShare> derived_shares_of(const nlohmann::ordered_json& stats);

/// All shares of a run: these, those of its traffic and those of its waits.
std::vector<NamedShare> shares_of(const nlohmann::ordered_json& stats);

/// [{"name", "part", "whole", "share", "of"}].
nlohmann::ordered_json to_json(const std::vector<NamedShare>& shares);

}  // namespace tessera::app
