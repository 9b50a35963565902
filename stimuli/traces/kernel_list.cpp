// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/kernel_list.h"

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "common/suggest.h"
#include "common/text.h"
#include "stimuli/traces/line_reader.h"
#include "stimuli/traces/tokens.h"

namespace tessera::traces {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListName = "kernelslist.g";

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

bool is_kernel_name(const std::string& name) {
  std::string stem = name;
  for (const char* packed : {".xz", ".gz", ".zst"}) {
    if (ends_with(stem, packed)) stem.resize(stem.size() - std::string(packed).size());
  }
  return ends_with(stem, ".traceg") || ends_with(stem, ".tracez");
}

/// The folder's list: kernelslist.g, or the only file kernelslist*.g.
std::string list_in(const std::string& folder) {
  std::error_code ignored;
  const fs::path usual = fs::path(folder) / kListName;
  if (fs::exists(usual, ignored)) return usual.string();
  std::vector<std::string> lists;
  const std::vector<std::string> names = names_in(folder);
  for (const std::string& name : names) {
    if (begins_with(name, "kernelslist") && ends_with(name, ".g")) lists.push_back(name);
  }
  if (lists.size() == 1) return (fs::path(folder) / lists.front()).string();
  std::sort(lists.begin(), lists.end());
  throw InputError(folder + ": expected a trace folder with a file 'kernelslist.g', found " +
                   (lists.empty() ? "none" + did_you_mean(kListName, names)
                                  : "several lists: " + joined(lists) + "; name one of them"));
}

ListedCommand read_copy(std::string_view line) {
  ListedCommand copy;
  const std::size_t first = line.find(',');
  const std::size_t second = line.find(',', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos ||
      !read_number(trimmed(line.substr(first + 1, second - first - 1)), 16, copy.destination) ||
      !read_number(trimmed(line.substr(second + 1)), 10, copy.bytes)) {
    fail_expected("'MemcpyHtoD,0xDESTINATION,BYTES'", line);
  }
  if (copy.destination + copy.bytes < copy.destination) {
    fail_expected("a copy below the end of the address space", line);
  }
  return copy;
}

ListedCommand read_kernel(std::string_view line, const fs::path& folder) {
  ListedCommand launch;
  const fs::path path = folder / std::string(line);
  launch.kernel = path.string();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw FormatError("expected a kernel's file, found " + quoted(line) + ", which does not exist" +
                      did_you_mean(path.filename().string(), names_in(path.parent_path())));
  }
  return launch;
}

}  // namespace

std::vector<std::string> KernelList::kernels() const {
  std::vector<std::string> out;
  for (const ListedCommand& c : commands) {
    if (c.kernel.empty() || std::find(out.begin(), out.end(), c.kernel) != out.end()) continue;
    out.push_back(c.kernel);
  }
  return out;
}

std::vector<std::string> KernelList::files() const {
  std::vector<std::string> out = kernels();
  if (out.size() != 1 || out.front() != path) out.insert(out.begin(), path);
  return out;
}

bool is_trace_name(const std::string& name) {
  std::error_code ignored;
  // A folder of a manifest's name is no trace.
  if (!ends_with(name, ".json") && fs::is_directory(name, ignored)) return true;
  return ends_with(name, ".g") || is_kernel_name(name);
}

KernelList read_kernel_list(const std::string& name) {
  std::error_code ignored;
  KernelList list;
  list.path = fs::is_directory(name, ignored) ? list_in(name) : name;
  if (is_kernel_name(list.path)) {
    list.commands.push_back({list.path, 0, 0});
    return list;
  }
  LineReader lines(list.path);
  const fs::path folder = fs::path(list.path).parent_path();
  bool any = false;
  std::string_view line;
  while (lines.next(line)) {
    line = trimmed(line);
    try {
      if (begins_with(line, "MemcpyHtoD")) list.commands.push_back(read_copy(line));
      if (begins_with(line, "kernel")) {
        list.commands.push_back(read_kernel(line, folder));
        any = true;
      }
    } catch (const FormatError& e) {
      throw InputError(lines.place() + ": " + e.what());
    }
  }
  if (!any) {
    throw InputError(list.path + ":" + std::to_string(lines.number()) +
                     ": expected at least one line with a kernel's file ('kernel-1.traceg'), found "
                     "the end of the file");
  }
  return list;
}

}  // namespace tessera::traces
