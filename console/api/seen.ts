/** Milliseconds after which a page that nobody sees gives up its connections: browsers have six for one server. */
const HIDDEN_MS = 10_000;

/**
 * Reads a stream for as long as somebody sees the page: `read` is called when the page is seen, and its signal is
 * aborted when nobody has seen it for some seconds; it is called anew when somebody comes back. Resolves when `read`
 * has ended by itself, or when `leaving` is aborted.
 */
export async function readWhileSeen(
  read: (signal: AbortSignal, isAgain: boolean) => Promise<void>,
  leaving?: AbortSignal,
): Promise<void> {
  for (let isAgain = false; ; isAgain = true) {
    await untilSeen(leaving);
    if (leaving?.aborted) return;
    const hidden = whenHidden();
    const signal = leaving === undefined ? hidden.signal : AbortSignal.any([leaving, hidden.signal]);
    try {
      await read(signal, isAgain);
    } finally {
      hidden.stop();
    }
    if (!hidden.signal.aborted) return;
  }
}

/** Resolves when somebody sees the page, or `leaving` is aborted. */
function untilSeen(leaving: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.visibilityState !== 'visible' && leaving?.aborted !== true) return;
      document.removeEventListener('visibilitychange', check);
      leaving?.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    leaving?.addEventListener('abort', check);
    check();
  });
}

/** A signal that is aborted when nobody has seen the page for some seconds. */
function whenHidden(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = (): void => {
    clearTimeout(timer);
    if (document.visibilityState === 'hidden') timer = setTimeout(() => controller.abort(), HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', check);
  check();
  const stop = (): void => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', check);
  };
  return { signal: controller.signal, stop };
}
