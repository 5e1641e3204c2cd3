import { itemAt } from '../../../../lib/array.ts';
import { occurrencesOf } from '../../../../lib/text/occurrences.ts';
import { ExpressionError, type Place } from '../error.ts';
import {
  type Code,
  type Context,
  compile,
  type Evaluation,
  foundKind,
  placeOf,
  requireKind,
  wrongKind,
} from './code.ts';
import type { Node } from './syntax.ts';
import { isDuration, isList, type Kind, kindOf, sizeOf, sizeOfText, toIndex, type Value } from './value.ts';
import {
  matchPattern,
  patternOf,
  spend,
  spendCharacters,
  spendNewText,
  spendText,
  type Work,
} from './work.ts';

/** Compiles `x.name(…)`. Throws {@link ExpressionError} for unknown methods and wrong arguments. */
export function compileMethod(node: Node & { op: 'rcall' }, context: Context): Code {
  const [name, receiverNode, nodes] = node.args;
  const place = placeOf(context, node.pos);
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) throw new ExpressionError(`there is no method ${name}()`, place);
  const { takes, required = takes.length } = method;
  if (nodes.length < required || nodes.length > takes.length) {
    const count = required === takes.length ? `${required}` : `${required} to ${takes.length}`;
    throw new ExpressionError(
      `${name}() takes ${count} ${count === '1' ? 'argument' : 'arguments'}, not ${nodes.length}`,
      place,
    );
  }
  const receiver = compile(receiverNode, context);
  requireKind(receiver, method.receiver, `${name}()`, place);
  const values = nodes.map((argument) => compile(argument, context));
  for (const [index, value] of values.entries()) {
    requireKind(value, [itemAt(takes, index)], `${name}()`, place);
  }
  const [first] = values;
  if (name === 'matches' && typeof first?.literal === 'string') {
    return compileMatches(receiver, first.literal, context, place);
  }
  const compiled = { name, method, receiver, values, place };
  return { kind: method.result, evaluate: (evaluation) => call(compiled, evaluation) };
}

interface Call {
  readonly name: string;
  readonly method: Method;
  readonly receiver: Code;
  readonly values: readonly Code[];
  readonly place: Place;
}

function call({ name, method, receiver, values, place }: Call, evaluation: Evaluation): Value {
  const target = receiver.evaluate(evaluation);
  if (!method.receiver.includes(kindOf(target))) {
    throw wrongKind(kindOf(target), method.receiver, `${name}()`, place, foundKind(receiver, target));
  }
  const given = values.map((argument, index) => {
    const value = argument.evaluate(evaluation);
    const wanted = itemAt(method.takes, index);
    if (kindOf(value) !== wanted) {
      throw wrongKind(kindOf(value), [wanted], `${name}()`, place, foundKind(argument, value));
    }
    return value;
  });
  return method.apply(target, given, evaluation.work, place);
}

/** A pattern that the expression states is compiled, and checked, with the expression. */
function compileMatches(receiver: Code, source: string, context: Context, place: Place): Code {
  const pattern = patternOf(context.work, source, place, true);
  return {
    kind: 'boolean',
    evaluate: (evaluation) => {
      const text = receiver.evaluate(evaluation);
      if (typeof text !== 'string') {
        throw wrongKind(kindOf(text), ['text'], 'matches()', place, foundKind(receiver, text));
      }
      return matchPattern(evaluation.work, pattern, text, place);
    },
  };
}

/** A method such as `x.split(y)`. */
interface Method {
  readonly receiver: readonly Kind[];
  /** The kinds of the arguments. */
  readonly takes: readonly Kind[];
  /** The number of arguments that must be there; all when absent. */
  readonly required?: number;
  readonly result: Kind;
  /** Called with a receiver and arguments of these kinds. */
  readonly apply: (receiver: Value, values: readonly Value[], work: Work, place: Place) => Value;
}

/** The text; the kind was checked before. */
function textOf(value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw new TypeError('the kind of a value was not checked');
}

const isAscii = /^[\0-\x7f]*$/;

/** Compares the start or the end of a text. */
function comparing(apply: (text: string, wanted: string) => boolean): Method['apply'] {
  return (receiver, [value], work, place) => {
    const [text, wanted] = [textOf(receiver), textOf(value)];
    spendText(work, Math.min(text.length, wanted.length), place);
    return apply(text, wanted);
  };
}

function changing(apply: (text: string) => string): Method {
  return {
    receiver: ['text'],
    takes: [],
    result: 'text',
    apply: (receiver, _values, work, place) => {
      const text = textOf(receiver);
      spendCharacters(work, text.length, place);
      return apply(text);
    },
  };
}

const testing = { receiver: ['text'], takes: ['text'], result: 'boolean' } as const;

/** The methods of texts, and `join` of lists. */
const textMethods = {
  contains: { ...testing, apply: contains },
  startsWith: { ...testing, apply: comparing((text, wanted) => text.startsWith(wanted)) },
  endsWith: { ...testing, apply: comparing((text, wanted) => text.endsWith(wanted)) },
  indexOf: { receiver: ['text'], takes: ['text'], result: 'number', apply: indexOf },
  lowerAscii: changing((text) => withCase(text, 0x41, 0x20)),
  upperAscii: changing((text) => withCase(text, 0x61, -0x20)),
  trim: changing((text) => text.trim()),
  split: { receiver: ['text'], takes: ['text', 'number'], required: 1, result: 'list', apply: split },
  join: { receiver: ['list'], takes: ['text'], required: 0, result: 'text', apply: join },
  replace: {
    receiver: ['text'],
    takes: ['text', 'text', 'number'],
    required: 2,
    result: 'text',
    apply: replace,
  },
  substring: {
    receiver: ['text'],
    takes: ['number', 'number'],
    required: 1,
    result: 'text',
    apply: substring,
  },
} as const satisfies Record<string, Method>;

/** Moves the 26 letters from `first` on by so many code units; others stay as they are. */
function withCase(text: string, first: number, by: number): string {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    units[index] = unit >= first && unit < first + 26 ? unit + by : unit;
  }
  return Buffer.from(units.buffer).toString('utf16le');
}

/** Searches a text from a position on: the place where the wanted one begins, or -1. */
type Search = (text: string, from: number) => number;

/** The search for a text in one as long as `text`; takes the work. */
function payForSearch(text: string, wanted: string, work: Work, place: Place): Search {
  spendCharacters(work, text.length + wanted.length, place);
  if (wanted === '') return (_text, from) => from;
  if (wanted.length > text.length) return () => -1;
  const occurrencesIn = occurrencesOf(wanted);
  return (searched, from) => occurrencesIn(searched, from).next().value ?? -1;
}

function contains(receiver: Value, [value]: readonly Value[], work: Work, place: Place): Value {
  const text = textOf(receiver);
  return payForSearch(text, textOf(value), work, place)(text, 0) >= 0;
}

function indexOf(receiver: Value, [value]: readonly Value[], work: Work, place: Place): Value {
  const text = textOf(receiver);
  const index = payForSearch(text, textOf(value), work, place)(text, 0);
  return BigInt(index > 0 ? sizeOfText(text.slice(0, index), work, place) : index);
}

/** The parts between separators: at most `limit` of them, the last with all that is left; negative for no limit. */
function partsOf(text: string, separator: string, limit: number, work: Work, place: Place): string[] {
  const search = payForSearch(text, separator, work, place);
  const parts: string[] = [];
  let start = 0;
  while (limit < 0 || parts.length < limit - 1) {
    const found = separator === '' ? nextCharacter(text, start) : search(text, start);
    if (found < 0) break;
    spend(work, 2, place);
    parts.push(text.slice(start, found));
    start = found + separator.length;
  }
  if (separator !== '' || start < text.length) parts.push(text.slice(start));
  return parts;
}

/** Where the character after the one at `start` begins; negative for the last character. */
function nextCharacter(text: string, start: number): number {
  const next = start + String.fromCodePoint(text.codePointAt(start) ?? 0).length;
  return next < text.length ? next : -1;
}

function split(receiver: Value, values: readonly Value[], work: Work, place: Place): Value {
  const limit = integerOf(values[1] ?? -1, 'split()', place);
  return limit === 0 ? [] : partsOf(textOf(receiver), textOf(values[0]), limit, work, place);
}

function join(receiver: Value, [value = '']: readonly Value[], work: Work, place: Place): Value {
  const separator = textOf(value);
  if (!isList(receiver)) throw new TypeError('the kind of a value was not checked');
  let length = 0;
  const texts = receiver.map((item) => {
    if (typeof item !== 'string') throw new ExpressionError('join() takes a list of texts', place);
    length += item.length + separator.length;
    return item;
  });
  spend(work, texts.length, place);
  spendNewText(work, length, place);
  return texts.join(separator);
}

function replace(receiver: Value, values: readonly Value[], work: Work, place: Place): Value {
  const [text, wanted, replacement] = [textOf(receiver), textOf(values[0]), textOf(values[1])];
  const limit = integerOf(values[2] ?? -1, 'replace()', place);
  if (wanted === '') throw new ExpressionError('replace() takes a text to replace that is not empty', place);
  const parts = partsOf(text, wanted, limit < 0 ? -1 : limit + 1, work, place);
  spendNewText(work, text.length + parts.length * replacement.length, place);
  return parts.join(replacement);
}

/** Counted in characters (code points), as `size` does. */
function substring(receiver: Value, values: readonly Value[], work: Work, place: Place): Value {
  const text = textOf(receiver);
  spendText(work, text.length, place);
  const characters = isAscii.test(text) ? text : charactersOf(text, work, place);
  const start = integerOf(values[0] ?? 0, 'substring()', place);
  const end = integerOf(values[1] ?? BigInt(characters.length), 'substring()', place);
  if (start < 0 || end < start || end > characters.length) {
    throw new ExpressionError(`substring() goes beyond the text of ${characters.length} characters`, place);
  }
  const part = characters.slice(start, end);
  return typeof part === 'string' ? part : part.join('');
}

function charactersOf(text: string, work: Work, place: Place): string[] {
  spend(work, text.length, place);
  return Array.from(text);
}

function integerOf(value: Value, name: string, place: Place): number {
  const integer = toIndex(value);
  if (integer === undefined) throw new ExpressionError(`${name} takes an integer`, place);
  return integer;
}

const methods: Readonly<Record<string, Method>> = {
  ...textMethods,
  getHours: durationMethod(3_600_000),
  getMinutes: durationMethod(60_000),
  getSeconds: durationMethod(1_000),
  getMilliseconds: durationMethod(1),
  size: {
    receiver: ['text', 'list', 'object'],
    takes: [],
    result: 'number',
    apply: (receiver, _values, work, place) => sizeOf(receiver, work, place) ?? 0n,
  },
  matches: {
    receiver: ['text'],
    takes: ['text'],
    result: 'boolean',
    apply: (text, [pattern], work, place) =>
      matchPattern(work, patternOf(work, textOf(pattern), place), textOf(text), place),
  },
};

/** A method that gives a whole duration in a unit, without its fraction. */
function durationMethod(unitMs: number): Method {
  return {
    receiver: ['duration'],
    takes: [],
    result: 'number',
    apply: (receiver) => BigInt(isDuration(receiver) ? Math.trunc(receiver.ms / unitMs) : 0),
  };
}
