// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/test_finisher.h"

#include "modules/vp/board_registers.h"

namespace tessera {

void describe(StatisticsVisitor& v, TestFinisherStats& s) {
  v.counter("writes", s.writes, "write", "writes of its register");
}

TestFinisher::TestFinisher(const sc_core::sc_module_name& name)
    : BlockBase(name, NoConfig(), Unvalidated()), in("in") {
  in.register_b_transport(this, &TestFinisher::blocking);
}

void TestFinisher::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_registers(*this, payload, now() + delay.value());
}

bool TestFinisher::read_register(std::uint64_t offset, unsigned bytes, Tick, std::uint64_t& value) {
  value = 0;
  return offset == 0 && bytes == 4;
}

bool TestFinisher::write_register(std::uint64_t offset, unsigned bytes, Tick at,
                                  std::uint64_t value) {
  if (offset != 0 || bytes < 2) return false;
  ++stats_.writes;
  End end = End::kPass;
  switch (static_cast<FinisherCode>(value & finisher_end::kCode)) {
    case FinisherCode::kPass:
      break;
    case FinisherCode::kFail:
      end = End::kFail;
      break;
    case FinisherCode::kReset:
      end = End::kReset;
      break;
    default:
      return true;  // no effect, as on QEMU
  }
  const auto status =
      static_cast<std::uint32_t>((value & finisher_end::kStatus) >> finisher_end::kStatusShift);
  if (on_end) on_end(end, end == End::kFail ? status : 0, at);
  return true;
}

void TestFinisher::describe_waiting(std::vector<Waiting>&) const {}

}  // namespace tessera
