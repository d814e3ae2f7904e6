/**
 * 20,000 balls in three.js. Its WebGPURenderer uses the device of cellstorm. Each frame copies the positions on the GPU
 * into a buffer of three.js; nothing is read back. Drag to orbit.
 */
import { createSimulation, requestGpu } from 'cellstorm';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { instancedBufferAttribute, positionLocal, vec3 } from 'three/tsl';
import * as THREE from 'three/webgpu';

const COUNT = 20_000;
const SIDE = 32;

const positions = new Float32Array(3 * COUNT);
for (let i = 0; i < COUNT; i++) {
  const layer = Math.floor(i / 900);
  positions[3 * i] = 1 + (i % 30) + 0.3 * Math.random();
  positions[3 * i + 1] = 4 + 1.05 * layer;
  positions[3 * i + 2] = 1 + (Math.floor(i / 30) % 30) + 0.3 * Math.random();
}
const gpu = await requestGpu({ particles: COUNT, dimensions: 3 });
const simulation = await createSimulation(gpu, {
  dimensions: 3,
  radius: 0.5,
  min: [0, 0, 0],
  max: [SIDE, 2 * SIDE, SIDE],
  positions,
  gravity: [0, -30, 0],
});

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const renderer = new THREE.WebGPURenderer({ canvas, device: gpu.device, antialias: true });
await renderer.init();

// In 3D, cellstorm stores 4 numbers per position; with one radius for all, the fourth is unused.
const centres = new THREE.StorageInstancedBufferAttribute(COUNT, 4);
// Both methods are public in three.js, but its types do not list them.
const backend = renderer.backend as unknown as {
  createStorageAttribute(attribute: THREE.BufferAttribute): void;
  get(attribute: THREE.BufferAttribute): { buffer: GPUBuffer };
};
backend.createStorageAttribute(centres);
const { buffer } = backend.get(centres);

const material = new THREE.MeshStandardNodeMaterial({ color: 0x4a90e2, roughness: 0.5 });
material.positionNode = positionLocal.add(vec3(instancedBufferAttribute<'vec4'>(centres)));
const balls = new THREE.Mesh(new THREE.IcosahedronGeometry(0.5, 2), material);
balls.count = COUNT;
balls.frustumCulled = false;

const scene = new THREE.Scene();
scene.background = new THREE.Color(0x101418);
const sun = new THREE.DirectionalLight(0xffffff, 3);
sun.position.set(1, 2, 1.5);
scene.add(balls, sun, new THREE.HemisphereLight(0xbfd7ff, 0x202020, 1.5));
const camera = new THREE.PerspectiveCamera(45, 1, 0.1, 500);
camera.position.set(1.9 * SIDE, 1.3 * SIDE, 1.9 * SIDE);
const controls = new OrbitControls(camera, canvas);
controls.target.set(SIDE / 2, SIDE / 3, SIDE / 2);

renderer.setAnimationLoop(() => {
  const { clientWidth, clientHeight } = canvas;
  renderer.setSize(clientWidth, clientHeight, false);
  camera.aspect = clientWidth / clientHeight;
  camera.updateProjectionMatrix();
  controls.update();

  const encoder = gpu.device.createCommandEncoder();
  simulation.encodeStep(encoder, 1 / 60);
  encoder.copyBufferToBuffer(simulation.buffers.positions, 0, buffer, 0, 16 * COUNT);
  gpu.device.queue.submit([encoder.finish()]);
  renderer.render(scene, camera);
});
(document.querySelector('#status') as HTMLElement).textContent =
  `${COUNT} balls, drawn by three.js on the device of the simulation.`;
