import { formatShare } from '../../ui/format.ts';
import { WithTable } from '../../ui/plots.tsx';
import type { Evaluation } from './evaluate.ts';
import { interval } from './figures.ts';

const SIZE = 300;

/**
 * The calibration of confidences: the share that is right by confidence, with 95 % intervals. A confidence of 0.9
 * should be right nine times of ten.
 */
export function Calibration({ evaluation }: { readonly evaluation: Evaluation }) {
  const bins = evaluation.calibration;
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const y = (share: number): number => (1 - share) * SIZE;
  return (
    <section class="card stack" aria-labelledby="calibration">
      <header class="quality-head">
        <h2 id="calibration">Calibration</h2>
        <span class="faint">off by {formatShare(evaluation.calibration_error)} in the mean</span>
      </header>
      <WithTable
        label="Calibration"
        head={['confidence', 'tickets', 'right', '95 % interval']}
        rows={bins.map(({ from, to, count, accuracy }) => {
          const [low, high] = interval(accuracy ?? 0, count);
          return [
            `${from.toFixed(1)} to ${to.toFixed(1)}`,
            count,
            formatShare(accuracy),
            accuracy === null ? '–' : `${formatShare(low)} to ${formatShare(high)}`,
          ];
        })}
      >
        <svg
          class="quality-calibration"
          viewBox={`-34 -8 ${SIZE + 42} ${SIZE + 40}`}
          role="img"
          aria-label={`Calibration: the confidence is off by ${formatShare(evaluation.calibration_error)} in the mean`}
        >
          {[0, 0.5, 1].map((share) => (
            <g key={share}>
              <line class="quality-grid" x1={0} x2={SIZE} y1={y(share)} y2={y(share)} />
              <text x={-6} y={y(share) + 4} text-anchor="end">
                {share}
              </text>
              <text x={share * SIZE} y={SIZE + 18} text-anchor="middle">
                {share}
              </text>
            </g>
          ))}
          <line class="quality-ideal" x1={0} y1={SIZE} x2={SIZE} y2={0} />
          {bins.map(({ from, to, count, accuracy }) => {
            if (accuracy === null) return null;
            const [low, high] = interval(accuracy, count);
            const x = ((from + to) / 2) * SIZE;
            return (
              <g key={from}>
                <line class="quality-interval" x1={x} x2={x} y1={y(low)} y2={y(high)} />
                <circle class="fill-accent" cx={x} cy={y(accuracy)} r={3 + 5 * Math.sqrt(count / most)} />
              </g>
            );
          })}
          <text x={SIZE / 2} y={SIZE + 30} text-anchor="middle">
            confidence
          </text>
        </svg>
      </WithTable>
      <p class="faint">
        Up: the share that is right. On the dashed line it is what the confidence says. Larger points have
        more tickets.
      </p>
    </section>
  );
}
