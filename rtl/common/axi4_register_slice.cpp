// SPDX-License-Identifier: Apache-2.0
#include "rtl/common/axi4_register_slice.h"

namespace tessera {

template <class Pins>
void Axi4Queues::Queue<Pins>::step(Pins& from, Pins& to) {
  const bool takes = from.valid && from.ready;
  if (to.valid && to.ready) {
    entries[0] = entries[1];
    --count;
  }
  if (takes) entries[count++] = from;
  from.ready = count < entries.size();
  if (count != 0) {
    const bool ready = to.ready;
    to = entries[0];
    to.ready = ready;
  }
  to.valid = count != 0;
}

void Axi4Queues::step(Axi4Pins& above, Axi4Pins& below) {
  in_reset_ = false;
  aw_.step(above.aw, below.aw);
  w_.step(above.w, below.w);
  ar_.step(above.ar, below.ar);
  b_.step(below.b, above.b);
  r_.step(below.r, above.r);
}

void Axi4Queues::reset(Axi4Pins& above, Axi4Pins& below) {
  *this = {};
  below.aw.valid = below.w.valid = below.ar.valid = above.b.valid = above.r.valid = false;
  above.aw.ready = above.w.ready = above.ar.ready = below.b.ready = below.r.ready = false;
}

bool Axi4Queues::busy() const {
  return in_reset_ || (aw_.count | w_.count | b_.count | ar_.count | r_.count) != 0;
}

}  // namespace tessera
