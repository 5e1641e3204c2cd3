import { useState } from 'preact/hooks';
import type { Answered, Call } from '../../../api/call.ts';
import type { Client } from '../../../api/client.ts';
import { useRead } from '../../../api/use-read.ts';
import { setQuery } from '../../../app/router.ts';
import { CurlButton } from '../../../ui/curl.tsx';
import { Field } from '../../../ui/fields.tsx';
import { faultsUnder } from '../../../ui/schema-form/faults.ts';
import { type Json, SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import { Failed, Reading } from '../../../ui/states.tsx';
import { readTools, readVersions, type Tools, toInput, type Workflow } from '../api.ts';
import { useSend } from '../use-send.ts';
import { Mocks, startMocks } from './mocks.tsx';
import { Simulated } from './simulated.tsx';

type Simulate = Client['workflows'][':id']['simulate']['$post'];
type Body = NonNullable<Parameters<Simulate>[0]['json']>;
type Answer = Awaited<ReturnType<Simulate>>;
const example = (api: Client) => api.workflows[':id'].simulate.$post({ param: { id: '' }, json: {} });
/** The answer of a simulation. */
export type SimulatedRun = Answered<typeof example>;

interface SimulateViewProps {
  readonly workflow: Workflow;
  readonly query: URLSearchParams;
}

/** Runs a stored version without touching anything: what would run, and what would come out. */
export function SimulateView({ workflow, query }: SimulateViewProps) {
  const versions = useRead(`versions of ${workflow.id}`, readVersions(workflow.id));
  const tools = useRead('tools with effects', readTools);
  const wanted = Number(query.get('version') ?? workflow.version);
  const chosen = versions.value?.versions.find(({ version }) => version === wanted) ?? workflow;
  return (
    <Reading read={tools} what="Reading the tools">
      {({ tools }) => (
        <Form
          key={chosen.version}
          workflow={chosen}
          tools={tools}
          versions={versions.value?.versions.map(({ version }) => version) ?? [workflow.version]}
        />
      )}
    </Reading>
  );
}

interface FormProps {
  readonly workflow: Workflow;
  readonly tools: Tools;
  readonly versions: readonly number[];
}

function Form({ workflow, tools, versions }: FormProps) {
  const { id, version, input_schema } = workflow;
  const [input, setInput] = useState<Json>({});
  const [mocks, setMocks] = useState(() => startMocks(workflow, tools));
  const [problems, setProblems] = useState<ReadonlySet<string>>(new Set());
  const [result, setResult] = useState<SimulatedRun>();
  const sending = useSend<Answer>({ harmless: true });
  const { error } = sending;
  const noteProblem = (of: string) => (problem: string | undefined) => {
    const rest = [...problems].filter((other) => other !== of);
    setProblems(new Set(problem === undefined ? rest : [...rest, of]));
  };
  const call: Call<Answer> = (api) =>
    api.workflows[':id'].simulate.$post({
      param: { id },
      // The service says what is wrong with a mock.
      json: { input: toInput(input), mocks: mocks as Body['mocks'], version },
    });
  const simulate = async (): Promise<void> => {
    const run = await sending.send(call);
    if (run !== undefined) setResult(run);
  };
  const faults = error?.faults ?? [];
  return (
    <div class="stack">
      <form
        class="card stack"
        aria-labelledby="simulate"
        onSubmit={(event) => {
          event.preventDefault();
          void simulate();
        }}
      >
        <div class="workflows-acts">
          <h2 id="simulate">Simulate</h2>
          <div class="workflows-choice">
            <Field label="version">
              {(control) => (
                <select
                  {...control}
                  value={String(version)}
                  onChange={({ currentTarget }) => setQuery({ version: currentTarget.value })}
                >
                  {versions.map((one) => (
                    <option key={one} value={String(one)}>
                      version {one}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
        </div>
        <p class="faint">
          No tool and no agent is called, nobody is asked, nothing is recorded, and waits take no time.
        </p>
        <div class="columns">
          <div class="stack">
            <h3>Input</h3>
            <SchemaForm
              schema={input_schema ?? null}
              value={input}
              onChange={setInput}
              onProblem={noteProblem('input')}
              faults={faultsUnder(faults, '/input')}
            />
          </div>
          <Mocks
            workflow={workflow}
            mocks={mocks}
            onChange={setMocks}
            onProblem={noteProblem}
            faults={faultsUnder(faults, '/mocks')}
          />
        </div>
        {error && <Failed error={error} />}
        <div class="workflows-acts">
          <button type="submit" class="button-main" disabled={sending.isBusy || problems.size > 0}>
            {sending.isBusy ? 'Simulating …' : 'Simulate'}
          </button>
          <CurlButton calls={[{ label: 'Simulate', call }]} />
        </div>
      </form>
      {result && <Simulated workflow={workflow} run={result} />}
    </div>
  );
}
