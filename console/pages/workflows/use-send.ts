import { useState } from 'preact/hooks';
import { type AnyResponse, type Body, type Call, type CallError, send, toCallError } from '../../api/call.ts';
import { settings } from '../../app/settings.ts';

/** A request that is sent on demand. */
export interface Sending<Answer extends AnyResponse> {
  readonly isBusy: boolean;
  /** The failure of the last request; undefined after one that succeeded. */
  readonly error: CallError | undefined;
  /** True for a read-only console. */
  readonly isRefused: boolean;
  /** Sends it; undefined when it failed. */
  readonly send: (call: Call<Answer>) => Promise<Body<Answer> | undefined>;
  readonly clear: () => void;
}

/**
 * Sends requests of a form, whose faults are shown at its fields. `harmless` ones are sent in a read-only console too.
 */
export function useSend<Answer extends AnyResponse>({ harmless = false } = {}): Sending<Answer> {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  return {
    isBusy,
    error,
    isRefused: settings.value.read_only && !harmless,
    clear: () => setError(undefined),
    async send(call) {
      setIsBusy(true);
      setError(undefined);
      try {
        return await send(call);
      } catch (thrown) {
        setError(toCallError(thrown));
        return undefined;
      } finally {
        setIsBusy(false);
      }
    },
  };
}
