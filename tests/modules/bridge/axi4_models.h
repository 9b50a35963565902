// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small clocked models with AXI4 pins, in place of RTL. VALID and payloads are registers.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "modules/bridge/axi4_pins.h"
#include "modules/bridge/rtl_model.h"

namespace tessera::test {

/// A transfer on a channel: the edge, and the payload of the address channels.
struct Transfer {
  Tick at = 0;
  Axi4Address address;
  std::uint32_t id = 0;
  bool last = false;
  Axi4Response resp = Axi4Response::kOkay;
  ByteMask strobe{};
  std::vector<unsigned char> data{};  ///< W and R: the whole bus
};

/// A memory with the pins of a subordinate. READY is set except in reset. The response to a
/// transfer at edge c (AR, or the last W) is VALID at edge c + 1 + latency, one a cycle.
class AxiMemory final : public RtlModel {
 public:
  AxiMemory(Axi4Pins& pins, unsigned data_bytes) : pins_(pins), data_bytes_(data_bytes) {}

  unsigned latency = 0;
  bool newest_first = false;  ///< reads: the last burst with another ID first
  bool hold = false;          ///< no response becomes VALID
  std::function<Axi4Response(std::uint64_t address)> response_of;
  std::unordered_map<std::uint64_t, unsigned char> bytes;
  std::vector<Transfer> aw, w, ar;

  static unsigned char initial(std::uint64_t a) { return static_cast<unsigned char>(a * 7 + 1); }
  unsigned char byte(std::uint64_t a) const {
    const auto it = bytes.find(a);
    return it == bytes.end() ? initial(a) : it->second;
  }

  void set_reset(bool active) override { reset_ = active; }
  bool busy() const override { return !writes_.empty() || !reads_.empty() || !responses_.empty(); }
  void step(Tick t) override {
    ++cycle_;
    if (reset_) {
      writes_.clear();
      reads_.clear();
      responses_.clear();
      set_outputs(false);
      return;
    }
    accept(t);
    set_outputs(true);
  }

 private:
  struct Open {
    Axi4Address address;
    unsigned beat = 0;
    std::uint64_t due = 0;
  };

  void accept(Tick t) {
    if (pins_.b.valid && pins_.b.ready) pins_.b.valid = false;
    if (pins_.r.valid && pins_.r.ready) pins_.r.valid = false;
    if (pins_.aw.valid && pins_.aw.ready) {
      aw.push_back({t, pins_.aw, pins_.aw.id});
      writes_.push_back({pins_.aw});
    }
    if (pins_.w.valid && pins_.w.ready) {
      w.push_back({t, {}, 0, pins_.w.last, {}, pins_.w.strobe, bus(pins_.w.data)});
      data_.push_back(pins_.w);
    }
    while (!data_.empty() && !writes_.empty()) write();
    if (pins_.ar.valid && pins_.ar.ready) {
      ar.push_back({t, pins_.ar, pins_.ar.id});
      reads_.push_back({pins_.ar, 0, cycle_ + latency});
    }
  }
  void write() {
    Open& open = writes_.front();
    const Axi4WritePins data = data_.front();
    data_.pop_front();
    const std::uint64_t first = open.address.beat_address(open.beat);
    for (unsigned i = 0; i < data_bytes_; ++i) {
      if (data.strobe.test(i)) bytes[(first & ~std::uint64_t{data_bytes_ - 1}) + i] = data.data[i];
    }
    if (open.beat++ != open.address.len) return;
    open.due = cycle_ + latency;
    responses_.push_back(open);
    writes_.pop_front();
  }
  void set_outputs(bool on) {
    pins_.aw.ready = pins_.w.ready = pins_.ar.ready = on;
    if (!on) {
      pins_.b.valid = pins_.r.valid = false;
      data_.clear();
    }
    if (hold) return;
    if (!pins_.b.valid && !responses_.empty() && responses_.front().due <= cycle_) {
      pins_.b.valid = true;
      pins_.b.id = responses_.front().address.id;
      pins_.b.resp = response(responses_.front().address.addr);
      responses_.pop_front();
    }
    if (!pins_.r.valid && !reads_.empty()) read();
  }
  void read() {
    std::size_t i = 0;
    if (newest_first && reads_[0].beat == 0) {
      for (std::size_t k = 1; k < reads_.size(); ++k) {
        if (reads_[k].address.id != reads_[0].address.id) i = k;
      }
    }
    Open& open = reads_[i];
    if (open.due > cycle_) return;
    Axi4ReadPins& r = pins_.r;
    const std::uint64_t a = open.address.beat_address(open.beat);
    for (unsigned k = 0; k < data_bytes_; ++k) {
      r.data[k] = byte((a & ~std::uint64_t{data_bytes_ - 1}) + k);
    }
    r.valid = true;
    r.id = open.address.id;
    r.resp = response(a);
    r.last = open.beat == open.address.len;
    ++open.beat;
    if (r.last) reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  Axi4Response response(std::uint64_t a) const {
    return response_of ? response_of(a) : Axi4Response::kOkay;
  }
  template <class Data>
  std::vector<unsigned char> bus(const Data& data) const {
    return {data.begin(), data.begin() + data_bytes_};
  }

  Axi4Pins& pins_;
  const unsigned data_bytes_;
  std::deque<Open> writes_;
  std::deque<Open> reads_;
  std::deque<Open> responses_;
  std::deque<Axi4WritePins> data_;
  std::uint64_t cycle_ = 0;
  bool reset_ = false;
};

/// A manager that plays a list of transfers on each channel: transfer i is VALID at the edge
/// `at` or after the one before. READY of B and R is set unless `ready` says otherwise.
class AxiScript final : public RtlModel {
 public:
  explicit AxiScript(Axi4Pins& pins, unsigned data_bytes) : pins_(pins), data_bytes_(data_bytes) {}

  /// `at`: earliest edge at which VALID is set.
  void read(Tick at, const Axi4Address& a) { ar_.push_back({at, a}); }
  /// Data of beat i of the bus are `data[i]`; strobes: all lanes of the beat unless given.
  void write(Tick at, const Axi4Address& a, std::vector<ByteMask> strobes = {}) {
    aw_.push_back({at, a});
    for (unsigned i = 0; i < a.beats(); ++i) {
      Axi4WritePins beat;
      beat.valid = true;
      beat.last = i == a.len;
      beat.strobe = i < strobes.size() ? strobes[i] : a.lanes(i, data_bytes_);
      for (unsigned k = 0; k < data_bytes_; ++k) {
        beat.data[k] = value(w_next_, k);
      }
      ++w_next_;
      w_.push_back({at, beat});
    }
  }
  /// Lane k of the n-th data beat.
  static unsigned char value(unsigned n, unsigned k) {
    return static_cast<unsigned char>(n * 37 + k + 1);
  }
  std::function<bool()> ready;
  std::vector<Transfer> aw, w, ar, b, r;

  void set_reset(bool active) override { reset_ = active; }
  bool busy() const override {
    return !aw_.empty() || !w_.empty() || !ar_.empty() || pins_.aw.valid || pins_.w.valid ||
           pins_.ar.valid;
  }
  /// `t`: of this edge; 1 GHz.
  void step(Tick t) override {
    if (reset_) {
      pins_.aw.valid = pins_.w.valid = pins_.ar.valid = false;
      pins_.b.ready = pins_.r.ready = false;
      return;
    }
    if (pins_.aw.valid && pins_.aw.ready) {
      aw.push_back({t, pins_.aw, pins_.aw.id});
      pins_.aw.valid = false;
    }
    if (pins_.w.valid && pins_.w.ready) {
      w.push_back({t, {}, 0, pins_.w.last});
      pins_.w.valid = false;
    }
    if (pins_.ar.valid && pins_.ar.ready) {
      ar.push_back({t, pins_.ar, pins_.ar.id});
      pins_.ar.valid = false;
    }
    if (pins_.b.valid && pins_.b.ready) b.push_back({t, {}, pins_.b.id, true, pins_.b.resp});
    if (pins_.r.valid && pins_.r.ready) {
      r.push_back({t,
                   {},
                   pins_.r.id,
                   pins_.r.last,
                   pins_.r.resp,
                   {},
                   {pins_.r.data.begin(), pins_.r.data.begin() + data_bytes_}});
    }
    const Tick next = t + kPeriod;
    present(pins_.aw, aw_, next);
    present(pins_.ar, ar_, next);
    if (!pins_.w.valid && !w_.empty() && w_.front().first <= next) {
      const bool was_ready = pins_.w.ready;
      pins_.w = w_.front().second;
      pins_.w.ready = was_ready;
      w_.pop_front();
    }
    pins_.b.ready = pins_.r.ready = !ready || ready();
  }

 private:
  static constexpr Tick kPeriod = 1'000'000;  // 1 GHz

  template <class Queue>
  static void present(Axi4AddressPins& pins, Queue& queue, Tick next) {
    if (pins.valid || queue.empty() || queue.front().first > next) return;
    static_cast<Axi4Address&>(pins) = queue.front().second;
    pins.valid = true;
    queue.pop_front();
  }

  Axi4Pins& pins_;
  const unsigned data_bytes_;
  std::deque<std::pair<Tick, Axi4Address>> aw_;
  std::deque<std::pair<Tick, Axi4Address>> ar_;
  std::deque<std::pair<Tick, Axi4WritePins>> w_;
  unsigned w_next_ = 0;
  bool reset_ = false;
};

}  // namespace tessera::test
