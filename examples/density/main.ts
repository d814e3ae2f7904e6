/**
 * A kernel of your own: WGSL that the grid calls for every pair of neighbours sums the density around each of 30,000
 * particles. The page colours each particle by its density. Move the pointer to stir.
 */
import { HashGrid, requestGpu } from 'cellstorm';

const COUNT = 30_000;
const WIDTH = 16;
const HEIGHT = 9;
const REACH = 0.2;

const positions = new Float32Array(2 * COUNT);
for (let i = 0; i < COUNT; i++) {
  // Three clouds, each densest in its middle.
  const angle = 2 * Math.PI * Math.random();
  const distance = (0.6 + 0.4 * (i % 3)) * Math.sqrt(-2 * Math.log(1 - Math.random()));
  positions[2 * i] = WIDTH * (0.25 + 0.25 * (i % 3)) + distance * Math.cos(angle);
  positions[2 * i + 1] = HEIGHT / 2 + distance * Math.sin(angle);
}

const gpu = await requestGpu({ particles: COUNT, dimensions: 2 });
const { device } = gpu;
const grid = await HashGrid.create(gpu, {
  dimensions: 2,
  min: [0, 0],
  max: [WIDTH, HEIGHT],
  diameter: REACH,
  capacity: COUNT,
});
const density = await grid.kernel({
  label: 'density',
  radius: REACH,
  code: `
    struct Own { density: f32 }

    fn begin(particle: Particle) -> Own { return Own(weight(0.0)); }

    fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
      (*own).density += weight(other.distance_squared);
    }

    fn finish(own: Own, particle: Particle) { densities[id_of(particle.slot)] = own.density; }

    fn weight(distance_squared: f32) -> f32 {
      let left = 1.0 - distance_squared / (parameters.reach * parameters.reach);
      return left * left * left;
    }`,
  buffers: { densities: { type: 'array<f32>', access: 'write' } },
  parameters: { reach: 'f32' },
});

const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST;
const positionBuffer = device.createBuffer({ label: 'positions', size: positions.byteLength, usage });
const densityBuffer = device.createBuffer({ label: 'densities', size: 4 * COUNT, usage });
device.queue.writeBuffer(positionBuffer, 0, positions);

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const context = canvas.getContext('webgpu') as GPUCanvasContext;
const format = navigator.gpu.getPreferredCanvasFormat();
context.configure({ device, format });
const clearValue = [0.06, 0.08, 0.1, 1];
const module = device.createShaderModule({
  code: `
    struct Corner { @builtin(position) clip: vec4f, @location(0) offset: vec2f, @location(1) density: f32 }

    @vertex fn corner(@builtin(vertex_index) index: u32, @location(0) position: vec2f, @location(1) density: f32) -> Corner {
      let offset = 2.0 * vec2f(vec2u(index & 1u, index >> 1u)) - 1.0;
      let clip = 2.0 * (position + 0.025 * offset) / vec2f(${WIDTH}, ${HEIGHT}) - 1.0;
      return Corner(vec4f(clip, 0.0, 1.0), offset, density);
    }

    @fragment fn shade(corner: Corner) -> @location(0) vec4f {
      if (length(corner.offset) > 1.0) { discard; }
      let dense = clamp(corner.density / 120.0, 0.0, 1.0);
      return vec4f(mix(vec3f(0.15, 0.3, 0.7), vec3f(1.0, 0.85, 0.4), dense), 1.0);
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
      {
        arrayStride: 4,
        stepMode: 'instance',
        attributes: [{ shaderLocation: 1, offset: 0, format: 'float32' }],
      },
    ],
  },
  fragment: { module, targets: [{ format }] },
  primitive: { topology: 'triangle-strip' },
});

canvas.onpointermove = ({ offsetX, offsetY }) => {
  const x = (WIDTH * offsetX) / canvas.clientWidth;
  const y = HEIGHT * (1 - offsetY / canvas.clientHeight);
  for (let i = 0; i < COUNT; i++) {
    const dx = (positions[2 * i] as number) - x;
    const dy = (positions[2 * i + 1] as number) - y;
    const near = Math.exp(-(dx * dx + dy * dy));
    positions[2 * i] = x + dx + 0.03 * near * dy;
    positions[2 * i + 1] = y + dy - 0.03 * near * dx;
  }
  device.queue.writeBuffer(positionBuffer, 0, positions);
};

function frame(): void {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  const encoder = device.createCommandEncoder();
  grid.encode(encoder, { positions: positionBuffer, count: COUNT });
  density.encode(encoder, { buffers: { densities: densityBuffer }, parameters: { reach: REACH } });
  const view = context.getCurrentTexture().createView();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, clearValue, loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, positionBuffer);
  pass.setVertexBuffer(1, densityBuffer);
  pass.draw(4, COUNT);
  pass.end();
  device.queue.submit([encoder.finish()]);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
(document.querySelector('#status') as HTMLElement).textContent =
  `${COUNT} particles, coloured by a kernel that sums the density around each.`;
