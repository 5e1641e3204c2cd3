import type { ToolOutcome } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { Company } from '../../domain/playbook/playbook.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import type { Entities } from './entities.ts';

/** Maximum length of one field of an output, in characters. */
const MAX_FIELD_LENGTH = 1_500;

/** The depth of an output that a template sees, and the most items of a list. */
const MAX_DEPTH = 5;
const MAX_ITEMS = 100;

/** Maximum number of fields of an unknown output in an answer. */
const MAX_FIELDS = 6;

/**
 * A tool output as a paragraph for a customer; undefined when it has no content. A policy and an article become
 * their text, any other output a short list of its scalar fields.
 */
export function answerOf(outcome: ToolOutcome): string | undefined {
  if (outcome.status !== 'success' || outcome.output === null) return undefined;
  const { output } = outcome;
  return textOf(getOwn(output, 'policy')) ?? articleAnswer(output) ?? fieldsAnswer(output);
}

/** The best article of a search. */
function articleAnswer(output: JsonObject): string | undefined {
  const [article] = articlesOf(output);
  return article === undefined ? undefined : `${article.title}: ${article.text}`;
}

/** An article as templates of replies see it. */
interface ArticleValue extends JsonObject {
  readonly title: string;
  readonly text: string;
}

/** The articles of a search, the best first. */
function articlesOf(output: JsonObject): readonly ArticleValue[] {
  const articles = getOwn(output, 'articles');
  if (!Array.isArray(articles)) return [];
  return articles.filter(isJsonObject).flatMap((article) => {
    const title = textOf(getOwn(article, 'title'));
    const text = textOf(getOwn(article, 'excerpt'));
    return title === undefined || text === undefined ? [] : [{ title, text }];
  });
}

/** The texts of the articles that searches brought. */
export function articleTexts(outcomes: readonly ToolOutcome[]): readonly string[] {
  const found = outcomes.flatMap(({ output }) => (output === null ? [] : articlesOf(output)));
  return found.map(({ title, text }) => `${title}\n${text}`);
}

/** The values of tool outputs for templates of replies: `tool`, the members of all, and `articles`. */
function outcomeValues(outcomes: readonly ToolOutcome[]): JsonObject {
  const outputs = outcomes.flatMap(({ output }) => (output === null ? [] : [output]));
  return {
    tool: Object.assign({}, ...outputs.map((output) => plainMembers(output, MAX_DEPTH))),
    articles: outputs.flatMap(articlesOf),
  };
}

/** The members of an output for a template. Texts become plain; an empty one and null are left out, as absent ones. */
function plainMembers(output: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(output).flatMap(([key, value]) => {
      const plain = plainValue(value, depth);
      return plain === undefined ? [] : [[key, plain]];
    }),
  );
}

function plainValue(value: JsonValue, depth: number): JsonValue | undefined {
  if (typeof value === 'string') return textOf(value);
  if (value === null || typeof value !== 'object') return value ?? undefined;
  if (depth === 0) return undefined;
  if (isJsonObject(value)) return plainMembers(value, depth - 1);
  return value.slice(0, MAX_ITEMS).flatMap((item) => plainValue(item, depth - 1) ?? []);
}

function fieldsAnswer(output: JsonObject): string | undefined {
  const lines: string[] = [];
  for (const key of Object.keys(output)) {
    if (lines.length === MAX_FIELDS) break;
    const value = textOf(getOwn(output, key));
    const name = textOf(key.replaceAll('_', ' '));
    if (value !== undefined && name !== undefined) lines.push(`- ${name}: ${value}`);
  }
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** A scalar as one line of plain text: no markup, no control characters, not longer than {@link MAX_FIELD_LENGTH}. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, MAX_FIELD_LENGTH).toWellFormed();
  const line = text
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll(/[<>]/g, '')
    .trim();
  return line === '' ? undefined : line;
}

// Values of templates

/** The values for inputs of tools, of `${{ … }}`. */
export function inputValues(message: PreparedMessage, entities: Entities): JsonObject {
  const { prepared, source, customerId, subject = null, conversationId = null, metadata } = message;
  return {
    entities,
    message: { text: prepared.text, subject, source, metadata: metadata ?? {} },
    customer: { id: customerId },
    conversation: { id: conversationId },
  };
}

/** The values for templates of replies: the same, the company, and the outputs of tools. */
export function replyValues(
  message: PreparedMessage,
  entities: Entities,
  company: Company,
  outcomes: readonly ToolOutcome[],
): JsonObject {
  const { name, signature, contact, languages } = company;
  return {
    ...inputValues(message, entities),
    company: { name, signature, contact, languages },
    ...outcomeValues(outcomes),
  };
}
