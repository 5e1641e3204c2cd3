/** An expression within the text that a user wrote. */
export interface Source {
  readonly expression: string;
  /** UTF-16 units from the start of the text to the expression. */
  readonly offset: number;
  /** The line of the text in which the expression starts, from 1. */
  readonly line: number;
  /** The column at which the expression starts, from 1. */
  readonly column: number;
}

/** A place in an expression. */
export interface Place {
  readonly source: Source;
  /** UTF-16 units from the start of the expression. */
  readonly offset: number;
}

/** A whole text as an expression. */
export function sourceOf(expression: string): Source {
  return { expression, offset: 0, line: 1, column: 1 };
}

/** An expression that begins after `before` in a text that contains it; `start` is where `before` begins. */
export function sourceAfter(start: Source, before: string, expression: string): Source {
  const lines = before.split('\n').length - 1;
  const column = before.length - before.lastIndexOf('\n');
  return {
    expression,
    offset: start.offset + before.length,
    line: start.line + lines,
    column: lines === 0 ? start.column + column - 1 : column,
  };
}

/** Where an error is, within a JSON value. */
interface Location {
  readonly path: readonly string[];
  readonly offset: number | undefined;
}

/** An expression is not valid or cannot be evaluated. The message is safe to show: it contains none of the values. */
export class ExpressionError extends Error {
  override readonly name: string = 'ExpressionError';
  /** UTF-16 units from the start of the text that contains the expression; undefined when no place is known. */
  readonly offset: number | undefined;
  /** The keys that lead to that text, for a template within a JSON value; else empty. */
  readonly path: readonly string[];

  constructor(message: string, place?: Place, location: Partial<Location> = {}) {
    super(place === undefined ? message : `${message} (${describePlace(place)})`);
    this.offset = place === undefined ? location.offset : place.source.offset + place.offset;
    this.path = location.path ?? [];
  }
}

/**
 * An evaluation takes too much work. Unlike other errors it ends the evaluation even beside `||`, which ignores errors.
 */
export class WorkLimitError extends ExpressionError {
  override readonly name = 'WorkLimitError';
}

function describePlace({ source, offset }: Place): string {
  const { line, column } = sourceAfter(source, source.expression.slice(0, offset), '');
  return line === 1 ? `column ${column}` : `line ${line}, column ${column}`;
}
