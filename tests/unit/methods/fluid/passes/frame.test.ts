import { describe, expect, test } from 'vitest';
import { type StructInfo, WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import { linkShader } from '../../../../../src/gpu/link';
import { createCpuFluid } from '../../../../../src/methods/fluid';
import type { FluidPlan } from '../../../../../src/methods/fluid/options';
import {
  encodeFrame,
  FRAME_BYTES,
  FRAME_OFFSETS,
  LEVEL_FIELDS,
} from '../../../../../src/methods/fluid/passes/frame';
import { describeFluidKernel } from '../../../../../src/methods/fluid/passes/kernel';
import { kernelSources } from '../../../../../src/methods/fluid/passes/kernels';

const DIMENSIONS = [2, 3] as const;

function frameOf(plan: FluidPlan, field: string, dt: number): Float32Array {
  const frame = encodeFrame({ plan, couplingSize: 1, grid: { cells: [6, 6] }, count: 0, dt, obstacles: [] });
  return new Float32Array(frame, new Map(FRAME_OFFSETS).get(field), 4);
}

describe('shaders of the fluid', () => {
  const sources = Object.values(kernelSources(true));

  test.each(DIMENSIONS)('declare the same uniforms in %dD as the host', (dimensions) => {
    const { structs } = new WgslReflect(
      linkShader(describeFluidKernel(dimensions, kernelSources(true).project)).code,
    );
    const fieldsOf = (name: string) =>
      structs.find((struct: StructInfo) => struct.name === name) as StructInfo;
    const offsets = (struct: StructInfo) => struct.members.map(({ name, offset }) => [name, offset]);
    expect(offsets(fieldsOf('Frame'))).toEqual(FRAME_OFFSETS);
    expect(offsets(fieldsOf('Level'))).toEqual(LEVEL_FIELDS.map((name, index) => [name, 16 * index]));
    expect(fieldsOf('Frame').size).toBe(FRAME_BYTES);
  });

  test('use no more storage buffers than every device supports', () => {
    for (const { name, bindings } of sources) {
      const storage = Object.values<string>(bindings).filter((kind) => /^(?:read|write) /.test(kind));
      expect(storage.length, name).toBeLessThanOrEqual(8);
    }
  });
});

test.each([
  [0, 0],
  [1e-50, 2 ** -126],
  [0.5, 0.5],
])('the uniforms store the restraint %f as %f', (restraint, expected) => {
  const { plan } = createCpuFluid({ dimensions: 2, cells: [4, 4], cellSize: 1, restraint });
  expect(frameOf(plan, 'gravity', 1 / 120)[3]).toBe(expected);
});
