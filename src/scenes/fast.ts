/**
 * Purpose: scenes of fast particles, lane by lane one behind the other, before a wall.
 * Guarantee: of those of one size as scene.ts says; of those of many sizes, radii, half extents and coordinates at the
 * beginning are whole numbers of 1/1024.
 */
import type { Dimensions, RadiusRange } from '../core/world/world';
import type { Random } from './random';
import {
  ceilRoot,
  repeat,
  type Scene,
  type SceneContent,
  type SceneDefinition,
  toCoordinate,
  UNITS,
} from './scene';

/** In a lane, one behind the other. */
const IN_LANE = { 2: 10, 3: 4 } as const;
/** From the foremost to the wall. */
const BEFORE_WALL = 5;
/** In 1/60 s: 50 lengths, and up to so many more. */
const SLOWEST = 3000;
const FASTER = 12 * 60;
/** How far off the middle of its lane a bullet begins, and how fast it leaves it, at most. */
const ASIDE = UNITS / 32;
const LEAVING = 60;

/** The ways of bullets side by side, in a square in space. */
class Lanes {
  readonly across: number;
  readonly count: number;
  readonly wall: number;

  constructor(
    private readonly dimensions: Dimensions,
    bodies: number,
    bodiesInLane: number,
    /** Of those in a lane, and of lanes. */
    private readonly spacing: number,
    private readonly pitch: number,
  ) {
    this.across = ceilRoot(Math.max(1, bodies) / bodiesInLane, dimensions - 1);
    this.count = this.across ** (dimensions - 1);
    this.wall = spacing * IN_LANE[dimensions] + BEFORE_WALL;
  }

  /** Coordinate of the middle of a lane along an axis after the first. */
  middle(lane: number, axis: number): number {
    return this.pitch * ((Math.floor(lane / this.across ** (axis - 1)) % this.across) + 1);
  }

  /** Puts a bullet into its place, behind those before it in its lane. */
  load(bullet: number, random: Random, positions: Float32Array, velocities: Float32Array): void {
    const { dimensions } = this;
    const lane = bullet % this.count;
    const first = dimensions * bullet;
    positions[first] = this.spacing * (1 + Math.floor(bullet / this.count));
    velocities[first] = random.between(SLOWEST, SLOWEST + FASTER);
    for (let axis = 1; axis < dimensions; axis++) {
      positions[first + axis] = this.middle(lane, axis) + random.between(-ASIDE, ASIDE) / UNITS;
      velocities[first + axis] = random.between(-LEAVING, LEAVING);
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

export const BULLETS: SceneDefinition = {
  name: 'bullets',
  description:
    'Bullets that fly 50 to 62 diameters in a sixtieth of a second, before a wall of obstacles one diameter thick; their paths are followed.',
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

/** Radii of balls and half extents of boxes. */
const LEAST = 0.25;
const GREATEST = 1;
/** Of the lanes and in them: nothing touches at first. */
const PITCH = 2.5;
/** Of what stands in each lane, as thick as the least of the others: half its edge, across the lane too. */
const GATE = [LEAST, 1.125, 1.125] as const;
const RANGE: RadiusRange = { smallest: LEAST, largest: 2 };

export const MIXED_BULLETS: SceneDefinition = {
  name: 'mixed-bullets',
  description:
    'Balls and boxes over 1:4 that fly 50 to 62 lengths in a sixtieth of a second, before a wall of boxes as thick as the smallest of them; their paths are followed.',
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

/** First coordinate of the wall that the bullets of a scene fly at. */
export function wallOf({ dimensions, obstacles, positions }: Scene): number {
  const isFirst = (_: number, index: number) => index % dimensions === 0;
  const fixed = ArrayBuffer.isView(obstacles) ? obstacles : obstacles?.positions;
  return fixed?.[0] ?? Math.max(...positions.filter(isFirst));
}
