/** Adapts a flock to `SimulationView`. Hunters are drawn like obstacles. */

import { defaultSettings } from '../../../core/contact/settings';
import type { StaticBodies } from '../../../core/obstacles/tree';
import type { Dimensions, ParticleArrays, StageTimes, World } from '../../../index';
import type { CpuFlock, Flock, FlockCheckpoint } from '../../../methods/flock';
import type { FlockScene } from '../../../scenes/definition';
import type {
  CpuSimulationView,
  Figure,
  GpuSimulationView,
  MethodMeasures,
  SimulationView,
  State,
} from '../../model/simulation-view';
import { formatPercent, formatReal } from '../../support/format';
import { createIds, MethodSimulation, measureMotion, timeOnCpu, timeOnGpu } from './method-simulation';

abstract class FlockSimulation<Birds extends Flock | CpuFlock> extends MethodSimulation<Birds['backend']> {
  readonly method = 'flock';
  readonly world: World;
  readonly obstacleCount: number;
  readonly settings: SimulationView['settings'];

  constructor(
    readonly flock: Birds,
    protected readonly scene: FlockScene,
  ) {
    const { dimensions, hunters, radius } = scene;
    super(flock, dimensions, radius);
    this.world = flock.world;
    this.obstacleCount = hunters.length / dimensions;
    this.settings = defaultSettings(dimensions);
  }

  step(seconds: number): void {
    this.flock.step(seconds);
  }

  set(): void {}

  async measure(): Promise<MethodMeasures> {
    return measuresOf(this.dimensions, await this.flock.read());
  }

  restore({ velocities, method }: State): void {
    // The page's tools change `velocities`, but not the copy in the method's checkpoint.
    this.flock.restore({ ...(method as FlockCheckpoint), velocities });
  }

  protected hunted(positions: Float32Array): StaticBodies {
    const radii = new Float32Array(this.obstacleCount).fill(this.scene.hunterRadius);
    return { positions, radii };
  }

  protected stateOf(method: FlockCheckpoint): State {
    const { radius, settings } = this;
    const { version, dimensions, min, max, period, time, ids, positions, velocities } = method;
    return {
      version,
      dimensions,
      min,
      max,
      period,
      time,
      ids,
      positions,
      velocities,
      radius,
      settings,
      method,
    };
  }
}

/** Bytes per obstacle in the page's buffer, which always has room for a radius and half extents; see `bodyFloats`. */
const DRAWN_BYTES = 32;

export class GpuFlockSimulation extends FlockSimulation<Flock> implements GpuSimulationView {
  readonly moved: StaticBodies;
  private readonly ids: GPUBuffer;

  constructor(
    private readonly device: GPUDevice,
    flock: Flock,
    scene: FlockScene,
  ) {
    super(flock, scene);
    this.moved = this.hunted(scene.hunters);
    this.ids = createIds(device, 'page.flock.ids', flock.capacity);
  }

  get buffers(): GpuSimulationView['buffers'] {
    const { positions, velocities } = this.flock.buffers;
    return { positions, velocities, ids: this.ids };
  }

  /** Copies the hunters' positions on the GPU, because only the GPU knows them. */
  copyMovedObstacles(encoder: GPUCommandEncoder, drawn: GPUBuffer): void {
    const { dimensions, obstacleCount } = this;
    const { hunters } = this.flock.buffers;
    const stored = 4 * (dimensions === 2 ? 2 : 4);
    for (let hunter = 0; hunter < obstacleCount; hunter++) {
      encoder.copyBufferToBuffer(hunters, stored * hunter, drawn, DRAWN_BYTES * hunter, 4 * dimensions);
    }
  }

  async checkpoint(): Promise<State> {
    return this.stateOf(await this.flock.checkpoint());
  }

  profile(seconds: number): Promise<StageTimes> {
    return timeOnGpu(this.device, () => this.step(seconds));
  }

  override destroy(): void {
    super.destroy();
    this.ids.destroy();
  }
}

export class CpuFlockSimulation extends FlockSimulation<CpuFlock> implements CpuSimulationView {
  get moved(): StaticBodies {
    return this.hunted(this.flock.buffers.hunters);
  }

  checkpoint(): State {
    return this.stateOf(this.flock.checkpoint());
  }

  profile(seconds: number): StageTimes {
    return timeOnCpu(() => this.step(seconds));
  }
}

export function measuresOf(dimensions: Dimensions, birds: ParticleArrays): MethodMeasures {
  const { meanSpeed, order, drift: _drift, ...shared } = measureMotion(dimensions, birds);
  const isEmpty = shared.count === 0;
  const figures: Figure[] = [
    {
      title: 'Order',
      value: isEmpty ? '–' : formatPercent(order),
      hint: 'How much the birds fly in the same direction: 100% if all do, near 0 if directions are random',
    },
    {
      title: 'Mean speed',
      value: isEmpty ? '–' : `${formatReal(meanSpeed)} units/s`,
      hint: 'A unit is as far as a bird sees',
    },
  ];
  return { ...shared, figures };
}
