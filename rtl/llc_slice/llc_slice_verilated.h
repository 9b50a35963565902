// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <string>

#include "rtl/common/recorder.h"
#include "rtl/common/wide.h"
#include "rtl/llc_slice/llc_slice_model.h"

namespace tessera {

/// The pins of a Verilated slice. `Top`: the model of a design with the ports of llc_slice.sv.
template <class Top>
class VerilatedLlcSlice final : public LlcSliceModel {
 public:
  explicit VerilatedLlcSlice(const std::string& name) : top_(&context_, name.c_str()) {}
  ~VerilatedLlcSlice() override {
    recorder_.end_waves();
    top_.final();
  }

  void configure(const LlcSlicePins::Configuration& c) override {
    top_.cfg_sets = static_cast<CData>(c.sets);
    top_.cfg_ways = static_cast<CData>(c.ways);
    top_.cfg_mshrs = static_cast<SData>(c.mshrs);
    top_.cfg_targets = static_cast<CData>(c.targets);
    top_.cfg_latency = static_cast<SData>(c.latency);
    top_.cfg_entries = LlcSlicePins::kEntries;
    top_.cfg_response_depth = static_cast<SData>(c.response_depth);
    top_.cfg_memory_depth = static_cast<SData>(c.memory_depth);
    top_.cfg_remote_depth = static_cast<SData>(c.remote_depth);
    top_.cfg_local = static_cast<CData>((1U << c.local_ports) - 1);
    top_.cfg_oldest_first = c.oldest_first;
    top_.cfg_flush_copies = c.flush_copies;
    put_mask(top_.cfg_whole, ByteMask::first(c.line_bytes));
    line_bytes_ = c.line_bytes;
  }

  void set_reset(bool active) override { top_.rst_n = !active; }

  void step(Tick t) override {
    put_inputs();
    recorder_.cycle(t);
    get_outputs();
  }

  bool begin_waves(const std::string& file, Tick half_period) override {
    return recorder_.begin_waves(file, half_period);
  }
  void end_waves() override { recorder_.end_waves(); }
  bool write_coverage(const std::string& file) override { return recorder_.write_coverage(file); }

  bool busy() const override { return top_.busy != 0; }

  Line find(std::uint32_t set, std::uint64_t line) override {
    top_.dbg_queue = 0;
    top_.dbg_set = static_cast<CData>(set);
    return look(line);
  }
  Line find_write_back(std::uint32_t i, std::uint64_t line) override {
    top_.dbg_queue = 1;
    top_.dbg_entry = static_cast<CData>(i);
    return look(line);
  }
  std::uint32_t memory_queue() const override { return top_.memory_used; }
  void write_found(const unsigned char* bytes, const ByteMask& mask) override {
    std::memcpy(top_.dbg_write_data.data(), bytes, line_bytes_);
    put_mask(top_.dbg_mask, mask);
    change_found(false);
  }
  void drop_found() override {
    put_mask(top_.dbg_mask, {});
    change_found(true);
  }

 private:
  Line look(std::uint64_t line) {
    top_.debug = 1;
    top_.dbg_line = line;
    top_.eval();
    Line found;
    found.present = top_.dbg_hit != 0;
    found.locked = top_.dbg_locked != 0;
    found.dirty = get_mask(top_.dbg_dirty);
    std::memcpy(found_.data(), top_.dbg_data.data(), found_.size());
    found.bytes = found_.data();
    top_.debug = 0;
    return found;
  }
  void change_found(bool drop) {
    top_.debug = 1;
    top_.dbg_drop = drop;
    recorder_.cycle(now());
    top_.dbg_drop = 0;
    top_.debug = 0;
    top_.eval();
  }

  void put_inputs() {
    std::uint32_t valid = 0;
    std::uint32_t write = 0;
    std::uint32_t foreign = 0;
    std::uint32_t bypass = 0;
    std::uint32_t keep = 0;
    std::uint32_t ready = 0;
    std::uint32_t space = 0;
    for (std::uint32_t p = 0; p < LlcSlicePins::kPorts; ++p) {
      const LineRequestPins& in = pins.in[p];
      ready |= std::uint32_t{pins.out[p].ready} << p;
      space |= std::uint32_t{pins.out[p].space} << p;
      if (!in.valid) continue;
      valid |= 1U << p;
      write |= std::uint32_t{in.write} << p;
      foreign |= std::uint32_t{(in.user & LlcSlicePins::kForeign) != 0} << p;
      bypass |= std::uint32_t{(in.user & LlcSlicePins::kBypass) != 0} << p;
      keep |= std::uint32_t{(in.user & LlcSlicePins::kKeep) != 0} << p;
      put_bits(top_.in_id, 16 * p, 16, in.id);
      put_bits(top_.in_set, kSetBits * p, kSetBits, in.user & LlcSlicePins::kSetMask);
      put_bits(top_.in_line, LlcSlicePins::kLineBits * p, LlcSlicePins::kLineBits,
               in.address / line_bytes_);
      if (in.write) {
        put_bytes(top_.in_data, 128 * p, in.data, line_bytes_);
        put_bits(top_.in_mask, 128 * p, 64, in.mask.low);
        put_bits(top_.in_mask, 128 * p + 64, 64, in.mask.high);
      }
    }
    top_.in_valid = static_cast<CData>(valid);
    top_.in_write = static_cast<CData>(write);
    top_.in_foreign = static_cast<CData>(foreign);
    top_.in_bypass = static_cast<CData>(bypass);
    top_.in_keep = static_cast<CData>(keep);
    top_.out_ready = static_cast<CData>(ready);
    top_.out_space = static_cast<CData>(space);
    top_.mem_ready = pins.memory.ready;
    top_.mem_space = pins.memory.space;
    top_.rem_ready = pins.remote.ready;
    top_.rem_space = pins.remote.space;
    const LineResponsePins& m = pins.memory_response;
    top_.mem_resp_valid = m.valid;
    if (m.valid) {
      top_.mem_resp_write = m.write;
      top_.mem_resp_error = m.error;
      top_.mem_resp_id = static_cast<CData>(m.id);
      if (!m.write) put_bytes(top_.mem_resp_data, 0, m.data, line_bytes_);
    }
    const LineResponsePins& r = pins.remote_response;
    top_.rem_resp_valid = r.valid;
    if (r.valid) {
      top_.rem_resp_fetch = (r.id & LlcSlicePins::kFetch) != 0;
      top_.rem_resp_error = r.error;
      top_.rem_resp_port = r.id >> LlcSlicePins::kPortShift & (LlcSlicePins::kPorts - 1);
      top_.rem_resp_id = static_cast<SData>(r.id);
      put_bytes(top_.rem_resp_data, 0, r.data, line_bytes_);
    }
    top_.flush = pins.flush;
    top_.drop_copies = pins.drop_copies;
  }

  void get_outputs() {
    for (std::uint32_t p = 0; p < LlcSlicePins::kPorts; ++p) {
      pins.in[p].ready = (top_.in_ready >> p & 1) != 0;
      LineResponsePins& out = pins.out[p];
      out.valid = (top_.out_valid >> p & 1) != 0;
      if (!out.valid) continue;
      out.error = (top_.out_error >> p & 1) != 0;
      out.id = static_cast<std::uint32_t>(get_bits(top_.out_id, 16 * p, 16));
      out.data = bytes_of(top_.out_data, 128 * p);
    }
    LineRequestPins& m = pins.memory;
    m.valid = top_.mem_valid != 0;
    if (m.valid) {
      m.write = top_.mem_write != 0;
      m.id = top_.mem_id;
      m.user = top_.mem_tag;
      m.address = top_.mem_line * std::uint64_t{line_bytes_};
      m.mask = get_mask(top_.mem_mask);
      m.data = bytes_of(top_.mem_data, 0);
    }
    LineRequestPins& r = pins.remote;
    r.valid = top_.rem_valid != 0;
    if (r.valid) {
      r.write = top_.rem_write != 0;
      r.id = top_.rem_id | std::uint32_t{top_.rem_port} << LlcSlicePins::kPortShift |
             (top_.rem_fetch != 0 ? LlcSlicePins::kFetch : 0);
      r.user = top_.rem_tag;
      r.address = top_.rem_line * std::uint64_t{line_bytes_};
      r.mask = get_mask(top_.rem_mask);
      r.data = bytes_of(top_.rem_data, 0);
    }
    pins.memory_response.ready = top_.mem_resp_ready != 0;
    pins.remote_response.ready = top_.rem_resp_ready != 0;
    pins.flush_done = top_.flush_done != 0;
    LlcSlicePins::Events& e = pins.events;
    e.lookup = top_.ev_lookup != 0;
    e.write_back = top_.ev_write_back != 0;
    e.copy_kept = top_.ev_copy_kept != 0;
    e.stall = {static_cast<LlcSlicePins::Stall>(top_.ev_stall_remote),
               static_cast<LlcSlicePins::Stall>(top_.ev_stall_local)};
    e.id = top_.ev_id;
    if (e.lookup) {
      e.local = top_.ev_lookup_local != 0;
      e.outcome = static_cast<LlcSlicePins::Outcome>(top_.ev_outcome);
      e.evict = top_.ev_evict != 0;
      e.mshr = top_.ev_miss_mshr;
    }
    pins.mshrs_used = top_.mshrs_used;
    pins.queued = {top_.rmr_used, top_.lmr_used};
  }

  static constexpr unsigned kSetBits = 6;
  static_assert(1U << kSetBits == LlcSlicePins::kSets);

  VerilatedContext context_;
  Top top_;
  Recorder<Top> recorder_{context_, top_, top_.clk};
  std::uint32_t line_bytes_ = 128;
  std::array<unsigned char, kMaxLineBytes> found_{};
};

}  // namespace tessera
