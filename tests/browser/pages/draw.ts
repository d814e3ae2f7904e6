/** Runs in the page of engine.test.ts: draws one 3D picture as on hardware, with four samples per pixel. */
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { requestGpu } from '../../../src/gpu/device';
import { drawnOf } from '../../../src/page/view/draw-pipelines';
import { GpuView } from '../../../src/page/view/gpu-view';
import { createScene, sceneOptions } from '../../../src/scenes';
import { frameOf } from '../../helpers/inputs/frames';

export async function drawSpheres(size: number, count: number): Promise<void> {
  const gpu = await requestGpu({ particles: count, dimensions: 3 });
  const view = new GpuView(gpu, 4);
  view.canvas.style.width = `${size}px`;
  view.canvas.style.display = 'block';
  document.body.append(view.canvas);
  const scene = createScene('packing', { dimensions: 3, count });
  const simulation = await createSimulation(gpu, sceneOptions(scene));
  await view.prepare(drawnOf(simulation, 'speed'));
  const frame = frameOf(simulation.world, {
    width: size,
    height: size,
    theme: {
      background: [0, 0, 0],
      surface: [0, 0, 0.2],
      line: [0.5, 0.5, 0.5],
      obstacle: [0.5, 0.5, 0.5],
    },
  });
  view.draw(simulation, frame, { values: undefined, births: undefined, obstacles: undefined });
  await gpu.device.queue.onSubmittedWorkDone();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
