import { signal } from '@preact/signals';

/** The present time in milliseconds, changed each second while the page is seen. Ages and running times follow it. */
export const now = signal(Date.now());

/** Starts the clock. */
export function startNow(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  }, 1_000);
}
