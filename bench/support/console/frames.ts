import type { Page } from 'playwright-core';

/** Milliseconds for which frames are counted. */
const MEASURED_MS = 2_000;

/**
 * Frames a second that a page draws while `act` is repeated, at most 60: headless Chromium draws no more. `act` moves
 * something that the page has to draw again.
 */
export async function framesPerSecond(page: Page, act: (step: number) => Promise<void>): Promise<number> {
  await page.evaluate(`globalThis.frames_ = 0; (function count() {
    globalThis.frames_++;
    globalThis.counting_ = requestAnimationFrame(count);
  })()`);
  const startedAt = performance.now();
  for (let step = 0; performance.now() - startedAt < MEASURED_MS; step++) await act(step);
  const seconds = (performance.now() - startedAt) / 1_000;
  const frames = Number(
    await page.evaluate('cancelAnimationFrame(globalThis.counting_), globalThis.frames_'),
  );
  return frames / seconds;
}
