/** Links and compiles shaders. Errors show the source lines. */
import { GpuError } from '../core/base/errors';
import { type LinkedShader, type LinkOptions, linkShader } from './link';

export async function compileShader(
  device: GPUDevice,
  label: string,
  options: LinkOptions,
): Promise<GPUShaderModule> {
  const linked = linkShader(options);
  const module = device.createShaderModule({ label: `${label}.module`, code: linked.code });
  await refuseErrors(label, module, linked);
  return module;
}

export async function refuseErrors(
  label: string,
  module: GPUShaderModule,
  linked: LinkedShader,
): Promise<void> {
  const { messages } = await module.getCompilationInfo();
  const errors = messages.filter((message) => message.type === 'error');
  if (errors.length === 0) return;
  const shown = errors.slice(0, 5).map((message) => {
    const source = linked.locate(message.lineNum);
    return `  ${source.file}:${source.line}:${message.linePos}: ${message.message}\n    ${source.text.trim()}`;
  });
  throw new GpuError('shader', `The shader of ${label} does not compile:\n${shown.join('\n')}`);
}
