import { defaultSettings } from '../../../core/contact/settings';
import type { NewParticles, StageTimes, World } from '../../../index';
import type { CpuLife, Life, LifeCheckpoint } from '../../../methods/flock';
import { attractionTable } from '../../../scenes/method-scene';
import type {
  CpuSimulationView,
  Figure,
  GpuSimulationView,
  MethodMeasures,
  MethodSettings,
  SimulationView,
  State,
  ViewSettings,
} from '../../model/simulation-view';
import { formatReal } from '../../support/format';
import {
  createIds,
  definedOf,
  MethodSimulation,
  measureMotion,
  timeOnCpu,
  timeOnGpu,
} from './method-simulation';

export type TableSettings = Pick<MethodSettings, 'attraction' | 'tableSeed'>;

abstract class LifeSimulation<AnyLife extends Life | CpuLife> extends MethodSimulation<AnyLife['backend']> {
  readonly method = 'life';
  readonly world: World;
  readonly obstacleCount = 0;
  readonly kinds: number;

  constructor(
    readonly life: AnyLife,
    radius: number,
    private table: TableSettings,
  ) {
    super(life, life.dimensions, radius);
    this.world = life.world;
    this.kinds = life.kinds;
  }

  get settings(): SimulationView['settings'] {
    const { attraction: _table, ...numbers } = this.life.settings;
    return { ...defaultSettings(this.dimensions), ...numbers, ...this.table };
  }

  set({ strength, halfLife, core, attraction, tableSeed }: ViewSettings): void {
    const table = {
      attraction: attraction ?? this.table.attraction,
      tableSeed: tableSeed ?? this.table.tableSeed,
    };
    this.life.set({
      ...definedOf({ strength, halfLife, core }),
      attraction: attractionTable(table.attraction, this.kinds, table.tableSeed),
    });
    this.table = table;
  }

  step(seconds: number): void {
    this.life.step(seconds);
  }

  /** New particles get species in turn, so that all species stay about equally frequent. */
  override add({ positions, velocities }: NewParticles): Uint32Array {
    const { count, kinds, dimensions } = this;
    const species = Uint8Array.from(
      { length: positions.length / dimensions },
      (_, index) => (count + index) % kinds,
    );
    return this.life.add({ positions, velocities, species });
  }

  async measure(): Promise<MethodMeasures> {
    const { dimensions, kinds } = this;
    const { meanSpeed, drift, order: _order, ...shared } = measureMotion(dimensions, await this.life.read());
    const figures: Figure[] = [
      {
        title: 'Mean speed',
        value: speedText(meanSpeed),
        hint: 'A unit is the distance up to which particles act on each other',
      },
      {
        title: 'Drift',
        value: speedText(drift),
        hint: 'Speed of the centre of mass; near 0 if attraction is mutual',
      },
      { title: 'Species', value: String(kinds), hint: 'All have about the same number of particles' },
    ];
    return { ...shared, figures };
  }

  restore({ velocities, method }: State): void {
    // The page's tools change `velocities`, but not the copy in the method's checkpoint.
    this.life.restore({ ...(method as LifeCheckpoint), velocities });
  }

  protected stateOf(method: LifeCheckpoint): State {
    const { radius, dimensions } = this;
    const { version, min, max, period, time, ids, positions, velocities } = method;
    const settings = defaultSettings(dimensions);
    return {
      ...{ version, dimensions, min, max, period, time, ids, positions, velocities },
      ...{ radius, settings, method },
    };
  }
}

/** Rounds to two digits, because figures are narrow. */
function speedText(speed: number): string {
  return `${formatReal(Number(speed.toPrecision(2)))} units/s`;
}

export class GpuLifeSimulation extends LifeSimulation<Life> implements GpuSimulationView {
  private readonly ids: GPUBuffer;

  constructor(
    private readonly device: GPUDevice,
    life: Life,
    radius: number,
    table: TableSettings,
  ) {
    super(life, radius, table);
    this.ids = createIds(device, 'page.life.ids', life.capacity);
  }

  get buffers(): GpuSimulationView['buffers'] {
    const { positions, velocities } = this.life.buffers;
    return { positions, velocities, ids: this.ids };
  }

  get species(): GPUBuffer {
    return this.life.buffers.species;
  }

  async checkpoint(): Promise<State> {
    return this.stateOf(await this.life.checkpoint());
  }

  profile(seconds: number): Promise<StageTimes> {
    return timeOnGpu(this.device, () => this.step(seconds));
  }

  override destroy(): void {
    super.destroy();
    this.ids.destroy();
  }
}

export class CpuLifeSimulation extends LifeSimulation<CpuLife> implements CpuSimulationView {
  get species(): Uint32Array {
    return this.life.buffers.species;
  }

  checkpoint(): State {
    return this.stateOf(this.life.checkpoint());
  }

  profile(seconds: number): StageTimes {
    return timeOnCpu(() => this.step(seconds));
  }
}
