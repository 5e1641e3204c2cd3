import type { ToolOutcome } from '../../domain/message/message.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import { orderStatuses } from './replies.ts';

/** The share of the best article's score from which a further one is worth naming. */
const NEAR = 0.6;

/** The most further articles that are named. */
const MAX_FURTHER = 2;

/** The longest text taken from one field of an output, in characters. */
const MAX_FIELD = 1_500;

/** The most fields of an unknown output that are told. */
const MAX_FIELDS = 6;

/**
 * What a tool brought, as a paragraph for a customer; undefined when there is nothing to tell. The example tools
 * are told in sentences, any other tool as a short list of its plain fields.
 */
export function answerOf(outcome: ToolOutcome): string | undefined {
  if (outcome.status !== 'success' || outcome.output === null) return undefined;
  const { output } = outcome;
  return policyAnswer(output) ?? orderAnswer(output) ?? articlesAnswer(output) ?? plainAnswer(output);
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
  if (typeof days === 'number') sentences.push(dueIn(days));
  return sentences.join(' ');
}

function dueIn(days: number): string {
  if (days <= 0) return 'It should arrive today.';
  return days === 1 ? 'It should arrive tomorrow.' : `It should arrive within ${Math.ceil(days)} days.`;
}

/** The best article in full, and the titles of others that fit nearly as well. */
function articlesAnswer(output: JsonObject): string | undefined {
  const articles = getOwn(output, 'articles');
  if (!Array.isArray(articles)) return undefined;
  const best = articles.findIndex(isJsonObject);
  const article = articles[best];
  if (!isJsonObject(article)) return undefined;
  const title = textOf(getOwn(article, 'title'));
  const excerpt = textOf(getOwn(article, 'excerpt'));
  if (title === undefined || excerpt === undefined) return title ?? excerpt;
  const further = furtherTitles(articles, best + 1, scoreOf(article) * NEAR);
  const hint = further.length === 0 ? '' : `\n\nIn our help center, see also ${further.join(' and ')}.`;
  return `${title}: ${excerpt}${hint}`;
}

/** The titles of the first articles from a place on that score enough, in quotation marks. */
function furtherTitles(articles: readonly JsonValue[], from: number, least: number): readonly string[] {
  const titles: string[] = [];
  for (let at = from; at < articles.length && titles.length < MAX_FURTHER; at++) {
    const article = articles[at];
    const near = isJsonObject(article) && scoreOf(article) >= least;
    const title = near ? textOf(getOwn(article, 'title')) : undefined;
    if (title !== undefined) titles.push(`"${title}"`);
  }
  return titles;
}

function scoreOf(article: JsonObject): number {
  const score = getOwn(article, 'score');
  return typeof score === 'number' ? score : 0;
}

function plainAnswer(output: JsonObject): string | undefined {
  const lines: string[] = [];
  for (const key of Object.keys(output)) {
    if (lines.length === MAX_FIELDS) break;
    const value = textOf(getOwn(output, key));
    const name = textOf(key.replaceAll('_', ' '));
    if (value !== undefined && name !== undefined) lines.push(`- ${name}: ${value}`);
  }
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** A scalar as one line of plain text: no markup, no control characters, not longer than {@link MAX_FIELD}. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, MAX_FIELD).toWellFormed();
  const line = (fitting.test(text) ? text : rewritten(text)).trim();
  return line === '' ? undefined : line;
}

/** Texts without control characters and angle brackets: nearly all, and to test them costs a tenth of writing anew. */
const fitting = /^[ -;=?-~\u0080-\uffff]*$/;

function rewritten(text: string): string {
  let line = '';
  for (const sign of text) {
    line += sign < ' ' || sign === '\u007f' ? ' ' : sign === '<' || sign === '>' ? '' : sign;
  }
  return line;
}
