import { setQuery } from '../../app/router.ts';
import { formatShare } from '../../ui/format.ts';
import { Empty } from '../../ui/states.tsx';
import type { Done } from './evaluation-state.ts';
import { matrixOf } from './figures.ts';

interface ConfusionProps {
  readonly evaluation: Done;
  readonly query: URLSearchParams;
}

/** Which intents are taken for which. A cell opens its messages, as far as the evaluation lists them. */
export function Confusion({ evaluation: { result }, query }: ConfusionProps) {
  const { intents, at, totalOf } = matrixOf(result.confusion);
  const cell = query.get('cell');
  const [expected = '', predicted = ''] = cell?.split('>') ?? [];
  const listed = result.misclassified.filter(
    (one) => one.expected === expected && one.predicted === predicted,
  );
  return (
    <section class="card stack" aria-labelledby="confusion">
      <h2 id="confusion">Confusion</h2>
      <div class="quality-matrix" tabIndex={0} role="region" aria-label="Confusion matrix">
        <table>
          <thead>
            <tr>
              <th scope="col">expected ╲ read as</th>
              {intents.map((intent) => (
                <th key={intent} scope="col">
                  <span>{intent.replaceAll('_', ' ')}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {intents.map((row) => (
              <tr key={row}>
                <th scope="row">{row.replaceAll('_', ' ')}</th>
                {intents.map((column) => {
                  const count = at(row, column);
                  const share = count / Math.max(1, totalOf(row));
                  const level = count === 0 ? 0 : Math.max(1, Math.ceil(share * 4));
                  const tone = row === column ? 'quality-hit' : 'quality-miss';
                  return (
                    <td key={column} class={level === 0 ? 'quality-none' : `${tone}-${level}`}>
                      {count === 0 ? (
                        '·'
                      ) : row === column ? (
                        count
                      ) : (
                        <button
                          type="button"
                          aria-label={`${count} tickets of ${row} read as ${column}`}
                          aria-pressed={cell === `${row}>${column}`}
                          onClick={() =>
                            setQuery({ cell: cell === `${row}>${column}` ? null : `${row}>${column}` })
                          }
                        >
                          {count}
                        </button>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cell && (
        <div class="stack" role="status">
          <h3>
            {expected} read as {predicted}: {at(expected, predicted)}
          </h3>
          {listed.length === 0 ? (
            <Empty>
              The service lists the first 1,000 wrong tickets of an evaluation. None of this cell is among
              them.
            </Empty>
          ) : (
            <ul class="quality-wrongs">
              {listed.map((one, index) => (
                <li key={index}>
                  <span class="number">{formatShare(one.confidence)}</span> {one.message}
                </li>
              ))}
            </ul>
          )}
          {listed.length > 0 && listed.length < at(expected, predicted) && (
            <p class="faint">Of the first 1,000 wrong tickets, which is what the service lists.</p>
          )}
        </div>
      )}
    </section>
  );
}
