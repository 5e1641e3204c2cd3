/**
 * Correct words that resemble a word of the lexicon, or two of them written together; and the small words that are
 * often written together with others (`helpme`).
 */
export const ordinaryWords: ReadonlySet<string> = new Set(
  `
  a an am and are as at be by do for from had has have he her him his i if in is it me my of on one or our she so
  that the their them then they this to u up ur us was we were will with ya you your
  based become becomes block blocked blocks boarding booth broke broken brought bother bounded browse browser busy
  caller carried carries carry cells chain chains chance charger chargers charles chart charts child checker clash
  cloned closely closer closest clothes colon coming complement compliant computed const contrast costly cover
  covered cursor dealer dealing dealings denied detect detected difficult drive drives duty eight ending european
  everyday exist existed existing exists expire expired extensive fallen falling falls field fired flake forms
  former funding gained german given gives golden greater greatly ideal ignore ignores inexpensive incorrect joint
  known knows korean later latest lifted listen listed locks locking loops loose manage managed manager manages
  marked marking mistaken outcome overcome overhead overview paint painting parties parts pointer possibly poorly
  presently prevent prevented prevents price prime profit profits provided provider providers pulled quiet quite
  quoted react receiver refuse refused refuses related relating remain remaining remains repay reporter retain
  reused roots russian saying scale score seeing seems sender shape shapes share shared shares sharp shift shifts
  shorts short shown shows sides single singles skirt slower smart speed spend spent stack staff stage stale
  starter stays step steps stick stone stories story suites tasks three tracker trade trick tricks truck truly
  tries trainer trainers typed unset uploaded upload upcoming used various waist wasted waste whole wider winter
  chose chosen issuing layer layers parking scan scanned scans sing singing spam spammed spamming swing swinging
  swings switches wording worker workers worse worst worst wrote writer
  `
    .trim()
    .split(/\s+/),
);
