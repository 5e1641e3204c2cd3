import { useKeys } from '../../../app/keys.ts';
import { changing, mayChange } from '../../../app/settings.ts';
import type { Effects } from '../logic/plan.ts';
import type { Definition, Run, Wait } from '../logic/reads.ts';
import { ChooseOther } from '../views/choose-other.tsx';
import { ApprovalDialog } from './decide.tsx';
import { CancelDialog, DeleteDialog, RetryDialog } from './dialogs.tsx';
import type { Opened } from './opened.ts';
import { RerunDialog } from './rerun.tsx';
import { ResolveDialog } from './resolve.tsx';

interface RunActionsProps {
  readonly run: Run;
  readonly definition: Definition | undefined;
  readonly effects: Effects | undefined;
  readonly opened: Opened;
  readonly onOpen: (opened: Opened) => void;
  /** The step that is chosen: a rerun begins with it. */
  readonly chosen: string | undefined;
  readonly onDone: () => void;
}

/** The possible actions on a run, with their keys and dialogs. */
export function RunActions(props: RunActionsProps) {
  const { run, opened, onOpen, chosen, onDone } = props;
  const can = (action: Run['actions'][number]): boolean => run.actions.includes(action);
  const isWaitOf = (kind: Wait['kind'], wait: Wait): boolean =>
    wait.kind === kind && (wait.item_id !== undefined || kind === 'recovery');
  // That of the step that is chosen comes first.
  const waits = run.waiting_for.toSorted(
    (a, b) => Number(b.step_id === chosen) - Number(a.step_id === chosen),
  );
  const approval = waits.find((wait) => isWaitOf('approval', wait));
  const recovery = waits.find((wait) => isWaitOf('recovery', wait));
  const openers = {
    cancel: can('cancel') ? () => onOpen({ kind: 'cancel' }) : undefined,
    retry: can('retry') ? () => onOpen({ kind: 'retry' }) : undefined,
    rerun: can('rerun') ? () => onOpen({ kind: 'rerun', fromStep: chosen }) : undefined,
    approve: approval && (() => onOpen({ kind: 'approved', wait: approval })),
    reject: approval && (() => onOpen({ kind: 'rejected', wait: approval })),
    resolve: recovery && (() => onOpen({ kind: 'resolve', wait: recovery })),
  };
  const keys = [
    ['c', 'cancel', openers.cancel],
    ['r', 'retry', openers.retry],
    ['e', 'rerun, from the step that is chosen', openers.rerun],
    ['a', 'approve what it waits for', openers.approve],
    ['x', 'reject what it waits for', openers.reject],
    ['d', 'say whether a step has happened', openers.resolve],
  ] as const;
  useKeys(
    'This run',
    keys.flatMap(([key, label, run]) =>
      run === undefined ? [] : [{ key, label, run: () => mayChange() && run() }],
    ),
  );
  const button = (label: string, shortcut: string, open: (() => void) | undefined, tone = 'plain') =>
    open && (
      <button type="button" class={`button-${tone}`} {...changing()} onClick={open}>
        {label} <kbd>{shortcut}</kbd>
      </button>
    );
  return (
    <>
      {button('Retry', 'r', openers.retry, 'main')}
      {button('Rerun', 'e', openers.rerun)}
      {button('Cancel', 'c', openers.cancel, 'bad')}
      <button type="button" onClick={() => onOpen({ kind: 'compare' })}>
        Compare
      </button>
      {can('delete') && (
        <button type="button" class="quiet" {...changing()} onClick={() => onOpen({ kind: 'delete' })}>
          Delete
        </button>
      )}
      <OpenDialog {...props} opened={opened} onClose={() => onOpen(undefined)} onDone={onDone} />
    </>
  );
}

function OpenDialog(props: RunActionsProps & { readonly onClose: () => void }) {
  const { opened } = props;
  switch (opened?.kind) {
    case undefined:
      return null;
    case 'cancel':
      return <CancelDialog {...props} />;
    case 'retry':
      return <RetryDialog {...props} />;
    case 'delete':
      return <DeleteDialog {...props} />;
    case 'compare':
      return <ChooseOther run={props.run} onClose={props.onClose} />;
    case 'rerun':
      return <RerunDialog {...props} fromStep={opened.fromStep} />;
    case 'resolve':
      return <ResolveDialog {...props} wait={opened.wait} />;
    case 'approved':
    case 'rejected':
      return <ApprovalDialog {...props} outcome={opened.kind} wait={opened.wait} />;
  }
}
