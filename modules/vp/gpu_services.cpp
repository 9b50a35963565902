// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/gpu_services.h"

#include <utility>

namespace tessera {

void describe(StatisticsVisitor& v, GpuServicesStats& s) {
  v.counter("commands", s.commands, "command", "commands executed");
  v.counter("errors", s.errors, "command", "commands that failed");
}

GpuServices::GpuServices(const sc_core::sc_module_name& name, GpuServicesSite site, bool detailed)
    : BlockBase(name, NoConfig(), Unvalidated()),
      in("in"),
      site_(std::move(site)),
      detailed_at_reset_(detailed),
      detailed_(detailed) {
  in.register_b_transport(this, &GpuServices::blocking);
}

void GpuServices::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_registers(*this, payload, now() + delay.value());
}

bool GpuServices::read_register(std::uint64_t offset, unsigned bytes, Tick, std::uint64_t& value) {
  if (bytes < 4) return false;
  switch (static_cast<Register>(offset & ~std::uint64_t{7})) {
    case Register::kId:
      value = kGpuServicesIdReset;
      break;
    case Register::kArg0:
      value = arguments_[0];
      break;
    case Register::kArg1:
      value = arguments_[1];
      break;
    case Register::kResult:
      value = result_;
      break;
    case Register::kStatus:
      value = static_cast<std::uint64_t>(status_);
      break;
    case Register::kDetail:
      value = detailed_ ? 1 : 0;
      break;
    default:
      return false;
  }
  value = part_of(value, offset, bytes);
  return true;
}

bool GpuServices::write_register(std::uint64_t offset, unsigned bytes, Tick, std::uint64_t value) {
  if (bytes < 4) return false;
  switch (static_cast<Register>(offset & ~std::uint64_t{7})) {
    case Register::kArg0:
      arguments_[0] = with_part(arguments_[0], offset, bytes, value);
      return true;
    case Register::kArg1:
      arguments_[1] = with_part(arguments_[1], offset, bytes, value);
      return true;
    case Register::kCommand:
      if (offset % 8 != 0) return false;
      ++stats_.commands;
      result_ = 0;
      status_ = execute(static_cast<Command>(value));
      if (status_ != Status::kOk) ++stats_.errors;
      return true;
    case Register::kDetail:
      if (offset % 8 != 0) return false;
      status_ = set_detailed((value & 1) != 0);
      if (status_ != Status::kOk) ++stats_.errors;
      return true;
    default:
      return false;
  }
}

std::optional<std::string> GpuServices::name_argument() const {
  if (arguments_[1] == 0 || arguments_[1] > kGpuServicesMostName) return std::nullopt;
  std::string name(arguments_[1], ' ');
  auto* const bytes = reinterpret_cast<unsigned char*>(name.data());
  if (!site_.read(arguments_[0], bytes, name.size())) return std::nullopt;
  return name;
}

GpuServices::Status GpuServices::set_detailed(bool detailed) {
  if (detailed == detailed_) return Status::kOk;
  if (!site_.set_detailed(detailed)) return Status::kBusy;
  detailed_ = detailed;
  return Status::kOk;
}

GpuServices::Status GpuServices::execute(Command command) {
  if (command == Command::kFindKernel) {
    const auto name = name_argument();
    if (!name) return Status::kBadAddress;
    result_ = site_.kernel(*name);
    return result_ == 0 ? Status::kUnknownKernel : Status::kOk;
  }
  if (command == Command::kReadStatistic) {
    const auto name = name_argument();
    if (!name) return Status::kBadAddress;
    const auto value = site_.statistic(*name);
    result_ = value.value_or(0);
    return value ? Status::kOk : Status::kUnknownStatistic;
  }
  if (command == Command::kAllocate) {
    const auto address = site_.allocate(arguments_[0]);
    result_ = address.value_or(0);
    return address ? Status::kOk : Status::kNoMemory;
  }
  return Status::kUnknownCommand;
}

void GpuServices::describe_waiting(std::vector<Waiting>&) const {}

void GpuServices::reset() {
  arguments_[0] = arguments_[1] = result_ = 0;
  status_ = Status::kOk;
  detailed_ = detailed_at_reset_;
  stats_ = Stats();
}

}  // namespace tessera
