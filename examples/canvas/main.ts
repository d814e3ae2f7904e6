/** A pile of 20,000 discs on a canvas of your own, drawn from the simulation's GPU buffers without a copy. */
import { createSimulation, requestGpu } from 'cellstorm';

const COUNT = 20_000;
const [WIDTH, HEIGHT] = [240, 135];
const positions = new Float32Array(2 * COUNT);
for (let i = 0; i < COUNT; i++) {
  positions.set([1 + 1.05 * (i % 220) + 0.04 * Math.random(), 20 + 1.05 * Math.floor(i / 220)], 2 * i);
}
const gpu = await requestGpu({ particles: COUNT, dimensions: 2 });
const world = { min: [0, 0], max: [WIDTH, HEIGHT], gravity: [0, -30] };
const simulation = await createSimulation(gpu, { dimensions: 2, radius: 0.5, positions, ...world });

const { device } = gpu;
const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const context = canvas.getContext('webgpu') as GPUCanvasContext;
const format = navigator.gpu.getPreferredCanvasFormat();
context.configure({ device, format });

const module = device.createShaderModule({
  code: `
    struct Corner { @builtin(position) clip: vec4f, @location(0) offset: vec2f, @location(1) speed: f32 }

    @vertex fn corner(@builtin(vertex_index) i: u32, @location(0) position: vec2f, @location(1) velocity: vec2f) -> Corner {
      let offset = 2.0 * vec2f(vec2u(i & 1u, i >> 1u)) - 1.0;
      let clip = 2.0 * (position + 0.5 * offset) / vec2f(${WIDTH}, ${HEIGHT}) - 1.0;
      return Corner(vec4f(clip, 0.0, 1.0), offset, length(velocity));
    }

    @fragment fn shade(corner: Corner) -> @location(0) vec4f {
      if (length(corner.offset) > 1.0) { discard; }
      return vec4f(mix(vec3f(0.2, 0.5, 0.9), vec3f(1.0, 0.8, 0.3), min(corner.speed / 30.0, 1.0)), 1.0);
    }`,
});
const perDisc = (shaderLocation: number): GPUVertexBufferLayout => ({
  arrayStride: 8,
  stepMode: 'instance',
  attributes: [{ shaderLocation, offset: 0, format: 'float32x2' }],
});
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module, buffers: [perDisc(0), perDisc(1)] },
  fragment: { module, targets: [{ format }] },
  primitive: { topology: 'triangle-strip' },
});

function frame(): void {
  const encoder = device.createCommandEncoder();
  simulation.encodeStep(encoder, 1 / 60);
  const view = context.getCurrentTexture().createView();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, simulation.buffers.positions);
  pass.setVertexBuffer(1, simulation.buffers.velocities);
  pass.draw(4, simulation.count);
  pass.end();
  device.queue.submit([encoder.finish()]);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
