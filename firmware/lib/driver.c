/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#include "device_tree.h"
#include "hart.h"

struct queue {
  uint32_t tail;
  uint32_t retired;
};

static struct gpu_command_packet rings[GPU_MOST_QUEUES][GPU_RING_PACKETS]
    __attribute__((aligned(sizeof(struct gpu_command_packet))));
static struct queue queues[GPU_MOST_QUEUES];
static uint32_t queue_count;

static const struct {
  gpu_error error;
  const char* name;
  const char* text;
} errors[] = {
#define OF_COMMAND_PROCESSOR(value, name, text) {value, name, text},
    GPU_COMMAND_ERROR_VALUES(OF_COMMAND_PROCESSOR)
#define OF_SERVICES(value, name, text) {GPU_SERVICES_ERROR(value), name, text},
        GPU_SERVICES_STATUS_VALUES(OF_SERVICES){GPU_NOT_READY, "NOT_READY",
                                                "what the event or stream waits for has not ended"},
    {GPU_NO_DEVICE, "NO_DEVICE", "the machine has no GPUs; run it with --platform"},
    {GPU_NOT_OPEN, "NOT_OPEN", "this hart has not called gpu_open()"},
    {GPU_BAD_ARGUMENT, "BAD_ARGUMENT", "an argument of the function is not legal"},
    {GPU_RING_FULL, "RING_FULL", "the ring has no room for a packet"},
    {GPU_NO_ROOM, "NO_ROOM", "all streams or events are in use"},
};

const char* gpu_error_name(gpu_error error) {
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; ++i) {
    if (errors[i].error == error) return errors[i].name;
  }
  return "UNKNOWN";
}

const char* gpu_error_text(gpu_error error) {
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; ++i) {
    if (errors[i].error == error) return errors[i].text;
  }
  return "no code of this library";
}

gpu_error gpu_driver_open(void) {
  if (!device_tree_has("tessera,command-processor") || !device_tree_has("tessera,gpu-services") ||
      read64(GPU_COMMAND_ID(0)) != GPU_COMMAND_ID_RESET ||
      read64(GPU_SERVICES_ID) != GPU_SERVICES_ID_RESET) {
    return GPU_NO_DEVICE;
  }
  const uint64_t count = read64(GPU_COMMAND_QUEUES(0));
  queue_count = count < GPU_MOST_QUEUES ? (uint32_t)count : GPU_MOST_QUEUES;
  return GPU_SUCCESS;
}

uint32_t gpu_queues(void) { return queue_count; }

gpu_error gpu_queue_open(uint32_t queue) {
  if (queue >= queue_count) return GPU_BAD_ARGUMENT;
  queues[queue] = (struct queue){0, 0};
  write64(GPU_COMMAND_QUEUE_BASE(queue), (uint64_t)rings[queue]);
  write64(GPU_COMMAND_QUEUE_SIZE(queue), GPU_RING_PACKETS);
  const gpu_error error = (gpu_error)read64(GPU_COMMAND_ERROR(queue));
  if (error != GPU_SUCCESS) return error;
  write64(GPU_COMMAND_INTERRUPT_ENABLE(queue),
          GPU_COMMAND_INTERRUPT_COMPLETION | GPU_COMMAND_INTERRUPT_ERROR);
  return GPU_SUCCESS;
}

uint32_t gpu_queue_room(uint32_t queue) {
  return GPU_RING_PACKETS - (queues[queue].tail - queues[queue].retired);
}

gpu_error gpu_queue_push(uint32_t queue, const struct gpu_command_packet* packet) {
  struct queue* const q = &queues[queue];
  if (gpu_queue_room(queue) == 0) return GPU_RING_FULL;
  struct gpu_command_packet* const to = &rings[queue][q->tail % GPU_RING_PACKETS];
  *to = *packet;
  to->id = q->tail++;
  gpu_queue_doorbell(queue, q->tail);
  return GPU_SUCCESS;
}

void gpu_queue_retire(uint32_t queue) { ++queues[queue].retired; }

void gpu_queue_doorbell(uint32_t queue, uint32_t tail) {
  fence(); /* packet, arguments and data before the doorbell */
  write64(GPU_COMMAND_TAIL(queue), tail);
}

uint32_t gpu_queue_tail(uint32_t queue) { return queues[queue].tail; }

struct gpu_queue_event gpu_queue_acknowledge(uint32_t queue) {
  struct gpu_queue_event event = {read64(GPU_COMMAND_INTERRUPT_STATUS(queue)), GPU_SUCCESS, 0};
  if (event.causes == 0) return event;
  write64(GPU_COMMAND_INTERRUPT_STATUS(queue), event.causes);
  if ((event.causes & GPU_COMMAND_INTERRUPT_ERROR) != 0) {
    event.error = (gpu_error)read64(GPU_COMMAND_ERROR(queue));
    event.packet = (uint32_t)read64(GPU_COMMAND_ERROR_PACKET(queue));
    if (event.error != GPU_COMMAND_ERROR_KERNEL_FAILED) write64(GPU_COMMAND_ERROR(queue), 0);
  }
  fence(); /* signals and results are read after the acknowledgement */
  return event;
}

static gpu_error service_status(void) {
  const uint64_t status = read64(GPU_SERVICES_STATUS);
  return status == GPU_SERVICES_STATUS_OK ? GPU_SUCCESS : GPU_SERVICES_ERROR((gpu_error)status);
}

gpu_error gpu_service(uint64_t command, uint64_t a, uint64_t b, uint64_t* result) {
  fence(); /* what the command reads in memory */
  write64(GPU_SERVICES_ARG0, a);
  write64(GPU_SERVICES_ARG1, b);
  write64(GPU_SERVICES_COMMAND, command);
  *result = read64(GPU_SERVICES_RESULT);
  return service_status();
}

gpu_error gpu_services_set_detail(bool detailed) {
  write64(GPU_SERVICES_DETAIL, detailed);
  return service_status();
}
