import { createRequire } from 'node:module';
import type { Liquid, Template } from 'liquidjs';
import type { ReplyTemplate } from '../../../domain/playbook/playbook.ts';

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

let engine: Liquid | undefined;

/**
 * The engine. It is loaded with the first template that is parsed, which takes a quarter of the time that the rest of a
 * playbook takes at the start. Undefined variables and filters are errors; values are never parsed as a template, and
 * only own members are seen.
 */
export function liquid(): Liquid {
  if (engine === undefined) {
    const require = createRequire(import.meta.url);
    const library: typeof import('liquidjs') = require('liquidjs');
    engine = new library.Liquid({
      strictVariables: true,
      strictFilters: true,
      lenientIf: true,
      ownPropertyOnly: true,
      ...limits,
    });
    for (const tag of forbiddenTags) delete engine.tags[tag];
    for (const filter of forbiddenFilters) delete engine.filters[filter];
  }
  return engine;
}

/** A template that is parsed when it is first used. One that is not valid, or takes too much, renders as undefined. */
export function createTemplate(source: string): ReplyTemplate {
  let parsed: Template[] | undefined;
  return {
    render(values) {
      try {
        parsed ??= liquid().parse(source);
        return String(liquid().renderSync(parsed, values)).trim();
      } catch {
        return undefined;
      }
    },
  };
}

/** A template that is a plain text. */
export function plainTemplate(text: string): ReplyTemplate {
  return { render: () => text };
}
