/**
 * A text as bytes, one character each, with the place of every byte in the original text. Escapes of JSON, URLs and
 * HTML hide a value from a plain search, so they are undone one kind at a time.
 */
export type Spelling = {
  /** UTF-8 bytes as latin1. */
  bytes: string
  /** Where the character of each byte begins and ends in the original text. */
  from: readonly number[]
  to: readonly number[]
}

type Escapes = {
  /** One escape, or several that are one character. */
  one: RegExp
  /** An escape that is cut at the end of a text. */
  cut: RegExp
  meaning(escape: string): string
}

const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const character = (code: number): string => (code <= 0x10_ff_ff ? utf8(String.fromCodePoint(code)) : '')

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const url: Escapes = {
  one: /%[0-9a-f]{2}/gi,
  cut: /%[0-9a-f]?$/i,
  meaning: (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
}
const json: Escapes = {
  one: /\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|[0-9a-f]{4})|\\x[0-9a-f]{2}|\\[\\/"'bfnrt]/gi,
  cut: /(?:\\ud[89ab][0-9a-f]{2})?\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?$|\\ud[89ab][0-9a-f]{2}$/i,
  meaning: (escape) => {
    const [kind = ''] = escape.slice(1)
    const units = escape.match(/[0-9a-f]{4}/gi)
    if (kind.toLowerCase() === 'u' && units !== null) {
      return utf8(String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))))
    }
    if (kind.toLowerCase() === 'x') return character(Number.parseInt(escape.slice(2), 16))
    return controls[kind] ?? kind
  },
}
const html: Escapes = {
  one: /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);/gi,
  cut: /&(?:#?[0-9a-z]{0,8})$/i,
  meaning: (escape) => {
    const inside = escape.slice(1, -1).toLowerCase()
    if (inside.startsWith('#x')) return character(Number.parseInt(inside.slice(2), 16))
    return inside.startsWith('#') ? character(Number(inside.slice(1))) : (entities[inside] ?? '')
  },
}
const kinds = [url, json, html]

const plain = (text: string): Spelling => {
  // half a character at the end is no character
  const whole = text.replace(/[\uD800-\uDBFF\uFFFD]{1,4}$/, '')
  const from: number[] = []
  const to: number[] = []
  let at = 0
  for (const each of whole) {
    const length = each.codePointAt(0) ?? 0
    const count = length < 0x80 ? 1 : length < 0x8_00 ? 2 : length < 0x1_00_00 ? 3 : 4
    for (let n = 0; n < count; n++) {
      from.push(at)
      to.push(at + each.length)
    }
    at += each.length
  }
  return { bytes: utf8(whole), from, to }
}

const undo = ({ bytes, from, to }: Spelling, { one, cut, meaning }: Escapes): Spelling => {
  let undone = ''
  const [begins, ends]: [number[], number[]] = [[], []]
  const keep = (start: number, end: number): void => {
    undone += bytes.slice(start, end)
    for (let at = start; at < end; at++) {
      begins.push(from[at] ?? 0)
      ends.push(to[at] ?? 0)
    }
  }
  let done = 0
  for (const { 0: escape, index } of bytes.matchAll(one)) {
    keep(done, index)
    done = index + escape.length
    const meant = meaning(escape)
    undone += meant
    for (let n = 0; n < meant.length; n++) {
      begins.push(from[index] ?? 0)
      ends.push(to[done - 1] ?? 0)
    }
  }
  const rest = bytes.length - (cut.exec(bytes.slice(done))?.[0].length ?? 0)
  keep(done, Math.max(done, rest))
  return { bytes: undone, from: begins, to: ends }
}

/** A target may escape what is escaped already, such as JSON in JSON. */
const depthMax = 3
const spellingsMax = 24

/** The text itself, and what it means when up to three layers of escapes are undone. */
export const spellingsOf = (text: string): Spelling[] => {
  const all = [plain(text)]
  let layer = all
  for (let depth = 0; depth < depthMax; depth++) {
    const next: Spelling[] = []
    for (const spelling of layer) {
      for (const kind of kinds) {
        const undone = undo(spelling, kind)
        if ([...all, ...next].some(({ bytes }) => bytes === undone.bytes)) continue
        if (all.length + next.length < spellingsMax) next.push(undone)
      }
    }
    all.push(...next)
    layer = next
  }
  return all
}
