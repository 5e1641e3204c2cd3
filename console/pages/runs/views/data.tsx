import { Json } from '../../../ui/json.tsx';
import type { Definition, Run } from '../logic/reads.ts';

/** Input, output and definition of a run as JSON. */
export function RecordView({
  run,
  definition,
}: {
  readonly run: Run;
  readonly definition: Definition | undefined;
}) {
  return (
    <div class="columns">
      <section class="stack">
        <h2>Input</h2>
        <Json value={run.input} label="Input" />
      </section>
      <section class="stack">
        <h2>Output</h2>
        {run.output === null ? (
          <p class="faint">
            {run.status === 'COMPLETED'
              ? 'The definition makes no output.'
              : 'There is none before it completes.'}
          </p>
        ) : (
          <Json value={run.output} label="Output" />
        )}
      </section>
      <section class="stack">
        <h2>Definition, version {run.version}</h2>
        {definition === undefined ? (
          <p class="faint">The service does not keep this version any more.</p>
        ) : (
          <Json value={definition} label="Definition" />
        )}
      </section>
    </div>
  );
}
