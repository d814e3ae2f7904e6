/** The arrays of a CPU simulation. */
import type { SimulationPlan } from '../../core/simulation/plan';
import type { Dimensions } from '../../core/world/world';
import type { ParticleState } from '../shared/kernels';
import { floatsIn, type Memory, OWN_MEMORY, wordsIn } from '../shared/memory';
import type { Response } from './contact';

/** The state of a simulation. Positions and velocities are packed: `dimensions` numbers per particle. */
export interface CpuSimulationBuffers {
  /** Positions. */
  readonly positions: Float32Array;
  /** Velocities, length / s. */
  readonly velocities: Float32Array;
  /** The id of the particle in each slot. */
  readonly ids: Uint32Array;
}

export function createState(
  {
    dimensions,
    capacity,
    radiusRange,
    boxes,
    quanta,
  }: Pick<SimulationPlan, 'dimensions' | 'capacity' | 'radiusRange' | 'boxes'> &
    Partial<Pick<SimulationPlan, 'quanta'>>,
  memory: Memory = OWN_MEMORY,
): ParticleState {
  const positions = floatsIn(memory, dimensions * capacity);
  const velocities = floatsIn(memory, dimensions * capacity);
  const radii = new Float32Array(radiusRange ? capacity : 0);
  return {
    positions,
    velocities,
    ids: wordsIn(memory, capacity),
    positionWords: new Uint32Array(positions.buffer),
    velocityWords: new Uint32Array(velocities.buffer),
    radii,
    loads: new Float32Array(radiusRange ? capacity : 0),
    halves: new Float32Array(boxes ? dimensions * capacity : 0),
    bulks: boxes ? new Float32Array(capacity) : radii,
    quanta: new Int32Array(quanta ? dimensions * capacity : 0),
    rates: new Int32Array(quanta ? dimensions * capacity : 0),
  };
}

/** Copies the first `count` particles, bit by bit. */
export function copyState(
  from: ParticleState,
  to: ParticleState,
  count: number,
  dimensions: Dimensions,
): void {
  to.ids.set(from.ids.subarray(0, count));
  to.positionWords.set(from.positionWords.subarray(0, dimensions * count));
  to.velocityWords.set(from.velocityWords.subarray(0, dimensions * count));
  to.radii.set(from.radii.subarray(0, count));
  to.loads.set(from.loads.subarray(0, count));
  to.halves.set(from.halves.subarray(0, dimensions * count));
  to.quanta.set(from.quanta.subarray(0, dimensions * count));
  to.rates.set(from.rates.subarray(0, dimensions * count));
  // Without boxes, `bulks` is the same array as `radii`.
  if (to.bulks !== to.radii) to.bulks.set(from.bulks.subarray(0, count));
}

/** Returns the same memory as words, for bit-exact copies. */
export function wordsOf(numbers: Float32Array | Int32Array): Uint32Array {
  return new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
}

export function createResponse(dimensions: Dimensions, capacity: number): Response {
  return {
    pushes: new Float64Array(dimensions * capacity),
    changes: new Float64Array(dimensions * capacity),
    supports: new Float64Array(dimensions * capacity),
    bearings: new Float64Array(capacity),
    closings: new Float64Array(capacity),
    depths: new Float64Array(capacity),
    strains: new Float64Array(capacity),
    marks: new Uint8Array(capacity),
    approaches: new Float64Array(capacity),
    partners: new Int32Array(capacity),
  };
}

/** Returns the bytes of arrays. Memory that several arrays share counts once. */
export function byteLengthOf(arrays: object): number {
  const buffers = new Set(
    Object.values(arrays as Record<string, ArrayBufferView>).map(({ buffer }) => buffer),
  );
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
}
