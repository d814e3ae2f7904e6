/**
 * Purpose: scenes of grains in vessels that turn: an hourglass and a rotating drum. In space both stand between two panes.
 * Guarantee: as scene.ts says; what a drive sets is rounded in the same way.
 */
import type { Dimensions } from '../core/world/world';
import { BRAZIL_NUT } from './brazil-nut';
import type { Driven } from './drive';
import { PILE_GRAVITY } from './ordered';
import { directionAt, repeat, type SceneContent, type SceneDefinition } from './scene';
import { beadsAlong, capacityOf, fillRoom, type Point, type Room, standBalls } from './vessel';

/** Between grains' centres and those of balls at the start. */
const CLEARANCE = 1.5;
/** From the vessel to the walls of the box. */
const MARGIN = 1;

/** The least whole size from `from` up whose vessel takes so many. */
function sizeFor(from: number, takes: (size: number) => boolean): number {
  let low = from;
  let high = from;
  while (!takes(high)) {
    low = high + 1;
    high *= 2;
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (takes(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** Between the panes: deeper ones would take many more balls, which a drum moves at every step, and hide what is within. */
const SHALLOWEST = 4;
const DEEPEST = 16;

/** Of a vessel of some half width. */
function depthOf(halfWidth: number): number {
  return Math.min(DEEPEST, Math.max(SHALLOWEST, Math.ceil(halfWidth / 3)));
}

/** Of a glass, from its axis and its middle; walls are as thick as a ball. */
interface Glass {
  readonly halfWidth: number;
  readonly depth: number;
  readonly neck: number;
  /** Where the throat ends, the funnel, and the straight part. */
  readonly throat: number;
  readonly rim: number;
  readonly shoulder: number;
  readonly top: number;
}

const LEAST_GLASS = 6;
/** Of the neck, from its axis to the middle of a wall: narrower ones are blocked by grains that hold each other up. */
const NARROWEST_NECK = 3;

function glassOf(halfWidth: number): Glass {
  const neck = Math.max(NARROWEST_NECK, halfWidth / 5);
  const throat = neck / 2;
  const rim = throat + (halfWidth - neck);
  const shoulder = rim + halfWidth / 2;
  const top = shoulder + halfWidth / 4;
  return { halfWidth, depth: depthOf(halfWidth), neck, throat, rim, shoulder, top };
}

/** One half of the outline, from the middle of the glass to that of its lid. */
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
 * Grains a second that pass a neck, at least: so many times the root of gravity times its width to the power of 3/2, in
 * space for each length of its depth. Measured are 0.85 and 0.74.
 */
const FLOW = { 2: 0.7, 3: 0.6 } as const;
/** Seconds that the upper half is empty for, beyond those of a fall through the glass. */
const REST_SECONDS = 3;

const HOURGLASS: SceneDefinition = {
  name: 'hourglass',
  description: 'Grains that run through the neck of a glass, which is turned over when they have.',
  generate(dimensions, count, random) {
    const takes = (size: number) => {
      const glass = glassOf(size);
      return capacityOf(dimensions, upperRoom(glass), glass.depth) >= count;
    };
    const glass = glassOf(sizeFor(LEAST_GLASS, takes));
    const { halfWidth, depth, top, neck } = glass;
    const half = beadsAlong(outlineOf(glass));
    const places = half.flatMap(([x, y]): Point[] =>
      [1, -1].flatMap((up) =>
        [1, -1].map((aside): Point => [MARGIN + halfWidth + aside * x, MARGIN + top + up * y]),
      ),
    );
    const across = dimensions === 2 ? 1 : depth;
    const width = 2 * neck - 1;
    const running = count / (FLOW[dimensions] * across * Math.sqrt(-PILE_GRAVITY * width ** 3));
    const falling = Math.sqrt((4 * top) / -PILE_GRAVITY);
    return {
      radius: 0.5,
      ...boxAround(dimensions, [2 * halfWidth, 2 * top], depth),
      positions: fillRoom(dimensions, count, random, upperRoom(glass), depth),
      velocities: new Float32Array(dimensions * count),
      obstacles: count === 0 ? undefined : standBalls(dimensions, places, depth, 2 * top),
      settings: { gravity: repeat(0, dimensions).with(1, PILE_GRAVITY), friction: 0.25 },
      drive: (time) => turnOver(dimensions, time, running + falling + REST_SECONDS, falling),
    };
  },
};

/** Gravity in the frame of a glass that stands, then is turned over, and so on; in seconds. */
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

const LIFTERS = 8;
const LEAST_DRUM = 6;
/** Speed² of the drum's wall, in gravity times its radius; and how fast it may be at all, in lengths a second. */
const FROUDE = 0.03;
const FASTEST_WALL = 4;

interface Drum {
  readonly radius: number;
  readonly depth: number;
  /** How far lifters reach inwards. */
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

/** Balls of the wall and its lifters, around the axis. */
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

const DRUM: SceneDefinition = {
  name: 'drum',
  description: 'Grains in a drum that turns: lifters carry them up, and they come down in avalanches.',
  generate(dimensions, count, random) {
    const takes = (size: number) => {
      const drum = drumOf(size);
      return capacityOf(dimensions, bedRoom(drum), drum.depth) >= count;
    };
    const drum = drumOf(sizeFor(LEAST_DRUM, takes));
    const { radius, depth } = drum;
    const balls = count === 0 ? [] : drumBalls(drum);
    const speed = Math.min(FASTEST_WALL, Math.sqrt(FROUDE * -PILE_GRAVITY * radius)) / radius;
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
      settings: { gravity: repeat(0, dimensions).with(1, PILE_GRAVITY), friction: 0.5 },
      drive: count === 0 ? undefined : (time) => ({ obstacles: at(time) }),
    };
  },
};

export const GRANULAR_SCENES: readonly SceneDefinition[] = [HOURGLASS, DRUM, BRAZIL_NUT];
