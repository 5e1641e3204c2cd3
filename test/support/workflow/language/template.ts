import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';
import { type Expr, evaluate, NoValue, type Scope, toCel } from './expression.ts';

/** A value of a step's input: what it is written as, and what it becomes. */
export type Template =
  | { readonly as: 'literal'; readonly value: JsonValue }
  /** `$step.a.n` or `$input.n`. */
  | { readonly as: 'reference'; readonly step: string | null; readonly path: readonly string[] }
  /** `${{ … }}` alone. */
  | { readonly as: 'expression'; readonly expr: Expr }
  /** Text around `${{ … }}`. */
  | { readonly as: 'text'; readonly before: string; readonly expr: Expr; readonly after: string };

/** An object of templates. */
export type Templates = Readonly<Record<string, Template>>;

/** The value as a definition has it. */
export function written(template: Template): JsonValue {
  switch (template.as) {
    case 'literal':
      return template.value;
    case 'reference': {
      const root = template.step === null ? '$input' : `$step.${template.step}`;
      return [root, ...template.path].join('.');
    }
    case 'expression':
      return `\${{ ${toCel(template.expr)} }}`;
    case 'text':
      return `${template.before}\${{ ${toCel(template.expr)} }}${template.after}`;
  }
}

/** The object as a definition has it. */
export function writtenObject(templates: Templates): JsonObject {
  return Object.fromEntries(Object.entries(templates).map(([key, template]) => [key, written(template)]));
}

/** The value of the template. Throws {@link NoValue}. */
export function resolve(template: Template, scope: Scope): JsonValue {
  switch (template.as) {
    case 'literal':
      return template.value;
    case 'reference': {
      const { step, path } = template;
      return evaluate(step === null ? { op: 'input', path } : { op: 'step', id: step, path }, scope);
    }
    case 'expression':
      return evaluate(template.expr, scope);
    case 'text': {
      const value = evaluate(template.expr, scope);
      return template.before + (typeof value === 'string' ? value : JSON.stringify(value)) + template.after;
    }
  }
}

/** The value of the object; null where one of its members has no value. */
export function resolveObject(templates: Templates, scope: Scope): JsonObject | null {
  return orNull(() =>
    Object.fromEntries(Object.entries(templates).map(([key, template]) => [key, resolve(template, scope)])),
  );
}

/** The result of `find`; null where it finds no value. */
export function orNull<T>(find: () => T): T | null {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof NoValue)) throw error;
    return null;
  }
}
