// The program of the engines cuda-grid and cuda-grid-around: runs the grid of grid.cuh and answers the questions of
// `cellstorm bench`.
// Inputs: lines on stdin, some followed by raw little-endian floats. Outputs: one line on stdout per input line, in the
// same order, after a greeting.
//
//     (at the start)                                                cellstorm-native 1 CLOCK NANOSECONDS DEVICE
//     copy BYTES                                                    ok BYTES MILLISECONDS SHARE
//     open DIMENSIONS COUNT DIAMETER INVERSE MIN… CELLS… ROWS       ok BYTES
//     place, then COUNT × DIMENSIONS floats                         ok
//     roll FRAMES, then as many floats for each frame               ok
//     find                                                          ok PAIRS CHECKSUM
//     time BATCH PART…                                              ok MILLISECONDS
//
// greeting: CLOCK is the clock that measures times: `events`, or `wall` without CUDA. NANOSECONDS is the step of the
// clock. DEVICE is the rest of the line.
// copy: copies between two buffers of BYTES bytes, halved until there is memory for both. Answers the bytes used, the
// milliseconds of the fastest of several copies, and the greatest ratio of the time on this clock to the wall time of
// the same copies.
// open: prepares a scene, and answers the allocated memory in bytes. INVERSE is 1 / the edge of a cell. MIN and CELLS
// have a number per axis: the low corner of the box, and how many cells there are, the ring included. ROWS is `ahead`
// or `around`: the rows of cells that a query searches.
// place: sets the positions.
// roll: sets the frames that `wind` loads.
// find: builds and queries once.
// time: runs the named PARTs BATCH times, always in the order `wind`, `build`, `query`. Each `wind` loads the next
// frame; after the last frame, the frames come in reverse order. Answers the milliseconds of the whole batch.
// An error is one line, `error memory|absent|failed SENTENCE`, and ends the program with status 1.
//
//     nvcc -std=c++17 -O3 -arch=native -o cuda-grid grid.cu
//     g++ -std=c++17 -O2 -pthread -I on_cpu -x c++ -o cuda-grid-on-cpu grid.cu

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "grid.cuh"

namespace {

constexpr int PROTOCOL = 1;

#ifndef CUDA_ON_CPU
constexpr const char* CLOCK_NAME = "events";
// The documentation of cudaEventElapsedTime says "a resolution of around 0.5 microseconds".
constexpr unsigned CLOCK_STEP_NS = 500;
#endif

// The same values as in bench/harness/cpu-clock.ts (LEAST_COPY_BYTES) and bench/harness/gpu-clock.ts (the others).
constexpr size_t LEAST_COPY_BYTES = 1 << 20;
constexpr int COPY_REPEATS = 3;
constexpr unsigned MOST_COPIES = 256;
constexpr double CHECK_MS = 20;

// Most bytes of positions per read.
constexpr size_t STAGE_BYTES = 1 << 24;

// An error that ends the program. `kind` is memory, absent or failed; what() is a sentence.
struct Failure : std::runtime_error {
  const char* kind;
  Failure(const char* kind, const std::string& sentence) : std::runtime_error(sentence), kind(kind) {}
};

void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  const bool is_absent = status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver;
  const char* kind = status == cudaErrorMemoryAllocation ? "memory" : is_absent ? "absent" : "failed";
  throw Failure(kind, "CUDA could not " + what + ": " + cudaGetErrorString(status) + ".");
}

void require(bool holds, const std::string& sentence) {
  if (!holds) throw Failure("failed", sentence);
}

// An array in device memory, freed by the destructor.
template <class Item>
class Buffer {
 public:
  Buffer(const char* name, size_t length) : length(length) {
    check(cudaMalloc(&data, bytes()), "allocate " + std::to_string(bytes()) + " bytes for " + name);
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  size_t bytes() const { return std::max<size_t>(length, 1) * sizeof(Item); }

  Item* data = nullptr;
  const size_t length;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "create a stream"); }
  ~Stream() { cudaStreamDestroy(handle); }
  void wait() { check(cudaStreamSynchronize(handle), "do the work"); }

  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), size_t threads, Arguments... arguments) {
    if (threads == 0) return;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(unsigned((threads + THREADS - 1) / THREADS));
    config.blockDim = dim3(THREADS);
    config.stream = handle;
    check(cudaLaunchKernelEx(&config, kernel, arguments...), "launch a kernel");
  }

  cudaStream_t handle = nullptr;
};

// Measures the milliseconds that work takes on the device, between two events in a stream.
class EventClock {
 public:
  explicit EventClock(Stream& stream) : stream(stream) {
    check(cudaEventCreate(&begin), "create an event");
    check(cudaEventCreate(&end), "create an event");
  }
  ~EventClock() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  }

  template <class Work>
  double time(Work work) {
    check(cudaEventRecord(begin, stream.handle), "record an event");
    work();
    check(cudaEventRecord(end, stream.handle), "record an event");
    check(cudaEventSynchronize(end), "do the work");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "measure the time between two events");
    return milliseconds;
  }

 private:
  Stream& stream;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
};

// A recorded sequence of kernels that is launched as a whole, so that short kernels do not wait for the host.
class Graph {
 public:
  template <class Work>
  Graph(Stream& stream, Work record) {
    check(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal), "begin a graph");
    record();
    check(cudaStreamEndCapture(stream.handle, &graph), "end a graph");
    check(cudaGraphInstantiate(&executable, graph, 0), "instantiate a graph");
  }
  ~Graph() {
    if (executable) cudaGraphExecDestroy(executable);
    if (graph) cudaGraphDestroy(graph);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(Stream& stream) { check(cudaGraphLaunch(executable, stream.handle), "launch a graph"); }

 private:
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

// The parts of a run that are timed.
struct Parts {
  bool wind = false;
  bool build = false;
  bool query = false;
};

// The parameters of `open`.
struct Setup {
  int dimensions;
  Lattice lattice;
  bool around;
};

class Grid {
 public:
  Grid(Stream& stream, const Setup& setup)
      : stream(stream),
        setup(setup),
        lattice(setup.lattice),
        tiles(tiles_of(setup.lattice)),
        positions("positions", size_t(setup.dimensions) * setup.lattice.count),
        ranks("ranks", setup.lattice.count),
        bodies("sorted bodies", setup.lattice.count),
        // A multiple of 4 words, which is cleared faster.
        cells("cells", (tiles * (CELLS_PER_TILE + 2) + 4) / 4 * 4),
        found("counters", COUNTERS) {}

  size_t bytes() const {
    return positions.bytes() + ranks.bytes() + bodies.bytes() + cells.bytes() + found.bytes();
  }
  size_t frame_bytes() const { return positions.length * sizeof(float); }
  float* position_data() { return positions.data; }

  // Allocates the frames that `wind` loads, and returns the memory for their positions.
  float* roll(size_t count) {
    frames = std::make_unique<Buffer<float>>("frames", count * positions.length);
    frame_count = count;
    step = 0;
    return frames->data;
  }

  Found find() {
    check(cudaMemsetAsync(found.data, 0, found.bytes(), stream.handle), "clear the counters");
    // Use the same graph as `time`, so that the checked kernels are the timed ones.
    graph_of({false, true, true}).launch(stream);
    std::vector<Found> parts(COUNTERS);
    check(cudaMemcpyAsync(parts.data(), found.data, found.bytes(), cudaMemcpyDeviceToHost, stream.handle), "read");
    stream.wait();
    Found sum = {0, 0};
    for (const Found& part : parts) {
      sum.pairs += part.pairs;
      sum.checksum += part.checksum;
    }
    return sum;
  }

  double time(EventClock& clock, unsigned batch, const Parts& parts) {
    Graph* const graph = parts.build || parts.query ? &graph_of(parts) : nullptr;
    return clock.time([&] {
      for (unsigned run = 0; run < batch; run++) {
        if (parts.wind) wind();
        if (graph) graph->launch(stream);
      }
    });
  }

 private:
  // Returns how many tiles hold the entries of all cells plus one more, the end of the last cell.
  static size_t tiles_of(const Lattice& lattice) {
    const size_t cells = size_t(lattice.cells[0]) * lattice.cells[1] * lattice.cells[2];
    return cells / CELLS_PER_TILE + 1;
  }

  Tile* tile_sums() { return reinterpret_cast<Tile*>(cells.data + tiles * CELLS_PER_TILE); }
  unsigned* next_tile() { return cells.data + tiles * (CELLS_PER_TILE + 2); }

  void wind() {
    if (frame_count == 0) return;
    const size_t period = std::max<size_t>(1, 2 * (frame_count - 1));
    const size_t index = step++ % period;
    const size_t frame = index < frame_count ? index : period - index;
    const float* from = frames->data + frame * positions.length;
    const size_t bytes = frame_bytes();
    check(cudaMemcpyAsync(positions.data, from, bytes, cudaMemcpyDeviceToDevice, stream.handle), "copy a frame");
  }

  Graph& graph_of(const Parts& parts) {
    std::unique_ptr<Graph>& graph = graphs[2 * parts.build + parts.query];
    if (!graph) graph = std::make_unique<Graph>(stream, [&] { record(parts); });
    return *graph;
  }

  void record(const Parts& parts) {
    if (setup.dimensions == 2) record_in<2>(parts);
    else record_in<3>(parts);
  }

  template <int DIMENSIONS>
  void record_in(const Parts& parts) {
    const size_t count = lattice.count;
    if (parts.build) {
      // One call clears the counters, the sums of tiles and the number of the next tile, which share a buffer.
      check(cudaMemsetAsync(cells.data, 0, cells.bytes(), stream.handle), "clear the cells");
      stream.launch(count_bodies<DIMENSIONS>, count, lattice, positions.data, cells.data, ranks.data);
      stream.launch(scan_cells, tiles * THREADS, reinterpret_cast<uint4*>(cells.data), tile_sums(), next_tile());
      stream.launch(scatter_bodies<DIMENSIONS>, count, lattice, positions.data, cells.data, ranks.data, bodies.data);
    }
    if (parts.query) {
      const auto kernel = setup.around ? find_pairs<DIMENSIONS, true> : find_pairs<DIMENSIONS, false>;
      stream.launch(kernel, count, lattice, cells.data, bodies.data, found.data);
    }
  }

  Stream& stream;
  const Setup setup;
  const Lattice lattice;
  const size_t tiles;
  Buffer<float> positions;
  Buffer<unsigned> ranks;
  Buffer<Body> bodies;
  Buffer<unsigned> cells;
  Buffer<Found> found;
  std::unique_ptr<Buffer<float>> frames;
  size_t frame_count = 0;
  size_t step = 0;
  std::unique_ptr<Graph> graphs[4];
};

struct CopySpeed {
  size_t bytes;
  double milliseconds;
  // Greatest ratio of the time on the clock to the wall time of the same copies.
  double share;
};

// Measures copies of `bytes`, halved until there is memory for two buffers.
CopySpeed measure_copies(Stream& stream, EventClock& clock, size_t bytes) {
  std::unique_ptr<Buffer<char>> from;
  std::unique_ptr<Buffer<char>> to;
  for (;; bytes /= 2) {
    try {
      from = std::make_unique<Buffer<char>>("a copy", bytes);
      to = std::make_unique<Buffer<char>>("a copy", bytes);
      break;
    } catch (const Failure& failure) {
      from.reset();
      if (std::strcmp(failure.kind, "memory") != 0 || bytes <= LEAST_COPY_BYTES) throw;
      // Clear the error of the failed allocation; otherwise a later call would report it.
      cudaGetLastError();
    }
  }
  const auto time_copies = [&](unsigned copies) {
    return clock.time([&] {
      for (unsigned copy = 0; copy < copies; copy++) {
        check(cudaMemcpyAsync(to->data, from->data, bytes, cudaMemcpyDeviceToDevice, stream.handle), "copy");
      }
    });
  };
  using Wall = std::chrono::steady_clock;
  const auto wall_of = [&](unsigned copies, double& measured) {
    stream.wait();
    const auto began = Wall::now();
    measured = time_copies(copies);
    return std::chrono::duration<double, std::milli>(Wall::now() - began).count();
  };
  // Discard the time of the first copy, which touches pages that are not mapped yet.
  time_copies(1);
  unsigned copies = 1;
  double measured = 0;
  double wall = wall_of(copies, measured);
  // Copy more until the latency is small compared with the work.
  while (wall < CHECK_MS && copies < MOST_COPIES) {
    copies *= 4;
    wall = wall_of(copies, measured);
  }
  // Take the best of several measurements, since other work may disturb one. A clock that does not wait for the copies
  // measures too little each time.
  double share = measured / wall;
  double best = measured;
  for (int repeat = 0; repeat < COPY_REPEATS; repeat++) {
    wall = wall_of(copies, measured);
    share = std::max(share, measured / wall);
    best = std::min(best, measured);
  }
  return {bytes, best / copies, share};
}

void read_floats(Stream& stream, float* target, size_t bytes) {
  std::vector<char> stage(std::min(STAGE_BYTES, bytes));
  for (size_t done = 0; done < bytes;) {
    const size_t some = std::min(STAGE_BYTES, bytes - done);
    require(bool(std::cin.read(stage.data(), std::streamsize(some))),
            "The input ended after " + std::to_string(done) + " of " + std::to_string(bytes) + " bytes of positions.");
    char* const to = reinterpret_cast<char*>(target) + done;
    check(cudaMemcpyAsync(to, stage.data(), some, cudaMemcpyHostToDevice, stream.handle), "copy positions");
    stream.wait();
    done += some;
  }
}

Setup read_setup(std::istringstream& words) {
  Setup setup = {};
  Lattice& lattice = setup.lattice;
  float diameter = 0;
  std::string rows;
  words >> setup.dimensions >> lattice.count >> diameter >> lattice.inverse;
  const std::string dimensions = std::to_string(setup.dimensions);
  require(words && (setup.dimensions == 2 || setup.dimensions == 3),
          "\"open\" has " + dimensions + " dimensions, but must have 2 or 3.");
  for (int axis = 0; axis < setup.dimensions; axis++) words >> lattice.min[axis];
  lattice.cells[2] = 1;
  for (int axis = 0; axis < setup.dimensions; axis++) words >> lattice.cells[axis];
  words >> rows;
  setup.around = rows == "around";
  require(words && (setup.around || rows == "ahead"),
          "\"open\" ends with \"" + rows + "\", but must end with ahead or around.");
  for (int axis = 0; axis < setup.dimensions; axis++) {
    const std::string cells = std::to_string(lattice.cells[axis]);
    require(lattice.cells[axis] >= 3, "An axis has " + cells + " cells, but must have at least 3, the ring included.");
  }
  lattice.diameter_squared = diameter * diameter;
  return setup;
}

Parts read_parts(std::istringstream& words) {
  Parts parts;
  for (std::string word; words >> word;) {
    if (word == "wind") parts.wind = true;
    else if (word == "build") parts.build = true;
    else if (word == "query") parts.query = true;
    else throw Failure("failed", "A part is \"" + word + "\", but it must be wind, build or query.");
  }
  return parts;
}

class Dialogue {
 public:
  Dialogue() : clock(stream) {}

  void answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "copy") {
      size_t bytes = 0;
      words >> bytes;
      require(words && bytes > 0, "The line is \"" + line + "\", but copy needs a number of bytes greater than 0.");
      const CopySpeed speed = measure_copies(stream, clock, bytes);
      std::printf("ok %zu %.9g %.9g\n", speed.bytes, speed.milliseconds, speed.share);
    } else if (command == "open") {
      grid.reset();
      grid = std::make_unique<Grid>(stream, read_setup(words));
      std::printf("ok %zu\n", grid->bytes());
    } else if (!grid) {
      throw Failure("failed", "The line is \"" + line + "\", but without an open scene, only copy and open work.");
    } else if (command == "place") {
      read_floats(stream, grid->position_data(), grid->frame_bytes());
      std::printf("ok\n");
    } else if (command == "roll") {
      size_t frames = 0;
      words >> frames;
      require(bool(words), "The line is \"" + line + "\", but roll needs a number of frames.");
      read_floats(stream, grid->roll(frames), frames * grid->frame_bytes());
      std::printf("ok\n");
    } else if (command == "find") {
      const Found found = grid->find();
      std::printf("ok %llu %u\n", found.pairs, found.checksum);
    } else if (command == "time") {
      unsigned batch = 0;
      words >> batch;
      require(words && batch > 0, "The line is \"" + line + "\", but time needs a batch greater than 0.");
      std::printf("ok %.9g\n", grid->time(clock, batch, read_parts(words)));
    } else {
      throw Failure("failed", "The command is \"" + command + "\", but it must be copy, open, place, roll, find or time.");
    }
  }

 private:
  Stream stream;
  EventClock clock;
  std::unique_ptr<Grid> grid;
};

void run() {
  cudaDeviceProp device = {};
  check(cudaGetDeviceProperties(&device, 0), "find a device");
  Dialogue dialogue;
  std::printf("cellstorm-native %d %s %u %s\n", PROTOCOL, CLOCK_NAME, CLOCK_STEP_NS, device.name);
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    dialogue.answer(line);
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  // CUDA would load the kernels at their first use, while a graph is recorded, which is not allowed. So load them now.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  try {
    run();
    return 0;
  } catch (const Failure& failure) {
    std::printf("error %s %s\n", failure.kind, failure.what());
  } catch (const std::exception& error) {
    std::printf("error failed %s\n", error.what());
  }
  return 1;
}
