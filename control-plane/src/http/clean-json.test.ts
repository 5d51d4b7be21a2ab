import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { cleanJson } from './clean-json.ts'

/* oxlint-disable no-control-regex -- it is about them */
const sequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)/g
const characters =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g
/* oxlint-enable no-control-regex */

/** Cleans one string instead of its JSON, as the reference for `cleanJson`. */
const cleanString = (text: string): string => text.replace(sequences, '').replace(characters, '')

const cleanValue = (value: unknown): unknown => {
  if (typeof value === 'string') return cleanString(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [cleanString(key), cleanValue(one)]))
}

const cleaned = (value: unknown): unknown => JSON.parse(cleanJson(JSON.stringify(value)))

/** Strings with many relevant characters, which random strings rarely have. */
const pieces = [
  ['\x1b', '\x1b[', '\x1b]', '\x1bP', '\x9b', '\x9d', '\x90', '\x9c', '\x07', '\x1b\\'],
  ['\\', '\\\\', '\\u001b', 'u001b', 'u0007', 'u0000', 'b', 'f', 'n', '"', '\\"', '/'],
  ['[', ']', '31m', '0;', ' ', 'm', '~', '@', '{', '\n', '\r', '\t', '\b', '\f', '\0', '\x1f'],
  ['\x7f', '\x80', '\x9f', '\xa0', 'é', '漢', '😀', '\ud83d', '\ude00'],
  ['\u061c', '\u200b', '\u200c', '\u200d', '\u200e', '\u202e', '\u2060', '\u2066', '\ufeff', '\u{e0041}'],
].flat()
const text = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.jsonValue(),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(text, tie('any'), { maxKeys: 4 }),
  ),
})).any

describe('cleaning JSON text', () => {
  test('cleans every string and every key, and nothing else', () => {
    forAll([value], { numRuns: 2_000 }, (made) => {
      // a value that JSON can contain: no -0, no undefined
      const said: unknown = JSON.parse(JSON.stringify(made))
      expect(cleaned(said)).toEqual(cleanValue(said))
    })
  })

  test('leaves no part of a removed sequence', () => {
    forAll([text], { numRuns: 2_000 }, (said) => {
      expect(cleaned(said)).not.toMatch(characters)
    })
  })

  test.each([
    ['a colour', '\x1b[1;31mdown\x1b[0m', 'down'],
    ['a cursor moved by the 8-bit form', 'a\x9b2Jb', 'ab'],
    ['a sequence with a quote in it', 'a\x1b["pb', 'ab'],
    ['a sequence that a backslash ends', 'a\x1b[1\\b', 'ab'],
    ['a sequence without an end', 'a\x1b[31', 'a'],
    ["a terminal's title", '\x1b]0;a "title" \\ of it\x07b', 'b'],
    ['a link', 'see \x1b]8;;https://example.com\x1b\\this\x1b]8;;\x1b\\', 'see this'],
    ['a control string by the 8-bit form', 'a\x9d0;title\x9cb', 'ab'],
    ['a control string that does not end', 'a\x1b]0;title', 'a]0;title'],
    ['one of each other kind', 'a\x1bPq\x1b\\\x1bXq\x1b\\\x1b^q\x1b\\\x1b_q\x1b\\b', 'ab'],
    ['an escape before a sequence', '\x1b\x1b[31mred', 'red'],
    ['bell, backspace, form feed, null, delete', '\x07a\bb\fc\0d\x7fe', 'abcde'],
    ['a text turned around', 'a\u202etxt.exe\u202cb\u2066c\u2069\u200e\u061c', 'atxt.exebc'],
    ['characters without width', 'pay\u200bpal\u2060.\ufeffcom', 'paypal.com'],
    ['invisible letters', 'a\u{e0041}\u{e007f}b\u{e0080}', 'ab\u{e0080}'],
  ])('removes %s', (_, said, expected) => {
    expect(cleaned([said])).toEqual([expected])
  })

  test.each([
    ['tab, newline, carriage return', 'a\tb\nc\r\n'],
    ['a backslash and letters', String.raw`\u001b[31m \\u0007 \b \f C:\base\fonts`],
    ['a no-break space and letters of scripts', '\u00a0é漢😀'],
    ['the joiners', 'نمی\u200cخواهم 👩\u200d💻'],
    ['half of a pair', '\ud83d'],
    ['a bracket that no escape begins', '[31m ]0;title'],
  ])('keeps %s', (_, said) => {
    const json = JSON.stringify({ [said]: said })
    expect(cleanJson(json)).toBe(json)
  })

  test('reads unterminated sequences once, not once for each start', () => {
    const begun = JSON.stringify(`${'\x9d'.repeat(200_000)}${'\x1b]'.repeat(200_000)}`)
    expect(cleanJson(begun)).toBe(`"${']'.repeat(200_000)}"`)
    const slashes = JSON.stringify(`${'\\'.repeat(200_000)}u001b`)
    expect(cleanJson(slashes)).toBe(slashes)
  })
})
