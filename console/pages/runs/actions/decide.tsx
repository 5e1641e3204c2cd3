import { useLayoutEffect, useState } from 'preact/hooks';
import type { Client } from '../../../api/client.ts';
import { isJsonObject } from '../../../api/json.ts';
import { useRead } from '../../../api/use-read.ts';
import { person, tellPerson } from '../../../app/person.ts';
import { saidOutcomes, saidWords } from '../../../ui/effect-words.ts';
import { TextField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Json } from '../../../ui/json.tsx';
import { faultsUnder } from '../../../ui/schema-form/faults.ts';
import { type Json as JsonOf, SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import { Notice, Reading } from '../../../ui/states.tsx';
import { type Definition, type Item, type Run, readItem, type Wait } from '../logic/reads.ts';
import { Sources } from '../views/sources.tsx';

interface DecideProps {
  readonly wait: Wait;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The field for the name of who decides. */
function ByField({ name, onChange }: { readonly name: string; readonly onChange: (name: string) => void }) {
  return (
    <TextField
      label="Your name"
      value={name}
      onChange={onChange}
      hint="Recorded with the decision. This browser keeps it."
    />
  );
}

/** Approves or rejects a step, through its item in the inbox. */
export function ApprovalDialog({
  outcome,
  ...props
}: DecideProps & { readonly outcome: 'approved' | 'rejected' }) {
  const id = props.wait.item_id ?? '';
  const read = useRead(`item ${id}`, readItem(id));
  const [title, label, done] =
    outcome === 'approved'
      ? (['Approve', 'Approve', 'Approved'] as const)
      : (['Reject', 'Reject', 'Rejected'] as const);
  const [problem, setProblem] = useState<string>();
  const [name, setName] = useState(person.value);
  const [note, setNote] = useState('');
  const [data, setData] = useState<JsonOf>();
  const schema = read.value?.response_schema ?? null;
  useLayoutEffect(() => {
    // Its form comes with the item, after the dialog has given the focus to its first field. Who types there already stays.
    if (schema !== null && name === person.value && note === '')
      document.querySelector<HTMLElement>('.field-group :is(input, select, textarea)')?.focus();
  }, [schema !== null]);
  const sendsData = outcome === 'approved' && (schema !== null || data !== undefined);
  const call = (api: Client) =>
    api.inbox[':id'].resolve.$post({
      param: { id },
      json: {
        outcome,
        by: name.trim(),
        ...(note.trim() !== '' && { note: note.trim() }),
        ...(sendsData && { data: data ?? {} }),
      },
    });
  return (
    <FormDialog
      title={`${title} step ${props.wait.step_id}`}
      label={label}
      tone={outcome === 'approved' ? 'main' : 'bad'}
      call={call}
      done={`${done} as ${name.trim()}`}
      onSend={() => tellPerson(name)}
      disabled={problem !== undefined || read.value === undefined || name.trim() === ''}
      onDone={props.onDone}
      onClose={props.onClose}
    >
      {(error) => (
        <>
          <Reading read={read} what="Reading what is asked">
            {(item) => <Asked item={item} />}
          </Reading>
          {outcome === 'approved' && schema !== null && (
            <fieldset class="field-group">
              <legend>What comes with the approval</legend>
              <SchemaForm
                schema={schema}
                value={data ?? {}}
                onChange={setData}
                faults={faultsUnder(error?.faults ?? [], '/data')}
                label="Data"
                onProblem={setProblem}
              />
            </fieldset>
          )}
          <TextField
            label="Note"
            value={note}
            onChange={setNote}
            hint="May be left empty. For colleagues, and for the steps that follow."
          />
          <ByField name={name} onChange={setName} />
        </>
      )}
    </FormDialog>
  );
}

function Asked({ item }: { readonly item: Item }) {
  return (
    <div class="stack">
      <p class="runs-question">{item.title}</p>
      {item.payload !== null && (
        <div class="runs-payload">
          <Json value={item.payload} label="What to know for it" />
        </div>
      )}
      {item.assignee !== null && item.status === 'claimed' && (
        <Notice tone="warn">{item.assignee} has claimed this item. Nobody else can decide meanwhile.</Notice>
      )}
    </div>
  );
}

interface ResolveProps extends DecideProps {
  readonly run: Run;
  readonly definition: Definition | undefined;
}

/** Decides about a step whose process stopped while it acted: nobody but a person can know whether it did. */
export function ResolveDialog({ run, definition, wait, onClose, onDone }: ResolveProps) {
  const step = definition?.steps.find(({ id }) => id === wait.step_id);
  const [outcome, setOutcome] = useState<(typeof saidOutcomes)[number]>();
  const [output, setOutput] = useState<JsonOf>({});
  const [problem, setProblem] = useState<string>();
  const [name, setName] = useState(person.value);
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
          <fieldset class="runs-choices">
            <legend class="only-read">What happened</legend>
            {saidOutcomes.map((value) => (
              <label key={value}>
                <input
                  type="radio"
                  name="outcome"
                  value={value}
                  checked={outcome === value}
                  onChange={() => {
                    setOutcome(value);
                    setProblem(undefined);
                  }}
                />
                <span>
                  {saidWords[value].word} <small class="faint">{saidWords[value].more}</small>
                </span>
              </label>
            ))}
          </fieldset>
          {outcome === 'completed' && (
            <fieldset class="field-group">
              <legend>Output of the step</legend>
              <SchemaForm
                schema={null}
                value={output}
                onChange={setOutput}
                faults={faultsUnder(error?.faults ?? [], '/output')}
                label="Output"
                onProblem={setProblem}
              />
            </fieldset>
          )}
          <ByField name={name} onChange={setName} />
        </>
      )}
    </FormDialog>
  );
}
