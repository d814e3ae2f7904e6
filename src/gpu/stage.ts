/** A named piece of a compute pass: what is recorded as one pass, and timed piece by piece. */

export interface Stage {
  readonly name: string;
  readonly encode: (pass: GPUComputePassEncoder) => void;
}

/** All of them in one pass: dispatches within a pass are ordered and synchronised. */
export function encodeStages(encoder: GPUCommandEncoder, label: string, stages: readonly Stage[]): void {
  const pass = encoder.beginComputePass({ label });
  for (const stage of stages) stage.encode(pass);
  pass.end();
}
