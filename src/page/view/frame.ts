/** Packs a frame's uniforms (shaders/draw/frame.wgsl). */
import frameText from '../../../shaders/draw/frame.wgsl?raw';
import type { ShaderSource } from '../../gpu/link';
import { COLOUR_STOPS } from '../model/colour';
import { hidesLines, SPHERE_SHARE } from '../model/overlays';
import type { GpuSimulationView } from '../model/simulation-view';
import type { Frame } from './engine';

export const FRAME_SOURCE: ShaderSource = { name: 'draw/frame.wgsl', text: frameText };

/** The fields of `struct Frame`, in order, with their numbers of floats. */
const FRAME_FIELDS = {
  view: 16,
  projection: 16,
  background: 4,
  surface: 4,
  line: 4,
  obstacle: 4,
  origin: 4,
  lowest: 4,
  highest: 4,
  scale: 4,
  fog: 4,
  stops: 4 * COLOUR_STOPS,
} as const;

type FrameValues = Readonly<Record<keyof typeof FRAME_FIELDS, readonly number[] | Float32Array>>;

const FRAME_FLOATS = Object.values(FRAME_FIELDS).reduce<number>((sum, floats) => sum + floats, 0);

export const FRAME_BYTES = 4 * FRAME_FLOATS;

export const DEPTH_FORMAT = 'depth24plus';

const FLOOR_OPACITY = 0.8;
const THICKEST_FOG = 0.45;

export const BLEND: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};

export type Framed = Pick<GpuSimulationView, 'radius' | 'dimensions' | 'time'>;

export function packFrame(simulation: Framed, frame: Frame, samples: number): Float32Array<ArrayBuffer> {
  return pack(frameValues(simulation, frame, samples));
}

function frameValues(
  simulation: Framed,
  { box, camera, viewport, theme, scale, overlays }: Frame,
  samples: number,
): FrameValues {
  const { radius, dimensions, time } = simulation;
  const corner = (values: readonly number[]) => [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0];
  const share = dimensions === 3 && hidesLines(overlays) ? SPHERE_SHARE : 1;
  return {
    view: camera.view,
    projection: camera.projection,
    background: [...theme.background, 1],
    surface: [...theme.surface, dimensions === 2 ? 1 : FLOOR_OPACITY],
    line: [...theme.line, 1],
    obstacle: [...theme.obstacle, 1],
    origin: [...corner(camera.origin), 0],
    lowest: [...corner(box.min), share],
    highest: [...corner(box.max), 0],
    scale: [radius, camera.pixelsPerUnit * viewport.pixelRatio, 1 / scale.end, samples > 1 ? 0 : 0.5],
    fog: [camera.distance - 0.3 * camera.reach, camera.distance + 1.2 * camera.reach, THICKEST_FOG, time],
    stops: theme.stops.flatMap((stop) => [...stop, 1]),
  };
}

function pack(values: FrameValues): Float32Array<ArrayBuffer> {
  const packed = new Float32Array(FRAME_FLOATS);
  let offset = 0;
  for (const name of Object.keys(FRAME_FIELDS) as (keyof typeof FRAME_FIELDS)[]) {
    packed.set(values[name], offset);
    offset += FRAME_FIELDS[name];
  }
  return packed;
}
