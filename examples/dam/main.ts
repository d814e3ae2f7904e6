/** A dam break of a FLIP fluid, drawn by this page from the fluid's particles. */
import { requestGpu } from 'cellstorm';
import { createFluid } from 'cellstorm/fluid';

const WIDTH = 2;
const HEIGHT = 1.125;
const CELL = 1 / 64;

const gpu = await requestGpu({ particles: 30_000, dimensions: 2 });
const { device } = gpu;
const fluid = await createFluid(gpu, {
  dimensions: 2,
  cells: [WIDTH / CELL, HEIGHT / CELL],
  cellSize: CELL,
  fill: [{ min: [0, 0], max: [0.6, 0.9] }],
});
const { particles } = fluid;

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const context = canvas.getContext('webgpu') as GPUCanvasContext;
const format = navigator.gpu.getPreferredCanvasFormat();
context.configure({ device, format });
const clearValue = [0.06, 0.08, 0.1, 1];
const module = device.createShaderModule({
  code: `
    struct Corner { @builtin(position) clip: vec4f, @location(0) offset: vec2f, @location(1) speed: f32 }

    @vertex fn corner(@builtin(vertex_index) index: u32, @location(0) position: vec2f, @location(1) velocity: vec2f) -> Corner {
      let offset = 2.0 * vec2f(vec2u(index & 1u, index >> 1u)) - 1.0;
      let clip = 2.0 * (position + ${0.6 * CELL} * offset) / vec2f(${WIDTH}, ${HEIGHT}) - 1.0;
      return Corner(vec4f(clip, 0.0, 1.0), offset, length(velocity));
    }

    @fragment fn shade(corner: Corner) -> @location(0) vec4f {
      if (length(corner.offset) > 1.0) { discard; }
      return vec4f(mix(vec3f(0.1, 0.35, 0.8), vec3f(0.9, 0.97, 1.0), min(corner.speed / 5.0, 1.0)), 1.0);
    }`,
});
const perParticle = (shaderLocation: number): GPUVertexBufferLayout => ({
  arrayStride: 8,
  stepMode: 'instance',
  attributes: [{ shaderLocation, offset: 0, format: 'float32x2' }],
});
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module, buffers: [perParticle(0), perParticle(1)] },
  fragment: { module, targets: [{ format }] },
  primitive: { topology: 'triangle-strip' },
});

function frame(): void {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  const encoder = device.createCommandEncoder();
  fluid.encodeSubstep(encoder, 1 / 120);
  fluid.encodeSubstep(encoder, 1 / 120);
  const view = context.getCurrentTexture().createView();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, clearValue, loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, particles.buffers.positions);
  pass.setVertexBuffer(1, particles.buffers.velocities);
  pass.draw(4, particles.count);
  pass.end();
  device.queue.submit([encoder.finish()]);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
(document.querySelector('#status') as HTMLElement).textContent =
  `${particles.count} particles of a dam break.`;
