import { useState } from 'preact/hooks';
import type { Client } from '../../../api/client.ts';
import { isJsonObject } from '../../../api/json.ts';
import { goTo, hrefTo } from '../../../app/router.ts';
import { Field } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { type Fault, faultsUnder } from '../../../ui/schema-form/faults.ts';
import { type Json, SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import { Notice } from '../../../ui/states.tsx';
import { byLayer, planRerun } from '../logic/plan.ts';
import type { Run } from '../logic/reads.ts';
import type { ActionDialogProps } from './dialogs.tsx';
import { PlanList } from './plan.tsx';

interface RerunDialogProps extends ActionDialogProps {
  readonly fromStep: string | undefined;
}

/** Runs the definition again, from a step or from the start, with the same or another input. */
export function RerunDialog(props: RerunDialogProps) {
  const { run, onClose } = props;
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
            <FromStep run={run} value={fromStep} onChange={setFromStep} />
            <InputField
              isChanged={isChanged}
              onProblem={setProblem}
              schema={props.definition?.input_schema ?? null}
              value={input}
              onChange={setInput}
              faults={faultsUnder(error?.faults ?? [], '/input')}
            />
          </div>
          <div class="stack">
            {fromStep !== '' && isChanged && (
              <Notice>
                Outputs that are copied come from the old input: only steps that run see the new one.
              </Notice>
            )}
            <RerunPlan {...props} fromStep={fromStep || undefined} />
          </div>
        </div>
      )}
    </FormDialog>
  );
}

interface FromStepProps {
  readonly run: Run;
  readonly value: string;
  readonly onChange: (stepId: string) => void;
}

function FromStep({ run, value, onChange }: FromStepProps) {
  return (
    <Field
      label="From step"
      hint="Completed steps that do not depend on it are not run: their outputs are copied."
    >
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">the start: every step runs</option>
          {byLayer(run).map(({ step_id }) => (
            <option key={step_id} value={step_id}>
              {step_id}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface InputFieldProps {
  readonly isChanged: boolean;
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
  readonly faults: readonly Fault[];
  readonly onProblem: (problem: string | undefined) => void;
}

function InputField({ isChanged, ...form }: InputFieldProps) {
  return (
    <fieldset class="field-group">
      <legend>Input {isChanged ? '(changed)' : '(as it was)'}</legend>
      <SchemaForm {...form} />
      {!isJsonObject(form.value) && <p class="field-error">The input of a run is an object: {'{…}'}</p>}
    </fieldset>
  );
}

/** Which steps run again, as far as that can be said. */
function RerunPlan({ run, definition, effects, fromStep }: RerunDialogProps) {
  return definition === undefined || effects === undefined ? (
    <Notice tone="warn">
      The definition of this run cannot be read, so it cannot be said which steps run.
    </Notice>
  ) : (
    <PlanList plan={planRerun(run, definition.steps, effects, fromStep)} newKeys />
  );
}
