import type { ToolOutcome } from '../../domain/message/message.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import { orderStatuses } from './replies.ts';

/** Further articles are named if their score is at least this share of the best score. */
const FURTHER_SCORE_SHARE = 0.6;

/** Maximum number of further articles in an answer. */
const MAX_FURTHER = 2;

/** Maximum length of one field of an output, in characters. */
const MAX_FIELD_LENGTH = 1_500;

/** Maximum number of fields of an unknown output in an answer. */
const MAX_FIELDS = 6;

/**
 * A tool output as a paragraph for a customer; undefined when it has no content. The outputs of the example tools
 * become sentences, those of other tools a short list of their scalar fields.
 */
export function answerOf(outcome: ToolOutcome): string | undefined {
  if (outcome.status !== 'success' || outcome.output === null) return undefined;
  const { output } = outcome;
  return policyAnswer(output) ?? orderAnswer(output) ?? articlesAnswer(output) ?? fieldsAnswer(output);
}

function policyAnswer(output: JsonObject): string | undefined {
  return textOf(getOwn(output, 'policy'));
}

function orderAnswer(output: JsonObject): string | undefined {
  const status = textOf(getOwn(output, 'status'));
  const id = getOwn(output, 'order_id');
  if (status === undefined || typeof id !== 'string') return undefined;
  const order = /^[\w-]{1,64}$/.test(id) ? `Your order ${id}` : 'Your order';
  const sentences = [`${order} ${orderStatuses.get(status) ?? `has the status "${status}"`}.`];
  if (status === 'delivered') {
    sentences.push(
      'If you cannot find it, please look where parcels may be left safely and ask your neighbours.',
    );
    return sentences.join(' ');
  }
  const carrier = textOf(getOwn(output, 'carrier'));
  if (carrier !== undefined) sentences.push(`It is delivered by ${carrier}.`);
  const days = getOwn(output, 'eta_days');
  if (typeof days === 'number') sentences.push(arrivalSentence(days));
  return sentences.join(' ');
}

function arrivalSentence(days: number): string {
  if (days <= 0) return 'It should arrive today.';
  return days === 1 ? 'It should arrive tomorrow.' : `It should arrive within ${Math.ceil(days)} days.`;
}

/** The best article, and the titles of others with nearly the same score. */
function articlesAnswer(output: JsonObject): string | undefined {
  const articles = getOwn(output, 'articles');
  if (!Array.isArray(articles)) return undefined;
  const best = articles.findIndex(isJsonObject);
  const article = articles[best];
  if (!isJsonObject(article)) return undefined;
  const title = textOf(getOwn(article, 'title'));
  const excerpt = textOf(getOwn(article, 'excerpt'));
  if (title === undefined || excerpt === undefined) return title ?? excerpt;
  const further = furtherTitles(articles, best + 1, scoreOf(article) * FURTHER_SCORE_SHARE);
  const hint = further.length === 0 ? '' : `\n\nIn our help center, see also ${further.join(' and ')}.`;
  return `${title}: ${excerpt}${hint}`;
}

/** The quoted titles of the first articles from a position on with at least a score. */
function furtherTitles(
  articles: readonly JsonValue[],
  from: number,
  minimumScore: number,
): readonly string[] {
  const titles: string[] = [];
  for (let at = from; at < articles.length && titles.length < MAX_FURTHER; at++) {
    const article = articles[at];
    const near = isJsonObject(article) && scoreOf(article) >= minimumScore;
    const title = near ? textOf(getOwn(article, 'title')) : undefined;
    if (title !== undefined) titles.push(`"${title}"`);
  }
  return titles;
}

function scoreOf(article: JsonObject): number {
  const score = getOwn(article, 'score');
  return typeof score === 'number' ? score : 0;
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
