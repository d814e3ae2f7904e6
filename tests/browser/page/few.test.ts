import { describe, expect } from 'vitest';
import { FIELDS } from '../../../src/page/model/fields';
import { browserTest, useBrowser } from '../../helpers/browser';
import { arrange, openPlayground, shownValue, stepTimes, textOf, waitForText } from '../playground';

describe('a run of two particles', () => {
  const browser = useBrowser();

  browserTest('starts and steps in every scene, alternately in 2D and 3D', { tags: 'full' }, async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { query: '?v=1&count=2&engine=cpu' });
    expect(await textOf(page, 'particles')).toBe('2');
    await waitForText(page, 'avoided-hint', /^Of n\(n − 1\)\/2 = 1 pair, 1 is a candidate\.$/);
    for (const [index, { value: scene }] of FIELDS.scene.options.entries()) {
      const dimensions = index % 2 === 0 ? 2 : 3;
      await arrange(page, { scene, dimensions, count: 2, engine: 'cpu' });
      await stepTimes(page, 1);
      const where = `${scene} in ${dimensions}D`;
      expect(await shownValue(page, 'count'), where).toBe('2');
      expect(await textOf(page, 'engine-note'), where).toBe('');
      // Tanks are filled by whole cells, so they may begin with more than two particles.
      expect(Number((await textOf(page, 'particles')).replace(',', '')), where).toBeGreaterThan(0);
    }
    expectNoProblems();
  });
});
