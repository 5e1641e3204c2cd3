import { ExpressionError } from '../../shared/expressions/expression.ts';

/** Something that is wrong in the definition of a tool. */
export interface HttpToolIssue {
  /** The way to it from the definition, such as `['request', 'url']`. */
  readonly path: readonly (string | number)[];
  /** Contains no secret. */
  readonly message: string;
}

/** The definition of a tool is not valid. The message tells all issues. */
export class HttpToolError extends Error {
  override readonly name = 'HttpToolError';
  readonly issues: readonly HttpToolIssue[];

  constructor(toolName: string, issues: readonly HttpToolIssue[]) {
    const texts = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    super(`the tool "${toolName}" is not valid: ${texts.join('; ')}`);
    this.issues = issues;
  }
}

/** Collects the issues of a definition. */
export type Report = (path: readonly (string | number)[], message: string) => void;

/** Uses an expression or template; reports its error under `path`. Returns undefined then. */
export function tryParse<T>(
  report: Report,
  path: readonly (string | number)[],
  parse: () => T,
): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(path, error.message);
    return undefined;
  }
}
