import { setQuery } from '../../app/router.ts';
import { formatClock, formatDuration, formatNumber, formatShare } from '../../ui/format.ts';
import { type Evaluation, wordsOf } from './evaluate.ts';
import type { Done } from './evaluation-state.ts';
import { interval } from './figures.ts';

interface Score {
  readonly label: string;
  readonly read: (evaluation: Evaluation) => number | null;
  /** True where a smaller value is the better one. */
  readonly isLowBetter: boolean;
  readonly hint: string;
}

const scores: readonly Score[] = [
  {
    label: 'accuracy',
    read: (e) => e.classification_accuracy,
    isLowBetter: false,
    hint: 'intents that are right',
  },
  { label: 'macro F1', read: (e) => e.macro_f1, isLowBetter: false, hint: 'mean over the intents' },
  {
    label: 'answered wrongly',
    read: (e) => e.answered_wrong_rate,
    isLowBetter: true,
    hint: 'of all messages',
  },
  { label: 'escalated', read: (e) => e.escalation_rate, isLowBetter: true, hint: 'handed to a person' },
  {
    label: 'escalations right',
    read: (e) => e.escalation_accuracy,
    isLowBetter: false,
    hint: 'where they are known',
  },
  {
    label: 'calibration error',
    read: (e) => e.calibration_error,
    isLowBetter: true,
    hint: 'confidence against truth',
  },
  {
    label: 'concerns found',
    read: (e) => e.concerns.recall,
    isLowBetter: false,
    hint: 'of the expected ones',
  },
];

interface ScoresProps {
  readonly newest: Done;
  readonly before: readonly Done[];
  readonly compared: Done | undefined;
}

/** The scores of the newest evaluation, and how they differ from another one. */
export function Scores({ newest, before, compared }: ScoresProps) {
  const { result } = newest;
  const [low, high] = interval(result.classification_accuracy, result.total_tickets);
  return (
    <section class="card stack" aria-labelledby="scores">
      <header class="quality-head">
        <h2 id="scores">
          {wordsOf(newest.source)}, {formatClock(newest.at)}
        </h2>
        <span class="faint">
          {formatNumber(result.total_tickets)} tickets, {formatDuration(result.average_latency_ms)} each
        </span>
        {before.length > 0 && (
          <label class="quality-against">
            against
            <select
              value={compared === undefined ? '0' : String(before.indexOf(compared))}
              onChange={(event) => setQuery({ against: event.currentTarget.value })}
            >
              {before.map((other, index) => (
                <option key={other.at} value={String(index)}>
                  {wordsOf(other.source)}, {formatClock(other.at)}
                </option>
              ))}
            </select>
          </label>
        )}
      </header>
      <dl class="quality-scores">
        {scores.map(({ label, read, isLowBetter, hint }) => {
          const value = read(result);
          const other = compared === undefined ? null : read(compared.result);
          return (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <strong>{formatShare(value)}</strong>
                {value !== null && other !== null && <Change by={value - other} isLowBetter={isLowBetter} />}
              </dd>
              <dd class="faint">{hint}</dd>
            </div>
          );
        })}
      </dl>
      <p class="faint">
        With this many tickets the accuracy lies between {formatShare(low)} and {formatShare(high)}, with 95 %
        certainty. {result.dataset.description}
      </p>
    </section>
  );
}

function Change({ by, isLowBetter }: { readonly by: number; readonly isLowBetter: boolean }) {
  if (Math.abs(by) < 0.0005) return <span class="faint"> same</span>;
  const isBetter = by < 0 === isLowBetter;
  return (
    <span class={isBetter ? 'tone-good' : 'tone-bad'}>
      {' '}
      {by > 0 ? '▲' : '▼'} {(Math.abs(by) * 100).toFixed(1)}{' '}
      <span class="only-read">{isBetter ? 'better' : 'worse'}</span>
    </span>
  );
}
