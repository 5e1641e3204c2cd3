import type { Layout } from './layout.ts';

/** The keys that lead from one node to another. */
export type WalkKey = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End';

/** True for the keys that lead from one node to another. */
export const isWalkKey = (key: string): key is WalkKey =>
  /^(?:Arrow(?:Left|Right|Up|Down)|Home|End)$/.test(key);

/**
 * The node that a key leads to from another one: right and left along an edge to the nearest node, or where there is
 * none to the nearest node of the next column; up and down within the column; Home and End to the first and the last
 * node. The same node where nothing lies in that direction. Linear time.
 */
export function walk({ corners, routes }: Layout, from: number, key: WalkKey): number {
  if (key === 'Home') return 0;
  if (key === 'End') return corners.length - 1;
  const here = corners[from];
  if (here === undefined) return 0;
  const isLevel = key === 'ArrowLeft' || key === 'ArrowRight';
  const isForth = key === 'ArrowRight' || key === 'ArrowDown';
  const linked = new Set(
    isLevel
      ? routes.flatMap((route) => {
          if (isForth) return route.from === from ? [route.to] : [];
          return route.to === from ? [route.from] : [];
        })
      : [],
  );
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, { x, y }] of corners.entries()) {
    const along = (isLevel ? x - here.x : y - here.y) * (isForth ? 1 : -1);
    if (along <= 0 || (!isLevel && x !== here.x) || (linked.size > 0 && !linked.has(index))) continue;
    const aside = isLevel ? Math.abs(y - here.y) : 0;
    const distance = linked.size > 0 ? aside + along / 1_000 : along * 1_000 + aside;
    if (distance < least) {
      least = distance;
      best = index;
    }
  }
  return best;
}
