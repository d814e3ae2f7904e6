import cellsText from '../../../shaders/draw/cells.wgsl?raw';
import linesText from '../../../shaders/draw/lines.wgsl?raw';
import overlayText from '../../../shaders/draw/overlay.wgsl?raw';
import heatText from '../../../shaders/page/heat.wgsl?raw';
import pairText from '../../../shaders/page/pair_lines.wgsl?raw';
import { type Bindings, type DeclaredLayout, declareLayout } from '../../gpu/bindings';
import type { KernelDescription } from '../../gpu/kernel';
import type { ShaderSource } from '../../gpu/link';
import { compileShader } from '../../gpu/shader-module';
import type { World } from '../../index';
import {
  bodyFlags,
  finerBinding,
  neighbourModules,
  shapeModules,
  type Variant,
  worldFlags,
  worldModules,
  worldName,
} from '../../passes/modules';
import { COLOUR_STOPS } from '../model/colour';
import {
  CANDIDATE_WIDTH,
  CASING,
  CONTACT_WIDTH,
  DASH,
  HEAT_OPACITY,
  LEAP_OPACITY,
  LINE_OPACITY,
  MOST_EACH,
  NARROWEST_CELL,
  THREAD_WIDTH,
  WIDE_CELL,
} from '../model/overlay-look';

export const HEAT_FIELDS = { counters: 'extent', cells: 'extent', shift: 'u32' } as const;

export const CONSTANTS = {
  NARROWEST_CELL,
  WIDE_CELL,
  FAINTEST_LINE: LINE_OPACITY[0],
  DARKEST_LINE: LINE_OPACITY[1],
  FAINTEST_HEAT: HEAT_OPACITY[0],
  DARKEST_HEAT: HEAT_OPACITY[1],
  LEAP_OPACITY,
  CASING,
  THREAD_WIDTH,
  CANDIDATE_WIDTH,
  CONTACT_WIDTH,
  DASH,
  STOPS: COLOUR_STOPS,
} as const;

export const SOURCES = {
  overlay: { name: 'draw/overlay.wgsl', text: overlayText },
  cells: { name: 'draw/cells.wgsl', text: cellsText },
  lines: { name: 'draw/lines.wgsl', text: linesText },
} as const satisfies Record<string, ShaderSource>;

export interface OverlayPicture {
  readonly format: GPUTextureFormat;
  readonly samples: number;
  readonly isSoftware: boolean;
  readonly depthFormat: GPUTextureFormat;
  readonly blend: GPUBlendState;
  readonly frameSource: ShaderSource;
  readonly frame: DeclaredLayout;
}

/** `heat` counts particles; `tally` and `fill` list pairs. */
export function describeOverlayKernels(variant: Variant): {
  readonly heat: KernelDescription;
  readonly tally: KernelDescription;
  readonly fill: KernelDescription;
} {
  const { dimensions, levels = 0 } = variant;
  // Every pair in adjacent cells is a candidate, so the loop must not skip cells out of reach.
  const wholeBlocks = { ...variant, crowds: false, wholeBlocks: levels > 0 };
  const pairs = (isFill: boolean): KernelDescription => ({
    label: `page.pair-lines.${isFill ? 'fill' : 'tally'}${worldName(wholeBlocks)}`,
    dimensions,
    sources: [
      ...neighbourModules(wholeBlocks, 'grid'),
      ...shapeModules(variant),
      { name: 'page/pair_lines.wgsl', text: pairText },
    ],
    entryPoint: 'list_pairs',
    bindings: {
      view: 'uniform View',
      position_in: 'read array<PackedBody>',
      start: 'read array<u32>',
      cell_of_slot: 'read array<Cell>',
      ...(isFill
        ? { offsets: 'read array<u32>', pairs: 'write array<vec2u>', drawn: 'write array<atomic<u32>>' }
        : { tallies: 'write array<u32>' }),
      ...finerBinding(variant),
    },
    flags: { ...worldFlags(wholeBlocks), FILL: isFill },
    constants: { MOST_EACH },
  });
  return {
    heat: {
      label: `page.heat${worldName({ ...variant, wholeBlocks: false })}`,
      dimensions,
      sources: [...worldModules(variant), { name: 'page/heat.wgsl', text: heatText }],
      entryPoint: 'count_heat',
      bindings: {
        heat: 'uniform Heat',
        position_in: 'read array<PackedBody>',
        counts: 'write array<atomic<u32>>',
      },
      flags: { ...worldFlags(variant), ALL_LEVELS: true },
    },
    tally: pairs(false),
    fill: pairs(true),
  };
}

export interface OverlayPipelines {
  readonly faces: GPURenderPipeline;
  readonly thread: GPURenderPipeline;
  readonly pairs: GPURenderPipeline;
}

export interface OverlayLayouts {
  readonly faces: DeclaredLayout;
  readonly lines: DeclaredLayout;
}

export function createLayouts(device: GPUDevice): OverlayLayouts {
  const layout = (label: string, bindings: Bindings) =>
    declareLayout(device, `draw.overlay.${label}`, { overlay: 'uniform Overlay', ...bindings });
  return {
    faces: layout('faces', { heat: 'read array<u32>' }),
    lines: layout('lines', { position: 'read array<PackedBody>', pairs: 'read array<vec2u>' }),
  };
}

export async function createOverlayPipelines(
  device: GPUDevice,
  { dimensions, kind, levels, boxes }: Pick<World, 'dimensions' | 'kind' | 'levels' | 'boxes'>,
  { format, samples, depthFormat, blend, frameSource, frame }: OverlayPicture,
  layouts = createLayouts(device),
): Promise<OverlayPipelines> {
  const flags = { ...bodyFlags({ levels, boxes }), WRAPS: kind === 'periodic' };
  const compile = (name: 'cells' | 'lines', own: DeclaredLayout) =>
    compileShader(device, `draw.${name}`, {
      dimensions,
      layouts: [frame, own],
      sources: [frameSource, SOURCES.overlay, SOURCES[name]],
      flags,
      constants: CONSTANTS,
    });
  const [cells, lines] = await Promise.all([
    compile('cells', layouts.faces),
    compile('lines', layouts.lines),
  ]);
  const create = (
    label: string,
    module: GPUShaderModule,
    own: DeclaredLayout,
    vertex: string,
    fragment: string,
  ) =>
    device.createRenderPipelineAsync({
      label: `draw.${label}.pipeline`,
      layout: device.createPipelineLayout({
        label: `draw.${label}.pipeline-layout`,
        bindGroupLayouts: [frame.layout, own.layout],
      }),
      vertex: { module, entryPoint: vertex },
      fragment: { module, entryPoint: fragment, targets: [{ format, blend }] },
      primitive: { topology: 'triangle-strip' },
      multisample: { count: dimensions === 3 ? samples : 1 },
      ...(dimensions === 3 && {
        depthStencil: { format: depthFormat, depthWriteEnabled: false, depthCompare: 'less-equal' } as const,
      }),
    });
  const [faces, thread, pairs] = await Promise.all([
    create('cells', cells, layouts.faces, 'face_vertex', 'face_fragment'),
    create('thread', lines, layouts.lines, 'thread_vertex', 'line_fragment'),
    create('pairs', lines, layouts.lines, 'pair_vertex', 'line_fragment'),
  ]);
  return { faces, thread, pairs };
}
