import { formatDuration } from '../../ui/format.ts';
import type { Trace } from './trace.ts';

/** The states that a message went through, with the time that it spent in each. */
export function StatePath({ transitions }: { readonly transitions: Trace['state_transitions'] }) {
  return (
    <ol class="messages-path" aria-label="States">
      {transitions.map(({ to, sequence }, index) => {
        const next = transitions[index + 1];
        const tone = to === 'FAILED' ? 'tone-bad' : to === 'COMPLETED' ? 'tone-good' : '';
        return (
          <li key={sequence}>
            <span class={`messages-state ${tone}`}>
              {to === 'FAILED' && '✕ '}
              {to === 'COMPLETED' && '✓ '}
              {to.toLowerCase().replaceAll('_', ' ')}
            </span>
            {next && (
              <span class="messages-time number">
                {formatDuration(next.duration_ms)} <span aria-hidden="true">→</span>
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
