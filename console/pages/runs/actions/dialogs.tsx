import { useState } from 'preact/hooks';
import type { Client } from '../../../api/client.ts';
import { goTo, hrefTo } from '../../../app/router.ts';
import { TextField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Loading } from '../../../ui/states.tsx';
import { type Effects, planRetry } from '../logic/plan.ts';
import type { Definition, Run } from '../logic/reads.ts';
import { PlanList } from './plan.tsx';

/** The properties of the dialogs about a run. */
export interface ActionDialogProps {
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
