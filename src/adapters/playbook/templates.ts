import { createRequire } from 'node:module';
import type { Context, Liquid, Template, Variable } from 'liquidjs';
import type { ByLanguage, ReplyTemplate } from '../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { quote } from '../../lib/text/quote.ts';

/**
 * The largest template in characters, and the most memory (units of the library) of one reply. The most time (ms) is no
 * bound of work, since it passes on a busy machine too: see `MAX_LOOPS`.
 */
const limits = { parseLimit: 10_000, renderLimit: 5_000, memoryLimit: 1_000_000 };

/** Tags that read other templates, and one that hides loops. */
const forbiddenTags = ['include', 'render', 'layout', 'block', 'liquid'];

/** Filters that parse their arguments as templates when they are used, and one that is left to chance. */
const forbiddenFilters = [
  ...['where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_exp', 'find_index_exp'],
  'sample',
];

/** The name under which a context has the {@link ReplyLocale}, which templates cannot read. */
const LOCALE = 'reply_locale';

type Library = typeof import('liquidjs');

let loaded: { readonly library: Library; readonly engine: Liquid } | undefined;

/**
 * The library and the engine. They are loaded with the first template that is parsed, which takes a quarter of the time
 * that the rest of a playbook takes at the start. Undefined variables and filters are errors; values are never parsed
 * as a template, and only own members are seen.
 */
function load(): NonNullable<typeof loaded> {
  if (loaded === undefined) {
    const require = createRequire(import.meta.url);
    const library: Library = require('liquidjs');
    const engine = new library.Liquid({
      strictVariables: true,
      strictFilters: true,
      lenientIf: true,
      ownPropertyOnly: true,
      ...limits,
    });
    for (const tag of forbiddenTags) delete engine.tags[tag];
    for (const filter of forbiddenFilters) delete engine.filters[filter];
    addFilters(engine);
    loaded = { library, engine };
  }
  return loaded;
}

/** The engine of all templates. */
function liquid(): Liquid {
  return load().engine;
}

/** Adds `label` and `date`. A format of `date` with `%` is one of strftime, as the library has it. */
function addFilters(engine: Liquid): void {
  const strftime = engine.filters['date'];
  const localeOf = (context: Context): ReplyLocale => context.getRegister<ReplyLocale>(LOCALE);
  engine.registerFilter('label', function (value: unknown) {
    return labelOf(value, localeOf(this.context));
  });
  engine.registerFilter('date', function (value: unknown, format: unknown = '') {
    const { timeZone, language } = localeOf(this.context);
    const shown = readTime(value, timeZone);
    if (shown === undefined) return value;
    const name = String(format);
    if (typeof strftime === 'function' && name.includes('%')) {
      return strftime.call(this, new Date(shown.time), name, shown.timeZone);
    }
    return showTime(shown, name, language) ?? value;
  });
}

/** A template that is parsed when it is first used. One that is not valid, or takes too much, renders as undefined. */
export function createTemplate(source: string, locale: ReplyLocale): ReplyTemplate {
  let parsed: Template[] | undefined;
  return {
    render(values) {
      try {
        parsed ??= liquid().parse(source);
        return String(liquid().renderSync(parsed, createContext(values, locale))).trim();
      } catch {
        return undefined;
      }
    },
  };
}

function createContext(values: JsonObject, locale: ReplyLocale): Context {
  const { library, engine } = load();
  const context = new library.Context(values, engine.options, { sync: true }, { liquid: engine });
  context.setRegister(LOCALE, locale);
  return context;
}

/** A template that is a plain text. */
export function plainTemplate(text: string): ReplyTemplate {
  return { render: () => text };
}

// Analysis

/** A variable that a template reads, as a path. A part is undefined where only the values decide it. */
interface TemplateVariable {
  readonly path: readonly (string | number | undefined)[];
  /** From 1, within the template. */
  readonly line: number;
  readonly column: number;
}

/** The variables that a template reads and does not assign itself, or why it is not valid. */
type TemplateAnalysis =
  | { readonly variables: readonly TemplateVariable[]; readonly error?: undefined }
  | { readonly error: string };

/** Maximum number of brackets around a part: the library takes time with the square of their number. */
const MAX_BRACKETS = 16;

/** Maximum number of loops around a part, so that the work of a reply is bounded on a busy machine too. */
const MAX_LOOPS = 2;

/** Parses a template and finds its variables. Never throws. */
export function analyzeTemplate(source: string): TemplateAnalysis {
  if (bracketDepth(source) > MAX_BRACKETS)
    return { error: `more than ${MAX_BRACKETS} brackets around a part` };
  if (loopDepth(source) > MAX_LOOPS) return { error: `more than ${MAX_LOOPS} loops around a part` };
  const format = unknownDateFormat(source);
  if (format !== undefined) {
    const expected = `${dateFormats.slice(0, -1).join(', ')} or ${dateFormats.at(-1)}`;
    return { error: `the filter date has no format ${quote(format)}; expected ${expected}` };
  }
  let parsed: Template[];
  try {
    parsed = liquid().parse(source);
    const { globals } = liquid().analyzeSync(parsed, { partials: false });
    return { variables: Object.values(globals).flat().map(toVariable) };
  } catch (error) {
    return { error: describeError(error) };
  }
}

/** The first format of the filter `date` that there is not. Formats of strftime have a percent sign. */
function unknownDateFormat(source: string): string | undefined {
  const stated = source.matchAll(/\|\s*date\s*:\s*(?:"([^"]*)"|'([^']*)')/g);
  return Array.from(stated, ([, double, single = '']) => double ?? single).find(
    (format) => !format.includes('%') && !dateFormats.includes(format),
  );
}

function bracketDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of source.matchAll(/[[\]]/g)) {
    depth = bracket === '[' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function loopDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, end] of source.matchAll(/\{%-?\s*(end)?(?:for|tablerow)\b/g)) {
    depth = end === undefined ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function toVariable({ segments, location }: Variable): TemplateVariable {
  return {
    path: segments.map((segment) => (typeof segment === 'object' ? undefined : segment)),
    line: location.row,
    column: location.col,
  };
}

/** `undefined filter: shout (line 2, column 4 of the text)` */
function describeError(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  const [, message = first, line, column] = /^(.*?)(?:, line:(\d+), col:(\d+))?$/.exec(first) ?? [];
  const place = line === undefined ? '' : ` (line ${line}, column ${column} of the text)`;
  return `${message.slice(0, 200)}${place}`;
}

// Filters

/** The basis of the filters `label` and `date`: the language of the text, and what the playbook states. */
interface ReplyLocale {
  readonly language: string;
  /** The first language of the company, for labels that the other one lacks. */
  readonly defaultLanguage: string;
  /** By value. */
  readonly labels: ReadonlyMap<string, ByLanguage<string>>;
  /** An IANA name. */
  readonly timeZone: string;
}

/** The formats of the filter `date`; the one without a name serves where it has no argument. */
const formats: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  '': { dateStyle: 'long' },
  short: { dateStyle: 'medium' },
  long: { dateStyle: 'full' },
  time: { timeStyle: 'short' },
};

/** The names of the formats of the filter `date`. */
const dateFormats = Object.keys(formats).filter((name) => name !== '');

/** The text of a value in the language of a reply, else in the default language, else the value itself. */
function labelOf(value: unknown, { language, defaultLanguage, labels }: ReplyLocale): unknown {
  const label = labels.get(String(value));
  return label?.get(language) ?? label?.get(defaultLanguage) ?? value;
}

/** A time, and the zone in which it is shown. */
interface ShownTime {
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly timeZone: string;
  /** False for a date without a time of day. */
  readonly hasClock: boolean;
}

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoTime = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|z|[+-]\d{2}:?\d{2})?$/;

/**
 * Reads a value as a time: a date or date-time of ISO 8601, or milliseconds since the epoch. Undefined for anything
 * else. A time without an offset is one of the company's clock, and a date is the same day everywhere.
 */
function readTime(value: unknown, timeZone: string): ShownTime | undefined {
  if (typeof value === 'number') return shownTime(value, timeZone, true);
  if (typeof value !== 'string') return undefined;
  if (isoDate.test(value)) {
    return isDay(value) ? shownTime(Date.parse(`${value}T00:00:00Z`), 'UTC', false) : undefined;
  }
  const [, day = '', clock = '', offset] = isoTime.exec(value) ?? [];
  if (!isDay(day)) return undefined;
  if (offset === undefined) return shownTime(Date.parse(`${day}T${clock}Z`), 'UTC', true);
  const full = offset.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  return shownTime(Date.parse(`${day}T${clock}${full}`), timeZone, true);
}

function shownTime(time: number, timeZone: string, hasClock: boolean): ShownTime | undefined {
  return Number.isNaN(new Date(time).getTime()) ? undefined : { time, timeZone, hasClock };
}

/** True for a day that there is: not for February 30, which `Date` takes for March 2. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Shows a time in a language. Undefined for the clock of a date without one. Throws for a format that there is not. */
function showTime(
  { time, timeZone, hasClock }: ShownTime,
  format: string,
  language: string,
): string | undefined {
  const options = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (options === undefined) throw new RangeError(`there is no date format ${format}`);
  if (format === 'time' && !hasClock) return undefined;
  // The space before `PM` is one that many mail programs show as a box.
  return formatterFor(language, timeZone, options).format(time).replaceAll('\u202f', ' ');
}

/** Formatters by what they were made of: making one takes longer than all else in a reply. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(
  language: string,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = JSON.stringify([language, timeZone, options]);
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat([language, 'en'], { ...options, timeZone });
    formatters.set(key, formatter);
  }
  return formatter;
}
