import { useLayoutEffect, useState } from 'preact/hooks';
import type { Client } from '../../../api/client.ts';
import { useRead } from '../../../api/use-read.ts';
import { person, tellPerson } from '../../../app/person.ts';
import { TextField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Json } from '../../../ui/json.tsx';
import { faultsUnder } from '../../../ui/schema-form/faults.ts';
import { type Json as JsonOf, SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import { Notice, Reading } from '../../../ui/states.tsx';
import { type Item, readItem, type Wait } from '../logic/reads.ts';

/** The properties of the dialogs about a wait of a run. */
export interface DecideProps {
  readonly wait: Wait;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface ByFieldProps {
  readonly name: string;
  readonly onChange: (name: string) => void;
}

/** The field for the name of who decides. */
export function ByField({ name, onChange }: ByFieldProps) {
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
  const [title, done] = outcome === 'approved' ? ['Approve', 'Approved'] : ['Reject', 'Rejected'];
  const [problem, setProblem] = useState<string>();
  const [name, setName] = useState(person.value);
  const [note, setNote] = useState('');
  const [data, setData] = useState<JsonOf>();
  const schema = read.value?.response_schema ?? null;
  useLayoutEffect(() => {
    // Its form comes with the item, after the dialog has given the focus to its first field. Who types there already
    // stays.
    if (schema !== null && name === person.value && note === '')
      document.querySelector<HTMLElement>('.field-group :is(input, select, textarea)')?.focus();
  }, [schema !== null]);
  const form = { label: 'Data', value: data ?? {}, onChange: setData, onProblem: setProblem };
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
      label={title}
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
              <SchemaForm {...form} schema={schema} faults={faultsUnder(error?.faults ?? [], '/data')} />
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
