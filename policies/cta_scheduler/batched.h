// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/parameter_visitor.h"

namespace tessera {

/// Parameters of the CTA scheduler "batched".
struct BatchedParameters {
  std::uint32_t batch = 8;  ///< CTAs
  /// Contiguous batches per GPU, dealt in turn to its nodes; otherwise dealt to all nodes.
  bool hierarchical = false;
};

void describe(ParameterVisitor& v, BatchedParameters& p);

}  // namespace tessera
