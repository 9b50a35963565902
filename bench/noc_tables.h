// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "bench/noc_traffic.h"
#include "common/json_fwd.h"

namespace tessera::bench {

/// Saturation and latency against load of one crossbar under uniform random traffic. `traffic`: its
/// load is not used.
nlohmann::ordered_json noc_curve(NocTraffic traffic);

/// The tables of docs/blocks/crossbar.md: saturation of crossbars, latency against load, and
/// figures of the literature beside those of the model.
void print_noc_tables(std::ostream& out);

/// Published figures of switches with single-flit packets (McKeown, Karol): by ports or by load.
struct PublishedFigure {
  double at = 0;
  double value = 0;
};
/// Saturation of FIFO inputs by ports (Karol, Hluchyj, Morgan, IEEE Transactions on Communications
/// 35(12), 1987, table I).
const std::vector<PublishedFigure>& fifo_saturation();
/// Mean wait of 16x16 iSLIP with one iteration, by load (McKeown, IEEE/ACM Transactions on
/// Networking 7(2), 1999, figure 5, read from the picture to about 5 %).
const std::vector<PublishedFigure>& islip_wait();
/// Mean wait in an output-queued switch at a load (Karol, Hluchyj, Morgan 1987).
double output_queued_wait(unsigned ports, double load);

}  // namespace tessera::bench
