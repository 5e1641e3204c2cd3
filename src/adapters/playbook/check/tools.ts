import type { JsonObject } from '../../../lib/json/json.ts';
import type { PlaybookDefinition, ToolDefinition } from '../definition.ts';
import type { Path } from '../faults.ts';
import type { Report } from './report.ts';

/** Something that is wrong with a tool: the path is within its definition. */
export interface ToolIssue {
  readonly path: Path;
  readonly message: string;
}

/** What is known of a tool, as JSON Schema: undefined where nothing is. */
export interface ToolSchemas {
  readonly input: JsonObject | undefined;
  readonly output: JsonObject | undefined;
}

/** The checks of tools that a playbook declares, and what it means that a variable or a classifier is missing. */
export interface ToolChecks<T extends ToolDefinition> {
  /** What is wrong with a tool in itself. */
  checkTool(tool: T): readonly ToolIssue[];
  /** The variables of the environment that a tool names and that are not there. */
  checkEnvironment(tool: T): readonly ToolIssue[];
  readonly missing: 'fault' | 'warning';
  /** The schemas of a tool, also of one that is not valid. */
  schemasOf(tool: T): ToolSchemas;
}

/** Checks each tool, and that the environment has the variables that it names. */
export function checkTools<T extends ToolDefinition>(
  { tools = [] }: Pick<PlaybookDefinition<T>, 'tools'>,
  checks: Omit<ToolChecks<T>, 'schemasOf'>,
  report: Report,
): void {
  for (const [index, tool] of tools.entries()) {
    const place = ['tools', index];
    for (const { path, message } of checks.checkTool(tool)) report.fault([...place, ...path], message);
    for (const { path, message } of checks.checkEnvironment(tool)) {
      if (checks.missing === 'fault') report.fault([...place, ...path], message);
      else report.warn([...place, ...path], message);
    }
  }
}
