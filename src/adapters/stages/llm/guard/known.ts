import { isJsonObject, type JsonObject, type JsonValue } from '../../../../lib/json/json.ts';
import { keyOf } from './deeds/deeds.ts';
import { isPast, isProgressive, verbOf } from './deeds/verbs.ts';
import { type Fact, normalize } from './facts.ts';
import { readFacts } from './read-facts.ts';
import { unitOfName } from './units.ts';

/** What a reply may state. */
export interface Known {
  /** The keys of all known facts. */
  readonly keys: ReadonlySet<string>;
  /** All known texts, normalized. */
  readonly text: string;
}

/** Longer values are text, not a status. */
const MAX_STATUS_WORDS = 3;

/** Names of values that are text, also when they are short. */
const textNames =
  /title|name|text|excerpt|summary|description|policy|question|query|subject|category|tags|keywords/i;

/** Finds what tool outputs and fixed texts state. */
export function findKnown(outputs: readonly JsonObject[], texts: readonly string[]): Known {
  const all: string[] = [];
  const keys = new Set<string>();
  const add = (text: string, facts: readonly Fact[]): void => {
    all.push(normalize(text));
    for (const { gives } of facts) for (const key of gives) keys.add(key);
  };
  for (const text of texts) add(text, readFacts(text, true));
  for (const { name, value } of outputs.flatMap((output) => [...leavesOf('', output)])) {
    const text = String(value);
    add(text, readFacts(withUnit(name, text), true));
    for (const key of statusKeys(name, value)) keys.add(key);
  }
  return { keys, text: all.join('\n') };
}

/** A value within an output, and its name. */
interface Leaf {
  readonly name: string;
  readonly value: string | number | boolean;
}

function* leavesOf(name: string, value: JsonValue): Generator<Leaf> {
  if (Array.isArray(value)) for (const one of value) yield* leavesOf(name, one);
  else if (isJsonObject(value)) for (const [key, one] of Object.entries(value)) yield* leavesOf(key, one);
  else if (value !== null && typeof value !== 'object') yield { name, value };
}

/** A bare number with the unit that its name says: `eta_days: 2` is `2 day`. */
function withUnit(name: string, text: string): string {
  if (!/^[\d.,' -]+$/.test(text)) return text;
  const unit = unitOfName(name);
  if (unit === undefined) return text;
  return unit === 'id' ? `order ${text}` : `${text} ${unit}`;
}

/** A status says what was done, such as `{"status": "refunded"}` or `{"refunded": true}`. */
function statusKeys(name: string, value: Leaf['value']): readonly string[] {
  if (value === false || typeof value === 'number' || textNames.test(name)) return [];
  const words: readonly string[] = normalize(value === true ? name : value).match(/\p{L}+/gu) ?? [];
  if (words.length > MAX_STATUS_WORDS || words.includes('not')) return [];
  return words.flatMap((word) => {
    if (isPast(word)) return [keyOf('done', verbOf(word))];
    return isProgressive(word) ? [keyOf('state', verbOf(word))] : [];
  });
}
