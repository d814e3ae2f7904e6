/**
 * Purpose: the paths of a simulation's fast particles on the GPU: owns what passes/solve/ccd.ts works with beside the state. Loaded with
 * the first simulation that follows paths.
 * Ordering: `stages` go between integrating and the sort of a substep, `begin` before the first of a step.
 */

import {
  FLIGHT_DISPATCHES,
  FLIGHT_FARTHEST,
  FLIGHT_HEADER,
  FLIGHT_SUBSTEPPED,
} from '../../core/base/constants';
import type { Flights as Counted } from '../../core/ccd/law';
import type { World } from '../../core/world/world';
import { type BufferSet, createBuffers, createParts, PARTICLE_USAGE } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import type { Stage } from '../../gpu/stage';
import type { Variant } from '../../passes/modules';
import { Flight, type FlightBinding, type FlightBuffers } from '../../passes/solve/ccd';
import { type FlightBytes, flightBytes } from './memory';

type Names = keyof FlightBytes;

export class Flights {
  private constructor(
    private readonly pass: Flight,
    private readonly owned: BufferSet<Names>,
    private readonly dispatches: BufferSet<'dispatches'>,
  ) {}

  static async create(gpu: Gpu, variant: Variant, world: World, capacity: number): Promise<Flights> {
    const { pass, owned, dispatches } = await createParts({
      pass: Flight.create(gpu, variant),
      owned: createBuffers(gpu, 'flights', flightBytes(world, capacity)),
      dispatches: createBuffers(
        gpu,
        'flights',
        { dispatches: 4 * FLIGHT_DISPATCHES },
        PARTICLE_USAGE | GPUBufferUsage.INDIRECT,
      ),
    });
    return new Flights(pass, owned, dispatches);
  }

  get bytes(): number {
    return this.owned.bytes + this.dispatches.bytes;
  }

  bind(state: Omit<FlightBuffers, Names | 'dispatches'>): FlightBinding {
    return this.pass.bind({ ...state, ...this.owned.buffers, ...this.dispatches.buffers });
  }

  begin(shared: SharedBinding, binding: FlightBinding): Stage {
    return { name: 'flight', encode: (pass) => this.pass.encodeBegin(pass, shared, binding) };
  }

  stage(shared: SharedBinding, binding: FlightBinding, count: number): Stage {
    return { name: 'flight', encode: (pass) => this.pass.encode(pass, shared, binding, count) };
  }

  /** What `farthestWay` reads: of the time step in the parameters. */
  farthest(shared: SharedBinding, binding: FlightBinding, count: number): Stage {
    return { name: 'flight', encode: (pass) => this.pass.encodeFarthest(pass, shared, binding, count) };
  }

  /** What to read back. */
  get header(): { readonly buffer: GPUBuffer; readonly size: number } {
    return { buffer: this.owned.buffers.flights, size: 4 * FLIGHT_HEADER };
  }

  counted(header: ArrayBuffer): Counted {
    const [substepped = 0, swept = 0, paths = 0, hits = 0, held = 0] = new Uint32Array(
      header,
      4 * FLIGHT_SUBSTEPPED,
    );
    return { substepped, swept, paths, hits, held };
  }

  farthestWay(header: ArrayBuffer): number {
    return new Float32Array(header)[FLIGHT_FARTHEST] as number;
  }

  destroy(): void {
    this.owned.destroy();
    this.dispatches.destroy();
  }
}
