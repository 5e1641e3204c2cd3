import { Effect as EffectTag } from '../../../ui/effect.tsx';
import { Notice } from '../../../ui/states.tsx';
import type { Effect, Plan } from '../logic/plan.ts';
import { againWords } from '../logic/words.ts';

/** More steps than this are not listed one by one. */
const MAX_LISTED = 200;

/**
 * Which steps an action runs, and what that does. `newKeys`: tools get new idempotency keys, so that nothing recognizes
 * a repeat.
 */
export function PlanList({ plan, newKeys }: { readonly plan: Plan; readonly newKeys: boolean }) {
  const { runs, kept } = plan;
  const acts = (effect: Effect): boolean =>
    effect === 'write' || effect === 'runs' || effect === 'unknown' || (newKeys && effect === 'idempotent');
  const dangerous = runs.filter(({ effect, isRepeat }) => isRepeat && acts(effect));
  const shown = runs.slice(0, MAX_LISTED);
  return (
    <>
      {dangerous.length > 0 && (
        <Notice tone="warn">
          <p>
            <strong>
              {dangerous.length === 1 ? 'One step acts again: ' : `${dangerous.length} steps act again: `}
              {dangerous
                .slice(0, 5)
                .map(({ id }) => id)
                .join(', ')}
              {dangerous.length > 5 && ' …'}
            </strong>
          </p>
          <p>
            {newKeys
              ? 'What they have done already may happen a second time: tools get new idempotency keys, so that no other system recognizes a repeat.'
              : 'What they have done already may happen a second time. Tools get the same idempotency keys as before.'}
          </p>
        </Notice>
      )}
      <div class="runs-plan" role="region" aria-label="Steps that run">
        <table>
          <caption>
            {runs.length === 1 ? 'One step runs' : `${runs.length.toLocaleString('en')} steps run`}
            {kept.length > 0 &&
              `, ${kept.length === 1 ? 'one keeps its output' : `${kept.length.toLocaleString('en')} keep their outputs`}`}
          </caption>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Effect</th>
              <th scope="col">What it does</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, effect, isRepeat }) => (
              <tr key={id}>
                <td class="mono">{id}</td>
                <td>
                  <EffectTag of={effect} />
                </td>
                <td>{doingOf(effect, isRepeat, newKeys)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {runs.length > shown.length && <p class="faint">and {runs.length - shown.length} more</p>}
      </div>
    </>
  );
}

function doingOf(effect: Effect, isRepeat: boolean, newKeys: boolean): string {
  if (effect === 'read' || effect === 'asks' || effect === 'waits') return againWords[effect];
  if (!isRepeat) return 'runs for the first time';
  if (effect === 'idempotent') return newKeys ? 'acts again, with a new key' : againWords.idempotent;
  return `${againWords[effect]} again`;
}
