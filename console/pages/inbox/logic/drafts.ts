import { effect, signal } from '@preact/signals';
import type { Draft } from './types.ts';

const KEY = 'console.inbox.drafts';

/** Drafts that are kept; those that were changed last stay. */
const MOST = 50;

/** The filled-in fields, by item. They outlive going to another item, and reading the page again. */
export const drafts = signal<ReadonlyMap<string, Draft>>(stored());

function stored(): ReadonlyMap<string, Draft> {
  try {
    const entries: unknown = JSON.parse(globalThis.sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(entries) ? new Map(entries.filter(isEntry)) : new Map();
  } catch {
    return new Map();
  }
}

function isEntry(entry: unknown): entry is readonly [string, Draft] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'object';
}

effect(() => {
  try {
    globalThis.sessionStorage.setItem(KEY, JSON.stringify([...drafts.value]));
  } catch {
    // The browser keeps nothing, or has no room: the drafts hold for this page.
  }
});

/** The filled-in fields of an item. */
export const draftOf = (id: string): Draft => drafts.value.get(id) ?? {};

/** Changes some members of what is filled in for an item; with undefined, a member is untouched again. */
export function fillIn(
  id: string,
  change: { readonly [Name in keyof Draft]: Draft[Name] | undefined },
): void {
  // Members without a value are left out.
  const changed: Draft = JSON.parse(JSON.stringify({ ...draftOf(id), ...change }));
  const others = new Map([...drafts.value].filter(([other]) => other !== id).slice(1 - MOST));
  drafts.value = Object.keys(changed).length === 0 ? others : others.set(id, changed);
}

/** Forgets what was filled in for an item. */
export function forget(id: string): void {
  drafts.value = new Map([...drafts.value].filter(([other]) => other !== id));
}
