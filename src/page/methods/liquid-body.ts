/**
 * Purpose: a liquid as the page sees what runs: its particles are drawn, pushed and read as those of a simulation; time, states
 * and figures are the liquid's. Bodies in it move by simulated time alone, so a state that is restored goes on as before.
 */
import type { StaticBodies } from '../../core/obstacle-tree';
import type { Settings } from '../../core/settings';
import type { Measures, NewParticles, ParticleArrays, SimulationOptions } from '../../core/simulation';
import type { StageTimes } from '../../core/stage-times';
import { type Dimensions, defineWorld, type World } from '../../core/world';
import type { CpuFluid, Fluid, FluidMeasures } from '../../fluid';
import type { BodySettings, CpuBody, Figure, GpuBody, Measured, State } from '../body';
import { formatCount, formatReal, formatShare } from '../format';
import { type LiquidScene, movingAt, solidBoxes } from './liquid-scenes';

abstract class LiquidBody<Liquid extends Fluid | CpuFluid> {
  readonly method = 'liquid';
  readonly dimensions: Dimensions;
  readonly backend: Liquid['backend'];
  /** Half of how far particles are apart in still water: so large they are drawn. */
  readonly radius: number;
  readonly radiusRange = undefined;
  readonly boxes = false;
  /** The lattice's cells. */
  readonly world: World;
  readonly obstacleCount: number;
  settings: Settings;
  moved: StaticBodies;
  private readonly walls: ReturnType<typeof solidBoxes>;
  /** Simulated seconds when a state was restored, less the liquid's own. */
  private offset = 0;

  constructor(
    readonly fluid: Liquid,
    private readonly scene: LiquidScene,
    { radius = 0, gravity = [], substeps = 1 }: SimulationOptions,
  ) {
    const { dimensions } = scene;
    this.dimensions = dimensions;
    this.backend = fluid.backend;
    this.radius = radius;
    this.settings = { ...fluid.particles.settings, gravity, substeps };
    const { min, max } = fluid.particles.world;
    this.world = defineWorld({ dimensions, min, max, cellSize: scene.cellSize }, 2 * radius, fluid.capacity);
    this.walls = solidBoxes(scene);
    this.moved = this.bodies();
    this.obstacleCount = this.moved.positions.length / dimensions;
  }

  get capacity(): number {
    return this.fluid.capacity;
  }

  get count(): number {
    return this.fluid.count;
  }

  get time(): number {
    return this.fluid.time + this.offset;
  }

  get obstacleCapacity(): number {
    return this.obstacleCount;
  }

  step(seconds: number): void {
    this.drive(seconds);
    this.fluid.step(seconds, this.settings.substeps);
    this.moved = this.bodies();
  }

  set({ gravity, substeps }: BodySettings): void {
    this.settings = {
      ...this.settings,
      gravity: gravity ?? this.settings.gravity,
      substeps: substeps ?? this.settings.substeps,
    };
  }

  add({ positions, velocities }: NewParticles): Uint32Array {
    return this.fluid.add({ positions, velocities });
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.fluid.remove(ids);
  }

  /** Its bodies are the scene's. */
  setObstacles(): void {}

  async measure(): Promise<Measured> {
    const [measures, figures] = await Promise.all([this.fluid.particles.measure(), this.fluid.measure()]);
    return { ...(measures as Measures), figures: figuresOf(figures) };
  }

  findPairs() {
    return this.fluid.particles.findPairs();
  }

  read(): Promise<ParticleArrays> | ParticleArrays {
    return this.fluid.particles.read();
  }

  checkpoint(): Promise<State> | State {
    const { time, settings } = this;
    const state = this.fluid.particles.checkpoint();
    if (state instanceof Promise) return state.then((one) => ({ ...one, time, settings }));
    return { ...state, time, settings };
  }

  restore(state: State): void {
    this.fluid.particles.restore({ ...state, settings: this.fluid.particles.settings });
    this.settings = state.settings;
    this.offset = state.time - this.fluid.time;
    this.moved = this.bodies();
  }

  destroy(): void {
    this.fluid.destroy();
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
  isBusy = false;

  constructor(
    private readonly device: GPUDevice,
    fluid: Fluid,
    scene: LiquidScene,
    options: SimulationOptions,
  ) {
    super(fluid, scene, options);
  }

  get buffers(): GpuBody['buffers'] {
    return this.fluid.particles.buffers;
  }

  /** The first substep is timed, one stage after the other; a step takes as many of it. */
  async profile(seconds: number): Promise<StageTimes> {
    const { substeps } = this.settings;
    this.drive(seconds);
    this.isBusy = true;
    try {
      const { source, stages, total } = await this.fluid.profile(seconds / substeps);
      const encoder = this.device.createCommandEncoder({ label: 'page.liquid' });
      for (let substep = 1; substep < substeps; substep++) {
        this.fluid.encodeSubstep(encoder, seconds / substeps);
      }
      this.device.queue.submit([encoder.finish()]);
      const all = Object.entries(stages).map(([name, time]) => [name, substeps * time]);
      return { source, stages: Object.fromEntries(all), total: substeps * total };
    } finally {
      this.isBusy = false;
      this.moved = this.bodies();
    }
  }
}

export class CpuLiquidBody extends LiquidBody<CpuFluid> implements CpuBody {
  /** It does not time its stages. */
  profile(seconds: number): StageTimes {
    const began = performance.now();
    this.step(seconds);
    return { source: 'wall-clock', stages: {}, total: performance.now() - began };
  }
}

function figuresOf({
  volume,
  nominalVolume,
  divergenceBefore,
  divergenceAfter,
  iterations,
  unconverged,
  greatestSpeed,
  tooFast,
}: FluidMeasures): Figure[] {
  const share = divergenceBefore > 0 ? divergenceAfter / divergenceBefore : 0;
  return [
    {
      title: 'Volume',
      value: nominalVolume > 0 ? formatShare(volume / nominalVolume) : '–',
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
  ];
}
