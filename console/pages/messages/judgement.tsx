import { formatShare } from '../../ui/format.ts';
import { judgementOf, type Trace } from './trace.ts';
import { conversationNotes, entitiesOf, inWords, marginInWords, sourceWords } from './words.ts';

/** How a message was judged: intents with their confidences, what speaks of a concern, and why the verifier decided so. */
export function JudgementView({ trace }: { readonly trace: Trace }) {
  const { candidates, evidence, answerable, threshold, explanations, articles } = judgementOf(trace);
  const decided = trace.agent_decisions.find(({ agent }) => agent === 'classifier');
  const source = decided && sourceWords[decided.source];
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
        {source !== undefined && (
          <>
            <dt>Decided by</dt>
            <dd>{source}</dd>
          </>
        )}
        {answerable !== undefined && answerable < trace.confidence && (
          <>
            <dt>Can be answered</dt>
            <dd>{formatShare(answerable)}</dd>
          </>
        )}
        {evidence.length > 0 && (
          <>
            <dt>Evidence</dt>
            <dd>
              <ul>
                {evidence.map(({ name, words }) => (
                  <li key={name}>
                    <span class="faint">{inWords(name)}</span> {words.join(', ')}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
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
        {explanations.length > 0 && (
          <>
            <dt>{trace.escalated ? 'Escalated, because' : 'Decided, because'}</dt>
            <dd>{explanations.join('; ')}</dd>
          </>
        )}
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
