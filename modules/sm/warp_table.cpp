// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/warp_table.h"

#include <algorithm>

namespace tessera {

namespace {

std::uint64_t rotate_right(std::uint64_t x, unsigned n) {
  return n == 0 ? x : (x >> n) | (x << (64 - n));
}

}  // namespace

std::uint32_t WarpTable::add(WarpProgram& program, std::uint32_t cta, std::uint32_t index) {
  const std::uint32_t slot = first(~occupied_);
  occupied_ |= bit(slot);
  Warp& w = warps_[slot];
  w.program = &program;
  w.next = nullptr;
  w.cta = static_cast<std::uint16_t>(cta);
  w.index = static_cast<std::uint16_t>(index);
  w.age = ages_++;
  w.ready_cycle = kNever;
  w.loads = w.stores = 0;
  w.pending.clear();
  return slot;
}

void WarpTable::remove(std::uint32_t slot) {
  occupied_ &= ~bit(slot);
  parked_ &= ~bit(slot);
  warps_[slot].program = nullptr;
  warps_[slot].next = nullptr;
}

void WarpTable::clear() {
  std::fill(warps_.begin(), warps_.end(), Warp{});
  occupied_ = ready_ = parked_ = wheel_used_ = 0;
  ready_for_ = {};
  wheel_ = {};
}

void WarpTable::park(std::uint32_t slot) {
  parked_ |= bit(slot);
  ready_ &= ~bit(slot);
  for (std::uint64_t& slots : ready_for_) slots &= ~bit(slot);
  warps_[slot].ready_cycle = kNever;
}

void WarpTable::find_ready(std::uint32_t slot, std::uint64_t earliest) {
  Warp& w = warps_[slot];
  std::uint64_t ready = earliest;
  const OpInfo& op = *w.next;
  const unsigned count = op.read_count + op.write_count;
  for (std::size_t i = 0; i < w.pending.size();) {
    const Warp::PendingWrite p = w.pending[i];
    if (p.ready <= earliest) {
      w.pending[i] = w.pending.back();
      w.pending.pop_back();
      continue;
    }
    for (unsigned r = 0; r < count; ++r) {
      if (op.registers[r] == p.reg) ready = std::max(ready, p.ready);
    }
    ++i;
  }
  w.ready_cycle = is_parked(slot) ? kNever : ready;
  if (w.ready_cycle != kNever) schedule_ready(slot);
}

void WarpTable::write_pending(Warp& w, const OpInfo& op, std::uint64_t ready) {
  for (unsigned i = 0; i < op.write_count; ++i) {
    w.pending.push_back(Warp::PendingWrite{op.registers[op.read_count + i], ready});
  }
}

void WarpTable::set_ready(std::uint32_t slot) {
  ready_ |= bit(slot);
  ready_for_[static_cast<unsigned>(warps_[slot].next->unit)] |= bit(slot);
}

void WarpTable::schedule_ready(std::uint32_t slot) {
  const std::uint64_t at = warps_[slot].ready_cycle;
  if (at <= current_) {
    set_ready(slot);
    return;
  }
  // A cycle beyond the wheel's horizon is rescheduled at the wheel's last slot.
  const auto i = static_cast<std::uint32_t>(std::min(at, current_ + kWheel - 1) % kWheel);
  wheel_[i] |= bit(slot);
  wheel_used_ |= bit(i);
}

void WarpTable::advance(std::uint64_t last) {
  std::uint64_t due = rotate_right(wheel_used_, static_cast<unsigned>((last + 1) % kWheel));
  if (current_ - last < kWheel) due &= bit(static_cast<std::uint32_t>(current_ - last)) - 1;
  for (; due != 0; due &= due - 1) {
    const std::uint64_t c = last + 1 + first(due);
    std::uint64_t& slots = wheel_[c % kWheel];
    for (std::uint64_t left = slots; left != 0; left &= left - 1) {
      const std::uint32_t slot = first(left);
      slots &= ~bit(slot);
      if (warps_[slot].ready_cycle <= current_) {
        set_ready(slot);
      } else if (warps_[slot].ready_cycle != kNever) {
        schedule_ready(slot);
      }
    }
    if (slots == 0) wheel_used_ &= ~bit(static_cast<std::uint32_t>(c % kWheel));
  }
}

std::uint64_t WarpTable::next_result(std::uint64_t cycle) const {
  if (wheel_used_ == 0) return kNever;
  return cycle + 1 + first(rotate_right(wheel_used_, static_cast<unsigned>((cycle + 1) % kWheel)));
}

}  // namespace tessera
