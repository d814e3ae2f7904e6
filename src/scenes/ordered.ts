/**
 * Purpose: scenes laid out row by row (x fastest, then the other axes), shaken or exact.
 */
import type { Dimensions } from '../core/world/world';
import type { Random } from './random';
import { ceilRoot, power, repeat, type SceneDefinition, stepFor, toCoordinate, UNITS } from './scene';

const DIAMETER = UNITS;
const RADIUS = UNITS / 2;

/** Area (volume) for each particle of `gas`: it fills a tenth. */
const GAS_ROOM = { 2: Math.PI / 4 / 0.1, 3: Math.PI / 6 / 0.1 } as const;

/** Velocity of the whole gas, units / s, so that its momentum is a number worth comparing. */
const GAS_DRIFT = [UNITS, UNITS / 2, UNITS / 4] as const;

/** Half of the widest spread of a gas particle's velocity along an axis, units / s. */
const GAS_SPREAD = 4 * UNITS;

/** Spacing of `pile`, about 1.05 diameters: close enough to fall little, with room to be shaken. */
const PILE_SPACING = 1076;

/** Every other layer is moved by this: particles stacked upon each other would stand for seconds before they fall. */
const PILE_STAGGER = PILE_SPACING / 2;

/** Length / s²; a multiple of 1/16, so that it is exact. */
export const PILE_GRAVITY = -9.8125;

/** Spacing of `packing`, 31/32 of a diameter: every neighbour overlaps by 3%. */
const PACKING_SPACING = 992;
/** √3/2, √3/6 and √(2/3) of it, rounded: rows of a layer, shift from layer to layer, height of a layer. */
const PACKING_ROW = 859;
const PACKING_SHIFT = [0, 286, 573] as const;
const PACKING_LAYER = 810;

/** Splits a running number into a place on a lattice of `columns` by `columns` by any number. */
function latticePlace(particle: number, columns: number, axis: number, dimensions: Dimensions): number {
  const along = Math.floor(particle / power(columns, axis));
  return axis === dimensions - 1 ? along : along % columns;
}

/** Units between two numbers, the same for all engines. */
function shake(random: Random, amount: number): number {
  return random.between(-amount, amount);
}

export const GAS: SceneDefinition = {
  name: 'gas',
  description: 'A tenth of the room filled, nothing touching, elastic, each with a velocity of its own.',
  generate(dimensions, count, random) {
    const columns = ceilRoot(count, dimensions);
    const edge = Math.max(
      2,
      ceilRoot(count * GAS_ROOM[dimensions], dimensions),
      // Few particles: keep room to shake them.
      Math.ceil(columns * 1.25),
    );
    const spacing = Math.floor((edge * UNITS) / columns);
    const step = stepFor(edge);
    const amount = Math.floor((spacing - DIAMETER) / 2 / step) * step;
    const positions = new Float32Array(count * dimensions);
    const velocities = new Float32Array(count * dimensions);
    for (let particle = 0, next = 0; particle < count; particle++) {
      for (let axis = 0; axis < dimensions; axis++, next++) {
        const centre = latticePlace(particle, columns, axis, dimensions) * spacing + Math.floor(spacing / 2);
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

export const PILE: SceneDefinition = {
  name: 'pile',
  description: 'A loose shaken stack that falls and settles on the floor of its box.',
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
        // The last to grow is the height, y: in space particles run along x, then z, then y.
        const along = axis === 0 ? 0 : axis === 1 ? dimensions - 1 : 1;
        const place = latticePlace(particle, columns, along, dimensions);
        const aside =
          axis === 1 ? 0 : (latticePlace(particle, columns, dimensions - 1, dimensions) % 2) * stagger;
        positions[next] = toCoordinate(first + place * PILE_SPACING + aside + shake(random, amount), step);
      }
    }
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: dimensions === 2 ? [edge, height] : [edge, height, edge],
      positions,
      velocities: new Float32Array(count * dimensions),
      settings: { gravity: dimensions === 2 ? [0, PILE_GRAVITY] : [0, PILE_GRAVITY, 0] },
    };
  },
};

export const PACKING: SceneDefinition = {
  name: 'packing',
  description: 'The densest packing (hexagonal; face-centred cubic in space), squeezed by 3%.',
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
      const column = latticePlace(particle, columns, 0, dimensions);
      const row = latticePlace(particle, columns, 1, dimensions);
      const layer = dimensions === 2 ? 0 : latticePlace(particle, columns, 2, dimensions);
      // Layers repeat after three; the middle one is also half a column aside.
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

export const LATTICE: SceneDefinition = {
  name: 'lattice',
  description: 'Every centre exactly on a cell border or in the middle between two.',
  generate(dimensions, count) {
    const columns = ceilRoot(count, dimensions);
    const edge = Math.max(1, Math.ceil((columns + 1) / 2));
    const step = stepFor(edge);
    const positions = new Float32Array(count * dimensions);
    for (let particle = 0, next = 0; particle < count; particle++) {
      for (let axis = 0; axis < dimensions; axis++, next++) {
        const place = latticePlace(particle, columns, axis, dimensions) + 1;
        positions[next] = toCoordinate((place * UNITS) / 2, step);
      }
    }
    return {
      // A multiple of 1/16 below half a cell, so that centres half a cell from the wall are inside.
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
