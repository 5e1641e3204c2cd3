import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultPorts } from '../../src/adapters/defaults.ts';
import { createHttpApp } from '../../src/adapters/http/app.ts';
import { eventDataSchemas, eventTypes } from '../../src/adapters/http/events/event-schemas.ts';
import { anyTool, playbookJsonSchema } from '../../src/adapters/playbook/schema.ts';
import { parseSettings } from '../../src/adapters/settings/settings.ts';
import { reasons } from '../../src/adapters/stages/verifier.ts';
import { createMetrics } from '../../src/adapters/telemetry/prometheus.ts';
import { createOrchestrator } from '../../src/application/orchestrator.ts';
import { concerns, dispositions, intents } from '../../src/domain/message/message.ts';
import { stopCodes } from '../../src/lib/async/timeout.ts';
import { modelFailures } from '../../src/ports/language-model.ts';
import { pageAt, pages, root, tableRows } from '../support/docs/pages.ts';

/** The texts in code of a cell of a table. */
const codeIn = (cell = ''): readonly string[] =>
  Array.from(cell.matchAll(/`([^`]+)`/g), ([, text = '']) => text);

/** The names of all settings, by the schema in the source. */
const settingNames = globSync('src/adapters/settings{.ts,/**/*.ts}', { cwd: root })
  .flatMap((path) => readFileSync(join(root, path), 'utf8').match(/^ +[A-Z][A-Z_]+(?=: )/gm) ?? [])
  .map((name) => name.trim());

interface DocumentedSetting {
  readonly name: string;
  readonly standard: string;
  readonly values: string;
}

const documentedSettings: readonly DocumentedSetting[] = tableRows(pageAt('docs/configuration.md'))
  .filter(([cell = '']) => /^`[A-Z_]+`$/.test(cell))
  .map(([name, standard, values = '']) => ({
    name: codeIn(name)[0] ?? '',
    standard: codeIn(standard)[0] ?? '',
    values,
  }));

/** The settings whose documented values are a range of numbers, with the ends of the range. */
const ranges = documentedSettings.flatMap(({ name, values }) => {
  const [, from, to] = /^([\d,]+) to ([\d,]+)$/.exec(values) ?? [];
  if (from === undefined || to === undefined) return [];
  return [{ name, from: Number(from.replaceAll(',', '')), to: Number(to.replaceAll(',', '')) }];
});

const accepts = (name: string, value: number): boolean =>
  parseSettings({ [name]: String(value) }).settings !== undefined;

describe('the settings in docs/configuration.md', () => {
  test('are those that the service reads, each once', () => {
    expect(documentedSettings.map(({ name }) => name).sort()).toEqual([...settingNames].sort());
  });

  test.each(documentedSettings)('have the right default: $name', ({ name, standard }) => {
    const defaults: Readonly<Record<string, unknown>> = parseSettings({}).settings ?? {};
    expect(String(defaults[name] ?? '')).toBe(standard);
  });

  test.each(ranges)('have the right range: $name', ({ name, from, to }) => {
    const accepted = [from - 1, from, to, to + 1].map((value) => accepts(name, value));
    expect(accepted).toEqual([false, true, true, false]);
  });

  test('include ranges', () => {
    expect(ranges.length).toBeGreaterThan(10);
  });
});

describe('the metrics in docs/telemetry.md', () => {
  const registered = createMetrics({
    runsWaiting: async () => 0,
    inboxCounts: defaultPorts().inbox.counts,
  })
    .exposition()
    .then(({ body }) =>
      Array.from(body.matchAll(/^# TYPE (service_\w+) (\w+)$/gm), ([, name, type]) => ({ name, type })),
    );

  test('are those of the service, with their types', async () => {
    const documented = tableRows(pageAt('docs/telemetry.md'))
      .filter(([cell = '']) => cell.startsWith('`service_'))
      .map(([name, type = '']) => ({ name: codeIn(name)[0], type: type.split(';')[0] }));
    expect(documented).toEqual(expect.arrayContaining(await registered));
    expect(documented).toHaveLength((await registered).length);
  });

  test('are the only ones that any page names', async () => {
    const names = (await registered).map(({ name }) => name);
    const named = pages.flatMap(({ markdown }) => markdown.match(/\bservice_(?!name\b)[a-z_]+/g) ?? []);
    const unknown = named.filter((name) => !names.includes(name.replace(/_(?:bucket|count|sum)$/, '')));
    expect(unknown).toEqual([]);
  });
});

describe('the endpoints in docs/http-api.md', () => {
  const orchestrator = createOrchestrator(defaultPorts());
  const app = createHttpApp({ orchestrator });
  afterAll(() => orchestrator.close());

  const documented = tableRows(pageAt('docs/http-api.md'))
    .flatMap(([cell]) => codeIn(cell))
    .filter((text) => /^(?:GET|POST|PUT|DELETE) \//.test(text));

  interface Description {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
  }
  const describeApi = async (): Promise<Description> =>
    (await (await app.request('/openapi.json')).json()) as Description;

  test('are those of the API description, and pages that are served', async () => {
    const { paths } = await describeApi();
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const others = documented.filter((endpoint) => !described.includes(endpoint));
    expect(described.filter((endpoint) => !documented.includes(endpoint))).toEqual([]);
    for (const endpoint of others)
      expect((await app.request(endpoint.slice('GET '.length))).status).toBe(200);
  });

  test('have the names of their parameters on all pages', async () => {
    const { paths } = await describeApi();
    const withoutNames = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
    const names = new Map(Object.keys(paths).map((path) => [withoutNames(path), path]));
    const written = pages
      .filter(({ path }) => !path.startsWith('docs/spec/') && path !== 'CHANGELOG.md')
      .flatMap(({ path: page, markdown }) =>
        Array.from(
          markdown.matchAll(/(?:GET|POST|PUT|DELETE) (\/[\w/{}]*\{\w+\}[\w/{}]*)/g),
          ([, path = '']) => {
            return { page, path, described: names.get(withoutNames(path)) ?? path };
          },
        ),
      );
    expect(written.length).toBeGreaterThan(50);
    expect(written.filter(({ path, described }) => path !== described)).toEqual([]);
  });

  test('can be answered only with documented errors', async () => {
    const { paths } = await describeApi();
    const statuses = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ responses }) => Object.keys(responses))
      .filter((status) => Number(status) >= 400);
    const rows = tableRows(pageAt('docs/http-api.md')).map(([cell]) => cell);
    expect([...new Set(statuses)].filter((status) => !rows.includes(status))).toEqual([]);
  });
});

describe('the types of events in docs/runs-and-events.md', () => {
  const rows = tableRows(pageAt('docs/runs-and-events.md'));

  test('are those that clients get, each once', () => {
    const documented = rows.map(([cell]) => codeIn(cell)[0] ?? '').filter((name) => name.includes('.'));
    expect(documented.sort()).toEqual([...eventTypes].sort());
  });

  test.each(Object.entries(eventDataSchemas))('have all members of their data: %s', (type, { shape }) => {
    const [, data] = rows.find(([cell]) => cell === `\`${type}\``) ?? expect.fail();
    const members = Object.keys(shape);
    expect(codeIn(data).filter((name) => members.includes(name))).toEqual(expect.arrayContaining(members));
  });

  test('stand beside all codes of the reason of a signal', () => {
    const codes = rows.flatMap(([cell]) => codeIn(cell));
    expect(stopCodes.filter((code) => !codes.includes(code))).toEqual([]);
  });
});

/** The names of all members in a JSON Schema. */
function memberNames(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...new Set([...own, ...Object.values(schema).flatMap(memberNames)])];
}

describe('the closed sets of words', () => {
  test('of intents are in docs/messages.md', () => {
    const { markdown } = pageAt('docs/messages.md');
    expect(intents.filter((intent) => !markdown.includes(`\`${intent}\``))).toEqual([]);
  });

  test.each([
    ['dispositions', dispositions],
    ['concerns', concerns],
    ['reasons of the verifier', Object.keys(reasons)],
  ])('of %s are in tables of docs/messages.md', (_what, words) => {
    const rows = tableRows(pageAt('docs/messages.md')).flatMap(([cell]) => codeIn(cell));
    expect(words.filter((word) => !rows.includes(word))).toEqual([]);
  });

  test('of the members of a playbook are in tables of docs/playbook.md', () => {
    const rows = tableRows(pageAt('docs/playbook.md')).flatMap(([cell]) => codeIn(cell));
    const members = memberNames(JSON.parse(playbookJsonSchema(anyTool)));
    expect(members.length).toBeGreaterThan(50);
    // Days and priorities are told as ranges, concerns on another page, parts of a member beside it.
    const { markdown } = pageAt('docs/playbook.md');
    const told = (member: string) => rows.includes(member) || /day$|^[1-5]$/.test(member);
    const elsewhere = [...concerns, 'entity', 'question', 'input'];
    const missing = members.filter((member) => !told(member) && !elsewhere.some((name) => name === member));
    expect(missing).toEqual([]);
    for (const name of ['entity', 'question', 'input']) expect(markdown).toContain(`\`${name}\``);
  });

  test('of failures of a language model are in docs/language-models.md', () => {
    const reasons = tableRows(pageAt('docs/language-models.md')).flatMap(([cell]) => codeIn(cell));
    expect(modelFailures.filter((reason) => reason !== 'interrupted' && !reasons.includes(reason))).toEqual(
      [],
    );
  });

  test('of events are in docs/architecture.md', () => {
    const source = readFileSync(join(root, 'src/domain/events.ts'), 'utf8');
    const types = Array.from(source.matchAll(/readonly type: '([\w.]+)'/g), ([, type]) => type);
    const rows = tableRows(pageAt('docs/architecture.md')).flatMap(([cell]) => codeIn(cell));
    expect(types.length).toBeGreaterThan(5);
    expect(rows.filter((row) => types.includes(row)).sort()).toEqual([...types].sort());
  });
});
