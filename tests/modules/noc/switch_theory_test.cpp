// SPDX-License-Identifier: Apache-2.0
// Crossbars under uniform random traffic against theory and published figures.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "bench/noc_tables.h"

namespace tessera::switch_theory_test {

using bench::NocTraffic;
using bench::PublishedFigure;
using bench::run;

namespace {

constexpr double kSaturated = 1;

/// One switch, packets of one flit, buffers without limit in practice.
NocTraffic one_switch(unsigned ports, double load, Cycle measured = 200'000) {
  NocTraffic t;
  t.network.radix = 64;
  t.network.input_buffer_flits = 65'535;
  t.ports = ports;
  t.flits = 1;
  t.load = load;
  t.measured = measured;
  return t;
}

NocTraffic one_islip(unsigned ports, double load, unsigned iterations = 1) {
  NocTraffic t = one_switch(ports, load);
  t.network.input_queues = InputQueues::kVirtualOutput;
  t.network.arbitration_iterations = iterations;
  return t;
}

/// Two stages of eight 8x8 switches, line packets, as in NUBA's crossbar.
double saturation_64(InputQueues queues, unsigned speedup, unsigned buffer_flits) {
  NocTraffic t;
  t.network.input_queues = queues;
  t.network.internal_speedup = speedup;
  t.network.input_buffer_flits = buffer_flits;
  t.measured = 20'000;
  return run(t).throughput;
}

/// Mean wait in a switch with plain iSLIP, one iteration: every cell, every slot.
double plain_islip_wait(unsigned ports, double load, std::uint64_t slots) {
  std::mt19937_64 random(5);
  std::vector<std::deque<std::uint64_t>> queues(ports * ports);  // [input, output]: arrivals
  std::vector<unsigned> grant_pointer(ports, 0), accept_pointer(ports, 0);
  double sum = 0;
  std::uint64_t cells = 0;
  for (std::uint64_t slot = 0; slot < slots; ++slot) {
    for (unsigned i = 0; i < ports; ++i) {
      if (static_cast<double>(random() >> 11) * 0x1p-53 >= load) continue;
      queues[i * ports + random() % ports].push_back(slot);
    }
    std::vector<unsigned> granted(ports, ports);  // [output]: an input
    for (unsigned o = 0; o < ports; ++o) {
      for (unsigned k = 0; k < ports && granted[o] == ports; ++k) {
        const unsigned i = (grant_pointer[o] + k) % ports;
        if (!queues[i * ports + o].empty()) granted[o] = i;
      }
    }
    for (unsigned i = 0; i < ports; ++i) {
      for (unsigned k = 0; k < ports; ++k) {
        const unsigned o = (accept_pointer[i] + k) % ports;
        if (granted[o] != i) continue;
        auto& queue = queues[i * ports + o];
        if (slot >= slots / 10) {
          sum += static_cast<double>(slot - queue.front());
          ++cells;
        }
        queue.pop_front();
        grant_pointer[o] = (i + 1) % ports;
        accept_pointer[i] = (o + 1) % ports;
        break;
      }
    }
  }
  return sum / static_cast<double>(cells);
}

}  // namespace

TEST_CASE("FIFO inputs saturate as Karol, Hluchyj and Morgan computed for each number of ports") {
  for (const PublishedFigure& f : bench::fifo_saturation()) {
    const double rate = run(one_switch(static_cast<unsigned>(f.at), kSaturated)).throughput;
    CAPTURE(f.at, rate);
    CHECK(std::abs(rate - f.value) < 0.003);
  }
  // In the limit, 2 - sqrt(2).
  const double rate = run(one_switch(64, kSaturated, 40'000)).throughput;
  CAPTURE(rate);
  CHECK(rate > 2 - std::sqrt(2.0));
  CHECK(rate < 2 - std::sqrt(2.0) + 0.006);
}

TEST_CASE("iSLIP with one iteration carries uniform traffic near the sum of the links") {
  for (const unsigned ports : {4U, 16U, 32U}) {
    NocTraffic t = one_islip(ports, 0.95);
    t.measured = 100'000;
    const double rate = run(t).throughput;
    CAPTURE(ports, rate);
    CHECK(std::abs(rate - 0.95) < 0.005);
  }
  // Sources that never pause fill the queues, and full queues desynchronise the pointers.
  CHECK(run(one_islip(8, kSaturated)).throughput > 0.985);
}

TEST_CASE("the wait of 16x16 iSLIP with one iteration is McKeown's at each load") {
  for (const PublishedFigure& f : bench::islip_wait()) {
    const double wait = run(one_islip(16, f.at)).wait;
    CAPTURE(f.at, wait);
    CHECK(std::abs(wait - f.value) < 0.1 * f.value);
  }
  // Another program's figures (github.com/NoBugEveryDay/ROSS-templete,
  // run/corrent_verify_result.dat).
  for (const PublishedFigure& f : std::vector<PublishedFigure>{
           {0.50, 1.300}, {0.60, 4.456}, {0.65, 11.294}, {0.70, 21.081}, {0.79, 41.542}}) {
    const double wait = run(one_islip(16, f.at)).wait;
    CAPTURE(f.at, wait);
    CHECK(std::abs(wait - f.value) < 0.03 * f.value);
  }
}

TEST_CASE("the wait of iSLIP is that of another implementation, up to high loads") {
  for (const double load : {0.5, 0.7, 0.9, 0.94}) {
    NocTraffic t = one_islip(16, load);
    t.measured = 400'000;
    const double wait = run(t).wait;
    const double plain = plain_islip_wait(16, load, 400'000);
    CAPTURE(load, wait, plain);
    CHECK(std::abs(wait - plain) < 0.04 * plain);
  }
}

TEST_CASE("more iterations of iSLIP shorten the wait, not below that of output queues") {
  for (const double load : {0.5, 0.8, 0.9}) {
    const double bound = bench::output_queued_wait(16, load);
    double before = run(one_islip(16, load, 1)).wait;
    for (const unsigned iterations : {2U, 4U}) {
      const double wait = run(one_islip(16, load, iterations)).wait;
      CAPTURE(load, iterations, wait, before, bound);
      CHECK(wait < before);
      CHECK(wait > bound);
      before = wait;
    }
    // After log2(16) iterations, further ones match next to nothing.
    CHECK(std::abs(run(one_islip(16, load, 8)).wait - before) < 0.05 * before);
  }
}

TEST_CASE("a speedup of the number of ports gives output queues, with their exact wait") {
  for (const unsigned ports : {2U, 4U, 8U}) {
    for (const double load : {0.5, 0.8, 0.9}) {
      NocTraffic t = one_switch(ports, load, 400'000);
      t.network.internal_speedup = ports;
      const double wait = run(t).wait;
      const double exact = bench::output_queued_wait(ports, load);
      CAPTURE(ports, load, wait, exact);
      CHECK(std::abs(wait - exact) < 0.03 * exact);
    }
  }
}

TEST_CASE("with a speedup of 2, FIFO inputs no longer bound the throughput of one switch") {
  // 2 x 0.586 > 1: the exit links are the bound, if buffers have no limit.
  NocTraffic t = one_switch(16, 0.95);
  t.network.internal_speedup = 2;
  const bench::NocTrafficResult r = run(t);
  CHECK(std::abs(r.throughput - 0.95) < 0.005);
  // Little more than output queues' wait.
  CHECK(r.wait > 0.97 * bench::output_queued_wait(16, 0.95));
  CHECK(r.wait < 1.15 * bench::output_queued_wait(16, 0.95));
}

TEST_CASE("64 x 64 ports in two stages saturate where docs/blocks/crossbar.md says") {
  const struct {
    InputQueues queues;
    unsigned speedup;
    unsigned buffer_flits;
    double saturation;
  } cases[] = {
      {InputQueues::kFifo, 1, 18, 0.50},           {InputQueues::kFifo, 2, 18, 0.74},
      {InputQueues::kFifo, 2, 256, 0.97},          {InputQueues::kVirtualOutput, 1, 18, 0.64},
      {InputQueues::kVirtualOutput, 1, 256, 0.93}, {InputQueues::kVirtualOutput, 2, 72, 0.96}};
  for (const auto& c : cases) {
    const double rate = saturation_64(c.queues, c.speedup, c.buffer_flits);
    CAPTURE(static_cast<int>(c.queues), c.speedup, c.buffer_flits, rate);
    CHECK(std::abs(rate - c.saturation) < 0.012);
  }
}

}  // namespace tessera::switch_theory_test
