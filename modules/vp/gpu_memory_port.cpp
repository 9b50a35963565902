// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/gpu_memory_port.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/sc_time.h"
#include "modules/vp/initiating_hart.h"

namespace tessera {

std::vector<std::string> GpuMemoryPortConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "bytes_per_second", bytes_per_second, kTicksPerSecond);
  return errors;
}

void describe(StatisticsVisitor& v, GpuMemoryPortStats& s) {
  v.counter("loads", s.loads, "access", "loads of the cores");
  v.counter("stores", s.stores, "access", "stores of the cores");
  v.counter("bytes", s.bytes, "byte", "bytes of both");
  v.counter("refused", s.refused, "access", "accesses outside all allocations");
  v.histogram("load_latency", s.load_latency, "ns", "a load, as the core sees it");
  v.histogram("store_latency", s.store_latency, "ns", "a store, as the core sees it");
}

GpuMemoryPort::GpuMemoryPort(const sc_core::sc_module_name& name, const GpuMemoryPortConfig& config,
                             GpuMemoryPortSite site)
    : BlockBase(name, config), in("in"), site_(std::move(site)) {
  in.register_b_transport(this, &GpuMemoryPort::blocking);
  in.register_transport_dbg(this, &GpuMemoryPort::debug);
  for (std::uint32_t h = 0; h < site_.harts; ++h) {
    wakes_.push_back(std::make_unique<ThreadTimer>());
  }
}

void GpuMemoryPort::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const bool load = payload.is_read();
  if (!load && !payload.is_write()) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);  // TLM_IGNORE_COMMAND
    return;
  }
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t bytes = payload.get_data_length();
  if (payload.get_streaming_width() < bytes) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const InitiatingHart* const from = payload.get_extension<InitiatingHart>();
  const std::uint32_t hart = from == nullptr ? 0 : from->hart;
  ThreadTimer& wake = *wakes_[hart];
  wake.wait_until(now() + delay.value());
  delay = sc_core::SC_ZERO_TIME;
  const Tick began = now();
  const bool timed = !site_.timed || site_.timed();
  const bool by_cpu = timed && site_.access_by_cpu;
  const bool done = by_cpu ? access_by_cpu(payload, wake, hart)
                           : site_.access(payload.get_command(), payload.get_address(),
                                          payload.get_data_ptr(), bytes);
  if (!done) {
    ++stats_.refused;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (timed && !by_cpu) delay = to_sc_time(access_by_link(load, bytes));
  ++(load ? stats_.loads : stats_.stores);
  stats_.bytes += bytes;
  const Tick took = now() + delay.value() - began;
  (load ? stats_.load_latency : stats_.store_latency).add(took / kTicksPerNs);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool GpuMemoryPort::access_by_cpu(tlm::tlm_generic_payload& payload, ThreadTimer& wake,
                                  std::uint32_t hart) {
  bool ended = false;
  const bool taken =
      site_.access_by_cpu(hart, payload.get_command(), payload.get_address(),
                          payload.get_data_ptr(), payload.get_data_length(), [&wake, &ended] {
                            ended = true;
                            wake.wake();
                          });
  ++waiting_;
  while (taken && !ended) wake.wait();
  --waiting_;
  return taken;
}

Tick GpuMemoryPort::access_by_link(bool load, std::uint64_t bytes) {
  const Tick begin = std::max(now(), link_free_at_);
  link_free_at_ =
      begin + (bytes * kTicksPerSecond + config_.bytes_per_second - 1) / config_.bytes_per_second;
  const Tick both = 2 * config_.latency_ns * kTicksPerNs;
  return link_free_at_ - now() + (load ? both : 0);
}

unsigned GpuMemoryPort::debug(tlm::tlm_generic_payload& payload) {
  const unsigned bytes = payload.get_data_length();
  const bool done =
      site_.access(payload.get_command(), payload.get_address(), payload.get_data_ptr(), bytes);
  payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return done ? bytes : 0;
}

void GpuMemoryPort::describe_waiting(std::vector<Waiting>& out) const {
  if (waiting_ != 0) {
    out.push_back({std::string(name()) + ".accesses", waiting_, WaitKind::kDataDependence,
                   "the caches of the CPU"});
  }
}

void GpuMemoryPort::reset() {
  link_free_at_ = now();
  stats_ = Stats();
}

}  // namespace tessera
