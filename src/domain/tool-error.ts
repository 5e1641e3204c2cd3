/**
 * An expected failure of a tool or agent. Its message is shown to users unchanged, unlike that of any other exception.
 * `permanent` means that another attempt would fail too; `safeToRetry` that a `write` has had no effect yet;
 * `notFound` that there is no such thing as the input names, which is permanent and an everyday outcome.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly expose = true;
  readonly permanent: boolean;
  readonly safeToRetry: boolean;
  readonly notFound: boolean;

  constructor(
    message: string,
    options: { permanent?: boolean; safeToRetry?: boolean; notFound?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.notFound = options.notFound ?? false;
    this.permanent = options.permanent ?? this.notFound;
    this.safeToRetry = options.safeToRetry ?? false;
  }
}
