export async function describeAdapter(): Promise<{ vendor: string; architecture: string } | undefined> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) return undefined;
  const { vendor, architecture } = adapter.info;
  return { vendor, architecture };
}

export async function paintCanvas(size: number, colour: [number, number, number]): Promise<void> {
  const device = await (await navigator.gpu.requestAdapter())?.requestDevice();
  if (device === undefined) throw new Error('There is no adapter.');
  const canvas = document.createElement('canvas');
  canvas.width = size;
  canvas.height = size;
  canvas.style.display = 'block';
  document.body.append(canvas);
  const context = canvas.getContext('webgpu');
  if (context === null) throw new Error('There is no WebGPU canvas.');
  context.configure({ device, format: navigator.gpu.getPreferredCanvasFormat(), alphaMode: 'opaque' });
  const encoder = device.createCommandEncoder();
  const view = context.getCurrentTexture().createView();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, clearValue: [...colour, 1], loadOp: 'clear', storeOp: 'store' }],
  });
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

export async function misuseGpu(): Promise<void> {
  const device = await (await navigator.gpu.requestAdapter())?.requestDevice();
  device?.createBuffer({ size: 4, usage: 0 });
  await device?.queue.onSubmittedWorkDone();
}
