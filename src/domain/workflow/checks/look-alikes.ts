import { isJsonArray, type JsonValue } from '../../../lib/json/json.ts';
import { quote } from '../../../lib/text/quote.ts';
import { type IssueList, placeText } from '../issues.ts';
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
  { pattern: /^\$steps\.[^.\s]+\.\S+$/, hint: 'is no template; write $step.<id>.<key>, without an s' },
  { pattern: /^\$inputs\./, hint: 'is no template; write $input.<path>, without an s' },
  {
    pattern: /\$(?:steps?|input)\.[A-Za-z0-9_]/,
    hint: `is no template, because $step and $input stand for a whole text only; write ${expression('steps.<id>.<key>')} within a text`,
  },
  {
    pattern: /\$(?:item|index)\b/,
    hint: `is no template; write ${expression('item.<key>')} or ${expression('index')}`,
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

/** A reference to a member whose name has a space is more probably meant as a text with a reference in it. */
const withSpace: LookAlike = {
  pattern: /\s/,
  hint: `refers to a member with a space in its name; write ${expression('steps.<id>.<key>')} within a text`,
};

/**
 * Adds warnings for texts and keys that look like templates and are none. The time is linear in the size of the value.
 */
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
  if (!/[${]/.test(text) || text.startsWith('$$')) return undefined;
  if (hasExpression(text)) {
    const rest = text.replace(expressions, '…');
    return lookAlikes.find(({ pattern }) => pattern.test(rest));
  }
  const parsed = parseTemplate(text);
  if (typeof parsed === 'string') return lookAlikes.find(({ pattern }) => pattern.test(text));
  return withSpace.pattern.test(text) ? withSpace : undefined;
}

/** The expressions in a text, nearly: one with `}}` in a text of its own ends there. */
const expressions = /\$\{\{(?:(?!\}\})[\s\S])*\}\}/g;

/** Adds warnings for templates in a value that is taken as it is. `what` names it. */
export function warnOfTemplates(
  value: JsonValue,
  path: readonly (string | number)[],
  what: string,
  warnings: IssueList,
): void {
  if (typeof value === 'string') {
    if (!hasExpression(value) && typeof parseTemplate(value) === 'string') return;
    warnings.add(() => `${placeText(path)}: ${quote(value)} is taken as it is; ${what} has no templates`);
  } else if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) warnOfTemplates(item, [...path, index], what, warnings);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value))
      warnOfTemplates(member, [...path, key], what, warnings);
  }
}
