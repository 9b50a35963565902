// SPDX-License-Identifier: Apache-2.0
#include "tests/modules/memory/dram_timing_checker.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace tessera::test {

namespace {

using Kind = DramCommand::Kind;

bool is_precharge(const DramCommand& c) {
  return c.kind == Kind::kPrecharge || c.kind == Kind::kAutoPrecharge;
}
bool is_column(const DramCommand& c) { return c.kind == Kind::kRead || c.kind == Kind::kWrite; }
bool on_row_bus(const DramCommand& c) { return !is_column(c) && c.kind != Kind::kAutoPrecharge; }
bool closes(const DramCommand& c, std::uint32_t bank) {
  return c.kind == Kind::kPrechargeAll || (is_precharge(c) && c.bank == bank);
}

}  // namespace

std::vector<DramCommand> DramTimingChecker::sorted() const {
  std::vector<DramCommand> out = commands_;
  std::stable_sort(out.begin(), out.end(),
                   [](const DramCommand& a, const DramCommand& b) { return a.cycle < b.cycle; });
  return out;
}

std::vector<MemoryCycle> DramTimingChecker::cycles(Kind kind, int bank) const {
  std::vector<MemoryCycle> out;
  for (const DramCommand& c : sorted()) {
    if (c.kind == kind && (bank < 0 || c.bank == static_cast<std::uint32_t>(bank))) {
      out.push_back(c.cycle);
    }
  }
  return out;
}

std::vector<std::string> DramTimingChecker::violations() const {
  const DramConfig& k = config_;
  const std::vector<DramCommand> all = sorted();
  std::vector<std::string> out;
  const auto fail = [&](const char* what, const DramCommand& a, const DramCommand& b) {
    std::ostringstream text;
    text << what << ": bank " << a.bank << " at " << a.cycle << ", bank " << b.bank << " at "
         << b.cycle;
    out.push_back(text.str());
  };
  const MemoryCycle window =
      std::max({k.t_rc, k.t_ras, k.t_faw, k.t_rfc, k.t_rtp + 16, k.t_wl + k.t_wr + 16,
                k.t_cl + k.t_rtw + 16, k.t_wl + k.t_wtr_l + 16}) +
      k.burst_clocks;
  const std::uint32_t per_group = k.banks / k.bank_groups;

  for (std::size_t j = 0; j < all.size(); ++j) {
    const DramCommand& b = all[j];
    unsigned activates = 0;
    for (std::size_t i = j; i-- > 0 && b.cycle - all[i].cycle <= window;) {
      const DramCommand& a = all[i];
      const MemoryCycle gap = b.cycle - a.cycle;
      const bool bank = a.bank == b.bank;
      const bool group = a.bank / per_group == b.bank / per_group;
      const auto need = [&](bool applies, MemoryCycle least, const char* what) {
        if (applies && gap < least) fail(what, a, b);
      };
      const bool activate_a = a.kind == Kind::kActivate;
      const bool activate_b = b.kind == Kind::kActivate;
      const bool read_a = a.kind == Kind::kRead;
      const bool read_b = b.kind == Kind::kRead;
      const bool write_a = a.kind == Kind::kWrite;
      const bool write_b = b.kind == Kind::kWrite;
      const bool precharge_b = closes(b, a.bank);

      need(on_row_bus(a) && on_row_bus(b), 1, "row bus");
      need(is_column(a) && is_column(b), 1, "column bus");
      need(activate_a && activate_b && bank, k.t_rc, "tRC");
      need(activate_a && is_column(b) && bank, k.t_rcd, "tRCD");
      need(activate_a && precharge_b, k.t_ras, "tRAS");
      need(activate_b && closes(a, b.bank), k.t_rp, "tRP");
      need(activate_a && activate_b && group, k.t_rrd_l, "tRRD_l");
      need(activate_a && activate_b, k.t_rrd_s, "tRRD_s");
      if (activate_a && activate_b) need(++activates == 4, k.t_faw, "tFAW");
      need(is_column(a) && is_column(b) && group, k.t_ccd_l, "tCCD_l");
      need(is_column(a) && is_column(b), k.t_ccd_s, "tCCD_s");
      need(read_a && precharge_b, k.t_rtp, "tRTP");
      need(write_a && precharge_b, k.t_wl + k.burst_clocks + k.t_wr, "tWR");
      need(write_a && read_b && group, k.t_wl + k.burst_clocks + k.t_wtr_l, "tWTR_l");
      need(write_a && read_b, k.t_wl + k.burst_clocks + k.t_wtr_s, "tWTR_s");
      if (read_a && write_b && b.cycle + k.t_wl < a.cycle + k.t_cl + k.burst_clocks + k.t_rtw) {
        fail("tRTW", a, b);
      }
      if (read_a == read_b && is_column(a) && is_column(b) && gap < k.burst_clocks) {
        fail("data bus", a, b);
      }
      need(b.kind == Kind::kRefresh && (is_precharge(a) || a.kind == Kind::kPrechargeAll), k.t_rp,
           "tRP to REF");
      need(a.kind == Kind::kRefresh && !is_column(b), k.t_rfc, "tRFC");
    }
  }

  std::map<std::uint32_t, std::uint32_t> open;  // bank -> row
  for (const DramCommand& c : all) {
    if (c.kind == Kind::kActivate) {
      if (!open.emplace(c.bank, c.row).second) fail("ACT of an open bank", c, c);
    } else if (is_column(c)) {
      const auto row = open.find(c.bank);
      if (row == open.end() || row->second != c.row) fail("column of a row not open", c, c);
    } else if (is_precharge(c)) {
      if (open.erase(c.bank) == 0) fail("PRE of a closed bank", c, c);
    } else if (c.kind == Kind::kPrechargeAll) {
      open.clear();
    } else if (!open.empty()) {
      fail("REF with an open bank", c, c);
    }
  }
  return out;
}

}  // namespace tessera::test
