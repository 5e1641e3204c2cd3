import { setOwn } from '../../../../lib/json/json.ts';
import { ExpressionError } from '../error.ts';
import { compileAccess, compileName } from './access.ts';
import {
  type Code,
  type Context,
  compile,
  type Evaluation,
  placeOf,
  requireKind,
  spendError,
  toBoolean,
} from './code.ts';
import { compileCall } from './functions.ts';
import { compileMacro, compileOptional } from './macros.ts';
import { compileMethod } from './methods.ts';
import { compileNegation, compileOperator } from './operators.ts';
import type { Node } from './syntax.ts';
import { checkInteger, kindOf, toKey, type Value } from './value.ts';
import { spend, spendCharacters } from './work.ts';

/** Maximum number of operators around a part; longer chains would take the stack. */
const MAX_DEPTH = 256;

/** Compiles any part of an expression: see `Context.compilePart`. Throws {@link ExpressionError}. */
export function compilePart(node: Node, outer: Context): Code {
  const context = { ...outer, depth: outer.depth + 1 };
  const place = placeOf(context, node.pos);
  context.parts.count++;
  spend(context.work, 1, place);
  if (context.depth > MAX_DEPTH) {
    throw new ExpressionError(
      `the expression has more than ${MAX_DEPTH} operators one after the other`,
      place,
    );
  }
  switch (node.op) {
    case 'value':
      return compileLiteral(node, context);
    case 'id':
      return compileName(node.args, context, place);
    case '.':
    case '[]':
    case '.?':
    case '[?]':
      return compileAccess(node, context);
    case 'list':
      return compileList(node.args, context, node.pos);
    case 'map':
      return compileMap(node.args, context, node.pos);
    case '?:':
      return compileTernary(node.args, context);
    case '&&':
    case '||':
      return compileLogical(node.op, node.args, context, node.pos);
    case '!_':
      return compileNot(node.args, context);
    case '-_': {
      const operand = compile(node.args, context);
      requireKind(operand, ['number'], '"-"', place);
      return compileNegation(operand, place);
    }
    case 'call':
      return compileCall(node.args[0], node.args[1], context, place);
    case 'rcall':
      return compileMacro(node, context) ?? compileOptional(node, context) ?? compileMethod(node, context);
    default: {
      const [left, right] = node.args;
      return compileOperator(node.op, compile(left, context), compile(right, context), place);
    }
  }
}

function compileLiteral(node: Node & { op: 'value' }, context: Context): Code {
  const value = node.args;
  if (value instanceof Uint8Array) {
    throw new ExpressionError('bytes are not supported', placeOf(context, node.pos));
  }
  // An unsigned integer, such as 5u, is taken as an integer.
  const plain = typeof value === 'object' && value !== null ? BigInt(value.toString()) : value;
  if (typeof plain === 'bigint') checkInteger(plain, placeOf(context, node.pos));
  const code: Code = { kind: kindOf(plain), evaluate: () => plain };
  return typeof plain === 'string' || typeof plain === 'bigint' ? { ...code, literal: plain } : code;
}

function compileList(nodes: readonly Node[], context: Context, offset: number): Code {
  const place = placeOf(context, offset);
  const items = nodes.map((node) => compile(node, context));
  return {
    kind: 'list',
    evaluate: (evaluation) => {
      spend(evaluation.work, items.length, place);
      return items.map((item) => item.evaluate(evaluation));
    },
  };
}

function compileMap(nodes: readonly (readonly [Node, Node])[], context: Context, offset: number): Code {
  const place = placeOf(context, offset);
  const entries = nodes.map(([keyNode, valueNode]) => {
    const key = compile(keyNode, context);
    const keyPlace = placeOf(context, keyNode.pos);
    requireKind(key, ['text', 'number', 'boolean'], 'a key of an object', keyPlace);
    return { key, keyPlace, value: compile(valueNode, context) };
  });
  return {
    kind: 'object',
    evaluate: (evaluation) => {
      spend(evaluation.work, 2 * entries.length, place);
      const map: Record<string, Value> = {};
      for (const { key, keyPlace, value } of entries) {
        const name = toKey(key.evaluate(evaluation));
        if (name === undefined) {
          throw new ExpressionError('a key of an object must be a text, an integer or a boolean', keyPlace);
        }
        spendCharacters(evaluation.work, name.length, keyPlace);
        if (Object.hasOwn(map, name)) throw new ExpressionError('an object has the same key twice', keyPlace);
        setOwn(map, name, value.evaluate(evaluation));
      }
      return map;
    },
  };
}

function compileTernary(nodes: readonly [Node, Node, Node], context: Context): Code {
  const place = placeOf(context, nodes[0].pos);
  const [condition, yes, no] = [
    compile(nodes[0], context),
    compile(nodes[1], context),
    compile(nodes[2], context),
  ];
  requireKind(condition, ['boolean'], '"?"', place);
  return {
    kind: yes.kind === no.kind ? yes.kind : 'any',
    evaluate: (evaluation) =>
      (toBoolean(condition.evaluate(evaluation), '"?"', place, condition) ? yes : no).evaluate(evaluation),
  };
}

/** `&&` and `||`: as in CEL, an error of one side does not count where the other side decides. */
function compileLogical(
  name: '&&' | '||',
  nodes: readonly [Node, Node],
  context: Context,
  offset: number,
): Code {
  const place = placeOf(context, offset);
  const sides = nodes.map((node) => compile(node, context)) as [Code, Code];
  for (const side of sides) requireKind(side, ['boolean'], `"${name}"`, place);
  const decides = name === '||';
  const decision = (side: Code, evaluation: Evaluation) =>
    toBoolean(side.evaluate(evaluation), `"${name}"`, place, side);
  return {
    kind: 'boolean',
    evaluate: (evaluation) => {
      const [left, right] = sides;
      try {
        if (decision(left, evaluation) === decides) return decides;
      } catch (error) {
        spendError(error, evaluation, place);
        if (decision(right, evaluation) === decides) return decides;
        throw error;
      }
      return decision(right, evaluation);
    },
  };
}

function compileNot(node: Node, context: Context): Code {
  const place = placeOf(context, node.pos);
  const operand = compile(node, context);
  requireKind(operand, ['boolean'], '"!"', place);
  return {
    kind: 'boolean',
    evaluate: (evaluation) => !toBoolean(operand.evaluate(evaluation), '"!"', place, operand),
  };
}
