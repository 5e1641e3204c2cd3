import { useState } from 'preact/hooks';
import { useRead } from '../../api/use-read.ts';
import { Field, SuggestedInput, TextField } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatTime, ownZone, shortId } from '../../ui/format.ts';
import { type Fault, faultsUnder } from '../../ui/schema-form/faults.ts';
import { type Json, SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { Loading, Notice } from '../../ui/states.tsx';
import { readWorkflow, toInput } from '../workflows/api.ts';
import type { Schedule, Workflows } from './schedule-calls.ts';
import { membersOf, save } from './schedule-calls.ts';
import { catchUps, overlaps } from './schedule-words.ts';

interface ScheduleFormProps {
  /** The workflows to choose from; where these are not all, the id of another can be typed. */
  readonly workflows: Workflows;
  /** The schedule to change; undefined for a new one. */
  readonly schedule: Schedule | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

const begins = [
  ['on', 'at once'],
  ['paused', 'paused: see its next times first'],
] as const;

/**
 * A dialog with the members of a schedule. What the service refuses is said at its field, and nothing typed is lost.
 */
export function ScheduleForm({ workflows, schedule, onClose, onSaved }: ScheduleFormProps) {
  const [workflowId, setWorkflowId] = useState(schedule?.workflow_id ?? workflows.workflows[0]?.id ?? '');
  const [cron, setCron] = useState(schedule?.cron ?? '0 9 * * 1-5');
  const [timezone, setTimezone] = useState(schedule?.timezone ?? ownZone);
  const [overlap, setOverlap] = useState<(typeof overlaps)[number][0]>(schedule?.overlap ?? 'skip');
  const [catchUp, setCatchUp] = useState<(typeof catchUps)[number][0]>(schedule?.catch_up ?? 'none');
  const [isEnabled, setIsEnabled] = useState(schedule?.enabled ?? true);
  const [input, setInput] = useState<Json>(schedule === undefined ? {} : (membersOf(schedule).input ?? {}));
  const [problem, setProblem] = useState<string>();
  const isNew = schedule === undefined;
  const members = { workflow_id: workflowId, cron, timezone, overlap, catch_up: catchUp, enabled: isEnabled };
  const json = { ...members, input: toInput(input) };
  return (
    <FormDialog
      title={isNew ? 'New schedule' : 'Change the schedule'}
      label={isNew ? 'Create' : 'Save'}
      call={save(schedule, json)}
      done={({ next_fire_at }) =>
        next_fire_at === null
          ? 'The schedule is stored, and paused.'
          : `The schedule is stored. The next run starts at ${formatTime(next_fire_at)}.`
      }
      onClose={onClose}
      onDone={onSaved}
      disabled={workflowId === '' || problem !== undefined}
    >
      {(error) => {
        const faultAt = (pointer: string): string | undefined =>
          error?.faults.find((fault) => fault.pointer === pointer)?.detail;
        return (
          <>
            {workflowId === '' && (
              <Notice tone="warn">There is no workflow yet that a schedule could start.</Notice>
            )}
            <WorkflowField
              known={workflows}
              value={workflowId}
              error={faultAt('/workflow_id')}
              onChange={(id) => {
                setWorkflowId(id);
                setInput({});
                setProblem(undefined);
              }}
            />
            <TextField
              label="Times"
              value={cron}
              onChange={setCron}
              error={faultAt('/cron')}
              isCode
              hint="Minute, hour, day of the month, month, day of the week. 0 9 * * 1-5 is nine o’clock on working days."
            />
            <TextField
              label="Time zone"
              value={timezone}
              onChange={setTimezone}
              error={faultAt('/timezone')}
              hint="Such as Europe/Berlin or UTC."
            />
            {workflowId !== '' && (
              <InputOfRuns
                key={workflowId}
                workflowId={workflowId}
                value={input}
                onChange={setInput}
                onProblem={setProblem}
                faults={error === undefined ? [] : faultsUnder(error.faults, '/input')}
              />
            )}
            <Choice label="While a run goes on" options={overlaps} value={overlap} onChange={setOverlap} />
            <Choice label="Missed times" options={catchUps} value={catchUp} onChange={setCatchUp} />
            {isNew && (
              <Choice
                label="Begin"
                options={begins}
                value={isEnabled ? 'on' : 'paused'}
                onChange={(value) => setIsEnabled(value === 'on')}
              />
            )}
          </>
        );
      }}
    </FormDialog>
  );
}

interface WorkflowFieldProps {
  readonly known: Workflows;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (id: string) => void;
}

/** The workflow that is started: one of those that are known or, where there are more, any by its id. */
function WorkflowField({ known: { workflows, total }, value, error, onChange }: WorkflowFieldProps) {
  const options = workflows.map(({ id, name }) => [id, name] as const);
  const isListed = value === '' || workflows.some(({ id }) => id === value);
  if (total <= workflows.length) {
    const all = isListed ? options : [...options, [value, `workflow ${shortId(value)}`] as const];
    return <Choice label="Workflow" options={all} value={value} onChange={onChange} />;
  }
  return (
    <Field label="Workflow" error={error} hint="Its id, or a part of the name of one of the newest.">
      {(control) => (
        <SuggestedInput
          {...control}
          value={value}
          options={options}
          onChange={(id) => id !== value && onChange(id)}
        />
      )}
    </Field>
  );
}

interface InputOfRunsProps {
  readonly workflowId: string;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
  readonly onProblem: (problem: string | undefined) => void;
  readonly faults: readonly Fault[];
}

/** The input of the runs, with a field for each member that the workflow declares. */
function InputOfRuns({ workflowId, ...form }: InputOfRunsProps) {
  const { value: workflow, error } = useRead(`workflow ${workflowId}`, readWorkflow(workflowId));
  // Without the workflow, which may have been deleted, its input is any JSON.
  if (workflow === undefined && error === undefined) return <Loading what="Reading the workflow" rows={2} />;
  return (
    <fieldset class="field-group">
      <legend>Input of each run{workflow && ` of “${workflow.name}”`}</legend>
      {error?.status === 404 && <Notice tone="warn">There is no workflow with this id.</Notice>}
      <SchemaForm {...form} schema={workflow?.input_schema ?? null} label="Input of each run" />
    </fieldset>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, words: string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = options.find(([name]) => name === currentTarget.value);
            if (chosen !== undefined) onChange(chosen[0]);
          }}
        >
          {options.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
