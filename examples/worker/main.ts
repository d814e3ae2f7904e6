/** Hands the canvas to a worker, which simulates and draws. This thread stays free: the page's text keeps counting. */
const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const status = document.querySelector('#status') as HTMLElement;

canvas.width = canvas.clientWidth * devicePixelRatio;
canvas.height = canvas.clientHeight * devicePixelRatio;
const offscreen = canvas.transferControlToOffscreen();
const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
worker.postMessage({ canvas: offscreen }, [offscreen]);

let steps = 0;
worker.onmessage = ({ data }: MessageEvent<{ steps?: number; error?: string }>) => {
  if (data.error !== undefined) status.textContent = data.error;
  steps = data.steps ?? steps;
};
let frames = 0;
function frame(): void {
  frames++;
  if (steps > 0) status.textContent = `The worker took ${steps} steps; this thread counted ${frames} frames.`;
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
