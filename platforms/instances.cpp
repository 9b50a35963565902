// SPDX-License-Identifier: Apache-2.0
// Settings of single blocks.
#include "platforms/instances.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string_view>

#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"
#include "modules/plan/block_families.h"
#include "modules/plan/block_kind.h"
#include "platforms/platform_view.h"
#include "platforms/topology/shape.h"

namespace tessera {

namespace {

constexpr char kSystem[] = "system.";

/// Whether a path begins with the name of a GPU ("gpu0.llc3.ways"), in upper case too: such a name
/// is refused as that of a block.
bool begins_with_gpu(const std::string& path, std::size_t at) {
  constexpr std::string_view kGpu = "gpu";
  return lower_case(path).compare(at, kGpu.size(), kGpu) == 0 && path.size() > at + kGpu.size() &&
         std::isdigit(static_cast<unsigned char>(path[at + kGpu.size()])) != 0;
}

/// The path with the present name of a block where it has a former one
/// (docs/decisions/statistic-names.md).
std::string present_name(const std::string& path) {
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

/// "; did you mean 'X'?" for an instance that is not there: the block of that name in a GPU, whose
/// modules are no part of names; a parameter that the blocks of a kind share
/// ("system.gpu0.walker.levels"); the nearest name.
std::string meant_instead(const ParameterSetting& s, const std::vector<std::string>& instances,
                          const ResolvedConfig& config) {
  const auto meant = [](const std::string& name) { return "; did you mean '" + name + "'?"; };
  const std::size_t dot = s.path.rfind('.');
  const std::string instance = s.path.substr(0, dot);
  const std::string block = instance.substr(instance.rfind('.') + 1);
  std::vector<std::string> known;
  for (const ListedParameter& p : config.parameters()) known.push_back(p.info.name);
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::size_t gpu = s.path.find('.', sizeof kSystem - 1);
  const std::string in_gpu = s.path.substr(0, gpu) + "." + block;
  if (has(instances, lower_case(instance))) return meant(lower_case(s.path));
  if (has(instances, in_gpu)) return meant(in_gpu + s.path.substr(dot));
  for (const std::string& shared : {s.path.substr(gpu + 1), s.path.substr(dot + 1) + "." + block}) {
    if (has(known, shared)) return meant(shared);
  }
  const std::string hint = did_you_mean(instance, instances);
  return hint.empty() ? did_you_mean(s.path.substr(gpu + 1), known) : hint;
}

/// Refuses a setting that blocks of this kind do not have one by one, and converts the value of
/// another to the parameter's unit.
void check_name(ParameterSetting& s, AnyConfig base, const ResolvedConfig& config) {
  ParameterLister lister;
  base.visit(lister);
  const std::size_t dot = s.path.rfind('.');
  const std::string name = s.path.substr(dot + 1);
  const std::vector<std::string> reached = reached_by(lister.parameters(), name);
  std::vector<std::string> known;
  for (const ListedParameter& p : lister.parameters()) {
    known.push_back(p.info.name);
    if (!reached.empty() && p.info.name == reached.front()) s.value = in_unit(p, s.value);
  }
  if (!reached.empty()) return;
  std::string hint = did_you_mean(name, known);
  for (const ListedParameter& p : config.parameters()) {
    if (p.info.name == kSystem + name) hint = "; did you mean '" + p.info.name + "'?";
  }
  throw InputError(s.origin + ": " + s.path.substr(0, dot) + ": " + name + ": no such parameter" +
                   hint);
}

/// Refuses the name of a block, or of a part of the system, without a parameter.
void refuse_block(const ParameterSetting& s, const std::vector<std::string>& blocks) {
  for (const std::string& block : blocks) {
    const bool own = block == s.path;
    if (!own && block.compare(0, s.path.size() + 1, s.path + ".") != 0) continue;
    throw InputError(s.origin + ": " + s.path + ": " +
                     (own ? "a block, not one of its parameters: " + s.path + ".PARAMETER expected"
                          : "a part of the system, not a parameter: " + s.path +
                                ".BLOCK.PARAMETER expected, as " + block + ".impl"));
  }
}

/// The setting of a block's implementation, from all sources of it.
void check_implementation_setting(const ParameterSetting& s,
                                  const std::vector<ParameterSetting>& all) {
  std::vector<ParameterSetting> same;
  for (const ParameterSetting& other : all) {
    if (other.path == s.path) same.push_back(other);
  }
  ParameterReader reader(std::move(same));
  std::string name;
  reader.text(s.path, name, "");
  reader.throw_if_failed();
}

}  // namespace

std::string whole_path(const std::string& path) {
  return present_name(begins_with_gpu(path, 0) ? kSystem + path : path);
}

bool is_instance(const ParameterSetting& s) {
  constexpr std::size_t length = sizeof kSystem - 1;
  if (s.path.compare(0, length, kSystem) != 0) return false;
  if (begins_with_gpu(s.path, length)) return true;
  const std::size_t dot = s.path.rfind('.');
  return dot > length && s.path.compare(dot, std::string::npos, kImplSetting) == 0;
}

void check_instances(ResolvedConfig& config) {
  if (config.overrides.empty()) return;
  const GpuConfig& g = config.gpu;
  const PlatformPlan plan = plan_of(g);
  const PlatformView view(g, plan);
  std::vector<std::string> names;
  std::vector<std::string> all;
  for (const PlannedBlock& b : plan.blocks) {
    all.push_back(plan.path_of(b));
    const bool shared = plan.nodes[b.node].level == NodeLevel::kSystem;
    if (kind_of(b).own_config && !shared) names.push_back(all.back());
  }
  for (ParameterSetting& s : config.overrides) {
    const std::size_t dot = s.path.rfind('.');
    const std::string instance = s.path.substr(0, dot);
    refuse_block(s, all);
    if (s.path.compare(dot, std::string::npos, kImplSetting) == 0 &&
        std::find(all.begin(), all.end(), instance) != all.end()) {
      check_implementation_setting(s, config.overrides);
      const std::string& kind = kind_of(*plan.find(instance)).family;
      const std::string name = implementation_of(g.impl, kind, config.overrides, instance);
      const std::vector<std::string> known = block_implementations(kind);
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw InputError(s.origin + ": " + s.path + ": no implementation of '" + kind +
                         "' is named '" + name + "'" + did_you_mean(name, known));
      }
      continue;
    }
    if (std::find(names.begin(), names.end(), instance) == names.end()) {
      const bool there = std::find(all.begin(), all.end(), instance) != all.end();
      throw InputError(
          s.origin + ": " + s.path +
          (there ? ": the block has no settings of its own but impl" : ": no such block") +
          meant_instead(s, names, config));
    }
    const PlannedBlock& block = *plan.find(instance);
    AnyConfig own = kind_of(block).own_config(view, block);
    check_name(s, own, config);
    ParameterReader reader(settings_of(config.overrides, instance));
    own.visit(reader);
    reader.throw_if_failed();
    std::vector<std::string> faults = own.validate();
    if (faults.empty() && kind_of(block).check_own)
      faults = kind_of(block).check_own(own, view, block);
    if (!faults.empty()) throw InputError(s.origin + ": " + instance + ": " + faults.front());
  }
}

}  // namespace tessera
