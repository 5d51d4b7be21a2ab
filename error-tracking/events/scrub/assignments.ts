import { removedMark } from '../../contracts/removed.ts'
import { mayStay, secretName, type SecretName } from './secret-name.ts'

const asciiUnits = 128

/**
 * Whether the UTF-16 unit at a position is in a class. Uses a table for ASCII, which is ten times as fast as
 * a regular expression for each character.
 */
export const classOf = (pattern: RegExp): ((text: string, at: number) => boolean) => {
  const isIn = (unit: number): boolean => pattern.test(String.fromCharCode(unit))
  const table = Uint8Array.from({ length: asciiUnits }, (_, unit) => Number(isIn(unit)))
  return (text, at) => {
    const unit = text.charCodeAt(at)
    return unit < asciiUnits ? table[unit] === 1 : isIn(unit)
  }
}

const nameCharactersMax = 80
const nameCharacter = classOf(/[\p{L}\p{N}_$.\-[\]%]/u)
/** Characters between a name and its sign: quotes, a closing bracket, blanks, half of an operator. */
const between = classOf(/[\s"'`\\)\]!<>:+?]/)
const betweenMax = 12

/** Secret names of two words. Their last word alone is not secret. */
const pairs =
  /(?:^| )(?:api|access|private|secret|signing|encryption|session|master|license) (?:key|id|token)s?$|(?:^| )card number$|(?:^| )social security$/i

/**
 * Removes values after a secret name and a sign: in forms, queries, headers, settings, JSON in a text, and
 * sentences with a colon. Linear.
 */
export const scrubAssignments = (text: string, extraNames: ReadonlySet<string>): string => {
  const signs = /=>|:?={1,3}|:/g
  const known = new Map<string, SecretName | null>()
  let out = ''
  let done = 0
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    if (isNoSign(text, sign.index)) continue
    const left = nameBefore(text, sign.index, done)
    if (left === null) continue
    const { name } = left
    let secret = known.get(name)
    if (secret === undefined) known.set(name, (secret = secretName(name, extraNames)))
    if (secret === null && isPair(text, left, done)) secret = pairSecret
    if (secret === null) continue
    const value = valueAfter(text, signs.lastIndex, left, secret)
    if (value === null) continue
    out += text.slice(done, value.from) + removedMark(secret.what)
    done = value.to
    signs.lastIndex = value.to
  }
  return done === 0 ? text : out + text.slice(done)
}

const pairSecret: SecretName = { what: 'key', isSure: true }

/** The colons of `std::map` and `http://`. */
const isNoSign = (text: string, at: number): boolean =>
  text[at] === ':' && (text[at + 1] === ':' || text[at - 1] === ':' || text.startsWith('//', at + 1))

type Name = { name: string; start: number; quote: string }

const endsInMark = /\[removed: [a-z0-9 ]{1,40}\][^[\]]{0,10}$/
/** An HTML entity for a quote. */
const endsInEntity = /&(?:quot|#3[49]);\s{0,2}$/

const nameBefore = (text: string, sign: number, since: number): Name | null => {
  let end = sign
  const least = Math.max(since, sign - betweenMax)
  while (end > least && between(text, end - 1)) end--
  if (text[end - 1] === ';') {
    const entity = endsInEntity.exec(text.slice(least, end))
    if (entity !== null) end = least + entity.index
  }
  if (text[end] === ']' && end < sign) {
    if (endsInMark.test(text.slice(Math.max(since, sign - 70), sign))) return null
    // the closing bracket of `user[password]` belongs to the name
    end++
  }
  let start = end
  const first = Math.max(since, end - nameCharactersMax)
  while (start > first && nameCharacter(text, start - 1)) start--
  if (start === end) return null
  const quote = text[start - 1] ?? ''
  return { name: text.slice(start, end), start, quote: /["'`]/.test(quote) ? quote : '' }
}

/** Whether the name is the last word of a secret name with two or three words. */
const isPair = (text: string, { name, start }: Name, since: number): boolean => {
  if (!lastOfPair.test(name) || text[start - 1] !== ' ') return false
  const before = /(\p{L}{1,12}(?: \p{L}{1,12})?) $/u.exec(text.slice(Math.max(since, start - 26), start))
  return before !== null && pairs.test(`${before[1]} ${name}`)
}
const lastOfPair = /^(?:keys?|ids?|tokens?|number|security)$/i

type Place = { from: number; to: number }

const opening = /[ \t]{0,16}(?:(?:\r?\n)?\s{0,40}(?=\\{0,8}["'`]))?(\\{0,8}["'`]|&quot;|&#3[49];)?/y

/** The position of a value to remove; null if it may stay. */
const valueAfter = (text: string, at: number, left: Name, secret: SecretName): Place | null => {
  opening.lastIndex = at
  const open = opening.exec(text)
  const from = at + (open?.[0].length ?? 0)
  const quote = open?.[1]
  if (quote !== undefined) {
    const to = closingOf(text, from, quote)
    return mayStay(text.slice(from, Math.min(to, from + 400)), secret, left.name) ? null : { from, to }
  }
  const to = bareEnd(text, from, left)
  const value = text.slice(from, to)
  if (value === '' || mayStay(value, secret, left.name)) return null
  // "Unexpected token: semicolon" is a sentence, "token: 8f14e45f" is a secret
  if (!secret.isSure && from > at && text[at - 1] === ':' && isWord(value)) return null
  return { from, to }
}

const isWord = (value: string): boolean =>
  /^[\p{L}'’.,!?-]{1,15}$/u.test(value) && !/\p{Ll}\p{Lu}/u.test(value)

/**
 * The position of the closing quote, with the same number of backslashes as the opening one; else the end.
 */
const closingOf = (text: string, from: number, quote: string): number => {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let slashes = 0
    while (at - slashes > from && text[at - slashes - 1] === '\\') slashes++
    if (quote.startsWith('&') || quote.startsWith('\\') ? slashes === 0 : slashes % 2 === 0) return at
  }
  return text.length
}

const wholeLine = /^(?:.*\W)?(?:set-)?cookie2?$/i
const authorization = /authori[sz]ation$/i
const withScheme =
  /(?:basic|bearer|token|digest|negotiate|ntlm|apikey|key|oauth|hawk|hmac|aws4-hmac-sha256|sharedkey\w{0,8}) /iy
/** The end of an unquoted value. A comma or a bracket ends it only if no part of the value can follow. */
const bareEnds = /[\s&;"'`\\<]|[,|](?=\s|$|[\w."'-]{1,40}[=:])|[)\]}](?=\W|$)/g
const mark = /\[removed: [a-z0-9 ]{1,40}\]/y

const bareEnd = (text: string, from: number, { name, quote }: Name): number => {
  withScheme.lastIndex = from
  if (wholeLine.test(name) || (authorization.test(name) && withScheme.test(text))) {
    const ends = quote === '' ? /[\r\n]/g : quote === '"' ? /[\r\n"]/g : /[\r\n'`]/g
    ends.lastIndex = from
    return ends.exec(text)?.index ?? text.length
  }
  mark.lastIndex = from
  const isMarked = mark.test(text)
  if (!isMarked && (text[from] === '[' || text[from] === '{')) return closedEnd(text, from)
  bareEnds.lastIndex = isMarked ? mark.lastIndex : from
  return bareEnds.exec(text)?.index ?? text.length
}

/** The position after the matching closing bracket; else the end. */
const closedEnd = (text: string, from: number): number => {
  const brackets = /[[\]{}]/g
  brackets.lastIndex = from
  let open = 0
  for (let found = brackets.exec(text); found !== null; found = brackets.exec(text)) {
    open += found[0] === '[' || found[0] === '{' ? 1 : -1
    if (open === 0) return brackets.lastIndex
  }
  return text.length
}
