import { useState } from 'preact/hooks';
import type { Client } from '../../../api/client.ts';
import { isJsonObject } from '../../../api/json.ts';
import { person, tellPerson } from '../../../app/person.ts';
import { saidOutcomes, saidWords } from '../../../ui/effect-words.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { faultsUnder } from '../../../ui/schema-form/faults.ts';
import { type Json as JsonOf, SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import type { Definition, Run } from '../logic/reads.ts';
import { Sources } from '../views/sources.tsx';
import { ByField, type DecideProps } from './decide.tsx';

type Outcome = (typeof saidOutcomes)[number];

interface ResolveDialogProps extends DecideProps {
  readonly run: Run;
  readonly definition: Definition | undefined;
}

/** Decides about a step whose process stopped while it acted: nobody but a person can know whether it did. */
export function ResolveDialog({ run, definition, wait, onClose, onDone }: ResolveDialogProps) {
  const step = definition?.steps.find(({ id }) => id === wait.step_id);
  const [outcome, setOutcome] = useState<Outcome>();
  const [output, setOutput] = useState<JsonOf>({});
  const [problem, setProblem] = useState<string>();
  const [name, setName] = useState(person.value);
  const form = { label: 'Output', value: output, onChange: setOutput, onProblem: setProblem };
  const call = (api: Client) =>
    api.runs[':execution_id'].steps[':step_id'].resolve.$post({
      param: { execution_id: run.execution_id, step_id: wait.step_id },
      json: {
        outcome: outcome ?? 'failed',
        by: name.trim(),
        ...(outcome === 'completed' && isJsonObject(output) && { output }),
      },
    });
  return (
    <FormDialog
      title={`Did ${wait.step_id} happen?`}
      label="Decide"
      call={call}
      done={`Decided about ${wait.step_id}`}
      onSend={() => tellPerson(name)}
      disabled={problem !== undefined || outcome === undefined || !isJsonObject(output) || name.trim() === ''}
      onDone={onDone}
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>
            The process of this step stopped while it was under way. The step changes something outside, and
            the service cannot know whether it did. Look there, and say.
          </p>
          {step && <Sources run={run} step={step} />}
          <OutcomeField
            value={outcome}
            onChange={(chosen) => {
              setOutcome(chosen);
              setProblem(undefined);
            }}
          />
          {outcome === 'completed' && (
            <fieldset class="field-group">
              <legend>Output of the step</legend>
              <SchemaForm {...form} schema={null} faults={faultsUnder(error?.faults ?? [], '/output')} />
            </fieldset>
          )}
          <ByField name={name} onChange={setName} />
        </>
      )}
    </FormDialog>
  );
}

interface OutcomeFieldProps {
  readonly value: Outcome | undefined;
  readonly onChange: (outcome: Outcome) => void;
}

function OutcomeField({ value, onChange }: OutcomeFieldProps) {
  return (
    <fieldset class="runs-choices">
      <legend class="only-read">What happened</legend>
      {saidOutcomes.map((outcome) => (
        <label key={outcome}>
          <input
            type="radio"
            name="outcome"
            value={outcome}
            checked={outcome === value}
            onChange={() => onChange(outcome)}
          />
          <span>
            {saidWords[outcome].word} <small class="faint">{saidWords[outcome].more}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
