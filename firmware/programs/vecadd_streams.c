/* SPDX-License-Identifier: Apache-2.0 */
/* Four streams of vector additions (stimuli/kernels/vecadd/vecadd.ptx). Stream 0 begins with a
   kernel that takes long, so that its ring becomes full while the other streams run. Each stream
   adds its own vector LAUNCHES times. Then events order the streams: stream i adds its sum to that
   of stream i - 1. */
#include "tessera.h"

#define N 4096
#define STREAMS 4
#define LAUNCHES 20
#define DELAY 1024

static gpu_kernel vecadd, bfs_level;

static void add(gpu_stream stream, const float* a, const float* b, float* c) {
  const uint32_t n = N;
  const gpu_argument arguments[] = {GPU_ARGUMENT(a), GPU_ARGUMENT(b), GPU_ARGUMENT(c),
                                    GPU_ARGUMENT(n)};
  GPU_CHECK(gpu_launch(&(gpu_launch_info){.kernel = vecadd,
                                          .grid = {N / 256},
                                          .block = {256},
                                          .stream = stream,
                                          .arguments = arguments,
                                          .count = 4}));
}

/* One thread reads DELAY edges (stimuli/kernels/bfs/bfs.ptx) of a graph with one vertex, one after
   the other, and changes nothing. */
static int32_t* delay_graph(void) {
  int32_t* graph;
  GPU_CHECK(gpu_malloc_managed((void**)&graph, (DELAY + 4) * sizeof *graph));
  GPU_CHECK(gpu_memset((device_pointer)graph, 0, (DELAY + 4) * sizeof *graph));
  graph[1] = DELAY;
  return graph;
}

static void delay(gpu_stream stream, const int32_t* graph) {
  const int32_t* const level = graph + 2;
  const int32_t* const changed = graph + 3;
  const int32_t* const edges = graph + 4;
  const int32_t vertices = 1, current = 0;
  const gpu_argument arguments[] = {GPU_ARGUMENT(graph),    GPU_ARGUMENT(edges),
                                    GPU_ARGUMENT(level),    GPU_ARGUMENT(changed),
                                    GPU_ARGUMENT(vertices), GPU_ARGUMENT(current)};
  GPU_CHECK(gpu_launch(&(gpu_launch_info){
      .kernel = bfs_level, .block = {1}, .stream = stream, .arguments = arguments, .count = 6}));
}

int main(void) {
  float* vector[STREAMS];
  float* sum[STREAMS];
  gpu_stream stream[STREAMS];
  gpu_event begin, end[STREAMS];
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&vecadd, "vecadd"));
  GPU_CHECK(gpu_load(&bfs_level, "bfs_level"));
  const int32_t* const graph = delay_graph();
  GPU_CHECK(gpu_event_create(&begin));
  for (unsigned s = 0; s < STREAMS; ++s) {
    GPU_CHECK(gpu_stream_create(&stream[s], 0));
    GPU_CHECK(gpu_event_create(&end[s]));
    GPU_CHECK(gpu_malloc_managed((void**)&vector[s], N * sizeof(float)));
    GPU_CHECK(gpu_malloc_managed((void**)&sum[s], N * sizeof(float)));
    for (unsigned i = 0; i < N; ++i) {
      vector[s][i] = (float)(i % 16 + s);
      sum[s][i] = (float)s;
    }
  }
  GPU_CHECK(gpu_event_record(begin, stream[0]));
  delay(stream[0], graph); /* the ring of stream 0 becomes full */
  for (unsigned s = 0; s < STREAMS; ++s) {
    for (unsigned l = 0; l < LAUNCHES; ++l) add(stream[s], sum[s], vector[s], sum[s]);
  }
  delay(stream[0], graph); /* the other streams have to wait */
  add(stream[0], sum[0], vector[0], sum[0]);
  for (unsigned s = 0; s < STREAMS; ++s) {
    if (s != 0) {
      GPU_CHECK(gpu_stream_wait_event(stream[s], end[s - 1]));
      add(stream[s], sum[s], sum[s - 1], sum[s]);
    }
    GPU_CHECK(gpu_event_record(end[s], stream[s]));
  }
  while (gpu_event_query(end[0]) == GPU_NOT_READY) {
  }
  GPU_CHECK(gpu_event_synchronize(end[STREAMS - 1]));
  uint64_t ns;
  GPU_CHECK(gpu_event_elapsed(begin, end[STREAMS - 1], &ns));
  GPU_CHECK(gpu_device_synchronize());
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) {
    float expected = 0;
    for (unsigned s = 0; s < STREAMS; ++s) {
      expected += (float)(s + (LAUNCHES + (s == 0)) * (i % 16 + s));
      wrong += sum[s][i] != expected;
    }
  }
  printf("vecadd_streams: %u of %u wrong, %.1f us\n", wrong, STREAMS * N, (double)ns / 1000);
  return wrong != 0;
}
