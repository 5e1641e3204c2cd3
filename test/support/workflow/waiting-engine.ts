import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { ToolContext } from '../../../src/ports/tool.ts';
import { settle } from '../fake-clock.ts';
import { createTestEngine, type TestEngineOptions } from './engine.ts';

/** A call of the tool `wait`. */
export interface WaitingCall {
  readonly input: JsonObject;
  readonly context: ToolContext;
}

/** An engine with a tool `wait` that returns its input once it is released. It ignores its signal. */
export function waitingEngine(options: TestEngineOptions = {}) {
  const engine = createTestEngine(options);
  const calls: WaitingCall[] = [];
  const waiting: (() => void)[] = [];
  let released = false;
  engine.tool('wait', async (input, context) => {
    calls.push({ input, context });
    if (!released) await new Promise<void>((resolve) => waiting.push(resolve));
    return input;
  });
  const release = async (): Promise<void> => {
    for (const resolve of waiting.splice(0)) resolve();
    await settle();
  };
  return {
    ...engine,
    /** The calls of the tool so far. */
    calls,
    /** Releases the waiting calls. */
    release,
    /** Releases the waiting calls and all later ones. */
    releaseAll: () => {
      released = true;
      return release();
    },
  };
}
