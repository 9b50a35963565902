// SPDX-License-Identifier: Apache-2.0
#include "policies/address_map.h"

#include "common/legal_values.h"
#include "policies/linear_map.h"

namespace tessera {

std::vector<std::string> MemoryGeometry::errors() const {
  std::vector<std::string> out;
  // Parameters have narrower ranges.
  const auto range = [&](const char* name, std::uint64_t value, std::uint64_t min,
                         std::uint64_t max, const char* kind) {
    if (value >= min && value <= max) return true;
    out.push_back(std::string(name) + " is " + std::to_string(value) + "; expected " + kind +
                  " from " + std::to_string(min) + " to " + std::to_string(max));
    return false;
  };
  const auto power = [&](const char* name, std::uint64_t value, std::uint64_t min,
                         std::uint64_t max) {
    if (!range(name, value, min, max, "a power of two") || is_power_of_two(value)) return;
    out.push_back(std::string(name) + " is " + std::to_string(value) +
                  "; expected a power of two: " + near_powers_of_two(value, min, max));
  };
  range("gpus", gpus, 1, 1024, "a number");
  range("channels", channels, 1, 32768, "a number");
  power("slices_per_channel", slices_per_channel, 1, 65536);
  power("banks_per_channel", banks_per_channel, 1, 65536);
  power("line_bytes", line_bytes, 1, 128);
  power("row_bytes", row_bytes, 1, 1U << 20);
  power("page_bytes", page_bytes, 1, std::uint64_t{1} << 40);
  power("channel_bytes", channel_bytes, 1, std::uint64_t{1} << 44);
  if (!out.empty()) return out;
  const auto at_least = [&](const char* name, std::uint64_t value, const char* of,
                            std::uint64_t least) {
    if (value < least) {
      out.push_back(std::string(name) + " is " + std::to_string(value) + "; expected at least " +
                    of + " (" + std::to_string(least) + ")");
    }
  };
  if (channels % gpus != 0) {
    out.push_back("channels is " + std::to_string(channels) + "; expected a multiple of gpus (" +
                  std::to_string(gpus) + "): " + near_multiples(channels, gpus));
  }
  at_least("banks_per_channel", banks_per_channel, "slices_per_channel", slices_per_channel);
  at_least("row_bytes", row_bytes, "line_bytes", line_bytes);
  at_least("page_bytes", page_bytes, "line_bytes", line_bytes);
  at_least("channel_bytes", channel_bytes, "page_bytes", page_bytes);
  at_least("channel_bytes", channel_bytes, "banks_per_channel * row_bytes",
           std::uint64_t{banks_per_channel} * row_bytes);
  if (channel_bytes / banks_per_channel / row_bytes > (std::uint64_t{1} << 32)) {
    out.push_back("a bank has more than 2^32 rows");
  }
  return out;
}

std::unique_ptr<AddressMap> make_address_map(const std::string& name, const PolicyContext& context,
                                             const PolicySettings<AddressMap>& settings) {
  PolicyRegistry<AddressMap>::instance().get(name);
  std::string message;
  for (const std::string& e : context.memory.errors()) message += "\n  " + e;
  if (!message.empty())
    throw InputError("memory geometry for address map '" + name + "':" + message);
  return settings.make(name, context);
}

std::unique_ptr<AddressMap> make_address_map(const std::string& name,
                                             const MemoryGeometry& geometry,
                                             const PolicySettings<AddressMap>& settings) {
  PolicyContext context;
  context.tree.gpus = geometry.gpus;
  context.tree.channels = geometry.channels;
  context.memory = geometry;
  return make_address_map(name, context, settings);
}

}  // namespace tessera
