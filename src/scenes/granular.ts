/**
 * Scenes of grains in vessels that turn. In 3D, vessels stand between two panes. Coordinates are exact as scene.ts
 * describes.
 */
import type { Dimensions } from '../core/world/world';
import type { CollisionSceneDefinition } from './definition';
import type { Driven } from './drive';
import { directionAt, EARTH_GRAVITY, earthGravity, repeat, type SceneContent } from './scene';
import { beadsAlong, capacityOf, fillRoom, type Point, type Room, standBalls } from './vessel';

/**
 * Least distance between the centre of a grain and the centre of a vessel's ball, before random offsets. Hourglasses
 * measure it along x.
 */
const CLEARANCE = 1.5;
/** Distance from the vessel to the walls of the box. */
const MARGIN = 1;

/** Returns the least whole size, at least `from`, that is large enough. */
function sizeFor(from: number, isEnough: (size: number) => boolean): number {
  let low = from;
  let high = from;
  while (!isEnough(high)) {
    low = high + 1;
    high *= 2;
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** Range of the distance between the panes. Deeper vessels would hide the grains and need many more balls. */
const SHALLOWEST = 4;
const DEEPEST = 16;

function depthOf(halfWidth: number): number {
  return Math.min(DEEPEST, Math.max(SHALLOWEST, Math.ceil(halfWidth / 3)));
}

/** Widths are measured from the axis, heights from the middle. */
interface Glass {
  readonly halfWidth: number;
  readonly depth: number;
  readonly neck: number;
  /** Heights at which the throat, the funnel, the straight part and the lid end. */
  readonly throat: number;
  readonly rim: number;
  readonly shoulder: number;
  readonly top: number;
}

const LEAST_GLASS = 6;
/** Least half width of a neck. In a narrower neck, grains wedge. */
const NARROWEST_NECK = 3;

function glassOf(halfWidth: number): Glass {
  const neck = Math.max(NARROWEST_NECK, halfWidth / 5);
  const throat = neck / 2;
  const rim = throat + (halfWidth - neck);
  const shoulder = rim + halfWidth / 2;
  const top = shoulder + halfWidth / 4;
  return { halfWidth, depth: depthOf(halfWidth), neck, throat, rim, shoulder, top };
}

/** Returns the upper right quarter of the outline, from the neck to the middle of the lid. */
function outlineOf({ halfWidth, neck, throat, rim, shoulder, top }: Glass): Point[] {
  return [
    [neck, 0],
    [neck, throat],
    [halfWidth, rim],
    [halfWidth, shoulder],
    [halfWidth - (top - shoulder), top],
    [0, top],
  ];
}

function upperRoom({ halfWidth, neck, throat, shoulder, top }: Glass): Room {
  return {
    middle: MARGIN + halfWidth,
    bottom: MARGIN + top + throat,
    top: MARGIN + top + shoulder,
    halfWidth: (height) =>
      Math.min(halfWidth, neck + Math.max(0, height - MARGIN - top - throat)) - CLEARANCE,
  };
}

/**
 * Factor in the estimated flow through a neck, in grains per second: `FLOW · √gravity · width^(3/2)`, in 3D also times
 * the depth. It is below the measured 0.85 in 2D and 0.74 in 3D, so that all grains pass before the next turn.
 */
const FLOW = { 2: 0.7, 3: 0.6 } as const;
const REST_SECONDS = 3;

export const HOURGLASS: CollisionSceneDefinition = {
  method: 'collisions',
  driven: true,
  name: 'hourglass',
  description: 'Grains run through an hourglass, which turns over.',
  generate(dimensions, count, random) {
    const isEnough = (size: number) => {
      const glass = glassOf(size);
      return capacityOf(dimensions, upperRoom(glass), glass.depth) >= count;
    };
    const glass = glassOf(sizeFor(LEAST_GLASS, isEnough));
    const { halfWidth, depth, top, neck } = glass;
    const half = beadsAlong(outlineOf(glass));
    const outline = half.flatMap(([x, y]): Point[] =>
      [1, -1].flatMap((up) =>
        [1, -1].map((aside): Point => [MARGIN + halfWidth + aside * x, MARGIN + top + up * y]),
      ),
    );
    const across = dimensions === 2 ? 1 : depth;
    const width = 2 * neck - 1;
    const running = count / (FLOW[dimensions] * across * Math.sqrt(EARTH_GRAVITY * width ** 3));
    const falling = Math.sqrt((4 * top) / EARTH_GRAVITY);
    return {
      radius: 0.5,
      ...boxAround(dimensions, [2 * halfWidth, 2 * top], depth),
      positions: fillRoom(dimensions, count, random, upperRoom(glass), depth),
      velocities: new Float32Array(dimensions * count),
      obstacles: count === 0 ? undefined : standBalls(dimensions, outline, depth, 2 * top),
      settings: { gravity: earthGravity(dimensions), friction: 0.25 },
      drive: (time) => turnOver(dimensions, time, running + falling + REST_SECONDS, falling),
    };
  },
};

/** Returns gravity in the frame of the glass, which stands, turns over, stands, and so on. Times are in seconds. */
function turnOver(dimensions: Dimensions, time: number, standing: number, turning: number): Driven {
  const period = standing + turning;
  const turns = Math.floor(time / period);
  const share = Math.max(0, (time - turns * period - standing) / turning);
  const [x, y] = directionAt(Math.PI * (turns + share * share * (3 - 2 * share)));
  return { gravity: repeat(0, dimensions).with(0, y).with(1, -x) };
}

function boxAround(
  dimensions: Dimensions,
  [width, height]: Point,
  depth: number,
): Pick<SceneContent, 'min' | 'max'> {
  const max = [Math.ceil(width) + 2 * MARGIN, Math.ceil(height) + 2 * MARGIN, depth];
  return { min: repeat(0, dimensions), max: max.slice(0, dimensions) };
}

/** Number of bars on the inside of the drum. They carry grains up. */
const LIFTERS = 8;
const LEAST_DRUM = 6;
/** The squared speed of the drum's wall, divided by gravity × radius. */
const FROUDE = 0.03;
/** Greatest speed of the drum's wall, length / s. */
const FASTEST_WALL = 4;

interface Drum {
  readonly radius: number;
  readonly depth: number;
  readonly lift: number;
}

function drumOf(radius: number): Drum {
  return { radius, depth: depthOf(radius), lift: 1 + radius / 12 };
}

function bedRoom({ radius, lift }: Drum): Room {
  const inner = radius - lift - CLEARANCE;
  const middle = MARGIN + radius;
  return {
    middle,
    bottom: middle - inner,
    top: middle,
    halfWidth: (height) => Math.sqrt(Math.max(0, inner * inner - (height - middle) ** 2)),
  };
}

/** Returns the centres of the drum's balls, relative to its axis. */
function drumBalls({ radius, lift }: Drum): readonly Point[] {
  const balls = LIFTERS * Math.ceil((2 * Math.PI * radius) / (LIFTERS * 0.5));
  const wall = Array.from({ length: balls }, (_, ball): Point => {
    const angle = (2 * Math.PI * ball) / balls;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  const steps = Math.ceil(lift / 0.5);
  const lifters = Array.from({ length: LIFTERS * steps }, (_, ball): Point => {
    const angle = (2 * Math.PI * (ball % LIFTERS)) / LIFTERS;
    const from = radius - (lift * (1 + Math.floor(ball / LIFTERS))) / steps;
    return [from * Math.cos(angle), from * Math.sin(angle)];
  });
  return [...wall, ...lifters];
}

export const DRUM: CollisionSceneDefinition = {
  method: 'collisions',
  driven: true,
  name: 'drum',
  description: 'Grains come down in avalanches in a turning drum.',
  generate(dimensions, count, random) {
    const isEnough = (size: number) => {
      const drum = drumOf(size);
      return capacityOf(dimensions, bedRoom(drum), drum.depth) >= count;
    };
    const drum = drumOf(sizeFor(LEAST_DRUM, isEnough));
    const { radius, depth } = drum;
    const balls = count === 0 ? [] : drumBalls(drum);
    const speed = Math.min(FASTEST_WALL, Math.sqrt(FROUDE * EARTH_GRAVITY * radius)) / radius;
    const at = (time: number) => {
      const [cos, sin] = [Math.cos(speed * time), Math.sin(speed * time)];
      const middle = MARGIN + radius;
      const turned = balls.map(([x, y]): Point => [middle + cos * x - sin * y, middle + sin * x + cos * y]);
      return standBalls(dimensions, turned, depth, 2 * radius);
    };
    return {
      radius: 0.5,
      ...boxAround(dimensions, [2 * radius, 2 * radius], depth),
      positions: fillRoom(dimensions, count, random, bedRoom(drum), depth),
      velocities: new Float32Array(dimensions * count),
      obstacles: count === 0 ? undefined : at(0),
      settings: { gravity: earthGravity(dimensions), friction: 0.5 },
      drive: count === 0 ? undefined : (time) => ({ obstacles: at(time) }),
    };
  },
};
