/** The page's calls to the CPU engine, which may run in a worker, and the answers. */
import { ArgumentError, CellstormError, LimitError } from '../../core/base/errors';
import type { StaticBodies } from '../../core/obstacles/tree';
import type {
  FoundPairs,
  NewParticles,
  ObstaclesGiven,
  ParticleArrays,
  SimulationOptions,
} from '../../index';
import type { Choices } from '../model/fields';
import type { Measured, SimulationView, State, ViewSettings } from '../model/simulation-view';
import { isUnloaded, markUnloaded } from '../support/chunk-errors';
import type { Grip, StepTime, Stroke } from '../view/engine';
import type { Counted } from '../view/tally';

/** Data from which a worker makes a method's `Start`. A `Start` has functions, which cannot be sent to a worker. */
export interface MadeFrom {
  readonly choices: Choices;
  readonly count: number;
}

/** Values that never change during a run. */
export type Facts = Pick<
  SimulationView,
  | 'dimensions'
  | 'world'
  | 'radius'
  | 'radiusRange'
  | 'boxes'
  | 'capacity'
  | 'memoryBytes'
  | 'obstacleCapacity'
  | 'method'
  | 'kinds'
>;

/** The state that the page draws. */
export interface Seen
  extends Pick<SimulationView, 'count' | 'time' | 'obstacleCount' | 'settings' | 'warnings'> {
  readonly particles: ParticleArrays;
  /** Simulated time at which each particle was added, indexed by id. */
  readonly births: Float32Array<ArrayBuffer>;
  /** Each particle's number of neighbours, in the order of `particles`, if the page asked for these numbers. */
  readonly counts: Uint32Array | undefined;
  /** Species of each particle, indexed by id; undefined if particles have no species. */
  readonly species: Uint32Array | undefined;
  /** All obstacles, if a method sets them. */
  readonly moved: StaticBodies | undefined;
}

export interface Calls {
  start(options: SimulationOptions, made: MadeFrom | undefined): Promise<Facts>;
  step(seconds: number): StepTime;
  timeSteps(seconds: number, steps: number): StepTime;
  push(stroke: Stroke, seconds: number): void;
  hold(grip: Grip, seconds: number): void;
  set(changes: ViewSettings): void;
  add(particles: NewParticles): void;
  remove(ids: Uint32Array | readonly number[]): void;
  setObstacles(given: ObstaclesGiven): void;
  restore(state: State): void;
  /** Counts neighbours for each state from now on; undefined stops this. */
  count(counted: Counted | undefined): void;
  read(): Promise<ParticleArrays> | ParticleArrays;
  measure(): Promise<Measured> | Measured;
  checkpoint(): Promise<State>;
  findPairs(): Promise<FoundPairs> | FoundPairs;
}

export type CallName = keyof Calls;
export type Values<Name extends CallName> = Parameters<Calls[Name]>;
export type Result<Name extends CallName> = Awaited<ReturnType<Calls[Name]>>;

/** Calls that change nothing visible. A push shows after the next step. */
export const UNSEEN: ReadonlySet<CallName> = new Set([
  'push',
  'hold',
  'read',
  'measure',
  'checkpoint',
  'findPairs',
]);

export interface Question {
  readonly id: number;
  readonly name: CallName;
  readonly values: readonly unknown[];
}

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly seen?: Seen | undefined;
  readonly error?: PackedError;
}

/** A worker, the global object inside a worker, or a message port. */
export interface Port {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
}

/** An error as data: structured clones lose the class and its fields. */
export interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly isUnloaded: boolean;
  readonly fields: Partial<Pick<LimitError, 'limit' | 'fits'> & Pick<ArgumentError, 'argument'>>;
}

export function packError(error: unknown): PackedError {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const fields =
    error instanceof LimitError
      ? { limit: error.limit, fits: error.fits }
      : error instanceof ArgumentError
        ? { argument: error.argument }
        : {};
  return { name, message, isUnloaded: isUnloaded(error), fields };
}

export function unpackError({ name, message, isUnloaded: isLost, fields }: PackedError): Error {
  const error =
    name === 'LimitError'
      ? new LimitError(fields.limit ?? '', message, fields.fits)
      : name === 'ArgumentError'
        ? new ArgumentError(fields.argument ?? '', undefined, '')
        : OURS.has(name)
          ? new CellstormError(message)
          : new Error(message);
  error.message = message;
  if (isLost) markUnloaded(error);
  return error;
}

/** Our other error classes. The page shows their messages to visitors unchanged; see `explain`. */
const OURS: ReadonlySet<string> = new Set(['CellstormError', 'DestroyedError', 'GpuError']);
