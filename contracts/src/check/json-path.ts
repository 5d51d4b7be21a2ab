import { limits } from '../schema/limits.ts'

/** A key of an object or an index of an array. */
export type PathPart = string | number

const unlikeKeys: Readonly<Record<string, string>> = {
  '*': 'wildcards are not allowed',
  '/': 'regular expressions are not allowed; a key with a slash is quoted: ["a/b"]',
}

type ParsedPath = { ok: true; parts: PathPart[] } | { ok: false; position: number; message: string }

const keyCharacter = /[^\s.[\]"'*?()@$,:/]/u

/**
 * Parses `a.b` and `a.items[0].name`: only plain keys and indexes (S-305, S-307). A leading `$` or `$.` is the
 * root. Keys with other characters are quoted: `a["b c"]`. @returns the parts, or the offset of the first error
 */
export const parseJsonPath = (text: string): ParsedPath => {
  const parts: PathPart[] = []
  let at = 0
  const fail = (position: number, message: string): ParsedPath => ({ ok: false, position, message })
  if (text === '' || text === '$') return fail(0, 'the path is empty')
  if (text.startsWith('$')) at = text[1] === '.' && text[2] !== '.' ? 2 : 1
  let keyExpected = at !== 1
  while (at < text.length) {
    if (parts.length >= limits.jsonPathDepthMax) {
      return fail(at, `deeper than ${limits.jsonPathDepthMax} levels`)
    }
    const character = text[at] as string
    if (character === '[') {
      if (text[at - 1] === '.') return fail(at, 'a key is missing after the dot')
      const inside = parseBracket(text, at)
      if ('message' in inside) return fail(inside.position, inside.message)
      parts.push(inside.part)
      at = inside.next
      keyExpected = false
      continue
    }
    if (character === '.') {
      if (text[at + 1] === '.') return fail(at, 'recursive descent is not allowed')
      if (keyExpected) return fail(at, 'a key is missing before the dot')
      at += 1
      keyExpected = true
      continue
    }
    const refused = unlikeKeys[character]
    if (refused !== undefined) return fail(at, refused)
    if (!keyExpected) return fail(at, 'a dot or a bracket must come before the next key')
    const start = at
    while (at < text.length && keyCharacter.test(text[at] as string)) at += 1
    if (at === start) return fail(at, `the character ${character} is not allowed in a plain key`)
    parts.push(text.slice(start, at))
    keyExpected = false
  }
  if (keyExpected) return fail(text.length, 'a key is missing at the end')
  return { ok: true, parts }
}

const parseBracket = (
  text: string,
  open: number,
): { part: PathPart; next: number } | { position: number; message: string } => {
  const rest = text.slice(open)
  const index = /^\[(0|[1-9]\d{0,8})\]/.exec(rest)
  if (index) return { part: Number(index[1]), next: open + index[0].length }
  const quoted = /^\[(?:"([^"\\]*)"|'([^'\\]*)')\]/.exec(rest)
  if (quoted) return { part: quoted[1] ?? quoted[2] ?? '', next: open + quoted[0].length }
  const inside = rest[1] ?? ''
  if (inside === '*') return { position: open + 1, message: 'wildcards are not allowed' }
  if (inside === '?') return { position: open + 1, message: 'filters are not allowed' }
  return { position: open + 1, message: 'brackets take one index, such as [0], or a quoted key' }
}

/** The value at a path, or undefined. Reads own properties only. */
export const valueAt = (root: unknown, parts: readonly PathPart[]): unknown =>
  parts.reduce<unknown>((value, part) => {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value)) return typeof part === 'number' ? value[part] : undefined
    return Object.hasOwn(value, part) ? (value as Record<PathPart, unknown>)[part] : undefined
  }, root)
