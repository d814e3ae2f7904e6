import { describe, expect, it } from 'vitest';
import { ArgumentError, Phrase } from '../../../../src/core/base/errors';
import { decodeCheckpoint, encodeCheckpoint, optionsOfState } from '../../../../src/core/state/state-file';
import { createCpuSimulation } from '../../../../src/cpu';
import { createScene, sceneOptions } from '../../../../src/scenes';

describe('state files', () => {
  const simulation = createCpuSimulation(sceneOptions(createScene('gas', { dimensions: 3, count: 20 })));
  const checkpoint = simulation.checkpoint();

  it('hold a checkpoint, and can be read from any kind of byte array', () => {
    const bytes = encodeCheckpoint(checkpoint);
    const shared = Buffer.concat([Buffer.from([1, 2, 3]), bytes]).subarray(3);
    for (const source of [bytes, Buffer.from(bytes), shared])
      expect(decodeCheckpoint(source)).toEqual(checkpoint);
  });

  it('hold the kind of world, and whether motion is continuous', () => {
    for (const [scene, kind] of [
      ['channel', { period: [5, 0] }],
      ['far-apart', { unbounded: true }],
      ['bullets', { continuous: true }],
    ] as const) {
      const options = sceneOptions(createScene(scene, { dimensions: 2, count: 4 }));
      const stored = decodeCheckpoint(encodeCheckpoint(createCpuSimulation(options).checkpoint()));
      expect(stored).toMatchObject(kind);
      expect(stored.unbounded).toBe(scene === 'far-apart' ? true : undefined);
    }
    for (const name of ['unbounded', 'continuous']) expect(Object.keys(checkpoint)).not.toContain(name);
  });

  it('hold the whole numbers of an exact simulation, which then goes on with the same bits', () => {
    const scene = createScene('obstacles', { dimensions: 2, count: 100 });
    const exact = createCpuSimulation(sceneOptions(scene, { exact: true }));
    for (let step = 0; step < 3; step++) exact.step(1 / 60);
    const saved = exact.checkpoint();
    const bytes = encodeCheckpoint(saved);
    const opened = decodeCheckpoint(bytes);
    expect(opened).toEqual(saved);
    const copy = createCpuSimulation(optionsOfState(opened));
    copy.restore(opened);
    for (const one of [exact, copy]) one.step(1 / 60);
    expect(copy.measure().hash).toBe(exact.measure().hash);
    expectRefused(
      encodeHeader(bytes, (json) => json.replace('"exactSteps":3', '"exactSteps":-1')),
      /exactSteps is left out or a whole number of at least 0, not -1/,
    );
  });

  it('hold loads of particles with their own radii, after the obstacles; older files have none', () => {
    const heap = createCpuSimulation({
      dimensions: 2,
      min: [0, 0],
      max: [8, 8],
      radii: new Float32Array([1, 0.25]),
      positions: new Float32Array([4, 1.5, 4, 0.25]),
      gravity: [0, -10],
      obstacles: { positions: new Float32Array([1, 1]), radii: new Float32Array([0.5]) },
    });
    for (let step = 0; step < 5; step++) heap.step(1 / 60);
    const saved = heap.checkpoint();
    expect(saved.loads?.[1]).toBeGreaterThan(1);
    const bytes = encodeCheckpoint(saved);
    expect(decodeCheckpoint(bytes)).toEqual(saved);
    expect(new Float32Array(bytes.slice(-8).buffer)).toEqual(saved.loads);
    const { loads: _, ...older } = saved;
    const opened = decodeCheckpoint(encodeCheckpoint(older));
    expect(opened).toEqual(older);
    expect(Object.keys(opened)).not.toContain('loads');
    heap.restore(opened);
    expect(heap.read().loads).toEqual(new Float32Array(2));
    // A file whose header promises loads is too short without them.
    expectRefused(
      encodeHeader(encodeCheckpoint(older), (json) => json.replace('{', '{"loads":true,')),
      /\d+ bytes long/,
    );
    expect(Object.keys(checkpoint)).not.toContain('loads');
  });

  it.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ['empty', () => new Uint8Array(0)],
    ['of another kind', (bytes) => bytes.fill(65, 0, 8)],
    ['cut short', (bytes) => bytes.subarray(0, bytes.length - 4)],
    ['damaged in the header', (bytes) => bytes.fill(65, 12, 20)],
  ])('are rejected if they are %s', (_, damage) => {
    expect(() => decodeCheckpoint(damage(encodeCheckpoint(checkpoint)))).toThrow(/^the state file is /);
  });

  function withHeader(change: (json: string) => string): Uint8Array {
    return encodeHeader(encodeCheckpoint(checkpoint), change);
  }

  function encodeHeader(bytes: Uint8Array, change: (json: string) => string): Uint8Array {
    const begin = 12 + new DataView(bytes.buffer).getUint32(8, true);
    const json = change(new TextDecoder().decode(bytes.subarray(12, begin)));
    const changed = Buffer.concat([bytes.subarray(0, 12), Buffer.from(json), bytes.subarray(begin)]);
    changed.writeUInt32LE(json.length, 8);
    return changed;
  }

  function withField(name: string, value: string): Uint8Array {
    return withHeader((json) => {
      // The header of this checkpoint lacks these fields.
      if (['unbounded', 'continuous', 'radiusRange', 'loads', 'scene'].includes(name))
        return json.replace('{', `{"${name}":${value},`);
      const changed = json.replace(
        new RegExp(`"${name}":(\\[.*?\\]|\\{.*?\\}|[^,}]+)`),
        `"${name}":${value}`,
      );
      expect(changed).not.toBe(json);
      return changed;
    });
  }

  it.each<[string, string, RegExp]>([
    ['count', '1e300', /field count is a whole number from 0 to 2147483647, not 1e\+300\.$/],
    ['count', '2147483648', /field count .* not 2147483648\.$/],
    ['count', '-1', /field count .* not -1\.$/],
    ['count', '0.5', /field count .* not 0\.5\.$/],
    ['count', '"20"', /field count .* not "20"\.$/],
    ['count', 'null', /field count .* not null\.$/],
    ['count', '2147483647', /^--from is broken\.bin .* must be \d+ bytes long, according to its header\.$/],
    ['unbounded', '1', /field unbounded is true or left out, not 1\.$/],
    ['unbounded', 'false', /field unbounded is true or left out, not false\.$/],
    ['continuous', '1', /field continuous is true or left out, not 1\.$/],
    ['loads', '1', /field loads is true or left out, not 1\.$/],
    ['loads', 'true', /one whose header has a radiusRange, since it has loads\.$/],
    ['radiusRange', 'null', /left out or has the numbers smallest and largest, not null\.$/],
    ['radiusRange', '7', /field radiusRange .* not 7\.$/],
    ['radiusRange', '{"smallest": 1}', /field radiusRange .* not an object\.$/],
    ['radiusRange', '{"smallest": "1", "largest": 2}', /field radiusRange .* not an object\.$/],
    ['radiusRange', '{"smallest": 1, "largest": 2}', /\d+ bytes long, according to its header/],
    ['scene', '7', /field scene is left out or a name of small letters, digits and hyphens, not 7\.$/],
    ['scene', '"\\u001b[31mred"', /field scene .* not "\\u001b\[31mred"\.$/],
    ['min', '[0, 0]', /field min is a list of 3 finite numbers, not a list of length 2\.$/],
    ['min', '[0, 0, "0"]', /3 finite numbers/],
    ['min', 'null', /3 finite numbers/],
    ['max', '7', /3 finite numbers/],
    ['max', '[1, 1, 1e999]', /3 finite numbers/],
    ['max', '{"length": 3}', /3 finite numbers/],
    ['dimensions', '2', /field min is a list of 2 finite numbers, not a list of length 3\.$/],
    ['dimensions', '4', /field dimensions is 2 or 3, not 4\.$/],
    ['version', '2', /a readable header of version 1/],
    ['settings', 'null', /field settings is an object, not null\.$/],
    ['settings', '"abc"', /field settings is an object, not "abc"\.$/],
    ['settings', '[]', /field settings is an object, not a list of length 0\.$/],
  ])('are rejected in one sentence if %s is %s', (name, value, accepted) => {
    const bytes = withField(name, value);
    expectRefused(bytes, accepted);
  });

  it.each<[string, (json: string) => string]>([
    ['null', () => 'null'],
    ['a number', () => '7'],
    ['an array', () => '[1]'],
    ['empty', () => ''],
    ['a list nested 60,000 deep', () => '['.repeat(60_000)],
  ])('are rejected if the header is %s', (_, change) => {
    expectRefused(withHeader(change), /a readable header of version 1/);
  });

  it('are rejected before reading if the header is too long', () => {
    const padded = (length: number) => withHeader((json) => json.padEnd(length));
    expect(decodeCheckpoint(padded(2 ** 16))).toEqual(checkpoint);
    expectRefused(padded(2 ** 16 + 1), /one whose header is at most 65536 bytes long\.$/);
  });

  it('ignore unknown fields of a header', () => {
    const more =
      '"obstacles":5,"radii":[1],"halfExtents":{},"ids":"none","method":"liquid","__proto__":{"a":1},';
    expect(decodeCheckpoint(withHeader((json) => json.replace('{', `{${more}`)))).toStrictEqual(checkpoint);
  });

  it('are rejected if the header would end after the end of the file', () => {
    const bytes = encodeCheckpoint(checkpoint);
    for (const length of [bytes.length - 11, 2 ** 32 - 1]) {
      new DataView(bytes.buffer).setUint32(8, length, true);
      expectRefused(bytes, new RegExp(`at least ${12 + length} bytes long, since its header ends there`));
    }
  });

  function expectRefused(bytes: Uint8Array, accepted: RegExp): void {
    const size = `broken.bin (${bytes.length} bytes)`;
    const attempt = () => decodeCheckpoint(bytes, '--from', new Phrase(size));
    expect(attempt).toThrow(ArgumentError);
    expect(attempt).toThrow(`--from is ${size}, but it must be `);
    expect(attempt).toThrow(accepted);
  }
});
