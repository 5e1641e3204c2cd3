import type { WaterfallRow } from '../types.ts';

/**
 * The steps that decided how long the run takes: of each layer the one that ended last, or goes on, as the next layer
 * starts when all steps of a layer have ended. Steps that were not started are left out. Linear time.
 */
export function criticalPath(
  rows: readonly Pick<WaterfallRow, 'id' | 'layer' | 'from' | 'to'>[],
): ReadonlySet<string> {
  const lasts = new Map<number, { readonly id: string; readonly end: number }>();
  for (const { id, layer, from, to } of rows) {
    if (from === null) continue;
    const end = to ?? Number.POSITIVE_INFINITY;
    const last = lasts.get(layer);
    if (last === undefined || end > last.end) lasts.set(layer, { id, end });
  }
  return new Set([...lasts.values()].map(({ id }) => id));
}
