// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kinds of blocks. A file NAME_kind.cpp registers a kind, and the family of implementations that
// can stand in for its blocks:
//
//   const BlockFamilyRegistration<DramSite> kDram(make);   // our implementation, "tlm"
//   const BlockKindRegistration kKind([] {
//     BlockKind k("dram", DramSite::kKind);
//     k.build = [](const BlockBuild& b) { ... return b.make(site); };
//     return k;
//   }());
//
// The shapes that plan such blocks name the kind; what makes, flushes or counts blocks calls it.
// How to add a kind: docs/guide/your-own-block.md.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/json.h"
#include "modules/kernel/any_config.h"
#include "modules/kernel/parameters.h"
#include "modules/plan/block_handle.h"
#include "modules/plan/config_view.h"
#include "modules/plan/plan.h"
#include "modules/protocol/transaction_pool.h"
#include "policies/address_map.h"

namespace tessera {

class Domain;
class EnergyReport;
class RunFigures;

/// Arguments of every factory. The objects of its pointers live as long as the platform. A family
/// of blocks derives its site from it: `kKind`, the family's name, and the block's configuration
/// and place as plain data.
struct BlockSite {
  std::string name;         ///< of the sc_module
  std::string path;         ///< "system.gpu0.llc3"
  std::uint32_t index = 0;  ///< among the blocks of its kind
  GpuId gpu;                ///< of the block; 0 if it serves all GPUs
  const AddressMap* map = nullptr;
  TransactionPool* pool = nullptr;
  unsigned inputs = 0;   ///< number of target sockets that will be bound
  unsigned outputs = 0;  ///< number of initiator sockets that will be bound
};

// Implementations. Blocks are created by name, so that a user's own sc_module, or a Verilated one,
// can replace a block of Tessera if it has the same sockets. Register a factory under a name, and
// set "impl.llc": "my-llc" in the configuration, or "system.gpu0.llc3.impl": "my-llc" for a single
// instance.

template <class Site>
using BlockFactory = std::function<BlockHandle(const Site&)>;

/// A factory of one family, type-erased.
using AnyBlockFactory = std::function<BlockHandle(const BlockSite&)>;
void register_any_block(const std::string& family, const std::string& name,
                        AnyBlockFactory factory);
BlockHandle make_any_block(const std::string& family, const std::string& name,
                           const BlockSite& site);

/// `Site` determines the family. Throws InputError if the name exists.
template <class Site>
void register_block(const std::string& name, BlockFactory<Site> factory) {
  register_any_block(Site::kKind, name, [f = std::move(factory)](const BlockSite& site) {
    return f(static_cast<const Site&>(site));
  });
}

/// Throws InputError with the nearest name if the name is unknown, and if the block lacks required
/// sockets.
template <class Site>
BlockHandle make_block(const std::string& name, const Site& site) {
  return make_any_block(Site::kKind, name, site);
}

/// Throws InputError for an unknown family.
std::vector<std::string> block_implementations(const std::string& family);

/// Families, in alphabetical order, each with an earlier name of its parameter, or none.
struct BlockFamily {
  std::string name;
  std::string alias;
};
std::vector<BlockFamily> block_families();

/// Registers a family with our implementation, "tlm".
template <class Site>
class BlockFamilyRegistration {
 public:
  explicit BlockFamilyRegistration(BlockHandle (*make)(const Site&), const char* alias = "");
};
void register_family(const BlockFamily& family, AnyBlockFactory make);
template <class Site>
BlockFamilyRegistration<Site>::BlockFamilyRegistration(BlockHandle (*make)(const Site&),
                                                       const char* alias) {
  register_family({Site::kKind, alias},
                  [make](const BlockSite& s) { return make(static_cast<const Site&>(s)); });
}

// Building.

/// What a platform offers to a block that it builds.
class BlockBuild {
 public:
  virtual ~BlockBuild() = default;

  virtual const PlannedBlock& block() const = 0;
  virtual const PlatformPlan& plan() const = 0;
  virtual const ConfigView& config() const = 0;
  SystemFacts facts() const { return config().facts(); }
  /// The configuration with the settings of this instance.
  template <class Config>
  Config own(Config base) const {
    return instance_config(std::move(base), overrides(), common_site().path);
  }
  /// The same, of a group of parameters.
  template <class Config>
  Config own(const std::string& group) const {
    return own(config().group<Config>(group));
  }
  /// A site with all fields that families share.
  template <class Site>
  Site site() const {
    Site s;
    static_cast<BlockSite&>(s) = common_site();
    return s;
  }
  /// The block, by the implementation that the configuration names.
  template <class Site>
  BlockHandle make(const Site& site) const {
    return make_block(implementation(Site::kKind), site);
  }
  /// An object of the platform that blocks use, by its type: of the block's GPU, or of the system.
  /// get(): throws std::logic_error if there is none.
  template <class Service>
  Service* find() const {
    return static_cast<Service*>(find_service(typeid(Service)));
  }
  template <class Service>
  Service& get() const {
    Service* const found = find<Service>();
    if (found == nullptr) {
      throw std::logic_error(std::string("the platform offers no ") + typeid(Service).name());
    }
    return *found;
  }
  /// The blocks of a kind that have been made, of a GPU or of all, in the order of the plan.
  virtual std::vector<const BlockHandle*> made(const std::string& kind,
                                               std::optional<GpuId> gpu = {}) const = 0;
  /// All interfaces of that type that the blocks that have been made offer.
  template <class Interface>
  std::vector<Interface*> offered() const {
    std::vector<Interface*> all;
    for (const BlockHandle* h : all_made()) {
      for (Interface* const found : h->find_all<Interface>()) all.push_back(found);
    }
    return all;
  }
  /// Domains of the GPUs; empty if there is one GPU. Domain of a node of the plan.
  virtual std::vector<Domain*> gpu_domains() const = 0;
  virtual Domain& domain_of(std::uint32_t node) const = 0;

 protected:
  virtual std::vector<const BlockHandle*> all_made() const = 0;
  virtual BlockSite common_site() const = 0;
  virtual const std::vector<ParameterSetting>& overrides() const = 0;
  virtual std::string implementation(const std::string& family) const = 0;
  virtual void* find_service(std::type_index type) const = 0;
};

// Kinds.

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
