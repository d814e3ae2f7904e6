// A dense counting-sort grid that finds overlapping pairs of bodies of one radius, written directly for CUDA. It is the
// yardstick for cellstorm's grid.
// Inputs: packed positions (2 or 3 floats per body), and the cells of cellstorm's own grid (src/core/world/world.ts).
// The cell of a coordinate p along an axis is floor((p - min) * inverse) + 1, clamped; `inverse` is 1 / the edge of a
// cell. A ring of empty cells surrounds the box.
// Outputs: bodies sorted by cell, the first body of each cell, the number of pairs nearer than a diameter, and the sum
// of their mix_pair modulo 2^32. The number and the sum do not depend on the order of bodies.
//
// A build clears the counters, counts the bodies per cell, scans the counters in place, and scatters the bodies. Bodies
// of a cell are in the order in which threads counted them; unlike cellstorm, this grid does not sort them by id.
// If two bodies of the benchmark may touch, the differences of their coordinates, the squares and the sum of the
// squares are exact in 32-bit floats. So fused multiply-adds find the same pairs.
#pragma once

#include <cuda_runtime.h>

constexpr unsigned THREADS = 256;
constexpr unsigned WARP = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

// A block scans a tile of counters. Each lane of a warp scans this many vectors of four counters. The 32 lanes of a
// warp read consecutive vectors at once.
constexpr unsigned VECTORS_PER_LANE = 4;
constexpr unsigned VECTORS_PER_WARP = VECTORS_PER_LANE * WARP;
constexpr unsigned WARPS = THREADS / WARP;
constexpr unsigned VECTORS_PER_TILE = WARPS * VECTORS_PER_WARP;
constexpr unsigned CELLS_PER_TILE = 4 * VECTORS_PER_TILE;

// Number of counters of pairs. Blocks add to different ones, so that they rarely wait for each other.
constexpr unsigned COUNTERS = 1024;

// A sorted body. One load of 16 bytes reads all that a test needs, in 2D and 3D.
struct alignas(16) Body {
  float x;
  float y;
  float z;
  unsigned id;
};

struct Found {
  unsigned long long pairs;
  unsigned checksum;
};

// The cells of the grid, and the squared distance below which bodies overlap.
struct Lattice {
  unsigned count;
  float diameter_squared;
  float inverse;
  float min[3];
  // Number of cells along each axis, including the ring; 1 along z in 2D.
  unsigned cells[3];
};

__device__ inline unsigned cell_along(float position, float low, float inverse, unsigned cells) {
  const int cell = int(floorf((position - low) * inverse)) + 1;
  return unsigned(min(max(cell, 1), int(cells) - 2));
}

template <int DIMENSIONS>
__device__ inline unsigned cell_of(const Lattice& lattice, const Body& body) {
  const float inverse = lattice.inverse;
  const unsigned x = cell_along(body.x, lattice.min[0], inverse, lattice.cells[0]);
  const unsigned y = cell_along(body.y, lattice.min[1], inverse, lattice.cells[1]);
  const unsigned z = DIMENSIONS == 3 ? cell_along(body.z, lattice.min[2], inverse, lattice.cells[2]) : 0;
  return x + lattice.cells[0] * (y + lattice.cells[1] * z);
}

template <int DIMENSIONS>
__device__ inline Body load_body(const float* __restrict__ positions, unsigned id) {
  if constexpr (DIMENSIONS == 2) {
    const float2 position = reinterpret_cast<const float2*>(positions)[id];
    return Body{position.x, position.y, 0.0f, id};
  } else {
    const float* position = positions + size_t(3) * id;
    return Body{position[0], position[1], position[2], id};
  }
}

// Counts the bodies per cell, and writes each body's rank: its number among the bodies of its cell, from 0. `counts`
// must be zero.
template <int DIMENSIONS>
__global__ void __launch_bounds__(THREADS)
    count_bodies(Lattice lattice, const float* __restrict__ positions, unsigned* counts, unsigned* __restrict__ ranks) {
  const unsigned id = blockIdx.x * THREADS + threadIdx.x;
  if (id >= lattice.count) return;
  const unsigned cell = cell_of<DIMENSIONS>(lattice, load_body<DIMENSIONS>(positions, id));
  ranks[id] = atomicAdd(&counts[cell], 1u);
}

// Returns the sum over all lanes of the warp: one instruction from compute capability 8.0 on.
__device__ inline unsigned warp_sum(unsigned value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  for (unsigned step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
  return value;
#else
  return __reduce_add_sync(ALL_LANES, value);
#endif
}

// A tile of the scan publishes its state and a sum in one word, so that later tiles read both together. The sum is that
// of the tile (OWN_SUM), or that of the tile and all earlier ones (WHOLE_SUM).
using Tile = unsigned long long;
enum : Tile { OWN_SUM = 1ull << 32, WHOLE_SUM = 2ull << 32 };

// Returns the sum over this lane and all lower ones.
__device__ inline unsigned warp_prefix(unsigned lane, unsigned value) {
  for (unsigned step = 1; step < WARP; step *= 2) {
    const unsigned before = __shfl_up_sync(ALL_LANES, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

// Publishes the sum `own` of a tile, and returns the sum of all earlier tiles. The warp reads 32 tiles at once,
// backwards until one of them has published its whole sum.
__device__ inline unsigned sum_before(volatile Tile* tiles, unsigned tile, unsigned own, unsigned lane) {
  if (lane == 0) tiles[tile] = (tile == 0 ? WHOLE_SUM : OWN_SUM) | own;
  unsigned sum = 0;
  if (tile == 0) return sum;
  for (long long nearest = (long long)(tile) - 1;; nearest -= WARP) {
    const long long earlier = nearest - lane;
    Tile seen;
    do {
      seen = earlier >= 0 ? tiles[earlier] : WHOLE_SUM;
    } while (__any_sync(ALL_LANES, seen < OWN_SUM));
    const unsigned whole = __ballot_sync(ALL_LANES, seen >= WHOLE_SUM);
    const unsigned last = whole == 0 ? WARP - 1 : unsigned(__ffs(int(whole))) - 1;
    sum += warp_sum(lane <= last ? unsigned(seen) : 0u);
    if (whole != 0) break;
  }
  if (lane == 0) tiles[tile] = WHOLE_SUM | (sum + own);
  return sum;
}

// Replaces the counters by their exclusive prefix sums, in one pass that reads and writes each counter once (decoupled
// look-back, Merrill and Garland 2016). CUB's DeviceScan does the same, but this kernel also runs without CUDA
// (on_cpu/). `tiles` and `next` must be zero. Blocks take tiles in the order in which they start. So a block only waits
// for tiles of blocks that have started.
__global__ void __launch_bounds__(THREADS) scan_cells(uint4* cells, volatile Tile* tiles, unsigned* next) {
  __shared__ unsigned shared_tile;
  __shared__ unsigned warp_sums[WARPS];
  __shared__ unsigned shared_before;
  const unsigned lane = threadIdx.x % WARP;
  const unsigned warp = threadIdx.x / WARP;
  if (threadIdx.x == 0) shared_tile = atomicAdd(next, 1u);
  __syncthreads();
  const unsigned tile = shared_tile;
  uint4* own = cells + size_t(tile) * VECTORS_PER_TILE + warp * VECTORS_PER_WARP + lane;
  uint4 counts[VECTORS_PER_LANE];
  unsigned before[VECTORS_PER_LANE];
#pragma unroll
  for (unsigned vector = 0; vector < VECTORS_PER_LANE; vector++) counts[vector] = own[vector * WARP];
  unsigned warp_sum = 0;
#pragma unroll
  for (unsigned vector = 0; vector < VECTORS_PER_LANE; vector++) {
    const unsigned sum = counts[vector].x + counts[vector].y + counts[vector].z + counts[vector].w;
    const unsigned prefix = warp_prefix(lane, sum);
    before[vector] = warp_sum + prefix - sum;
    warp_sum += __shfl_sync(ALL_LANES, prefix, WARP - 1);
  }
  if (lane == 0) warp_sums[warp] = warp_sum;
  __syncthreads();
  unsigned warps_before = 0;
  unsigned tile_sum = 0;
#pragma unroll
  for (unsigned other = 0; other < WARPS; other++) {
    if (other < warp) warps_before += warp_sums[other];
    tile_sum += warp_sums[other];
  }
  if (warp == 0) {
    const unsigned sum = sum_before(tiles, tile, tile_sum, lane);
    if (lane == 0) shared_before = sum;
  }
  __syncthreads();
  const unsigned start = shared_before + warps_before;
#pragma unroll
  for (unsigned vector = 0; vector < VECTORS_PER_LANE; vector++) {
    const unsigned first = start + before[vector];
    const unsigned second = first + counts[vector].x;
    const unsigned third = second + counts[vector].y;
    own[vector * WARP] = uint4{first, second, third, third + counts[vector].z};
  }
}

// Copies each body to its slot: the start of its cell plus its rank.
template <int DIMENSIONS>
__global__ void __launch_bounds__(THREADS)
    scatter_bodies(Lattice lattice, const float* __restrict__ positions, const unsigned* __restrict__ starts,
                   const unsigned* __restrict__ ranks, Body* __restrict__ bodies) {
  const unsigned id = blockIdx.x * THREADS + threadIdx.x;
  if (id >= lattice.count) return;
  const Body body = load_body<DIMENSIONS>(positions, id);
  bodies[starts[cell_of<DIMENSIONS>(lattice, body)] + ranks[id]] = body;
}

// Hashes a pair, whichever id is first, like MIX_PAIR_WGSL in bench/harness/engine.ts.
__device__ inline unsigned mix_pair(unsigned a, unsigned b) {
  const unsigned mixed = ((min(a, b) ^ 0x9e3779b9u) * 0x85ebca6bu) ^ max(a, b);
  return (mixed ^ (mixed >> 15)) * 0xc2b2ae35u;
}

// Adds every overlapping pair to `found`, from its lower slot. Three adjacent cells of a row are one range of slots.
// One loop visits all ranges, so a warp waits for its lane with the most candidates. With a loop per row, it would wait
// for the longest range of each row.
// With AROUND, a thread searches all cells around its body, like a general neighbour kernel. Without AROUND, it
// searches only higher slots: the rest of the three cells in its own row, and the adjacent rows that follow in the
// order of cells.
template <int DIMENSIONS, bool AROUND>
__global__ void __launch_bounds__(THREADS)
    find_pairs(Lattice lattice, const unsigned* __restrict__ starts, const Body* __restrict__ bodies, Found* found) {
  constexpr int ALL_ROWS = DIMENSIONS == 3 ? 9 : 3;
  constexpr int FIRST_ROW = AROUND ? 0 : ALL_ROWS / 2;
  constexpr int ROWS = ALL_ROWS - FIRST_ROW;
  const unsigned slot = blockIdx.x * THREADS + threadIdx.x;
  unsigned pairs = 0;
  unsigned checksum = 0;
  if (slot < lattice.count) {
    const Body own = bodies[slot];
    const unsigned cell = cell_of<DIMENSIONS>(lattice, own);
    // Candidate k is in slot k + shifts[row], where row is the last one with begins[row] <= k.
    unsigned begins[ROWS];
    unsigned shifts[ROWS];
    unsigned candidates = 0;
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
      const int dy = (FIRST_ROW + row) % 3 - 1;
      const int dz = DIMENSIONS == 3 ? (FIRST_ROW + row) / 3 - 1 : 0;
      const unsigned middle = cell + unsigned(dy + dz * int(lattice.cells[1])) * lattice.cells[0];
      const unsigned first = !AROUND && row == 0 ? slot + 1 : starts[middle - 1];
      begins[row] = candidates;
      shifts[row] = first - candidates;
      candidates += starts[middle + 2] - first;
    }
    for (unsigned candidate = 0; candidate < candidates; candidate++) {
      unsigned shift = shifts[0];
#pragma unroll
      for (int row = 1; row < ROWS; row++) {
        if (candidate >= begins[row]) shift = shifts[row];
      }
      const unsigned other_slot = candidate + shift;
      const Body other = bodies[other_slot];
      const float dx = other.x - own.x;
      const float dy = other.y - own.y;
      const float dz = DIMENSIONS == 3 ? other.z - own.z : 0.0f;
      const bool is_pair = dx * dx + dy * dy + dz * dz < lattice.diameter_squared;
      if (is_pair && (!AROUND || other_slot > slot)) {
        pairs++;
        checksum += mix_pair(own.id, other.id);
      }
    }
  }
  pairs = warp_sum(pairs);
  checksum = warp_sum(checksum);
  if (threadIdx.x % WARP == 0 && pairs != 0) {
    atomicAdd(&found[blockIdx.x % COUNTERS].pairs, (unsigned long long)(pairs));
    atomicAdd(&found[blockIdx.x % COUNTERS].checksum, checksum);
  }
}
