import { describe, expect } from 'vitest';
import { shapesOf } from '../../../../src/core/particles/shapes';
import type { ParticleArrays } from '../../../../src/core/simulation/simulation';
import type { World } from '../../../../src/core/world/world';
import { createSimulation, type Simulation } from '../../../../src/engine/simulation/simulation';
import { Kernel } from '../../../../src/gpu/kernel';
import { heatAxes, MOST_EACH, MOST_PAIRS } from '../../../../src/page/model/overlay-look';
import { NO_OVERLAYS, type Overlays } from '../../../../src/page/model/overlays';
import { Camera2D, project } from '../../../../src/page/view/camera';
import { Camera3D } from '../../../../src/page/view/camera-3d';
import { createLayouts, overlayPicture } from '../../../../src/page/view/draw-pipelines';
import type { Frame } from '../../../../src/page/view/engine';
import { createCellPipeline, describeCellList, OCCUPIED_BYTES } from '../../../../src/page/view/occupied';
import { type OccupiedCell, occupiedCells } from '../../../../src/page/view/occupied-cells';
import { Overlay } from '../../../../src/page/view/overlay';
import { createOverlayPipelines, describeOverlayKernels } from '../../../../src/page/view/overlay-pipelines';
import { heatCounters } from '../../../../src/page/view/overlay-uniforms';
import { buildGrid, type Grid } from '../../../../src/reference/grid/grid';
import { probeCells } from '../../../../src/reference/query/probe';
import { findContact } from '../../../../src/reference/solve/contact';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { repeat } from '../../../../src/scenes/scene';
import { frameOf } from '../../../helpers/inputs/frames';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { type GpuTools, gpuTest, SHARED } from '../../../helpers/node-gpu';
import { DIMENSIONS } from '../../../helpers/passes';

const PICTURE = { width: 640, height: 480 } as const;
const CONTACT_BIT = 0x8000_0000;
const UNBOUNDED = { min: undefined, max: undefined, periodic: undefined, unbounded: true } as const;

async function drawInto(
  tools: GpuTools,
  simulation: Simulation,
  shown: Partial<Overlays>,
  box: Pick<World, 'dimensions' | 'min' | 'max'> = simulation.world,
): Promise<{ readonly overlay: Overlay; readonly frame: Frame }> {
  const gpu = tools.wrap();
  const { device } = gpu;
  const format = 'rgba8unorm';
  const picture = overlayPicture(createLayouts(device), { format, samples: 4 });
  const overlay = await Overlay.create(gpu, simulation, picture);
  const frame = frameOf(box, { ...PICTURE, overlays: shown });
  await overlay.prepare(frame.overlays);
  const encoder = device.createCommandEncoder({ label: 'test' });
  overlay.encode(encoder, frame);
  device.queue.submit([encoder.finish()]);
  return { overlay, frame };
}

async function listed(tools: GpuTools, overlay: Overlay) {
  const { buffers } = overlay;
  if (!buffers) throw new Error('Nothing was listed.');
  const [vertices, instances, , , found, crowded] = new Uint32Array(await tools.read(buffers.drawn));
  const ids = new Uint32Array(await tools.read(buffers.ids));
  const words = new Uint32Array(await tools.read(buffers.pairs));
  const pairs = Array.from({ length: Math.min(found as number, MOST_PAIRS.hardware) }, (_, pair) => {
    const first = words[2 * pair] as number;
    const second = words[2 * pair + 1] as number;
    const names = [ids[first] as number, ids[(second & ~CONTACT_BIT) >>> 0] as number].sort((a, b) => a - b);
    return `${names.join('-')}${second >= CONTACT_BIT ? ' contact' : ''}`;
  });
  return { vertices, instances, found, crowded, pairs };
}

function gridOf(simulation: Simulation, { positions, velocities, ids, ...sizes }: ParticleArrays): Grid {
  const { dimensions, world } = simulation;
  return buildGrid(world, positions, velocities, ids, shapesOf(dimensions, sizes));
}

function referencePairs(simulation: Simulation, grid: Grid, contactsOnly: boolean): string[] {
  const { world } = simulation;
  const pairs: string[] = [];
  grid.ids.forEach((id, slot) => {
    probeCells(world, grid, slot, (other) => {
      if (other < slot) return;
      const isContact = findContact(world, { diameter: world.diameter }, grid, slot, other) !== undefined;
      if (contactsOnly && !isContact) return;
      const names = [id, grid.ids[other] as number].sort((a, b) => a - b);
      pairs.push(`${names.join('-')}${isContact ? ' contact' : ''}`);
    });
  });
  return pairs.sort();
}

describe.each(DIMENSIONS)('overlays in %dD', (dimensions) => {
  gpuTest(
    'compile in every variant',
    async (device, tools) => {
      const gpu = tools.wrap();
      const layouts = createLayouts(device);
      for (const kind of ['bounded', 'periodic', 'unbounded'] as const) {
        for (const [levels, boxes] of [
          [0, false],
          [2, false],
          [5, false],
          [5, true],
        ] as const) {
          const variant = { dimensions, kind, levels, boxes };
          for (const description of Object.values(describeOverlayKernels(variant))) {
            await Kernel.compile(gpu, description);
          }
          if (kind === 'unbounded') await Kernel.compile(gpu, describeCellList(variant));
          for (const [format, samples] of [
            ['bgra8unorm', 1],
            ['rgba8unorm', 4],
          ] as const) {
            const made = await createOverlayPipelines(
              device,
              variant,
              overlayPicture(layouts, { format, samples }),
            );
            expect(Object.values(made).map(({ label }) => label)).toEqual([
              'draw.cells.pipeline',
              'draw.thread.pipeline',
              'draw.pairs.pipeline',
            ]);
            const picture = overlayPicture(layouts, { format, samples });
            await createCellPipeline(device, variant, picture);
          }
        }
      }
    },
    { tags: 'full', driverless: true },
  );

  // `npm test` runs each scene only in `usual` dimensions: a software GPU compiles these kernels slowly.
  for (const [name, count, usual] of [
    ['packing', 700, 2],
    ['periodic', 700, 3],
    ['mixed', 600, 2],
    ['channel', 700, 3],
    ['crates', 300, 2],
    ['mixed-periodic', 600, 3],
  ] as const) {
    gpuTest(
      `list the candidates and contacts of the reference, in the scene ${name}`,
      async (_, tools) => {
        const scene = createScene(name, { dimensions, count });
        const simulation = await createSimulation(tools.wrap(), sceneOptions(scene));
        // Boxes have to fall before they touch.
        for (let step = 0; step < (simulation.boxes ? 40 : 3); step++) simulation.step(1 / 20);
        const grid = gridOf(simulation, await simulation.read());
        const shown = { candidatePairs: true, contactLines: true, thread: true, heatMap: true };
        const { overlay, frame } = await drawInto(tools, simulation, shown);
        const all = await listed(tools, overlay);
        const expected = referencePairs(simulation, grid, false);
        const lines = simulation.world.kind === 'periodic' ? 2 : 1;
        expect(all.pairs.toSorted()).toEqual(expected);
        expect(expected.length).toBeGreaterThan(count / 2);
        expect(expected.some((pair) => pair.endsWith('contact'))).toBe(true);
        expect(all).toMatchObject({
          vertices: 4,
          instances: lines * expected.length,
          found: expected.length,
          crowded: 0,
        });
        // The overlay `thread` joins the particles in the order of these ids.
        const ids = new Uint32Array(await tools.read(overlay.buffers?.ids as GPUBuffer));
        expect(Array.from(ids.subarray(0, simulation.count))).toEqual(Array.from(grid.ids));
        await expectHeat(tools, simulation, overlay, grid);
        const again = { ...frame, overlays: { ...NO_OVERLAYS, contactLines: true } };
        const { device } = tools.wrap();
        const encoder = device.createCommandEncoder({ label: 'test' });
        overlay.encode(encoder, again);
        device.queue.submit([encoder.finish()]);
        const contacts = await listed(tools, overlay);
        expect(contacts.pairs.toSorted()).toEqual(referencePairs(simulation, grid, true));
        // Cell lines need no sorted particles, so `prepare` frees all buffers.
        const label = 'overlay.pairs.pairs';
        const every = { ...NO_OVERLAYS, cellLines: true, ...shown };
        expect(tools.liveBuffers()).toContain(label);
        expect(overlay.drawable(every)).toEqual(every);
        await overlay.prepare({ ...NO_OVERLAYS, cellLines: true });
        expect(tools.liveBuffers()).not.toContain(label);
        expect(overlay.drawable(every)).toEqual({ ...NO_OVERLAYS, cellLines: true });
        overlay.destroy();
        simulation.destroy();
      },
      dimensions === usual ? SHARED : { ...SHARED, tags: 'full' },
    );
  }

  for (const [name, change] of [
    ['far-apart', {}],
    ['colliding-cells', {}],
    ['mixed', UNBOUNDED],
    ['crates', UNBOUNDED],
  ] as const) {
    gpuTest(
      `list the occupied cells of an unbounded world, in the scene ${name}`,
      async (_, tools) => {
        const scene = createScene(name, { dimensions, count: 500 });
        const simulation = await createSimulation(tools.wrap(), sceneOptions(scene, change));
        for (let step = 0; step < 3; step++) simulation.step(1 / 60);
        const particles = await simulation.read();
        const { world } = simulation;
        const expected = occupiedCells(world, particles);
        const first = Array.from(particles.positions.subarray(0, dimensions));
        const box = { dimensions, origin: first, min: first, max: first.map((low) => low + 100) };
        const shown = { buckets: true, candidatePairs: true };
        const { overlay } = await drawInto(tools, simulation, shown, box);
        const { cells, drawn } = overlay.occupiedBuffers as NonNullable<typeof overlay.occupiedBuffers>;
        const [vertices, instances, , , count, buckets, shared] = new Uint32Array(await tools.read(drawn));
        expect([vertices, instances]).toEqual([4, (dimensions === 3 ? 12 : 1) * expected.length]);
        const bytes = await tools.read(cells);
        const [words, floats] = [new Uint32Array(bytes), new Float32Array(bytes)];
        const found = Array.from({ length: count as number }, (__, cell) => {
          const at = (word: number) => words[(OCCUPIED_BYTES / 4) * cell + word] as number;
          const corner = floats.subarray(
            (OCCUPIED_BYTES / 4) * cell,
            (OCCUPIED_BYTES / 4) * cell + dimensions,
          );
          return {
            size: floats[(OCCUPIED_BYTES / 4) * cell + 3] as number,
            bucket: at(4),
            occupancy: at(5),
            isShared: at(6) === 1,
            min: Array.from(corner, (along, axis) => along + (first[axis] as number)),
          };
        });
        const nameOf = ({ min, size, bucket, occupancy, isShared }: OccupiedCell) =>
          [...min.map((along) => Math.round(along / size)), size, bucket, occupancy, isShared].join(' ');
        expect(found.map(nameOf).sort()).toEqual(expected.map(nameOf).sort());
        expect(expected.length).toBeGreaterThan(20);
        if (name === 'colliding-cells') expect(shared).toBeGreaterThan(0);
        expect(buckets).toBe(new Set(expected.map(({ bucket }) => bucket)).size);
        expect(shared).toBe(expected.filter(({ isShared }) => isShared).length);
        await expect.poll(() => overlay.occupiedCounts).toEqual({ cells: count, buckets, shared });
        // Only pairs in view are listed.
        const grid = gridOf(simulation, particles);
        const every = referencePairs(simulation, grid, false);
        for (const pair of (await listed(tools, overlay)).pairs) expect(every).toContain(pair);
        const label = 'overlay.occupied.cells';
        expect(tools.liveBuffers()).toContain(label);
        await overlay.prepare(NO_OVERLAYS);
        expect(tools.liveBuffers()).not.toContain(label);
        overlay.destroy();
        simulation.destroy();
      },
      dimensions === 2 && name !== 'crates' ? SHARED : { ...SHARED, tags: 'full' },
    );
  }

  gpuTest(
    'list exactly the pairs of particles in adjacent cells as candidates',
    async (_, tools) => {
      // One particle per cell; a cell is as wide as a particle.
      const positions = Array.from({ length: 4 ** dimensions }, (__, index) =>
        repeat(0, dimensions).map((___, axis) => (Math.floor(index / 4 ** axis) % 4) + 0.5),
      );
      const simulation = await createSimulation(tools.wrap(), {
        dimensions,
        radius: 0.5,
        min: repeat(0, dimensions),
        max: repeat(4, dimensions),
        positions: Float32Array.from(positions.flat()),
      });
      simulation.separate(1);
      const { overlay } = await drawInto(tools, simulation, { candidatePairs: true });
      const expected = positions.flatMap((position, id) =>
        positions.slice(0, id).flatMap((other, otherId) => {
          const away = position.map((along, axis) => Math.abs(along - (other[axis] as number)));
          return Math.max(...away) <= 1 ? [`${otherId}-${id}`] : [];
        }),
      );
      expect((await listed(tools, overlay)).pairs.toSorted()).toEqual(expected.toSorted());
      overlay.destroy();
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'list pairs across the visible end of a periodic world, whether the lower slot is at this end or at the other',
    async (_, tools) => {
      const all = cornersIn(dimensions);
      const at = (x: number) => [x, ...all(8).slice(1)];
      const simulation = await createSimulation(tools.wrap(), {
        dimensions,
        radius: 0.5,
        min: all(0),
        max: all(16),
        periodic: true,
        positions: Float32Array.from([...at(0.125), ...at(15.75), ...at(8), ...at(8.5)]),
      });
      const gpu = tools.wrap();
      const picture = overlayPicture(createLayouts(gpu.device), { format: 'rgba8unorm', samples: 4 });
      const overlay = await Overlay.create(gpu, simulation, picture);
      const frame = frameOf(simulation.world, { ...PICTURE, overlays: { contactLines: true } });
      await overlay.prepare(frame.overlays);
      for (const [x, name] of [
        [15.75, '0-1 contact'],
        [0.125, '0-1 contact'],
        [8, '2-3 contact'],
      ] as const) {
        const camera = dimensions === 2 ? new Camera2D() : new Camera3D();
        camera.matrices(simulation.world, frame.viewport);
        const point = project(camera.matrices(simulation.world, frame.viewport), frame.viewport, at(x));
        camera.zoom(6, point.x, point.y);
        camera.pan(320 - point.x, 240 - point.y);
        const near = { ...frame, camera: camera.matrices(simulation.world, frame.viewport) };
        const encoder = gpu.device.createCommandEncoder({ label: 'test' });
        overlay.encode(encoder, near);
        gpu.device.queue.submit([encoder.finish()]);
        const { pairs } = await listed(tools, overlay);
        // In 3D the camera is so far away that the other pair may be in view, too.
        if (dimensions === 2) expect(pairs).toEqual([name]);
        else expect(pairs).toContain(name);
      }
      overlay.destroy();
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'can be drawn in a pass with the canvas’s samples',
    async (device, tools) => {
      const scene = createScene('periodic', { dimensions, count: 200 });
      const simulation = await createSimulation(tools.wrap(), sceneOptions(scene));
      const shown = {
        cellLines: true,
        heatMap: true,
        thread: true,
        candidatePairs: true,
        contactLines: true,
      };
      const { overlay, frame } = await drawInto(tools, simulation, shown);
      const { layout } = createLayouts(device).frame;
      const buffer = tools.allocate('frame', 4096, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
      const texture = (format: GPUTextureFormat) =>
        device.createTexture({
          size: [64, 64],
          format,
          sampleCount: dimensions === 3 ? 4 : 1,
          usage: GPUTextureUsage.RENDER_ATTACHMENT,
        });
      const [colour, depth] = [texture('rgba8unorm'), texture('depth24plus')];
      const encoder = device.createCommandEncoder({ label: 'test' });
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: colour.createView(), loadOp: 'clear', storeOp: 'store' }],
        ...(dimensions === 3 && {
          depthStencilAttachment: {
            view: depth.createView(),
            depthClearValue: 1,
            depthLoadOp: 'clear',
            depthStoreOp: 'discard',
          } as const,
        }),
      });
      const entries = [{ binding: 0, resource: { buffer } }];
      pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
      // If drawing is invalid, the device reports an error and this test fails.
      overlay.drawBehind(pass, frame);
      overlay.drawOver(pass, frame);
      pass.end();
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      for (const made of [colour, depth]) made.destroy();
      overlay.destroy();
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'report the number of pairs if the list is full, and leave out particles with too many candidates',
    async (_, tools) => {
      // At the first count there are more pairs than the list holds. At the second, each particle has more than
      // MOST_EACH candidates.
      for (const count of [MOST_EACH - 100, MOST_EACH + 2]) {
        const positions = new Float32Array(dimensions * count).map((_, index) => 8 + (index % 7) / 64);
        const simulation = await createSimulation(tools.wrap(), {
          dimensions,
          radius: 1,
          min: repeat(0, dimensions),
          max: repeat(16, dimensions),
          positions,
        });
        const { overlay } = await drawInto(tools, simulation, { candidatePairs: true });
        const { found, instances, crowded, pairs } = await listed(tools, overlay);
        const isCrowded = count > MOST_EACH;
        const every = (count * (count - 1)) / 2;
        expect(found).toBe(isCrowded ? 0 : every);
        expect(instances).toBe(isCrowded ? 0 : MOST_PAIRS.hardware);
        expect(crowded).toBe(isCrowded ? count : 0);
        expect(new Set(pairs).size).toBe(isCrowded ? 0 : MOST_PAIRS.hardware);
        await expect.poll(() => overlay.pairsShown).toEqual({ found, drawn: instances, crowded });
        overlay.destroy();
        simulation.destroy();
      }
    },
    SHARED,
  );
});

async function expectHeat(
  tools: GpuTools,
  { world }: Simulation,
  overlay: Overlay,
  { positions, ids }: Grid,
): Promise<void> {
  const { counters } = heatCounters(world);
  const [across, up] = heatAxes(world);
  const expected = new Uint32Array(counters.reduce((product, along) => product * along, 1));
  ids.forEach((_, slot) => {
    // Round the difference and the product to floats, as the shader does.
    const cellAlong = (axis: number) => {
      const apart = (positions[world.dimensions * slot + axis] as number) - (world.min[axis] as number);
      const cell = Math.floor(Math.fround(Math.fround(apart) * world.inverseCellSize));
      return Math.min(Math.max(cell, 0), (counters[axis] as number) - 1);
    };
    const counter = cellAlong(up) * (counters[across] as number) + cellAlong(across);
    expected[counter] = (expected[counter] as number) + 1;
  });
  const counts = new Uint32Array(await tools.read(overlay.heatCounts as GPUBuffer, 0, expected.byteLength));
  expect(Array.from(counts)).toEqual(Array.from(expected));
}
