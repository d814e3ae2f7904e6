/**
 * Purpose: a liquid as the page sees what runs: its particles are drawn, pushed and read as those of a simulation; time, states
 * and figures are the liquid's. Bodies in it move by simulated time alone, so a state that is restored goes on as before.
 */

import type { StageTimes } from '../../../core/base/stage-times';
import type { StaticBodies } from '../../../core/obstacles/tree';
import type { SimulationOptions } from '../../../core/simulation/simulation';
import { defineWorld, type World } from '../../../core/world/world';
import type { CpuFluid, Fluid, FluidCheckpoint, FluidMeasures } from '../../../methods/fluid';
import type { Body, BodySettings, CpuBody, Figure, GpuBody, MethodMeasures, State } from '../../model/body';
import { formatCount, formatPercent, formatReal } from '../../support/format';
import { type LiquidScene, movingAt, solidBoxes } from './liquid-scenes';
import { MethodBody } from './method-body';

abstract class LiquidBody<Liquid extends Fluid | CpuFluid> extends MethodBody<Liquid['backend']> {
  readonly method = 'liquid';
  /** The lattice's cells. */
  readonly world: World;
  readonly obstacleCount: number;
  moved: StaticBodies;
  private readonly walls: ReturnType<typeof solidBoxes>;

  constructor(
    readonly fluid: Liquid,
    private readonly scene: LiquidScene,
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

  get settings(): Body['settings'] {
    const { gravity, substeps, blend } = this.fluid.settings;
    return { ...this.fluid.particles.settings, gravity, substeps, flipShare: blend };
  }

  set({ gravity, substeps, flipShare }: BodySettings): void {
    const isMixed = this.fluid.plan.transfer === 'flip';
    this.fluid.set({ gravity, substeps, ...(isMixed ? { blend: flipShare } : {}) });
  }

  async measure(): Promise<MethodMeasures> {
    const measures = await this.fluid.measure();
    const { count, kineticEnergy, hash } = measures;
    return { count, kineticEnergy, hash, figures: figuresOf(measures, this.scene.emitters.length > 0) };
  }

  restore({ velocities, method }: State): void {
    const state = method as FluidCheckpoint;
    // What pushes particles changes their velocities between two steps.
    this.fluid.restore({ ...state, particles: { ...state.particles, velocities } });
    this.moved = this.bodies();
  }

  /** Puts bodies where they are now, with the velocities of a step. */
  protected drive(seconds: number): void {
    if (this.scene.obstaclesAt) this.fluid.setObstacles(movingAt(this.scene, this.time, seconds));
  }

  /** What is solid, as it is now. */
  protected bodies(): StaticBodies {
    const { walls, scene, dimensions } = this;
    const obstacles = scene.obstaclesAt?.(this.time) ?? [];
    const positions = [...walls.positions, ...obstacles.flatMap(({ position }) => position)];
    const none = new Array<number>(dimensions).fill(0);
    const halves = [
      ...walls.halves,
      ...obstacles.flatMap((body) => (body.shape === 'box' ? body.halfExtents : none)),
    ];
    const radii = new Float32Array(positions.length / dimensions);
    obstacles.forEach((body, index) => {
      if (body.shape === 'ball') radii[radii.length - obstacles.length + index] = body.radius;
    });
    return { positions: Float32Array.from(positions), radii, halves: Float32Array.from(halves) };
  }
}

export class GpuLiquidBody extends LiquidBody<Fluid> implements GpuBody {
  /** What must be over before anything is changed: a step that waits for its drains, or one that is timed. */
  private working: Promise<unknown> | undefined;

  get isBusy(): boolean {
    return this.working !== undefined;
  }

  get buffers(): GpuBody['buffers'] {
    return this.fluid.particles.buffers;
  }

  step(seconds: number): void {
    const late = this.working?.then(() => this.advance(seconds)) ?? this.advance(seconds);
    if (late) this.waitFor(late);
  }

  override set(changes: BodySettings): void {
    if (this.working) this.waitFor(this.working.then(() => super.set(changes)));
    else super.set(changes);
  }

  async checkpoint(): Promise<State> {
    while (this.working) await this.working;
    return stateOf(this, await this.fluid.checkpoint());
  }

  /** The first substep is timed, one stage after the other; a step takes as many of it. */
  profile(seconds: number): Promise<StageTimes> {
    return this.waitFor((this.working ?? Promise.resolve()).then(() => this.timeStages(seconds)));
  }

  /** Once nothing is under way. */
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
    const { source, stages, total } = await this.fluid.profile(seconds / substeps);
    for (let substep = 1; substep < substeps; substep++) await this.fluid.step(seconds / substeps, 1);
    this.moved = this.bodies();
    const all = Object.entries(stages).map(([name, time]) => [name, substeps * time]);
    return { source, stages: Object.fromEntries(all), total: substeps * total };
  }

  private waitFor<Result>(work: Promise<Result>): Promise<Result> {
    const done = () => {
      if (this.working === work) this.working = undefined;
    };
    this.working = work;
    // Whoever is handed it is told of an error; nobody need be.
    work.then(done, done);
    return work;
  }
}

export class CpuLiquidBody extends LiquidBody<CpuFluid> implements CpuBody {
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

/** A liquid's state as one of particles, so that the page knows who is there; with settings that collisions take as well. */
function stateOf({ settings }: Pick<Body, 'settings'>, method: FluidCheckpoint): State {
  const { flipShare: _ofLiquids, ...shared } = settings;
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
      // Before a substep nobody has looked.
      value: nominalVolume > 0 && volume > 0 ? formatPercent(volume / nominalVolume) : '–',
      hint: 'What the liquid fills, of what its particles make up',
    },
    {
      title: 'Divergence left',
      value: share > 0 ? share.toExponential(1) : '0',
      hint: 'Of what flowed into a cell too much before the pressure, what is left after it',
    },
    {
      title: 'Solver rounds',
      value: formatCount(iterations),
      hint: `Conjugate gradients in the last substep; ${formatCount(unconverged)} substeps so far took all that they may and were not done`,
    },
    { title: 'Fastest', value: `${formatReal(greatestSpeed)} units/s`, hint: 'Of all particles' },
    {
      title: 'Held back',
      value: formatCount(tooFast),
      hint: 'Particles that would have gone more than two cells in the last substep; more substeps let them go',
    },
    ...(isFed
      ? [
          {
            title: 'No room for',
            value: formatCount(missed),
            hint: 'Particles that were to come in while there were as many as may be',
          },
        ]
      : []),
  ];
}
