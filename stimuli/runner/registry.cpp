// SPDX-License-Identifier: Apache-2.0
// The suite by name, and users' manifests and traces by path.

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "common/error.h"
#include "common/suggest.h"
#include "stimuli/runner/manifest_workload.h"
#include "stimuli/traces/replay_workload.h"
#include "stimuli/traces/trace_workload.h"
#include "stimuli/workload_name.h"

namespace tessera {
namespace kernels {

std::string kernels_directory(const std::string& explicit_dir) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!explicit_dir.empty()) {
    if (fs::is_directory(explicit_dir, ignored)) return explicit_dir;
    throw InputError(explicit_dir + ": no such folder; expected the workload suite's files");
  }
  if (const char* environment = std::getenv("TESSERA_KERNELS_DIR");
      environment != nullptr && *environment != '\0') {
    if (fs::is_directory(environment, ignored)) return environment;
    throw InputError(std::string(environment) +
                     ": no such folder; TESSERA_KERNELS_DIR names the workload suite's files");
  }
  for (const char* candidate : {TESSERA_KERNELS_SOURCE_DIR, TESSERA_KERNELS_INSTALL_DIR}) {
    if (fs::is_directory(candidate, ignored)) return candidate;
  }
  throw InputError("the workload suite's files are neither in " TESSERA_KERNELS_SOURCE_DIR
                   " nor in " TESSERA_KERNELS_INSTALL_DIR
                   "; set TESSERA_KERNELS_DIR to their folder");
}

namespace {

std::string manifest_path(const std::string& directory, const SuiteEntry& entry) {
  return (std::filesystem::path(directory) / entry.folder / "manifest.json").string();
}

std::vector<std::string> names_of(bool micro) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : suite_entries()) {
    if (entry.is_micro == micro) names.push_back(name);
  }
  return names;
}

/// Names of the suite have neither a slash nor a dot.
bool is_path(const std::string& name) { return name.find_first_of("/.") != std::string::npos; }

}  // namespace
}  // namespace kernels

std::vector<std::string> workload_names() { return kernels::names_of(false); }
std::vector<std::string> micro_workload_names() { return kernels::names_of(true); }

std::vector<std::string> all_workload_names() {
  std::vector<std::string> names;
  for (const auto& entry : kernels::suite_entries()) names.push_back(entry.first);
  return names;
}

std::vector<WorkloadInfo> workload_catalogue() {
  const std::string directory = kernels::kernels_directory({});
  std::vector<WorkloadInfo> out;
  for (const auto& entry : kernels::suite_entries()) {
    out.push_back(kernels::load_manifest(kernels::manifest_path(directory, entry.second)).info);
  }
  return out;
}

namespace kernels {
namespace {

/// The path of a workload's manifest and its C++ part.
std::pair<std::string, Part> find_workload(const std::string& name,
                                           const std::string& kernels_dir) {
  if (is_path(name)) return {name, Part{}};
  const auto& entries = suite_entries();
  const auto entry = entries.find(name);
  if (entry == entries.end()) {
    throw InputError("unknown workload '" + name + "'" + did_you_mean(name, all_workload_names()) +
                     " (a suite workload's name, or the path of a manifest, *.json, or of a trace "
                     "folder)");
  }
  return {manifest_path(kernels_directory(kernels_dir), entry->second), entry->second.part};
}

/// Whether the name is that of a trace. Names of the suite are none, even if there are such
/// folders.
bool is_trace(const WorkloadName& name) {
  return suite_entries().count(name.name) == 0 &&
         (traces::is_capture_name(name.name) || traces::is_trace_name(name.name));
}

/// The manifest at `path` with the sizes of `text` ("fwt:n=1024"), which its name keeps.
Manifest load_sized(const std::string& path, const std::vector<std::string>& ptx,
                    const WorkloadName& given, const std::string& text) {
  Manifest manifest = load_manifest(path, ptx, given.sizes);
  manifest.info.name += text.substr(given.name.size());
  return manifest;
}

}  // namespace
}  // namespace kernels

std::unique_ptr<Workload> make_workload(const std::string& name, const std::string& kernels_dir) {
  const WorkloadName given = parse_workload_name(name);
  if (kernels::is_trace(given)) {
    if (!given.sizes.empty()) throw InputError("the trace '" + given.name + "' has no sizes");
    if (traces::is_capture_name(given.name)) {
      return std::make_unique<traces::ReplayWorkload>(given.name);
    }
    return std::make_unique<traces::TraceWorkload>(given.name);
  }
  const auto [path, part] = kernels::find_workload(given.name, kernels_dir);
  return std::make_unique<kernels::ManifestWorkload>(kernels::load_sized(path, {}, given, name),
                                                     part);
}

std::unique_ptr<Workload> make_workload_of_ptx(const std::vector<std::string>& ptx,
                                               const std::string& manifest) {
  const WorkloadName given = parse_workload_name(manifest);
  return std::make_unique<kernels::ManifestWorkload>(
      kernels::load_sized(given.name, ptx, given, manifest), kernels::Part{});
}

std::vector<std::string> workload_files(const std::string& name, const std::string& kernels_dir) {
  const WorkloadName given = parse_workload_name(name);
  if (kernels::is_trace(given)) {
    if (traces::is_capture_name(given.name)) return {given.name};
    return traces::read_kernel_list(given.name).files();
  }
  const std::string path = kernels::find_workload(given.name, kernels_dir).first;
  const kernels::Manifest manifest = kernels::load_manifest(path);
  std::vector<std::string> files = {path};
  files.insert(files.end(), manifest.ptx.begin(), manifest.ptx.end());
  for (const auto* arrays : {&manifest.arrays, &manifest.variables}) {
    for (const kernels::ArraySpec& array : *arrays) {
      const auto* file = std::get_if<kernels::FromFile>(&array.initial);
      if (file != nullptr) files.push_back(file->path);
    }
  }
  for (const auto& [array, expected] : manifest.expected) {
    const auto* file = std::get_if<std::string>(&expected.values);
    if (file != nullptr) files.push_back(*file);
  }
  return files;
}

}  // namespace tessera
