import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../app/keys.ts';
import { setQuery } from '../../app/router.ts';
import { changing, mayChange } from '../../app/settings.ts';
import { CurlButton } from '../../ui/curl.tsx';
import { Field } from '../../ui/fields.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { Calibration } from './calibration.tsx';
import { Confusion } from './confusion.tsx';
import { evaluate, type Source, wordsOf } from './evaluate.ts';
import { done, failure, run, underWay } from './evaluation-state.ts';
import { Needless } from './needless.tsx';
import { Scores } from './scores.tsx';
import { Tables } from './tables.tsx';
import { NumberField, Thresholds } from './thresholds.tsx';

/** Runs evaluations, and shows the newest one beside one before it. */
export function EvaluationView({ query }: { readonly query: URLSearchParams }) {
  const datasets = useRead('datasets', (api) => api.datasets.$get(), {
    stale: ({ type }) => type === 'inbox.resolved',
  });
  const source = sourceOf(query);
  const start = (): void => {
    if (mayChange() && underWay.value === undefined) void run(source);
  };
  useKeys('Quality', [{ key: 'e', label: 'run the evaluation', run: start }]);
  const [newest, ...before] = done.value;
  const compared = before.find((_, index) => String(index) === (query.get('against') ?? '0'));
  const isBusy = underWay.value !== undefined;
  return (
    <>
      <section class="card quality-form" aria-label="What to evaluate">
        <Field label="Tickets">
          {(control) => (
            <select
              {...control}
              value={source.kind === 'dataset' ? `dataset:${source.id}` : 'synthetic'}
              onChange={({ currentTarget: { value } }) =>
                setQuery({ dataset: value.startsWith('dataset:') ? value.slice('dataset:'.length) : null })
              }
            >
              <option value="synthetic">synthetic, made by the service</option>
              {datasets.value?.datasets.map(({ dataset_id, accepted }) => (
                <option key={dataset_id} value={`dataset:${dataset_id}`}>
                  dataset {dataset_id}: {accepted} accepted
                </option>
              ))}
            </select>
          )}
        </Field>
        {source.kind === 'synthetic' && (
          <>
            <NumberField label="How many" name="size" value={source.size} min={1} max={5_000} />
            <NumberField label="Seed" name="seed" value={source.seed} />
          </>
        )}
        <span class="quality-run">
          <button type="button" class="button-main" aria-disabled={isBusy} {...changing()} onClick={start}>
            {isBusy ? 'Evaluating …' : 'Run'} <kbd>e</kbd>
          </button>
          <CurlButton calls={[{ label: 'Evaluate', call: evaluate(source) }]} />
        </span>
      </section>
      {failure.value && <Failed error={failure.value} retry={start} />}
      {isBusy && <Loading what={`Evaluating ${wordsOf(underWay.value ?? source)}`} rows={4} />}
      {newest === undefined && !isBusy && (
        <Empty>
          Nothing was evaluated on this page yet. An evaluation runs the stages of messages on tickets with
          known answers. It stores nothing, and answers nobody.
        </Empty>
      )}
      {newest && (
        <>
          <Scores newest={newest} before={before} compared={compared} />
          <Thresholds thresholds={newest.result.thresholds} query={query} />
          <div class="quality-halves">
            <Confusion evaluation={newest} query={query} />
            <Calibration evaluation={newest.result} />
          </div>
          <Needless tickets={newest.result.needless} />
          <Tables evaluation={newest.result} compared={compared?.result} />
        </>
      )}
    </>
  );
}

/** The tickets that the URL names; 500 synthetic ones when it names none. */
function sourceOf(query: URLSearchParams): Source {
  const id = query.get('dataset');
  if (id) return { kind: 'dataset', id };
  const size = Math.round(Number(query.get('size') ?? 500));
  const seed = Math.round(Number(query.get('seed') ?? 0));
  return {
    kind: 'synthetic',
    size: Number.isFinite(size) ? Math.min(5_000, Math.max(1, size)) : 500,
    seed: Number.isSafeInteger(seed) ? seed : 0,
  };
}
