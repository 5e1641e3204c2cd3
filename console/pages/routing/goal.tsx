import { type Clause, markGoal, numberAgents } from './mark-goal.ts';

interface GoalProps {
  readonly goal: string;
  readonly clauses: readonly Clause[];
  readonly unassigned: readonly string[];
}

/**
 * A goal whose clauses show who got them: by colour and by the number of the agent. The words that decided are
 * underlined.
 */
export function Goal({ goal, clauses, unassigned }: GoalProps) {
  const numbers = numberAgents(clauses);
  return (
    <section class="card" aria-labelledby="goal">
      <h2 id="goal">The goal, and who gets what</h2>
      <p class="routing-goal">
        {markGoal(goal, clauses, unassigned).map((piece, index, pieces) => {
          const first = numbers.get(piece.agents[0] ?? '');
          const next = pieces[index + 1];
          const isEnd = next === undefined || next.agents.join() !== piece.agents.join();
          const tone = piece.isUnassigned ? 'routing-left' : first && `routing-${first.tone}`;
          return (
            <span key={index} class={tone}>
              {piece.isWord ? <u>{piece.text}</u> : piece.text}
              {isEnd &&
                piece.agents.map((agent) => (
                  <sup key={agent} title={agent}>
                    {numbers.get(agent)?.number}
                  </sup>
                ))}
            </span>
          );
        })}
      </p>
      <ul class="routing-legend">
        {[...numbers].map(([agent, { number, tone }]) => {
          const words = clauses
            .filter(({ agent_name }) => agent_name === agent)
            .flatMap(({ matched }) => matched);
          return (
            <li key={agent}>
              <span class={`routing-${tone}`}>{number}</span> {agent}
              {words.length > 0 && <span class="faint"> by “{[...new Set(words)].join('”, “')}”</span>}
            </li>
          );
        })}
      </ul>
      {unassigned.length > 0 && (
        <div class="routing-nobody">
          <h3>What nobody takes</h3>
          <ul>
            {unassigned.map((text, index) => (
              <li key={index} class="routing-left">
                {text}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
