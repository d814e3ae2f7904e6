import { describe, expect, it } from 'vitest';
import {
  type FunctionInfo,
  type StructInfo,
  type VariableInfo,
  WgslReflect,
} from 'wgsl_reflect/wgsl_reflect.module.js';
import {
  HEAVY_WORKGROUP_SIZE,
  LIST_COUNT_WORKGROUP_SIZE,
  MEASURE_WORKGROUP_SIZE,
  WORKGROUP_SIZE,
} from '../../../src/core/base/constants';
import { kindOf } from '../../../src/gpu/bindings';
import type { KernelDescription } from '../../../src/gpu/kernel';
import { defineStruct, type StructFields } from '../../../src/gpu/layout';
import { groupOf, linkShader } from '../../../src/gpu/link';
import { GRID_FIELDS, SUBSTEP_FIELDS } from '../../../src/gpu/params';
import { STROKE_FIELDS } from '../../../src/page/tools/brush';
import { ORIGIN_FIELDS } from '../../../src/page/view/occupied';
import { HEAT_FIELDS } from '../../../src/page/view/overlay-pipelines';
import { describeKernels } from '../../../src/passes';
import { SCAN_FIELDS, SCAN_SHAPES } from '../../../src/passes/grid/scan';
import { MEASURE_FIELDS } from '../../../src/passes/measure/measure';
import { BOXES_FIELDS } from '../../../src/passes/query/boxes';
import { CHUNKS_FIELDS } from '../../../src/passes/query/chunks';
import { NEAR_FIELDS } from '../../../src/passes/query/near';
import { NEAREST_FIELDS } from '../../../src/passes/query/nearest';
import { RAYS_FIELDS } from '../../../src/passes/query/rays';
import { RADIX_FIELDS } from '../../../src/passes/sort/radix';
import { describePageKernels } from '../../helpers/page-kernels';

/** Every device has these default limits of WebGPU. */
const MOST_STORAGE_BUFFERS = 8;
const MOST_WORKGROUP_BYTES = 16 * 1024;
const MOST_INVOCATIONS = 256;

/** The host's fields of each uniform struct, by the struct's WGSL name. */
const STRUCTS: Readonly<Record<string, StructFields>> = {
  Grid: GRID_FIELDS,
  Substep: SUBSTEP_FIELDS,
  Scan: SCAN_FIELDS,
  Measure: MEASURE_FIELDS,
  Near: NEAR_FIELDS,
  Nearest: NEAREST_FIELDS,
  Boxes: BOXES_FIELDS,
  Chunks: CHUNKS_FIELDS,
  Rays: RAYS_FIELDS,
  Radix: RADIX_FIELDS,
  Stroke: STROKE_FIELDS,
  Heat: HEAT_FIELDS,
  Origin: ORIGIN_FIELDS,
};

const SCAN = ['SCAN_THREADS', SCAN_SHAPES.gpu.threads] as const;
const ONE = ['LIST_COUNT_WORKGROUP_SIZE', LIST_COUNT_WORKGROUP_SIZE] as const;
/**
 * Constant and value of @workgroup_size, by entry point. All others have WORKGROUP_SIZE, but `still` and `meet` have
 * HEAVY_WORKGROUP_SIZE with variable radii.
 */
const WORKGROUPS: Readonly<Record<string, readonly [string, number]>> = {
  reduce: SCAN,
  apply: SCAN,
  clear: ONE,
  clear_finer: ONE,
  settle_levels: ONE,
  close: ONE,
  count_list: ONE,
  begin: ONE,
  reset: ONE,
  plan: ONE,
  next: ONE,
  each_heavy: ['HEAVY_WORKGROUP_SIZE', HEAVY_WORKGROUP_SIZE],
  measure_state: ['MEASURE_WORKGROUP_SIZE', MEASURE_WORKGROUP_SIZE],
};

const SHARED_PARAMETERS = [
  { name: 'grid', group: 0, binding: 0, kind: 'uniform' },
  { name: 'substep', group: 0, binding: 1, kind: 'uniform' },
];

interface Reflected {
  readonly description: KernelDescription;
  readonly code: string;
  readonly entry: FunctionInfo;
  readonly uniforms: readonly VariableInfo[];
  readonly storage: readonly VariableInfo[];
  readonly structs: readonly StructInfo[];
}

const uniformNames = new Map<KernelDescription, readonly string[]>();

function reflect(description: KernelDescription): Reflected {
  const { code } = linkShader(description);
  const { entry, uniforms, storage, structs } = new WgslReflect(declarationsOf(code));
  const found = entry.compute.find(({ name }) => name === description.entryPoint);
  if (!found) throw new Error(`${description.label} has no entry point ${description.entryPoint}.`);
  uniformNames.set(
    description,
    uniforms.map(({ type }) => type.name),
  );
  return { description, code, entry: found, uniforms, storage, structs };
}

/** Empties the bodies of functions, because in them wgsl_reflect 1.6.0 takes names such as `workgroup` for keywords. */
function declarationsOf(code: string): string {
  let text = '';
  let depth = 0;
  let inFunction = false;
  for (const part of code.replace(/\/\/.*/g, '').split(/(\bfn\b|[{}])/)) {
    if (part === 'fn') inFunction = true;
    if (inFunction && part === '{') depth++;
    if (depth === 0) text += part;
    if (!inFunction || part !== '}') continue;
    depth--;
    if (depth > 0) continue;
    text += '{}';
    inFunction = false;
  }
  return text;
}

function workgroupBytes(code: string, structs: readonly StructInfo[]): number {
  const constants = new Map(
    [...code.matchAll(/^const (\w+) = (\d+)u;/gm)].map(([, name, value]) => [name, Number(value)]),
  );
  const aliases = new Map(
    [...code.matchAll(/^alias (\w+) = (.+);$/gm)].map(([, name, type]) => [name, type]),
  );
  const sizes: Readonly<Record<string, number>> = {
    u32: 4,
    'atomic<u32>': 4,
    f32: 4,
    vec2f: 8,
    vec2u: 8,
    vec2i: 8,
    // The size includes the padding of an array element.
    vec3i: 16,
    vec4f: 16,
    vec4i: 16,
    vec4u: 16,
  };
  const sizeOf = (type: string): number => {
    const array = /^array<(.*), (\w+)>$/.exec(type);
    if (array) return sizeOf(array[1] as string) * (constants.get(array[2]) ?? Number.NaN);
    const alias = aliases.get(type);
    if (alias) return sizeOf(alias);
    return sizes[type] ?? structs.find(({ name }) => name === type)?.size ?? Number.NaN;
  };
  return [...code.matchAll(/^var<workgroup> \w+: (.*);$/gm)].reduce(
    (sum, [, type]) => sum + sizeOf(type as string),
    0,
  );
}

const kernels = ([2, 3] as const).flatMap((dimensions) => [
  ...describeKernels(dimensions),
  // The page packs struct View itself, because it holds a matrix.
  ...describePageKernels(dimensions).filter(({ bindings }) => !('view' in bindings)),
]);

it('each kernel is described once', () => {
  for (const dimensions of [2, 3] as const) {
    const labels = describeKernels(dimensions).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  }
});

describe.each(kernels.map((kernel) => [`${kernel.label} in ${kernel.dimensions}D`, kernel] as const))(
  '%s',
  (_, kernel) => {
    const { description, code, entry, uniforms, storage, structs } = reflect(kernel);
    const { dimensions } = description;

    it('declares the bindings of its description: names, indices and kinds', () => {
      const kindOfVariable = (variable: VariableInfo) =>
        variable.access === 'read_write' ? 'write' : variable.access === 'read' ? 'read' : variable.access;
      const declared = [
        ...uniforms.map((variable) => [variable, 'uniform'] as const),
        ...storage.map((variable) => [variable, kindOfVariable(variable)] as const),
      ].map(([{ name, group, binding }, kind]) => ({ name, group, binding, kind }));
      const expected = [
        ...(description.standalone ? [] : SHARED_PARAMETERS),
        ...Object.entries(description.bindings).map(([name, declared], binding) => {
          const kind = kindOf(declared);
          // A slot of the parameter ring is a uniform in the shader.
          return {
            name,
            group: groupOf(description),
            binding,
            kind: kind === 'parameters' ? 'uniform' : kind,
          };
        }),
      ];
      const ordered = declared.sort((a, b) => a.group - b.group || a.binding - b.binding);
      expect(ordered).toEqual(expected);
    });

    it('has uniform structs with the same offsets and sizes as the host', () => {
      for (const { name, type } of uniforms) {
        const struct = type as StructInfo;
        const fields = STRUCTS[struct.name];
        if (!fields) throw new Error(`The host has no layout for ${name}: ${struct.name}.`);
        const layout = defineStruct(dimensions, fields);
        const types = {
          f32: 'f32',
          u32: 'u32',
          vector: `vec${dimensions}f`,
          extent: `vec${dimensions}u`,
          table: 'array',
        };
        expect(
          struct.members.map((member) => [member.name, member.offset, member.type.name]),
          struct.name,
        ).toEqual(Object.entries(fields).map(([field, kind]) => [field, layout.offsets[field], types[kind]]));
        expect(type.size, struct.name).toBe(layout.size);
      }
    });

    it('has the workgroup size that the host dispatches with', () => {
      const sharesPaths =
        description.flags?.VARIABLE_RADII === true && /^(still|meet)$/.test(description.entryPoint);
      const named = sharesPaths ? 'each_heavy' : description.entryPoint;
      const [constant, usual] = WORKGROUPS[named] ?? ['WORKGROUP_SIZE', WORKGROUP_SIZE];
      const value = description.constants?.[constant] ?? usual;
      const attribute = entry.attributes?.find(({ name }) => name === 'workgroup_size');
      expect(attribute?.value).toBe(constant);
      expect(code).toMatch(new RegExp(`^const ${constant} = ${value}u;$`, 'm'));
      expect(value).toBeLessThanOrEqual(MOST_INVOCATIONS);
      // A tile holds one position per thread.
      if (code.includes('tile_positions'))
        expect(code).toMatch(new RegExp(`^const TILE_SIZE = ${value}u;$`, 'm'));
    });

    it('stays within the limits that every device has', () => {
      expect(storage.length).toBeLessThanOrEqual(MOST_STORAGE_BUFFERS);
      const bytes = workgroupBytes(code, structs);
      expect(bytes).toBeLessThanOrEqual(MOST_WORKGROUP_BYTES);
      expect(bytes > 0).toBe(code.includes('var<workgroup>'));
    });
  },
);

it('every uniform struct of the host is used in some kernel', () => {
  const seen = kernels.flatMap((kernel) => uniformNames.get(kernel));
  expect(new Set(seen)).toEqual(new Set(Object.keys(STRUCTS)));
});
