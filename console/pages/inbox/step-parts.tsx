import { useState } from 'preact/hooks';
import { person, withPerson } from '../../app/person.ts';
import { hrefTo } from '../../app/router.ts';
import { changing, mayChange } from '../../app/settings.ts';
import { TextField } from '../../ui/fields.tsx';
import { Json } from '../../ui/json.tsx';
import { Status } from '../../ui/status.tsx';
import { HeldHere } from './head.tsx';
import { decisionWords, held, holdDecision } from './logic/acts.ts';
import { resolve } from './logic/calls.ts';
import { decide } from './logic/decision.ts';
import { draftOf, fillIn } from './logic/drafts.ts';
import type { Case, Draft, Outcome } from './logic/types.ts';

/** Options of the parts about a step. */
export interface StepProps {
  readonly item: Case;
  readonly waits: boolean;
}

interface DecisionOptions {
  readonly outcomes: readonly Outcome[];
  readonly onMissing?: () => void;
  /** The members of a decision that the reader did not touch. */
  readonly start?: Draft;
}

/** The decision about a step, and the requests that would make it. */
export function useDecision(item: Case, { outcomes, onMissing, start = {} }: DecisionOptions) {
  const { item_id: id } = item;
  const filled = (): Draft => ({ ...start, ...draftOf(id) });
  const [missing, setMissing] = useState<string>();
  const send = (outcome: Outcome): void => {
    if (!mayChange()) return;
    withPerson((by) => {
      const decided = decide(item, filled(), outcome, by);
      setMissing('missing' in decided ? decided.missing : undefined);
      if ('decision' in decided) void holdDecision(item, decided.decision);
      else onMissing?.();
    });
  };
  const calls = outcomes.flatMap((outcome) => {
    const decided = decide(item, filled(), outcome, person.value || 'your name');
    return 'decision' in decided
      ? [{ label: decisionWords[outcome], call: resolve(id, decided.decision) }]
      : [];
  });
  return { send, calls, missing, amend: () => setMissing(undefined), isHeld: held.value?.id === id };
}

/** The decision about a step that is not sent yet. */
export function HeldStep() {
  const decision = held.value?.request.decision;
  return decision === undefined ? null : (
    <HeldHere label={decisionWords[decision.outcome]} text={decision.note ?? ''} />
  );
}

/** A field for a remark with the decision. */
export function Remark({ id, value }: { readonly id: string; readonly value: string | undefined }) {
  return (
    <TextField
      label="Remark with the decision"
      value={value ?? ''}
      onChange={(remark) => fillIn(id, { remark: remark || undefined })}
    />
  );
}

interface ButtonProps {
  readonly label: string;
  readonly shortcut: string;
  readonly isMain?: boolean;
  readonly isOff?: boolean;
  readonly onClick: () => void;
}

/** A button with its key. */
export function Button({ label, shortcut, isMain = false, isOff = false, onClick }: ButtonProps) {
  return (
    <button type="button" class={isMain ? 'button-main' : undefined} {...changing(isOff)} onClick={onClick}>
      {label} <kbd>{shortcut}</kbd>
    </button>
  );
}

/** The link to the run and the step that wait. */
export function RunLink({ item: { subject, execution } }: { readonly item: Case }) {
  const { id, step_id } = subject;
  return (
    <span class="facts">
      {execution ? <Status of={execution.status} /> : <span>the run is gone</span>}
      <a href={hrefTo(['runs', id], { step: step_id })}>
        {execution?.workflow_name ?? 'Run'}, step {step_id}
      </a>
    </span>
  );
}

/** The members of a value: short ones as words, others as JSON. */
export function Members({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(value);
  return (
    <>
      <dl class="pairs">
        {entries
          .filter(([, member]) => typeof member !== 'object' || member === null)
          .map(([name, member]) => [
            <dt key={`${name} name`}>{name.replaceAll('_', ' ')}</dt>,
            <dd key={name}>{String(member)}</dd>,
          ])}
      </dl>
      {entries
        .filter(([, member]) => typeof member === 'object' && member !== null)
        .map(([name, member]) => (
          <div key={name}>
            <h4>{name.replaceAll('_', ' ')}</h4>
            <Json value={member} label={name} />
          </div>
        ))}
    </>
  );
}
