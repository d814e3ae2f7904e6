/** Draws a fluid from given particles and a given lattice, as the page does. */

import type { DeclaredLayout } from '../../src/gpu/bindings';
import { toBodies, toStored } from '../../src/gpu/layout';
import { entryAt, FLUID, SOLID } from '../../src/methods/fluid/lattice';
import { type FluidOptions, type FluidPlan, planFluid } from '../../src/methods/fluid/options';
import { COLOUR_STOPS, type Rgb } from '../../src/page/model/colour';
import type { Overlays } from '../../src/page/model/overlays';
import { project } from '../../src/page/view/camera';
import { createLayouts, createPipelines, obstaclesDrawn } from '../../src/page/view/draw-pipelines';
import type { Frame } from '../../src/page/view/engine';
import { FluidFields } from '../../src/page/view/fluid/fields';
import { FLUID_BYTES, packFluid, shapeOf } from '../../src/page/view/fluid/uniforms';
import { FluidView } from '../../src/page/view/fluid/view';
import { FluidVolume } from '../../src/page/view/fluid/volume';
import { FRAME_BYTES, packFrame } from '../../src/page/view/frame';
import { frameOf, overlayColours } from './inputs/frames';
import type { GpuTools } from './node-gpu';

export const SIZE = 160;
export const FORMAT = 'rgba8unorm';

const RED: Rgb = [1, 0, 0];
const BLUE: Rgb = [0, 0, 1];
const BLACK: Rgb = [0, 0, 0];
const GREEN: Rgb = [0, 1, 0];

/** Channels from 0 to 255. Rows count from the top. */
export interface Pixels {
  at(x: number, y: number): readonly [number, number, number];
}

export interface Pictured {
  readonly plan: FluidPlan;
  readonly frame: Frame;
  toPixel(point: readonly number[]): readonly [number, number];
  readonly pixels: Pixels;
  /** Bytes of the surface textures and, in 3D, of the volume. */
  readonly bytes: number;
}

export interface Wanted {
  readonly overlays?: Partial<Overlays>;
  readonly zoom?: number;
  readonly samples?: 1 | 4;
  /** Whether to draw as on a software GPU: with fewer voxels, texels and steps of rays. Default: true. */
  readonly isSoftware?: boolean;
  /** Returns the velocity of the particle at a position. The colour scale ends at 1. Default: 0. */
  readonly velocityOf?: (position: readonly number[]) => readonly number[];
  /** False to draw only fields. Default: true. */
  readonly isSurface?: boolean;
  readonly velocity?: readonly number[];
  /** Returns the pressure in a fluid cell. `height` is that of the cell's middle, in cells. Default: 0. */
  readonly pressure?: (height: number) => number;
  /** A green ball that is not fluid. */
  readonly ball?: { readonly position: readonly number[]; readonly radius: number };
}

/** Draws blue fluid on a red background. In 3D, thicker fluid hides more of the red. */
export async function picture(
  tools: GpuTools,
  options: FluidOptions,
  wanted: Wanted = {},
): Promise<Pictured> {
  const gpu = tools.wrap();
  const { device } = gpu;
  const { zoom = 1, samples = 1, isSoftware = true, isSurface = true, overlays = {}, ball } = wanted;
  const plan = planFluid(options);
  const { dimensions, positions } = plan;
  const overlay = { ...overlayColours(BLACK), velocity: GREEN, solid: GREEN };
  const stops = new Array<Rgb>(COLOUR_STOPS).fill(BLUE);
  const theme = { background: RED, surface: RED, line: RED, obstacle: GREEN, stops, overlay };
  const frame = frameOf(plan, { width: SIZE, height: SIZE, theme, overlays, isSurface, zoom });
  const layouts = createLayouts(device);
  const uniforms = tools.allocate('frame', FRAME_BYTES, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
  device.queue.writeBuffer(
    uniforms,
    0,
    packFrame({ radius: plan.radius, dimensions, time: 0 }, frame, samples),
  );
  const group = ({ layout }: DeclaredLayout, buffers: readonly GPUBuffer[]) =>
    device.createBindGroup({
      layout,
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  const stored = tools.upload('positions', toStored(dimensions, positions));
  const moving = tools.upload('velocities', toStored(dimensions, velocitiesOf(plan, wanted)));
  const source = { plan, buffers: latticeOf(tools, plan, wanted), substepSeconds: 1 };
  const lent = { format: FORMAT, samples, isSoftware, layouts } as const;
  const view = new FluidView(device, source, lent);
  await view.prepare('speed');
  const fields = await FluidFields.create(device, source, lent);
  const texture = (format: GPUTextureFormat, sampleCount: number) =>
    device.createTexture({
      size: [SIZE, SIZE],
      format,
      sampleCount,
      usage:
        GPUTextureUsage.RENDER_ATTACHMENT |
        (sampleCount === 1 && format === FORMAT ? GPUTextureUsage.COPY_SRC : 0),
    });
  const isSpace = dimensions === 3;
  const targets = {
    target: texture(FORMAT, 1),
    background: frame.theme.background,
    colour: isSpace && samples > 1 ? texture(FORMAT, samples) : undefined,
    depth: isSpace ? texture('depth24plus', samples) : undefined,
  };
  const bodies = ball && (await ballOf(tools, dimensions, samples, ball, layouts));
  const encoder = device.createCommandEncoder({ label: 'test' });
  fields.update(frame);
  view.record(encoder, targets, {
    frame,
    frameGroup: group(layouts.frame, [uniforms]),
    colour: 'speed',
    particles: group(layouts.speed, [stored, moving]),
    count: isSurface ? positions.length / dimensions : 0,
    around: (pass) => {
      if (bodies) {
        pass.setPipeline(bodies.pipeline);
        pass.setBindGroup(1, bodies.group);
        pass.draw(4, 1);
      }
      fields.drawBehind(pass, frame);
    },
    over: (pass) => fields.drawOver(pass, frame),
  });
  const row = Math.ceil((4 * SIZE) / 256) * 256;
  const read = tools.allocate('picture', row * SIZE, GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC);
  encoder.copyTextureToBuffer({ texture: targets.target }, { buffer: read, bytesPerRow: row }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  const data = new Uint8Array(await tools.read(read));
  const bytes = view.memoryBytes;
  view.destroy();
  fields.destroy();
  for (const made of [targets.target, targets.colour, targets.depth]) made?.destroy();
  return {
    plan,
    frame,
    bytes,
    toPixel: (point) => {
      const { x, y } = project(frame.camera, frame.viewport, point);
      return [x, y];
    },
    pixels: {
      at: (x, y) => {
        const first = Math.floor(y) * row + 4 * Math.floor(x);
        return [data[first] ?? 0, data[first + 1] ?? 0, data[first + 2] ?? 0];
      },
    },
  };
}

function velocitiesOf({ positions, dimensions }: FluidPlan, { velocityOf }: Wanted): Float32Array {
  const velocities = new Float32Array(positions.length);
  if (!velocityOf) return velocities;
  for (let first = 0; first < positions.length; first += dimensions) {
    velocities.set(velocityOf([...positions.subarray(first, first + dimensions)]), first);
  }
  return velocities;
}

/** The contents of a 3D fluid's volume. Along x, voxels are adjacent in the arrays. */
export interface Volume {
  readonly densities: readonly number[];
  /** Shares of the colour scale, from 0 to 1. */
  readonly shares: readonly number[];
  /** Slots of particles outside the fluid. */
  readonly drops: readonly number[];
  at(x: number, y: number, z: number): number;
}

export async function readVolume(
  tools: GpuTools,
  options: FluidOptions,
  wanted: Wanted = {},
): Promise<Volume> {
  const { device } = tools.wrap();
  const plan = planFluid(options);
  const { positions, capacity } = plan;
  const frame = frameOf(plan, { width: SIZE, height: SIZE });
  const layouts = createLayouts(device);
  const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const frames = tools.allocate('frame', FRAME_BYTES, usage);
  const uniforms = tools.allocate('fluid', FLUID_BYTES, usage);
  const shape = shapeOf(plan, true);
  const count = positions.length / 3;
  const extents = { width: SIZE, height: SIZE, scale: 1, count };
  const packed = packFrame({ radius: plan.radius, dimensions: 3, time: 0 }, frame, 1);
  device.queue.writeBuffer(frames, 0, packed);
  device.queue.writeBuffer(uniforms, 0, packFluid(shape, frame, extents));
  const { kinds } = latticeOf(tools, plan, wanted);
  const lent = { format: FORMAT, samples: 1, isSoftware: true, layouts } as const;
  const volume = await FluidVolume.create(device, shape, lent, { uniforms, kinds, capacity });
  await volume.prepare('speed');
  const group = ({ layout }: DeclaredLayout, buffers: readonly GPUBuffer[]) =>
    device.createBindGroup({
      layout,
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  const particles = group(layouts.speed, [
    tools.upload('positions', toStored(3, positions)),
    tools.upload('velocities', toStored(3, velocitiesOf(plan, wanted))),
  ]);
  const [width, height, depth] = shape.voxels;
  const row = Math.ceil((8 * width) / 256) * 256;
  const both = GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const read = tools.allocate('volume', row * height * depth, both);
  const list = tools.allocate('drops', volume.drops.size, both);
  const encoder = device.createCommandEncoder({ label: 'test' });
  volume.encode(encoder, 'speed', group(layouts.frame, [frames]), particles, count);
  const layout = { buffer: read, bytesPerRow: row, rowsPerImage: height };
  encoder.copyTextureToBuffer({ texture: volume.texture }, layout, [width, height, depth]);
  encoder.copyBufferToBuffer(volume.drops, 0, list, 0, volume.drops.size);
  device.queue.submit([encoder.finish()]);
  const data = new Uint16Array(await tools.read(read));
  const [, listed = 0, , , ...slots] = new Uint32Array(await tools.read(list));
  volume.destroy();
  const channel = (index: number) =>
    Array.from({ length: width * height * depth }, (_, voxel) => {
      const line = Math.floor(voxel / width);
      return fromHalf(data[(row / 2) * line + 4 * (voxel % width) + index] as number);
    });
  const densities = channel(0);
  return {
    densities,
    shares: channel(1),
    drops: slots.slice(0, listed),
    at: (x, y, z) => densities[x + width * (y + height * z)] as number,
  };
}

/** Decodes a positive half float. */
function fromHalf(bits: number): number {
  const exponent = bits >> 10;
  const fraction = (bits & 1023) / 1024;
  return exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15);
}

function latticeOf(
  tools: GpuTools,
  { lattice, mask, positions, dimensions, cellSize }: FluidPlan,
  { velocity = [], pressure = () => 0 }: Wanted,
) {
  const kinds = new Uint32Array(lattice.size);
  const fullness = new Float32Array(lattice.size);
  const pressures = new Float32Array(lattice.size);
  const velocities = new Float32Array(dimensions * lattice.size);
  for (let first = 0; first < positions.length; first += dimensions) {
    const cell = [0, 1, 2].map((axis) =>
      axis < dimensions ? Math.floor((positions[first + axis] as number) / cellSize) : 0,
    ) as [number, number, number];
    const entry = entryAt(lattice, ...cell);
    kinds[entry] = FLUID;
    fullness[entry] = 1;
    pressures[entry] = pressure(cell[1] + 0.5);
  }
  mask.forEach((isSolid, entry) => {
    if (isSolid) kinds[entry] = SOLID;
  });
  velocity.forEach((along, axis) => {
    velocities.fill(along, axis * lattice.size, (axis + 1) * lattice.size);
  });
  return {
    kinds: tools.upload('kinds', kinds),
    fullness: tools.upload('fullness', fullness),
    velocity: tools.upload('velocity', velocities),
    pressure: tools.upload('pressure', pressures),
  };
}

async function ballOf(
  tools: GpuTools,
  dimensions: 2 | 3,
  samples: 1 | 4,
  { position, radius }: NonNullable<Wanted['ball']>,
  layouts: ReturnType<typeof createLayouts>,
) {
  const { device } = tools.wrap();
  const drawn = obstaclesDrawn(dimensions);
  const { particles: pipeline } = await createPipelines(device, drawn, { format: FORMAT, samples }, layouts);
  const radii = Float32Array.of(radius);
  const packed = toBodies(dimensions, Float32Array.from(position), {
    radii,
    halves: new Float32Array(dimensions),
    bulks: radii,
  });
  const buffer = tools.upload('ball', packed);
  return {
    pipeline,
    group: device.createBindGroup({
      layout: layouts.plain.layout,
      entries: [{ binding: 0, resource: { buffer } }],
    }),
  };
}
