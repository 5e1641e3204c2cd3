/**
 * An expected failure of a tool or agent. Its message is shown to users unchanged, unlike that of any other exception.
 * `permanent` means that another attempt would fail too; `safeToRetry` that a `write` has had no effect yet.
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
