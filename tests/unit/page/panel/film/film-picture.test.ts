import { describe, expect, it } from 'vitest';
import { filmSize, placeInFilm } from '../../../../../src/page/panel/film/film-picture';

describe('a film', () => {
  it("has the canvas's size, rounded to even pixels and limited to what encoders accept", () => {
    expect(filmSize({ width: 801, height: 601 })).toEqual({ width: 800, height: 600 });
    expect(filmSize({ width: 5120, height: 2881 })).toEqual({ width: 2560, height: 1440 });
    expect(filmSize({ width: 1, height: 0 })).toEqual({ width: 2, height: 2 });
  });

  it('copies pictures of its own size pixel by pixel, and fits others inside', () => {
    const film = { width: 400, height: 300 };
    for (const [width, height] of [
      [400, 300],
      [401, 301],
    ] as const) {
      expect(placeInFilm({ width, height }, film)).toEqual({ x: 0, y: 0, width, height });
    }
    expect(placeInFilm({ width: 800, height: 300 }, film)).toEqual({ x: 0, y: 75, width: 400, height: 150 });
    expect(placeInFilm({ width: 200, height: 300 }, film)).toEqual({ x: 100, y: 0, width: 200, height: 300 });
    expect(placeInFilm({ width: 1, height: 1 }, { width: 2, height: 2 })).toMatchObject({
      width: 2,
      height: 2,
    });
  });
});
