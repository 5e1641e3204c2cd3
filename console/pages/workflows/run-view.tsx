import { useState } from 'preact/hooks';
import { goTo, hrefTo } from '../../app/router.ts';
import { CurlButton } from '../../ui/curl.tsx';
import { Field } from '../../ui/fields.tsx';
import { faultsUnder } from '../../ui/schema-form/faults.ts';
import { type Json, SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { Failed } from '../../ui/states.tsx';
import { run, type Workflow } from './api.ts';
import { EffectsList } from './effects-list.tsx';
import { useSend } from './use-send.ts';

/** Seconds that the page waits for the end of a run, where the reader wants to. */
const WAIT_SECONDS = 20;

/** Runs a workflow with an input, after what it does was shown. */
export function RunView({ workflow }: { readonly workflow: Workflow }) {
  const { id, input_schema } = workflow;
  const [input, setInput] = useState<Json>({});
  const [problem, setProblem] = useState<string>();
  const [waits, setWaits] = useState(false);
  const sending = useSend<Awaited<ReturnType<ReturnType<typeof run>>>>();
  const call = run(id, input, waits ? WAIT_SECONDS : undefined);
  const start = async (): Promise<void> => {
    const execution = await sending.send(call);
    if (execution !== undefined) goTo(hrefTo(['runs', execution.execution_id]));
  };
  const { error } = sending;
  return (
    <div class="split">
      <form
        class="card stack"
        aria-labelledby="run"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <h2 id="run">Run version {workflow.version}</h2>
        {input_schema === undefined && (
          <p class="faint">The workflow has no input schema: any object will do.</p>
        )}
        <SchemaForm
          schema={input_schema ?? null}
          value={input}
          onChange={setInput}
          onProblem={setProblem}
          faults={error === undefined ? [] : faultsUnder(error.faults, '/input')}
        />
        <Field label="How">
          {(control) => (
            <select
              {...control}
              value={waits ? 'wait' : 'background'}
              onChange={({ currentTarget }) => setWaits(currentTarget.value === 'wait')}
            >
              <option value="background">in the background: go to the run at once</option>
              <option value="wait">wait for its end, at most {WAIT_SECONDS} s, then go to it</option>
            </select>
          )}
        </Field>
        {error && <Failed error={error} />}
        <div class="workflows-acts">
          <button
            type="submit"
            class="button-main"
            disabled={sending.isBusy || sending.isRefused || problem !== undefined}
          >
            {sending.isBusy ? 'Running …' : 'Run'}
          </button>
          <CurlButton calls={[{ label: 'Run', call }]} />
          {sending.isRefused && <span class="faint">The console is read-only.</span>}
        </div>
      </form>
      <section class="card stack" aria-labelledby="effects">
        <h2 id="effects">What it will do</h2>
        <EffectsList workflow={workflow} />
      </section>
    </div>
  );
}
