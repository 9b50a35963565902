// SPDX-License-Identifier: Apache-2.0
// Presets and configuration files.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "common/error.h"
#include "common/file_kind.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/located_json.h"
#include "common/suggest.h"
#include "platforms/config_check.h"
#include "platforms/instances.h"
#include "platforms/node_settings.h"
#include "platforms/plugin_loader.h"
#include "platforms/simulation.h"
#include "platforms/topology/shape.h"
#include "platforms/tree_check.h"

namespace tessera {

namespace fs = std::filesystem;

namespace {

/// Keys of a platform file beside its parameters.
const std::vector<std::string> kDocumentKeys = {"base", "description", "plugins", "spdx",
                                                "tree", "instances",   "insert",  "sources"};

fs::path presets_directory() {
  if (const char* dir = std::getenv("TESSERA_PRESETS_DIR")) return dir;
  if (fs::is_directory(TESSERA_PRESETS_SOURCE_DIR)) return TESSERA_PRESETS_SOURCE_DIR;
  return TESSERA_PRESETS_INSTALL_DIR;
}

bool is_preset(const fs::path& file) {
  std::error_code error;
  return fs::equivalent(file.has_parent_path() ? file.parent_path() : fs::path("."),
                        presets_directory(), error);
}

std::string text_of(const LocatedJson& document, const char* key) {
  if (!document.value->contains(key)) return {};
  const auto& value = document.value->at(key);
  if (!value.is_string()) {
    throw InputError(document.where(std::string("/") + key) + ": " + key + " must be a text");
  }
  return value.get<std::string>();
}

/// "plugins": shared objects that the platform needs, beside its file.
std::vector<std::string> plugins_of(const LocatedJson& document) {
  if (!document.value->contains("plugins")) return {};
  const auto& list = document.value->at("plugins");
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
  std::error_code error;
  if (fs::exists(file, error)) return file.string();
  // A file of another kind is refused by its reader, which names the kind.
  if (fs::exists(platform, error)) return platform;
  throw InputError("unknown platform '" + platform + "'" + did_you_mean(platform, preset_names()) +
                   " (a preset's name, see 'tessera list platforms', or the path of a JSON file)");
}

/// Where a value comes from, as a platform's file says.
struct Source {
  std::string path;  ///< of a parameter or of a group
  std::string text;
  std::string origin;  ///< "FILE:LINE"
};

/// What a platform's files say.
struct Collected {
  std::vector<ParameterSetting> settings;  ///< in their order
  std::size_t of_presets = 0;              ///< the first ones, which no file of the user's says
  Tree tree;                               ///< the last; empty: none says one
  std::string tree_origin;                 ///< "FILE:LINE"
  std::vector<SystemConfig::Insert> inserts;
  std::vector<Source> sources;  ///< in their order
};

constexpr const char* kTreeParameters[] = {"system.topology", "system.gpus", "system.modules"};

bool is_of_tree(const ParameterSetting& s) {
  return std::find(std::begin(kTreeParameters), std::end(kTreeParameters), s.path) !=
         std::end(kTreeParameters);
}

/// A file's tree replaces what its bases said of the tree.
void take_tree(const LocatedJson& document, Collected& out) {
  if (!document.value->contains("tree")) return;
  out.tree = tree_from(document);
  out.tree_origin = document.where("/tree");
  std::vector<ParameterSetting>& s = out.settings;
  out.of_presets -= static_cast<std::size_t>(std::count_if(
      s.begin(), s.begin() + static_cast<std::ptrdiff_t>(out.of_presets), is_of_tree));
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
    const bool agrees = s.path == kTreeParameters[0]
                            ? (names_gpus ? tree.front().level == NodeLevel::kGpu &&
                                                tree.back().shape == default_topology()
                                          : flat.topology == system.topology)
                            : (s.path == kTreeParameters[1] ? flat.gpus == system.gpus
                                                            : flat.modules == system.modules);
    if (agrees) continue;
    throw InputError(s.origin + ": " + s.path + " (" + s.value->dump() +
                     ") contradicts the tree of " + collected.tree_origin + " (" +
                     to_json(tree).dump() + ")");
  }
}

/// A key that stands for one value, and is no parameter: parameters stand in groups.
void check_keys(const LocatedJson& document) {
  for (const auto& [key, value] : document.value->items()) {
    const bool known =
        std::find(kDocumentKeys.begin(), kDocumentKeys.end(), key) != kDocumentKeys.end();
    if (known || value.is_object()) continue;
    const std::string hint = did_you_mean(key, kDocumentKeys);
    // Without one, it is refused with all that is wrong.
    if (hint.empty()) continue;
    throw InputError(document.where(json_pointer("", key)) + ": " + key + ": no such key" + hint);
  }
}

/// "sources": where values come from, by the paths of parameters or groups.
void take_sources(const LocatedJson& document, std::vector<Source>& out) {
  if (!document.value->contains("sources")) return;
  const auto& sources = document.value->at("sources");
  if (!sources.is_object()) {
    throw InputError(document.where("/sources") +
                     ": sources must be an object of texts, as {\"dram.t_rc\": \"JESD235\"}");
  }
  for (const auto& [path, text] : sources.items()) {
    const std::string origin = document.where(json_pointer("/sources", path));
    if (!text.is_string()) throw InputError(origin + ": " + path + ": a source must be a text");
    out.push_back({path, text.get<std::string>(), origin});
  }
}

/// "instances": settings of single blocks, by their paths, as `tessera config` prints them.
void take_instances(const LocatedJson& document, std::vector<ParameterSetting>& out) {
  if (!document.value->contains("instances")) return;
  const auto& instances = document.value->at("instances");
  if (!instances.is_object()) {
    throw InputError(document.where("/instances") +
                     ": instances must be an object of settings of single blocks, as "
                     "{\"system.gpu0.llc3.ways\": 8}");
  }
  for (const auto& [path, value] : instances.items()) {
    out.push_back({path, value, document.where(json_pointer("/instances", path))});
  }
}

/// "insert": kinds of blocks by classes of traffic, as {"memory": "queued-link"}. Adds to those of
/// the file's bases.
void take_inserts(const LocatedJson& document, std::vector<SystemConfig::Insert>& out) {
  if (!document.value->contains("insert")) return;
  const auto& inserts = document.value->at("insert");
  const auto is_text = [](const auto& v) { return v.is_string(); };
  if (!inserts.is_object() || !std::all_of(inserts.begin(), inserts.end(), is_text)) {
    throw InputError(document.where("/insert") +
                     ": insert must be an object of kinds of blocks by classes of traffic, as "
                     "{\"memory\": \"queued-link\"}");
  }
  for (const auto& [traffic, kind] : inserts.items()) {
    out.push_back(
        {traffic, kind.get<std::string>(), document.where(json_pointer("/insert", traffic))});
  }
}

/// The base that a document names: a file beside it, another file, or a preset.
std::string base_of(const LocatedJson& document, const std::string& file) {
  std::string base = text_of(document, "base");
  const fs::path beside = fs::path(file).parent_path() / base;
  if (fs::path(base).extension() == ".json" && names_something(beside)) return beside.string();
  if (base.empty()) return base;
  try {
    return file_of(base);
  } catch (const InputError& e) {
    throw InputError(document.where("/base") + ": " + e.what());
  }
}

/// Settings of the file, those of its base first.
void collect(const std::string& platform, Collected& out, std::set<std::string>& seen) {
  const std::string file = file_of(platform);
  const LocatedJson document = load_located_json(file);
  if (!seen.insert(fs::canonical(file).string()).second) {
    throw InputError(file + ": \"base\" leads back to this file");
  }
  if (!document.value->is_object()) {
    throw InputError(file + ":1: expected a JSON object of parameters");
  }
  const std::string kind = json_kind(document.value);
  if (!kind.empty() && kind != kPlatformKind) {
    throw InputError(file + ": expected " + kPlatformKind + ", found " + kind);
  }
  const std::string base = base_of(document, file);
  text_of(document, "description");
  if (!base.empty()) collect(base, out, seen);
  for (const std::string& plugin : plugins_of(document)) {
    const fs::path beside = fs::path(file).parent_path() / plugin;
    load_plugin(names_something(beside) ? beside.string() : plugin);
  }
  check_keys(document);
  take_tree(document, out);
  take_inserts(document, out.inserts);
  for (ParameterSetting& s : settings_from(document, kDocumentKeys)) {
    out.settings.push_back(std::move(s));
  }
  take_instances(document, out.settings);
  take_sources(document, out.sources);
  if (is_preset(file)) out.of_presets = out.settings.size();
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

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const PresetInfo& p : platform_presets()) names.push_back(p.name);
  return names;
}

namespace {

/// Settings of the user's files that give another value than the presets below them. A setting with
/// an unknown name is not among them: it is refused later.
std::vector<ParameterSetting> unlike_presets(const std::vector<ParameterSetting>& settings,
                                             std::size_t of_presets) {
  const auto begin = settings.begin() + static_cast<std::ptrdiff_t>(of_presets);
  if (begin == settings.end()) return {};
  GpuConfig preset;
  ParameterReader reader({settings.begin(), begin});
  describe(reader, preset);
  ParameterLister lister;
  describe(lister, preset);
  std::vector<ParameterSetting> out;
  for (auto s = begin; s != settings.end(); ++s) {
    const std::vector<std::string> reached = reached_by(lister.parameters(), s->path);
    const bool other = std::any_of(
        lister.parameters().begin(), lister.parameters().end(), [&](const ListedParameter& p) {
          return std::find(reached.begin(), reached.end(), p.info.name) != reached.end() &&
                 nlohmann::json(*p.value) != in_unit(p, s->value);
        });
    if (other) out.push_back(*s);
  }
  return out;
}

/// Gives the settings of --set their whole paths, and values in the parameters' units.
/// `of_nodes`: see apply_node_settings().
void name_chosen(ResolvedConfig& config, const std::map<std::string, std::string>& of_nodes) {
  const std::vector<ListedParameter> parameters = config.parameters();
  for (ParameterSetting& s : config.chosen) {
    s.path = whole_path(s.path);
    const auto of_node = of_nodes.find(s.path);
    const std::string& path = of_node == of_nodes.end() ? s.path : of_node->second;
    const auto same = [&path](const ParameterSetting& o) { return o.path == path; };
    const auto own = std::find_if(config.overrides.rbegin(), config.overrides.rend(), same);
    if (own != config.overrides.rend()) s.value = own->value;
    const std::vector<std::string> reached = reached_by(parameters, s.path);
    for (const ListedParameter& p : parameters) {
      if (!reached.empty() && p.info.name == reached.front()) s.value = in_unit(p, s.value);
    }
  }
}

/// The source of each parameter that has one. A parameter's own source precedes its group's, and of
/// two for one path the later one counts.
std::map<std::string, std::string> sources_of(const std::vector<Source>& sources,
                                              const std::vector<ListedParameter>& parameters) {
  std::map<std::string, std::string> own;
  std::map<std::string, std::string> of_group;
  for (const Source& s : sources) {
    bool known = false;
    for (const ListedParameter& p : parameters) {
      const bool same = p.info.name == s.path;
      if (!same && p.info.name.rfind(s.path + ".", 0) != 0) continue;
      known = true;
      (same ? own : of_group)[p.info.name] = s.text;
    }
    if (known) continue;
    std::vector<std::string> names;
    for (const ListedParameter& p : parameters) names.push_back(p.info.name);
    throw InputError(s.origin + ": sources: no parameter or group '" + s.path + "'" +
                     did_you_mean(s.path, names));
  }
  own.merge(of_group);
  return own;
}

}  // namespace

ResolvedConfig resolve_config(const std::string& platform, const std::vector<std::string>& sets) {
  Collected collected;
  std::set<std::string> seen;
  collect(platform, collected, seen);
  std::vector<ParameterSetting>& settings = collected.settings;
  ResolvedConfig config;
  config.platform = platform;
  config.given = unlike_presets(settings, collected.of_presets);
  for (const std::string& s : sets) settings.push_back(setting_from_argument(s));
  const auto chosen = static_cast<std::ptrdiff_t>(settings.size() - sets.size());
  config.chosen.assign(settings.begin() + chosen, settings.end());
  std::vector<ParameterSetting> common;
  for (ParameterSetting& s : settings) {
    s.path = whole_path(s.path);
    (is_instance(s) ? config.overrides : common).push_back(std::move(s));
  }
  ParameterReader reader(common);
  describe(reader, config.gpu);
  reader.throw_if_failed();
  apply_tree(collected, common, config.gpu.system);
  config.gpu.system.inserts = collected.inserts;
  config.gpu.propagate();
  std::vector<std::string> of_tree;
  if (!collected.tree.empty()) check_tree(config.gpu, of_tree);
  std::string errors;
  for (const std::string& e : config_errors(config.gpu)) {
    const bool tree = std::find(of_tree.begin(), of_tree.end(), e) != of_tree.end();
    errors += (errors.empty() ? "" : "\n") + (tree ? collected.tree_origin : platform) + ": " + e;
  }
  if (!errors.empty()) throw InputError(errors);
  const std::map<std::string, std::string> of_nodes = apply_node_settings(config);
  check_instances(config);
  name_chosen(config, of_nodes);
  if (!collected.sources.empty()) {
    config.sources = sources_of(collected.sources, config.parameters());
  }
  return config;
}

nlohmann::ordered_json ResolvedConfig::settings() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const ParameterSetting& s : chosen) out[s.path] = *s.value;
  return out;
}

nlohmann::ordered_json ResolvedConfig::to_json() const {
  ParameterLister lister;
  GpuConfig copy = gpu;
  describe(lister, copy);
  nlohmann::ordered_json out = lister.to_json();
  if (!gpu.system.tree.empty()) out["tree"] = tessera::to_json(gpu.system.tree);
  for (const SystemConfig::Insert& i : gpu.system.inserts) out["insert"][i.traffic] = i.kind;
  // By name, as they are read back.
  std::map<std::string, nlohmann::json> instances;
  for (const ParameterSetting& s : overrides) instances[s.path] = *s.value;
  for (const auto& [path, value] : instances) out["instances"][path] = value;
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
