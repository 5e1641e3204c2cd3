import { itemAt } from '../array.ts';
import { BUCKETS, type SparseVector } from './text-reader.ts';

/** An example: the vectors of a text and of its parts, and the outputs that are right for it. */
export interface Example {
  readonly whole: SparseVector;
  readonly parts: readonly SparseVector[];
  /** The targets of each group, from 0 to 1; undefined where the example says nothing about a group or an output. */
  readonly targets: readonly (readonly (number | undefined)[] | undefined)[];
}

/**
 * The meaning of a group of outputs. `choice`: exactly one is right. `whole`: each is right or wrong for the text.
 * `part`: each is right where it is right for the text or one of its parts, so that the best of them counts.
 */
export interface OutputGroup {
  readonly kind: 'choice' | 'whole' | 'part';
  readonly size: number;
}

/** The options of a training. */
export interface TrainingOptions {
  readonly groups: readonly OutputGroup[];
  readonly epochs: number;
  readonly rate: number;
  /**
   * Of a choice: the length of the weights of each output before anything is learned from errors. They then point to
   * the mean of its texts, which is nearly all that few texts teach. 0 when absent.
   */
  readonly start?: number | undefined;
  /** The share by which weights shrink after each epoch. */
  readonly decay: number;
  readonly seed: number;
  /** Called after each epoch. */
  readonly onEpoch?: (() => void) | undefined;
}

/** The weights of a linear model: a row of outputs for each bucket that occurs, and a bias for each output. */
export interface LinearWeights {
  readonly outputs: number;
  /** The bucket of each row, ascending. */
  readonly buckets: Uint32Array;
  /** The number of examples that have the bucket. */
  readonly occurrences: Uint32Array;
  readonly rows: Float32Array;
  readonly bias: Float32Array;
}

/** The smallest error of an output that is still learned from. */
const MIN_ERROR = 0.003;

/** Biases move slowly, so that frequent outputs do not win by being frequent. */
const BIAS_RATE = 0.05;

/** Trains a linear model by AdaGrad. The same examples and options give the same weights on one version of Node. */
export function trainLinear(examples: readonly Example[], options: TrainingOptions): LinearWeights {
  const learner = createLearner(examples, options);
  const random = createRandom(options.seed);
  const order = examples.map((_, index) => index);
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random);
    for (const index of order) learner.learn(itemAt(examples, index));
    learner.shrink();
    options.onEpoch?.();
  }
  return learner.weights;
}

function createLearner(examples: readonly Example[], { groups, rate, decay, start = 0 }: TrainingOptions) {
  const outputs = groups.reduce((sum, { size }) => sum + size, 0);
  const { buckets, occurrences, rowOf } = numberRows(examples);
  const rows = new Float32Array(buckets.length * outputs);
  const rowSquares = new Float32Array(rows.length).fill(1e-6);
  const bias = new Float32Array(outputs);
  const biasSquares = new Float32Array(outputs).fill(1e-6);
  const weights: LinearWeights = { outputs, buckets, occurrences, rows, bias };
  if (start > 0) startFromMeans(examples, weights, rowOf, start);

  function scoreOf(vector: SparseVector, scores: Float64Array): Float64Array {
    scores.set(bias);
    for (let at = 0; at < vector.buckets.length; at++) {
      const value = Number(vector.values[at]);
      const row = Number(rowOf[Number(vector.buckets[at])]) * outputs;
      for (let output = 0; output < outputs; output++) {
        scores[output] = Number(scores[output]) + value * Number(rows[row + output]);
      }
    }
    return scores;
  }

  function step(target: Float32Array, squares: Float32Array, at: number, gradient: number): void {
    const square = Number(squares[at]) + gradient * gradient;
    squares[at] = square;
    target[at] = Number(target[at]) - (rate * gradient) / Math.sqrt(square);
  }

  function correct(vector: SparseVector, output: number, error: number): void {
    if (Math.abs(error) < MIN_ERROR) return;
    step(bias, biasSquares, output, error);
    for (let at = 0; at < vector.buckets.length; at++) {
      const row = Number(rowOf[Number(vector.buckets[at])]) * outputs;
      step(rows, rowSquares, row + output, error * Number(vector.values[at]));
    }
  }

  /** Scores are those of before the example is learned from. */
  function learnGroup(
    scored: readonly Scored[],
    { kind, size }: OutputGroup,
    first: number,
    targets: readonly (number | undefined)[],
  ): void {
    const whole = itemAt(scored, 0);
    const shares = kind === 'choice' ? sharesOf(whole.scores.subarray(first, first + size)) : undefined;
    if (shares !== undefined) {
      correctChoice(
        whole.vector,
        first,
        targets.map((target, at) => Number(shares[at]) - Number(target)),
      );
      return;
    }
    targets.forEach((target, at) => {
      if (target === undefined) return;
      const output = first + at;
      const best = kind === 'part' ? bestOf(scored, output) : whole;
      correct(best.vector, output, sigmoid(Number(best.scores[output])) - target);
    });
  }

  const choiceSquares = new Float32Array(buckets.length).fill(1e-6);

  /** Outputs of a choice share the rate of a row, so that their errors keep their proportions. */
  function correctChoice(vector: SparseVector, first: number, errors: readonly number[]): void {
    const wrong: number[] = [];
    let square = 0;
    errors.forEach((error, at) => {
      if (Math.abs(error) < MIN_ERROR) return;
      wrong.push(at);
      square += error * error;
      bias[first + at] = Number(bias[first + at]) - BIAS_RATE * error;
    });
    for (let at = 0; at < vector.buckets.length; at++) {
      const row = Number(rowOf[Number(vector.buckets[at])]);
      const value = Number(vector.values[at]);
      const sum = Number(choiceSquares[row]) + value * value * square;
      choiceSquares[row] = sum;
      const factor = (rate * value) / Math.sqrt(sum);
      for (const one of wrong) {
        const place = row * outputs + first + one;
        rows[place] = Number(rows[place]) - factor * Number(errors[one]);
      }
    }
  }

  return {
    weights,
    learn({ whole, parts, targets }: Example): void {
      const scored = [whole, ...parts].map((vector) => ({
        vector,
        scores: scoreOf(vector, new Float64Array(outputs)),
      }));
      let first = 0;
      groups.forEach((group, index) => {
        const own = targets[index];
        if (own !== undefined) learnGroup(scored, group, first, own);
        first += group.size;
      });
    },
    shrink(): void {
      if (decay === 0) return;
      for (let at = 0; at < rows.length; at++) rows[at] = Number(rows[at]) * (1 - decay);
    },
  };
}

/** Points the weights of each output to the mean of its texts, in which features of few texts count more. */
function startFromMeans(
  examples: readonly Example[],
  { outputs, occurrences, rows }: LinearWeights,
  rowOf: Int32Array,
  start: number,
): void {
  for (const { whole, targets } of examples) {
    const own = targets[0] ?? [];
    const output = own.reduce<number>((best, one, at) => (Number(one) > Number(own[best]) ? at : best), 0);
    whole.buckets.forEach((bucket, at) => {
      const place = Number(rowOf[bucket]) * outputs + output;
      rows[place] = Number(rows[place]) + Number(whole.values[at]);
    });
  }
  const squares = new Float64Array(outputs);
  for (let place = 0; place < rows.length; place++) {
    const rarity = Math.log((examples.length + 1) / Number(occurrences[Math.floor(place / outputs)]));
    rows[place] = Number(rows[place]) * rarity;
    squares[place % outputs] = Number(squares[place % outputs]) + Number(rows[place]) ** 2;
  }
  for (let place = 0; place < rows.length; place++) {
    rows[place] = (Number(rows[place]) * start) / (Math.sqrt(Number(squares[place % outputs])) || 1);
  }
}

/** A vector and its scores. */
interface Scored {
  readonly vector: SparseVector;
  readonly scores: Float64Array;
}

function bestOf(scored: readonly Scored[], output: number): Scored {
  let best = itemAt(scored, 0);
  for (const one of scored) if (Number(one.scores[output]) > Number(best.scores[output])) best = one;
  return best;
}

/** Gives each bucket that occurs a row. */
function numberRows(examples: readonly Example[]) {
  const counts = new Uint32Array(BUCKETS);
  const last = new Int32Array(BUCKETS).fill(-1);
  examples.forEach(({ whole, parts }, example) => {
    for (const { buckets } of [whole, ...parts]) {
      for (const bucket of buckets) {
        if (last[bucket] === example) continue;
        last[bucket] = example;
        counts[bucket] = Number(counts[bucket]) + 1;
      }
    }
  });
  const rowOf = new Int32Array(BUCKETS).fill(-1);
  const buckets: number[] = [];
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if (counts[bucket] === 0) continue;
    rowOf[bucket] = buckets.length;
    buckets.push(bucket);
  }
  const occurrences = Uint32Array.from(buckets, (bucket) => Number(counts[bucket]));
  return { buckets: Uint32Array.from(buckets), occurrences, rowOf };
}

/** The probability for a score of an output that is right or wrong. */
export function sigmoid(score: number): number {
  return 1 / (1 + Math.exp(-score));
}

/** The probabilities for the scores of outputs of which exactly one is right. */
export function sharesOf(scores: Float64Array): Float64Array {
  let max = Number.NEGATIVE_INFINITY;
  for (const score of scores) max = Math.max(max, score);
  const shares = new Float64Array(scores.length);
  let total = 0;
  for (let at = 0; at < shares.length; at++) {
    shares[at] = Math.exp(Number(scores[at]) - max);
    total += Number(shares[at]);
  }
  for (let at = 0; at < shares.length; at++) shares[at] = Number(shares[at]) / total;
  return shares;
}

// Randomness

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
