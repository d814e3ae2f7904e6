// Copies an array, to measure the bandwidth. Neighbouring threads copy neighbouring vectors.

@group(0) @binding(0) var<storage, read_write> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_words: array<vec4u>;

@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var round = 0u; round < 4u; round++) {
    let index = (workgroup.x * 4u + round) * 256u + thread;
    if (index < arrayLength(&source)) {
      target_words[index] = source[index];
    }
  }
}
