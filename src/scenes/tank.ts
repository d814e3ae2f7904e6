/**
 * The parts of a fluid scene. Regions and bodies have the form of a fluid's options, because the page passes them on as
 * options. Their types are declared here because scenes may not import methods.
 */

/**
 * A box or a ball in which fluid starts, enters or leaves. `velocity` is the velocity of fluid that starts or enters
 * there.
 */
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

/** A region that emits fluid, and the velocity of that fluid. */
export type Inlet = Region & { readonly velocity: readonly number[] };

export type TankBody =
  | { readonly shape: 'ball'; readonly position: readonly number[]; readonly radius: number }
  | { readonly shape: 'box'; readonly position: readonly number[]; readonly halfExtents: readonly number[] };

/** A tank in its own units, in which its height is 1 and gravity is 1. */
export interface TankContent {
  /** Width, height and, in 3D, depth. */
  readonly size: readonly number[];
  /** The regions that are full of fluid at the start. */
  readonly fill: readonly Region[];
  /** Returns true if the cell with this centre is solid. */
  readonly solids?: ((centre: readonly number[]) => boolean) | undefined;
  /** Returns the bodies at a time. Their number and shapes never change. */
  readonly bodiesAt?: ((time: number) => readonly TankBody[]) | undefined;
  readonly emitters?: readonly Inlet[] | undefined;
  readonly drains?: readonly Region[] | undefined;
}
