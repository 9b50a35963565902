// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/uart16550.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/modules/vp/register_master.h"

namespace tessera::uart16550_test {

namespace {

struct Bench {
  Bench() {
    uart.interrupt.bind(wire);
    uart.on_output = [this](char c) { sent += c; };
    master.out.bind(uart.in);
    settle();
  }
  void settle() { sc_core::sc_start(1, sc_core::SC_NS); }
  std::uint64_t read(std::uint64_t offset) {
    const std::uint64_t value = master.read(offset, 1);
    settle();
    return value;
  }
  void write(std::uint64_t offset, std::uint64_t value) {
    master.write(offset, 1, value);
    settle();
  }

  test::RegisterMaster master{"master"};
  Uart16550 uart{"uart"};
  sc_core::sc_signal<bool> wire;
  std::string sent;
};

}  // namespace

TEST_CASE("UART: characters leave at once, and the transmitter is always empty") {
  Bench b;
  for (const char c : std::string("hello")) b.write(0, static_cast<unsigned char>(c));
  CHECK(b.sent == "hello");
  CHECK(b.read(5) == 0x60);
  CHECK(b.uart.stats().sent == 5);
}

TEST_CASE("UART: received characters are ready until they are read") {
  Bench b;
  b.uart.receive('a');
  b.uart.receive('b');
  CHECK(b.read(5) == 0x61);
  CHECK(b.read(0) == 'a');
  CHECK(b.read(0) == 'b');
  CHECK(b.read(5) == 0x60);
  CHECK(b.read(0) == 0);
}

TEST_CASE("UART: the divisor's latch hides the data registers") {
  Bench b;
  b.write(3, 0x83);
  b.write(0, 0x12);
  b.write(1, 0x34);
  CHECK(b.sent.empty());
  CHECK(b.read(0) == 0x12);
  CHECK(b.read(1) == 0x34);
  b.write(3, 0x03);
  CHECK(b.read(1) == 0);
  b.write(7, 0x5a);
  CHECK(b.read(7) == 0x5a);
}

TEST_CASE("UART: the interrupts of received data and of the empty transmitter") {
  Bench b;
  b.uart.receive('x');
  b.settle();
  CHECK_FALSE(b.wire.read());
  CHECK(b.read(2) == 1);
  b.write(1, 3);
  CHECK(b.wire.read());
  CHECK(b.read(2) == 4);
  b.read(0);
  CHECK(b.wire.read());
  CHECK(b.read(2) == 2);  // reading IIR ends it
  CHECK_FALSE(b.wire.read());
  b.write(0, 'y');
  CHECK(b.wire.read());
}

TEST_CASE("UART: FCR clears the receiver, and IIR shows the FIFOs") {
  Bench b;
  b.uart.receive('x');
  b.write(2, 3);
  CHECK(b.read(5) == 0x60);
  CHECK(b.read(2) == 0xc1);
}

TEST_CASE("UART: registers take one byte") {
  Bench b;
  b.master.read(0, 4);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  b.master.read(8, 1);
  CHECK(b.master.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace tessera::uart16550_test
