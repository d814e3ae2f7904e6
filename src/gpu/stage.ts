/** A stage is a named part of a compute pass. Stages are recorded into one pass, or timed one by one. */

export interface Stage {
  readonly name: string;
  readonly encode: (pass: GPUComputePassEncoder) => void;
}

export function encodeStages(encoder: GPUCommandEncoder, label: string, stages: readonly Stage[]): void {
  const pass = encoder.beginComputePass({ label });
  for (const stage of stages) stage.encode(pass);
  pass.end();
}
