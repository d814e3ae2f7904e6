/** Frames of a world. All colours but those of the colour scale are white, unless a test chooses others. */
import type { World } from '../../../src/core/world/world';
import { colourStops, type OverlayColours, type Rgb, type Theme } from '../../../src/page/model/colour';
import { NO_OVERLAYS, type Overlays } from '../../../src/page/model/overlays';
import { worldBox } from '../../../src/page/model/seen-box';
import { Camera2D } from '../../../src/page/view/camera';
import { Camera3D } from '../../../src/page/view/camera-3d';
import type { Frame } from '../../../src/page/view/engine';

const WHITE: Rgb = [1, 1, 1];

export function overlayColours(colour: Rgb): OverlayColours {
  return {
    cell: colour,
    heat: colour,
    first: colour,
    last: colour,
    candidate: colour,
    contact: colour,
    velocity: colour,
    casing: colour,
    solid: colour,
  };
}

export interface FrameWishes {
  readonly width: number;
  readonly height: number;
  /** Replaces colours. Components are sRGB, from 0 to 1. */
  readonly theme?: Partial<Theme>;
  readonly overlays?: Partial<Overlays>;
  readonly isSurface?: boolean;
  /** Magnification around the middle. */
  readonly zoom?: number;
}

export function frameOf(world: Pick<World, 'dimensions' | 'min' | 'max'>, wishes: FrameWishes): Frame {
  const { width, height, theme, overlays, isSurface = false, zoom = 1 } = wishes;
  const viewport = { width, height, pixelRatio: 1, free: { x: 0, y: 0, width, height } };
  const camera = world.dimensions === 2 ? new Camera2D() : new Camera3D();
  camera.matrices(world, viewport);
  camera.zoom(zoom, width / 2, height / 2);
  return {
    box: worldBox(world),
    viewport,
    camera: camera.matrices(world, viewport),
    theme: {
      isDark: true,
      background: WHITE,
      surface: WHITE,
      line: WHITE,
      obstacle: WHITE,
      stops: colourStops(true),
      overlay: overlayColours(WHITE),
      ...theme,
    },
    scale: { by: 'speed', end: 1 },
    overlays: { ...NO_OVERLAYS, ...overlays },
    isSurface,
  };
}
