/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

#include <stdbool.h>
#include <stddef.h>

#include "hart.h"
#include "memory.h"

enum kind { LAUNCH, RECORD, WAIT };

/* An operation of a stream. It stays in its place until it has ended, because the command processor
   reads its arguments and writes its signal. */
struct operation {
  enum kind kind;
  gpu_event event;   /* RECORD, WAIT */
  uint64_t recorded; /* number of the event's record */
  struct gpu_command_packet packet;
  volatile uint64_t signal;
  unsigned char arguments[GPU_ARGUMENT_BYTES] __attribute__((aligned(8)));
};

/* Operations head to next - 1 have been issued, and next to tail - 1 wait for that. */
struct stream {
  bool used;
  bool no_wait;
  uint32_t queue;
  uint32_t head, next, tail;
  gpu_error error; /* the first one */
  struct operation operations[GPU_MOST_OPERATIONS];
};

struct event {
  bool used;
  uint64_t
      unused; /* `recorded` when it was created; counts go on, because operations refer to them */
  uint64_t recorded; /* records so far */
  uint64_t happened; /* the last of them that has happened */
  uint64_t at;       /* mtime */
};

/* Guards all below, and the driver. */
static lock runtime;
static bool device_open;
static uint32_t harts_open;     /* a bit each */
static uint32_t harts_sleeping; /* in wait_for_change() */
static uint32_t queues_open;
static bool lost; /* a kernel has failed */
static gpu_error doorbell_error;
static struct stream streams[GPU_MOST_STREAMS];
static uint32_t streams_end; /* after the last one that has been used */
static struct event events[GPU_MOST_EVENTS];

void gpu_check(gpu_error error, const char* call, const char* file, int line) {
  if (error == GPU_SUCCESS) return;
  printf("%s:%d: %s: %s (%s)\n", file, line, call, gpu_error_name(error), gpu_error_text(error));
  finish(1);
}

/* Streams. */

static struct operation* place(struct stream* s, uint32_t n) {
  return &s->operations[n % GPU_MOST_OPERATIONS];
}

static void record(const struct operation* o) {
  struct event* const e = &events[o->event];
  e->happened = o->recorded;
  e->at = mtime();
}

/* Ends the oldest operation, if it has. */
static bool retire(struct stream* s) {
  if (s->head == s->next) return false;
  const struct operation* const o = place(s, s->head);
  if (o->kind == LAUNCH) {
    const uint64_t signal = o->signal;
    if (signal == 0) return false;
    fence(); /* the signal before the results */
    if (signal != GPU_COMMAND_SIGNAL_DONE) {
      const gpu_error error = (gpu_error)(signal & ~GPU_COMMAND_SIGNAL_ERROR);
      if (s->error == GPU_SUCCESS) s->error = error;
      if (error == GPU_COMMAND_ERROR_KERNEL_FAILED) lost = true;
    }
    gpu_queue_retire(s->queue);
  } else if (o->kind == RECORD) {
    record(o);
  }
  ++s->head;
  return true;
}

/* Issues the next operation, if it can be. */
static bool issue(struct stream* s) {
  if (s->next == s->tail) return false;
  const struct operation* const o = place(s, s->next);
  if (o->kind == LAUNCH && gpu_queue_push(s->queue, &o->packet) != GPU_SUCCESS) return false;
  if (o->kind == WAIT && events[o->event].happened < o->recorded) return false;
  ++s->next;
  return true;
}

/* After a kernel's failure nothing ends any more. */
static bool give_up(struct stream* s) {
  if (s->head == s->tail) return false;
  if (s->error == GPU_SUCCESS) s->error = GPU_COMMAND_ERROR_KERNEL_FAILED;
  for (; s->head != s->tail; ++s->head) {
    const struct operation* const o = place(s, s->head);
    if (o->kind == RECORD) record(o);
  }
  s->next = s->tail;
  return true;
}

/* Ends and issues operations of all streams, as far as they can be. Wakes the harts that wait for
   that. */
static void advance(void) {
  bool changed = false;
  for (bool again = true; again;) {
    again = false;
    for (unsigned i = 0; i < streams_end; ++i) {
      struct stream* const s = &streams[i];
      while (retire(s)) again = true;
      while (!lost && issue(s)) again = true;
      if (lost && give_up(s)) again = true;
    }
    changed |= again;
  }
  if (!changed) return;
  for (uint32_t h = 0; h < MOST_HARTS; ++h) {
    if ((harts_sleeping >> h & 1) != 0 && h != hart_id()) hart_wake(h);
  }
}

/* Acknowledges the interrupts of all queues. */
static void service(void) {
  for (uint32_t q = 0; q < GPU_MOST_QUEUES && queues_open >> q != 0; ++q) {
    if ((queues_open >> q & 1) == 0) continue;
    const struct gpu_queue_event e = gpu_queue_acknowledge(q);
    switch (e.error) {
      case GPU_COMMAND_ERROR_KERNEL_FAILED:
        lost = true;
        break;
      case GPU_COMMAND_ERROR_BAD_QUEUE:
      case GPU_COMMAND_ERROR_QUEUE_OVERFLOW:
        if (doorbell_error == GPU_SUCCESS) doorbell_error = e.error;
        break;
      default: /* of a packet: its signal has the code */
        break;
    }
  }
  advance();
}

static void handle_interrupt(uint32_t source) {
  (void)source;
  const uint64_t interrupts = lock_take(&runtime);
  service();
  lock_release(&runtime, interrupts);
}

/* With the runtime's lock, which it gives back meanwhile: sleeps until a hart has served an
   interrupt. Interrupts stay disabled, so that none is lost before the sleep. */
static void wait_for_change(void) {
  const uint32_t bit = 1U << hart_id();
  harts_sleeping |= bit;
  lock_release(&runtime, 0);
  interrupts_wait();
  lock_take(&runtime);
  harts_sleeping &= ~bit;
}

static bool is_open(void) { return (harts_open >> hart_id() & 1) != 0; }

static struct stream* find_stream(gpu_stream number) {
  if (number >= GPU_MOST_STREAMS || !streams[number].used) return NULL;
  return &streams[number];
}

static struct event* find_event(gpu_event number) {
  if (number >= GPU_MOST_EVENTS || !events[number].used) return NULL;
  return &events[number];
}

static gpu_error open_stream(gpu_stream number, uint32_t flags) {
  struct stream* const s = &streams[number];
  const uint32_t queue = number % gpu_queues();
  if ((queues_open >> queue & 1) == 0) {
    const gpu_error error = gpu_queue_open(queue);
    if (error != GPU_SUCCESS) return error;
    queues_open |= 1U << queue;
  }
  if (number >= streams_end) streams_end = number + 1;
  s->used = true;
  s->no_wait = (flags & GPU_STREAM_NO_WAIT) != 0;
  s->queue = queue;
  s->head = s->next = s->tail = 0;
  s->error = GPU_SUCCESS;
  return GPU_SUCCESS;
}

gpu_error gpu_open(void) {
  gpu_error error = GPU_SUCCESS;
  const uint64_t interrupts = lock_take(&runtime);
  if (!device_open) {
    error = gpu_driver_open();
    if (error == GPU_SUCCESS) error = open_stream(0, 0);
    if (error == GPU_SUCCESS) {
      device_open = true;
      interrupt_connect(GPU_COMMAND_SOURCE, handle_interrupt);
    }
  } else {
    interrupt_enable(GPU_COMMAND_SOURCE);
  }
  if (error == GPU_SUCCESS) harts_open |= 1U << hart_id();
  lock_release(&runtime, interrupts);
  if (error == GPU_SUCCESS) interrupts_open();
  return error;
}

/* Kernels and memory. */

static gpu_error locked_service(uint64_t command, uint64_t a, uint64_t b, uint64_t* result) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  const gpu_error error = gpu_service(command, a, b, result);
  lock_release(&runtime, interrupts);
  return error;
}

gpu_error gpu_load(gpu_kernel* kernel, const char* name) {
  return locked_service(GPU_SERVICES_COMMAND_FIND_KERNEL, (uint64_t)name, strlen(name), kernel);
}

gpu_error gpu_malloc(device_pointer* at, uint64_t bytes) {
  if (bytes == 0) return GPU_BAD_ARGUMENT;
  return locked_service(GPU_SERVICES_COMMAND_ALLOCATE, bytes, 0, at);
}

gpu_error gpu_malloc_managed(void** at, uint64_t bytes) {
  device_pointer address = 0;
  const gpu_error error = gpu_malloc(&address, bytes);
  *at = (void*)address;
  return error;
}

gpu_error gpu_statistic(const char* name, uint64_t* value) {
  return locked_service(GPU_SERVICES_COMMAND_READ_STATISTIC, (uint64_t)name, strlen(name), value);
}

gpu_error gpu_set_detail(bool detailed) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  const gpu_error error = gpu_services_set_detail(detailed);
  lock_release(&runtime, interrupts);
  return error;
}

static bool in_device(const void* at, uint64_t bytes) {
  const uint64_t offset = (uint64_t)at - GPU_MEMORY_BASE;
  return offset < GPU_MEMORY_BYTES && bytes <= GPU_MEMORY_BYTES - offset;
}

gpu_error gpu_memcpy(void* to, const void* from, uint64_t bytes, gpu_copy kind) {
  const bool to_device = kind != GPU_DEVICE_TO_HOST;
  const bool from_device = kind != GPU_HOST_TO_DEVICE;
  if (in_device(to, bytes) != to_device || in_device(from, bytes) != from_device) {
    return GPU_BAD_ARGUMENT;
  }
  fence(); /* what harts and kernels have written */
  memcpy(to, from, bytes);
  fence();
  return GPU_SUCCESS;
}

gpu_error gpu_memset(device_pointer at, int value, uint64_t bytes) {
  if (!in_device((const void*)at, bytes)) return GPU_BAD_ARGUMENT;
  const uint64_t word = 0x0101010101010101UL * (unsigned char)value;
  for (; bytes != 0 && at % 8 != 0; --bytes) write8(at++, (uint8_t)value);
  for (; bytes >= 8; bytes -= 8, at += 8) write64(at, word);
  for (; bytes != 0; --bytes) write8(at++, (uint8_t)value);
  fence();
  return GPU_SUCCESS;
}

/* Operations. */

/* With the lock. Waits for a place in the stream. */
static gpu_error wait_for_place(struct stream* s) {
  while (s->tail - s->head == GPU_MOST_OPERATIONS) {
    if (s->no_wait) return GPU_RING_FULL;
    wait_for_change();
  }
  return lost ? GPU_COMMAND_ERROR_KERNEL_FAILED : GPU_SUCCESS;
}

/* Each argument is at a multiple of its size. */
static gpu_error put_arguments(struct operation* o, const gpu_launch_info* launch) {
  uint32_t offset = 0;
  for (uint32_t i = 0; i < launch->count; ++i) {
    const uint32_t size = launch->arguments[i].size;
    if (size != 1 && size != 2 && size != 4 && size != 8) return GPU_BAD_ARGUMENT;
    offset = (offset + size - 1) / size * size;
    if (offset + size > GPU_ARGUMENT_BYTES) return GPU_BAD_ARGUMENT;
    memcpy(o->arguments + offset, launch->arguments[i].bytes, size);
    offset += size;
  }
  return GPU_SUCCESS;
}

static uint32_t at_least_one(uint32_t n) { return n == 0 ? 1 : n; }

static gpu_error put_launch(struct stream* s, const gpu_launch_info* launch) {
  gpu_error error = wait_for_place(s);
  if (error != GPU_SUCCESS) return error;
  if (s->no_wait && (s->next != s->tail || gpu_queue_room(s->queue) == 0)) return GPU_RING_FULL;
  struct operation* const o = place(s, s->tail);
  error = put_arguments(o, launch);
  if (error != GPU_SUCCESS) return error;
  o->kind = LAUNCH;
  o->signal = 0;
  o->packet = (struct gpu_command_packet){
      .type = GPU_COMMAND_PACKET_KERNEL_DISPATCH,
      .priority = launch->priority,
      .kernel = launch->kernel,
      .grid = {at_least_one(launch->grid.x), at_least_one(launch->grid.y),
               at_least_one(launch->grid.z)},
      .block = {at_least_one(launch->block.x), at_least_one(launch->block.y),
                at_least_one(launch->block.z)},
      .dynamic_shared_bytes = launch->shared_bytes,
      .arguments = (uint64_t)o->arguments,
      .completion = (uint64_t)&o->signal,
  };
  ++s->tail;
  advance();
  return GPU_SUCCESS;
}

gpu_error gpu_launch(const gpu_launch_info* launch) {
  if (!is_open()) return GPU_NOT_OPEN;
  if (launch->count != 0 && launch->arguments == NULL) return GPU_BAD_ARGUMENT;
  const uint64_t interrupts = lock_take(&runtime);
  struct stream* const s = find_stream(launch->stream);
  const gpu_error error = s == NULL ? GPU_BAD_ARGUMENT : put_launch(s, launch);
  lock_release(&runtime, interrupts);
  return error;
}

/* With the lock. */
static gpu_error put_event(gpu_stream stream, gpu_event event, enum kind kind) {
  struct stream* const s = find_stream(stream);
  struct event* const e = find_event(event);
  if (s == NULL || e == NULL) return GPU_BAD_ARGUMENT;
  const gpu_error error = wait_for_place(s);
  if (error != GPU_SUCCESS) return error;
  if (kind == RECORD) ++e->recorded;
  struct operation* const o = place(s, s->tail);
  o->kind = kind;
  o->event = event;
  o->recorded = e->recorded;
  ++s->tail;
  advance();
  return GPU_SUCCESS;
}

gpu_error gpu_event_record(gpu_event event, gpu_stream stream) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  const gpu_error error = put_event(stream, event, RECORD);
  lock_release(&runtime, interrupts);
  return error;
}

gpu_error gpu_stream_wait_event(gpu_stream stream, gpu_event event) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  const gpu_error error = put_event(stream, event, WAIT);
  lock_release(&runtime, interrupts);
  return error;
}

/* With the lock. The error, which is forgotten. */
static gpu_error take_error(gpu_error* error) {
  const gpu_error taken = *error;
  *error = GPU_SUCCESS;
  return taken == GPU_SUCCESS && lost ? GPU_COMMAND_ERROR_KERNEL_FAILED : taken;
}

static gpu_error wait_for_stream(struct stream* s) {
  while (s->head != s->tail) wait_for_change();
  return take_error(&s->error);
}

gpu_error gpu_stream_synchronize(gpu_stream stream) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  struct stream* const s = find_stream(stream);
  const gpu_error error = s == NULL ? GPU_BAD_ARGUMENT : wait_for_stream(s);
  lock_release(&runtime, interrupts);
  return error;
}

gpu_error gpu_stream_query(gpu_stream stream) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  struct stream* const s = find_stream(stream);
  gpu_error error = GPU_BAD_ARGUMENT;
  if (s != NULL) {
    service();
    error = s->head != s->tail ? GPU_NOT_READY : take_error(&s->error);
  }
  lock_release(&runtime, interrupts);
  return error;
}

gpu_error gpu_device_synchronize(void) {
  if (!is_open()) return GPU_NOT_OPEN;
  gpu_error first = GPU_SUCCESS;
  const uint64_t interrupts = lock_take(&runtime);
  service();
  for (unsigned i = 0; i < streams_end; ++i) {
    const gpu_error error = wait_for_stream(&streams[i]);
    if (first == GPU_SUCCESS) first = error;
  }
  const gpu_error error = take_error(&doorbell_error);
  lock_release(&runtime, interrupts);
  return first == GPU_SUCCESS ? error : first;
}

gpu_error gpu_stream_create(gpu_stream* stream, uint32_t flags) {
  if (!is_open()) return GPU_NOT_OPEN;
  if ((flags & ~GPU_STREAM_NO_WAIT) != 0) return GPU_BAD_ARGUMENT;
  gpu_error error = GPU_NO_ROOM;
  const uint64_t interrupts = lock_take(&runtime);
  for (gpu_stream i = 1; i < GPU_MOST_STREAMS && error == GPU_NO_ROOM; ++i) {
    if (streams[i].used) continue;
    error = open_stream(i, flags);
    *stream = i;
  }
  lock_release(&runtime, interrupts);
  return error;
}

gpu_error gpu_stream_destroy(gpu_stream stream) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  struct stream* const s = stream == 0 ? NULL : find_stream(stream);
  gpu_error error = GPU_BAD_ARGUMENT;
  if (s != NULL) {
    error = wait_for_stream(s);
    s->used = false;
  }
  lock_release(&runtime, interrupts);
  return error;
}

/* Events. */

gpu_error gpu_event_create(gpu_event* event) {
  if (!is_open()) return GPU_NOT_OPEN;
  gpu_error error = GPU_NO_ROOM;
  const uint64_t interrupts = lock_take(&runtime);
  for (gpu_event i = 0; i < GPU_MOST_EVENTS && error == GPU_NO_ROOM; ++i) {
    if (events[i].used) continue;
    events[i].used = true;
    events[i].unused = events[i].recorded;
    *event = i;
    error = GPU_SUCCESS;
  }
  lock_release(&runtime, interrupts);
  return error;
}

static gpu_error wait_for_event(const struct event* e, bool sleep) {
  const uint64_t recorded = e->recorded;
  while (e->happened < recorded) {
    if (!sleep) return GPU_NOT_READY;
    wait_for_change();
  }
  return lost ? GPU_COMMAND_ERROR_KERNEL_FAILED : GPU_SUCCESS;
}

gpu_error gpu_event_query(gpu_event event) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  const struct event* const e = find_event(event);
  service();
  const gpu_error error = e == NULL ? GPU_BAD_ARGUMENT : wait_for_event(e, false);
  lock_release(&runtime, interrupts);
  return error;
}

gpu_error gpu_event_synchronize(gpu_event event) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  const struct event* const e = find_event(event);
  const gpu_error error = e == NULL ? GPU_BAD_ARGUMENT : wait_for_event(e, true);
  lock_release(&runtime, interrupts);
  return error;
}

gpu_error gpu_event_destroy(gpu_event event) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  struct event* const e = find_event(event);
  gpu_error error = GPU_BAD_ARGUMENT;
  if (e != NULL) {
    error = wait_for_event(e, true);
    e->used = false;
  }
  lock_release(&runtime, interrupts);
  return error;
}

gpu_error gpu_event_elapsed(gpu_event begin, gpu_event end, uint64_t* ns) {
  if (!is_open()) return GPU_NOT_OPEN;
  const uint64_t interrupts = lock_take(&runtime);
  const struct event* const b = find_event(begin);
  const struct event* const e = find_event(end);
  gpu_error error = GPU_BAD_ARGUMENT;
  if (b != NULL && e != NULL && b->recorded != b->unused && e->recorded != e->unused) {
    const bool happened = b->happened == b->recorded && e->happened == e->recorded;
    error = happened ? GPU_SUCCESS : GPU_NOT_READY;
    *ns = happened ? (e->at - b->at) * (1000000000 / CLINT_HZ) : 0;
  }
  lock_release(&runtime, interrupts);
  return error;
}
