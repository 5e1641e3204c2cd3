import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

describe('loading the SDK', () => {
  test('does not mind an empty address in the environment', async () => {
    const module = new URL('../../../src/adapters/llm/language-model.ts', import.meta.url).href;
    const script = `const { createLanguageModel } = await import(${JSON.stringify(module)});
      const { model } = await createLanguageModel({ apiKey: 'k', model: 'm', timeoutMs: 1, maxRetries: 0 });
      process.stdout.write(typeof model);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, OPENAI_BASE_URL: ' ' },
    });
    expect(stdout).toBe('function');
  });
});
