import { useRef } from 'preact/hooks';
import { useKeys } from '../../app/keys.ts';
import { CurlButton } from '../../ui/curl.tsx';
import { Effect } from '../../ui/effect.tsx';
import { saidOutcomes, saidWords } from '../../ui/effect-words.ts';
import { Field } from '../../ui/fields.tsx';
import { Age } from '../../ui/time.tsx';
import { draftOf, fillIn } from './logic/drafts.ts';
import type { Outcome } from './logic/types.ts';
import { Button, HeldStep, Members, Remark, RunLink, type StepProps, useDecision } from './step-parts.tsx';

/** A step of which nobody knows whether it was done. */
export function Recovery({ item, waits }: StepProps) {
  const { item_id: id, payload } = item;
  const draft = draftOf(id);
  const field = useRef<HTMLTextAreaElement>(null);
  const { send, isHeld, calls, missing, amend } = useDecision(item, {
    outcomes: saidOutcomes,
    onMissing: () => field.current?.focus(),
  });
  const chosen = saidOutcomes.find((outcome) => outcome === draft.outcome);
  const choose = (outcome: Outcome): void => fillIn(id, { outcome });
  const sendChosen = (): void => {
    if (chosen !== undefined) send(chosen);
  };
  useKeys(
    'Decision',
    waits && !isHeld
      ? [
          ...saidOutcomes.map((outcome, index) => ({
            key: String(index + 1),
            label: saidWords[outcome].word.toLowerCase(),
            run: () => choose(outcome),
          })),
          { key: 'r', label: 'to the output', run: () => field.current?.focus() },
          { key: 'Enter', label: 'decide as chosen', run: sendChosen },
        ]
      : [],
  );
  return (
    <>
      <section class="card stack" aria-labelledby="inbox-asked">
        <header class="inbox-card-head">
          <h3 id="inbox-asked">Nobody knows whether this happened</h3>
          <RunLink item={item} />
        </header>
        <p>
          The service stopped while the step was under way. Look where it acts, such as in the mailbox or the
          account, and say what is true.
        </p>
        {payload !== null && <Call payload={payload} />}
      </section>
      {waits && isHeld && <HeldStep />}
      {waits && !isHeld && (
        <section class="card stack" aria-labelledby="inbox-decision">
          <h3 id="inbox-decision">Did it happen?</h3>
          <div class="inbox-choice" role="group" aria-label="Did it happen?">
            {saidOutcomes.map((outcome, index) => (
              <button
                key={outcome}
                type="button"
                class="inbox-pick"
                aria-pressed={draft.outcome === outcome}
                onClick={() => choose(outcome)}
              >
                <kbd>{index + 1}</kbd> {saidWords[outcome].word}
              </button>
            ))}
          </div>
          {chosen && <p class="faint">{saidWords[chosen].more}</p>}
          {chosen === 'completed' && (
            <Field label="Output of the step" hint="A JSON object; empty when there is none." error={missing}>
              {(control) => (
                <textarea
                  {...control}
                  ref={field}
                  class="code"
                  rows={4}
                  spellcheck={false}
                  value={draft.output ?? ''}
                  onInput={({ currentTarget }) => {
                    amend();
                    fillIn(id, { output: currentTarget.value || undefined });
                  }}
                />
              )}
            </Field>
          )}
          <Remark id={id} value={draft.remark} />
          <div class="inbox-buttons">
            <Button
              label="Decide"
              shortcut="Enter"
              isMain
              isOff={chosen === undefined}
              onClick={sendChosen}
            />
            <CurlButton calls={calls} />
          </div>
        </section>
      )}
    </>
  );
}

/** The call that nobody knows of, with its input. The link to the step tells the rest. */
function Call({ payload }: { readonly payload: Readonly<Record<string, unknown>> }) {
  const { workflow_id: _id, workflow_name: _name, step_id: _step, effect, since, ...rest } = payload;
  return (
    <>
      <p class="facts">
        <Effect of={String(effect)} />
        <span>
          since <Age at={String(since)} />
        </span>
      </p>
      <Members value={rest} />
    </>
  );
}
