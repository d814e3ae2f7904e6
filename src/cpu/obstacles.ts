/**
 * Purpose: the particles that never move, on the CPU: sorted into the cells of the world once, looked up by those
 * that do. The law of their contacts is in core/settings.ts, its formulas in shaders/solve/resolve.wgsl; one file
 * for all worlds, in the plane and in space.
 * Inputs: their positions; the canonical order of the moving particles, their state. Outputs: each moving particle's
 * part in `approaches` and `partners`, or in `pushes` and `changes`, after those of the pairs among them.
 * Guarantee: who overlaps whom is decided as everywhere on the CPU, on the real numbers that coordinates are.
 * Ordering: cells around a particle row by row, obstacles of a cell in canonical order; the same on every run.
 */
import { obstacleShare } from '../core/obstacles';
import type { Substep } from '../core/settings';
import { visitInBox } from './box';
import { bearingChange, COINCIDENT_SQUARED, coincidentNormal } from './contact';
import { visitCells } from './hashed';
import type { ParticleState, Response } from './kernels';
import type { Lattice } from './lattice';
import { CellOrder } from './order';
import { overlapsWrapped, wrappedBand } from './overlap';
import { around, carryIn } from './wrapped';
import { nearest } from './wrapped-contact';

/** Overlaps of one particle that memory is kept for at first. */
const FEW_OVERLAPS = 64;

export class Obstacles {
  /** As they were given. */
  given: Float32Array;
  private readonly order: CellOrder;
  /** In canonical order. */
  private readonly positions: Float32Array;
  private readonly words: Uint32Array;
  /** Of boxes: first slot of each key, one entry more. */
  private readonly starts: Uint32Array;
  /** Slots of the obstacles that a particle overlaps: what `meet` found last. */
  private found = new Uint32Array(FEW_OVERLAPS);
  private met = 0;
  /** A particle and an obstacle beside each other. */
  private readonly pair: Float32Array;
  /** Rows and columns to look at, of the cells around one. */
  private readonly near: readonly [Int32Array, Int32Array, Int32Array];
  /** From an obstacle to a particle, of unit length: what `face` found last. */
  private readonly normal = new Float64Array(3);
  private readonly lowest: number[];
  private readonly highest: number[];
  private readonly band: number;
  private readonly lattice: Lattice;

  /** `moving`: the order of the particles that move. */
  constructor(
    private readonly moving: CellOrder,
    private readonly diameter: number,
    readonly capacity: number,
  ) {
    const { lattice } = moving;
    const { dimensions, world, rows, rowStride } = lattice;
    this.lattice = lattice;
    this.order = new CellOrder(lattice, capacity);
    this.given = new Float32Array(0);
    this.positions = new Float32Array(dimensions * capacity);
    this.words = new Uint32Array(this.positions.buffer);
    this.starts = new Uint32Array(world.kind === 'unbounded' ? 0 : rows * rowStride + 1);
    this.pair = new Float32Array(2 * dimensions);
    this.near = [new Int32Array(3), new Int32Array(3), new Int32Array(3)];
    this.lowest = new Array<number>(dimensions).fill(0);
    this.highest = new Array<number>(dimensions).fill(0);
    this.band = wrappedBand(diameter, lattice.longestPeriod);
  }

  get count(): number {
    return this.given.length / this.lattice.dimensions;
  }

  get memoryBytes(): number {
    const { order, positions, starts, capacity, lattice } = this;
    return order.memoryBytes + positions.byteLength + starts.byteLength + 4 * lattice.dimensions * capacity;
  }

  /** Their positions by slot. */
  get sorted(): Float32Array {
    return this.positions;
  }

  /** Slots of those in a box, in no particular order. */
  visitInBox(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void {
    visitInBox(this.order, this.positions, low, high, visit);
  }

  /** At most `capacity` of them. */
  load(positions: Float32Array): void {
    this.given = positions.slice();
    const placed = positions.slice();
    const { order, lattice, count, starts } = this;
    if (lattice.world.kind === 'periodic') carryIn(lattice.world, placed, 0, count);
    order.sort(placed, new Uint32Array(placed.buffer), count, this.words);
    let key = 0;
    for (let slot = 0; slot < order.live; slot++) {
      const own = order.keys[slot] as number;
      while (key <= own && key < starts.length) starts[key++] = slot;
    }
    starts.fill(order.live, key);
  }

  /** Names the obstacle that a particle approaches fastest, where that is faster than all before: −2 − its slot. */
  findPartners(state: ParticleState, response: Response): void {
    const { normal, lattice } = this;
    const { dimensions } = lattice;
    const { velocities } = state;
    const { approaches, partners } = response;
    for (let slot = 0; slot < this.moving.live; slot++) {
      this.meet(state.positions, slot);
      for (let index = 0; index < this.met; index++) {
        const obstacle = this.found[index] as number;
        this.face(state.positions, slot, obstacle);
        let approach = 0;
        for (let axis = 0; axis < dimensions; axis++) {
          approach += (velocities[dimensions * slot + axis] as number) * (normal[axis] as number);
        }
        if (approach < (approaches[slot] as number)) {
          approaches[slot] = approach;
          partners[slot] = -2 - obstacle;
        }
      }
    }
  }

  respond(state: ParticleState, response: Response, substep: Substep): void {
    const { normal, diameter, lattice } = this;
    const { dimensions } = lattice;
    const inSpace = dimensions === 3;
    const { velocities } = state;
    const { pushes, changes, partners } = response;
    const { halfRelaxation, gripShare, inverseDt, dt, friction, pushSpeed, restSpeed, restitution } = substep;
    for (let slot = 0; slot < this.moving.live; slot++) {
      this.meet(state.positions, slot);
      if (this.met === 0) continue;
      const share = this.share(state.positions, slot);
      const first = dimensions * slot;
      const velocityX = velocities[first] as number;
      const velocityY = velocities[first + 1] as number;
      const velocityZ = inSpace ? (velocities[first + 2] as number) : 0;
      for (let index = 0; index < this.met; index++) {
        const obstacle = this.found[index] as number;
        const distance = this.face(state.positions, slot, obstacle);
        const x = normal[0] as number;
        const y = normal[1] as number;
        const z = normal[2] as number;
        // What both sides of a contact would do.
        const push = 2 * halfRelaxation * (diameter - distance);
        const approach = velocityX * x + velocityY * y + velocityZ * z;
        const bounces = restitution > 0 && partners[slot] === -2 - obstacle;
        const change = bounces
          ? -(1 + restitution) * approach
          : bearingChange(push * inverseDt, approach, pushSpeed, restSpeed, restitution, 1);
        const slidingX = velocityX - approach * x;
        const slidingY = velocityY - approach * y;
        const slidingZ = velocityZ - approach * z;
        const sliding = Math.sqrt(slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ);
        const braking = sliding > 0 ? Math.min(friction * change, gripShare * sliding) / sliding : 0;
        // A bounce is one, and whole.
        const part = bounces ? 1 : share;
        changes[first] = (changes[first] as number) + part * (change * x - braking * slidingX);
        changes[first + 1] = (changes[first + 1] as number) + part * (change * y - braking * slidingY);
        const held = bounces ? 0 : braking * dt;
        pushes[first] = (pushes[first] as number) + share * (push * x - held * slidingX);
        pushes[first + 1] = (pushes[first + 1] as number) + share * (push * y - held * slidingY);
        if (!inSpace) continue;
        changes[first + 2] = (changes[first + 2] as number) + part * (change * z - braking * slidingZ);
        pushes[first + 2] = (pushes[first + 2] as number) + share * (push * z - held * slidingZ);
      }
    }
  }

  separate(state: ParticleState, response: Response, substep: Substep): void {
    const { normal, diameter, lattice } = this;
    const { dimensions } = lattice;
    const { pushes } = response;
    for (let slot = 0; slot < this.moving.live; slot++) {
      this.meet(state.positions, slot);
      const share = this.share(state.positions, slot);
      for (let index = 0; index < this.met; index++) {
        const distance = this.face(state.positions, slot, this.found[index] as number);
        const push = share * 2 * substep.halfRelaxation * (diameter - distance);
        for (let axis = 0; axis < dimensions; axis++) {
          const place = dimensions * slot + axis;
          pushes[place] = (pushes[place] as number) + push * (normal[axis] as number);
        }
      }
    }
  }

  /** What each of the obstacles that `meet` found does of what it would do alone. */
  private share(positions: Float32Array, slot: number): number {
    if (this.met < 2) return 1;
    let deepest = 0;
    let sum = 0;
    for (let index = 0; index < this.met; index++) {
      const overlap = this.diameter - this.face(positions, slot, this.found[index] as number);
      deepest = Math.max(deepest, overlap);
      sum += overlap;
    }
    return obstacleShare(deepest, sum);
  }

  /** Overlaps of a moving particle with an obstacle. */
  countContacts(positions: Float32Array): number {
    let contacts = 0;
    for (let slot = 0; slot < this.moving.live; slot++) {
      this.meet(positions, slot);
      contacts += this.met;
    }
    return contacts;
  }

  /** Finds the obstacles that a moving particle overlaps, of the cells around the one that it was sorted into. */
  private meet(positions: Float32Array, slot: number): void {
    this.met = 0;
    const { dimensions, world } = this.lattice;
    for (let axis = 0; axis < dimensions; axis++) {
      this.pair[axis] = positions[dimensions * slot + axis] as number;
    }
    if (world.kind === 'unbounded') this.meetHashed(slot);
    else this.meetInBox(this.moving.keys[slot] as number);
  }

  private meetHashed(slot: number): void {
    const { lowest, highest, lattice } = this;
    const { coordinates } = this.moving;
    const { dimensions } = lattice;
    for (let axis = 0; axis < dimensions; axis++) {
      const cell = coordinates[dimensions * slot + axis] as number;
      lowest[axis] = cell - 1;
      highest[axis] = cell + 1;
    }
    visitCells(this.order, lowest, highest, this.test);
  }

  private meetInBox(key: number): void {
    const { near, lattice } = this;
    const { rowStride, cellsY, cellsZ, dimensions, wrapsX, wrapsY, wrapsZ } = lattice;
    const row = Math.floor(key / rowStride);
    const column = key - row * rowStride;
    const layer = Math.floor(row / cellsY);
    const [columns, rows, layers] = near;
    listNear(rows, row - layer * cellsY, cellsY, wrapsY);
    let layerCount = 1;
    layers[0] = layer;
    if (dimensions === 3) {
      listNear(layers, layer, cellsZ, wrapsZ);
      layerCount = 3;
    }
    const isAtEnd = wrapsX && (column === 1 || column === rowStride - 2);
    if (isAtEnd) listNear(columns, column, rowStride, true);
    for (let z = 0; z < layerCount; z++) {
      for (let y = 0; y < 3; y++) {
        const first = ((layers[z] as number) * cellsY + (rows[y] as number)) * rowStride;
        if (!isAtEnd) {
          this.testKeys(first + column - 1, first + column + 1);
          continue;
        }
        for (let x = 0; x < 3; x++) {
          this.testKeys(first + (columns[x] as number), first + (columns[x] as number));
        }
      }
    }
  }

  private testKeys(firstKey: number, lastKey: number): void {
    const end = this.starts[lastKey + 1] as number;
    for (let slot = this.starts[firstKey] as number; slot < end; slot++) this.test(slot);
  }

  /** Takes an obstacle down if the particle of `pair` overlaps it. */
  private readonly test = (obstacle: number): void => {
    const { pair, positions, diameter, lattice, band } = this;
    const { dimensions, periods } = lattice;
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const place = positions[dimensions * obstacle + axis] as number;
      const apart = around((pair[axis] as number) - place, periods[axis] as number);
      squared += apart * apart;
    }
    const excess = squared - diameter * diameter;
    if (!(excess <= band)) return;
    if (excess >= -band) {
      for (let axis = 0; axis < dimensions; axis++) {
        pair[dimensions + axis] = positions[dimensions * obstacle + axis] as number;
      }
      if (!overlapsWrapped(pair, 0, 1, diameter, periods)) return;
    }
    if (this.met === this.found.length) {
      const longer = new Uint32Array(2 * this.met);
      longer.set(this.found);
      this.found = longer;
    }
    this.found[this.met++] = obstacle;
  };

  /** Finds `normal`, and returns how far apart a particle and an obstacle are. */
  private face(positions: Float32Array, slot: number, obstacle: number): number {
    const { normal, lattice } = this;
    const { dimensions, periods } = lattice;
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const direct =
        (positions[dimensions * slot + axis] as number) -
        (this.positions[dimensions * obstacle + axis] as number);
      const apart = nearest(direct, periods[axis] as number);
      normal[axis] = apart;
      squared += apart * apart;
    }
    const isCoincident = squared < COINCIDENT_SQUARED;
    const distance = isCoincident ? 0 : Math.sqrt(squared);
    // The axis is said for the lower slot.
    const sign = slot > obstacle ? -1 : 1;
    for (let axis = 0; axis < dimensions; axis++) {
      normal[axis] = isCoincident
        ? sign * coincidentNormal(slot, obstacle, axis, dimensions)
        : (normal[axis] as number) / distance;
    }
    return distance;
  }
}

/** Coordinates next to one and itself; those at an end that wraps around have the other end's beside them. */
function listNear(list: Int32Array, coordinate: number, cells: number, wraps: boolean): void {
  list[0] = wraps && coordinate === 1 ? cells - 2 : coordinate - 1;
  list[1] = coordinate;
  list[2] = wraps && coordinate === cells - 2 ? 1 : coordinate + 1;
}
