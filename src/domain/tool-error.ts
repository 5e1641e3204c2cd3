/**
 * A failure that a tool or agent means to tell: its message reaches users as it stands, unlike that of any
 * other exception. `permanent` says that another attempt is useless; `safeToRetry` that a `write` did nothing yet.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly expose = true;
  readonly permanent: boolean;
  readonly safeToRetry: boolean;

  constructor(
    message: string,
    options: { permanent?: boolean; safeToRetry?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.permanent = options.permanent ?? false;
    this.safeToRetry = options.safeToRetry ?? false;
  }
}
