/* SPDX-License-Identifier: Apache-2.0 */
/* A page-fault handler: places the pages of three vector additions with the first SM that touches
   them, in turn, and like LAB (NUBA, section 4): with the first toucher while the memories are
   balanced, else in the memory with the fewest pages. Prints the pages of each memory. Kernel:
   stimuli/kernels/vecadd/vecadd.ptx. */
#include "tessera.h"

#define N 32768
#define MOST_MEMORIES 64

static uint32_t memories;
static uint32_t pages[MOST_MEMORIES]; /* of the present policy */
static uint32_t all_pages[MOST_MEMORIES];
static uint32_t faults, local_faults;

static uint32_t put(uint32_t memory, const gpu_fault* fault) {
  ++faults;
  local_faults += memory == fault->local;
  ++pages[memory];
  ++all_pages[memory];
  return memory;
}

static uint32_t first_touch(const gpu_fault* fault) { return put(fault->local, fault); }

static uint32_t round_robin(const gpu_fault* fault) { return put(faults % memories, fault); }

/* Average pages of a memory over the most are below nine tenths: not balanced. */
static uint32_t local_and_balanced(const gpu_fault* fault) {
  uint64_t sum = 0, most = 0;
  uint32_t fewest = 0;
  for (uint32_t m = 0; m < memories; ++m) {
    sum += all_pages[m];
    if (all_pages[m] > most) most = all_pages[m];
    if (all_pages[m] < all_pages[fewest]) fewest = m;
  }
  const int balanced = most == 0 || 10 * sum > 9 * most * memories;
  return put(balanced ? fault->local : fewest, fault);
}

static unsigned add(gpu_kernel kernel) {
  float *a, *b, *c;
  GPU_CHECK(gpu_malloc_managed((void**)&a, N * sizeof *a));
  GPU_CHECK(gpu_malloc_managed((void**)&b, N * sizeof *b));
  GPU_CHECK(gpu_malloc_managed((void**)&c, N * sizeof *c));
  for (unsigned i = 0; i < N; ++i) {
    a[i] = (float)i;
    b[i] = (float)(2 * i + 1);
  }
  const uint32_t n = N;
  const gpu_argument arguments[] = {GPU_ARGUMENT(a), GPU_ARGUMENT(b), GPU_ARGUMENT(c),
                                    GPU_ARGUMENT(n)};
  GPU_CHECK(gpu_launch(&(gpu_launch_info){
      .kernel = kernel, .grid = {N / 256}, .block = {256}, .arguments = arguments, .count = 4}));
  GPU_CHECK(gpu_stream_synchronize(0));
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) wrong += c[i] != (float)(3 * i + 1);
  return wrong;
}

int main(void) {
  static const struct {
    const char* name;
    gpu_placement place;
  } policies[] = {{"first-touch", first_touch},
                  {"round-robin", round_robin},
                  {"local and balanced", local_and_balanced}};
  gpu_kernel kernel;
  unsigned wrong = 0;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "vecadd"));
  memories = gpu_memories();
  if (memories > MOST_MEMORIES) fail("too many memories");
  for (unsigned p = 0; p < sizeof policies / sizeof *policies; ++p) {
    faults = local_faults = 0;
    memset(pages, 0, sizeof pages);
    GPU_CHECK(gpu_handle_faults(policies[p].place));
    wrong += add(kernel);
    GPU_CHECK(gpu_handle_faults(NULL));
    printf("%s: %u faults, %u local; pages:", policies[p].name, faults, local_faults);
    for (uint32_t m = 0; m < memories; ++m) printf(" %u", pages[m]);
    printf("\n");
    if (faults == 0) fail("no page has faulted");
  }
  printf("faults: %u of %u wrong\n", wrong, 3 * N);
  return wrong != 0;
}
