import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createTrainingReader } from '../src/adapters/stages/analysis.ts';
import { encodeModel, quantize } from '../src/adapters/stages/judgement/model-file.ts';
import { outputGroups } from '../src/adapters/stages/judgement/outputs.ts';
import { vectorOf } from '../src/adapters/stages/judgement/reading.ts';
import { type Example, trainLinear } from '../src/lib/learning/train.ts';
import { parseText, targetsOf } from './texts.ts';

// Makes models/judgement.bin from the texts in training/texts. The same texts always give the same bytes.

const folder = new URL('texts/', import.meta.url);
const read = createTrainingReader();
const examples: Example[] = readdirSync(folder)
  .sort()
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
  .map(parseText)
  .map((text) => {
    const { whole, parts } = read(text.text);
    return { whole: vectorOf(whole), parts: parts.map(vectorOf), targets: targetsOf(text) };
  });
const weights = trainLinear(examples, { groups: outputGroups, epochs: 12, rate: 0.2, decay: 0.1, seed: 7 });
const path = process.argv[2] ?? new URL('../models/judgement.bin', import.meta.url);
writeFileSync(path, encodeModel(quantize(weights)));
process.stdout.write(`${examples.length} texts\n`);
