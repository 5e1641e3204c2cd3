import { formatShare } from '../../ui/format.ts';
import type { Evaluation } from './evaluate.ts';

interface TablesProps {
  readonly evaluation: Evaluation;
  readonly compared: Evaluation | undefined;
}

/** The scores by intent and by concern, and what was done with the tickets. */
export function Tables({ evaluation, compared }: TablesProps) {
  const intents = Object.entries(evaluation.per_intent).toSorted(([, a], [, b]) => a.f1 - b.f1);
  const concerns = Object.entries(evaluation.concerns.per_concern);
  const reasons = Object.entries(evaluation.escalation_reasons).toSorted(([, a], [, b]) => b - a);
  return (
    <div class="quality-halves">
      <section class="card" aria-labelledby="intents">
        <h2 id="intents">By intent, the weakest first</h2>
        <div class="quality-table" tabIndex={0} role="region" aria-label="Scores by intent">
          <table>
            <thead>
              <tr>
                <th scope="col">intent</th>
                <th scope="col">tickets</th>
                <th scope="col">precision</th>
                <th scope="col">recall</th>
                <th scope="col">F1</th>
                {compared && <th scope="col">F1 before</th>}
              </tr>
            </thead>
            <tbody>
              {intents.map(([name, { precision, recall, f1, support }]) => (
                <tr key={name}>
                  <th scope="row">{name.replaceAll('_', ' ')}</th>
                  <td class="number">{support}</td>
                  <td class="number">{formatShare(precision)}</td>
                  <td class="number">{formatShare(recall)}</td>
                  <td class="number">{formatShare(f1)}</td>
                  {compared && <td class="number">{formatShare(compared.per_intent[name]?.f1)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <div class="stack">
        <section class="card" aria-labelledby="concerns">
          <h2 id="concerns">Concerns</h2>
          {concerns.length === 0 ? (
            <p class="faint">No ticket says which concerns it has.</p>
          ) : (
            <table>
              <thead>
                <tr>
                  <th scope="col">concern</th>
                  <th scope="col">tickets</th>
                  <th scope="col">found</th>
                  <th scope="col">right</th>
                </tr>
              </thead>
              <tbody>
                {concerns.map(([name, { recall, precision, support }]) => (
                  <tr key={name}>
                    <th scope="row">{name.replaceAll('_', ' ')}</th>
                    <td class="number">{support}</td>
                    <td class="number">{formatShare(recall)}</td>
                    <td class="number">{formatShare(precision)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
        <section class="card" aria-labelledby="reasons">
          <h2 id="reasons">Why messages went to a person</h2>
          {reasons.length === 0 ? (
            <p class="faint">None did.</p>
          ) : (
            <dl class="pairs">
              {reasons.map(([name, count]) => (
                <div key={name} class="quality-reason">
                  <dt>{name.replaceAll('_', ' ')}</dt>
                  <dd class="number">{count}</dd>
                </div>
              ))}
            </dl>
          )}
        </section>
      </div>
    </div>
  );
}
