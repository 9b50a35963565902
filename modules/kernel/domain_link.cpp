// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/domain_link.h"

#include <algorithm>
#include <cstdlib>

namespace tessera {

namespace {

std::string picoseconds(Tick t) { return std::to_string(t / 1000) + " ps"; }

}  // namespace

DomainPath::DomainPath(std::string from, Domain& sender, std::string to, Domain& receiver,
                       Tick latency)
    : from_(std::move(from)),
      to_(std::move(to)),
      latency_(latency),
      crosses_(&sender != &receiver) {
  if (crosses_) DomainRunner::instance().paths_.push_back(this);
}

DomainPath::~DomainPath() {
  if (!crosses_) return;
  auto& paths = DomainRunner::instance().paths_;
  paths.erase(std::find(paths.begin(), paths.end(), this));
}

void DomainPath::refuse(Tick at) const {
  const Tick t = now();
  SC_REPORT_ERROR("/tessera/core/lookahead",
                  ("a message from " + ends() + " at " + picoseconds(t) + " arrives after " +
                   (at < t ? "less than nothing" : picoseconds(at - t)) +
                   ", earlier than the latency of their link, " + picoseconds(latency_))
                      .c_str());
  std::abort();  // a handler let the run go on
}

}  // namespace tessera
