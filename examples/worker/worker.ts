/** Simulates 10,000 discs and draws them on the canvas that the page sends. */
import { createSimulation, requestGpu } from 'cellstorm';

const COUNT = 10_000;
const WIDTH = 160;
const HEIGHT = 90;

async function start(canvas: OffscreenCanvas): Promise<void> {
  const positions = new Float32Array(2 * COUNT);
  for (let i = 0; i < COUNT; i++) {
    positions[2 * i] = 1 + 1.05 * (i % 150) + 0.04 * Math.random();
    positions[2 * i + 1] = 10 + 1.05 * Math.floor(i / 150);
  }
  const gpu = await requestGpu({ particles: COUNT, dimensions: 2 });
  const { device } = gpu;
  const simulation = await createSimulation(gpu, {
    dimensions: 2,
    radius: 0.5,
    min: [0, 0],
    max: [WIDTH, HEIGHT],
    positions,
    gravity: [0, -30],
  });
  const context = canvas.getContext('webgpu') as GPUCanvasContext;
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format });
  const clearValue = [0.06, 0.08, 0.1, 1];
  const module = device.createShaderModule({
    code: `
      struct Corner { @builtin(position) clip: vec4f, @location(0) offset: vec2f }

      @vertex fn corner(@builtin(vertex_index) index: u32, @location(0) position: vec2f) -> Corner {
        let offset = 2.0 * vec2f(vec2u(index & 1u, index >> 1u)) - 1.0;
        return Corner(vec4f(2.0 * (position + 0.5 * offset) / vec2f(${WIDTH}, ${HEIGHT}) - 1.0, 0.0, 1.0), offset);
      }

      @fragment fn shade(corner: Corner) -> @location(0) vec4f {
        if (length(corner.offset) > 1.0) { discard; }
        return vec4f(0.9, 0.55, 0.25, 1.0);
      }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [
        {
          arrayStride: 8,
          stepMode: 'instance',
          attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }],
        },
      ],
    },
    fragment: { module, targets: [{ format }] },
    primitive: { topology: 'triangle-strip' },
  });

  let steps = 0;
  const frame = (): void => {
    const encoder = device.createCommandEncoder();
    simulation.encodeStep(encoder, 1 / 60);
    const view = context.getCurrentTexture().createView();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view, clearValue, loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setVertexBuffer(0, simulation.buffers.positions);
    pass.draw(4, simulation.count);
    pass.end();
    device.queue.submit([encoder.finish()]);
    steps++;
    self.postMessage({ steps });
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

self.onmessage = ({ data }: MessageEvent<{ canvas: OffscreenCanvas }>) => {
  start(data.canvas).catch((error: Error) => self.postMessage({ error: error.message }));
};
