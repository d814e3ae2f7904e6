/** Adapts a fluid to `SimulationView`. Obstacles follow simulated time, so they continue correctly after a restore. */

import type { StaticBodies } from '../../../core/obstacles/tree';
import { defineWorld } from '../../../core/world/world';
import type { SimulationOptions, StageTimes, World } from '../../../index';
import type { CpuFluid, Fluid, FluidCheckpoint, FluidMeasures } from '../../../methods/fluid';
import { type FluidScene, movingBodies, solidBoxes } from '../../../scenes/fluid-scene';
import type {
  CpuSimulationView,
  Figure,
  GpuSimulationView,
  MethodMeasures,
  SimulationView,
  State,
  ViewSettings,
} from '../../model/simulation-view';
import { formatCount, formatPercent, formatReal } from '../../support/format';
import { MethodSimulation } from './method-simulation';

abstract class FluidSimulation<AnyFluid extends Fluid | CpuFluid> extends MethodSimulation<
  AnyFluid['backend']
> {
  readonly method = 'fluid';
  readonly world: World;
  readonly obstacleCount: number;
  moved: StaticBodies;
  private readonly walls: ReturnType<typeof solidBoxes>;

  constructor(
    readonly fluid: AnyFluid,
    private readonly scene: FluidScene,
    { radius = 0 }: SimulationOptions,
  ) {
    const { dimensions } = scene;
    super(fluid, dimensions, radius);
    const { min, max } = fluid.particles.world;
    this.world = defineWorld({ dimensions, min, max, cellSize: scene.cellSize }, 2 * radius, fluid.capacity);
    this.walls = solidBoxes(scene);
    this.moved = this.bodies();
    this.obstacleCount = this.moved.positions.length / dimensions;
  }

  get births(): Float32Array<ArrayBuffer> {
    return this.fluid.births;
  }

  get settings(): SimulationView['settings'] {
    const { gravity, substeps, blend } = this.fluid.settings;
    return { ...this.fluid.particles.settings, gravity, substeps, flipShare: blend };
  }

  set({ gravity, substeps, flipShare }: ViewSettings): void {
    const isFlip = this.fluid.plan.transfer === 'flip';
    this.fluid.set({ gravity, substeps, ...(isFlip ? { blend: flipShare } : {}) });
  }

  async measure(): Promise<MethodMeasures> {
    const measures = await this.fluid.measure();
    const { count, kineticEnergy, hash } = measures;
    return { count, kineticEnergy, hash, figures: figuresOf(measures, this.scene.emitters.length > 0) };
  }

  restore({ velocities, method }: State): void {
    const state = method as FluidCheckpoint;
    // The page's tools change `velocities`, but not the copy in the method's checkpoint.
    this.fluid.restore({ ...state, particles: { ...state.particles, velocities } });
    this.moved = this.bodies();
  }

  protected drive(seconds: number): void {
    if (this.scene.bodiesAt) this.fluid.setObstacles(movingBodies(this.scene, this.time, seconds));
  }

  protected bodies(): StaticBodies {
    const { walls, scene, dimensions } = this;
    const obstacles = scene.bodiesAt?.(this.time) ?? [];
    const positions = [...walls.positions, ...obstacles.flatMap(({ position }) => position)];
    const none = new Array<number>(dimensions).fill(0);
    const halves = [
      ...walls.halfExtents,
      ...obstacles.flatMap((body) => (body.shape === 'box' ? body.halfExtents : none)),
    ];
    const radii = new Float32Array(positions.length / dimensions);
    obstacles.forEach((body, index) => {
      if (body.shape === 'ball') radii[radii.length - obstacles.length + index] = body.radius;
    });
    return { positions: Float32Array.from(positions), radii, halves: Float32Array.from(halves) };
  }
}

export class GpuFluidSimulation extends FluidSimulation<Fluid> implements GpuSimulationView {
  /** The latest incomplete work: a step that waits for drained ids, a timed step, or a call that waits for either. */
  private working: Promise<unknown> | undefined;

  get isBusy(): boolean {
    return this.working !== undefined;
  }

  get buffers(): GpuSimulationView['buffers'] {
    return this.fluid.particles.buffers;
  }

  step(seconds: number): void {
    const late = this.working?.then(() => this.advance(seconds)) ?? this.advance(seconds);
    if (late) this.waitFor(late);
  }

  override set(changes: ViewSettings): void {
    if (this.working) this.waitFor(this.working.then(() => super.set(changes)));
    else super.set(changes);
  }

  async checkpoint(): Promise<State> {
    while (this.working) await this.working;
    return stateOf(this, await this.fluid.checkpoint());
  }

  /** Times the first substep only, and returns its times multiplied by the number of substeps. */
  profile(seconds: number): Promise<StageTimes> {
    return this.waitFor((this.working ?? Promise.resolve()).then(() => this.timeStages(seconds)));
  }

  override destroy(): void {
    if (this.working) this.waitFor(this.working.finally(() => super.destroy()));
    else super.destroy();
  }

  private advance(seconds: number): Promise<void> | undefined {
    this.drive(seconds);
    const late = this.fluid.step(seconds);
    this.moved = this.bodies();
    return late?.then(() => {
      this.moved = this.bodies();
    });
  }

  private async timeStages(seconds: number): Promise<StageTimes> {
    const { substeps } = this.settings;
    this.drive(seconds);
    const { source, stages, total, dispatches } = await this.fluid.profile(seconds / substeps);
    for (let substep = 1; substep < substeps; substep++) await this.fluid.step(seconds / substeps, 1);
    this.moved = this.bodies();
    const all = Object.entries(stages).map(([name, time]) => [name, substeps * time]);
    return {
      source,
      stages: Object.fromEntries(all),
      total: substeps * total,
      dispatches: dispatches && substeps * dispatches,
    };
  }

  private waitFor<Result>(work: Promise<Result>): Promise<Result> {
    const done = () => {
      if (this.working === work) this.working = undefined;
    };
    this.working = work;
    // `step`, `set` and `destroy` ignore the promise, so handle its errors here.
    work.then(done, done);
    return work;
  }
}

export class CpuFluidSimulation extends FluidSimulation<CpuFluid> implements CpuSimulationView {
  step(seconds: number): void {
    this.drive(seconds);
    this.fluid.step(seconds);
    this.moved = this.bodies();
  }

  checkpoint(): State {
    return stateOf(this, this.fluid.checkpoint());
  }

  profile(seconds: number): StageTimes {
    const { substeps } = this.settings;
    this.drive(seconds);
    const sums: Record<string, number> = {};
    let all = 0;
    for (let substep = 0; substep < substeps; substep++) {
      const { stages, total } = this.fluid.profile(seconds / substeps);
      for (const [name, time] of Object.entries(stages)) sums[name] = (sums[name] ?? 0) + time;
      all += total;
    }
    this.moved = this.bodies();
    return { source: 'wall-clock', stages: sums, total: all };
  }
}

function stateOf({ settings }: Pick<SimulationView, 'settings'>, method: FluidCheckpoint): State {
  const { flipShare: _fluidOnly, ...shared } = settings;
  return { ...method.particles, time: method.time, settings: shared, method };
}

function figuresOf(
  {
    volume,
    nominalVolume,
    divergenceBefore,
    divergenceAfter,
    iterations,
    unconverged,
    greatestSpeed,
    tooFast,
    missed,
  }: FluidMeasures,
  isFed: boolean,
): Figure[] {
  const share = divergenceBefore > 0 ? divergenceAfter / divergenceBefore : 0;
  return [
    {
      title: 'Volume',
      value: nominalVolume > 0 ? formatPercent(volume / nominalVolume) : '–',
      hint: 'Volume that the fluid fills, as a share of the volume of its particles',
    },
    {
      title: 'Divergence left',
      value: share > 0 ? share.toExponential(1) : '0',
      hint: 'Share of the surplus flow into cells that is left after the pressure solver',
    },
    {
      title: 'Solver rounds',
      value: formatCount(iterations),
      hint: `Conjugate gradient rounds in the last substep; ${formatCount(unconverged)} substeps so far ended without converging`,
    },
    {
      title: 'Fastest',
      value: `${formatReal(greatestSpeed)} units/s`,
      hint: 'Greatest speed of all particles',
    },
    {
      title: 'Held back',
      value: formatCount(tooFast),
      hint: 'Particles faster than two cells per substep, whose moves may be cut short; more substeps help',
    },
    ...(isFed
      ? [
          {
            title: 'No room for',
            value: formatCount(missed),
            hint: 'Particles that emitters could not add, because the capacity was reached',
          },
        ]
      : []),
  ];
}
