import { describe, expect, test } from 'vitest';
import { extendPlaybook } from '../../../src/adapters/playbook/extend.ts';
import { setUpPlaybook } from '../../../src/adapters/playbook-setup.ts';
import { company, context, load, read } from './playbooks.ts';

/** A playbook with models, each in a line of its own that begins at line 4. */
const withModels = (...models: readonly string[]) =>
  [company, 'intents: []', 'models:', ...models.map((model) => `  - { ${model} }`)].join('\n');

const price = 'price: { input: 0.15, cached_input: 0.075, output: 0.60, currency: USD }';

describe('the models of a playbook', () => {
  test('have their addresses, the variables of their keys, prices and fallbacks', () => {
    const { playbook } = load(
      withModels(
        `name: small, model: gpt-4o-mini, base_url: 'https://models.example/v1', api_key: 'env:SMALL_KEY', ${price}, fallback: large`,
        'name: large, model: gpt-4o, price: { input: 2.50, output: 10.00 }',
        'name: own, model: llama3.1',
      ),
    );
    const unstated = { baseUrl: undefined, apiKeyVariable: undefined, price: undefined, fallback: undefined };
    expect([...playbook.models]).toEqual([
      [
        'small',
        {
          name: 'small',
          model: 'gpt-4o-mini',
          baseUrl: 'https://models.example/v1',
          apiKeyVariable: 'SMALL_KEY',
          price: { input: 0.15, cachedInput: 0.075, output: 0.6, currency: 'USD' },
          fallback: 'large',
        },
      ],
      [
        'large',
        {
          ...unstated,
          name: 'large',
          model: 'gpt-4o',
          price: { input: 2.5, cachedInput: undefined, output: 10, currency: undefined },
        },
      ],
      ['own', { ...unstated, name: 'own', model: 'llama3.1' }],
    ]);
  });

  test('are none where it states none', () => {
    expect(load(`${company}\nintents: []`).playbook.models.size).toBe(0);
  });

  test('are replaced by those of additions with the same name', () => {
    const base = {
      intents: [],
      models: [
        { name: 'a', model: 'one' },
        { name: 'b', model: 'two' },
      ],
    };
    const { models } = extendPlaybook(base, { models: [{ name: 'b', model: 'three' }] });
    expect(models).toEqual([
      { name: 'a', model: 'one' },
      { name: 'b', model: 'three' },
    ]);
  });

  test.each<readonly [model: string, fault: string]>([
    ['model: m', '4:5: models[0].name: is missing; expected a text'],
    ['name: a', '4:5: models[0].model: is missing; expected a text'],
    [
      'name: a b, model: m',
      '4:13: models[0].name: "a b" must be the name of a model entry: letters, digits, dots, hyphens and underscores',
    ],
    ["name: a, model: ' '", '4:23: models[0].model: " " must be a text that is not empty'],
    ['name: a, model: m, prize: 1', '4:26: models[0].prize: unknown member "prize"; did you mean "price"?'],
    ['name: a, model: m, price: 1', '4:33: models[0].price: is a number; expected an object'],
    ['name: a, model: m, price: { input: 1 }', '4:33: models[0].price.output: is missing; expected a number'],
    [
      'name: a, model: m, price: { input: -1, output: 1 }',
      '4:42: models[0].price.input: is -1; expected at least 0',
    ],
    [
      'name: a, model: m, price: { input: 1, output: 1000001 }',
      '4:53: models[0].price.output: is 1000001; expected at most 1000000',
    ],
    [
      'name: a, model: m, price: { input: 1, output: 1, per: 1 }',
      '4:56: models[0].price.per: unknown member "per"; expected input, cached_input, output, currency',
    ],
    [
      'name: a, model: m, price: { input: 1, output: 1, currency: usd }',
      '4:66: models[0].price.currency: "usd" must be a currency code of three capital letters, such as USD',
    ],
    ['name: a, model: m, fallback: b', '4:36: models[0].fallback: there is no model "b"'],
    ['name: a, model: m, fallback: a', '4:36: models[0].fallback: the fallbacks of "a" lead back to it'],
  ])('are refused where a member is wrong: %s', (model, fault) => {
    expect(read(withModels(model)).faults).toEqual([`p.yaml:${fault}`]);
  });

  test.each([
    'localhost:80',
    'ftp://models.example',
    'https://u:canary@models.example',
    'https://m.example?k=canary',
  ])('are refused with an address such as %s, which no fault repeats', (address) => {
    const { faults } = read(withModels(`name: a, model: m, base_url: '${address}'`));
    expect(faults).toEqual([
      'p.yaml:4:36: models[0].base_url: must be an http:// or https:// URL without user, query and fragment',
    ]);
  });

  test.each(['sk-canary', 'env:', 'env:9A', 'Bearer env:KEY', ''])(
    'are refused with a key in place of a variable, which no fault repeats: %s',
    (key) => {
      const { faults } = read(withModels(`name: a, model: m, api_key: '${key}'`));
      expect(faults).toEqual([
        'p.yaml:4:35: models[0].api_key: must be env:NAME, to take the key from the environment',
      ]);
    },
  );

  test('are refused where two have one name, and where their fallbacks go in a circle', () => {
    const { faults } = read(
      withModels(
        'name: a, model: m, fallback: b',
        'name: b, model: m, fallback: c',
        'name: c, model: m, fallback: b',
        'name: d, model: n',
        'name: d, model: o',
      ),
    );
    expect(faults).toEqual([
      'p.yaml:5:36: models[1].fallback: the fallbacks of "b" lead back to it',
      'p.yaml:6:36: models[2].fallback: the fallbacks of "c" lead back to it',
      'p.yaml:8:13: models[4].name: the name "d" is there twice',
    ]);
  });

  test.each([
    [{}, 'is not set'],
    [{ SMALL_KEY: ' ' }, 'is not set'],
    [{ SMALL_KEY: 'two words' }, 'has characters that a key cannot have'],
  ])('need the variables of their keys: with %j', (env, problem) => {
    const yaml = withModels("name: a, model: m, api_key: 'env:SMALL_KEY'");
    const told = `models[0].api_key: the environment variable SMALL_KEY ${problem}`;
    const started = read(yaml, {}, { ...context, env, missing: 'fault' });
    expect(started).toMatchObject({ faults: [`p.yaml:4:35: ${told}`], warnings: [] });
    const checked = read(yaml, {}, { ...context, env, missing: 'warning' });
    expect(checked).toMatchObject({ faults: [], warnings: [expect.stringContaining(told)] });
  });

  test('have keys that are secrets, and are in no version', async () => {
    const models = [{ name: 'a', model: 'm', api_key: 'env:SMALL_KEY' }];
    const additions = [{ name: 'models.ts', playbook: { models } }];
    const setUp = (key: string) => setUpPlaybook({ additions, env: { SMALL_KEY: key } });
    const [one, other] = [await setUp('sk-canary-1'), await setUp('sk-canary-2')];
    expect(one.secrets).toEqual(['sk-canary-1']);
    expect(JSON.stringify([...one.playbook.models])).not.toContain('canary');
    expect(one.playbook.version).toBe(other.playbook.version);
  });
});
