import { setQuery } from '../../app/router.ts';
import { Field, useTyped } from '../../ui/fields.tsx';
import { formatNumber, formatShare } from '../../ui/format.ts';
import { WithTable } from '../../ui/plots.tsx';
import type { Evaluation } from './evaluate.ts';
import { cheapest, lowestWithin, type Outcome, outcomesOf } from './figures.ts';

const WIDTH = 1_000;
const HEIGHT = 160;

interface ThresholdsProps {
  readonly thresholds: Evaluation['thresholds'];
  readonly query: URLSearchParams;
}

/**
 * The outcomes of each threshold: the reader drags the line, or names the bearable share of wrong answers, and sees the
 * shares of answered, wrong and escalated messages, and their cost.
 */
export function Thresholds({ thresholds, query }: ThresholdsProps) {
  const prices = { wrong: numberOf(query, 'wrong', 4), person: numberOf(query, 'person', 2) };
  const outcomes = outcomesOf(thresholds, prices);
  const best = cheapest(outcomes);
  const bound = numberOf(query, 'bound', 5);
  const within = lowestWithin(outcomes, bound / 100);
  const named = Number(query.get('threshold') ?? best?.threshold ?? 0);
  const chosen = outcomes.reduce<Outcome | undefined>(
    (nearest, outcome) =>
      nearest === undefined || Math.abs(outcome.threshold - named) < Math.abs(nearest.threshold - named)
        ? outcome
        : nearest,
    undefined,
  );
  if (chosen === undefined || best === undefined) return null;
  const choose = (threshold: number): void => setQuery({ threshold: String(threshold) }, { replace: true });
  return (
    <section class="card stack" aria-labelledby="thresholds">
      <header class="quality-head">
        <h2 id="thresholds">Threshold explorer</h2>
        <span class="faint">A message whose confidence is below the threshold goes to a person.</span>
      </header>
      <div class="quality-explorer">
        <WithTable
          label="Thresholds, for 1,000 messages"
          head={['threshold', 'right', 'wrong', 'to a person', 'cost']}
          rows={outcomes.map(({ threshold, right, wrong, person, cost }) => [
            threshold.toFixed(2),
            Math.round(right),
            Math.round(wrong),
            Math.round(person),
            formatNumber(Math.round(cost)),
          ])}
        >
          <Areas outcomes={outcomes} chosen={chosen} best={best} />
          <input
            class="quality-slider"
            type="range"
            min={0}
            max={1}
            step={0.05}
            value={chosen.threshold}
            aria-label="Threshold"
            aria-valuetext={`${chosen.threshold.toFixed(2)}: ${Math.round(chosen.wrong)} of 1,000 wrong, ${Math.round(chosen.person)} to a person`}
            onInput={(event) => choose(Number(event.currentTarget.value))}
          />
          <div class="quality-axis" aria-hidden="true">
            <span>0</span>
            <span>0.5 · ┆ cheapest, │ chosen</span>
            <span>1</span>
          </div>
        </WithTable>
        <div class="stack">
          <dl class="quality-outcome">
            <dt>threshold</dt>
            <dd>{chosen.threshold.toFixed(2)}</dd>
            <dt>
              <span class="quality-swatch quality-right" aria-hidden="true" /> answered rightly
            </dt>
            <dd>{formatShare(chosen.right / 1_000)}</dd>
            <dt>
              <span class="quality-swatch quality-wrong" aria-hidden="true" /> answered wrongly
            </dt>
            <dd>{formatShare(chosen.wrong / 1_000)}</dd>
            <dt>
              <span class="quality-swatch quality-person" aria-hidden="true" /> to a person
            </dt>
            <dd>{formatShare(chosen.person / 1_000)}</dd>
            <dt>cost of 1,000 messages</dt>
            <dd>{formatNumber(Math.round(chosen.cost))}</dd>
          </dl>
          <div class="quality-prices">
            <NumberField label="A wrong answer costs" name="wrong" value={prices.wrong} min={0} />
            <NumberField label="A person’s answer costs" name="person" value={prices.person} min={0} />
            <NumberField label="Wrong answers at most, %" name="bound" value={bound} min={0} />
          </div>
          <div class="quality-jumps">
            <button type="button" onClick={() => choose(best.threshold)}>
              Cheapest: {best.threshold.toFixed(2)}
            </button>
            <button
              type="button"
              disabled={within === undefined}
              onClick={() => within && choose(within.threshold)}
            >
              {within === undefined
                ? `No threshold has at most ${bound} % wrong`
                : `At most ${bound} % wrong: ${within.threshold === 0 ? 'any threshold' : within.threshold.toFixed(2)}`}
            </button>
          </div>
          <p class="faint">
            Set it as <code>ESCALATION_THRESHOLD</code>, or for one intent as <code>threshold</code> in the
            playbook.
          </p>
        </div>
      </div>
    </section>
  );
}

function numberOf(query: URLSearchParams, name: string, fallback: number): number {
  const value = Number(query.get(name) ?? fallback);
  return Number.isFinite(value) && value >= 0 ? value : fallback;
}

interface NumberFieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: number;
  readonly min?: number;
  readonly max?: number;
}

/** A field for a number, kept in the URL under its name. */
export function NumberField({ label, name, value, ...range }: NumberFieldProps) {
  const typed = useTyped(String(value), (text) => setQuery({ [name]: text }, { replace: true }));
  return (
    <Field label={label}>
      {(control) => <input {...control} {...typed} {...range} type="number" step="any" />}
    </Field>
  );
}

interface AreasProps {
  readonly outcomes: readonly Outcome[];
  readonly chosen: Outcome;
  readonly best: Outcome;
}

/**
 * The outcomes of a thousand messages, over the threshold: rightly answered below, wrong ones, then those for people.
 */
function Areas({ outcomes, chosen, best }: AreasProps) {
  const x = (threshold: number): number => threshold * WIDTH;
  const y = (share: number): number => (1 - share / 1_000) * HEIGHT;
  const area = (low: (outcome: Outcome) => number, high: (outcome: Outcome) => number): string => {
    const up = outcomes.map((outcome) => `${x(outcome.threshold)},${y(high(outcome))}`);
    const down = outcomes.map((outcome) => `${x(outcome.threshold)},${y(low(outcome))}`);
    return [...up, ...down.toReversed()].join(' ');
  };
  return (
    <svg
      class="quality-areas"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Outcomes by threshold. The cheapest is ${best.threshold.toFixed(2)}.`}
    >
      <polygon
        class="quality-right"
        points={area(
          () => 0,
          (outcome) => outcome.right,
        )}
      />
      <polygon
        class="quality-wrong"
        points={area(
          (outcome) => outcome.right,
          (outcome) => outcome.right + outcome.wrong,
        )}
      />
      <polygon
        class="quality-person"
        points={area(
          (outcome) => outcome.right + outcome.wrong,
          (outcome) => outcome.right + outcome.wrong + outcome.person,
        )}
      />
      <line class="quality-best" x1={x(best.threshold)} x2={x(best.threshold)} y1={0} y2={HEIGHT} />
      <line class="quality-line" x1={x(chosen.threshold)} x2={x(chosen.threshold)} y1={0} y2={HEIGHT} />
    </svg>
  );
}
