// SPDX-License-Identifier: Apache-2.0
#include "rtl/common/rtl_block.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/error.h"
#include "modules/plan/block_handle.h"
#include "modules/protocol/transaction_pool.h"
#include "policies/address_map.h"
#include "rtl/common/untimed_axi4.h"

namespace tessera {

namespace {

using Port = Design::Port;

PayloadRules line_rules(const AddressMap& map, bool atomics) {
  PayloadRules r =
      PayloadRules::whole_lines(map.geometry().line_bytes, map.geometry().total_bytes());
  r.reads = PayloadRules::kinds(RequestKind::kLoad, RequestKind::kFill);
  r.writes = PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore,
                                 RequestKind::kWriteBack);
  if (atomics) r.writes |= PayloadRules::kinds(RequestKind::kAtomic);
  r.performs_atomics = atomics;
  return r;
}

}  // namespace

// Construction.

RtlBlock::RtlBlock(const sc_core::sc_module_name& name, const BlockSite& site,
                   const RtlBlockConfig& config, std::string implementation,
                   std::unique_ptr<Design> design, BusAddress bus_address)
    : BlockBase(name, config),
      path_(site.path),
      implementation_(std::move(implementation)),
      map_(*site.map),
      pool_(*site.pool),
      bus_address_(std::move(bus_address)),
      design_(std::move(design)),
      clock_(config_.clock_hz, *design_),
      tokens_(1U << std::min(design_->line_id_bits, kMostIdBits)),
      atomics_(map_.geometry().line_bytes),
      check_(line_rules(map_, config.atomics)) {
  check_fit(site);
  make_above(site.inputs);
  make_below();
  clock_.add(*this);
  clock_.power_on();
}

RtlBlock::~RtlBlock() = default;

void RtlBlock::check_fit(const BlockSite& site) const {
  const MemoryGeometry& memory = map_.geometry();
  std::vector<std::string> why;
  const auto require_address = [&why](const char* side, std::uint64_t bytes,
                                      const Axi4Shape& shape) {
    if (bytes - 1 <= shape.max_address()) return;
    why.push_back(std::string("addresses go up to ") + std::to_string(bytes - 1) +
                  ", and the design has " + std::to_string(shape.addr_bits) + " address bits " +
                  side);
  };
  const auto require_width = [&](const char* side, const Axi4Shape& shape) {
    if (shape.data_bytes <= memory.line_bytes) return;
    why.push_back(std::string("the design's bus ") + side + " has " +
                  std::to_string(shape.data_bytes) + " bytes, and a line has " +
                  std::to_string(memory.line_bytes));
  };
  if (design_->above == Port::kAxi4) {
    const bool is_memory = design_->below == Port::kNone;
    require_address("above", is_memory ? memory.channel_bytes : memory.total_bytes(),
                    design_->above_shape);
    require_width("above", design_->above_shape);
  } else if (site.inputs != 1) {
    why.push_back("the design has one input, and the platform has " + std::to_string(site.inputs) +
                  " here");
  }
  if (design_->below == Port::kAxi4) {
    require_address("below", memory.total_bytes(), design_->below_shape);
    require_width("below", design_->below_shape);
  }
  if ((design_->above == Port::kLines || design_->below == Port::kLines) &&
      design_->line_bytes != memory.line_bytes) {
    why.push_back("the design's lines have " + std::to_string(design_->line_bytes) +
                  " bytes, and the memory's have " + std::to_string(memory.line_bytes));
  }
  if (why.empty()) return;
  std::string text = path_ + ".impl = " + implementation_ + ": ";
  for (const std::string& w : why) text += (&w == &why.front() ? "" : "; ") + w;
  throw InputError(text);
}

void RtlBlock::make_above(unsigned inputs) {
  if (design_->above == Port::kLines) {
    target_ =
        std::make_unique<LineTarget>("above", clock_, 0, config_.entries, design_->requests_above,
                                     design_->responses_above, tokens_, atomics_, *this);
    above_lines_check_ = checker("above", design_->requests_above, design_->responses_above);
    return;
  }
  const Axi4Shape& shape = design_->above_shape;
  Axi4ManagerConfig c;
  c.shape = shape;
  c.entries = config_.entries;
  c.ids = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(config_.ids, std::uint64_t{shape.max_id()} + 1));
  c.reads = config_.reads;
  c.writes = config_.writes;
  c.line_bytes = map_.geometry().line_bytes;
  manager_ = std::make_unique<Axi4Manager>("above", clock_, design_->axi4_above, c, inputs);
  manager_->set_debug([this](Payload& payload) { return debug(payload); });
  manager_->set_blocking(
      [this](Payload& payload, sc_core::sc_time& delay) { blocking(0, payload, delay); });
  manager_->set_bus_address(bus_address_);
  above_check_ = checker("above", design_->axi4_above, shape);
}

void RtlBlock::make_below() {
  if (design_->below == Port::kLines) {
    initiator_ = std::make_unique<LineInitiator>("below", clock_, design_->requests_below,
                                                 design_->responses_below, *this, true);
    below_lines_check_ = checker("below", design_->requests_below, design_->responses_below);
    return;
  }
  if (design_->below == Port::kNone) return;
  Axi4SubordinateConfig c;
  c.shape = design_->below_shape;
  c.line_bytes = map_.geometry().line_bytes;
  c.reads = config_.reads;
  c.writes = config_.writes;
  subordinate_ = std::make_unique<Axi4Subordinate>("below", clock_, design_->axi4_below, pool_, c);
  subordinate_->set_prepare([this](Transaction& t, const Axi4Address&) { prepare(t); });
  subordinate_->set_completed([this](Transaction& t) { return_stamps(t); });
  below_check_ = checker("below", design_->axi4_below, c.shape);
}

std::unique_ptr<Axi4Checker> RtlBlock::checker(const char* side, const Axi4Pins& pins,
                                               const Axi4Shape& shape) {
  if (!config_.check) return nullptr;
  Axi4CheckerConfig c;
  c.shape = shape;
  c.response_limit = config_.response_limit;
  c.handshake_limit.fill(config_.response_limit);
  auto made =
      std::make_unique<Axi4Checker>(std::string(name()) + "." + side, clock_.clock(), pins, c);
  watch(*made, "/tessera/bridge/axi4");
  return made;
}

std::unique_ptr<LineChecker> RtlBlock::checker(const char* side, const LineRequestPins& requests,
                                               const LineResponsePins& responses) {
  if (!config_.check) return nullptr;
  LineCheckerConfig c;
  c.line_bytes = map_.geometry().line_bytes;
  c.responses_have_kind = false;  // the wire is optional
  c.handshake_limit = c.response_limit = config_.response_limit;
  auto made = std::make_unique<LineChecker>(std::string(name()) + "." + side, clock_.clock(),
                                            requests, responses, c);
  watch(*made, "/tessera/bridge/line");
  return made;
}

template <class Checker>
void RtlBlock::watch(Checker& checker, const char* report) {
  checker.set_handler([this, report](const auto& violation) {
    ++stats_.violations;
    SC_REPORT_ERROR(report, violation.text().c_str());
  });
  clock_.add(checker);
}

void RtlBlock::add_sockets(BlockHandle& handle) {
  if (manager_) handle.add_inputs(manager_->in);
  if (target_) handle.in.push_back(&target_->in);
  if (subordinate_) handle.out.push_back(&subordinate_->out);
  if (initiator_) handle.out.push_back(&initiator_->out);
}

std::string RtlBlock::why_values() const {
  return path_ + ".impl = " + implementation_ + ": RTL has bytes in each request";
}

// Requests above that have ready/valid channels.

MemoryRequest* RtlBlock::admit(std::uint32_t, Payload& payload, const tlm::tlm_phase& phase, Tick,
                               std::uint32_t&) {
  MemoryRequest* const request = check_.admit(payload, phase);
  if (request != nullptr && !request->carries_data) {
    SC_REPORT_FATAL("/tessera/bridge/values", why_values().c_str());
  }
  return request;
}

tlm::tlm_sync_enum RtlBlock::refuse(std::uint32_t, Payload& payload, const tlm::tlm_phase& phase) {
  return check_.refuse(target_->in, payload, phase);
}

void RtlBlock::taken(std::uint32_t id) {
  // An atomic keeps its entry until its response.
  if (tokens_[id].use == LineToken::Use::kRequest) target_->free_entry();
}

// Requests below.

MemoryRequest* RtlBlock::source(bool write, std::uint64_t address) const {
  if (manager_) {
    const Payload* const above = manager_->issued(write, address);
    return above == nullptr ? nullptr : above->get_extension<MemoryRequest>();
  }
  return tokens_.find(address);
}

void RtlBlock::prepare(Transaction& below) {
  const std::uint64_t address = below.get_address();
  MemoryRequest& r = below.request();
  const MemoryRequest* const above = source(below.is_write(), address);
  if (above != nullptr) {
    const bool same_command = (above->kind == RequestKind::kLoad ||
                               above->kind == RequestKind::kFill) != below.is_write();
    if (same_command && above->kind != RequestKind::kAtomic) r.kind = above->kind;
    r.read_only = above->read_only;
    r.reports_refusal = above->reports_refusal;
    r.launch = above->launch;
    r.requester = above->requester;
    r.allocation = above->allocation;
    r.pc = above->pc;
    r.warp = above->warp;
    if (above->home_known(address)) r.set_home(above->home(), address);
  }
  if (!r.home_known(address)) r.decode_home(map_, address);
}

void RtlBlock::return_stamps(Transaction& below) {
  MemoryRequest* const above = source(below.is_write(), below.get_address());
  if (above == nullptr) return;
  const auto& stamps = below.request().stamps;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    if (stamps[i] != kNever) above->stamps[i] = stamps[i];
  }
}

tlm::tlm_generic_payload& RtlBlock::issue(LineInitiator&, const LineRequestPins& request) {
  Transaction& below = pool_.acquire();
  const std::uint32_t bytes = map_.geometry().line_bytes;
  below.set_line(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, request.address,
                 bytes);
  MemoryRequest& r = below.request();
  r.kind = request.write ? RequestKind::kWriteBack : RequestKind::kFill;
  r.carries_data = true;
  r.useful_bytes = static_cast<std::uint16_t>(bytes);
  if (request.write) {
    below.set_byte_mask(request.mask);
    r.useful_bytes = static_cast<std::uint16_t>(request.mask.count());
    std::copy_n(request.data, bytes, below.data());
  }
  prepare(below);
  outside_[&below] = request.id;
  return below;
}

void RtlBlock::answer(LineInitiator&, Payload& payload, LineResponsePins& pins) {
  pins.write = payload.is_write();
  pins.error = failed(payload);
  pins.data = payload.get_data_ptr();
  pins.id = outside_.at(&payload);
}

void RtlBlock::finished(LineInitiator&, Payload& payload, Tick) {
  return_stamps(static_cast<Transaction&>(payload));
  outside_.erase(&payload);
  payload.release();
}

// Untimed accesses.

void RtlBlock::blocking(std::uint32_t, Payload& payload, sc_core::sc_time& delay) {
  if (subordinate_) return subordinate_->out->b_transport(payload, delay);
  if (initiator_) return initiator_->out->b_transport(payload, delay);
  const bool served = access_memory(payload, true) == payload.get_data_length();
  payload.set_response_status(served ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

unsigned RtlBlock::debug(Payload& payload) {
  if (subordinate_) return subordinate_->out->transport_dbg(payload);
  if (initiator_) return initiator_->out->transport_dbg(payload);
  return access_memory(payload, false);
}

unsigned RtlBlock::access_memory(Payload& payload, bool with_enables) {
  if (!PayloadCheck::admits_debug(payload)) return 0;
  const unsigned line = map_.geometry().line_bytes;
  const unsigned length = payload.get_data_length();
  const unsigned char* const enables = with_enables ? payload.get_byte_enable_ptr() : nullptr;
  unsigned done = 0;
  while (done < length) {
    const std::uint64_t address = payload.get_address() + done;
    const auto count =
        std::min<unsigned>(length - done, line - static_cast<unsigned>(address % line));
    const auto at = bus_address_ ? bus_address_(address) : address;
    unsigned char* const data = payload.get_data_ptr() + done;
    if (!at) break;
    if (!access_line(payload.is_write(), *at, data, enables == nullptr ? nullptr : enables + done,
                     count)) {
      break;
    }
    done += count;
  }
  return done;
}

bool RtlBlock::access_line(bool write, std::uint64_t bus_address, unsigned char* data,
                           const unsigned char* enables, unsigned count) {
  if (manager_->none_issued() && waiting_.empty()) {
    const bool done = write ? untimed_write(*design_, bus_address, data, enables, count)
                            : untimed_read(*design_, bus_address, data, count);
    if (!done) report_refused(write, bus_address);
    return done;
  }
  for (unsigned i = 0; i < count; ++i) {
    if (write) {
      if (enables == nullptr || enables[i] != 0) waiting_[bus_address + i] = data[i];
      continue;
    }
    const auto found = waiting_.find(bus_address + i);
    if (found == waiting_.end()) {
      const std::string text = std::string(name()) +
                               ": an untimed read while requests are in the design, whose bytes "
                               "are behind its pins only";
      SC_REPORT_ERROR("/tessera/bridge/untimed", text.c_str());
      return false;
    }
    data[i] = found->second;
  }
  manager_->hold(!waiting_.empty());
  return true;
}

void RtlBlock::report_refused(bool write, std::uint64_t bus_address) const {
  const std::string text = std::string(name()) + ": the design does not perform an untimed " +
                           (write ? "write" : "read") + " of address " +
                           std::to_string(bus_address) + ": an error response, or none in " +
                           std::to_string(kUntimedLimit) + " cycles";
  SC_REPORT_ERROR("/tessera/bridge/untimed", text.c_str());
}

void RtlBlock::write_waiting() {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const std::uint64_t first = at->first;
    std::vector<unsigned char> bytes;
    for (; at != waiting_.end() && at->first == first + bytes.size(); ++at) {
      bytes.push_back(at->second);
    }
    if (untimed_write(*design_, first, bytes.data(), nullptr,
                      static_cast<unsigned>(bytes.size()))) {
      continue;
    }
    report_refused(true, first);
  }
  waiting_.clear();
  manager_->hold(false);
}

// The clock.

void RtlBlock::sample(Tick) {
  ++stats_.cycles;
  quiet_edges_ = idle() ? quiet_edges_ + 1 : 0;
}

void RtlBlock::collect(Tick) {
  if (!waiting_.empty() && manager_->none_issued()) write_waiting();
  const char* const broken = design_->broken_rule();
  if (broken == nullptr) return;
  const std::string text = std::string(name()) + ": output " + broken +
                           " changes with an input of the same cycle; it must come from a register "
                           "(or add REGISTERED to tessera_add_rtl_block)";
  SC_REPORT_ERROR("/tessera/bridge/registers", text.c_str());
}

bool RtlBlock::quiet() const {
  return waiting_.empty() &&
         (design_->knows_busy || (idle() && quiet_edges_ >= config_.quiet_cycles));
}

// Block.

bool RtlBlock::idle() const {
  return (!manager_ || manager_->idle()) && (!target_ || target_->idle()) &&
         (!subordinate_ || subordinate_->idle()) && (!initiator_ || initiator_->idle()) &&
         tokens_.used() == 0 && atomics_.lines() == 0 && waiting_.empty();
}

void RtlBlock::describe_waiting(std::vector<Waiting>& out) const {
  if (manager_) manager_->describe_waiting(out);
  if (target_) target_->describe_waiting(out);
  if (subordinate_) subordinate_->describe_waiting(out);
  if (initiator_) initiator_->describe_waiting(out);
  if (tokens_.used() != 0) {
    out.push_back({path_ + ".design", tokens_.used(), WaitKind::kDataDependence,
                   "responses of the RTL block"});
  }
  const bool below = (subordinate_ && !subordinate_->idle()) || (initiator_ && !initiator_->idle());
  const bool inside = (manager_ && !manager_->none_issued()) || tokens_.used() != 0;
  if (design_->knows_busy && !design_->busy() && inside && !below) {
    out.push_back({path_ + ".clock", 1, WaitKind::kOrdering,
                   "busy of the design, which is 0 with requests inside"});
  }
}

void RtlBlock::reset() {
  if (manager_) manager_->reset();
  if (target_) target_->reset();
  if (subordinate_) subordinate_->reset();
  if (initiator_) initiator_->reset();
  if (above_check_) above_check_->reset();
  if (below_check_) below_check_->reset();
  if (above_lines_check_) above_lines_check_->reset();
  if (below_lines_check_) below_lines_check_->reset();
  for (const auto& [payload, id] : outside_) const_cast<Payload*>(payload)->release();
  outside_.clear();
  waiting_.clear();
  tokens_.clear();
  atomics_.reset();
  quiet_edges_ = 0;
  stats_ = {};
  clock_.power_on();
}

void RtlBlock::register_statistics(StatisticsRegistry& registry) const {
  BlockBase::register_statistics(registry);
  if (manager_) manager_->register_statistics(registry);
  if (subordinate_) subordinate_->register_statistics(registry);
}

}  // namespace tessera
