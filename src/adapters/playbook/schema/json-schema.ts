import { z } from 'zod';
import type { ToolDefinition } from '../definition.ts';
import { createPlaybookSchema, type ToolSchema } from './schema.ts';

/** The JSON Schema of a playbook file, for editors: what `playbook/playbook.schema.json` contains. */
export function playbookJsonSchema<T extends ToolDefinition>(tool: ToolSchema<T>): string {
  const { $schema, ...schema } = z.toJSONSchema(createPlaybookSchema({ tool }), {
    target: 'draft-7',
    io: 'input',
    // What a check of its own refuses, such as two equal names, has no form in JSON Schema.
    unrepresentable: 'any',
  });
  return `${JSON.stringify({ $schema, title: 'Playbook', ...schema }, null, 2)}\n`;
}
