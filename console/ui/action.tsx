import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type AnyResponse, type Body, type Call, type CallError, send, toCallError } from '../api/call.ts';
import { say } from '../app/messages.tsx';
import { changing } from '../app/settings.ts';
import { CurlButton } from './curl.tsx';
import { Dialog } from './dialog.tsx';
import { explain, Failed } from './states.tsx';

interface ActionProps<Answer extends AnyResponse> {
  readonly label: string;
  readonly call: Call<Answer>;
  /** Called with the answer. */
  readonly onDone?: (value: Body<Answer>) => void;
  /**
   * Called with why it failed, in place of a message at the edge of the page: for forms, which show it at their fields.
   */
  readonly onError?: (error: CallError) => void;
  /** The notice when it is done; none when absent. */
  readonly done?: string;
  /** The warning that is shown first, in a dialog. */
  readonly confirm?: ComponentChildren;
  readonly tone?: 'main' | 'plain' | 'bad';
  readonly disabled?: boolean | undefined;
  /** The key that does the same; shown beside the label. */
  readonly shortcut?: string;
  /** The request changes nothing, so that it is allowed where the console is read-only. */
  readonly harmless?: boolean;
}

/** A button that sends a request, with its curl beside it. Errors are shown, never lost. */
export function Action<Answer extends AnyResponse>(props: ActionProps<Answer>) {
  const { label, call, onDone, onError, done, confirm, tone = 'plain', shortcut, harmless = false } = props;
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [error, setError] = useState<CallError>();

  const act = async (): Promise<void> => {
    // A button that is disabled would lose the focus.
    if (isBusy) return;
    setIsBusy(true);
    setError(undefined);
    try {
      const value = await send(call);
      setIsAsking(false);
      if (done !== undefined) say(done, { tone: 'good' });
      onDone?.(value);
    } catch (thrown) {
      const failure = toCallError(thrown);
      setError(failure);
      if (onError !== undefined) onError(failure);
      else if (confirm === undefined) say(`${label}: ${explain(failure)}`, { tone: 'bad', ms: 12_000 });
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <span class="action">
      <button
        type="button"
        class={`button-${tone}`}
        {...(harmless ? { disabled: props.disabled } : changing(props.disabled))}
        aria-disabled={isBusy}
        onClick={() => (confirm === undefined ? void act() : setIsAsking(true))}
      >
        {label}
        {shortcut && <kbd>{shortcut}</kbd>}
      </button>
      <CurlButton calls={[{ label, call }]} />
      {isAsking && (
        <Dialog title={label} onClose={() => setIsAsking(false)}>
          {confirm}
          {error && <Failed error={error} />}
          <footer class="dialog-actions">
            <button type="button" onClick={() => setIsAsking(false)}>
              Leave it
            </button>
            <button type="button" class={`button-${tone}`} aria-disabled={isBusy} onClick={() => void act()}>
              {label}
            </button>
          </footer>
        </Dialog>
      )}
    </span>
  );
}
