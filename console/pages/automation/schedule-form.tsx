import { useState } from 'preact/hooks';
import { parseObject } from '../../api/json.ts';
import { Action } from '../../ui/action.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextField } from '../../ui/fields.tsx';
import { ownZone } from '../../ui/format.ts';
import { Notice } from '../../ui/states.tsx';
import { replace } from './schedule-card.tsx';
import { catchUps, overlaps } from './schedule-words.ts';
import type { Schedule, Workflows } from './schedules.tsx';

interface ScheduleFormProps {
  readonly workflows: Workflows;
  /** The schedule to change; undefined for a new one. */
  readonly schedule: Schedule | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** A dialog with the members of a schedule. What the service refuses is said in it, and nothing typed is lost. */
export function ScheduleForm({ workflows, schedule, onClose, onSaved }: ScheduleFormProps) {
  const [workflowId, setWorkflowId] = useState(schedule?.workflow_id ?? workflows[0]?.id ?? '');
  const [cron, setCron] = useState(schedule?.cron ?? '0 9 * * 1-5');
  const [timezone, setTimezone] = useState(schedule?.timezone ?? ownZone);
  const [input, setInput] = useState(JSON.stringify(schedule?.input ?? {}, null, 2));
  const [overlap, setOverlap] = useState(schedule?.overlap ?? 'skip');
  const [catchUp, setCatchUp] = useState(schedule?.catch_up ?? 'none');
  const parsed = parseObject(input);
  const json = {
    workflow_id: workflowId,
    cron,
    timezone,
    input: typeof parsed === 'string' ? {} : parsed,
    overlap,
    catch_up: catchUp,
    enabled: schedule?.enabled ?? true,
  };
  const saved = (): void => {
    onSaved();
    onClose();
  };
  const wrong = typeof parsed === 'string';
  return (
    <Dialog title={schedule === undefined ? 'New schedule' : 'Change the schedule'} onClose={onClose}>
      {workflows.length === 0 && (
        <Notice tone="warn">There is no workflow yet that a schedule could start.</Notice>
      )}
      <Field label="Workflow">
        {(control) => (
          <select
            {...control}
            value={workflowId}
            onChange={(event) => setWorkflowId(event.currentTarget.value)}
          >
            {workflows.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label="Times"
        value={cron}
        onChange={setCron}
        isCode
        hint="Minute, hour, day of the month, month, day of the week. 0 9 * * 1-5 is nine o’clock on working days."
      />
      <TextField
        label="Time zone"
        value={timezone}
        onChange={setTimezone}
        hint="Such as Europe/Berlin or UTC."
      />
      <TextField
        label="Input of each run"
        value={input}
        onChange={setInput}
        lines={5}
        isCode
        error={wrong ? parsed : undefined}
      />
      <Field label="While a run goes on">
        {(control) => (
          <select
            {...control}
            value={overlap}
            onChange={({ currentTarget: { value } }) =>
              setOverlap(value === 'queue' || value === 'allow' ? value : 'skip')
            }
          >
            {overlaps.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Missed times">
        {(control) => (
          <select
            {...control}
            value={catchUp}
            onChange={(event) => setCatchUp(event.currentTarget.value === 'last' ? 'last' : 'none')}
          >
            {catchUps.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <footer class="dialog-actions">
        <button type="button" onClick={onClose}>
          Leave it
        </button>
        {schedule === undefined ? (
          <Action
            label="Create"
            tone="main"
            call={(api) => api.schedules.$post({ json })}
            disabled={wrong || workflowId === ''}
            onDone={saved}
          />
        ) : (
          <Action label="Save" tone="main" call={replace(schedule, json)} disabled={wrong} onDone={saved} />
        )}
      </footer>
    </Dialog>
  );
}
