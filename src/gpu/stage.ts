/** Stages are named pieces of a compute pass. They are recorded as one pass, or timed one by one. */

export interface Stage {
  readonly name: string;
  readonly encode: (pass: GPUComputePassEncoder) => void;
}

/** Records all stages in one pass; its dispatches are ordered and synchronised. */
export function encodeStages(encoder: GPUCommandEncoder, label: string, stages: readonly Stage[]): void {
  const pass = encoder.beginComputePass({ label });
  for (const stage of stages) stage.encode(pass);
  pass.end();
}
