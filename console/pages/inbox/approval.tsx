import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../../app/keys.ts';
import { say } from '../../app/messages.tsx';
import { CurlButton } from '../../ui/curl.tsx';
import { faultsUnder, lacksOf } from '../../ui/schema-form/faults.ts';
import { toForm } from '../../ui/schema-form/model.ts';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { isSame, startValue } from '../../ui/schema-form/values.ts';
import { refusals } from './logic/acts.ts';
import { draftOf, fillIn } from './logic/drafts.ts';
import { Button, HeldStep, Members, Remark, RunLink, type StepProps, useDecision } from './step-parts.tsx';

/** A step that asks for an approval: what it shows, and what it needs. */
export function Approval({ item, waits }: StepProps) {
  const { item_id: id, payload, response_schema: schema } = item;
  const draft = draftOf(id);
  const [problem, setProblem] = useState<string>();
  const start = schema === null ? undefined : startValue(schema);
  const decision = useDecision(item, {
    outcomes: ['approved', 'rejected'],
    ...(start !== undefined && { start: { data: start } }),
  });
  const { isHeld, calls } = decision;
  const value = draft.data ?? start ?? {};
  const lacks = lacksOf(toForm(schema), value);
  const [refused, setRefused] = useState(0);
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (refused > 0) box.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [refused]);
  const send = (outcome: 'approved' | 'rejected'): void => {
    if (outcome === 'approved' && problem !== undefined) say(problem, { tone: 'bad' });
    // The service would refuse it when it is sent, ten seconds later.
    else if (outcome === 'approved' && lacks.length > 0) setRefused(refused + 1);
    else decision.send(outcome);
  };
  useKeys(
    'Decision',
    waits && !isHeld
      ? [
          { key: 'a', label: 'approve', run: () => send('approved') },
          { key: 'x', label: 'reject', run: () => send('rejected') },
        ]
      : [],
  );
  const faults = [
    ...faultsUnder(refusals.value.get(id)?.error.faults ?? [], '/data'),
    ...(refused > 0 ? lacks : []),
  ];
  return (
    <>
      <section class="card stack" aria-labelledby="inbox-asked">
        <header class="inbox-card-head">
          <h3 id="inbox-asked">What is asked</h3>
          <RunLink item={item} />
        </header>
        {payload === null ? <p class="faint">The step shows nothing.</p> : <Members value={payload} />}
      </section>
      {waits && isHeld && <HeldStep />}
      {waits && !isHeld && (
        <section ref={box} class="card stack" aria-labelledby="inbox-decision">
          <h3 id="inbox-decision">Decision</h3>
          {schema !== null && (
            <SchemaForm
              schema={schema}
              label="What the approval brings with it"
              value={value}
              onChange={(data) => fillIn(id, { data: isSame(data, start) ? undefined : data })}
              onProblem={setProblem}
              faults={faults}
            />
          )}
          <Remark id={id} value={draft.remark} />
          <div class="inbox-buttons">
            <Button label="Approve" shortcut="a" isMain onClick={() => send('approved')} />
            <Button label="Reject" shortcut="x" onClick={() => send('rejected')} />
            <CurlButton calls={calls} />
          </div>
        </section>
      )}
    </>
  );
}
