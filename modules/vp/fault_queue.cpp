// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/fault_queue.h"

#include <utility>

namespace tessera {

void describe(StatisticsVisitor& v, FaultQueueStats& s) {
  v.counter("faults", s.faults, "fault", "page faults given to software");
  v.counter("placed", s.placed, "fault", "page faults that software has handled");
  v.counter("errors", s.errors, "write", "writes of PLACE with another status than 0");
  v.histogram("latency", s.latency, "ns", "arrival of a fault to its PLACE");
  v.occupancy("pending", s.pending, "fault", "faults that wait for software");
}

FaultQueue::FaultQueue(const sc_core::sc_module_name& name, FaultQueueSite site)
    : BlockBase(name, NoConfig(), Unvalidated()),
      in("in"),
      interrupt("interrupt"),
      site_(std::move(site)) {
  in.register_b_transport(this, &FaultQueue::blocking);
  in.register_transport_dbg(this, &FaultQueue::debug);
  SC_HAS_PROCESS(FaultQueue);
  SC_METHOD(drive);
  sensitive << changed_;
}

void FaultQueue::push(const SoftwareFault& fault) {
  faults_.push_back({fault, now()});
  report(fault, true);
  ++stats_.faults;
  stats_.pending.set(faults_.size(), now());
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void FaultQueue::drive() {
  interrupt.write(!faults_.empty() && (control_ & fault_queue_control::kInterrupt) != 0);
}

void FaultQueue::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_registers(*this, payload, now() + delay.value());
}

unsigned FaultQueue::debug(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return 0;
  }
  access_registers(*this, payload, now());
  return payload.is_response_ok() ? payload.get_data_length() : 0;
}

bool FaultQueue::read_register(std::uint64_t offset, unsigned bytes, Tick, std::uint64_t& value) {
  if (bytes < 4) return false;
  switch (static_cast<Register>(offset & ~std::uint64_t{7})) {
    case Register::kId:
      value = kFaultQueueIdReset;
      break;
    case Register::kControl:
      value = control_;
      break;
    case Register::kPending:
      value = faults_.size();
      break;
    case Register::kAddress:
      value = oldest(&SoftwareFault::address);
      break;
    case Register::kSm:
      value = faults_.empty() ? SoftwareFault::kNoSm : faults_.front().record.sm;
      break;
    case Register::kGpu:
      value = oldest(&SoftwareFault::gpu);
      break;
    case Register::kLocal:
      value = oldest(&SoftwareFault::local);
      break;
    case Register::kArray:
      value = oldest(&SoftwareFault::array);
      break;
    case Register::kArrayBytes:
      value = oldest(&SoftwareFault::array_bytes);
      break;
    case Register::kMemories:
      value = site_.memories;
      break;
    case Register::kPageBytes:
      value = site_.page_bytes;
      break;
    case Register::kStatus:
      value = static_cast<std::uint64_t>(status_);
      break;
    case Register::kPlaced:
      value = stats_.placed;
      break;
    default:
      return false;
  }
  value = part_of(value, offset, bytes);
  return true;
}

bool FaultQueue::write_register(std::uint64_t offset, unsigned bytes, Tick at,
                                std::uint64_t value) {
  if (bytes < 4) return false;
  switch (static_cast<Register>(offset)) {
    case Register::kControl:
      set_control(value & (fault_queue_control::kSoftware | fault_queue_control::kInterrupt));
      return true;
    case Register::kPlace:
      status_ = place(value, at);
      if (status_ != Status::kOk) ++stats_.errors;
      return true;
    default:
      return false;
  }
}

void FaultQueue::set_control(std::uint64_t control) {
  const std::uint64_t changed = control_ ^ control;
  control_ = control;
  if ((changed & fault_queue_control::kSoftware) != 0) {
    if ((control & fault_queue_control::kSoftware) == 0) {
      for (const Fault& f : faults_) report(f.record, false);
      faults_.clear();  // the driver takes them
    }
    site_.hand_over((control & fault_queue_control::kSoftware) != 0);
    stats_.pending.set(faults_.size(), now());
  }
  changed_.notify(sc_core::SC_ZERO_TIME);
}

FaultQueue::Status FaultQueue::place(std::uint64_t memory, Tick at) {
  if (faults_.empty()) return Status::kNoFault;
  if (memory >= site_.memories) return Status::kNoSuchMemory;
  const Fault fault = faults_.front();
  faults_.pop_front();
  report(fault.record, false);
  ++stats_.placed;
  stats_.latency.add((at - fault.since) / kTicksPerNs);
  stats_.pending.set(faults_.size(), now());
  changed_.notify(sc_core::SC_ZERO_TIME);
  site_.place(fault.record.address, static_cast<std::uint32_t>(memory));
  return Status::kOk;
}

void FaultQueue::describe_waiting(std::vector<Waiting>& out) const {
  if (faults_.empty()) return;
  out.push_back({std::string(name()) + ".faults", faults_.size(), WaitKind::kTranslation,
                 "software's PLACE"});
}

void FaultQueue::reset() {
  faults_.clear();
  control_ = 0;
  status_ = Status::kOk;
  stats_ = Stats();
  stats_.pending.reset(now());
}

}  // namespace tessera
