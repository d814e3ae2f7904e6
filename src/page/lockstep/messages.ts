/** The messages between the page and the workers of its two engines. */
import type { Input } from './rules';

/** Ticks from one hash of the state to the next: one second. */
export const HASH_EVERY = 60;

export type Order =
  | { readonly kind: 'start'; readonly engine: 'gpu' | 'cpu' }
  /** Goes back to the start. Later answers repeat `game`, so that the page can ignore those of earlier games. */
  | { readonly kind: 'reset'; readonly game: number }
  | {
      readonly kind: 'ticks';
      /** The inputs of each tick. */
      readonly ticks: readonly (readonly Input[])[];
      /** True if the engine makes a mistake in the first of these ticks. */
      readonly hasMistake: boolean;
    };

/** The state after tick `tick - 1`. */
export interface Picture {
  readonly kind: 'picture';
  readonly game: number;
  readonly tick: number;
  readonly positions: Float32Array;
  /** The owner of each disc (see `owners` in rules.ts), in the order of `positions`. */
  readonly owners: Uint8Array;
}

export interface Hash {
  readonly kind: 'hash';
  readonly game: number;
  readonly tick: number;
  readonly hash: string;
}

export type Answer =
  /** `device` names the graphics adapter; `problem` says why the CPU engine runs instead of the GPU engine. */
  | {
      readonly kind: 'started';
      readonly engine: 'gpu' | 'cpu';
      readonly device: string;
      readonly problem: string;
    }
  | Picture
  | Hash
  | { readonly kind: 'failed'; readonly message: string };
