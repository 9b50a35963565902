// SPDX-License-Identifier: Apache-2.0
// A filter with a finite impulse response over a signal that comes in pieces, one output a thread:
// the last inputs, up to the number of taps, times the taps, which all threads share. What a piece
// needs of the piece before it is in a short history, which fir_keep refreshes.
#include "../cuda_device.h"

// history holds the taps - 1 inputs before the piece.
extern "C" __global__ void fir(const float* __restrict__ signal, const float* __restrict__ taps,
                               const float* __restrict__ history, float* __restrict__ filtered,
                               int count, int piece, int begin) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= piece) return;
  float sum = 0.0f;
  for (int k = 0; k < count; ++k) {
    const float v = i >= k ? signal[begin + i - k] : history[count - 1 + i - k];
    sum += taps[k] * v;
  }
  filtered[begin + i] = sum;
}

extern "C" __global__ void fir_keep(const float* __restrict__ signal, float* __restrict__ history,
                                    int count, int end) {
  const int i = threadIdx.x;
  if (i < count - 1) history[i] = signal[end - (count - 1) + i];
}
