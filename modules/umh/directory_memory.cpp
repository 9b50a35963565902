// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/directory_memory.h"

#include <algorithm>

#include "modules/kernel/statistics_visitor.h"

namespace tessera::umh {

void describe(StatisticsVisitor& v, DirectoryMemoryStats& s) {
  v.counter("memory_lines_read", s.lines_read, "line", "lines read from the directory's memory");
  v.counter("memory_lines_written", s.lines_written, "line", "lines written to it");
  v.occupancy("memory_backlog", s.backlog, "access", "accesses to it without response");
}

Transaction& DirectoryMemory::access(tlm::tlm_command command, std::uint64_t line,
                                     LaunchSlot launch, Tick t) {
  Transaction& out = pool_.acquire();
  out.set_line(command, address_(line), kLineBytes);
  MemoryRequest& r = out.request();
  r.kind = command == tlm::TLM_READ_COMMAND ? RequestKind::kFill : RequestKind::kWriteBack;
  r.useful_bytes = kLineBytes;
  r.launch = launch;
  port_.requests.queue.push(t, 0, &out);
  return out;
}

void DirectoryMemory::write(std::uint64_t line, LaunchSlot launch, Tick t) {
  accesses_.emplace(&access(tlm::TLM_WRITE_COMMAND, line, launch, t), waiters_.end());
  ++stats_.lines_written;
  stats_.backlog.set(backlog(), t);
}

bool DirectoryMemory::has_arrived(std::uint64_t line) const {
  return arrived_ != nullptr && std::any_of(arrived_->data.begin(), arrived_->data.end(),
                                            [line](const LineBytes& l) { return l.line == line; });
}

void DirectoryMemory::post(CoherenceMessage&& message, Tick t) {
  std::vector<std::uint64_t> lines;
  for (const LineBytes& l : message.data) {
    if (!has_arrived(l.line)) lines.push_back(l.line);
  }
  if (lines.empty()) {
    ready_(std::move(message));
    return;
  }
  const LaunchSlot launch = message.launch;
  const WaiterId waiter = waiters_.insert(waiters_.end(), {std::move(message), lines.size()});
  for (const std::uint64_t line : lines) {
    accesses_.emplace(&access(tlm::TLM_READ_COMMAND, line, launch, t), waiter);
    ++stats_.lines_read;
  }
  stats_.backlog.set(backlog(), t);
}

void DirectoryMemory::handle_responses(Tick t) {
  while (port_.responses.due(t)) {
    tlm::tlm_generic_payload& payload = port_.pop_response();
    if (!payload.is_response_ok()) {
      SC_REPORT_FATAL("/tessera/umh/memory_error", payload.get_response_string().c_str());
    }
    const auto at = accesses_.find(&payload);
    const WaiterId waiter = at->second;
    accesses_.erase(at);
    payload.release();
    stats_.backlog.set(backlog(), t);
    if (waiter == waiters_.end() || --waiter->left != 0) continue;
    ready_(std::move(waiter->message));
    waiters_.erase(waiter);
  }
}

void DirectoryMemory::send(Tick t) {
  while (port_.requests.next(clock_, t) == t) {
    const auto [payload, delay] = port_.requests.take(clock_, t);
    port_.send(*payload, delay);
  }
}

Tick DirectoryMemory::next(Tick t) const {
  return std::min(port_.requests.next(clock_, t), port_.responses.next_due());
}

void DirectoryMemory::describe_waiting(const std::string& block, std::vector<Waiting>& out) const {
  if (!accesses_.empty()) {
    out.push_back({block + ".memory", accesses_.size(), WaitKind::kDataDependence,
                   "responses of the DRAM channel"});
  }
}

void DirectoryMemory::reset() {
  for (const auto& [payload, waiter] : accesses_) payload->release();
  accesses_.clear();
  waiters_.clear();
  port_.reset();
  stats_ = {};
  stats_.backlog.reset(now());
}

}  // namespace tessera::umh
