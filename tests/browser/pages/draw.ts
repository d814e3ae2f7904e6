/** Purpose: runs in the page of engine.test.ts: one picture of space as hardware draws it, four samples a pixel. */
import { createSimulation } from '../../../src/engine/simulation';
import { requestGpu } from '../../../src/gpu/device';
import { Orbit } from '../../../src/page/camera';
import { speedStops } from '../../../src/page/colour';
import { drawnOf, GpuView } from '../../../src/page/gpu-view';
import { createScene, sceneOptions } from '../../../src/scenes';

export async function drawSpheres(size: number, count: number): Promise<void> {
  const gpu = await requestGpu({ particles: count, dimensions: 3 });
  const view = new GpuView(gpu, 4);
  view.canvas.style.width = `${size}px`;
  view.canvas.style.display = 'block';
  document.body.append(view.canvas);
  const scene = createScene('packing', { dimensions: 3, count });
  const simulation = await createSimulation(gpu, sceneOptions(scene));
  await view.prepare(drawnOf(simulation));
  const viewport = {
    width: size,
    height: size,
    pixelRatio: 1,
    free: { x: 0, y: 0, width: size, height: size },
  };
  view.draw(simulation, {
    viewport,
    sight: new Orbit().sight(simulation.world, viewport),
    theme: {
      isDark: true,
      background: [0, 0, 0],
      surface: [0, 0, 0.2],
      line: [0.5, 0.5, 0.5],
      stops: speedStops(true),
    },
    speedScale: 1,
  });
  await gpu.device.queue.onSubmittedWorkDone();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
