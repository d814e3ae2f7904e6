// Computes the numbers of the conjugate gradients, in one workgroup, after the pass that STAGE names. Stops the solver
// if the residual is small enough, a product is not positive, or a step would be far too long. If so, the remaining
// dispatches have no workgroups. Twin: src/methods/fluid/reference/pressure.ts.
// Needs: solver, dispatches, WORKGROUP, PARTIALS, partials, STAGE, frame, MOST_STEP.

const AFTER_ASSEMBLE = 0u;
const AFTER_BEGIN = 1u;
const AFTER_DOT = 2u;
const AFTER_APPLY = 3u;
// Stage 4, which follows update.wgsl, is the last branch below.
const AT_END = 5u;

fn stop() {
  solver.done = 1u;
  for (var word = 0u; word < arrayLength(&dispatches); word++) {
    dispatches[word] = 0u;
  }
}

@compute @workgroup_size(WORKGROUP)
fn weigh(@builtin(local_invocation_index) thread: u32) {
  var own = vec4f();
  for (var index = thread; index < PARTIALS; index += WORKGROUP) {
    let one = partials[index];
    own = vec4f(own.xy + one.xy, max(own.z, one.z), 0.0);
  }
  gathered[thread] = own;
  workgroupBarrier();
  if (thread > 0u) {
    return;
  }
  var sum = vec4f();
  for (var index = 0u; index < WORKGROUP; index++) {
    let one = gathered[index];
    sum = vec4f(sum.xy + one.xy, max(sum.z, one.z), 0.0);
  }
  if (STAGE == AFTER_ASSEMBLE) {
    solver.mean = select(0.0, sum.x / sum.y, sum.z == 0.0 && sum.y > 0.0);
    solver.product = 0.0;
    solver.iterations = 0u;
    solver.done = 0u;
    solver.left = 0.0;
    return;
  }
  if (STAGE == AFTER_BEGIN) {
    solver.greatest = sum.z;
    if (sum.z == 0.0) {
      stop();
    } else {
      solver.left = 1.0;
    }
    return;
  }
  if (STAGE == AT_END) {
    solver.substeps += 1u;
    // Written as a negation, so that the test is also true for a NaN.
    if (!(solver.left <= frame.rules.w)) {
      solver.unconverged += 1u;
    }
    return;
  }
  if (solver.done != 0u) {
    return;
  }
  if (STAGE == AFTER_DOT) {
    solver.share = select(0.0, sum.x / solver.product, solver.product > 0.0);
    solver.product = sum.x;
    if (!(sum.x > 0.0)) {
      stop();
    }
  } else if (STAGE == AFTER_APPLY) {
    if (solver.product <= f32(MOST_STEP) * sum.x) {
      solver.step = solver.product / sum.x;
    } else {
      stop();
    }
  } else {
    solver.iterations += 1u;
    solver.left = sum.z / solver.greatest;
    if (solver.left <= frame.rules.w) {
      stop();
    }
  }
}

var<workgroup> gathered: array<vec4f, WORKGROUP>;
