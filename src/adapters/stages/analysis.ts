import { type BuiltInIntent, intents } from '../../domain/message/message.ts';
import { tokenize } from '../../lib/text/tokenize.ts';
import { type ConceptFinder, createConceptFinder } from './judgement/concept-finder.ts';
import { type Judgement, judgeText } from './judgement/judge.ts';
import { readBuiltInModel } from './judgement/model-file.ts';
import { OUTPUTS } from './judgement/outputs.ts';
import {
  type ModelWord,
  type ReadText,
  type RuleFindings,
  readText,
  toModelWord,
} from './judgement/reading.ts';
import { createScorer, type ScoredWord } from './judgement/scorer.ts';
import { classifyClauses, detectCues } from './rules/classify.ts';
import { createClauseAnalyzer, MAX_CORRECTIONS, type Token } from './rules/clause-analyzer.ts';
import { type Concept, conceptId, REFUSED } from './rules/concepts.ts';
import { createCueMatcher } from './rules/cue-matcher.ts';
import { intentCues } from './rules/intent-cues.ts';
import { actions } from './rules/lexicon/actions.ts';
import { objects } from './rules/lexicon/objects.ts';
import { markers, questions } from './rules/lexicon/questions.ts';
import { sentiment } from './rules/lexicon/sentiment.ts';
import { ordinaryWords } from './rules/ordinary-words.ts';
import { createWordCache } from './rules/word-cache.ts';

/** Shorter words are mostly articles, pronouns and the like. */
const MIN_EXPLAINED = 4;

/** Concepts that do not count when the customer refuses them. All others still count (`I don't want this newsletter`). */
const refusable = new Set([
  'refund',
  'giveBack',
  'swap',
  'cancel',
  'person',
  'helpdesk',
  'complaint',
  'feedback',
  'buy',
  'change',
]);

/** What reads a text for the model, without the model. */
export interface Reader {
  readonly concepts: ConceptFinder;
  /** Looks up a word for the rules. */
  tokenOf(word: string, correctSpelling: boolean): Token;
  /** Finds the clauses of a text with their cues for intents, and classifies it by them. */
  applyRules(tokens: readonly Token[]): RuleFindings;
  /** Stand in a clause in which the customer refuses something. */
  readonly refusals: readonly Concept[];
}

/** Compiles the rules. */
export function createReader(): Reader {
  const analyzer = createClauseAnalyzer({
    lexicon: { ...objects, ...questions, ...actions, ...sentiment, ...markers },
    uncorrectable: new Set(Object.keys(markers)),
    ordinaryWords,
    referents: new Set(Object.keys(objects)),
    imperatives: new Set(Object.keys(actions)),
    refusable,
  });
  const matchCues = createCueMatcher(analyzer.concepts, intents, intentCues);
  return {
    concepts: createConceptFinder(),
    tokenOf: analyzer.tokenOf,
    applyRules(tokens) {
      const clauses = detectCues(analyzer.analyze(tokens), matchCues);
      return { clauses, classified: classifyClauses(clauses), explained: explainedShare(tokens) };
    },
    refusals: [REFUSED, 'refusal', 'keepIt'].map((name) => conceptId(analyzer.concepts, name)),
  };
}

/** The share of the longer words of a text that the lexicon of the rules has; 1 where there are none. */
function explainedShare(tokens: readonly Token[]): number {
  let known = 0;
  let all = 0;
  for (const { word, byLemma, byWord, corrections } of tokens) {
    if (word.length > 0 && word.length < MIN_EXPLAINED) continue;
    all++;
    if (byLemma !== undefined || byWord !== undefined || corrections !== undefined) known++;
  }
  return all === 0 ? 1 : known / all;
}

/** Reads texts for training: as {@link analyzeText} does, but without a model. */
export function createTrainingReader(): (text: string) => ReadText {
  const reader = createReader();
  const lookUp = createWordCache((word, correctSpelling) => ({
    token: reader.tokenOf(word, correctSpelling),
    word: toModelWord(word, reader.concepts),
  }));
  return (text) => {
    const words = lookUpWords(text, lookUp);
    const rules = reader.applyRules(words.map(({ token }) => token));
    return readText(
      words.map(({ word }) => word),
      rules,
      reader.concepts,
    );
  };
}

/** A word for the rules and for the model, so that a text is split and looked up once. */
interface ReadWord<Word extends ModelWord> {
  readonly token: Token;
  readonly word: Word;
}

type LookUp<Word extends ModelWord> = (word: string, correctSpelling: boolean) => ReadWord<Word>;

/** Looks up the words of a text; spelling is corrected until {@link MAX_CORRECTIONS} words are misspelled. */
function lookUpWords<Word extends ModelWord>(text: string, lookUp: LookUp<Word>): readonly ReadWord<Word>[] {
  let corrections = MAX_CORRECTIONS;
  return tokenize(text).map((word) => {
    const read = lookUp(word, corrections > 0);
    if (read.token.misspelled) corrections--;
    return read;
  });
}

function createAnalyzer() {
  const reader = createReader();
  const scorer = createScorer(readBuiltInModel(OUTPUTS));
  const lookUp = createWordCache<ReadWord<ScoredWord>>((word, correctSpelling) => ({
    token: reader.tokenOf(word, correctSpelling),
    word: scorer.scoreWord(toModelWord(word, reader.concepts)),
  }));
  return { reader, scorer, lookUp };
}

let analyzer: ReturnType<typeof createAnalyzer> | undefined;

/** What the rules and the model find in a message. */
export interface MessageAnalysis extends Judgement {
  /** The cue by which the rules chose an intent: words of the cue table, never of the customer. */
  readonly cues: readonly string[];
  /** The intent that the rules chose; undefined without any cue. */
  readonly ruleIntent: BuiltInIntent | undefined;
  /** Whether the customer says that he does not want something (`please don't cancel it`). */
  readonly refuses: boolean;
}

/**
 * Analyzes a text. The time grows with its length. The rules are compiled and the model is read for the first text, so
 * that they do not delay the start.
 */
export function analyzeText(text: string): MessageAnalysis {
  analyzer ??= createAnalyzer();
  const { reader, scorer, lookUp } = analyzer;
  const words = lookUpWords(text, lookUp);
  const rules = reader.applyRules(words.map(({ token }) => token));
  const read = readText(
    words.map(({ word }) => word),
    rules,
    reader.concepts,
  );
  const { clauses, classified } = rules;
  return {
    ...judgeText(read, scorer, rules),
    cues: classified.cues,
    ruleIntent: classified.cues.length === 0 ? undefined : classified.intent,
    refuses: clauses.some(({ clause }) => reader.refusals.some((one) => clause.concepts.includes(one))),
  };
}
