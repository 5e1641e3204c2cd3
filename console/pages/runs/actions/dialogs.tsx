import { useState } from 'preact/hooks';
import type { Client } from '../../../api/client.ts';
import { isJsonObject } from '../../../api/json.ts';
import { goTo, hrefTo } from '../../../app/router.ts';
import { Field, TextField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { faultsUnder } from '../../../ui/schema-form/faults.ts';
import { type Json, SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import { Loading, Notice } from '../../../ui/states.tsx';
import { byLayer, type Effects, planRerun, planRetry } from '../logic/plan.ts';
import type { Definition, Run } from '../logic/reads.ts';
import { PlanList } from './plan.tsx';

interface ActionDialogProps {
  readonly run: Run;
  readonly definition: Definition | undefined;
  readonly effects: Effects | undefined;
  readonly onClose: () => void;
  /** Called when it was accepted. */
  readonly onDone: () => void;
}

/** Cancels a run, with a reason. */
export function CancelDialog({ run, onClose, onDone }: ActionDialogProps) {
  const [reason, setReason] = useState('');
  const call = (api: Client) =>
    api.runs[':execution_id'].cancel.$post({
      param: { execution_id: run.execution_id },
      json: reason.trim() === '' ? {} : { reason: reason.trim() },
    });
  return (
    <FormDialog
      title="Cancel this run"
      label="Cancel it"
      tone="bad"
      call={call}
      done="The run is asked to stop"
      onDone={onDone}
      onClose={onClose}
    >
      {() => (
        <>
          <p>
            Steps under way are told to stop and get some time to end; those to come are skipped. What steps
            have done outside is not undone.
          </p>
          <TextField
            label="Reason"
            value={reason}
            onChange={setReason}
            hint="May be left empty. It stands in the events of the run."
          />
        </>
      )}
    </FormDialog>
  );
}

/** Retries a run: says which steps run again first. */
export function RetryDialog({ run, definition, effects, onClose, onDone }: ActionDialogProps) {
  const call = (api: Client) =>
    api.runs[':execution_id'].retry.$post({ param: { execution_id: run.execution_id } });
  return (
    <FormDialog
      title="Retry this run"
      label="Retry"
      call={call}
      done={`Attempt ${run.attempt + 1} has begun`}
      onDone={onDone}
      onClose={onClose}
    >
      {() => (
        <>
          <p>
            The same run goes on as attempt {run.attempt + 1}. Steps that have completed keep their outputs;
            the others run again. Items of a list that have completed are not run again.
          </p>
          {effects === undefined ? (
            <Loading what="Reading the effects of the steps" />
          ) : (
            <PlanList plan={planRetry(run, definition?.steps ?? [], effects)} newKeys={false} />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Runs the definition again, from a step or from the start, with the same or another input. */
export function RerunDialog(props: ActionDialogProps & { readonly fromStep: string | undefined }) {
  const { run, definition, effects, onClose } = props;
  const [fromStep, setFromStep] = useState(props.fromStep ?? '');
  const [input, setInput] = useState<Json>(isJsonObject(run.input) ? run.input : {});
  const [problem, setProblem] = useState<string>();
  const isChanged = JSON.stringify(input) !== JSON.stringify(run.input);
  const call = (api: Client) =>
    api.runs[':execution_id'].rerun.$post({
      param: { execution_id: run.execution_id },
      json: {
        background: true,
        ...(fromStep !== '' && { from_step: fromStep }),
        ...(isChanged && isJsonObject(input) && { input }),
      },
    });
  return (
    <FormDialog
      title="Run it again"
      label="Rerun"
      call={call}
      done="The new run has begun"
      onDone={({ execution_id }) => goTo(hrefTo(['runs', execution_id]))}
      onClose={onClose}
      disabled={problem !== undefined || !isJsonObject(input)}
      wide
    >
      {(error) => (
        <div class="runs-rerun">
          <div class="stack">
            <p>A new run begins, with version {run.version} of the definition. This one stays as it is.</p>
            <Field
              label="From step"
              hint="Completed steps that do not depend on it are not run: their outputs are copied."
            >
              {(control) => (
                <select
                  {...control}
                  value={fromStep}
                  onChange={(event) => setFromStep(event.currentTarget.value)}
                >
                  <option value="">the start: every step runs</option>
                  {byLayer(run).map(({ step_id }) => (
                    <option key={step_id} value={step_id}>
                      {step_id}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <fieldset class="field-group">
              <legend>Input {isChanged ? '(changed)' : '(as it was)'}</legend>
              <SchemaForm
                schema={definition?.input_schema ?? null}
                value={input}
                onChange={setInput}
                faults={faultsUnder(error?.faults ?? [], '/input')}
                onProblem={setProblem}
              />
              {!isJsonObject(input) && <p class="field-error">The input of a run is an object: {'{…}'}</p>}
            </fieldset>
          </div>
          <div class="stack">
            {fromStep !== '' && isChanged && (
              <Notice>
                Outputs that are copied come from the old input: only steps that run see the new one.
              </Notice>
            )}
            {definition === undefined || effects === undefined ? (
              <Notice tone="warn">
                The definition of this run cannot be read, so it cannot be said which steps run.
              </Notice>
            ) : (
              <PlanList plan={planRerun(run, definition.steps, effects, fromStep || undefined)} newKeys />
            )}
          </div>
        </div>
      )}
    </FormDialog>
  );
}

/** Deletes a run. */
export function DeleteDialog({ run, onClose }: ActionDialogProps) {
  const call = (api: Client) =>
    api.runs[':execution_id'].$delete({ param: { execution_id: run.execution_id } });
  return (
    <FormDialog
      title="Delete this run"
      label="Delete"
      tone="bad"
      call={call}
      done="The run is deleted"
      onDone={() => goTo(hrefTo(['runs']), { replace: true })}
      onClose={onClose}
    >
      {() => <p>Its steps and its events are removed, and nothing brings them back. Child runs stay.</p>}
    </FormDialog>
  );
}
