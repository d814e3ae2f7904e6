/** Tests that the filter smooths bumps in the distances, and keeps the steps between surfaces. */
import { describe, expect } from 'vitest';
import { createLayouts } from '../../../../../src/page/view/draw-pipelines';
import { DISTANCE_FORMAT, NOTHING } from '../../../../../src/page/view/fluid/pipelines';
import { FluidSmoothing } from '../../../../../src/page/view/fluid/smooth';
import { FLUID_BYTES, packFluid } from '../../../../../src/page/view/fluid/uniforms';
import { FRAME_BYTES, packFrame } from '../../../../../src/page/view/frame';
import { frameOf } from '../../../../helpers/inputs/frames';
import { gpuTest, SHARED } from '../../../../helpers/node-gpu';

/** A row of 64 floats has the alignment that copies need. */
const SIZE = 64;
/** Columns from BEHIND on lie farther away. Rows from EMPTY on have no ball. */
const BEHIND = 40;
const EMPTY = 56;

describe('the fluid’s distances', () => {
  gpuTest(
    'lose their bumps, and keep the steps between surfaces',
    async (device, tools) => {
      const world = { dimensions: 3, min: [0, 0, 0], max: [2, 2, 2] } as const;
      const frame = frameOf(world, { width: SIZE, height: SIZE });
      const { camera } = frame;
      // The filter's standard deviation is 1.6 radii, and a radius is 0.8 spacings. With this spacing, the deviation is
      // four texels. Distances that differ by 2.2 radii belong to different surfaces.
      const spacing = 4 / (1.6 * 0.8 * camera.pixelsPerUnit);
      const step = (2.2 * 0.8 * spacing) / camera.reach;
      const flat = (x: number, y: number) => (y >= EMPTY ? NOTHING : x < BEHIND ? 0 : 3 * step);
      const given = Float32Array.from({ length: SIZE * SIZE }, (_, texel) => {
        const [x, y] = [texel % SIZE, Math.floor(texel / SIZE)];
        const bump = (((7 * x + 13 * y) % 5) - 2) / 2;
        return y >= EMPTY ? NOTHING : flat(x, y) + 0.2 * step * bump;
      });

      const shape = { dimensions: 3, cells: [8, 8, 8], cellSize: 0.25, spacing } as const;
      const viewport = { width: SIZE, height: SIZE, scale: 1, isHidden: false };
      const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
      const frames = tools.allocate('frame', FRAME_BYTES, usage);
      const uniforms = tools.allocate('fluid', FLUID_BYTES, usage);
      const { queue } = device;
      queue.writeBuffer(frames, 0, packFrame({ radius: 0.5, dimensions: 3, time: 0 }, frame, 1));
      queue.writeBuffer(uniforms, 0, packFluid(shape, frame, viewport));
      const texture = () =>
        device.createTexture({
          size: [SIZE, SIZE],
          format: DISTANCE_FORMAT,
          usage:
            GPUTextureUsage.RENDER_ATTACHMENT |
            GPUTextureUsage.TEXTURE_BINDING |
            GPUTextureUsage.COPY_SRC |
            GPUTextureUsage.COPY_DST,
        });
      const distances = { nearest: texture(), across: texture(), up: texture() };
      const layout = { bytesPerRow: 4 * SIZE };
      queue.writeTexture({ texture: distances.nearest }, given, layout, [SIZE, SIZE]);
      const layouts = createLayouts(device);
      const smoothing = await FluidSmoothing.create(device, {
        format: 'rgba8unorm',
        samples: 1,
        isSoftware: false,
        layouts,
      });
      const frameGroup = device.createBindGroup({
        layout: layouts.frame.layout,
        entries: [{ binding: 0, resource: { buffer: frames } }],
      });
      const encoder = device.createCommandEncoder({ label: 'test' });
      const groups = smoothing.bind(uniforms, distances);
      smoothing.encode(encoder, groups, distances, frameGroup, [SIZE, SIZE]);
      const read = tools.allocate('read', 4 * SIZE * SIZE);
      encoder.copyTextureToBuffer({ texture: distances.up }, { buffer: read, ...layout }, [SIZE, SIZE]);
      queue.submit([encoder.finish()]);
      const smooth = new Float32Array(await tools.read(read));
      for (const made of Object.values(distances)) made.destroy();

      /** Returns the root mean square error of the distances in these columns, in steps. */
      const bumps = (values: Float32Array, from: number, to: number) => {
        let sum = 0;
        for (let y = 0; y < EMPTY; y++) {
          for (let x = from; x < to; x++)
            sum += (((values[SIZE * y + x] as number) - flat(x, y)) / step) ** 2;
        }
        return Math.sqrt(sum / (EMPTY * (to - from)));
      };
      const before = bumps(given, 0, SIZE);
      expect(before).toBeGreaterThan(0.1);
      // The back surface does not change the front one. Beside the front surface, the back one is pulled forward by at
      // most a step.
      expect(bumps(smooth, 0, BEHIND)).toBeLessThan(before / 10);
      expect(bumps(smooth, BEHIND + 16, SIZE)).toBeLessThan(before / 10);
      for (let y = 0; y < EMPTY; y++) {
        const edge = SIZE * y + BEHIND;
        expect(((smooth[edge] as number) - (smooth[edge - 1] as number)) / step).toBeGreaterThan(1.8);
      }
      expect(smooth.subarray(SIZE * EMPTY).every((value) => value === NOTHING)).toBe(true);
    },
    SHARED,
  );
});
