import { itemAt } from '../array.ts';
import { BUCKETS } from './features.ts';

/** A text as a sparse vector: buckets, which may repeat, and their values. */
export interface SparseVector {
  readonly buckets: Uint32Array;
  readonly values: Float32Array;
}

/** An example: the vectors of a text and of its parts, and the outputs that are right for it. */
export interface Example {
  readonly whole: SparseVector;
  readonly parts: readonly SparseVector[];
  /** The targets of each group, from 0 to 1; undefined where the example says nothing about the group. */
  readonly targets: readonly (readonly number[] | undefined)[];
}

/**
 * What a group of outputs means. `choice`: exactly one is right. `whole`: each is right or wrong for the text.
 * `part`: each is right where it is right for the text or one of its parts, so that the best of them counts.
 */
export interface OutputGroup {
  readonly kind: 'choice' | 'whole' | 'part';
  readonly size: number;
}

/** How to train. */
export interface TrainingOptions {
  readonly groups: readonly OutputGroup[];
  readonly epochs: number;
  readonly rate: number;
  /** The share by which weights shrink after each epoch. */
  readonly decay: number;
  readonly seed: number;
}

/** The weights of a linear model: a row of outputs for each bucket, and a bias for each output. */
export interface LinearWeights {
  readonly outputs: number;
  readonly rows: Float32Array;
  readonly bias: Float32Array;
}

/** The smallest error of an output that is still learned from. */
const MIN_ERROR = 0.003;

/** The scores of a vector for each output. */
export function scoreVector(weights: LinearWeights, vector: SparseVector): Float32Array {
  const { outputs, rows } = weights;
  const scores = Float32Array.from(weights.bias);
  const { buckets, values } = vector;
  for (let at = 0; at < buckets.length; at++) {
    const value = Number(values[at]);
    const row = Number(buckets[at]) * outputs;
    for (let output = 0; output < outputs; output++) {
      scores[output] = Number(scores[output]) + value * Number(rows[row + output]);
    }
  }
  return scores;
}

/** Trains a linear model by AdaGrad. The same examples and options always give the same weights, to the bit. */
export function trainLinear(examples: readonly Example[], options: TrainingOptions): LinearWeights {
  const learner = createLearner(options);
  const random = createRandom(options.seed);
  const order = examples.map((_, index) => index);
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random);
    for (const index of order) learner.learn(itemAt(examples, index));
    learner.shrink();
  }
  return learner.weights;
}

function createLearner({ groups, rate, decay }: TrainingOptions) {
  const outputs = groups.reduce((sum, { size }) => sum + size, 0);
  const rows = new Float32Array(BUCKETS * outputs);
  const rowSquares = new Float32Array(BUCKETS * outputs).fill(1e-6);
  const bias = new Float32Array(outputs);
  const biasSquares = new Float32Array(outputs).fill(1e-6);
  const weights: LinearWeights = { outputs, rows, bias };

  function correct(vector: SparseVector, output: number, error: number): void {
    if (Math.abs(error) < MIN_ERROR) return;
    step(bias, biasSquares, output, error);
    const { buckets, values } = vector;
    for (let at = 0; at < buckets.length; at++) {
      step(rows, rowSquares, Number(buckets[at]) * outputs + output, error * Number(values[at]));
    }
  }

  function step(target: Float32Array, squares: Float32Array, at: number, gradient: number): void {
    const square = Number(squares[at]) + gradient * gradient;
    squares[at] = square;
    target[at] = Number(target[at]) - (rate * gradient) / Math.sqrt(square);
  }

  /** An example with its scores, which are those of before the example is learned from. */
  function scoreExample({ whole, parts }: Example): readonly Scored[] {
    return [whole, ...parts].map((vector) => ({ vector, scores: scoreVector(weights, vector) }));
  }

  function learnGroup(
    scored: readonly Scored[],
    group: OutputGroup,
    first: number,
    targets: readonly number[],
  ): void {
    const whole = itemAt(scored, 0);
    if (group.kind === 'choice') {
      const shares = softmax(whole.scores.subarray(first, first + group.size));
      targets.forEach((target, at) => {
        correct(whole.vector, first + at, Number(shares[at]) - target);
      });
      return;
    }
    targets.forEach((target, at) => {
      const output = first + at;
      const best = group.kind === 'part' ? bestOf(scored, output) : whole;
      correct(best.vector, output, sigmoid(Number(best.scores[output])) - target);
    });
  }

  return {
    weights,
    learn(example: Example): void {
      let first = 0;
      const scored = scoreExample(example);
      groups.forEach((group, index) => {
        const targets = example.targets[index];
        if (targets !== undefined) learnGroup(scored, group, first, targets);
        first += group.size;
      });
    },
    shrink(): void {
      for (let at = 0; at < rows.length; at++) rows[at] = Number(rows[at]) * (1 - decay);
    },
  };
}

/** A vector and its scores. */
interface Scored {
  readonly vector: SparseVector;
  readonly scores: Float32Array;
}

function bestOf(scored: readonly Scored[], output: number): Scored {
  let best = itemAt(scored, 0);
  for (const one of scored) if (Number(one.scores[output]) > Number(best.scores[output])) best = one;
  return best;
}

/** The probability for a score of an output that is right or wrong. */
export function sigmoid(score: number): number {
  return 1 / (1 + Math.exp(-score));
}

/** The probabilities for the scores of outputs of which exactly one is right. */
export function softmax(scores: Float32Array): Float32Array {
  const max = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const shares = scores.map((score) => Math.exp(score - max));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

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
