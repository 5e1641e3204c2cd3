import { formatShare } from '../../ui/format.ts';
import type { Evaluation } from './evaluate.ts';

/** The tickets that a person got although they could have been answered, and why. */
export function Needless({ tickets }: { readonly tickets: Evaluation['needless'] }) {
  return (
    <section class="card stack" aria-labelledby="needless">
      <h2 id="needless">Escalated needlessly</h2>
      {tickets.length === 0 ? (
        <p class="faint">None: every ticket that a person got needs one.</p>
      ) : (
        <details>
          <summary>{tickets.length} tickets that could have been answered</summary>
          <ul class="quality-wrongs">
            {tickets.map(({ message, predicted, confidence, reasons }, index) => (
              <li key={index}>
                <span class="number">{formatShare(confidence)}</span>
                <span>
                  {message}{' '}
                  <span class="faint">
                    {predicted.replaceAll('_', ' ')}: {reasons.join(', ').replaceAll('_', ' ')}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
