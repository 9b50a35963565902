// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shares that the summary and the report of a run show, beside those of traffic.h and waits.h.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/share.h"
#include "common/json_fwd.h"
#include "common/wait_kind.h"

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
  WaitKind kind = WaitKind::kDataDependence;  ///< with a resource
};
inline constexpr IssueSlotUse kIssueSlotUses[] = {
    {"issued_slots", "issued", nullptr},
    {"memory_slots", "memory", "memory"},
    {"structural_slots", "unit busy", "an execution or memory unit", WaitKind::kResourceBusy},
    {"dependency_slots", "fixed latency", "a result of fixed latency"},
    {"barrier_slots", "barrier", "a barrier", WaitKind::kOrdering},
    {"idle_slots", "no warp", "a CTA: no warp was resident", WaitKind::kResourceBusy}};

std::vector<NamedShare> issue_slots_of(const nlohmann::ordered_json& stats);
/// Hops of an average access that missed in the L1, in L1 cycles, which add up to the average of
/// the L1s' miss_latency: `derived.latency_breakdown`, with the parts of "llc" apart, and without
/// "rounding", which is within the last hop.
std::vector<NamedShare> latency_hops_of(const nlohmann::ordered_json& stats);
/// Energy by component, and by events and leakage, in joules; empty without energy. Without the
/// components that have no energy model.
std::vector<NamedShare> energy_components_of(const nlohmann::ordered_json& stats);
/// The components of `energy` without an energy model.
std::vector<std::string> energy_not_modelled(const nlohmann::ordered_json& stats);
/// The time in which caches were flushed at kernels' ends, in cycles of the run; none if it is 0.
std::optional<Share> flush_of(const nlohmann::ordered_json& stats);
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
