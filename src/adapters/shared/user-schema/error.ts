/** One issue of a schema. */
export interface SchemaIssue {
  /** A JSON pointer into the schema; empty for the schema as a whole. */
  readonly pointer: string;
  /** What is wrong, safe to show. */
  readonly message: string;
}

/** A schema is not valid, or could take too much work. The message names the first issues. */
export class UserSchemaError extends Error {
  override readonly name = 'UserSchemaError';
  readonly issues: readonly SchemaIssue[];

  constructor(issues: readonly SchemaIssue[]) {
    super(
      issues.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`)).join('; '),
    );
    this.issues = issues;
  }
}
