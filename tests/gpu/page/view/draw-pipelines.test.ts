import { describe, expect } from 'vitest';
import { createLayouts, createPipelines } from '../../../../src/page/view/draw-pipelines';
import { gpuTest, SHARED } from '../../../helpers/node-gpu';
import { DIMENSIONS } from '../../../helpers/passes';

const SHADERS = {
  2: ['draw.box.module', 'draw.discs.module'],
  3: ['draw.box.module', 'draw.spheres.module'],
} as const;

const PIPELINES = {
  2: ['draw.surface.pipeline', 'draw.edges.pipeline', 'draw.discs.pipeline'],
  3: ['draw.surface.pipeline', 'draw.edges.pipeline', 'draw.spheres.pipeline'],
} as const;

describe.each(DIMENSIONS)('pictures in %dD', (dimensions) => {
  // A canvas may prefer either format. In 3D, a pixel has four samples on hardware, one on a software GPU.
  for (const format of ['bgra8unorm', 'rgba8unorm'] as const) {
    for (const [samples, kind, colour] of [
      [1, '', 'speed'],
      [4, '', 'value'],
      [4, ', with variable radii', 'age'],
      [1, ', with boxes', 'speed'],
      [4, ', with boxes', 'plain'],
    ] as const) {
      gpuTest(
        `have their pipelines, format: ${format}, samples: ${samples}, colour: ${colour}${kind}`,
        async (device) => {
          const modules: GPUShaderModule[] = [];
          const create = device.createShaderModule;
          device.createShaderModule = (descriptor) => {
            const module = create.call(device, descriptor);
            modules.push(module);
            return module;
          };
          const picture = { format, samples };
          const drawn = {
            dimensions,
            hasVariableRadii: kind !== '',
            hasBoxes: kind === ', with boxes',
            colour,
          };
          const pipelines = await createPipelines(device, drawn, picture, createLayouts(device)).finally(
            () => {
              device.createShaderModule = create;
            },
          );
          expect(Object.values(pipelines).map(({ label }) => label)).toEqual(PIPELINES[dimensions]);
          expect(modules.map(({ label }) => label)).toEqual(SHADERS[dimensions]);
          for (const module of modules) {
            const { messages } = await module.getCompilationInfo();
            expect(
              messages.map(({ message }) => message),
              module.label,
            ).toEqual([]);
          }
        },
        SHARED,
      );
    }
  }
});
