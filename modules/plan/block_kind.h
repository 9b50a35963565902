// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kinds of blocks. A file NAME_kind.cpp registers a kind, and the family of implementations that
// can stand in for its blocks:
//
//   const BlockFamilyRegistration<DramSite> kDram(make);   // our implementation, "tlm"
//   const BlockKindRegistration kKind([] {
//     BlockKind k("dram", DramSite::kFamily);
//     k.build = [](const BlockBuild& b) { ... return b.make(site); };
//     return k;
//   }());
//
// A kind's site derives from BlockSite (block_site.h), its implementations are in block_family.h,
// and the argument of `build` is in block_build.h.
//
// The shapes that plan such blocks name the kind; what makes, flushes or counts blocks calls it.
// How to add a kind: docs/guide/your-own-block.md.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/json_fwd.h"
#include "modules/kernel/any_config.h"
#include "modules/plan/config_view.h"
#include "modules/plan/plan.h"

namespace tessera {

struct BlockHandle;
class BlockBuild;
class EnergyReport;
class RunFigures;

/// Name, unit and description of a derived figure.
struct DerivedInfo {
  std::string name;  ///< "remote.mean_words"
  std::string unit;
  std::string description;
};

/// The class of the traffic of a link at a kind's sockets. Of a link's two ends, the one with the
/// higher priority names it.
struct LinkTraffic {
  std::string name;
  int priority = 0;
};

/// Parameters whose paths begin with `begin`, but not with `except`, have no effect where `why`
/// returns a reason.
struct UnusedRule {
  std::string begin;
  std::function<std::optional<std::string>(const ConfigView&)> why;
  std::string except = {};  ///< empty: none
};

/// A group of parameters that a kind adds to a platform's configuration.
struct ConfigGroup {
  std::string name;
  std::string description;
  AnyConfig defaults;
};

/// When the blocks of a kind are flushed (SliceFlushIf) at a kernel's end, after the L1s.
enum class FlushAtKernelEnd : std::uint8_t {
  kNone,
  kRemoteCache,  ///< holds lines of other GPUs, which are valid for one kernel (DualOpt 4.4)
  /// Holds copies of other partitions' lines if RemoteCaching keeps such copies, which are valid
  /// for one kernel as well (NUBA section 5.3).
  kCopies,
  kEpoch,       ///< ends an epoch of decisions on copies, while slices write back
  kMemorySide,  ///< with the slices, for another reason
  kCoherent,    ///< a level of a coherent hierarchy, with accesses in flight
};

struct BlockKind {
  BlockKind(std::string kind, std::string of_family)
      : name(std::move(kind)), family(std::move(of_family)) {}

  std::string name;
  std::string family;  ///< its implementations: "impl.FAMILY"
  std::vector<ConfigGroup> groups;
  std::function<BlockHandle(const BlockBuild&)> build;

  // Properties.

  /// Level of the memory system in statistics by kernel ("l2"); empty: it counts for none.
  /// `is_cache`: the level counts hits and misses.
  std::string level;
  bool is_cache = false;
  /// Order of kinds from memory to the SMs: of the bytes that they hold, of levels, of figures.
  int rank = 0;
  FlushAtKernelEnd flush = FlushAtKernelEnd::kNone;
  /// Has one target and one initiator socket and passes requests on: a platform can put such blocks
  /// into all links of a class of traffic ("insert" of a platform's file).
  bool in_links = false;
  /// Details are a PlannedNetwork (modules/noc/planned_network.h).
  bool is_network = false;
  /// Has a part in each GPU, and latency between the parts.
  bool joins_domains = false;
  /// Why its blocks read or change blocks of other GPUs without latency, with the source, for
  /// messages: "DualOpt section 4.3 gives it no latency". Nothing with parameters by which they do
  /// not. Empty: they never do.
  std::function<std::optional<std::string>(const ConfigView&)> acts_at_once;
  /// Handles translations, not data: drawn apart.
  bool translates = false;
  /// Belongs to the host's CPU, not to a GPU.
  bool of_cpu = false;
  LinkTraffic ingress;  ///< of links to it
  LinkTraffic egress;   ///< of links from it
  /// The same of a single block; empty: `ingress` and `egress`.
  std::function<std::string(const PlannedBlock&)> traffic;
  /// What `tessera config --plan` prints of a block's details.
  std::function<void(const PlannedBlock&, nlohmann::ordered_json&)> print;

  // Settings of single blocks ("system.gpu0.llc3.ways").

  /// The configuration that they change; empty: a block has none of its own but its implementation.
  std::function<AnyConfig(const ConfigView&, const PlannedBlock&)> own_config;
  /// Errors of such a configuration beside those of its validate().
  std::function<std::vector<std::string>(const AnyConfig&, const ConfigView&, const PlannedBlock&)>
      check_own;
  std::vector<UnusedRule> unused;

  // Results.

  /// Adds figures of a platform, with or without such blocks.
  std::function<void(RunFigures&)> derive;
  std::vector<DerivedInfo> derived;
  std::function<void(const RunFigures&, EnergyReport&)> energy;
};

/// All kinds, by name.
const std::map<std::string, BlockKind>& block_kinds();
/// The same, by rank, those at memory first; of equal rank, by name.
std::vector<const BlockKind*> kinds_from_memory();
/// Throws InputError with the nearest name if there is no such kind.
const BlockKind& kind_of(const std::string& name);
const BlockKind& kind_of(const PlannedBlock& block);
/// Registrations run before main(): the first of two kinds of one name stays, and every later
/// lookup fails.
void register_kind(BlockKind kind);

class BlockKindRegistration {
 public:
  explicit BlockKindRegistration(BlockKind kind) { register_kind(std::move(kind)); }
};

template <class F>
std::vector<const PlannedBlock*> PlatformPlan::where(F f) const {
  std::vector<const PlannedBlock*> found;
  for (const PlannedBlock& b : blocks) {
    if (f(kind_of(b))) found.push_back(&b);
  }
  return found;
}

}  // namespace tessera
