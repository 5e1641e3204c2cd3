import { describe, expect, test } from 'vitest';
import { fitCamera, reveal, toDrawing, zoom } from '../../console/graph/layout/camera.ts';
import { fitText } from '../../console/graph/layout/fit-text.ts';
import { layOut, pathOf } from '../../console/graph/layout/layout.ts';
import type { Link } from '../../console/graph/layout/links.ts';
import { keepApart } from '../../console/graph/layout/place.ts';
import { walk } from '../../console/graph/layout/walk.ts';

const size = { width: 184, height: 66 };

describe('the layout of a graph', () => {
  test('has a column for each layer, and no node on another', () => {
    const layers = [0, 0, 1, 1, 1, 2];
    const links: Link[] = [
      [0, 2],
      [1, 3],
      [1, 4],
      [2, 5],
      [4, 5],
    ];
    const { corners, width, height } = layOut(layers, links, size);
    for (const [one, a] of corners.entries()) {
      expect(a.x === corners[0]?.x).toBe(layers[one] === 0);
      expect(a.x >= 0 && a.y >= 0 && a.x + size.width <= width && a.y + size.height <= height).toBe(true);
      for (const b of corners.slice(one + 1)) {
        expect(Math.abs(a.x - b.x) >= size.width || Math.abs(a.y - b.y) >= size.height).toBe(true);
      }
    }
  });

  test('puts a chain on one line, and takes crossings out', () => {
    const chain = layOut(
      [0, 1, 2],
      [
        [0, 1],
        [1, 2],
      ],
      size,
    );
    expect(new Set(chain.corners.map(({ y }) => y)).size).toBe(1);
    const crossed = layOut(
      [0, 0, 1, 1],
      [
        [0, 3],
        [1, 2],
      ],
      size,
    ).corners.map(({ y }) => y);
    expect(Math.sign((crossed[0] ?? 0) - (crossed[1] ?? 0))).toBe(
      Math.sign((crossed[3] ?? 0) - (crossed[2] ?? 0)),
    );
  });

  test('leads an edge over several layers around the nodes between', () => {
    const { corners, routes } = layOut(
      [0, 1, 2],
      [
        [0, 1],
        [1, 2],
        [0, 2],
      ],
      size,
    );
    const between = corners[1] ?? { x: 0, y: 0 };
    const long = routes.find(({ from, to }) => from === 0 && to === 2);
    const passing = long?.points.filter(({ x }) => x >= between.x && x <= between.x + size.width) ?? [];
    expect(passing).toHaveLength(2);
    for (const { y } of passing) expect(y < between.y || y > between.y + size.height).toBe(true);
    expect(long && pathOf(long)).toMatch(/^M[\d.]+ [\d.]+C/);
  });

  test('breaks a very long layer into several columns, and is the same each time', () => {
    const layers = [0, ...new Array<number>(2_000).fill(1), 2];
    const links = Array.from({ length: 2_000 }, (_, index): Link => [0, index + 1]);
    const { width, height, corners } = layOut(layers, links, size);
    expect(height).toBeLessThan(4 * width);
    expect(new Set(corners.map(({ x, y }) => `${x} ${y}`)).size).toBe(2_002);
    expect(layOut(layers, links, size).corners).toEqual(corners);
  });

  test('stays small for ten thousand steps with thirty thousand dependencies', () => {
    const layers = Array.from({ length: 10_000 }, (_, index) => Math.floor(index / 100));
    const links = layers.flatMap((layer, index): Link[] =>
      layer === 0
        ? []
        : [7, 31, 63].map((shift): Link => [(layer - 1) * 100 + ((index * shift) % 100), index]),
    );
    const { corners, routes } = layOut(layers, links, size);
    expect(corners).toHaveLength(10_000);
    expect(routes).toHaveLength(links.length);
  });

  test('of a link that leads nowhere is an error and no wrong picture', () => {
    expect(() => layOut([0, 1], [[0, 2]], size)).toThrow(RangeError);
    expect(() => layOut([0], [[0, 1]], size)).toThrow(RangeError);
    expect(() => layOut([0, 1, 2], [[3, 2]], size)).toThrow(RangeError);
  });

  test('of nothing is empty', () => {
    expect(layOut([], [], size)).toMatchObject({ corners: [], routes: [], height: 0 });
  });
});

test('nodes that want one place stand side by side around it', () => {
  expect(keepApart([10, 10, 10], [0, 4, 8])).toEqual([6, 10, 14]);
  expect(keepApart([0, 100], [0, 4])).toEqual([0, 100]);
});

describe('the camera', () => {
  const window = { width: 800, height: 400 };

  test('shows all of a drawing, and no larger than it is', () => {
    expect(fitCamera({ width: 1_520, height: 100 }, window)).toMatchObject({ x: 20, scale: 0.5 });
    expect(fitCamera({ width: 10, height: 10 }, window).scale).toBe(1);
  });

  test('shows a part where all of it could not be read', () => {
    expect(fitCamera({ width: 1_520, height: 100 }, window, 0.8)).toMatchObject({ x: 20, scale: 0.8 });
    expect(fitCamera({ width: 1_085, height: 100 }, window, 0.8).scale).toBeCloseTo(0.7);
  });

  test('keeps the point under the pointer when it zooms', () => {
    const before = { x: 13, y: 40, scale: 0.7 };
    const at = { x: 200, y: 100 };
    const after = zoom(before, 1.4, at);
    const [was, is] = [toDrawing(before, at), toDrawing(after, at)];
    expect(is.x).toBeCloseTo(was.x);
    expect(is.y).toBeCloseTo(was.y);
    expect(after.scale).toBeCloseTo(0.98);
  });

  test('moves only for what is not seen', () => {
    const camera = { x: 0, y: 0, scale: 1 };
    expect(reveal(camera, { x: 100, y: 100 }, size, window)).toBe(camera);
    expect(reveal(camera, { x: 1_000, y: 100 }, size, window)).toMatchObject({ x: 800 - 20 - 1_184, y: 0 });
  });
});

test('keys lead along edges, else to the next column, and within a column', () => {
  const layout = layOut(
    [0, 0, 1, 1, 2],
    [
      [0, 3],
      [1, 2],
      [3, 4],
    ],
    size,
  );
  const upper = (layout.corners[0]?.y ?? 0) < (layout.corners[1]?.y ?? 0) ? 0 : 1;
  expect(walk(layout, 0, 'ArrowRight')).toBe(3);
  expect(walk(layout, 1, 'ArrowRight')).toBe(2);
  expect(walk(layout, 2, 'ArrowRight')).toBe(4);
  expect(walk(layout, 4, 'ArrowLeft')).toBe(3);
  expect(walk(layout, upper, 'ArrowDown')).toBe(1 - upper);
  expect(walk(layout, upper, 'ArrowUp')).toBe(upper);
  expect([walk(layout, 2, 'Home'), walk(layout, 2, 'End')]).toEqual([0, 4]);
});

test('a long text keeps both of its ends', () => {
  expect(fitText('order', 10)).toBe('order');
  const short = fitText('look_up_the_order_of_the_customer_0042', 12);
  expect(short).toMatch(/^look_.*….*42$/);
  expect(short.length).toBeLessThan(24);
  expect(fitText('x'.repeat(100_000), 12).length).toBeLessThan(24);
});
