import { inputSchemaOf } from '../ports/tool.ts';
import type { PlaybookContext } from './playbook/load.ts';
import { builtInEntities } from './stages/entities.ts';
import { exampleTools } from './tools/example-tools.ts';
import {
  checkHttpTool,
  checkHttpToolEnvironment,
  type HttpToolDefinition,
  httpToolSchema,
  httpToolSchemas,
} from './tools/http/http-tool.ts';

/** The parts that the service adds to a playbook: its example tools, its own entities, and HTTP tools. */
export function playbookContext(
  missing: 'fault' | 'warning',
  env: Readonly<Record<string, string | undefined>> = process.env,
): PlaybookContext<HttpToolDefinition> {
  return {
    tool: httpToolSchema,
    checkTool: checkHttpTool,
    checkEnvironment: (tool) => checkHttpToolEnvironment(tool, env),
    schemasOf: httpToolSchemas,
    env,
    missing,
    exampleTools: new Map(exampleTools.map((tool) => [tool.name, inputSchemaOf(tool)])),
    builtInEntities: builtInEntities.map(({ name }) => name),
  };
}
