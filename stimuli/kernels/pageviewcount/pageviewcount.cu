// SPDX-License-Identifier: Apache-2.0
// Page views in a web log, after the MapReduce fashion: one record of varying length a thread, read
// byte by byte. A record is a page's address, a separator (a byte below '4') and the rest, which
// says who looked. The map step emits hashes of both; the count step counts the views of the pages
// that share a bucket, with atomics. Records are text[starts[i]] to text[starts[i + 1] - 1].
#include "../cuda_device.h"

extern "C" __global__ void pageviewcount_map(const uint8_t* __restrict__ text,
                                             const int* __restrict__ starts, unsigned* pages,
                                             unsigned* visitors, int records) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= records) return;
  const int end = starts[i + 1];
  unsigned page = 0;
  int at = starts[i];
  for (; at < end; ++at) {
    const unsigned c = text[at];
    if (c < '4') break;
    page = page * 31 + c;
  }
  unsigned visitor = 0;
  for (++at; at < end; ++at) visitor = visitor * 31 + text[at];
  pages[i] = page;
  visitors[i] = visitor;
}

extern "C" __global__ void pageviewcount_count(const unsigned* __restrict__ pages, unsigned* views,
                                               int records, unsigned buckets) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < records) atomicAdd(&views[pages[i] % buckets], 1u);
}
