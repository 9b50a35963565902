// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/board_bus.h"

#include <catch2/catch.hpp>

#include "modules/vp/board_memory.h"
#include "tests/modules/vp/register_master.h"

namespace tessera::board_bus_test {

namespace {

BoardMemoryConfig of(std::uint64_t bytes, bool read_only) {
  BoardMemoryConfig c;
  c.bytes = bytes;
  c.read_only = read_only;
  return c;
}

struct Bench {
  Bench() {
    master.out.bind(bus.in);
    bus.out[0]->bind(rom.in);
    bus.out[1]->bind(ram.in);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  bool direct(std::uint64_t address, tlm::tlm_dmi& dmi) {
    tlm::tlm_generic_payload p;
    p.set_read();
    p.set_address(address);
    return master.out->get_direct_mem_ptr(p, dmi);
  }

  test::RegisterMaster master{"master"};
  BoardBus bus{"bus",
               BoardBusConfig{{{"rom", 0x1000, 0x1000, true}, {"ram", 0x8000, 0x2000, true}}}};
  BoardMemory rom{"rom", of(0x1000, true)};
  BoardMemory ram{"ram", of(0x2000, false)};
};

}  // namespace

TEST_CASE("board bus: an access reaches the range of its address") {
  Bench b;
  b.rom.bytes()[0x10] = 0x77;
  CHECK(b.master.read(0x1010, 1) == 0x77);
  b.master.write(0x9ff8, 8, 0x1122334455667788);
  CHECK(b.master.status == tlm::TLM_OK_RESPONSE);
  CHECK(b.ram.bytes()[0x1ff8] == 0x88);
  CHECK(b.bus.stats().transactions == 2);
}

TEST_CASE("board bus: an access to nothing, or beyond a range, is an address error") {
  Bench b;
  for (const std::uint64_t address : {0x0ULL, 0x0fffULL, 0x1ffcULL, 0x2000ULL, 0xa000ULL}) {
    INFO(address);
    b.master.read(address, 8);
    CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  CHECK(b.bus.stats().unmapped == 5);
}

TEST_CASE("board bus: ROM refuses writes, but not those of a loader") {
  Bench b;
  b.master.write(0x1000, 4, 1);
  CHECK(b.master.status == tlm::TLM_COMMAND_ERROR_RESPONSE);
  unsigned char byte = 5;
  tlm::tlm_generic_payload p;
  p.set_write();
  p.set_address(0x1000);
  p.set_data_ptr(&byte);
  p.set_data_length(1);
  p.set_streaming_width(1);
  CHECK(b.master.out->transport_dbg(p) == 1);
  CHECK(p.get_address() == 0x1000);
  CHECK(b.master.read(0x1000, 1) == 5);
}

TEST_CASE("board bus: DMI has the addresses of the bus") {
  Bench b;
  tlm::tlm_dmi dmi;
  REQUIRE(b.direct(0x8123, dmi));
  CHECK(dmi.get_start_address() == 0x8000);
  CHECK(dmi.get_end_address() == 0x9fff);
  CHECK(dmi.get_dmi_ptr() == b.ram.bytes());
  CHECK(dmi.is_write_allowed());
  tlm::tlm_dmi of_rom;
  REQUIRE(b.direct(0x1000, of_rom));
  CHECK_FALSE(of_rom.is_write_allowed());
  tlm::tlm_dmi nothing;
  CHECK_FALSE(b.direct(0x7000, nothing));
}

TEST_CASE("board bus: ranges that overlap are refused") {
  BoardBusConfig c{{{"a", 0x1000, 0x1000, true}, {"b", 0x1fff, 0x10, false}}};
  REQUIRE(c.validate().size() == 1);
  CHECK(c.validate()[0] == "ranges: b and a overlap");
}

}  // namespace tessera::board_bus_test
