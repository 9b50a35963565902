// SPDX-License-Identifier: Apache-2.0
#include "bench/noc_tables.h"

#include <string>

#include "bench/fixed.h"
#include "common/json.h"

namespace tessera::bench {
namespace {

constexpr double kSaturated = 1;
/// Below this part of the offered load, a crossbar is beyond its saturation.
constexpr double kCarried = 0.99;
const double kLoads[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

struct Variant {
  InputQueues queues;
  std::uint32_t speedup;
  std::uint32_t buffer_flits;
};

constexpr Variant kVariants[] = {
    {InputQueues::kFifo, 1, 18},           {InputQueues::kFifo, 1, 256},
    {InputQueues::kFifo, 2, 18},           {InputQueues::kFifo, 2, 36},
    {InputQueues::kFifo, 2, 256},          {InputQueues::kFifo, 4, 18},
    {InputQueues::kVirtualOutput, 1, 18},  {InputQueues::kVirtualOutput, 1, 72},
    {InputQueues::kVirtualOutput, 1, 256}, {InputQueues::kVirtualOutput, 2, 18},
    {InputQueues::kVirtualOutput, 2, 72},  {InputQueues::kVirtualOutput, 2, 256}};

NocTraffic traffic_of(const Variant& v, unsigned ports, unsigned flits, double load) {
  NocTraffic t;
  t.network.input_queues = v.queues;
  t.network.internal_speedup = v.speedup;
  t.network.input_buffer_flits = v.buffer_flits;
  t.ports = ports;
  t.flits = flits;
  t.load = load;
  return t;
}

std::string name_of(const Variant& v) {
  return std::string("| ") + (v.queues == InputQueues::kFifo ? "fifo" : "virtual-output") + " | " +
         std::to_string(v.speedup) + " | " + std::to_string(v.buffer_flits) + " |";
}

/// A switch with single-flit packets, without limits of buffers.
NocTraffic single_switch(unsigned ports, double load) {
  NocTraffic t;
  t.network.radix = 64;
  t.network.input_buffer_flits = 65'535;
  t.ports = ports;
  t.flits = 1;
  t.load = load;
  t.measured = 200'000;
  return t;
}

void print_saturation(std::ostream& out) {
  out << "| `input_queues` | `internal_speedup` | `input_buffer_flits` | 8x8, 1 flit | 8x8, 9 "
         "flits | "
         "64x64, 1 flit | 64x64, 9 flits |\n| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Variant& v : kVariants) {
    out << name_of(v);
    for (const unsigned ports : {8U, 64U}) {
      for (const unsigned flits : {1U, 9U}) {
        out << ' ' << fixed(run(traffic_of(v, ports, flits, kSaturated)).throughput, 2) << " |";
      }
    }
    out << std::endl;
  }
}

void print_latency(std::ostream& out) {
  out << "\n| `input_queues` | `internal_speedup` | `input_buffer_flits` |";
  for (const double load : kLoads) out << ' ' << fixed(load, 1) << " |";
  out << "\n| --- | --- | --- |";
  for (std::size_t i = 0; i < std::size(kLoads); ++i) out << " --- |";
  out << '\n';
  for (const Variant& v : kVariants) {
    out << name_of(v);
    for (const double load : kLoads) {
      const NocTrafficResult r = run(traffic_of(v, 64, 9, load));
      out << ' ' << (r.throughput < kCarried * load ? std::string() : fixed(r.latency, 0)) << " |";
    }
    out << std::endl;
  }
}

void print_published(std::ostream& out) {
  out << "\n| one switch, 1 flit | published | model |\n| --- | --- | --- |\n";
  for (const PublishedFigure& f : fifo_saturation()) {
    NocTraffic t = single_switch(static_cast<unsigned>(f.at), kSaturated);
    out << "| saturation, FIFO, " << t.ports << "x" << t.ports << " | " << fixed(f.value, 4)
        << " | " << fixed(run(t).throughput, 4) << " |" << std::endl;
  }
  for (const PublishedFigure& f : islip_wait()) {
    NocTraffic t = single_switch(16, f.at);
    t.network.input_queues = InputQueues::kVirtualOutput;
    out << "| wait, iSLIP, one iteration, 16x16, load " << fixed(f.at, 2) << " | "
        << fixed(f.value, 1) << " | " << fixed(run(t).wait, 1) << " |" << std::endl;
  }
  for (const double load : {0.5, 0.8, 0.9}) {
    NocTraffic t = single_switch(8, load);
    t.network.internal_speedup = 8;
    out << "| wait, speedup 8, 8x8, load " << fixed(load, 2) << " | "
        << fixed(output_queued_wait(8, load), 2) << " | " << fixed(run(t).wait, 2) << " |"
        << std::endl;
  }
}

}  // namespace

const std::vector<PublishedFigure>& fifo_saturation() {
  static const std::vector<PublishedFigure> figures = {
      {2, 0.7500}, {3, 0.6825}, {4, 0.6553}, {5, 0.6399}, {6, 0.6302}, {7, 0.6234}, {8, 0.6184}};
  return figures;
}

const std::vector<PublishedFigure>& islip_wait() {
  static const std::vector<PublishedFigure> figures = {{0.50, 1.3},  {0.60, 4.4},  {0.66, 13.8},
                                                       {0.73, 27.8}, {0.79, 42.7}, {0.86, 74.6},
                                                       {0.90, 120}};
  return figures;
}

double output_queued_wait(unsigned ports, double load) {
  return (ports - 1.0) / ports * load / (2 * (1 - load));
}

nlohmann::ordered_json noc_curve(NocTraffic traffic) {
  nlohmann::ordered_json d;
  traffic.load = kSaturated;
  d["saturation"] = run(traffic).throughput;
  for (const double load : kLoads) {
    traffic.load = load;
    const NocTrafficResult r = run(traffic);
    if (r.throughput >= kCarried * load) d["latency_cycles"][fixed(load, 1)] = r.latency;
  }
  return d;
}

void print_noc_tables(std::ostream& out) {
  print_saturation(out);
  print_latency(out);
  print_published(out);
}

}  // namespace tessera::bench
