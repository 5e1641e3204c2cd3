import { isJsonArray, type JsonValue } from '../../../lib/json/json.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { IssueList } from '../issues.ts';
import { placeText } from '../plan/place.ts';
import { hasExpression, parseTemplate } from '../template.ts';

interface LookAlike {
  readonly pattern: RegExp;
  readonly hint: string;
}

const expression = (inner: string): string => ['$', `{{ ${inner} }}`].join('');

/** Texts that look like templates of this or another language. Each pattern takes linear time. */
const lookAlikes: readonly LookAlike[] = [
  {
    pattern: /^\$steps?\.[^.\s]*$/,
    hint: `names no key; write $step.<id>.<key>, or ${expression('steps.<id>')} for the whole output`,
  },
  {
    pattern: /\$(?:steps?|input)\.[A-Za-z0-9_]/,
    hint: `is no template, because $step and $input stand for a whole text only; write ${expression('steps.<id>.<key>')} within a text`,
  },
  {
    pattern: /(?:^|[^$])\{\{[^{}]*\}\}/,
    hint: `is no template; write ${expression('…')}`,
  },
  {
    pattern: /\$\{\s*(?:steps?|input|item|index)\b/,
    hint: `is no template; write ${expression('…')}`,
  },
];

/** Adds warnings for texts and keys that look like templates and are none. The time is linear in the size of the value. */
export function warnOfLookAlikes(
  value: JsonValue,
  path: readonly (string | number)[],
  warnings: IssueList,
): void {
  if (typeof value === 'string') {
    const found = lookAlikeOf(value);
    if (found !== undefined) warnings.add(() => `${placeText(path)}: ${quote(value)} ${found.hint}`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) warnOfLookAlikes(item, [...path, index], warnings);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (hasExpression(key)) {
      warnings.add(
        () => `${placeText(path)}: the key ${quote(key)} is taken as it is; only values are templates`,
      );
    }
    warnOfLookAlikes(member, [...path, key], warnings);
  }
}

function lookAlikeOf(text: string): LookAlike | undefined {
  if (!/[${]/.test(text) || text.startsWith('$$') || hasExpression(text)) return undefined;
  if (typeof parseTemplate(text) !== 'string') return undefined;
  return lookAlikes.find(({ pattern }) => pattern.test(text));
}
