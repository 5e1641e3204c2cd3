import { z } from 'zod';
import { codeOf } from './articles.ts';
import { createReport } from './check/report.ts';
import { checkTools, type ToolChecks } from './check/tools.ts';
import type { ToolDefinition } from './definition.ts';
import { byPlace, limitFaults, PlaybookError, withoutConsequences } from './faults.ts';
import { MAX_PLAYBOOK_BYTES, parseYaml } from './reading/parse.ts';
import { readLimited } from './reading/source.ts';
import { playbookLimits } from './schema/fields.ts';
import type { ToolSchema } from './schema/schema.ts';

/** What reads and checks a file of tools. */
export interface ToolsFileContext<T extends ToolDefinition> extends Omit<ToolChecks<T>, 'schemasOf'> {
  readonly tool: ToolSchema<T>;
}

/**
 * Reads the tools of a file without a playbook: `tools`, in the form that a playbook has them. Throws
 * {@link PlaybookError} with all its faults and their places.
 */
export function readToolsFile<T extends ToolDefinition>(
  path: string,
  context: ToolsFileContext<T>,
): readonly T[] {
  const schema = z.strictObject({ tools: z.array(context.tool).max(playbookLimits.tools) });
  const parsed = parseYaml(readBytes(path), schema);
  if (parsed.faults !== undefined) throw new PlaybookError(path, limitFaults(parsed.faults));
  const report = createReport();
  checkTools(parsed.value, context, report);
  const names = new Set<string>();
  for (const [index, { name }] of parsed.value.tools.entries()) {
    if (names.has(name)) report.fault(['tools', index, 'name'], `another tool has the name ${name}`);
    names.add(name);
  }
  const issues = [...parsed.issues, ...withoutConsequences(parsed.issues, report.faults)];
  if (issues.length > 0) throw new PlaybookError(path, limitFaults(issues.map(parsed.locate).sort(byPlace)));
  return parsed.value.tools;
}

function readBytes(path: string): Buffer {
  const failed = (message: string) =>
    new PlaybookError(path, [{ path: '', line: undefined, column: undefined, message }]);
  try {
    const { isTooLarge, bytes } = readLimited(path, MAX_PLAYBOOK_BYTES);
    if (isTooLarge) throw failed(`is larger than ${MAX_PLAYBOOK_BYTES} bytes`);
    return bytes;
  } catch (error) {
    if (error instanceof PlaybookError) throw error;
    throw failed(`cannot be read (${codeOf(error)})`);
  }
}
