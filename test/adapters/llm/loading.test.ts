import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

/** Makes one call in a new process, and returns what the SDK changed in that process. */
async function callInOwnProcess(modelId: string, environment: Readonly<Record<string, string>>) {
  const urlOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { generate, connect, goodAnswer } from ${urlOf('./connect.ts')};
    import { startFakeProvider } from ${urlOf('../../support/llm/fake-provider.ts')};
    import { completion, inTurn } from ${urlOf('../../support/llm/provider-replies.ts')};
    const before = JSON.stringify(process.env);
    const provider = await startFakeProvider(inTurn(completion(goodAnswer)));
    const { model } = await connect(provider.baseUrl, { model: '${modelId}' });
    const { status } = await generate(model);
    await provider.close();
    console.log(JSON.stringify({
      status,
      isEnvironmentUnchanged: JSON.stringify(process.env) === before,
      newGlobals: Object.keys(globalThis).filter((name) => name.startsWith('AI_SDK')),
    }));`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script],
    { env: { ...process.env, ...environment } },
  );
  return { printed: JSON.parse(stdout) as object, stderr };
}

const clean = {
  printed: { status: 'success', isEnvironmentUnchanged: true, newGlobals: [] },
  stderr: '',
};

describe('the SDK', () => {
  test.each(['', ' ', 'not a URL'])('works with OPENAI_BASE_URL=%j and does not change it', async (value) => {
    expect(await callInOwnProcess('fake-model', { OPENAI_BASE_URL: value })).toEqual(clean);
  });

  test('prints no warning for a model that does not support a setting, and sets no global', async () => {
    expect(await callInOwnProcess('o3', {})).toEqual(clean);
  });
});
