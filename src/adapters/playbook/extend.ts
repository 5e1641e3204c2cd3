import { concerns } from '../../domain/message/message.ts';
import type { CompanyDefinition, PlaybookDefinition, TextsByLanguage, ToolDefinition } from './definition.ts';
import { limitFaults, PlaybookError, withoutPlace } from './faults.ts';
import { describeIssues, membersAt } from './form.ts';
import { createPlaybookSchema, type ToolSchema } from './schema.ts';

/** Changes to a playbook. Every member may be absent. */
export type PlaybookAdditions<T extends ToolDefinition = ToolDefinition> = {
  readonly [Member in keyof PlaybookDefinition<T>]?: PlaybookDefinition<T>[Member] | undefined;
};

/**
 * Checks the form of additions, such as those that a module exports. `source` is their name in errors. Throws
 * {@link PlaybookError} with all faults.
 */
export function parseAdditions<T extends ToolDefinition>(
  value: unknown,
  tool: ToolSchema<T>,
  source: string,
): PlaybookAdditions<T> {
  const schema = createPlaybookSchema({ tool }).partial();
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issues = describeIssues(checked.error.issues, value, (path) => membersAt(schema, path));
  const faults = issues.map(({ path, message }) => withoutPlace(message, path));
  throw new PlaybookError(source, limitFaults(faults));
}

/**
 * A playbook with additions, which win: intents, entities, tools and models replace those of their name, concerns,
 * labels and the texts of the tone those of their name and language. Message tools are added. Other members replace
 * the whole member. The outcome is not checked: see `createPlaybook`.
 */
export function extendPlaybook<T extends ToolDefinition>(
  base: PlaybookDefinition<T>,
  additions: PlaybookAdditions<T>,
): PlaybookDefinition<T> {
  return {
    ...base,
    ...withoutUndefined(additions),
    company: mergeCompany(base.company, additions.company),
    entities: mergeByName(base.entities, additions.entities),
    intents: mergeByName(base.intents, additions.intents),
    message_tools: mergeNames(base.message_tools, additions.message_tools),
    tools: mergeByName(base.tools, additions.tools),
    models: mergeByName(base.models, additions.models),
    concerns: mergeConcerns(base.concerns, additions.concerns),
    labels: mergeTexts(base.labels, additions.labels),
  };
}

function mergeByName<T extends { readonly name: string }>(
  base: readonly T[] = [],
  additions: readonly T[] = [],
): readonly T[] {
  const merged = new Map(base.map((item) => [item.name, item]));
  for (const item of additions) merged.set(item.name, item);
  return [...merged.values()];
}

function mergeNames(base: readonly string[] = [], additions: readonly string[] = []): readonly string[] {
  return [...new Set([...base, ...additions])];
}

function mergeCompany(base: CompanyDefinition = {}, additions: CompanyDefinition = {}): CompanyDefinition {
  return {
    ...base,
    ...withoutUndefined(additions),
    contact: { ...base.contact, ...additions.contact },
    tone: mergeTexts(base.tone, additions.tone),
  };
}

/** Texts by name and language, of which the additions win. */
function mergeTexts(
  base: Readonly<Record<string, TextsByLanguage | undefined>> = {},
  additions: Readonly<Record<string, TextsByLanguage | undefined>> = {},
): Readonly<Record<string, TextsByLanguage>> {
  const merged: Record<string, TextsByLanguage> = {};
  for (const [name, texts] of [...Object.entries(base), ...Object.entries(additions)]) {
    merged[name] = { ...merged[name], ...texts };
  }
  return merged;
}

function mergeConcerns(
  base: PlaybookDefinition['concerns'] = {},
  additions: PlaybookDefinition['concerns'] = {},
): PlaybookDefinition['concerns'] {
  const merged = { ...base };
  for (const name of concerns) {
    const added = additions[name];
    if (added === undefined) continue;
    const before = merged[name];
    merged[name] = {
      ...before,
      ...withoutUndefined(added),
      phrases: mergeNames(before?.phrases, added.phrases),
      harmless: mergeNames(before?.harmless, added.harmless),
      reply: { ...before?.reply, ...added.reply },
    };
  }
  return merged;
}

/** The members that are stated. */
function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
