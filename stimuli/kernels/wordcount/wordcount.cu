// SPDX-License-Identifier: Apache-2.0
// The map step of counting words in a text, after the MapReduce fashion: each thread scans its
// chunk byte by byte, first to count the words that begin in it, then, knowing from the sums of all
// counts where its records go, to emit a hash and the position of each. A word is a run of bytes
// from 'a' on; its end may lie in another thread's chunk.
#include "../cuda_device.h"

__device__ __forceinline__ bool is_letter(unsigned c) { return c >= 'a'; }

extern "C" __global__ void wordcount_count(const uint8_t* __restrict__ text, int* counts, int bytes,
                                           int chunk) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = i * chunk;
  if (begin >= bytes) return;
  const int end = min(begin + chunk, bytes);
  bool inside = begin > 0 && is_letter(text[begin - 1]);
  int words = 0;
  for (int at = begin; at < end; ++at) {
    const bool letter = is_letter(text[at]);
    if (letter && !inside) ++words;
    inside = letter;
  }
  counts[i] = words;
}

extern "C" __global__ void wordcount_emit(const uint8_t* __restrict__ text,
                                          const int* __restrict__ first_record, unsigned* hashes,
                                          int* positions, int bytes, int chunk) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = i * chunk;
  if (begin >= bytes) return;
  const int end = min(begin + chunk, bytes);
  int record = first_record[i];
  bool inside = begin > 0 && is_letter(text[begin - 1]);
  bool ours = false;  // whether the word that we are inside began in this chunk
  unsigned hash = 0;
  for (int at = begin; at < bytes && (at < end || ours); ++at) {
    const unsigned c = text[at];
    const bool letter = is_letter(c);
    if (letter && !inside) {
      positions[record] = at;
      hash = 0;
      ours = true;
    }
    if (letter) {
      hash = hash * 31 + c;
    } else if (ours) {
      hashes[record] = hash;
      ++record;
      ours = false;
    }
    inside = letter;
  }
  if (ours) hashes[record] = hash;
}
