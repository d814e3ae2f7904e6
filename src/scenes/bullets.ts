/**
 * Scenes of fast particles that fly at a wall, one behind the other in lanes. With equal radii, numbers are exact, as
 * scene.ts describes. With variable radii, initial coordinates and sizes are multiples of 1/1024.
 */
import type { Dimensions, RadiusRange } from '../core/world/world';
import type { CollisionSceneDefinition } from './definition';
import type { Random } from './random';
import { ceilRoot, repeat, type Scene, type SceneContent, toCoordinate, UNITS } from './scene';

const IN_LANE = { 2: 10, 3: 4 } as const;
/** Distance from the foremost bullet of a full lane to the wall. */
const BEFORE_WALL = 5;
/** Least speed of a bullet along x, length / s. */
const SLOWEST = 3000;
/** Greatest speed minus SLOWEST. */
const FASTER = 12 * 60;
/** Greatest initial distance from the middle of the lane along y or z, in units. */
const ASIDE = UNITS / 32;
/** Greatest speed of a bullet along y or z, length / s. */
const SIDEWAYS = 60;

/** Parallel lanes along x: a row in 2D, a square in 3D. */
class Lanes {
  readonly across: number;
  readonly count: number;
  readonly wall: number;

  constructor(
    private readonly dimensions: Dimensions,
    bodies: number,
    bodiesInLane: number,
    private readonly spacing: number,
    private readonly pitch: number,
  ) {
    this.across = ceilRoot(Math.max(1, bodies) / bodiesInLane, dimensions - 1);
    this.count = this.across ** (dimensions - 1);
    this.wall = spacing * IN_LANE[dimensions] + BEFORE_WALL;
  }

  /** Returns the y or z coordinate of the middle of a lane. */
  middle(lane: number, axis: number): number {
    return this.pitch * ((Math.floor(lane / this.across ** (axis - 1)) % this.across) + 1);
  }

  load(bullet: number, random: Random, positions: Float32Array, velocities: Float32Array): void {
    const { dimensions } = this;
    const lane = bullet % this.count;
    const first = dimensions * bullet;
    positions[first] = this.spacing * (1 + Math.floor(bullet / this.count));
    velocities[first] = random.between(SLOWEST, SLOWEST + FASTER);
    for (let axis = 1; axis < dimensions; axis++) {
      positions[first + axis] = this.middle(lane, axis) + random.between(-ASIDE, ASIDE) / UNITS;
      velocities[first + axis] = random.between(-SIDEWAYS, SIDEWAYS);
    }
  }

  get box(): Pick<SceneContent, 'min' | 'max'> {
    const { dimensions, pitch, across, wall } = this;
    return {
      min: repeat(0, dimensions),
      max: repeat(pitch * (across + 1), dimensions).with(0, 2 * wall),
    };
  }
}

export const BULLETS: CollisionSceneDefinition = {
  method: 'collisions',
  continuous: true,
  name: 'bullets',
  description: 'Bullets fly 50 to 62 diameters per 1/60 s at a wall one diameter thick.',
  generate(dimensions, count, random) {
    const lanes = new Lanes(dimensions, count, IN_LANE[dimensions], 2, 1);
    const positions = new Float32Array(dimensions * count);
    const velocities = new Float32Array(dimensions * count);
    for (let bullet = 0; bullet < count; bullet++) lanes.load(bullet, random, positions, velocities);
    const obstacles = Float32Array.from(
      { length: count === 0 ? 0 : dimensions * lanes.count },
      (_, index) => {
        const axis = index % dimensions;
        return axis === 0 ? lanes.wall : lanes.middle(Math.floor(index / dimensions), axis);
      },
    );
    return {
      radius: 0.5,
      ...lanes.box,
      positions,
      velocities,
      obstacles,
      continuous: true,
      settings: { substeps: 1, restitution: 0.25 },
    };
  },
};

/** Range of the radii of balls and the half extents of boxes. */
const LEAST = 0.25;
const GREATEST = 1;
/** Distance between lanes, and between bullets of a lane. Bodies do not touch at the start. */
const PITCH = 2.5;
/** Half extents of a box that closes a lane. */
const GATE = [LEAST, 1.125, 1.125] as const;
const RANGE: RadiusRange = { smallest: LEAST, largest: 2 };

export const MIXED_BULLETS: CollisionSceneDefinition = {
  method: 'collisions',
  variableRadii: true,
  hasBoxes: true,
  continuous: true,
  name: 'mixed-bullets',
  description: 'Balls and boxes fly 50 to 62 units per 1/60 s at a thin wall.',
  generate(dimensions, count, random) {
    const lanes = new Lanes(dimensions, count, IN_LANE[dimensions] + 1, PITCH, PITCH);
    const bullets = Math.max(0, count - lanes.count);
    const positions = new Float32Array(dimensions * count);
    const velocities = new Float32Array(dimensions * count);
    const radii = new Float32Array(count);
    const halfExtents = new Float32Array(dimensions * count);
    const size = () => toCoordinate(random.between(LEAST * UNITS, GREATEST * UNITS), 1);
    for (let bullet = 0; bullet < bullets; bullet++) {
      lanes.load(bullet, random, positions, velocities);
      if (random.below(2) === 0) radii[bullet] = size();
      else for (let axis = 0; axis < dimensions; axis++) halfExtents[dimensions * bullet + axis] = size();
    }
    for (let gate = bullets; gate < count; gate++) {
      for (let axis = 0; axis < dimensions; axis++) {
        positions[dimensions * gate + axis] = axis === 0 ? lanes.wall : lanes.middle(gate - bullets, axis);
        halfExtents[dimensions * gate + axis] = GATE[axis] as number;
      }
    }
    return {
      radius: RANGE.largest,
      radii,
      radiusRange: RANGE,
      halfExtents,
      ...lanes.box,
      positions,
      velocities,
      continuous: true,
      settings: { substeps: 1, restitution: 0.25 },
    };
  },
};

export function wallOf({ dimensions, obstacles, positions }: Scene): number {
  const isFirst = (_: number, index: number) => index % dimensions === 0;
  const fixed = ArrayBuffer.isView(obstacles) ? obstacles : obstacles?.positions;
  return fixed?.[0] ?? Math.max(...positions.filter(isFirst));
}
