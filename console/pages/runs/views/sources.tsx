import { isJsonObject, type JsonObject } from '../../../api/json.ts';
import type { Run, StepDefinition } from '../logic/reads.ts';
import { type Source, sourcesOf } from '../logic/sources.ts';
import { Part, StepLink } from './part.tsx';

/** Characters of a value that are shown. */
const MAX_SHOWN = 300;

/** The input of a step, with where each value comes from. */
export function Sources({ run, step }: { readonly run: Run; readonly step: StepDefinition }) {
  const template = step.kind === 'approval' ? (step.payload ?? {}) : step.static_input;
  const outputOf = (id: string): JsonObject | undefined => {
    const output = Object.hasOwn(run.step_results, id) ? run.step_results[id]?.output : undefined;
    return isJsonObject(output) ? output : undefined;
  };
  const sources = sourcesOf(template, isJsonObject(run.input) ? run.input : {}, outputOf);
  const items = step.foreach?.items;
  return (
    <Part title={step.kind === 'approval' ? 'What is shown for it' : 'Input'}>
      {items !== undefined && (
        <p class="faint">
          once for each of <code>{typeof items === 'string' ? items : `${items.length} items`}</code>
        </p>
      )}
      {sources.length === 0 ? (
        <p class="faint">It gets none.</p>
      ) : (
        <dl class="runs-sources">
          {sources.map((source) => (
            <div key={source.path}>
              <dt class="mono">{source.path}</dt>
              <dd>
                <From source={source} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Part>
  );
}

function From({ source: { kind, from, stepId, value } }: { readonly source: Source }) {
  if (kind === 'fixed') return <code>{cut(from)}</code>;
  return (
    <>
      <span class="runs-from">
        ←{' '}
        {stepId === undefined ? (
          <code>{cut(from)}</code>
        ) : (
          <>
            <StepLink id={stepId} />
            <code>{cut(from.slice(stepId.length))}</code>
          </>
        )}
      </span>
      {kind !== 'expression' && (
        <code class="runs-value">{value === undefined ? 'not there (yet)' : cut(JSON.stringify(value))}</code>
      )}
    </>
  );
}

const cut = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : text);
