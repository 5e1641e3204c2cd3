import { type Fault, pointerTo } from '../../../ui/schema-form/faults.ts';
import { RawJson } from '../../../ui/schema-form/raw-json.tsx';
import type { Json } from '../../../ui/schema-form/schema-form.tsx';
import type { Tools, Workflow } from '../api.ts';

/** Mocks by the ids of steps. */
export type MockTexts = Readonly<Record<string, Json>>;

/** Mocks that a form begins with. */
const MAX_START = 20;

/** Empty mocks for the steps that fail without one: agents, and tools that do not say what they return. */
export function startMocks(workflow: Workflow, tools: Tools): MockTexts {
  const telling = new Set(tools.filter((tool) => tool.output_schema !== undefined).map(({ name }) => name));
  const needing = workflow.steps.filter(
    ({ kind, tool_name }) => kind === 'agent' || (kind === 'tool' && !telling.has(tool_name ?? '')),
  );
  return Object.fromEntries(needing.slice(0, MAX_START).map(({ id }) => [id, { output: {} }]));
}

interface MocksProps {
  readonly workflow: Workflow;
  readonly mocks: MockTexts;
  readonly onChange: (mocks: MockTexts) => void;
  readonly onProblem: (step: string) => (problem: string | undefined) => void;
  /** The faults that the service found, by pointers into the mocks. */
  readonly faults: readonly Fault[];
}

/** The first text of a mock: that of a wait has its duration. */
const startOf = (kind: string | undefined): Json => (kind === 'wait' ? { delay_ms: 0 } : { output: {} });

/** The mocks of a simulation: what steps return in place of their tools, agents, child workflows and waits. */
export function Mocks({ workflow, mocks, onChange, onProblem, faults }: MocksProps) {
  const without = workflow.steps.filter(({ id }) => mocks[id] === undefined);
  const faultOf = (id: string): string | undefined => {
    const at = pointerTo('', id);
    const own = faults.filter(({ pointer }) => pointer === at || pointer.startsWith(`${at}/`));
    return own.length === 0 ? undefined : own.map(({ detail }) => detail).join('; ');
  };
  const remove = (id: string): void => {
    onProblem(id)(undefined);
    onChange(Object.fromEntries(Object.entries(mocks).filter(([name]) => name !== id)));
  };
  return (
    <div class="stack">
      <h3>Mocks</h3>
      <p class="faint">
        What a step returns: <code>output</code>, or an <code>error</code>, and <code>delay_ms</code>; for a
        wait, how it ends and after how long. Without a mock, a tool returns what fits its output schema,
        approvals are approved, waits take their own time, and child workflows are simulated.
      </p>
      {Object.entries(mocks).map(([id, mock]) => (
        <div key={id} class="workflows-mock">
          <RawJson
            label={`Mock of ${id}`}
            value={mock}
            lines={3}
            error={faultOf(id)}
            onProblem={onProblem(id)}
            onChange={(value) => onChange({ ...mocks, [id]: value ?? {} })}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove the mock of ${id}`}
            onClick={() => remove(id)}
          >
            ✕
          </button>
        </div>
      ))}
      {without.length > 0 && (
        <select
          aria-label="Add a mock for a step"
          value=""
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            currentTarget.value = '';
            if (value !== '') {
              const step = workflow.steps.find(({ id }) => id === value);
              onChange({ ...mocks, [value]: startOf(step?.kind) });
            }
          }}
        >
          <option value="">Add a mock for …</option>
          {without.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
