import { Liquid, type Template } from 'liquidjs';
import type { JsonObject } from '../../../lib/json/json.ts';

/** The largest template, and the most work and memory of one reply. */
const limits = { parseLimit: 100_000, renderLimit: 100, memoryLimit: 1_000_000 };

/**
 * Undefined variables and filters are errors. Values go into a reply as they are: they are never parsed as a template,
 * and only own properties are seen.
 */
const engine = new Liquid({
  strictVariables: true,
  strictFilters: true,
  lenientIf: true,
  ownPropertyOnly: true,
  ...limits,
});

/** A parsed template of a reply. */
export interface ReplyTemplate {
  /** Fills in the values. Undefined where one that the template names is missing. */
  render(values: JsonObject): string | undefined;
}

/** Parses a template. Throws where it is not valid. */
export function parseTemplate(source: string): ReplyTemplate {
  const template: Template[] = engine.parse(source);
  return {
    render(values) {
      try {
        return String(engine.renderSync(template, values)).trim();
      } catch {
        return undefined;
      }
    },
  };
}
