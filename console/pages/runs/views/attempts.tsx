import { formatClock, formatDuration } from '../../../ui/format.ts';
import { Status } from '../../../ui/status.tsx';
import type { StepStory } from '../logic/attempts.ts';
import { Part } from './part.tsx';

interface AttemptsProps {
  readonly story: StepStory;
  /** The number of calls in the record. */
  readonly count: number;
  readonly hasItems: boolean;
}

/** More attempts than this are not shown; those before are. */
const MAX_SHOWN = 50;

/** The attempts of a step, with their errors and the back-off between them. */
export function Attempts({ story: { attempts }, count, hasItems }: AttemptsProps) {
  if (hasItems) {
    return count === 0 ? null : <p class="faint">{count.toLocaleString('en')} calls for all items.</p>;
  }
  // A single one is told by the step itself.
  if (attempts.length < 2) return null;
  return (
    <Part title="Attempts">
      <ol class="runs-attempts">
        {attempts.slice(-MAX_SHOWN).map(({ number, startedAt, endedAt, status, error, delayMs }, index) => (
          <li key={`${number} ${index}`}>
            <span class="number">{number}</span>
            <span>
              <Status of={status} />{' '}
              {startedAt !== undefined && <span class="faint">{formatClock(startedAt)}</span>}{' '}
              {startedAt !== undefined && endedAt !== undefined && (
                <span class="faint">
                  for {formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))}
                </span>
              )}
              {error !== undefined && <span class="runs-error">{error}</span>}
              {delayMs !== undefined && (
                <span class="faint runs-delay">then {formatDuration(delayMs)} of back-off</span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}
