// Implements the part of CUDA that ../grid.cu uses, for a C++ compiler on Linux. So machines without an NVIDIA GPU can
// compile the same source and check its pairs. The times of such a program say nothing about GPUs.
//
// A few workers, which are CPU threads, run the blocks. Several blocks run at the same time, since the blocks of a scan
// wait for each other. A worker runs the threads of its block as fibers: each has its own stack, and runs until it ends
// or waits for other threads.
// Simplifications: all threads of a block must call __syncthreads, all threads of a warp must call warp functions, and
// a stream executes work immediately unless it is being captured.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#define CUDA_ON_CPU
#define __global__
#define __device__
#define __shared__ static thread_local
#define __launch_bounds__(threads)

constexpr const char* CLOCK_NAME = "wall";
constexpr unsigned CLOCK_STEP_NS = std::chrono::nanoseconds(std::chrono::steady_clock::duration(1)).count();

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1) : x(x), y(1), z(1) {}
};

struct float2 {
  float x, y;
};

struct uint4 {
  unsigned x, y, z, w;
};

using std::max;
using std::min;

inline thread_local dim3 threadIdx, blockIdx;

namespace on_cpu {

constexpr unsigned WORKERS = 4;
constexpr unsigned LANES = 32;
constexpr size_t STACK_BYTES = 1 << 16;

// A waiting thread continues when all threads have arrived, which increments `phase`.
struct Barrier {
  unsigned arrived = 0;
  unsigned phase = 0;
};

struct Warp {
  Barrier barrier;
  // Values of two phases, since some lanes may still read those of the previous phase.
  uint32_t values[2][LANES];
};

struct Fiber {
  std::unique_ptr<char[]> stack{new char[STACK_BYTES]};
  ucontext_t context;
  jmp_buf resume;
  bool started = false;
  bool ended = true;
  unsigned thread = 0;
};

// The block that a worker runs.
struct Block {
  std::function<void()> kernel;
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Warp> warps;
  Barrier barrier;
  unsigned threads = 0;
  Fiber* running = nullptr;
  jmp_buf scheduler;
};

inline thread_local Block* block = nullptr;

// Switches from the running fiber to the scheduler, until the fiber runs again.
__attribute__((noinline)) inline void yield() {
  Fiber& own = *block->running;
  if (_setjmp(own.resume) == 0) _longjmp(block->scheduler, 1);
}

// Runs the kernel for one thread after another; a fiber whose thread has ended is used for the next thread.
inline void enter() {
  for (;;) {
    block->kernel();
    block->running->ended = true;
    yield();
  }
}

// Runs a fiber until it waits or ends.
__attribute__((noinline)) inline void run(Fiber& fiber) {
  block->running = &fiber;
  threadIdx = dim3(fiber.thread);
  if (_setjmp(block->scheduler) != 0) return;
  if (fiber.started) _longjmp(fiber.resume, 1);
  fiber.started = true;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = STACK_BYTES;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, enter, 0);
  setcontext(&fiber.context);
}

inline void run_block(unsigned index) {
  Block& own = *block;
  blockIdx = dim3(index);
  own.barrier = {};
  own.warps.assign((own.threads + LANES - 1) / LANES, {});
  std::vector<Fiber*> waiting;
  size_t next_fiber = 0;
  for (unsigned thread = 0; thread < own.threads; thread++) {
    // Use the fiber of a thread that ended without waiting, if there is one.
    if (next_fiber == own.fibers.size()) own.fibers.push_back(std::make_unique<Fiber>());
    Fiber& fiber = *own.fibers[next_fiber];
    fiber.thread = thread;
    fiber.ended = false;
    run(fiber);
    if (fiber.ended) continue;
    waiting.push_back(&fiber);
    next_fiber++;
  }
  while (!waiting.empty()) {
    for (Fiber* fiber : waiting) run(*fiber);
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(), [](Fiber* fiber) { return fiber->ended; }),
                  waiting.end());
    // All fibers may wait for another block, so let its worker run.
    std::this_thread::yield();
  }
}

inline void wait_for_all(Barrier& barrier, unsigned threads) {
  const unsigned phase = barrier.phase;
  if (++barrier.arrived == threads) {
    barrier.arrived = 0;
    barrier.phase++;
  }
  while (barrier.phase == phase) yield();
}

// Waits for all lanes of the warp, and returns their values.
inline const uint32_t* exchange(uint32_t value) {
  Warp& warp = block->warps[threadIdx.x / LANES];
  uint32_t* const values = warp.values[warp.barrier.phase % 2];
  values[threadIdx.x % LANES] = value;
  wait_for_all(warp.barrier, LANES);
  return values;
}

inline void launch(unsigned blocks, unsigned threads, const std::function<void()>& kernel) {
  std::atomic<unsigned> next{0};
  const auto work = [&] {
    Block own;
    own.kernel = kernel;
    own.threads = threads;
    block = &own;
    for (unsigned index; (index = next++) < blocks;) run_block(index);
    block = nullptr;
  };
  std::vector<std::thread> workers;
  for (unsigned worker = 0; worker < min(WORKERS, blocks); worker++) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
}

}  // namespace on_cpu

inline void __syncthreads() { on_cpu::wait_for_all(on_cpu::block->barrier, on_cpu::block->threads); }

inline unsigned __shfl_sync(unsigned, unsigned value, unsigned lane) { return on_cpu::exchange(value)[lane]; }

inline unsigned __shfl_up_sync(unsigned, unsigned value, unsigned step) {
  const unsigned lane = threadIdx.x % on_cpu::LANES;
  return on_cpu::exchange(value)[lane >= step ? lane - step : lane];
}

inline unsigned __ballot_sync(unsigned, bool holds) {
  const uint32_t* const values = on_cpu::exchange(holds);
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < on_cpu::LANES; lane++) lanes |= values[lane] << lane;
  return lanes;
}

inline bool __any_sync(unsigned lanes, bool holds) { return __ballot_sync(lanes, holds) != 0; }

inline unsigned __reduce_add_sync(unsigned, unsigned value) {
  const uint32_t* const values = on_cpu::exchange(value);
  unsigned sum = 0;
  for (unsigned lane = 0; lane < on_cpu::LANES; lane++) sum += values[lane];
  return sum;
}

inline int __ffs(int word) { return __builtin_ffs(word); }

template <class Word>
Word atomicAdd(Word* at, Word value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

// Functions for the host.

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorNoDevice, cudaErrorInsufficientDriver };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum { cudaStreamNonBlocking, cudaStreamCaptureModeThreadLocal };

inline const char* cudaGetErrorString(cudaError_t status) {
  return status == cudaErrorMemoryAllocation ? "out of memory" : "unknown error";
}

inline cudaError_t cudaGetLastError() { return cudaSuccess; }

struct cudaDeviceProp {
  char name[256];
};

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* device, int) {
  *device = {"CPU, 4 threads (no CUDA)"};
  static_assert(on_cpu::WORKERS == 4, "The device's name says how many threads there are.");
  return cudaSuccess;
}

template <class Item>
cudaError_t cudaMalloc(Item** data, size_t bytes) {
  *data = static_cast<Item*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return *data ? cudaSuccess : cudaErrorMemoryAllocation;
}

inline cudaError_t cudaFree(void* data) {
  std::free(data);
  return cudaSuccess;
}

using cudaGraph_t = std::vector<std::function<void()>>*;
using cudaGraphExec_t = cudaGraph_t;

struct CpuStream {
  cudaGraph_t captured = nullptr;

  cudaError_t take(const std::function<void()>& work) {
    if (captured) captured->push_back(work);
    else work();
    return cudaSuccess;
  }
};
using cudaStream_t = CpuStream*;

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CpuStream;
  return cudaSuccess;
}

inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int) {
  stream->captured = new std::vector<std::function<void()>>;
  return cudaSuccess;
}

inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = stream->captured;
  stream->captured = nullptr;
  return cudaSuccess;
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, int) {
  *executable = new std::vector<std::function<void()>>(*graph);
  return cudaSuccess;
}

inline cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  for (const auto& work : *executable) work();
  return cudaSuccess;
}

inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return cudaGraphDestroy(executable); }

inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return stream->take([=] { std::memcpy(to, from, bytes); });
}

inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return stream->take([=] { std::memset(to, value, bytes); });
}

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  cudaStream_t stream;
};

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments... arguments) {
  const unsigned blocks = config->gridDim.x;
  const unsigned threads = config->blockDim.x;
  return config->stream->take([=] { on_cpu::launch(blocks, threads, [=] { kernel(arguments...); }); });
}

struct CpuEvent {
  std::chrono::steady_clock::time_point at;
};
using cudaEvent_t = CpuEvent*;

inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CpuEvent;
  return cudaSuccess;
}

inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}

inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - begin->at).count();
  return cudaSuccess;
}
