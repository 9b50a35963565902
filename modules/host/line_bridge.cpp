// SPDX-License-Identifier: Apache-2.0
#include "modules/host/line_bridge.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/legal_values.h"
#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

std::vector<std::string> LineBridgeConfig::validate() const {
  std::vector<std::string> errors;
  if (clock_hz == 0) errors.emplace_back("bridge.clock_hz must be at least 1");
  require_power_of_two(errors, "bridge.line_bytes", line_bytes, 1, kMaxLineBytes);
  if (outstanding_lines == 0) errors.emplace_back("bridge.outstanding_lines must be at least 1");
  if (input_depth == 0) errors.emplace_back("bridge.input_depth must be at least 1");
  return errors;
}

void describe(ParameterVisitor& v, LineBridgeConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the bridge (ours)", 1'000'000, 100'000'000'000);
  v.integer("outstanding_lines", c.outstanding_lines, "line",
            "line requests under way at a time (ours)", 1, 4096);
  v.integer("input_depth", c.input_depth, "transaction",
            "transactions of the master that the bridge holds (ours)", 1, 4096);
}

LineBridge::LineBridge(const sc_core::sc_module_name& name, const LineBridgeConfig& config,
                       TransactionPool& pool, LineBridgeSite site)
    : BlockBase(name, config),
      in("in"),
      memory("memory"),
      clock_(config.clock_hz),
      pool_(pool),
      site_(std::move(site)),
      check_(PayloadRules{}),
      lines_(config.outstanding_lines),
      master_port_(clock_, wake_, arrivals_, config.input_depth),
      memory_port_(clock_, wake_) {
  for (std::uint32_t i = config_.outstanding_lines; i-- > 0;) free_lines_.push_back(i);
  in.register_nb_transport_fw(this, &LineBridge::forward);
  in.register_b_transport(this, &LineBridge::blocking);
  in.register_transport_dbg(this, &LineBridge::debug);
  memory.register_nb_transport_bw(this, &LineBridge::backward);
  wake_.bind<&LineBridge::process>(*this);
}

void LineBridge::end_of_elaboration() {
  master_port_.bind(in.operator->());
  memory_port_.bind(memory.operator->());
}

void LineBridge::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum LineBridge::forward(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    const tlm::tlm_sync_enum sync = master_port_.end_response(payload, delay);
    schedule_next(now());
    return sync;
  }
  if (phase != tlm::BEGIN_REQ) return check_.refuse(in, payload, phase);
  const PayloadFault fault = payload.has_mm() ? fault_of(payload) : PayloadFault::kNoManager;
  if (unlikely(fault != PayloadFault::kNone)) {
    check_.response(in, payload, fault);
    ++stats_.errors;
    return tlm::TLM_COMPLETED;
  }
  Job job;
  job.payload = &payload;
  job.arrived = now() + delay.value();
  return master_port_.accept(payload, phase, delay, job);
}

tlm::tlm_sync_enum LineBridge::backward(Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  const tlm::tlm_sync_enum sync = memory_port_.backward(payload, phase, delay);
  schedule_next(now());
  return sync;
}

void LineBridge::blocking(Payload& payload, sc_core::sc_time& delay) {
  if (const PayloadFault fault = fault_of(payload); fault != PayloadFault::kNone) {
    check_.response(in, payload, fault);
    ++stats_.errors;
    return;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  const sc_core::sc_time cycle = to_sc_time(clock_.time_of(1));
  sc_core::sc_time leaves = delay;
  sc_core::sc_time last = delay;
  for (std::uint32_t offset = 0; offset < payload.get_data_length();) {
    const Piece piece = piece_at(payload, offset);
    offset += piece.bytes;
    if (piece.mask.none()) continue;
    const auto line = line_of(payload, piece);
    if (!line) {
      if (payload.is_response_ok()) payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      break;
    }
    Transaction& request = pool_.acquire();
    fill(request, payload, piece, *line, false);
    leaves += cycle;
    sc_core::sc_time comes = leaves;
    memory->b_transport(request, comes);
    last = std::max(last, comes);
    if (!request.is_response_ok()) {
      if (payload.is_response_ok()) payload.set_response_status(request.get_response_status());
    } else if (payload.is_read()) {
      copy_read_data(payload, piece, request.get_data_ptr() - piece.in_line);
    }
    request.release();
  }
  delay = last + cycle;
  if (!payload.is_response_ok()) ++stats_.errors;
}

unsigned LineBridge::debug(Payload& payload) {
  if (!PayloadCheck::admits_debug(payload)) return 0;
  unsigned done = 0;
  while (done < payload.get_data_length()) {
    Piece piece = piece_at(payload, done);
    piece.mask = ByteMask::range(piece.in_line, piece.bytes);
    const auto line = line_of(payload, piece);
    if (!line) break;
    Transaction& request = pool_.acquire();
    fill(request, payload, piece, *line, false);
    request.set_data_ptr(payload.get_data_ptr() + piece.offset);
    const unsigned bytes = memory->transport_dbg(request);
    request.release();
    done += bytes;
    if (bytes != piece.bytes) break;
  }
  return done;
}

// Processes.

void LineBridge::process() {
  const Tick t = now();
  while (memory_port_.responses.due(t)) handle_response(memory_port_.pop_response());
  while (arrivals_.due(t)) jobs_.push_back(arrivals_.pop());
  issue(t);
  respond(t);
  schedule_next(t);
}

void LineBridge::handle_response(Payload& payload) {
  const std::uint32_t index = request_of(payload).tag;
  Line& line = lines_[index];
  Job& job = *line.job;
  if (unlikely(!payload.is_response_ok())) {
    if (line.piece.offset < job.failed_at) {
      job.failed_at = line.piece.offset;
      job.status = payload.get_response_status();
    }
  } else if (payload.is_read()) {
    copy_read_data(*job.payload, line.piece, payload.get_data_ptr());
  }
  --job.lines;
  line = Line{};
  free_lines_.push_back(index);
  stats_.outstanding.set(lines_.size() - free_lines_.size(), now());
  payload.release();
}

void LineBridge::respond(Tick t) {
  const Tick arrival = clock_.after(t, 1);
  while (responds() && master_port_.responses.sender.free(arrival)) {
    const Job job = jobs_.front();
    jobs_.pop_front();
    --split_;
    Payload& payload = *job.payload;
    payload.set_response_status(job.status);
    if (job.status != tlm::TLM_OK_RESPONSE) ++stats_.errors;
    if (payload.is_read()) ++stats_.reads;
    if (payload.is_write()) ++stats_.writes;
    stats_.latency.add(clock_.cycles_in(arrival - job.arrived));
    master_port_.release();
    master_port_.responses.sender.send(payload, arrival - t);
  }
}

/// Sends at most one line request a cycle, for the oldest transaction with unsent lines.
void LineBridge::issue(Tick t) {
  while (split_ < jobs_.size()) {
    Job& job = jobs_[split_];
    const Payload& payload = *job.payload;
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) job.next = payload.get_data_length();
    if (job.next >= payload.get_data_length()) {
      ++split_;
      continue;
    }
    const Piece piece = piece_at(payload, job.next);
    if (piece.mask.none()) {
      job.next += piece.bytes;
      continue;
    }
    const auto line = line_of(payload, piece);
    if (!line) {
      if (piece.offset < job.failed_at) {
        job.failed_at = piece.offset;
        job.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
      }
      job.next = payload.get_data_length();
      continue;
    }
    if (issue_free_at_ > t || free_lines_.empty() ||
        !memory_port_.requests.sender.free(clock_.after(t, 1))) {
      return;
    }
    job.next += piece.bytes;
    send(job, piece, *line, t);
    issue_free_at_ = clock_.after(t, 1);
  }
}

void LineBridge::send(Job& job, const Piece& piece, std::uint64_t line, Tick t) {
  const std::uint32_t index = free_lines_.back();
  free_lines_.pop_back();
  Transaction& request = pool_.acquire();
  fill(request, *job.payload, piece, line, true);
  request.request().tag = index;
  lines_[index] = Line{&request, &job, piece};
  ++job.lines;
  ++stats_.lines;
  stats_.bytes += piece.mask.count();
  stats_.outstanding.set(lines_.size() - free_lines_.size(), t);
  request.request().stamps[static_cast<std::size_t>(Hop::kIssued)] = t;
  memory_port_.send(request, clock_.after(t, 1) - t);
}

void LineBridge::schedule_next(Tick t) {
  wake_.at(arrivals_.next_due());
  wake_.at(memory_port_.responses.next_due());
  const ResponseSender& to_master = master_port_.responses.sender;
  if (responds() && to_master.free_at() != kNever) {
    wake_.at(next_send_edge(clock_, to_master, t, t));
  }
  const RequestSender& to_memory = memory_port_.requests.sender;
  if (split_ < jobs_.size() && !free_lines_.empty() && to_memory.free_at() != kNever) {
    wake_.at(std::max(issue_free_at_, next_send_edge(clock_, to_memory, t, t)));
  }
}

// The split.

PayloadFault LineBridge::fault_of(const Payload& payload) const {
  const std::uint64_t length = payload.get_data_length();
  if (static_cast<unsigned>(payload.get_command()) > tlm::TLM_IGNORE_COMMAND) {
    return PayloadFault::kCommand;
  }
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return PayloadFault::kNone;
  if (payload.get_data_ptr() == nullptr) return PayloadFault::kNoData;
  if (length == 0) return PayloadFault::kLength;
  if (length - 1 > ~payload.get_address()) return PayloadFault::kAddress;
  if (payload.get_streaming_width() < length) return PayloadFault::kStreaming;
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
    return PayloadFault::kByteEnables;
  }
  return PayloadFault::kNone;
}

LineBridge::Piece LineBridge::piece_at(const Payload& payload, std::uint32_t offset) const {
  Piece piece;
  piece.offset = offset;
  piece.in_line =
      static_cast<std::uint32_t>((payload.get_address() + offset) & (config_.line_bytes - 1));
  piece.bytes = std::min(config_.line_bytes - piece.in_line, payload.get_data_length() - offset);
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) {
    piece.mask = ByteMask::range(piece.in_line, piece.bytes);
    return piece;
  }
  for (std::uint32_t i = 0; i < piece.bytes; ++i) {
    if (enables[(offset + i) % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED) {
      piece.mask |= ByteMask::range(piece.in_line + i, 1);
    }
  }
  return piece;
}

std::optional<std::uint64_t> LineBridge::line_of(const Payload& payload, const Piece& piece) const {
  std::optional<std::uint64_t> line = payload.get_address() + piece.offset - piece.in_line;
  if (site_.translate) line = site_.translate(*line);
  if (line && site_.map != nullptr && *line >= site_.map->geometry().total_bytes()) return {};
  sc_assert(!line || (*line & (config_.line_bytes - 1)) == 0);
  return line;
}

void LineBridge::fill(Transaction& out, const Payload& payload, const Piece& piece,
                      std::uint64_t line, bool whole) const {
  const std::uint32_t first = whole ? 0 : piece.in_line;
  out.set_line(payload.get_command(), line + first, whole ? config_.line_bytes : piece.bytes);
  MemoryRequest& r = out.request();
  r.requester = site_.requester;
  r.carries_data = true;
  r.useful_bytes = static_cast<std::uint16_t>(piece.mask.count());
  if (site_.map != nullptr) r.decode_home(*site_.map, out.get_address());
  if (payload.is_read()) {
    r.word_mask = piece.mask.word_mask();
    return;
  }
  std::memcpy(out.data() + piece.in_line - first, payload.get_data_ptr() + piece.offset,
              piece.bytes);
  ByteMask mask;
  for (std::uint32_t i = 0; i < piece.bytes; ++i) {
    if (piece.mask.test(piece.in_line + i)) mask |= ByteMask::range(piece.in_line - first + i, 1);
  }
  out.set_byte_mask(mask);
}

/// `from`: bytes of the whole line.
void LineBridge::copy_read_data(Payload& payload, const Piece& piece, const unsigned char* from) {
  for (std::uint32_t i = 0; i < piece.bytes; ++i) {
    if (!piece.mask.test(piece.in_line + i)) continue;
    payload.get_data_ptr()[piece.offset + i] = from[piece.in_line + i];
  }
}

// Housekeeping.

bool LineBridge::idle() const {
  return arrivals_.empty() && jobs_.empty() && free_lines_.size() == lines_.size();
}

void LineBridge::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  const std::size_t lines = lines_.size() - free_lines_.size();
  if (lines != 0)
    out.push_back({base + "lines", lines, WaitKind::kDataDependence, "responses from memory"});
  if (split_ < jobs_.size()) {
    out.push_back({base + "transactions", jobs_.size() - split_,
                   free_lines_.empty() ? WaitKind::kResourceBusy : WaitKind::kQueueFull,
                   free_lines_.empty() ? "an outstanding line's response"
                                       : "END_REQ from the memory system"});
  }
  if (responds())
    out.push_back({base + "responses", split_, WaitKind::kQueueFull, "END_RESP from the master"});
}

void LineBridge::reset() {
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].request == nullptr) continue;
    lines_[i].request->release();
    lines_[i] = Line{};
    free_lines_.push_back(i);
  }
  jobs_.clear();
  split_ = 0;
  master_port_.reset();
  memory_port_.reset();
  issue_free_at_ = 0;
  stats_ = {};
  stats_.outstanding.reset(now());
  wake_.cancel();
}

void describe(StatisticsVisitor& v, LineBridgeStats& s) {
  v.counter("reads", s.reads, "transaction", "timed reads completed");
  v.counter("writes", s.writes, "transaction", "timed writes completed");
  v.counter("lines", s.lines, "request", "line requests made of the transactions");
  v.counter("bytes", s.bytes, "byte", "enabled bytes of the line requests");
  v.counter("errors", s.errors, "transaction", "transactions that received an error response");
  v.histogram("latency", s.latency, "cycle", "from a transaction's arrival to its response's");
  v.occupancy("outstanding", s.outstanding, "line", "line requests under way");
}

}  // namespace tessera
