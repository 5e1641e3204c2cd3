import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../../src/lib/json/json.ts';

/** An expression that is written as CEL, and that the model evaluates by itself. */
export type Expr =
  | { readonly op: 'literal'; readonly value: number | boolean | string }
  | { readonly op: 'input'; readonly path: readonly string[] }
  | { readonly op: 'step'; readonly id: string; readonly path: readonly string[] }
  | { readonly op: 'hasStep'; readonly id: string }
  | { readonly op: 'hasInput'; readonly key: string }
  | { readonly op: 'item'; readonly path: readonly string[] }
  | { readonly op: 'index' }
  | { readonly op: '+' | '-' | '*' | '<' | '>=' | '=='; readonly left: Expr; readonly right: Expr }
  | { readonly op: '&&' | '||'; readonly left: Expr; readonly right: Expr }
  | { readonly op: '!' | 'size'; readonly of: Expr }
  | { readonly op: '?'; readonly of: Expr; readonly left: Expr; readonly right: Expr }
  | { readonly op: 'list'; readonly items: readonly Expr[] };

/** The values that expressions can read. */
export interface Scope {
  readonly input: JsonObject;
  /** The outputs of completed steps. */
  readonly steps: ReadonlyMap<string, JsonValue>;
  readonly item?: { readonly value: JsonValue; readonly index: number } | undefined;
}

/** An expression or template has no value. */
class NoValue extends Error {
  override readonly name = 'NoValue';
}

/** The expression as CEL. */
export function toCel(expr: Expr): string {
  switch (expr.op) {
    case 'literal':
      return JSON.stringify(expr.value);
    case 'input':
      return ['input', ...expr.path].join('.');
    case 'step':
      return [stepName(expr.id), ...expr.path].join('.');
    case 'hasStep':
      return `has(${stepName(expr.id)})`;
    case 'hasInput':
      return `has(input.${expr.key})`;
    case 'item':
      return ['item', ...expr.path].join('.');
    case 'index':
      return 'index';
    case '!':
      return `!(${toCel(expr.of)})`;
    case 'size':
      return `size(${toCel(expr.of)})`;
    case '?':
      return `(${toCel(expr.of)} ? ${toCel(expr.left)} : ${toCel(expr.right)})`;
    case 'list':
      return `[${expr.items.map(toCel).join(', ')}]`;
    default:
      return `(${toCel(expr.left)} ${expr.op} ${toCel(expr.right)})`;
  }
}

function stepName(id: string): string {
  return id.includes('-') ? `steps['${id}']` : `steps.${id}`;
}

/** The value of an expression. Throws {@link NoValue} where a member is missing or a value has the wrong type. */
export function evaluate(expr: Expr, scope: Scope): JsonValue {
  switch (expr.op) {
    case 'literal':
      return expr.value;
    case 'input':
      return follow(scope.input, expr.path);
    case 'step':
      return follow(scope.steps.get(expr.id), expr.path);
    case 'hasStep':
      return scope.steps.has(expr.id);
    case 'hasInput':
      return Object.hasOwn(scope.input, expr.key);
    case 'item':
      return follow(scope.item?.value, expr.path);
    case 'index':
      return follow(scope.item?.index, []);
    case '!':
      return !truth(expr.of, scope);
    case 'size':
      return sizeOf(evaluate(expr.of, scope));
    case '?':
      return evaluate(truth(expr.of, scope) ? expr.left : expr.right, scope);
    case 'list':
      return expr.items.map((item) => evaluate(item, scope));
    case '&&':
    case '||':
      return either(expr, scope);
    case '==':
      return equal(evaluate(expr.left, scope), evaluate(expr.right, scope));
    default:
      return calculate(expr.op, evaluate(expr.left, scope), evaluate(expr.right, scope));
  }
}

/** One side decides alone, even where the other one has no value. */
function either({ op, left, right }: Extract<Expr, { op: '&&' | '||' }>, scope: Scope): boolean {
  const deciding = op === '||';
  const sides = [left, right].map((side) => {
    try {
      return truth(side, scope);
    } catch (error) {
      if (!(error instanceof NoValue)) throw error;
      return error;
    }
  });
  if (sides.includes(deciding)) return deciding;
  for (const side of sides) if (side instanceof NoValue) throw side;
  return !deciding;
}

function calculate(op: '+' | '-' | '*' | '<' | '>=', left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') {
    if (op === '+') return left + right;
    if (op === '-') return left - right;
    if (op === '*') return left * right;
    return op === '<' ? left < right : left >= right;
  }
  if (op === '+' && isJsonArray(left) && isJsonArray(right)) return [...left, ...right];
  if (typeof left === 'string' && typeof right === 'string') {
    if (op === '+') return left + right;
    if (op === '<' || op === '>=') return op === '<' ? left < right : left >= right;
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') {
    if (op === '<' || op === '>=') return op === '<' ? left < right : left >= right;
  }
  throw new NoValue(`${op} takes no such values`);
}

/** The number of items, members or characters of a value. */
function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return [...value].length;
  if (isJsonArray(value)) return value.length;
  if (isJsonObject(value)) return Object.keys(value).length;
  throw new NoValue('this has no size');
}

function equal(left: JsonValue, right: JsonValue): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function follow(value: JsonValue | undefined, path: readonly string[]): JsonValue {
  if (value === undefined) throw new NoValue('there is no such value');
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) throw new NoValue(`there is no member ${key}`);
  return follow(value[key], rest);
}

/** The value of an expression that must be boolean. Throws {@link NoValue}. */
export function truth(expr: Expr, scope: Scope): boolean {
  const value = evaluate(expr, scope);
  if (typeof value !== 'boolean') throw new NoValue('not a boolean');
  return value;
}

/** A value that must be a list. Throws {@link NoValue}. */
export function list(value: JsonValue): readonly JsonValue[] {
  if (!isJsonArray(value)) throw new NoValue('not a list');
  return value;
}

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
