import { createRequire } from 'node:module';
import type { Context, Liquid, Template } from 'liquidjs';
import type { ReplyTemplate } from '../../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { labelOf, type ReplyLocale, readTime, showTime } from './filters.ts';

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
export function liquid(): Liquid {
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
