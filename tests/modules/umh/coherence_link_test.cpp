// SPDX-License-Identifier: Apache-2.0
// The rate and the queues of a link, between a device that sends and a directory, of the host or of
// another device, that responds when the test requires it.
#include "modules/umh/coherence_link.h"

#include <catch2/catch.hpp>
#include <systemc>
#include <utility>
#include <vector>

#include "common/text.h"

namespace tessera::coherence_link_test {

namespace {

using namespace tessera::umh;

constexpr Tick kNs = 1'000'000;
constexpr AgentId kHost = AgentId{0};
constexpr AgentId kDevice = AgentId{1};

/// Sends at most `entries` messages that the link has not passed on.
struct Device final : sc_core::sc_module, CoherenceBackwardIf {
  explicit Device(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.bind(static_cast<CoherenceBackwardIf&>(*this));
  }
  void deliver(CoherenceMessage&&, Tick) override { FAIL("nothing is sent to the device"); }
  void return_credit(MessageClass, Tick) override {
    ++passed_on;
    ++credits;
    send();
  }
  std::size_t entries() const override { return 1; }
  void send() {
    for (; credits != 0 && unsent != 0; --credits, --unsent) {
      CoherenceMessage m;
      m.type = MessageType::kReadRequest;  // 8 bytes
      m.from = kDevice;
      m.to = kHost;
      socket->deliver(std::move(m), now());
    }
  }
  CoherenceInitiatorSocket socket;
  unsigned credits = 16;
  unsigned unsent = 0;
  unsigned passed_on = 0;
};

struct Host final : sc_core::sc_module, CoherenceForwardIf {
  explicit Host(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.bind(static_cast<CoherenceForwardIf&>(*this));
  }
  void deliver(CoherenceMessage&&, Tick at) override {
    arrivals.push_back(at);
    if (responds) socket->return_credit(MessageClass::kRequest, at + 1 * kNs);
  }
  void return_credit(MessageClass, Tick) override {}
  std::size_t entries() const override { return 2; }
  CoherenceTargetSocket socket;
  std::vector<Tick> arrivals;
  bool responds = true;
};

/// `device_of_host`: the device that the directory belongs to; empty for the host's.
CoherenceLinkEnds place(std::vector<unsigned> device_of_host) {
  CoherenceLinkEnds p;
  p.parent_sockets = 1;
  p.device_of_parent = std::move(device_of_host);
  p.device_of_child = {0};
  p.sockets = {{kHost, 0}, {kDevice, 1}};
  return p;
}

struct Wire {
  Device device{"device"};
  Host host{"host"};
  CoherenceLink link;
  explicit Wire(std::uint64_t latency_ns, std::vector<unsigned> device_of_host = {})
      : link("link", config(latency_ns), place(std::move(device_of_host))) {
    link.parents[0].bind(host.socket);
    device.socket.bind(link.children[0]);
  }
  static CoherenceLinkConfig config(std::uint64_t latency_ns) {
    CoherenceLinkConfig c;  // 16 bytes a cycle of 1 ns
    c.latency_ns = latency_ns;
    return c;
  }
  void send(unsigned messages) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    device.unsent = messages;
    device.send();
    sc_core::sc_start(10, sc_core::SC_US);
  }
};

}  // namespace

TEST_CASE("the latency of a link does not limit its rate") {
  Wire wire(140);
  wire.send(100);
  REQUIRE(wire.host.arrivals.size() == 100);
  // One message a cycle. Two entries that are in use for a nanosecond are enough.
  for (unsigned i = 0; i < 100; ++i) CHECK(wire.host.arrivals[i] == (i + 1 + 140) * kNs);
  CHECK(wire.link.idle());
}

TEST_CASE("nor does it between two devices") {
  Wire wire(140, {1});
  wire.send(100);
  REQUIRE(wire.host.arrivals.size() == 100);
  // Both directions, the second one from 140 ns after a message entered the first.
  for (unsigned i = 0; i < 100; ++i) CHECK(wire.host.arrivals[i] == (140 + i + 1 + 140) * kNs);
}

TEST_CASE("a wire and its end hold a queue and what the latency covers") {
  Wire wire(140);
  wire.host.responds = false;
  wire.send(300);
  CHECK(wire.host.arrivals.size() == 2);  // its entries
  CHECK(wire.device.passed_on == 2 + 16 + 140);
  std::vector<Waiting> waiting;
  wire.link.describe_waiting(waiting);
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[0].queue == "link.end_to_host0_request");
  CHECK(waiting[0].items == 156);
  CHECK(begins_with(waiting[0].waits_for, "an entry of class request at link.parents_0"));
  CHECK(waiting[1].queue == "link.to_host0_request");
  CHECK(waiting[1].items == 16);
  CHECK(begins_with(waiting[1].waits_for, "a place at the end of the link to link.parents_0"));
  // An entry that is free again is used in the next cycle.
  const Tick freed = now() + 5 * kNs;
  wire.host.socket->return_credit(MessageClass::kRequest, freed);
  sc_core::sc_start(1, sc_core::SC_US);
  REQUIRE(wire.host.arrivals.size() == 3);
  CHECK(wire.host.arrivals[2] == freed + 1 * kNs);
}

}  // namespace tessera::coherence_link_test
