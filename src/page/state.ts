/**
 * Purpose: what a visitor can choose, what is chosen at first, and what of it an engine can carry out.
 * Everything here is plain data and pure functions.
 */
import type { BroadPhase } from '../core/settings';
import type { SimulationOptions } from '../core/simulation';
import type { Dimensions } from '../core/world';
import { createScene, sceneOptions } from '../scenes';

export type EngineKind = 'gpu' | 'cpu';

export interface Choices {
  readonly engine: EngineKind;
  readonly scene: string;
  readonly dimensions: Dimensions;
  /** Particles wished for; `effectiveCount` may be less. */
  readonly count: number;
  readonly broadPhase: BroadPhase;
  /** Downwards, length / s². */
  readonly gravity: number;
  /** Width of the box in widths that the scene asks for. */
  readonly boxWidth: number;
}

/** Length of a step in seconds: the same whatever the screen's rate, so that runs repeat. */
export const STEP_SECONDS = 1 / 60;

export const FEWEST_PARTICLES = 100;
/** The slider's end. The number beside it takes up to MOST_TYPED, or what the device holds. */
export const MOST_PARTICLES = 1_000_000;
export const MOST_TYPED = 16_000_000;

export const FIRST_CHOICES: Choices = chooseScene(
  {
    engine: 'gpu',
    scene: 'pile',
    dimensions: 2,
    count: 4000,
    broadPhase: 'grid',
    gravity: 0,
    boxWidth: 1,
  },
  'pile',
);

/** Another scene brings its own gravity, and the pile room to spill into. */
export function chooseScene(choices: Choices, scene: string): Choices {
  const gravity = createScene(scene, { dimensions: 2, count: 1 }).settings.gravity?.[1] ?? 0;
  return { ...choices, scene, gravity: Math.abs(gravity), boxWidth: scene === 'pile' ? 2.5 : 1 };
}

/** An upper bound of particles and, in words, where it comes from. */
export interface Cap {
  readonly most: number;
  readonly reason: string;
}

/** What the engine can do at a useful rate; tests a substep grow with the square of the count. */
const MOST_NAIVE = { gpu: 30_000, software: 3000, cpu: 3000 } as const;
const MOST_ON_CPU = 50_000;

export function capOf(
  { engine, scene, broadPhase }: Pick<Choices, 'engine' | 'scene' | 'broadPhase'>,
  isSoftwareGpu: boolean,
): Cap | undefined {
  const isNaive = broadPhase === 'naive';
  if (isNaive || scene === 'one-cell') {
    const most = MOST_NAIVE[engine === 'cpu' ? 'cpu' : isSoftwareGpu ? 'software' : 'gpu'];
    const pairs = formatCount((most * (most - 1)) / 2);
    const cause = isNaive ? 'Naive tests every pair' : 'With all particles in one cell every pair is tested';
    const remedy = isNaive ? 'the grid takes more' : 'other scenes take more';
    return {
      most,
      reason: `${cause}, ${pairs} of them at ${formatCount(most)} particles, so it is capped there; ${remedy}.`,
    };
  }
  if (engine === 'cpu') {
    return {
      most: MOST_ON_CPU,
      reason: `The CPU engine runs on one thread, so this page gives it at most ${formatCount(MOST_ON_CPU)} particles.`,
    };
  }
  return undefined;
}

export function effectiveCount(choices: Choices, isSoftwareGpu: boolean): number {
  return Math.min(choices.count, capOf(choices, isSoftwareGpu)?.most ?? choices.count);
}

export function simulationOptions(choices: Choices, count: number): SimulationOptions {
  const { dimensions, broadPhase } = choices;
  const scene = createScene(choices.scene, { dimensions, count });
  const max = [...scene.max];
  const left = scene.min[0] ?? 0;
  max[0] = left + Math.ceil(((max[0] ?? 0) - left) * choices.boxWidth);
  return sceneOptions(scene, { broadPhase, max, gravity: gravityVector(choices) });
}

export function gravityVector(choices: Choices): number[] {
  return Array.from({ length: choices.dimensions }, (_, axis) => (axis === 1 ? -choices.gravity : 0));
}

/** Steps of the count slider. */
export const SLIDER_STEPS = 400;

/** A count with two significant digits, logarithmic along the slider. */
export function sliderToCount(position: number): number {
  const ratio = MOST_PARTICLES / FEWEST_PARTICLES;
  const exact = FEWEST_PARTICLES * ratio ** (position / SLIDER_STEPS);
  return Number(exact.toPrecision(2));
}

export function countToSlider(count: number): number {
  const share = Math.log(count / FEWEST_PARTICLES) / Math.log(MOST_PARTICLES / FEWEST_PARTICLES);
  return Math.round(Math.min(1, Math.max(0, share)) * SLIDER_STEPS);
}

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: 4,
});
const DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

/** 12,345 in full, 49.99M in short. */
export function formatCount(count: number): string {
  return count < 1e7 ? WHOLE.format(count) : SHORT.format(count);
}

/** Four significant digits. */
export function formatReal(value: number): string {
  return value < 1e7 ? DIGITS.format(value) : SHORT.format(value);
}
