import { hasExpression, parseTemplate, resolveReference } from '../../../../src/domain/workflow/template.ts';
import { isJson, type JsonObject, type JsonValue } from '../../../api/json.ts';

/** Where a value of an input comes from. */
export interface Source {
  /** The place in the input: `lines.0.article`. */
  readonly path: string;
  /** `step` and `input` are references, `expression` contains expressions, `fixed` stands so in the definition. */
  readonly kind: 'step' | 'input' | 'expression' | 'fixed';
  /** The source as one reads it: `order.id`, `input.order_id`, the expression, or the value itself. */
  readonly from: string;
  /** The step that is referred to. */
  readonly stepId: string | undefined;
  /** The value; undefined where only the service knows it, or there is none (yet). */
  readonly value: JsonValue | undefined;
}

/** At most this many places of an input are listed. */
const MAX_SOURCES = 200;

/**
 * Where each value of a step's input comes from, place by place: references are followed into the input of the run and
 * the outputs of its steps, as the service does. Expressions are not computed.
 */
export function sourcesOf(
  template: unknown,
  input: JsonObject,
  outputOf: (stepId: string) => JsonObject | null | undefined,
): readonly Source[] {
  const found: Source[] = [];
  const visit = (value: unknown, path: string): void => {
    if (found.length >= MAX_SOURCES) return;
    if (typeof value === 'string') {
      found.push({ path, ...sourceOf(value, input, outputOf) });
    } else if (Array.isArray(value) && value.length > 0) {
      value.forEach((entry, index) => {
        visit(entry, join(path, String(index)));
      });
    } else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
      for (const [name, entry] of Object.entries(value)) visit(entry, join(path, name));
    } else if (path !== '' && isJson(value)) {
      found.push({ path, kind: 'fixed', from: JSON.stringify(value), stepId: undefined, value });
    }
  };
  visit(template, '');
  return found;
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function sourceOf(
  text: string,
  input: JsonObject,
  outputOf: (stepId: string) => JsonObject | null | undefined,
): Omit<Source, 'path'> {
  if (hasExpression(text)) return { kind: 'expression', from: text, stepId: undefined, value: undefined };
  const parsed = parseTemplate(text);
  if (typeof parsed === 'string') {
    return { kind: 'fixed', from: JSON.stringify(parsed), stepId: undefined, value: parsed };
  }
  const { stepId, key } = parsed;
  if (stepId === null) {
    const value = key === null ? input : resolveReference(input, parsed);
    return { kind: 'input', from: key === null ? 'input' : `input.${key}`, stepId: undefined, value };
  }
  const output = outputOf(stepId);
  const value = output === null || output === undefined ? undefined : resolveReference(output, parsed);
  return { kind: 'step', from: `${stepId}.${key}`, stepId, value };
}
