import { computed, signal } from '@preact/signals';
import { hrefTo, type Place, parsePlace, type QueryValues } from './place.ts';

export { hrefTo, type QueryValues } from './place.ts';

const hash = signal(globalThis.location.hash);
globalThis.addEventListener('hashchange', () => {
  hash.value = globalThis.location.hash;
});

/** The present place. */
export const place = computed((): Place => parsePlace(hash.value));

/** Goes to a place, so that Back comes back; with `replace`, the place takes that of the present one. */
export function goTo(href: string, { replace = false } = {}): void {
  if (replace) globalThis.history.replaceState(null, '', href);
  else globalThis.location.hash = href;
  // The event comes later, perhaps after Back: it may never tell of this place.
  hash.value = globalThis.location.hash;
}

/** Changes some members of the query of the present place. */
export function setQuery(values: QueryValues, options: { replace?: boolean } = {}): void {
  const { path, query } = place.value;
  goTo(hrefTo(path, { ...Object.fromEntries(query), ...values }), options);
}
