import { stem } from '../../../lib/text/stemmer.ts';
import { fold } from './fold.ts';

/** The words for `not`, `no` and `never`, which turn the meaning of a text around. */
const words = [
  'not no never none neither nor without dont doesnt didnt cant cannot couldnt wont wouldnt shouldnt isnt arent wasnt',
  'werent havent hasnt hadnt mustnt neednt aint',
  'nicht kein keine keinen keinem keiner keines nie niemals ohne weder',
  'ne pas jamais aucun aucune sans ni nunca jamás tampoco sin ningún ninguna não nem sem nenhum nenhuma non senza',
  'nessun nessuna né',
  'niet geen nooit zonder inte ingen inget aldrig utan ikke aldri aldrig uden nie bez żaden değil yok не нет никогда',
  'без ні немає',
];

/** The negations of several languages, by stem, as `readText` spells them. */
export function negations(): ReadonlySet<string> {
  return new Set(words.flatMap((line) => fold(line).split(' ').map(stem)));
}
