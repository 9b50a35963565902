// SPDX-License-Identifier: Apache-2.0
// Presets and configuration files.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include "common/error.h"
#include "common/located_json.h"
#include "common/suggest.h"
#include "platforms/block_factory.h"
#include "platforms/plugin.h"
#include "platforms/simulation.h"
#include "platforms/topology/shape.h"

namespace tessera {

namespace fs = std::filesystem;

namespace {

constexpr char kInstancePrefix[] = "system.gpu";

fs::path presets_directory() {
  if (const char* dir = std::getenv("TESSERA_PRESETS_DIR")) return dir;
  if (fs::is_directory(TESSERA_PRESETS_SOURCE_DIR)) return TESSERA_PRESETS_SOURCE_DIR;
  return TESSERA_PRESETS_INSTALL_DIR;
}

std::string text_of(const LocatedJson& document, const char* key) {
  if (!document.value.contains(key)) return {};
  const auto& value = document.value.at(key);
  if (!value.is_string()) {
    throw InputError(document.where(std::string("/") + key) + ": " + key + " must be a text");
  }
  return value.get<std::string>();
}

/// "plugins": shared objects that the platform needs, beside its file.
std::vector<std::string> plugins_of(const LocatedJson& document) {
  if (!document.value.contains("plugins")) return {};
  const auto& list = document.value.at("plugins");
  const auto is_text = [](const auto& v) { return v.is_string(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_text)) {
    throw InputError(document.where("/plugins") + ": plugins must be a list of files");
  }
  return list.get<std::vector<std::string>>();
}

std::string file_of(const std::string& platform) {
  const bool path =
      platform.find('/') != std::string::npos || fs::path(platform).extension() == ".json";
  if (path) return platform;
  const fs::path file = presets_directory() / (platform + ".json");
  if (fs::exists(file)) return file.string();
  std::vector<std::string> names;
  for (const PresetInfo& p : platform_presets()) names.push_back(p.name);
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  throw InputError("unknown platform '" + platform + "' (presets: " + list +
                   "; or the path of a JSON file)" + did_you_mean(platform, names));
}

/// What a platform's files say.
struct Collected {
  std::vector<ParameterSetting> settings;  ///< in their order
  Tree tree;                               ///< the last; empty: none says one
  std::string tree_origin;                 ///< "FILE:LINE"
};

constexpr const char* kTreeParameters[] = {"system.topology", "system.gpus", "system.modules"};

bool is_of_tree(const ParameterSetting& s) {
  return std::find(std::begin(kTreeParameters), std::end(kTreeParameters), s.path) !=
         std::end(kTreeParameters);
}

/// A file's tree replaces what its bases said of the tree.
void take_tree(const LocatedJson& document, Collected& out) {
  if (!document.value.contains("tree")) return;
  out.tree = tree_from(document);
  out.tree_origin = document.where("/tree");
  std::vector<ParameterSetting>& s = out.settings;
  s.erase(std::remove_if(s.begin(), s.end(), is_of_tree), s.end());
}

/// Sets what the tree says, and refuses settings that say otherwise.
void apply_tree(const Collected& collected, const std::vector<ParameterSetting>& settings,
                SystemConfig& system) {
  if (collected.tree.empty()) return;
  SystemConfig flat = system;
  tessera::apply_tree(collected.tree, system);
  const Tree& tree = collected.tree;
  for (const ParameterSetting& s : settings) {
    if (!is_of_tree(s)) continue;
    const bool names_gpus = shape_of(flat.topology).level == NodeLevel::kGpu;
    const bool agrees =
        s.path == kTreeParameters[0]
            ? (names_gpus ? tree.front().level == NodeLevel::kGpu &&
                                tree.back().shape == SystemConfig::default_topology()
                          : flat.topology == system.topology)
            : (s.path == kTreeParameters[1] ? flat.gpus == system.gpus
                                            : flat.modules == system.modules);
    if (agrees) continue;
    throw InputError(s.origin + ": " + s.path + " (" + s.value.dump() +
                     ") contradicts the tree of " + collected.tree_origin + " (" +
                     to_json(tree).dump() + ")");
  }
}

/// Settings of the file, those of its base first.
void collect(const std::string& platform, Collected& out, std::set<std::string>& seen) {
  const std::string file = file_of(platform);
  if (!seen.insert(fs::weakly_canonical(file).string()).second) {
    throw InputError(file + ": \"base\" leads back to this file");
  }
  const LocatedJson document = load_located_json(file);
  if (!document.value.is_object()) {
    throw InputError(file + ":1: expected a JSON object of parameters");
  }
  const std::string base = text_of(document, "base");
  text_of(document, "description");
  if (!base.empty()) {
    // A file's base may stand beside it.
    const fs::path beside = fs::path(file).parent_path() / base;
    collect(fs::path(base).extension() == ".json" && fs::exists(beside) ? beside.string() : base,
            out, seen);
  }
  for (const std::string& plugin : plugins_of(document)) {
    const fs::path beside = fs::path(file).parent_path() / plugin;
    load_plugin(fs::exists(beside) ? beside.string() : plugin);
  }
  take_tree(document, out);
  for (ParameterSetting& s :
       settings_from(document, {"base", "description", "plugins", "spdx", "tree"})) {
    out.settings.push_back(std::move(s));
  }
}

/// The path of an instance's setting, by the present name of the block where it gives a former one
/// (docs/decisions/statistic-names.md).
std::string present_path(const std::string& path) {
  static const std::regex gpu_wide("(system\\.gpu[0-9]+)\\.(gate|ingress)(\\..*)");
  static const std::regex of_module("(system\\.gpu[0-9]+)\\.gate([0-9]+\\..*)");
  std::smatch parts;
  if (std::regex_match(path, parts, gpu_wide)) {
    return parts[1].str() + ".ingress_xbar" + parts[3].str();
  }
  if (std::regex_match(path, parts, of_module)) {
    return parts[1].str() + ".module_ingress_xbar" + parts[2].str();
  }
  return path;
}

bool is_instance(const ParameterSetting& s) {
  constexpr std::size_t length = sizeof kInstancePrefix - 1;
  return s.path.compare(0, length, kInstancePrefix) == 0 && s.path.size() > length &&
         std::isdigit(static_cast<unsigned char>(s.path[length])) != 0;
}

/// "; did you mean 'X'?" for an instance that is not there: one that is, else a setting of a block
/// that the GPUs share ("system.gpu0.decision.window_accesses").
std::string meant_instead(const ParameterSetting& s, const std::vector<std::string>& instances,
                          const ResolvedConfig& config) {
  std::string hint = did_you_mean(s.path.substr(0, s.path.rfind('.')), instances);
  const std::size_t gpu = s.path.find('.', sizeof kInstancePrefix - 1);
  if (!hint.empty() || gpu == std::string::npos) return hint;
  std::vector<std::string> shared;
  for (const ListedParameter& p : config.parameters()) shared.push_back(p.info.name);
  return did_you_mean(s.path.substr(gpu + 1), shared);
}

/// The kind of implementation of a block (platforms/block_sites.h).
std::string implementation_kind(const PlannedBlock& block) {
  if (block.kind != BlockKind::kNetwork) return name_of(block.kind);
  return block.network.kind == NetworkKind::kRing ? RingSite::kKind : NocSite::kKind;
}

/// Whether one block of a kind may have settings of its own, beside its implementation.
bool has_settings(BlockKind kind) {
  switch (kind) {
    case BlockKind::kNetwork:
    case BlockKind::kSm:
    case BlockKind::kL1:
    case BlockKind::kLlc:
    case BlockKind::kRemoteCache:
    case BlockKind::kRdma:
    case BlockKind::kDram:
      return true;
    default:
      return false;
  }
}

/// Reads an instance's settings on a copy, so that mistakes are found before a platform is built.
void check_instances(const ResolvedConfig& config) {
  if (config.overrides.empty()) return;
  const GpuConfig& g = config.gpu;
  const PlatformPlan plan = plan_of(g);
  std::vector<std::string> names;
  std::vector<std::string> all;
  for (const PlannedBlock& b : plan.blocks) {
    if (plan.nodes[b.node].level == NodeLevel::kSystem) continue;
    all.push_back(plan.path_of(b));
    if (has_settings(b.kind)) names.push_back(all.back());
  }
  for (const ParameterSetting& s : config.overrides) {
    const std::size_t dot = s.path.rfind('.');
    const std::string instance = s.path.substr(0, dot);
    if (s.path.compare(dot, std::string::npos, kImplSetting) == 0 &&
        std::find(all.begin(), all.end(), instance) != all.end()) {
      const std::string kind = implementation_kind(*plan.find(instance));
      const std::string name = implementation_of(g.impl, kind, config.overrides, instance);
      const std::vector<std::string> known = block_implementations(kind);
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw InputError(s.origin + ": " + s.path + ": no implementation of '" + kind +
                         "' is named '" + name + "'" + did_you_mean(name, known));
      }
      continue;
    }
    if (std::find(names.begin(), names.end(), instance) == names.end()) {
      throw InputError(s.origin + ": " + s.path + ": no such block" +
                       meant_instead(s, names, config));
    }
    const auto check = [&](const auto& base) {
      const std::vector<std::string> faults =
          instance_config(base, config.overrides, instance).validate();
      if (!faults.empty()) throw InputError(s.origin + ": " + instance + ": " + faults.front());
    };
    const PlannedBlock& block = *plan.find(instance);
    switch (block.kind) {
      case BlockKind::kNetwork:
        if (block.network.kind == NetworkKind::kRing) {
          check(block.network.ring);
        } else {
          check(block.network.noc);
        }
        break;
      case BlockKind::kSm:
        check(g.sm);
        break;
      case BlockKind::kL1:
        check(g.l1);
        break;
      case BlockKind::kLlc:
        check(g.llc);
        break;
      case BlockKind::kRemoteCache:
        check(g.remote_cache);
        break;
      case BlockKind::kRdma:
        check(g.rdma);
        break;
      case BlockKind::kDram: {
        check(g.dram);
        const DramConfig dram = instance_config(g.dram, config.overrides, instance);
        DramCommandCounts counts;
        try {
          dram.scheduler.make({&dram, g.system.line_bytes, &counts});
        } catch (const InputError& e) {
          throw InputError(s.origin + ": " + instance + ": " + e.what());
        }
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace

std::vector<PresetInfo> platform_presets() {
  std::vector<PresetInfo> presets;
  const fs::path dir = presets_directory();
  if (!fs::is_directory(dir)) {
    throw InputError("no platform presets in " + dir.string() +
                     " (TESSERA_PRESETS_DIR names another directory)");
  }
  for (const auto& entry : fs::directory_iterator(dir)) {
    if (entry.path().extension() != ".json") continue;
    const LocatedJson document = load_located_json(entry.path().string());
    presets.push_back(
        {entry.path().stem().string(), text_of(document, "description"), entry.path().string()});
  }
  std::sort(presets.begin(), presets.end(),
            [](const PresetInfo& a, const PresetInfo& b) { return a.name < b.name; });
  return presets;
}

ResolvedConfig resolve_config(const std::string& platform, const std::vector<std::string>& sets) {
  Collected collected;
  std::set<std::string> seen;
  collect(platform, collected, seen);
  std::vector<ParameterSetting>& settings = collected.settings;
  for (const std::string& s : sets) settings.push_back(setting_from_argument(s));

  ResolvedConfig config;
  config.platform = platform;
  std::vector<ParameterSetting> common;
  for (ParameterSetting& s : settings) {
    const bool instance = is_instance(s);
    if (instance) s.path = present_path(s.path);
    (instance ? config.overrides : common).push_back(std::move(s));
  }
  ParameterReader reader(common);
  describe(reader, config.gpu);
  reader.throw_if_failed();
  apply_tree(collected, common, config.gpu.system);
  config.gpu.propagate();
  std::string errors;
  for (const std::string& e : config.gpu.validate()) {
    errors += (errors.empty() ? "" : "\n") + platform + ": " + e;
  }
  if (!errors.empty()) throw InputError(errors);
  check_instances(config);
  return config;
}

nlohmann::ordered_json ResolvedConfig::to_json() const {
  ParameterLister lister;
  GpuConfig copy = gpu;
  describe(lister, copy);
  nlohmann::ordered_json out = lister.to_json();
  if (!gpu.system.tree.empty()) out["tree"] = tessera::to_json(gpu.system.tree);
  for (const ParameterSetting& s : overrides) out["instances"][s.path] = s.value;
  for (const LoadedPlugin& p : loaded_plugins()) out["plugins"].push_back(p.file);
  return out;
}

std::vector<ListedParameter> ResolvedConfig::parameters() const {
  ParameterLister lister;
  GpuConfig copy = gpu;
  describe(lister, copy);
  return lister.parameters();
}

}  // namespace tessera
