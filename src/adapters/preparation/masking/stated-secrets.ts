import type { Secret } from './digits.ts';

const codeName =
  /(?<![\p{L}\d])(?:(?:cvv|cvc)[ -]?2?|csc|security (?:code|number|digits)|card verification (?:code|value|number)|verification value|(?:three|3|four|4)[ -]digits? (?:code |number )?(?:on|at|from) the (?:back|front)|prüfnummer|kartenprüfnummer|sicherheitscode|code de sécurité|cryptogramme|código de segur(?:idad|ança)|codice di sicurezza|beveiligingscode|kod cvv|säkerhetskod|güvenlik kodu)(?![\p{L}\d])/giu;

const codeValue =
  /^(?: (?:code|number|nr|no|of (?:the|my) card|on the back))?[\s.]{0,2}(?:(?:is|was|are|ist|lautet|est|es|è|é|to|=|:|#|-|–)[\s:]{0,3}){0,2}["'(]?(\p{Nd}{3,4})(?![\p{Nd}\p{L}]|[.,]\p{Nd})/iu;

const passwordName =
  /(?<![\p{L}\d])(?:pass ?words?|pass ?code|pass ?phrase|passwd|pswd|psw|pwd|pw|pass(?=\s{0,2}[:=])|passwort|kennwort|mot de passe|mdp|contraseña|clave|senha|palavra-passe|wachtwoord|hasło|lösenord|adgangskode|passord|salasana|şifrem?|parolam?|pin(?: ?(?:code|number|nummer))?)(?![\p{L}\d])/giu;

const passwordValue =
  /^(?:\s(?:for|to|of|on) (?:my |the |your |this )?[\p{L}-]{1,20}(?: account)?)?["')]?(\s{0,3}(?:[:=]|->|→)\s{0,3}|\s{1,3}(?:is|was|are|ist|war|lautet|est|es|è|é|to|jest|är|er|on|is:|ist:)\s{1,3}(?:now |still |currently |set to |changed to )?|\s{1,2})["'“‘`«<(]?([^\s"'”’`»<>()]{3,64})/iu;

/** Words that stand behind `my password is` and are none. */
const noSecret =
  /^(?:hard|easy|simple|weird|stuck|stolen|known|set|required|needed|due|up|off|out|my|not?|wrong|incorrect|invalid|too|the|a|an|my|your|our|their|it|being|be|never|always|still|also|so|very|only|just|now|broken|missing|lost|gone|correct|right|good|bad|fine|ok|okay|weak|strong|short|long|old|new|same|different|case|that|this|what|where|when|why|how|which|who|unknown|blank|empty|safe|secure|unsafe|compromised|and|or|but|because|since|for|from|in|on|at|to|with|without|of|by|if|as|page|reset|field|box|change|manager|link|email|mail|does|doesn'?t|did|didn'?t|isn'?t|wasn'?t|won'?t|can'?t|has|have|had|was|were|is|are|will|would|keeps?|every|again|help|please|pls|thanks?|falsch|nicht|richtig|zu|vergessen|weg|ungültig|abgelaufen|pas|plus|incorrecte?|oublié|perdu|expiré|incorrecta|incorreta|errat[ao]|sbagliat[ao]|niet|verkeerd|fout|verlopen|vergeten|błędne|fel|forkert|feil|väärin|yanlış|unutmuşum|unuttum|\p{L}+(?:ed|ing|able|less|ble|ive|ssen|iert)|https?:.*|\[.*)[.,!?;:]*$/iu;

/** Every security code, PIN and password that a text states as such. */
export function findStatedSecrets(text: string): readonly Secret[] {
  return [...findCodes(text), ...findPasswords(text)];
}

function findCodes(text: string): readonly Secret[] {
  return [...text.matchAll(codeName)].flatMap((match) => {
    const after = match.index + match[0].length;
    const value = codeValue.exec(text.slice(after, after + 60));
    const code = value?.[1];
    if (value === null || code === undefined) return [];
    const end = after + value[0].length;
    return [{ start: end - code.length, end, label: '[security code]' }];
  });
}

function findPasswords(text: string): readonly Secret[] {
  return [...text.matchAll(passwordName)].flatMap((match) => {
    const after = match.index + match[0].length;
    const value = passwordValue.exec(text.slice(after, after + 160));
    const [whole, link = '', word = ''] = value ?? [];
    if (whole === undefined) return [];
    const isPin = match[0].toLowerCase().startsWith('pin');
    const secret = withoutFullStop(word);
    const rest = text.slice(after + whole.length, after + whole.length + 8);
    if (!(isPin ? isPinValue(match[0], secret) : isPassword(secret, link.trim(), rest))) return [];
    const start = after + whole.length - word.length;
    return [{ start, end: start + secret.length, label: '[password]' }];
  });
}

function withoutFullStop(word: string): string {
  const last = word.charAt(word.length - 1);
  return word.length > 3 && /[.,;:?]/.test(last) ? word.slice(0, -1) : word;
}

/** In India the PIN code is the postal code, with six digits. */
function isPinValue(name: string, value: string): boolean {
  return /^\p{Nd}{4,8}$/u.test(value) && !(/code/i.test(name) && value.length === 6);
}

function isPassword(value: string, link: string, next: string): boolean {
  if (noSecret.test(value) || !/[\p{L}\p{N}]/u.test(value)) return false;
  const isMixed = /\p{L}.{0,63}[\p{N}$!@#%&*_+]|[\p{N}$!@#%&*_+].{0,63}\p{L}/u.test(value);
  if (isMixed || (/^\p{Nd}{4,}$/u.test(value) && link !== ''))
    return !/^\S+@\S+\.\p{L}+$/u.test(value) || link !== '';
  if (link === '') return false;
  // A plain word is a password when nothing goes on behind it.
  const isEnd = /^(?:$|[\n"'”’`).,;!?]| (?:and|but|please|pls|can|could|so|if) )/.test(next);
  return isEnd || /^(?::|=|->|→)$/.test(link) || /\p{Ll}\p{Lu}/u.test(value);
}
