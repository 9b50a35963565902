// SPDX-License-Identifier: Apache-2.0
#include "platforms/vp_session_views.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "common/hex.h"
#include "common/hex_bytes.h"
#include "common/json.h"
#include "common/number.h"
#include "common/suggest.h"
#include "common/text.h"
#include "modules/host/command_registers.h"
#include "platforms/gpu_device.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kMostBytes = 65536;

std::string text_of(const VpSessionViews::Query& query, const std::string& name) {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

/// Whether the text is the pattern, in which '*' stands for any characters.
bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last one, and the text that it stands for
  std::size_t star_end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_end;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string bytes_of(const std::string& digits) {
  if (digits.empty() || digits.size() / 2 > kMostBytes) {
    throw SessionError{400, "data: expected 1 to " + std::to_string(kMostBytes) + " bytes"};
  }
  const auto bytes = bytes_of_hex(digits);
  if (!bytes) throw SessionError{400, "data: expected two hexadecimal digits a byte"};
  return *bytes;
}

bool is_natural(const ordered_json& value) { return value.is_number_integer() && value >= 0; }

/// A natural number, or a text of one.
std::uint64_t whole_number(const std::string& path, const ordered_json& value,
                           const std::string& unit) {
  if (is_natural(value)) return value.get<std::uint64_t>();
  std::string why;
  if (value.is_string()) {
    const auto whole = read_whole(value.get<std::string>(), unit, why);
    if (whole) return *whole;
  }
  throw SessionError{400, path + ": " + value.dump() + " is no whole number of " + unit + why};
}

[[noreturn]] void refuse_unknown(const std::string& what, const std::string& name,
                                 const std::vector<std::string>& known) {
  throw SessionError{404, "unknown " + what + " '" + name + "'" + did_you_mean(name, known)};
}

}  // namespace

/// A parameter of the run.
struct VpSessionViews::Parameter {
  std::string path;
  std::string unit;
  std::string description;
  ordered_json value;
  /// Of a core: what a setting changes. Null: another parameter.
  void (*assign)(RiscvCoreConfig& timing, std::uint64_t value) = nullptr;
  RiscvCore* core = nullptr;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< that `assign` can take
  bool script = false;
  std::string fixed = {};  ///< why it cannot change while the run goes on; empty: it can
};

VpSessionViews::VpSessionViews(const VpSessionSite& site) : site_(site) {
  const Board& b = site.board;
  const std::array<const Block*, 7> blocks = {&b.bus,   &b.rom,  &b.ram, &b.finisher,
                                              &b.clint, &b.plic, &b.uart};
  for (const auto& core : b.cores) core->register_statistics(board_statistics_);
  for (const Block* block : blocks) block->register_statistics(board_statistics_);
}

bool VpSessionViews::matches(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return true;
  if (pattern.find('*') != std::string_view::npos) return glob(pattern, path);
  return begins_with(path, pattern) &&
         (path.size() == pattern.size() || path[pattern.size()] == '.');
}

std::uint64_t VpSessionViews::number_of(const Query& query, const std::string& name,
                                        const std::string& unit, std::uint64_t least,
                                        std::uint64_t most) {
  const std::string text = text_of(query, name);
  std::string why;
  const auto whole = read_whole(text, unit, why);
  if (!whole || *whole < least || *whole > most) {
    throw SessionError{400, name + ": expected a number from " + std::to_string(least) + " to " +
                                std::to_string(most) + " " + plural(unit) + ", not '" + text + "'" +
                                why};
  }
  return *whole;
}

std::uint64_t VpSessionViews::address_of(const std::string& text) {
  const auto address = read_address(text);
  if (!address) {
    throw SessionError{400, "address: '" + text + "' is no address; expected 0x80000000"};
  }
  return *address;
}

ordered_json VpSessionViews::cores() const {
  // Cores are reset when simulated time begins.
  const bool begun = sc_core::sc_get_status() >= sc_core::SC_RUNNING;
  ordered_json all = ordered_json::array();
  for (const auto& core : site_.board.cores) {
    const std::uint64_t pc = begun ? core->iss().pc() : BoardPlan::kRomAddress;
    all.push_back({{"name", core->name()},
                   {"pc", hex(pc)},
                   {"symbol", symbol_in(site_.programs, pc)},
                   {"idle", core->idle()},
                   {"instructions", core->stats().instructions}});
  }
  return all;
}

ordered_json VpSessionViews::queues() const {
  ordered_json all = ordered_json::array();
  if (site_.gpus == nullptr) return all;
  const std::uint32_t count = site_.gpus->host().command_processor.config().queues;
  const auto read = [this](std::uint32_t queue, CommandRegister r) {
    std::uint64_t value = 0;
    debug(tlm::TLM_READ_COMMAND,
          FirmwareWorkload::kCommandAddress + kCommandQueueStride * queue +
              static_cast<std::uint64_t>(r),
          reinterpret_cast<unsigned char*>(&value), sizeof value);
    return value;
  };
  for (std::uint32_t q = 0; q < count; ++q) {
    const std::uint64_t status = read(q, CommandRegister::kStatus);
    if ((status & command_status::kQueueSet) == 0) continue;
    all.push_back({{"queue", q},
                   {"packets", read(q, CommandRegister::kQueueSize)},
                   {"head", read(q, CommandRegister::kHead)},
                   {"tail", read(q, CommandRegister::kTail)},
                   {"busy", (status & command_status::kBusy) != 0},
                   {"error", read(q, CommandRegister::kError)},
                   {"completed", read(q, CommandRegister::kCompleted)}});
  }
  return all;
}

ordered_json VpSessionViews::devices() const {
  const BoardPlan& plan = site_.board.plan();
  const auto& ranges = site_.board.bus.config().ranges;
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const BoardRange& r = ranges[i];
    std::uint32_t interrupt = 0;
    if (r.address == BoardPlan::kUartAddress) interrupt = BoardPlan::kUartInterrupt;
    if (i >= Board::kFirstDevice) interrupt = plan.devices[i - Board::kFirstDevice].interrupt;
    all.push_back({{"name", r.name},
                   {"address", hex(r.address)},
                   {"bytes", r.bytes},
                   {"interrupt", interrupt == 0 ? ordered_json() : ordered_json(interrupt)}});
  }
  return {{"devices", std::move(all)}};
}

ordered_json VpSessionViews::symbols(const Query& query) const {
  ordered_json found = ordered_json::array();
  if (query.count("address") != 0) {
    const std::uint64_t address = address_of(text_of(query, "address"));
    found.push_back({{"name", symbol_in(site_.programs, address)}, {"address", hex(address)}});
    return {{"symbols", std::move(found)}};
  }
  const std::string name = text_of(query, "name");
  if (name.empty()) throw SessionError{400, "/symbols needs name=NAME or address=ADDRESS"};
  std::vector<std::string> known;
  for (const Program& p : site_.programs) {
    for (const auto& [address, symbol] : p.symbols) {
      known.push_back(symbol);
      if (glob(name, symbol)) found.push_back({{"name", symbol}, {"address", hex(address)}});
    }
  }
  if (found.empty() && name.find('*') == std::string::npos) refuse_unknown("symbol", name, known);
  return {{"symbols", std::move(found)}};
}

ordered_json VpSessionViews::statistics(const Query& query) const {
  const std::string pattern = text_of(query, "path");
  ordered_json all = ordered_json::array();
  std::set<std::string> paths;
  const StatisticsRegistry* const of_gpus =
      site_.gpus == nullptr ? nullptr : site_.gpus->statistics;
  for (const StatisticsRegistry* registry : {of_gpus, &board_statistics_}) {
    if (registry == nullptr) continue;
    const ordered_json values = registry->to_json();
    for (const StatisticInfo& info : registry->all()) {
      const std::string path = info.module + "." + info.name;
      if (!paths.insert(path).second || !matches(pattern, path)) continue;
      all.push_back({{"path", path},
                     {"value", values.at(info.module).at(info.name)},
                     {"unit", info.unit},
                     {"kind", info.kind},
                     {"description", info.description}});
    }
  }
  if (all.empty() && pattern.find('*') == std::string::npos) {
    refuse_unknown("statistic", pattern, {paths.begin(), paths.end()});
  }
  return {{"statistics", std::move(all)}};
}

std::vector<VpSessionViews::Parameter> VpSessionViews::all_parameters() const {
  constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
  const std::string at_elaboration = "it is fixed at elaboration";
  std::vector<Parameter> all;
  for (const auto& core : site_.board.cores) {
    const std::string name = core->name();
    const RiscvCoreConfig& t = core->timing();
    all.push_back({name + ".clock_hz", "Hz", "the core's clock", t.clock_hz,
                   [](RiscvCoreConfig& c, std::uint64_t v) { c.clock_hz = v; }, core.get()});
    all.push_back({name + ".cycles_per_instruction", "cycle", "of each instruction",
                   t.cycles_per_instruction,
                   [](RiscvCoreConfig& c, std::uint64_t v) {
                     c.cycles_per_instruction = static_cast<std::uint32_t>(v);
                   },
                   core.get(), kMost32});
    all.push_back(
        {name + ".quantum", "instruction",
         "instructions that the core executes ahead of simulated time", t.quantum,
         [](RiscvCoreConfig& c, std::uint64_t v) { c.quantum = static_cast<std::uint32_t>(v); },
         core.get(), kMost32});
  }
  Parameter script{"board.uart.script", "", "the UART's script has steps left",
                   site_.script_runs()};
  script.script = true;
  all.push_back(std::move(script));
  const BoardPlan& plan = site_.board.plan();
  const auto fixed = [&](const char* path, const char* unit, const char* description,
                         std::uint64_t value, const std::string& why) {
    Parameter p{path, unit, description, value};
    p.fixed = why;
    all.push_back(std::move(p));
  };
  fixed("board.harts", "core", "cores (--harts)", plan.harts,
        at_elaboration + ", where cores and their wires are made");
  fixed("board.ram_bytes", "byte", "memory at 0x80000000 (--ram)", plan.ram_bytes,
        at_elaboration + ", where the memory map is made");
  fixed("board.clint.timebase_hz", "Hz", "of mtime", plan.timebase_hz,
        at_elaboration + ": the device tree in the ROM says it to software");
  fixed("board.plic.sources", "interrupt", "of the PLIC", plan.sources,
        at_elaboration + ", where wires are made");
  for (const ListedParameter& listed : site_.options.platform_parameters) {
    Parameter p{listed.info.name, listed.info.unit, listed.info.description, *listed.value};
    p.fixed = at_elaboration + ", where the GPUs' blocks are made; give it with --set";
    all.push_back(std::move(p));
  }
  return all;
}

ordered_json VpSessionViews::parameters(const Query& query) const {
  const std::string pattern = text_of(query, "path");
  ordered_json found = ordered_json::array();
  std::vector<std::string> known;
  for (const Parameter& p : all_parameters()) {
    known.push_back(p.path);
    if (!matches(pattern, p.path)) continue;
    ordered_json one = {{"path", p.path},
                        {"value", p.value},
                        {"unit", p.unit},
                        {"description", p.description},
                        {"settable", p.fixed.empty()}};
    if (!p.fixed.empty()) one["fixed"] = p.fixed;
    found.push_back(std::move(one));
  }
  if (found.empty() && pattern.find('*') == std::string::npos) {
    refuse_unknown("parameter", pattern, known);
  }
  return {{"parameters", std::move(found)}};
}

ordered_json VpSessionViews::set_parameters(const ordered_json& body) const {
  if (!body.is_object() || body.empty()) {
    throw SessionError{400, "expected an object of parameters: {\"board.core0.quantum\": 100}"};
  }
  const std::vector<Parameter> all = all_parameters();
  std::vector<std::string> known;
  for (const Parameter& p : all) known.push_back(p.path);
  std::map<RiscvCore*, RiscvCoreConfig> timings;
  bool end_script = false;
  for (const auto& [path, value] : body.items()) {
    const std::string name = path;
    const auto p =
        std::find_if(all.begin(), all.end(), [&](const Parameter& q) { return q.path == name; });
    if (p == all.end()) refuse_unknown("parameter", name, known);
    if (!p->fixed.empty()) {
      throw SessionError{409, name + " cannot change while the run goes on: " + p->fixed};
    }
    if (p->script) {
      if (value != false) {
        throw SessionError{409, name + " can only be set to false: a script begins with the run"};
      }
      end_script = true;
      continue;
    }
    RiscvCoreConfig& timing = timings.try_emplace(p->core, p->core->timing()).first->second;
    const std::uint64_t number = whole_number(name, value, p->unit);
    if (number > p->most) throw SessionError{400, name + ": " + value.dump() + " is too large"};
    p->assign(timing, number);
    const std::vector<std::string> errors = timing.validate();
    if (!errors.empty()) {
      throw SessionError{400, std::string(p->core->name()) + "." + errors.front()};
    }
  }
  for (const auto& [core, timing] : timings) core->set_timing(timing);
  if (end_script) site_.end_script();
  ordered_json now_is = ordered_json::object();
  for (const Parameter& p : all_parameters()) {
    if (body.contains(p.path)) now_is[p.path] = p.value;
  }
  return now_is;
}

std::uint64_t VpSessionViews::debug(tlm::tlm_command command, std::uint64_t address,
                                    unsigned char* data, std::uint64_t bytes) const {
  BoardBus& bus = site_.board.bus;
  const auto& ranges = bus.config().ranges;
  std::uint64_t done = 0;
  while (done < bytes) {
    const std::uint64_t at = address + done;
    const BoardRange* const range = bus.find(at);
    if (range == nullptr) break;
    const std::uint64_t part = std::min(bytes - done, range->bytes - (at - range->address));
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at - range->base());
    payload.set_data_ptr(data + done);
    payload.set_data_length(static_cast<unsigned>(part));
    payload.set_streaming_width(static_cast<unsigned>(part));
    const auto output = static_cast<std::size_t>(range - ranges.data());
    const std::uint64_t moved = (*bus.out[output])->transport_dbg(payload);
    done += moved;
    if (moved < part) break;
  }
  return done;
}

ordered_json VpSessionViews::memory(const Query& query) const {
  const std::uint64_t address = address_of(text_of(query, "address"));
  std::vector<unsigned char> bytes(number_of(query, "bytes", "byte", 1, kMostBytes));
  const std::uint64_t done = debug(tlm::TLM_READ_COMMAND, address, bytes.data(), bytes.size());
  if (done < bytes.size()) {
    throw SessionError{404, "no memory answers at " + hex(address + done) +
                                " (GET /devices has the map; registers that a read can change "
                                "are not read)"};
  }
  return {{"address", hex(address)},
          {"bytes", bytes.size()},
          {"data", hex_bytes(bytes.data(), bytes.size())}};
}

ordered_json VpSessionViews::write_memory(const ordered_json& body) const {
  if (!body.is_object() || !body.contains("address") || !body.contains("data") ||
      !body["data"].is_string()) {
    throw SessionError{400, R"(expected {"address": "0x80000000", "data": "00ff"})"};
  }
  const ordered_json& at = body["address"];
  const std::uint64_t address = is_natural(at)   ? at.get<std::uint64_t>()
                                : at.is_string() ? address_of(at.get<std::string>())
                                                 : address_of(at.dump());
  std::string bytes = bytes_of(body["data"].get<std::string>());
  // Either all bytes are written or none.
  std::vector<unsigned char> before(bytes.size());
  const std::uint64_t there = debug(tlm::TLM_READ_COMMAND, address, before.data(), before.size());
  if (there < bytes.size()) {
    throw SessionError{404, "no memory answers at " + hex(address + there)};
  }
  const std::uint64_t done = debug(tlm::TLM_WRITE_COMMAND, address,
                                   reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
  if (done < bytes.size()) {
    throw SessionError{409, "the target at " + hex(address + done) + " refuses debug writes"};
  }
  return {{"address", hex(address)}, {"bytes", bytes.size()}};
}

}  // namespace tessera
