import { useState } from 'preact/hooks';
import type { Call } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { say } from '../../app/messages.tsx';
import { CurlButton } from '../../ui/curl.tsx';
import { Field, TextField } from '../../ui/fields.tsx';
import { formatTime, ownZone } from '../../ui/format.ts';
import { faultsUnder } from '../../ui/schema-form/faults.ts';
import { type Json, SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { Failed } from '../../ui/states.tsx';
import { catchUps, overlaps } from '../automation/schedule-words.ts';
import { toInput, type Workflow } from './api.ts';
import { useSend } from './use-send.ts';

type Answer = Awaited<ReturnType<Client['schedules']['$post']>>;

/** A form for a new schedule of a workflow. */
export function ScheduleForm({
  workflow,
  onDone,
}: {
  readonly workflow: Workflow;
  readonly onDone: () => void;
}) {
  const [cron, setCron] = useState('0 9 * * 1-5');
  const [timezone, setTimezone] = useState(ownZone);
  const [overlap, setOverlap] = useState<(typeof overlaps)[number][0]>('skip');
  const [catchUp, setCatchUp] = useState<(typeof catchUps)[number][0]>('none');
  const [enabled, setEnabled] = useState(true);
  const [input, setInput] = useState<Json>({});
  const [problem, setProblem] = useState<string>();
  const sending = useSend<Answer>();
  const { error } = sending;
  const json = { workflow_id: workflow.id, cron, timezone, overlap, catch_up: catchUp, enabled };
  const call: Call<Answer> = (api) => api.schedules.$post({ json: { ...json, input: toInput(input) } });
  const faultAt = (pointer: string): string | undefined =>
    error?.faults.find((fault) => fault.pointer === pointer)?.detail;
  const create = async (): Promise<void> => {
    const created = await sending.send(call);
    if (created === undefined) return;
    const next = created.next_fire_at;
    say(
      next === null ? 'The schedule is stored, and paused.' : `The next run starts at ${formatTime(next)}.`,
      {
        tone: 'good',
      },
    );
    onDone();
  };
  return (
    <form
      class="card stack"
      aria-labelledby="new-schedule"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <h2 id="new-schedule">New schedule</h2>
      <div class="columns">
        <TextField
          label="Times"
          value={cron}
          onChange={setCron}
          error={faultAt('/cron')}
          hint="Minute, hour, day of the month, month, day of the week. 0 9 * * 1-5 is nine o’clock on working days."
          isCode
        />
        <TextField
          label="Time zone"
          value={timezone}
          onChange={setTimezone}
          error={faultAt('/timezone')}
          hint="Such as Europe/Berlin or UTC."
        />
        <Choice label="While a run goes on" options={overlaps} value={overlap} onChange={setOverlap} />
        <Choice label="Missed times" options={catchUps} value={catchUp} onChange={setCatchUp} />
        <Choice
          label="Begin"
          options={[
            ['on', 'at once'],
            ['paused', 'paused: see its next times first'],
          ]}
          value={enabled ? 'on' : 'paused'}
          onChange={(value) => setEnabled(value === 'on')}
        />
      </div>
      <SchemaForm
        schema={workflow.input_schema ?? null}
        value={input}
        onChange={setInput}
        onProblem={setProblem}
        faults={error === undefined ? [] : faultsUnder(error.faults, '/input')}
        label="Input of each run"
      />
      {error && <Failed error={error} />}
      <div class="workflows-acts">
        <button
          type="submit"
          class="button-main"
          disabled={sending.isBusy || sending.isRefused || problem !== undefined}
        >
          Create the schedule
        </button>
        <CurlButton calls={[{ label: 'Create the schedule', call }]} />
        <span class="faint">
          Its next times are shown once it is stored. The input is checked when a run starts.
        </span>
      </div>
    </form>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, word: string])[];
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
          {options.map(([name, word]) => (
            <option key={name} value={name}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
