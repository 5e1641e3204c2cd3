import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { getBuiltInDefinition } from '../../../src/adapters/playbook/built-in.ts';
import { playbookJsonSchema } from '../../../src/adapters/playbook/schema.ts';
import { httpToolSchema } from '../../../src/adapters/tools/http/http-tool.ts';

const schema = playbookJsonSchema(httpToolSchema);

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** The paths of the members without a description. */
function undescribed(node: unknown, path = ''): readonly string[] {
  if (!isNode(node)) return [];
  const members = isNode(node['properties']) ? Object.entries(node['properties']) : [];
  const missing = members.filter(
    ([, member]) => !isNode(member) || typeof member['description'] !== 'string',
  );
  return [
    ...missing.map(([name]) => `${path}.${name}`),
    ...members.flatMap(([name, member]) => undescribed(member, `${path}.${name}`)),
    ...undescribed(node['items'], `${path}[]`),
    ...undescribed(node['additionalProperties'], `${path}{}`),
  ];
}

describe('the JSON Schema of a playbook', () => {
  test('is the one in the package; update it with vitest -u', async () => {
    await expect(schema).toMatchFileSnapshot('../../../playbook/playbook.schema.json');
  });

  test('describes every member', () => {
    const parsed: unknown = JSON.parse(schema);
    // The members that a tool shares with steps of workflows are described there.
    const known = /^\.tools\[\]\.(?:request|output|retry)/;
    expect(undescribed(parsed).filter((path) => !known.test(path))).toEqual([]);
  });

  test('is named by the built-in playbook, which fits it', () => {
    const yaml = readFileSync(new URL('../../../playbook/playbook.yaml', import.meta.url), 'utf8');
    expect(yaml).toMatch(/^# yaml-language-server: \$schema=playbook\.schema\.json\n/);
    const { error } = z.fromJSONSchema(JSON.parse(schema)).safeParse(getBuiltInDefinition());
    expect(error).toBeUndefined();
  });
});
