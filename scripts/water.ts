/**
 * Draws a fluid scene in Node as the page does, for docs/design/water.md. A software driver can also draw with the
 * quality `hardware`. The CPU engine takes all steps but the last.
 * Usage: node scripts/run.mjs scripts/water.ts FILE scene dimensions count steps [theme quality size camera]
 * FILE ends in .webp or .png. `theme` is dark or light, `quality` is hardware or software, `size` is like 760x440, and
 * `camera` (3D only) is a turn, a height (both in radians) and a magnification, such as 0.55,0.32,1.
 */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toBodies } from '../src/gpu/layout';
import { openGpu } from '../src/node';
import { CpuFluidSimulation, GpuFluidSimulation } from '../src/page/engines/methods/fluid-simulation';
import { startFluid } from '../src/page/engines/methods/fluid-start';
import { defaultChoices } from '../src/page/model/choices';
import { colourStops, parseHex, scaleFor, type Theme } from '../src/page/model/colour';
import { themeOf } from '../src/page/model/fluid-colours';
import { NO_OVERLAYS } from '../src/page/model/overlays';
import { worldBox } from '../src/page/model/seen-box';
import { Camera2D } from '../src/page/view/camera';
import { Camera3D } from '../src/page/view/camera-3d';
import { createLayouts, createPipelines, drawnOf, obstaclesDrawn } from '../src/page/view/draw-pipelines';
import { FluidView } from '../src/page/view/fluid/view';
import { DEPTH_FORMAT, FRAME_BYTES, packFrame } from '../src/page/view/frame';
import { encodePng } from '../src/testing/pictures';
import { startChrome } from './browser';

const FORMAT = 'rgba8unorm';
/** The page's colours: background, inside of the box, lines, obstacles (src/page/theme.css). */
const COLOURS = {
  dark: ['0b0e13', '11161d', '333d4a', '66717f'],
  light: ['eef1f5', 'fbfcfd', 'b9c3cf', '7a8693'],
} as const;
/** Smallest size of a buffer of bodies, in bytes: one body with a shape. */
const LEAST_BYTES = 32;
/** Quality of a WebP picture, from 0 to 1. */
const QUALITY = 0.8;

const [
  file = 'water.webp',
  scene = 'dam-break',
  dimensionsText = '3',
  count = '30000',
  steps = '40',
  themeName = 'dark',
  quality = 'hardware',
  size = '760x440',
  cameraText = '',
] = process.argv.slice(2);

const dimensions = dimensionsText === '2' ? 2 : 3;
const isDark = themeName === 'dark';
const isSoftware = quality === 'software';
const samples = isSoftware ? 1 : 4;
const [width = 1, height = 1] = size.split('x').map(Number);

const gpu = await openGpu({ particles: Number(count), dimensions });
const { device } = gpu;
device.onuncapturederror = ({ error }) => {
  throw new Error(error.message);
};
const simulation = await simulate();
const pixels = await draw(simulation);
const png = encodePng({ width, height, data: pixels });
await writeFile(resolve(file), file.endsWith('.png') ? png : await toWebp(png));
gpu.destroy();
process.exit();

async function simulate(): Promise<GpuFluidSimulation> {
  const { options, method } = startFluid(defaultChoices(scene, dimensions), Number(count));
  const begun = await method?.onCpu(options);
  if (!(begun instanceof CpuFluidSimulation)) throw new Error(`${scene} is not a fluid scene.`);
  for (let step = 1; step < Number(steps); step++) begun.step(1 / 60);
  const shown = await method?.onGpu(gpu, options);
  if (!(shown instanceof GpuFluidSimulation)) throw new Error(`${scene} is not a fluid scene.`);
  shown.restore(begun.checkpoint());
  shown.step(1 / 60);
  await shown.measure();
  return shown;
}

async function draw(shown: GpuFluidSimulation): Promise<Uint8Array> {
  const { fluid, world, moved, buffers } = shown;
  const viewport = { width, height, pixelRatio: 1, free: { x: 0, y: 0, width, height } };
  const camera = dimensions === 2 ? new Camera2D() : new Camera3D();
  const box = worldBox(world);
  if (cameraText) camera.restore([...cameraText.split(',').map(Number), 0, 0, 0], box);
  const [background, surface, line, obstacle] = COLOURS[isDark ? 'dark' : 'light'].map(parseHex);
  const stops = colourStops(isDark);
  const colours = { isDark, background, surface, line, obstacle, stops, overlay: {} } as unknown as Theme;
  const scale = scaleFor('speed', shown, {} as Parameters<typeof scaleFor>[2]);
  const theme = themeOf(colours, scale, true);
  const matrices = camera.matrices(box, viewport);
  const frame = { box, viewport, camera: matrices, theme, scale, overlays: NO_OVERLAYS, isSurface: true };

  const layouts = createLayouts(device);
  const lent = { format: FORMAT, samples, isSoftware, layouts } as const;
  const view = new FluidView(device, fluid, lent);
  const [body, { edges, surface: inside }] = await Promise.all([
    createPipelines(device, obstaclesDrawn(dimensions), lent, layouts),
    createPipelines(device, drawnOf(shown, 'speed'), lent, layouts),
    view.prepare('speed'),
  ]);
  const upload = (data: Float32Array<ArrayBuffer>, usage: number) => {
    const size = Math.max(LEAST_BYTES, data.byteLength);
    const buffer = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const group = (layout: GPUBindGroupLayout, list: readonly GPUBuffer[]) =>
    device.createBindGroup({
      layout,
      entries: list.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  const uniforms = upload(new Float32Array(FRAME_BYTES / 4), GPUBufferUsage.UNIFORM);
  device.queue.writeBuffer(uniforms, 0, packFrame(shown, frame, samples));
  const { positions, radii = new Float32Array(0), halves = new Float32Array(0) } = moved;
  const bodies = toBodies(dimensions, positions, { radii, halves, bulks: radii });
  const bodyGroup = group(layouts.plain.layout, [upload(bodies, GPUBufferUsage.STORAGE)]);
  const texture = (format: GPUTextureFormat, sampleCount: number, usage: number) =>
    device.createTexture({ size: [width, height], format, sampleCount, usage: usage | 16 });
  const is3D = dimensions === 3;
  const targets = {
    target: texture(FORMAT, 1, GPUTextureUsage.COPY_SRC),
    background: theme.background,
    colour: is3D && samples > 1 ? texture(FORMAT, samples, 0) : undefined,
    depth: is3D ? texture(DEPTH_FORMAT, samples, 0) : undefined,
  };
  const drawEdges = (pass: GPURenderPassEncoder) => {
    pass.setPipeline(edges);
    pass.draw(is3D ? 24 : 8);
  };
  const encoder = device.createCommandEncoder();
  view.record(encoder, targets, {
    frame,
    frameGroup: group(layouts.frame.layout, [uniforms]),
    colour: 'speed',
    particles: group(layouts.speed.layout, [buffers.positions, buffers.velocities]),
    count: shown.count,
    around: (pass) => {
      if (!is3D) {
        pass.setPipeline(inside);
        pass.draw(4);
      }
      drawEdges(pass);
      if (radii.length === 0) return;
      pass.setPipeline(body.particles);
      pass.setBindGroup(1, bodyGroup);
      pass.draw(4, radii.length);
    },
    over: (pass) => {
      if (is3D) drawEdges(pass);
    },
  });
  const row = Math.ceil((4 * width) / 256) * 256;
  const read = device.createBuffer({
    size: row * height,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  encoder.copyTextureToBuffer({ texture: targets.target }, { buffer: read, bytesPerRow: row }, [
    width,
    height,
  ]);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const rows = new Uint8Array(read.getMappedRange());
  const packed = new Uint8Array(4 * width * height).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const first = row * Math.floor(pixel / width) + 4 * (pixel % width);
    packed.set(rows.subarray(first, first + 3), 4 * pixel);
  }
  return packed;
}

async function toWebp(png: Uint8Array): Promise<Uint8Array> {
  const browser = await startChrome({});
  try {
    const page = await browser.newPage();
    const url = await page.evaluate(
      async (source, quality) => {
        const picture = new Image();
        picture.src = source;
        await picture.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [picture.width, picture.height];
        canvas.getContext('2d')?.drawImage(picture, 0, 0);
        return canvas.toDataURL('image/webp', quality);
      },
      `data:image/png;base64,${Buffer.from(png).toString('base64')}`,
      QUALITY,
    );
    return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  } finally {
    await browser.close();
  }
}
