import type { InboxItem } from '../../../domain/inbox/item.ts';

/** A copy of an item, which shares no object with it. Faster than `structuredClone`, by the bench `stores`. */
export function copyItem(item: InboxItem): InboxItem {
  const { reasons, subject, notes, resolution, payload, responseSchema } = item;
  return {
    ...item,
    reasons: [...reasons],
    subject: { ...subject },
    notes: notes.map((note) => ({ ...note })),
    resolution: resolution && structuredClone(resolution),
    payload: payload && structuredClone(payload),
    responseSchema: responseSchema && structuredClone(responseSchema),
  };
}
