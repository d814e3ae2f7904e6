/**
 * The parts of a fluid scene. Regions and bodies have the form of a fluid's options, to which the page passes them;
 * this folder imports no method.
 */

/** A box or a ball of fluid. */
export type Region =
  | {
      readonly min: readonly number[];
      readonly max: readonly number[];
      readonly velocity?: readonly number[] | undefined;
    }
  | {
      readonly centre: readonly number[];
      readonly radius: number;
      readonly velocity?: readonly number[] | undefined;
    };

/** A region that fluid comes in through, and the velocity of that fluid. */
export type Inlet = Region & { readonly velocity: readonly number[] };

/** A body that moves through the fluid. */
export type TankBody =
  | { readonly shape: 'ball'; readonly position: readonly number[]; readonly radius: number }
  | { readonly shape: 'box'; readonly position: readonly number[]; readonly halfExtents: readonly number[] };

/**
 * A tank in its own units: its height is 1, and a wave as high as the tank travels that far in a time of 1.
 */
export interface TankContent {
  /** Width, height and, in 3D, depth. */
  readonly size: readonly number[];
  /** The regions that are full at first. */
  readonly fill: readonly Region[];
  /** Returns true if the cell with this centre is solid. */
  readonly solids?: ((centre: readonly number[]) => boolean) | undefined;
  /** The bodies at a time. Their number and shapes never change. */
  readonly bodiesAt?: ((time: number) => readonly TankBody[]) | undefined;
  readonly emitters?: readonly Inlet[] | undefined;
  readonly drains?: readonly Region[] | undefined;
}
