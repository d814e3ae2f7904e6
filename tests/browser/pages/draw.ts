/** Purpose: runs in the page of engine.test.ts: one picture of space as hardware draws it, four samples a pixel. */
import { createSimulation } from '../../../src/engine/simulation';
import { requestGpu } from '../../../src/gpu/device';
import { SpaceCamera } from '../../../src/page/camera';
import { colourStops } from '../../../src/page/colour';
import { drawnOf, GpuView } from '../../../src/page/gpu-view';
import { NO_OVERLAYS } from '../../../src/page/overlays';
import { worldBox } from '../../../src/page/seen-box';
import { createScene, sceneOptions } from '../../../src/scenes';

const WHITE = [1, 1, 1] as const;
const OVERLAY_COLOURS = {
  cell: WHITE,
  heat: WHITE,
  first: WHITE,
  last: WHITE,
  candidate: WHITE,
  contact: WHITE,
  velocity: WHITE,
  casing: WHITE,
  solid: WHITE,
};

export async function drawSpheres(size: number, count: number): Promise<void> {
  const gpu = await requestGpu({ particles: count, dimensions: 3 });
  const view = new GpuView(gpu, 4);
  view.canvas.style.width = `${size}px`;
  view.canvas.style.display = 'block';
  document.body.append(view.canvas);
  const scene = createScene('packing', { dimensions: 3, count });
  const simulation = await createSimulation(gpu, sceneOptions(scene));
  await view.prepare(drawnOf(simulation, 'speed'));
  const viewport = {
    width: size,
    height: size,
    pixelRatio: 1,
    free: { x: 0, y: 0, width: size, height: size },
  };
  const frame = {
    box: worldBox(simulation.world),
    viewport,
    sight: new SpaceCamera().sight(simulation.world, viewport),
    theme: {
      isDark: true,
      background: [0, 0, 0] as const,
      surface: [0, 0, 0.2] as const,
      line: [0.5, 0.5, 0.5] as const,
      obstacle: [0.5, 0.5, 0.5] as const,
      stops: colourStops(true),
      overlay: OVERLAY_COLOURS,
    },
    scale: { by: 'speed' as const, end: 1 },
    overlays: NO_OVERLAYS,
    isSurface: false,
  };
  view.draw(simulation, frame, { values: undefined, births: undefined, obstacles: undefined });
  await gpu.device.queue.onSubmittedWorkDone();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
