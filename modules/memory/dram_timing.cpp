// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_timing.h"

namespace tessera {

namespace {

void not_before(MemoryCycle& at, MemoryCycle cycle) { at = std::max(at, cycle); }

}  // namespace

DramTiming::DramTiming(const DramConfig& config, std::uint32_t columns)
    : config_(config), span_((columns - 1) * config.t_ccd_l) {
  while (config.bank_groups << group_shift_ < config.banks) ++group_shift_;
}

void DramTiming::activate(std::uint32_t bank, std::uint32_t row, MemoryCycle cycle) {
  open_ |= std::uint64_t{1} << bank;
  row_[bank] = row;
  bank_activate_[bank] = cycle + config_.t_rc;
  bank_column_[bank] = cycle + config_.t_rcd;
  bank_precharge_[bank] = cycle + config_.t_ras;
  groups_[group(bank)].activate = cycle + config_.t_rrd_l;
  activate_ = cycle + config_.t_rrd_s;
  last_activates_[oldest_activate_] = cycle + config_.t_faw;
  oldest_activate_ = (oldest_activate_ + 1) % 4;
}

void DramTiming::precharge(std::uint32_t bank, MemoryCycle cycle) {
  open_ &= ~(std::uint64_t{1} << bank);
  not_before(bank_activate_[bank], cycle + config_.t_rp);
}

void DramTiming::column(std::uint32_t bank, bool write, MemoryCycle cycle) {
  const MemoryCycle last = cycle + span_;
  const MemoryCycle same_group = last + std::max(config_.burst_clocks, config_.t_ccd_l);
  const MemoryCycle any_group = last + std::max(config_.burst_clocks, config_.t_ccd_s);
  GroupState& g = groups_[group(bank)];
  for (const bool w : {false, true}) {
    not_before(g.column[w], same_group);
    not_before(column_[w], any_group);
  }
  if (write) {
    const MemoryCycle data_end = last + config_.t_wl + config_.burst_clocks;
    not_before(g.column[false], data_end + config_.t_wtr_l);
    not_before(column_[false], data_end + config_.t_wtr_s);
    not_before(bank_precharge_[bank], data_end + config_.t_wr);
  } else {
    const MemoryCycle data_end = last + config_.t_cl + config_.burst_clocks;
    const MemoryCycle write_data = data_end + config_.t_rtw;
    if (write_data > config_.t_wl) not_before(column_[true], write_data - config_.t_wl);
    not_before(bank_precharge_[bank], last + config_.t_rtp);
  }
}

DramTiming::Refresh DramTiming::refresh(MemoryCycle due) {
  Refresh at{kNoCycle, due};
  MemoryCycle all_ready = due;  // auto-precharges must have begun
  for (std::uint32_t i = 0; i < config_.banks; ++i) {
    not_before(all_ready, bank_precharge_[i]);
  }
  if (open_ != 0) at.precharge = all_ready;
  for (std::uint32_t i = 0; i < config_.banks; ++i) {
    if (open(i)) precharge(i, at.precharge);
    not_before(at.refresh, bank_activate_[i]);
  }
  for (std::uint32_t i = 0; i < config_.banks; ++i) {
    bank_activate_[i] = at.refresh + config_.t_rfc;
  }
  return at;
}

void DramTiming::reset() {
  for (auto* times : {&bank_column_, &bank_activate_, &bank_precharge_}) times->fill(0);
  row_.fill(0);
  open_ = 0;
  groups_.fill({});
  activate_ = 0;
  column_ = {};
  last_activates_ = {};
  oldest_activate_ = 0;
}

}  // namespace tessera
