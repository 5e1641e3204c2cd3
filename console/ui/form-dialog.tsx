import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type AnyResponse, type Body, type Call, type CallError, send, toCallError } from '../api/call.ts';
import { say } from '../app/messages.tsx';
import { changing } from '../app/settings.ts';
import { CurlButton } from './curl.tsx';
import { Dialog } from './dialog.tsx';
import { Failed } from './states.tsx';

interface FormDialogProps<Answer extends AnyResponse> {
  readonly title: string;
  /** The word on the button that sends. */
  readonly label: string;
  readonly call: Call<Answer>;
  /** Said when it is done; may depend on the answer. */
  readonly done: string | ((value: Body<Answer>) => string);
  readonly onDone: (value: Body<Answer>) => void;
  readonly onClose: () => void;
  /** Called before the request is sent. */
  readonly onSend?: () => void;
  readonly tone?: 'main' | 'bad';
  readonly disabled?: boolean;
  readonly wide?: boolean;
  /** The explanation and the fields; gets the faults that the service found. */
  readonly children: (error: CallError | undefined) => ComponentChildren;
}

/** A dialog with a form that sends one request. A refused request keeps what was typed, and says why. */
export function FormDialog<Answer extends AnyResponse>(props: FormDialogProps<Answer>) {
  const { title, label, call, done, onDone, onClose, onSend, tone = 'main', wide = false, children } = props;
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<CallError>();

  const act = async (): Promise<void> => {
    setIsBusy(true);
    setError(undefined);
    onSend?.();
    try {
      const value = await send(call);
      say(typeof done === 'string' ? done : done(value), { tone: 'good' });
      onClose();
      onDone(value);
    } catch (thrown) {
      setError(toCallError(thrown));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void act();
        }}
      >
        {children(error)}
        {error && <Failed error={error} />}
        <footer class="dialog-actions dialog-form-actions">
          <CurlButton calls={[{ label: title, call }]} />
          <button type="button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" class={`button-${tone}`} {...changing(props.disabled)} aria-disabled={isBusy}>
            {label}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
