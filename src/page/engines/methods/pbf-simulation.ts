import { defaultSettings } from '../../../core/contact/settings';
import type { StaticBodies } from '../../../core/obstacles/tree';
import type { StageTimes, World } from '../../../index';
import type { CpuPositionFluid, PositionFluid, PositionFluidCheckpoint } from '../../../methods/pbf';
import type { PositionFluidScene } from '../../../scenes/definition';
import type {
  CpuSimulationView,
  Figure,
  GpuSimulationView,
  MethodMeasures,
  SimulationView,
  State,
  ViewSettings,
} from '../../model/simulation-view';
import { formatPercent, formatReal } from '../../support/format';
import {
  createIds,
  definedOf,
  MethodSimulation,
  measureMotion,
  timeOnCpu,
  timeOnGpu,
} from './method-simulation';

abstract class PositionFluidSimulation<
  AnyFluid extends PositionFluid | CpuPositionFluid,
> extends MethodSimulation<AnyFluid['backend']> {
  readonly method = 'pbf';
  readonly world: World;
  readonly obstacleCount: number;
  readonly moved: StaticBodies;

  constructor(
    protected readonly positioned: AnyFluid,
    { radius, obstacles, dimensions }: PositionFluidScene,
    private substeps: number,
  ) {
    super(positioned, dimensions, radius);
    this.world = positioned.world;
    this.obstacleCount = obstacles.length;
    const none = new Array<number>(dimensions).fill(0);
    this.moved = {
      positions: Float32Array.from(obstacles.flatMap(({ position }) => position)),
      radii: Float32Array.from(obstacles, (body) => (body.shape === 'ball' ? body.radius : 0)),
      halves: Float32Array.from(
        obstacles.flatMap((body) => (body.shape === 'box' ? body.halfExtents : none)),
      ),
    };
  }

  get settings(): SimulationView['settings'] {
    const { dimensions, substeps, positioned } = this;
    return { ...defaultSettings(dimensions), ...positioned.settings, substeps };
  }

  set(changes: ViewSettings): void {
    const { gravity, iterations, viscosity, vorticity, tension, pressure, softness } = changes;
    const numbers = { iterations, viscosity, vorticity, tension, pressure, softness };
    this.positioned.set(definedOf({ gravity, ...numbers }));
    this.substeps = changes.substeps ?? this.substeps;
  }

  step(seconds: number): void {
    for (let substep = 0; substep < this.substeps; substep++) this.positioned.step(seconds / this.substeps);
  }

  async measure(): Promise<MethodMeasures> {
    // Ask for both at once, so that no step comes between them.
    const [particles, densities] = await Promise.all([this.positioned.read(), this.positioned.measure()]);
    const { meanSpeed, drift: _drift, order: _order, ...shared } = measureMotion(this.dimensions, particles);
    const figures: Figure[] = [
      {
        title: 'Mean excess',
        value: formatPercent(densities.meanExcess),
        hint: 'How much denser than at rest the fluid is; more rounds or substeps lower it',
      },
      {
        title: 'Greatest excess',
        value: formatPercent(densities.greatestExcess),
        hint: 'The same for the densest particle',
      },
      {
        title: 'Mean speed',
        value: `${formatReal(meanSpeed)} units/s`,
        hint: 'A unit is the distance up to which particles act on each other',
      },
    ];
    return { ...shared, figures };
  }

  restore({ velocities, method }: State): void {
    // The page's tools change `velocities`, but not the copy in the method's checkpoint.
    this.positioned.restore({ ...(method as PositionFluidCheckpoint), velocities });
  }

  protected stateOf(method: PositionFluidCheckpoint): State {
    const { radius, dimensions, substeps } = this;
    const { version, min, max, period, time, ids, positions, velocities } = method;
    const settings = { ...defaultSettings(dimensions), gravity: method.settings.gravity, substeps };
    return {
      ...{ version, dimensions, min, max, period, time, ids, positions, velocities },
      ...{ radius, settings, method },
    };
  }
}

export class GpuPositionFluidSimulation
  extends PositionFluidSimulation<PositionFluid>
  implements GpuSimulationView
{
  private readonly ids: GPUBuffer;

  constructor(
    private readonly device: GPUDevice,
    fluid: PositionFluid,
    scene: PositionFluidScene,
    substeps: number,
  ) {
    super(fluid, scene, substeps);
    this.ids = createIds(device, 'page.pbf.ids', fluid.capacity);
  }

  get buffers(): GpuSimulationView['buffers'] {
    const { positions, velocities } = this.positioned.buffers;
    return { positions, velocities, ids: this.ids };
  }

  async checkpoint(): Promise<State> {
    return this.stateOf(await this.positioned.checkpoint());
  }

  profile(seconds: number): Promise<StageTimes> {
    return timeOnGpu(this.device, () => this.step(seconds));
  }

  override destroy(): void {
    super.destroy();
    this.ids.destroy();
  }
}

export class CpuPositionFluidSimulation
  extends PositionFluidSimulation<CpuPositionFluid>
  implements CpuSimulationView
{
  checkpoint(): State {
    return this.stateOf(this.positioned.checkpoint());
  }

  profile(seconds: number): StageTimes {
    return timeOnCpu(() => this.step(seconds));
  }
}
