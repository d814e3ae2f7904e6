import { shapesOf } from '../../../core/particles/shapes';
import { type Gpu, HashGrid, type ParticleArrays, packRays, type World } from '../../../index';
import type { SimulationView } from '../../model/simulation-view';
import type { Answers, Found, Question } from '../../view/answers';
import { gridOptions } from './question';

interface Search {
  readonly name: string;
  destroy(): void;
}

/** Bytes of the largest input: a ray or a box in 3D. */
const INPUT_BYTES = 32;
const NOBODY = 0xffff_ffff;

export class GpuAnswers implements Answers {
  private search: Search | undefined;
  private count = 0;

  private constructor(
    private readonly gpu: Gpu,
    private readonly grid: HashGrid,
    private readonly simulation: SimulationView,
    private readonly positions: GPUBuffer,
    private readonly input: GPUBuffer,
  ) {}

  static async create(gpu: Gpu, simulation: SimulationView): Promise<GpuAnswers> {
    const { diameter, cellSize, ...options } = gridOptions(simulation);
    const { radiusRange, capacity } = simulation;
    const grid = await HashGrid.create(gpu, {
      ...options,
      ...(radiusRange ? { radii: radiusRange } : { diameter, cellSize }),
    });
    const buffer = (label: string, size: number) =>
      gpu.device.createBuffer({
        label: `page.query.${label}`,
        size,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
      });
    const positions = buffer('positions', 16 * Math.max(1, capacity));
    return new GpuAnswers(gpu, grid, simulation, positions, buffer('input', INPUT_BYTES));
  }

  get world(): World {
    return this.grid.world;
  }

  build(particles: ParticleArrays): void {
    const { dimensions, radiusRange } = this.simulation;
    const { positions } = particles;
    const radii = radiusRange && shapesOf(dimensions, particles).radii;
    this.count = particles.ids.length;
    const floats = dimensions === 3 || radii ? 4 : 2;
    const packed = new Float32Array(floats * this.count);
    for (let index = 0; index < this.count; index++) {
      for (let axis = 0; axis < dimensions; axis++) {
        packed[floats * index + axis] = positions[dimensions * index + axis] as number;
      }
      if (radii) packed[floats * index + 3] = radii[index] as number;
    }
    this.gpu.device.queue.writeBuffer(this.positions, 0, packed);
  }

  async ask(question: Question): Promise<Found> {
    const { world, count, input, simulation } = this;
    const { dimensions, radiusRange } = simulation;
    const capacity = Math.max(1, count);
    switch (question.kind) {
      case 'near': {
        // Each reach needs a search of its own. Round the reach up, so that similar questions share a search.
        const half = Math.min(...world.period.filter((length) => length > 0)) / 2;
        const cells = Math.max(2, 2 ** Math.ceil(Math.log2(question.radius / world.cellSize)));
        const reach = Math.min(half, Math.max(question.radius, cells * world.cellSize));
        const near = await this.prepare(`near ${reach} ${capacity}`, () =>
          this.grid.near({ points: 1, capacity, reach }),
        );
        this.write(Float32Array.from(question.point));
        this.submit((encoder) => near.encode(encoder, { points: input, count: 1, radius: question.radius }));
        return { indices: (await near.read()).ids };
      }
      case 'nearest': {
        const { k, radius } = question;
        const nearest = await this.prepare(`nearest ${k} ${radius}`, () =>
          this.grid.nearest({ points: 1, k, radius }),
        );
        this.write(Float32Array.from(question.point));
        this.submit((encoder) => nearest.encode(encoder, { points: input, count: 1 }));
        return { indices: (await nearest.read()).ids.filter((id) => id !== NOBODY) };
      }
      case 'box': {
        const boxes = await this.prepare(`box ${capacity}`, () => this.grid.inBoxes({ boxes: 1, capacity }));
        const corners = [question.min, question.max];
        this.write(
          Float32Array.from(corners.flatMap((corner) => (dimensions === 3 ? [...corner, 0] : corner))),
        );
        this.submit((encoder) => boxes.encode(encoder, { boxes: input, count: 1 }));
        return { indices: (await boxes.read()).ids };
      }
      case 'ray': {
        const rays = await this.prepare(`ray ${capacity}`, () => this.grid.alongRays({ rays: 1, capacity }));
        const { origin, direction, length } = question;
        this.write(packRays(dimensions, [{ origin, direction, greatestDistance: length }]));
        const radius = radiusRange ? undefined : Math.min(simulation.radius, world.diameter / 2);
        this.submit((encoder) => rays.encode(encoder, { rays: input, count: 1, radius }));
        const { ids, distances } = await rays.read();
        return { indices: ids, distances };
      }
    }
  }

  destroy(): void {
    this.grid.destroy();
    this.positions.destroy();
    this.input.destroy();
  }

  /** Keeps only one search, because a search may reserve room for every particle. */
  private async prepare<Made extends { destroy(): void }>(
    name: string,
    make: () => Promise<Made>,
  ): Promise<Made> {
    const { search } = this;
    if (search?.name === name) return (search as Search & { made: Made }).made;
    search?.destroy();
    this.search = undefined;
    const made = await make();
    const kept: Search & { made: Made } = { name, made, destroy: () => made.destroy() };
    this.search = kept;
    return made;
  }

  private write(floats: Float32Array<ArrayBuffer>): void {
    this.gpu.device.queue.writeBuffer(this.input, 0, floats);
  }

  private submit(search: (encoder: GPUCommandEncoder) => void): void {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'page.query' });
    this.grid.encode(encoder, { positions: this.positions, count: this.count });
    search(encoder);
    device.queue.submit([encoder.finish()]);
  }
}
