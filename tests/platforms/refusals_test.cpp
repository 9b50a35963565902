// SPDX-License-Identifier: Apache-2.0
// Refused numbers: the message names a value that is taken.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "common/error.h"
#include "common/json.h"
#include "common/text.h"
#include "platforms/simulation.h"

namespace tessera::refusals_test {

namespace {

/// Why the platform refuses the settings; empty if it takes them.
std::string refusal(const std::string& platform, const std::vector<std::string>& sets) {
  try {
    resolve_config(platform, sets);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

std::set<std::string> matches(const std::string& text, const std::regex& form) {
  std::set<std::string> all;
  for (std::sregex_iterator i(text.begin(), text.end(), form), end; i != end; ++i) {
    all.insert(i->str());
  }
  return all;
}

/// The rules that refuse the settings: the message's lines without their numbers.
std::set<std::string> rules(const std::string& platform, const std::vector<std::string>& sets) {
  static const std::regex number("[0-9]+(\\.[0-9]+)?(e\\+[0-9]+)?");
  std::set<std::string> all;
  std::istringstream message(refusal(platform, sets));
  for (std::string line; std::getline(message, line);) {
    line = std::regex_replace(line.substr(0, line.find("; it is")), number, "N");
    all.insert(line.substr(0, line.find("): N")));
  }
  return all;
}

/// Whether a number of the message, either for the refused parameter or for one that the message
/// names, satisfies all rules that the value breaks. (Other rules can refuse it, but not the range
/// of the number's parameter.)
bool names_remedy(const std::string& platform, const std::string& refused, const std::string& value,
                  const std::string& message, const std::set<std::string>& parameters) {
  static const std::regex number("[0-9]+(\\.[0-9]+)?(e\\+[0-9]+)?");
  static const std::regex path("[a-z][a-z0-9_-]*(\\.[a-z0-9_-]+)+");
  std::set<std::string> named = {refused};
  for (const std::string& p : matches(message, path)) {
    if (parameters.count(p) != 0) named.insert(p);
  }
  const std::set<std::string> broken = rules(platform, {refused + "=" + value});
  for (const std::string& p : named) {
    const std::string range = "--set: " + p + ": ";
    const auto is_broken = [&](const std::string& rule) {
      return broken.count(rule) != 0 || begins_with(rule, range);
    };
    for (const std::string& n : matches(message, number)) {
      std::vector<std::string> sets = {p + "=" + n};
      if (p != refused) sets.push_back(refused + "=" + value);
      const std::set<std::string> left = rules(platform, sets);
      if (std::none_of(left.begin(), left.end(), is_broken)) return true;
    }
  }
  return false;
}

/// Numbers around the parameter's own value and at the ends of its range.
std::set<std::string> numbers_for(const ListedParameter& p) {
  std::set<std::string> out;
  if (p.kind == "real") {
    return {nlohmann::json(p.info.min).dump(), nlohmann::json(p.info.max).dump(), "-1"};
  }
  const auto own = p.value->get<std::uint64_t>();
  const auto least = static_cast<std::uint64_t>(p.info.min);
  const std::uint64_t most =
      p.info.max < 1e18 ? static_cast<std::uint64_t>(p.info.max) : 1ULL << 60;
  for (const std::uint64_t n :
       {least, most, most + 1, own + 1, own * 3, own * 64, own / 2, own / 3}) {
    out.insert(std::to_string(n));
  }
  return out;
}

}  // namespace

TEST_CASE("the message about a refused number names one that is taken") {
  std::size_t refused = 0;
  for (const char* platform : {"uba-mem-small", "mcm-nuba-small", "dca-mcm-small", "umh-2-small",
                               "mesh-28-8-small", "griffin-small"}) {
    const std::vector<ListedParameter> all = resolve_config(platform, {}).parameters();
    std::set<std::string> parameters;
    for (const ListedParameter& p : all) parameters.insert(p.info.name);
    for (const ListedParameter& p : all) {
      if (p.kind != "integer" && p.kind != "real") continue;
      for (const std::string& value : numbers_for(p)) {
        const std::string message = refusal(platform, {p.info.name + "=" + value});
        if (message.empty()) continue;
        ++refused;
        INFO(platform << " " << p.info.name << "=" << value << ": " << message);
        CHECK(names_remedy(platform, p.info.name, value, message, parameters));
      }
    }
  }
  // Neither vacuous nor only of ranges.
  CHECK(refused > 2000);
}

TEST_CASE("parts that do not divide are reported with those that do") {
  CHECK(refusal("dca", {"system.rdma_ports=32"}) ==
        "dca: system.rdma_ports (32) must divide the slices of a GPU (16): a port serves whole "
        "slices, so that 16 would do");
  CHECK(refusal("dca", {"system.gpus=3"}) ==
        "dca: system.channels (64) must be a multiple of system.gpus (3): 63 or 66, or "
        "system.gpus of 2 or 4\n"
        "dca: system.sms (256) must be a multiple of system.gpus (3): 255 or 258, or system.gpus "
        "of 2 or 4");
  CHECK(refusal("uba-sm-small", {"system.sms=7"}) ==
        "uba-sm-small: system.sms (7) must be a multiple of the two sides (2): 6 or 8");
  CHECK(refusal("uba-mem-small", {"l2_tlb.ways=3", "l2_tlb.entries=64"}) ==
        "uba-mem-small: l2_tlb.entries (64) must be a multiple of l2_tlb.ways (3): 63 or 66, or "
        "l2_tlb.ways of 2 or 4");
  CHECK(refusal("uba-mem-small", {"dram.banks=12"}) ==
        "uba-mem-small: memory geometry for address map 'fixed-channel':\n"
        "  banks_per_channel is 12; expected a power of two: 8 or 16\n"
        "uba-mem-small: dram.banks (12) must be a power of two from 1 to 64: 8 or 16");
  CHECK(refusal("uba-mem-small", {"llc.atomic_block_bytes=24"}) ==
        "uba-mem-small: llc.atomic_block_bytes (24) must be a power of two from 8 to 128: 16 or "
        "32");
}

TEST_CASE("a fault that several blocks find is reported once") {
  const std::string message = refusal("uba-mem-small", {"system.line_bytes=96"});
  const std::string line = "system.line_bytes (96) must be a power of two from 1 to 128: 64 or 128";
  const std::size_t first = message.find(line);
  REQUIRE(first != std::string::npos);
  CHECK(message.find(line, first + 1) == std::string::npos);
}

}  // namespace tessera::refusals_test
