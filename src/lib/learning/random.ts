import { itemAt } from '../array.ts';

/** Shuffles a list in place. */
export function shuffle(order: number[], random: () => number): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const kept = itemAt(order, at);
    order[at] = itemAt(order, other);
    order[other] = kept;
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
