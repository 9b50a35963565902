// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/hmd_block.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera::umh {

std::vector<std::string> HmdBlockConfig::validate() const {
  std::vector<std::string> errors = timing.validate();
  require_from_one(errors, "memory_accesses", memory_accesses, 1 << 20);
  return errors;
}

HmdBlock::HmdBlock(const sc_core::sc_module_name& name, const HmdBlockConfig& config,
                   const CoherenceSite& site, TransactionPool& pool)
    : CoherenceBlock(name, config.timing, site, config.mask_granularity),
      memory("memory"),
      config_(sound(this->name(), config)),
      hmd_(make_directory()),
      memory_queue_(
          clock_, wake_, pool, [](std::uint64_t line) { return line * kLineBytes; },
          [this](CoherenceMessage&& m) { post(std::move(m), now()); }) {
  memory.register_nb_transport_bw(this, &HmdBlock::backward);
}

std::unique_ptr<Hmd> HmdBlock::make_directory() {
  return std::make_unique<Hmd>(config_.hmd, site_.self, static_cast<CoherenceNetwork&>(*this),
                               static_cast<HostMemory&>(*this), site_.children, config_.smds);
}

void HmdBlock::end_of_elaboration() {
  CoherenceBlock::end_of_elaboration();
  memory_queue_.port().bind(memory.operator->());
}

void HmdBlock::handle(const CoherenceMessage& message) {
  memory_queue_.arrive(message, [this](const CoherenceMessage& m) { hmd_->receive(m); });
}

bool HmdBlock::can_admit() const {
  return CoherenceBlock::can_admit() && memory_queue_.backlog() < config_.memory_accesses;
}

void HmdBlock::send(CoherenceMessage message) { memory_queue_.post(std::move(message), now()); }

void HmdBlock::flush(LaunchSlot, std::function<void()> done) {
  flushes_.push_back({clock_.after(now() + 1, 0), std::move(done)});
  wake_.at(flushes_.back().due);
}

void HmdBlock::after_lookup(Tick t) {
  while (!flushes_.empty() && flushes_.front().due <= t) {
    const Flush flush = std::move(flushes_.front());
    flushes_.pop_front();
    hmd_->barrier(flush.done);
  }
  memory_queue_.send(t);
}

Tick HmdBlock::next_work(Tick t) const {
  const Tick next = memory_queue_.next(t);
  return flushes_.empty() ? next : std::min(next, flushes_.front().due);
}

// The bytes of the host memory.

void HmdBlock::access_memory(tlm::tlm_command command, std::uint64_t line, Line& bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(line * kLineBytes);
  payload.set_data_ptr(bytes.data());
  payload.set_data_length(kLineBytes);
  payload.set_streaming_width(kLineBytes);
  if (memory->transport_dbg(payload) != kLineBytes) {
    SC_REPORT_FATAL("/tessera/umh/host_memory",
                    "a line of this directory is not in the memory behind it");
  }
}

HostMemory::Line HmdBlock::read(std::uint64_t line) {
  Line bytes;
  access_memory(tlm::TLM_READ_COMMAND, line, bytes);
  return bytes;
}

void HmdBlock::write(const LineBytes& bytes, LaunchSlot launch) {
  Line all = read(bytes.line);
  copy_masked(all.data(), bytes.bytes.data(), bytes.mask, kLineBytes);
  access_memory(tlm::TLM_WRITE_COMMAND, bytes.line, all);
  memory_queue_.write(bytes.line, launch, now());
}

void HmdBlock::overlay(std::uint64_t address, unsigned char* bytes) {
  const std::uint64_t line = address / kLineBytes;
  const auto put = [&](const CoherenceMessage& m) { overlay_message(m, line, bytes); };
  for_each_message(put);
  memory_queue_.for_each_message(put);
}

void HmdBlock::replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) {
  const std::uint64_t line = address / kLineBytes;
  const auto put = [&](CoherenceMessage& m) { replace_in_message(m, line, bytes, mask); };
  for_each_message(put);
  memory_queue_.for_each_message(put);
}

// Housekeeping.

bool HmdBlock::idle() const {
  return CoherenceBlock::idle() && hmd_->idle() && memory_queue_.idle() && flushes_.empty();
}

void HmdBlock::describe_waiting(std::vector<Waiting>& out) const {
  CoherenceBlock::describe_waiting(out);
  memory_queue_.describe_waiting(name(), out);
}

void HmdBlock::reset() {
  CoherenceBlock::reset();
  hmd_ = make_directory();
  memory_queue_.reset();
  flushes_.clear();
}

void HmdBlock::register_statistics(StatisticsRegistry& registry) const {
  CoherenceBlock::register_statistics(registry);
  register_statistics_of(registry, name(), memory_queue_.stats());
}

}  // namespace tessera::umh
