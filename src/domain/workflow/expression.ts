import type { JsonValue } from '../../lib/json/json.ts';

/** The kinds of values that an expression can evaluate to; `any` where only its evaluation shows it. */
export type ExpressionKind =
  | 'null'
  | 'boolean'
  | 'number'
  | 'text'
  | 'list'
  | 'object'
  | 'timestamp'
  | 'duration'
  | 'any';

/**
 * The values that an expression may read, by the name of their root: JSON, and objects whose members may be timestamps.
 */
export interface ExpressionValues {
  readonly [root: string]: JsonValue | { readonly [member: string]: JsonValue | Date };
}

/** A parsed expression. */
export interface Expression {
  readonly kind: ExpressionKind;
  /**
   * The paths that it reads, each as a list of keys that begins with a root, such as `['steps', 'my-step', 'total']`. A
   * path ends before an index that is not a literal.
   */
  readonly references: readonly (readonly string[])[];
  /** The value. Its work is bounded. Throws `InputError`, whose message is safe to show. */
  evaluate(values: ExpressionValues): JsonValue;
}

/** Texts that contain expressions as `${{ … }}`, parsed together. */
export interface TextTemplates {
  /** As in {@link Expression}, of all texts. */
  readonly references: readonly (readonly string[])[];
  /**
   * The value of each text, in order: a text that is wholly one `${{ … }}` becomes the value with its type, embedded
   * ones become text. The work is bounded for all of them together. Throws `InputError`.
   */
  evaluate(values: ExpressionValues): readonly JsonValue[];
}

/** A text with its place in the definition, such as `static_input.note`. */
export interface PlacedText {
  readonly place: string;
  readonly text: string;
}

/** The work that is left for parsing. What is parsed with one budget takes from it, so that all of it is bounded. */
export interface ParseBudget {
  /** Units of up to about 100 ns. */
  left: number;
}

/**
 * The language of the expressions in definitions. Every member throws `InputError` for what is not valid, with its
 * place.
 */
export interface ExpressionLanguage {
  /** Parses an expression that may read the roots by name. The work is bounded, also by `budget`. */
  parse(source: string, roots: readonly string[], budget?: ParseBudget): Expression;
  /**
   * Parses the expression of a text that is wholly one `${{ … }}`; any other text is not valid. The bounds are the
   * same.
   */
  parseWhole(text: string, roots: readonly string[], budget?: ParseBudget): Expression;
  /**
   * Parses texts; `$${{` is a literal `${{`. The work is bounded for all of them together, also by `budget`. The errors
   * of parsing and of evaluation begin with the place of the text.
   */
  parseTexts(texts: readonly PlacedText[], roots: readonly string[], budget?: ParseBudget): TextTemplates;
}
