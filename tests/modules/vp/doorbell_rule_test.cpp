// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/doorbell_rule.h"

#include <tlm_utils/simple_target_socket.h>

#include <catch2/catch.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "modules/vp/initiating_hart.h"

namespace tessera::doorbell_rule_test {

namespace {

constexpr std::uint64_t kOffset = 0x20;
constexpr std::uint64_t kStride = 0x100;

class Registers final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Registers> in;
  explicit Registers(const sc_core::sc_module_name& name) : sc_module(name), in("in") {
    in.register_b_transport(this, &Registers::blocking);
  }
  void blocking(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    addresses.push_back(p.get_address());
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::vector<std::uint64_t> addresses;
};

class Hart final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Hart> out;
  explicit Hart(const sc_core::sc_module_name& name) : sc_module(name), out("out") {}
};

struct Bench {
  Bench()
      : rule("rule", {kOffset, kStride,
                      [this](std::uint32_t number, std::uint32_t queue) {
                        violations.emplace_back(number, queue);
                      },
                      [this](std::uint32_t number, std::uint32_t queue, Tick at) {
                        doorbells.emplace_back(number, queue, at / kTicksPerNs);
                      }}) {
    hart.out.bind(rule.in);
    rule.out.bind(registers.in);
  }
  void access(tlm::tlm_command command, std::uint64_t address, std::uint32_t number,
              std::uint64_t fences) {
    InitiatingHart from;
    from.hart = number;
    from.fences = fences;
    tlm::tlm_generic_payload p;
    std::uint64_t value = 1;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(8);
    p.set_streaming_width(8);
    p.set_extension(&from);
    sc_core::sc_time delay(7, sc_core::SC_NS);
    hart.out->b_transport(p, delay);
    p.clear_extension(&from);
    CHECK(p.is_response_ok());
  }
  void ring(std::uint32_t queue, std::uint32_t number, std::uint64_t fences) {
    access(tlm::TLM_WRITE_COMMAND, kOffset + queue * kStride, number, fences);
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> violations;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> doorbells;
  Hart hart{"hart"};
  DoorbellRule rule;
  Registers registers{"registers"};
};

}  // namespace

TEST_CASE("doorbell rule: each doorbell of a hart needs a fence of its own") {
  Bench b;
  b.ring(0, 0, 1);
  b.ring(3, 0, 2);
  CHECK(b.violations.empty());
  b.ring(3, 0, 2);
  CHECK(b.violations == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 3}});
  b.ring(1, 1, 0);  // no fence since the reset
  CHECK(b.violations.back() == std::pair<std::uint32_t, std::uint32_t>(1, 1));
  CHECK(b.rule.stats().doorbells == 4);
  CHECK(b.doorbells == std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>>{
                           {0, 0, 7}, {0, 3, 7}, {0, 3, 7}, {1, 1, 7}});
  CHECK(b.rule.stats().violations == 2);
  CHECK(b.registers.addresses.size() == 4);
}

TEST_CASE("doorbell rule: other registers and reads are no doorbells") {
  Bench b;
  b.ring(0, 0, 1);
  b.access(tlm::TLM_WRITE_COMMAND, 0x38, 0, 1);
  b.access(tlm::TLM_READ_COMMAND, kOffset, 0, 1);
  CHECK(b.violations.empty());
  CHECK(b.doorbells.size() == 1);
  CHECK(b.registers.addresses == std::vector<std::uint64_t>{kOffset, 0x38, kOffset});
}

}  // namespace tessera::doorbell_rule_test
