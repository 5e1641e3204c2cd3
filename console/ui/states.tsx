import type { ComponentChildren } from 'preact';
import type { CallError } from '../api/call.ts';
import type { Read } from '../api/use-read.ts';

interface NoticeProps {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
  readonly children: ComponentChildren;
}

/** A short text in a box: something that the reader should know here. */
export function Notice({ tone = 'plain', children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      {children}
    </div>
  );
}

/** The placeholder of an empty list: the reason, and a next action. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** Bars in the place of what is being read. They appear after a moment, so that quick answers do not flicker. */
export function Loading({ rows = 3, what = 'Reading' }: { readonly rows?: number; readonly what?: string }) {
  return (
    <div class="loading" role="status">
      <span class="only-read">{what} …</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} class="loading-bar" aria-hidden="true" />
      ))}
    </div>
  );
}

/** The failure of a request, in words for the reader, with a button that tries again. */
export function Failed({
  error,
  retry,
}: {
  readonly error: CallError;
  readonly retry?: (() => void) | undefined;
}) {
  return (
    <Notice tone={error.kind === 'busy' ? 'warn' : 'bad'}>
      <p>{explain(error)}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </Notice>
  );
}

/** The words for a failed request. */
export function explain(error: CallError): string {
  const { kind, status, message, retryAfterSeconds } = error;
  if (kind === 'away') return 'The service cannot be reached. What is shown here may be old.';
  if (status === 429) {
    return `Too many requests: ${message}.${retryAfterSeconds === undefined ? '' : ` The next one is accepted in ${retryAfterSeconds} s.`}`;
  }
  if (kind === 'busy') return `The service is busy: ${message}.`;
  if (status === 401) return `The service wants an API key: ${message}.`;
  return message;
}

interface ReadingProps<Value> {
  readonly read: Read<Value>;
  readonly children: (value: Value) => ComponentChildren;
  /** The name of the data that is being read, for screen readers. */
  readonly what?: string;
  readonly rows?: number;
}

/** Shows what was read; and while there is nothing, that it is being read, or why it cannot be. */
export function Reading<Value>({ read, children, what, rows }: ReadingProps<Value>) {
  const { value, error, reload } = read;
  return (
    <>
      {error && <Failed error={error} retry={reload} />}
      {value !== undefined && children(value)}
      {value === undefined && error === undefined && (
        <Loading {...(what !== undefined && { what })} {...(rows !== undefined && { rows })} />
      )}
    </>
  );
}
