import type { ToolOutcome } from '../../domain/message/message.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json/json.ts';

/** Maximum length of one field of an output, in characters. */
const MAX_FIELD_LENGTH = 1_500;

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

/** What the templates of replies see of tool outputs: `tool`, the scalars of all, and `articles`. */
export function templateValues(outcomes: readonly ToolOutcome[]): {
  readonly tool: JsonObject;
  readonly articles: readonly ArticleValue[];
} {
  const outputs = outcomes.flatMap(({ output }) => (output === null ? [] : [output]));
  return {
    tool: Object.assign({}, ...outputs.map(scalarsOf)),
    articles: outputs.flatMap(articlesOf),
  };
}

/** The scalars of an output as plain text; numbers stay numbers, so that templates can compare them. */
function scalarsOf(output: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(output).flatMap(([key, value]) => {
      const plain = typeof value === 'number' ? value : textOf(value);
      return plain === undefined ? [] : [[key, plain]];
    }),
  );
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
