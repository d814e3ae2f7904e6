/** Scenes laid out row by row, x fastest. */
import type { Dimensions } from '../core/world/world';
import type { CollisionSceneDefinition } from './definition';
import type { Random } from './random';
import { ceilRoot, earthGravity, power, repeat, stepFor, toCoordinate, UNITS } from './scene';

const DIAMETER = UNITS;
const RADIUS = UNITS / 2;

/** Area (volume) per particle: the particles fill a tenth of it. */
const GAS_ROOM = { 2: Math.PI / 4 / 0.1, 3: Math.PI / 6 / 0.1 } as const;

/** Mean velocity of the gas, units / s. It is not 0, so that tests can compare relative changes of the momentum. */
const GAS_DRIFT = [UNITS, UNITS / 2, UNITS / 4] as const;

/** Greatest deviation from the mean along an axis, units / s. */
const GAS_SPREAD = 4 * UNITS;

/** Distance between neighbours, in units: about 1.05 diameters, which leaves room for random offsets. */
const PILE_SPACING = 1076;

/** Offset of every other layer. Particles exactly above each other would stand for seconds before they fall. */
const PILE_STAGGER = PILE_SPACING / 2;

/** Distance between neighbours, in units: 31/32 of a diameter. */
const PACKING_SPACING = 992;
/** √3/2 of PACKING_SPACING, rounded. */
const PACKING_ROW = 859;
/** Shifts along y of three successive layers: 0, 1 and 2 times √3/6 of PACKING_SPACING, rounded. */
const PACKING_SHIFT = [0, 286, 573] as const;
/** √(2/3) of PACKING_SPACING, rounded. */
const PACKING_LAYER = 810;

/** Returns a particle's index along an axis. Every axis but the last has `columns` positions. */
function latticeIndex(particle: number, columns: number, axis: number, dimensions: Dimensions): number {
  const along = Math.floor(particle / power(columns, axis));
  return axis === dimensions - 1 ? along : along % columns;
}

function shake(random: Random, amount: number): number {
  return random.between(-amount, amount);
}

export const GAS: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'gas',
  description: 'An elastic gas that fills a tenth of its box.',
  generate(dimensions, count, random) {
    const columns = ceilRoot(count, dimensions);
    const edge = Math.max(
      2,
      ceilRoot(count * GAS_ROOM[dimensions], dimensions),
      // With few particles, the edge must leave room for random offsets.
      Math.ceil(columns * 1.25),
    );
    const spacing = Math.floor((edge * UNITS) / columns);
    const step = stepFor(edge);
    const amount = Math.floor((spacing - DIAMETER) / 2 / step) * step;
    const positions = new Float32Array(count * dimensions);
    const velocities = new Float32Array(count * dimensions);
    for (let particle = 0, next = 0; particle < count; particle++) {
      for (let axis = 0; axis < dimensions; axis++, next++) {
        const centre = latticeIndex(particle, columns, axis, dimensions) * spacing + Math.floor(spacing / 2);
        positions[next] = toCoordinate(centre + shake(random, amount), step);
        const thirds = shake(random, GAS_SPREAD) + shake(random, GAS_SPREAD) + shake(random, GAS_SPREAD);
        velocities[next] = (Math.floor(thirds / 3) + (GAS_DRIFT[axis] as number)) / UNITS;
      }
    }
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      positions,
      velocities,
      settings: { gravity: repeat(0, dimensions), restitution: 1, friction: 0 },
    };
  },
};

export const PILE: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'pile',
  description: 'A loose, irregular stack falls.',
  generate(dimensions, count, random) {
    const edge = ceilRoot(count, dimensions) + 1;
    const amount = Math.floor((PILE_SPACING - DIAMETER) / 2);
    const first = RADIUS + amount;
    const columns = Math.max(1, Math.floor((edge * UNITS - 2 * first - PILE_STAGGER) / PILE_SPACING) + 1);
    const stagger = Math.min(PILE_STAGGER, edge * UNITS - 2 * first);
    const layers = Math.ceil(count / power(columns, dimensions - 1));
    const height = Math.ceil((2 * first + layers * PILE_SPACING) / UNITS) + 1;
    const step = stepFor(Math.max(edge, height));
    const positions = new Float32Array(count * dimensions);
    for (let particle = 0, next = 0; particle < count; particle++) {
      for (let axis = 0; axis < dimensions; axis++, next++) {
        // The height, y, grows last: in 3D the order is x, z, y.
        const along = axis === 0 ? 0 : axis === 1 ? dimensions - 1 : 1;
        const column = latticeIndex(particle, columns, along, dimensions);
        const aside =
          axis === 1 ? 0 : (latticeIndex(particle, columns, dimensions - 1, dimensions) % 2) * stagger;
        positions[next] = toCoordinate(first + column * PILE_SPACING + aside + shake(random, amount), step);
      }
    }
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: dimensions === 2 ? [edge, height] : [edge, height, edge],
      positions,
      velocities: new Float32Array(count * dimensions),
      settings: { gravity: earthGravity(dimensions) },
    };
  },
};

export const PACKING: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'packing',
  description: 'The densest packing (hexagonal in 2D, face-centred cubic in 3D), squeezed by 3%.',
  generate(dimensions, count) {
    const columns = ceilRoot(count, dimensions);
    const across = columns * PACKING_SPACING + PACKING_SPACING;
    const rows = dimensions === 2 ? Math.ceil(count / columns) : columns;
    const layers = dimensions === 2 ? 1 : Math.ceil(count / power(columns, 2));
    const extents = [across, rows * PACKING_ROW + PACKING_ROW, layers * PACKING_LAYER].map((units) =>
      Math.ceil((units + DIAMETER) / UNITS),
    );
    const max = extents.slice(0, dimensions);
    const step = stepFor(Math.max(...max));
    const positions = new Float32Array(count * dimensions);
    for (let particle = 0, next = 0; particle < count; particle++) {
      const column = latticeIndex(particle, columns, 0, dimensions);
      const row = latticeIndex(particle, columns, 1, dimensions);
      const layer = dimensions === 2 ? 0 : latticeIndex(particle, columns, 2, dimensions);
      // In each group of three layers, the second is also shifted by half a column.
      const aside = (row + (layer % 3 === 1 ? 1 : 0)) % 2;
      const x = RADIUS + column * PACKING_SPACING + (aside * PACKING_SPACING) / 2;
      const y = RADIUS + row * PACKING_ROW + (PACKING_SHIFT[layer % 3] as number);
      positions[next++] = toCoordinate(x, step);
      positions[next++] = toCoordinate(y, step);
      if (dimensions === 3) positions[next++] = toCoordinate(RADIUS + layer * PACKING_LAYER, step);
    }
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max,
      positions,
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};

export const LATTICE: CollisionSceneDefinition = {
  method: 'collisions',
  name: 'lattice',
  description: 'Every centre lies exactly on a cell border or halfway between two.',
  generate(dimensions, count) {
    const columns = ceilRoot(count, dimensions);
    const edge = Math.max(1, Math.ceil((columns + 1) / 2));
    const step = stepFor(edge);
    const positions = new Float32Array(count * dimensions);
    for (let particle = 0, next = 0; particle < count; particle++) {
      for (let axis = 0; axis < dimensions; axis++, next++) {
        const halfCells = latticeIndex(particle, columns, axis, dimensions) + 1;
        positions[next] = toCoordinate((halfCells * UNITS) / 2, step);
      }
    }
    return {
      // The radius is less than half a cell, so that no particle touches a wall.
      radius: 0.4375,
      cellSize: 1,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      positions,
      velocities: new Float32Array(count * dimensions),
      settings: {},
    };
  },
};
