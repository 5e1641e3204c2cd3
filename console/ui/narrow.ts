import { signal } from '@preact/signals';

const query = globalThis.matchMedia('(max-width: 760px)');

/** True for a narrow window, as on a phone or with large letters. */
export const isNarrow = signal(query.matches);
query.addEventListener('change', () => {
  isNarrow.value = query.matches;
});
