import type { ComponentChildren } from 'preact';
import type { EventResponse } from '../../../api/client.ts';
import { goTo, hrefTo, setQuery } from '../../../app/router.ts';
import { settings } from '../../../app/settings.ts';
import { Action } from '../../../ui/action.tsx';
import { Effect } from '../../../ui/effect.tsx';
import { formatTime, shortId } from '../../../ui/format.ts';
import { Json } from '../../../ui/json.tsx';
import { Notice } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { Lasting } from '../../../ui/time.tsx';
import type { Opened } from '../actions/opened.ts';
import { type StepStory, storyOf } from '../logic/attempts.ts';
import { callOf, type Effects, effectOf } from '../logic/plan.ts';
import type { Definition, Run, StepResult } from '../logic/reads.ts';
import { itemsOf } from '../logic/tree.ts';
import { Attempts } from './attempts.tsx';
import { Items } from './items.tsx';
import { Part, StepLink } from './part.tsx';
import { Sources } from './sources.tsx';

/** The value in the URL for no chosen step: no id of a step begins like it. */
const NO_STEP = ':';

interface InspectorProps {
  readonly run: Run;
  readonly definition: Definition | undefined;
  readonly effects: Effects | undefined;
  readonly result: StepResult;
  /** The step as the URL has it: `book:3` is an item of `book`; empty for the step that is shown at first. */
  readonly chosen: string;
  readonly events: readonly EventResponse[];
  readonly onOpen: (opened: Opened) => void;
}

/** Everything about one step of a run. */
export function Inspector({ run, definition, effects, result, chosen, events, onOpen }: InspectorProps) {
  const step = definition?.steps.find(({ id }) => id === result.step_id);
  const story = storyOf(events, result.step_id);
  const hasItems = step?.foreach !== undefined;
  const { step_id, kind, status, error, output, started_at, completed_at, duration_ms } = result;
  const [, index] = chosen.split(':');
  // Failed items that run again have the keys of the run before.
  const mayHaveOtherKeys = run.rerun_of !== null && (hasItems || run.parent_execution_id !== null);
  return (
    <aside class="card stack runs-inspector" aria-label={`Step ${step_id}`}>
      <header class="runs-inspector-head">
        <h2 class="mono">{step_id}</h2>
        <Status of={status} />
        <button
          type="button"
          class="quiet"
          aria-label="Close the step"
          onClick={() => setQuery({ step: NO_STEP })}
        >
          ✕
        </button>
      </header>
      <dl class="pairs">
        <Pair name="Calls">
          {callOf(step, kind)}
          {step?.workflow_id !== undefined && (
            <>
              {' '}
              <a href={hrefTo(['workflows', step.workflow_id])}>{shortId(step.workflow_id)}</a>
            </>
          )}
        </Pair>
        {effects !== undefined && (
          <Pair name="Effect">
            <Effect of={effectOf(step, effects)} />
          </Pair>
        )}
        {step !== undefined && step.depends_on.length > 0 && (
          <Pair name="After">
            <span class="runs-decide">
              {step.depends_on.map((id) => (
                <StepLink key={id} id={id} />
              ))}
            </span>
          </Pair>
        )}
        {step?.when !== undefined && (
          <Pair name="When">
            <code>{step.when}</code>
          </Pair>
        )}
        <Pair name="Started">{started_at === null ? '–' : formatTime(started_at)}</Pair>
        {completed_at !== null && <Pair name="Ended">{formatTime(completed_at)}</Pair>}
        <Pair name="Duration">
          {story.isCopied ? (
            'copied from the run that this one reruns'
          ) : (
            <Lasting from={started_at} ms={duration_ms} />
          )}
        </Pair>
        {kind === 'tool' && !mayHaveOtherKeys && (
          <Pair name="Key">
            <span class="mono" title="The idempotency key that the tool gets">
              {run.execution_id}:{step_id}
              {hasItems && ':<index>'}
            </span>
          </Pair>
        )}
      </dl>
      <StepActions
        run={run}
        result={result}
        onOpen={onOpen}
        isChosen={chosen !== ''}
        hasFailedItems={hasItems && !story.isCopied && hasFailedItems(result, story)}
      />
      {error !== null && <Notice tone="bad">{error}</Notice>}
      <Why story={story} />
      <Attempts story={story} count={result.attempts} hasItems={hasItems} />
      {step !== undefined && <Sources run={run} step={step} />}
      {hasItems ? (
        <Items items={itemsOf(output)} progress={story.progress} chosen={index} stepId={step_id} />
      ) : (
        output !== null && (
          <Part title="Output">
            <Json value={output} label={`Output of ${step_id}`} />
          </Part>
        )
      )}
    </aside>
  );
}

/** True where items of a step with `foreach` have not completed. */
function hasFailedItems({ status, output }: StepResult, { progress }: StepStory): boolean {
  if (status === 'COMPLETED') return itemsOf(output).some(({ error }) => error !== undefined);
  return progress !== undefined && (status === 'FAILED' || status === 'CANCELLED');
}

interface StepActionsProps extends Pick<InspectorProps, 'run' | 'result' | 'onOpen'> {
  readonly isChosen: boolean;
  readonly hasFailedItems: boolean;
}

function StepActions({ run, result, isChosen, hasFailedItems, onOpen }: StepActionsProps) {
  const waits = run.waiting_for.filter(({ step_id }) => step_id === result.step_id);
  const approval = waits.find(({ kind, item_id }) => kind === 'approval' && item_id !== undefined);
  const recovery = waits.find(({ kind }) => kind === 'recovery');
  const child = waits.find(({ kind }) => kind === 'workflow')?.execution_id ?? childOf(result.output);
  const disabled = settings.value.read_only;
  return (
    <div class="runs-decide">
      {run.actions.includes('rerun') && (
        <button
          type="button"
          disabled={disabled}
          onClick={() => onOpen({ kind: 'rerun', fromStep: result.step_id })}
        >
          Rerun from here {isChosen && <kbd>e</kbd>}
        </button>
      )}
      {run.actions.includes('rerun') && hasFailedItems && (
        <Action
          label="Run failed items again"
          call={(api) =>
            api.runs[':execution_id'].rerun.$post({
              param: { execution_id: run.execution_id },
              json: { from_step: result.step_id, items: 'failed', background: true },
            })
          }
          done="The new run has begun"
          onDone={({ execution_id }) => goTo(hrefTo(['runs', execution_id]))}
          confirm={
            <p>
              A new run begins. It copies the items that have completed, runs the others with the same
              idempotency keys as before, and then what depends on this step.
            </p>
          }
        />
      )}
      {approval && (
        <>
          <button
            type="button"
            disabled={disabled}
            onClick={() => onOpen({ kind: 'approved', wait: approval })}
          >
            Approve <kbd>a</kbd>
          </button>
          <button
            type="button"
            disabled={disabled}
            onClick={() => onOpen({ kind: 'rejected', wait: approval })}
          >
            Reject <kbd>x</kbd>
          </button>
        </>
      )}
      {recovery && (
        <button type="button" disabled={disabled} onClick={() => onOpen({ kind: 'resolve', wait: recovery })}>
          Say what happened <kbd>d</kbd>
        </button>
      )}
      {child !== undefined && <a href={hrefTo(['runs', child])}>its run {shortId(child)}</a>}
    </div>
  );
}

/** The run that a step of the kind `workflow` had, from its output. */
function childOf(output: StepResult['output']): string | undefined {
  const id = output?.['execution_id'];
  return typeof id === 'string' ? id : undefined;
}

function Why({ story: { skipped } }: { readonly story: StepStory }) {
  if (skipped === undefined) return null;
  const why: Readonly<Record<string, string>> = {
    failed_before: 'It was skipped because a step before it failed.',
    condition: 'It was skipped: its condition does not hold, or nothing that it depends on has completed.',
    cancelled: 'It was skipped because the run was cancelled.',
  };
  return <p class="faint">{why[skipped] ?? `It was skipped: ${skipped}.`}</p>;
}

function Pair({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
