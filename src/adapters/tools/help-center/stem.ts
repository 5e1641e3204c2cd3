/** Words that say nothing about what an article is about. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about any after all also am an and any are as at be because been before but by can cannot could did do does dont
  for from get give go got had has have he hello help her here hi his how i if im in into is it its just know let
  like me more most my myself need no not now of off on one only or our out over please pls possible question questions assistance assist really she should so
  some still tell than thank thanks that the their them then there these they this those to too u up ur us very want
  was way we were what when where which who why will with would ya yes yet you your`.split(/\s+/),
);

const endings = [
  'ations',
  'ation',
  'ings',
  'ing',
  'ies',
  'ied',
  'ers',
  'es',
  'ed',
  'er',
  'ly',
  's',
  'e',
  'y',
] as const;

/** The least length of what is left of a word. */
const SHORTEST_STEM = 3;

/** A word without its endings, so that `cancelled` and `cancellation` meet. Rough, and the same for articles and queries. */
export function stem(word: string): string {
  return withoutEnding(withoutEnding(word));
}

function withoutEnding(word: string): string {
  const ending = endings.find((end) => word.endsWith(end) && word.length - end.length >= SHORTEST_STEM);
  const root = ending === undefined ? word : word.slice(0, -ending.length);
  const last = root.at(-1);
  return root.length > SHORTEST_STEM && last === root.at(-2) ? root.slice(0, -1) : root;
}
