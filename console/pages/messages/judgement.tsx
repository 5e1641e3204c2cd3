import { Fragment } from 'preact';
import { formatShare } from '../../ui/format.ts';
import { accountOf, type Point } from './account.ts';
import { judgementOf, type Trace } from './trace.ts';
import { conversationNotes, entitiesOf, inWords, marginInWords } from './words.ts';

/**
 * The judgement of a message: intents with their confidences and sources, the reasons of the verifier, the fate of the
 * reply of the language model, and its cost.
 */
export function JudgementView({ trace }: { readonly trace: Trace }) {
  const { candidates, answerable, threshold, explanations, articles } = judgementOf(trace);
  const { judged, answered } = accountOf(trace);
  const entities = entitiesOf(trace);
  const notes = conversationNotes(trace);
  const margin = threshold === undefined ? undefined : trace.confidence - threshold;
  return (
    <section class="card stack" aria-labelledby="judgement">
      <h2 id="judgement">How it was judged</h2>
      <ul class="messages-intents" aria-label="Intents">
        {candidates.map(({ intent, confidence }, index) => (
          <li key={intent}>
            <span>{index === 0 ? <strong>{inWords(intent)}</strong> : inWords(intent)}</span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect
                class={index === 0 ? 'fill-accent' : 'fill-calm'}
                width={Math.max(0.5, confidence * 100)}
                height="10"
              />
              {threshold !== undefined && (
                <line class="messages-threshold" x1={threshold * 100} x2={threshold * 100} y1="-2" y2="12" />
              )}
            </svg>
            <span class="number">{formatShare(confidence)}</span>
          </li>
        ))}
      </ul>
      <dl class="pairs">
        <Points points={judged} />
        <dt>Concerns</dt>
        <dd>
          {trace.concerns.length === 0
            ? 'none'
            : trace.concerns.map((concern) => (
                <span key={concern} class="tag tone-bad">
                  {inWords(concern)}
                </span>
              ))}
        </dd>
        {margin !== undefined && threshold !== undefined && (
          <>
            <dt>Threshold</dt>
            <dd>
              {formatShare(threshold)},{' '}
              <span class={margin < 0 ? 'tone-warn' : 'tone-good'}>
                {marginInWords(trace.confidence, threshold)}
              </span>
            </dd>
          </>
        )}
        {answerable !== undefined && answerable < trace.confidence && (
          <>
            <dt>Can be answered</dt>
            <dd>{formatShare(answerable)}</dd>
          </>
        )}
        {explanations.length > 0 && (
          <>
            <dt>{trace.escalated ? 'Escalated, because' : 'Decided, because'}</dt>
            <dd>{explanations.join('; ')}</dd>
          </>
        )}
        <Points points={answered} />
        {notes.length > 0 && (
          <>
            <dt>Conversation</dt>
            <dd>{notes.join(' ')}</dd>
          </>
        )}
        {entities.length > 0 && (
          <>
            <dt>Named</dt>
            <dd>
              <ul>
                {entities.map(([name, value]) => (
                  <li key={name}>
                    <span class="faint">{name}</span> {value}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        {articles.length > 0 && (
          <>
            <dt>Articles</dt>
            <dd>
              <ul>
                {articles.map(({ title, relevance }, index) => (
                  <li key={index}>
                    {title}{' '}
                    {relevance !== undefined && <span class="faint number">{relevance.toFixed(2)}</span>}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Points({ points }: { readonly points: readonly Point[] }) {
  return (
    <>
      {points.map(({ name, lines }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            <ul>
              {lines.map(({ about, text }, index) => (
                <li key={index}>
                  {about !== undefined && <span class="faint">{about}</span>} {text}
                </li>
              ))}
            </ul>
          </dd>
        </Fragment>
      ))}
    </>
  );
}
