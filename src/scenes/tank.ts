/**
 * The parts of a fluid scene, in the form of a fluid's options. Scenes may not import methods, so they are declared
 * here.
 */

/** A box or a ball in which fluid starts, enters or leaves. */
export type Region =
  | {
      /** Lowest corner. */
      readonly min: readonly number[];
      /** Highest corner. */
      readonly max: readonly number[];
      /** Velocity of fluid that starts or enters here. Default: 0. */
      readonly velocity?: readonly number[] | undefined;
    }
  | {
      /** Centre of the ball. */
      readonly centre: readonly number[];
      /** Radius of the ball. */
      readonly radius: number;
      /** Velocity of fluid that starts or enters here. Default: 0. */
      readonly velocity?: readonly number[] | undefined;
    };

/** A region that emits fluid, and the velocity of that fluid. */
export type Inlet = Region & { readonly velocity: readonly number[] };

/** A body in the fluid. */
export type TankBody =
  | { readonly shape: 'ball'; readonly position: readonly number[]; readonly radius: number }
  | { readonly shape: 'box'; readonly position: readonly number[]; readonly halfExtents: readonly number[] };

/** A tank in its own units: its height is 1 and gravity is 1. */
export interface TankContent {
  /** Width, height and, in 3D, depth. */
  readonly size: readonly number[];
  /** Regions that are full of fluid at the start. */
  readonly fill: readonly Region[];
  /** Returns true if the cell with this centre is solid. Default: none is. */
  readonly solids?: ((centre: readonly number[]) => boolean) | undefined;
  /** Returns the bodies at a time. Their number and shapes never change. Default: none. */
  readonly bodiesAt?: ((time: number) => readonly TankBody[]) | undefined;
  /** Regions that emit fluid. Default: none. */
  readonly emitters?: readonly Inlet[] | undefined;
  /** Regions that remove fluid. Default: none. */
  readonly drains?: readonly Region[] | undefined;
}
