/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth-first search: stimuli/kernels/bfs/bfs.ptx searches one level a launch. The core launches
   levels until a flag in managed memory stays 0, and compares with a search of its own. */
#include "tessera.h"

#define VERTICES 8192
#define DEGREE 6
#define EDGES (VERTICES * DEGREE)

static int32_t expected[VERTICES];
static uint32_t frontier[VERTICES];

/* Random edges; a vertex has DEGREE of them. */
static void make_graph(int32_t* row_start, int32_t* edges) {
  uint32_t seed = 1;
  for (unsigned v = 0; v <= VERTICES; ++v) row_start[v] = (int32_t)(DEGREE * v);
  for (unsigned e = 0; e < EDGES; ++e) {
    seed = seed * 1664525 + 1013904223;
    edges[e] = (int32_t)(seed >> 16) % VERTICES;
  }
}

static void search(const int32_t* row_start, const int32_t* edges) {
  for (unsigned v = 0; v < VERTICES; ++v) expected[v] = -1;
  expected[0] = 0;
  frontier[0] = 0;
  for (unsigned first = 0, last = 1; first != last; ++first) {
    const uint32_t v = frontier[first];
    for (int32_t e = row_start[v]; e < row_start[v + 1]; ++e) {
      const int32_t to = edges[e];
      if (expected[to] >= 0) continue;
      expected[to] = expected[v] + 1;
      frontier[last++] = (uint32_t)to;
    }
  }
}

int main(void) {
  int32_t *row_start, *edges, *level;
  volatile int32_t* changed;
  gpu_kernel kernel;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "bfs_level"));
  GPU_CHECK(gpu_malloc_managed((void**)&row_start, (VERTICES + 1) * sizeof *row_start));
  GPU_CHECK(gpu_malloc_managed((void**)&edges, EDGES * sizeof *edges));
  GPU_CHECK(gpu_malloc_managed((void**)&level, VERTICES * sizeof *level));
  GPU_CHECK(gpu_malloc_managed((void**)&changed, sizeof *changed));
  make_graph(row_start, edges);
  search(row_start, edges);
  GPU_CHECK(gpu_memset((device_pointer)level, 0xff, VERTICES * sizeof *level));
  level[0] = 0;
  const int32_t vertices = VERTICES;
  int32_t current = 0;
  do {
    *changed = 0;
    const gpu_argument arguments[] = {GPU_ARGUMENT(row_start), GPU_ARGUMENT(edges),
                                      GPU_ARGUMENT(level),     GPU_ARGUMENT(changed),
                                      GPU_ARGUMENT(vertices),  GPU_ARGUMENT(current)};
    GPU_CHECK(gpu_launch(&(gpu_launch_info){.kernel = kernel,
                                            .grid = {VERTICES / 128},
                                            .block = {128},
                                            .arguments = arguments,
                                            .count = 6}));
    GPU_CHECK(gpu_stream_synchronize(0));
    ++current;
  } while (*changed != 0);
  unsigned wrong = 0;
  for (unsigned v = 0; v < VERTICES; ++v) wrong += level[v] != expected[v];
  printf("bfs: %u of %u wrong, %d levels\n", wrong, VERTICES, (int)current);
  return wrong != 0;
}
