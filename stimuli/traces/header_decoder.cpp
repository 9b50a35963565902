// SPDX-License-Identifier: Apache-2.0
// The header of a kernel file, and its lines "NAME = VALUE".

#include <algorithm>

#include "common/suggest.h"
#include "stimuli/traces/record_decoder.h"
#include "stimuli/traces/tokens.h"

namespace tessera::traces {
namespace {

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostCtas = 0xffffffff;

/// Values that no simulation depends on are read where they can be.
template <class T>
void read_if_number(std::string_view value, int base, T& out) {
  T number = 0;
  if (read_number(value, base, number)) out = number;
}

template <class T>
T required_number(std::string_view name, std::string_view value, int base) {
  T number = 0;
  if (!read_number(value, base, number)) {
    fail_expected(std::string(base == 16 ? "a hexadecimal number" : "a number") + " after '" +
                      std::string(name) + " ='",
                  value);
  }
  return number;
}

}  // namespace

Dim3 parse_dim3(std::string_view text, std::string_view what, std::uint32_t least) {
  const std::string expected =
      std::string(what) + " as 'x,y,z'" +
      (least == 0 ? "" : " of at least " + std::to_string(least) + " each");
  std::string_view left = trimmed(text);
  if (left.size() >= 2 && left.front() == '(' && left.back() == ')') {
    left = left.substr(1, left.size() - 2);
  }
  Dim3 out;
  std::uint32_t* const parts[] = {&out.x, &out.y, &out.z};
  for (unsigned i = 0; i < 3; ++i) {
    const std::size_t comma = left.find(',');
    if ((comma == std::string_view::npos) != (i == 2)) fail_expected(expected, text);
    if (!read_number(trimmed(left.substr(0, comma)), 10, *parts[i]) || *parts[i] < least) {
      fail_expected(expected, text);
    }
    if (i != 2) left.remove_prefix(comma + 1);
  }
  return out;
}

void check_shape(const Dim3& grid, const Dim3& block) {
  if (block.x > kMostThreads || block.y > kMostThreads || block.z > kMostThreads ||
      block.count() == 0 || block.count() > kMostThreads) {
    throw FormatError("expected a block of 1 to 1024 threads, found " + text_of(block));
  }
  // The product of three numbers of 32 bits can be beyond 2^64.
  const std::uint64_t plane = std::uint64_t{grid.y} * grid.z;
  if (grid.x == 0 || plane == 0 || plane > kMostCtas || grid.x > kMostCtas / plane) {
    throw FormatError("expected a grid of 1 to 2^32 - 1 CTAs, found " + text_of(grid));
  }
}

bool split_setting(std::string_view line, std::string_view& name, std::string_view& value) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  name = trimmed(line.substr(0, equals));
  value = trimmed(line.substr(equals + 1));
  return true;
}

std::uint64_t parse_setting(std::string_view line, std::string_view name) {
  std::string_view found;
  std::string_view value;
  std::uint64_t number = 0;
  if (!split_setting(line, found, value) || found != name || !read_number(value, 10, number)) {
    const bool misspelt =
        !found.empty() && found != name && !did_you_mean(found, {std::string(name)}).empty();
    throw FormatError("expected '" + std::string(name) + " = NUMBER', found " + quoted(line) +
                      (misspelt ? "; did you mean '" + std::string(name) + "'?" : ""));
  }
  return number;
}

void HeaderDecoder::line(std::string_view text) {
  std::string_view left = trimmed(text);
  if (left.empty()) return;
  std::string_view name;
  std::string_view value;
  if (left.front() != '-' || !split_setting(left.substr(1), name, value)) {
    fail_expected("a line '-NAME = VALUE' of the header, or one that begins with '#'", left);
  }
  keys_.emplace_back(name);
  if (name == "kernel name") {
    kernel_.name = std::string(value);
  } else if (name == "kernel id") {
    read_if_number(value, 10, kernel_.id);
  } else if (name == "grid dim") {
    kernel_.grid = parse_dim3(value, "the grid's dimensions", 1);
  } else if (name == "block dim") {
    kernel_.block = parse_dim3(value, "the block's dimensions", 1);
  } else if (name == "shmem") {
    kernel_.shared_bytes = required_number<std::uint32_t>(name, value, 10);
  } else if (name == "nregs") {
    kernel_.registers = required_number<std::uint32_t>(name, value, 10);
  } else if (name == "binary version") {
    read_if_number(value, 10, kernel_.binary_version);
  } else if (name == "cuda stream id") {
    read_if_number(value, 10, kernel_.stream);
  } else if (name == "shmem base_addr") {
    kernel_.shared_base = required_number<Address>(name, value, 16);
  } else if (name == "local mem base_addr") {
    kernel_.local_base = required_number<Address>(name, value, 16);
  } else if (name == "accelsim tracer version") {
    // "1.2" has the form of 1.
    kernel_.version = required_number<unsigned>(name, value.substr(0, value.find('.')), 10);
    if (kernel_.version < kOldestVersion || kernel_.version > kNewestVersion) {
      throw FormatError("expected a tracer version from 1 to 6, found " + quoted(value));
    }
  } else if (name == "enable lineinfo") {
    kernel_.has_lines = value == "1";
  }
}

TraceKernel HeaderDecoder::finish(const std::string& file) const {
  for (const char* key : {"kernel name", "grid dim", "block dim", "accelsim tracer version"}) {
    if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) continue;
    const bool optional = std::string_view(key) == "accelsim tracer version";
    // A key that is like the missing one is a misspelt one.
    std::string similar;
    for (const std::string& k : keys_) {
      if (!did_you_mean(k, {key}).empty()) {
        similar = "; '" + k + "': did you mean '" + key + "'?";
      }
    }
    if (optional && similar.empty()) continue;
    throw FormatError("expected '-" + std::string(key) + " = ...' in the header" + similar);
  }
  check_shape(kernel_.grid, kernel_.block);
  TraceKernel out = kernel_;
  // The first tracers wrote no version.
  if (out.version == 0) out.version = kOldestVersion;
  out.file = file;
  return out;
}

}  // namespace tessera::traces
