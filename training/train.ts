import { writeFileSync } from 'node:fs';
import { encodeModelFile } from '../src/adapters/classifier/intent-model.ts';
import { trainJudgement } from './judgement.ts';
import { trainShop } from './shop.ts';
import { readTrainingTexts } from './texts.ts';

// Makes the models of the package from the texts in this folder. The same texts always give the same bytes.

const folder = new URL(
  process.argv[2] === undefined ? '../models/' : `file://${process.argv[2]}/`,
  import.meta.url,
);
const texts = readTrainingTexts();
const judgement = trainJudgement(texts);
writeFileSync(new URL('judgement.json', folder), `${JSON.stringify(judgement)}\n`);
writeFileSync(new URL('shop.json', folder), encodeModelFile(trainShop(texts)));
process.stdout.write(`${texts.length} texts\n`);
