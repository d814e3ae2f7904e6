import { expect, it } from 'vitest';
import { linkShader } from '../../../../src/gpu/link';
import { describeKernels } from '../../../../src/passes';
import { DIMENSIONS } from '../../../helpers/passes';

for (const dimensions of DIMENSIONS) {
  const tier = dimensions === 2 ? {} : { tags: 'full' };
  it(`obstacles appear in no kernel of a ${dimensions}D simulation without them`, tier, () => {
    // Kernels for paths can name obstacles as hits, but without obstacles such hits never occur.
    const kernels = describeKernels(dimensions).filter(({ label }) => !label.includes('.ccd.'));
    const [having, others] = [true, false].map((has) =>
      kernels.filter(({ label }) => label.split('.').includes('obstacles') === has),
    ) as [typeof kernels, typeof kernels];
    // Kernels with obstacles exist for each kind of world, with one radius, crowds, and variable radii.
    expect(having.length).toBeGreaterThan(80);
    for (const kernel of having) expect(linkShader(kernel).code).toContain('fn probe_obstacles(');
    for (const kernel of others) {
      // All kernels have the parameter for the first obstacle, but only some use it.
      const code = linkShader(kernel).code.replace(/\/\/.*|\n *first_obstacle: u32,/g, '');
      expect(code.toLowerCase(), kernel.label).not.toContain('obstacle');
    }
  });
}
