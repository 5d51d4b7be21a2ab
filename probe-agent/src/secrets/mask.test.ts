import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createMask, maskNothing, type Mask } from './mask.ts'

const shown = '[secret k]'
const masking = (...values: string[]) => createMask(values.map((value) => ({ value, shown })))
const masked = (mask: Mask, text: string, isCut: boolean): string =>
  isCut ? mask.cut(text, 100_000, true) : mask.whole(text)
const utf16 = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const entities = (text: string): string => [...text].map((each) => `&#${each.codePointAt(0)};`).join('')
const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const hex = (text: string): string => Buffer.from(text).toString('hex')

/** Each writes a text part by part, so that a part of the text is a part of what is written. */
const inParts: Record<string, (text: string) => string> = {
  plain: (text) => text,
  'upper case': (text) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
  'lower case': (text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'as in a URL': (text) => encodeURIComponent(text),
  'as in a URL, all in lower case hex': percent,
  'as in a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  JSON: inJson,
  'JSON, all in units': utf16,
  'JSON with escaped slashes': (text) => inJson(text).replaceAll('/', '\\/'),
  'JSON in JSON': (text) => inJson(inJson(text)),
  'a URL in JSON in HTML': (text) => html(inJson(encodeURIComponent(text))),
  HTML: html,
  'HTML, all in numbers': entities,
  hex,
  HEX: (text) => hex(text).toUpperCase(),
  'a wrong charset': (text) => new TextDecoder('windows-1252').decode(Buffer.from(text)),
}

const character = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
  fc.constantFrom('+', '/', '%', '&', '"', '\\', '\n', '<', ' ', '=', 'é', '€', '😀'),
)
const secret = fc
  .array(character, { minLength: 6, maxLength: 40 })
  .map((characters) => characters.join(''))
  .filter((value) => !/^[.\s]|(.)\1\1\1/su.test(value))
const around = fc.string({ unit: fc.constantFrom('.', '#', '|', '~'), maxLength: 12 })
const firstSix = (value: string): string => [...value].slice(0, 6).join('')

test.each(Object.entries(inParts))(
  'no six characters of a secret remain, however it is written: %s',
  (_, write) => {
    forAll(
      [secret, around, around, fc.double({ min: 0, max: 1, noNaN: true })],
      { numRuns: 400 },
      (value, before, after, cut) => {
        const begun = write(firstSix(value))
        fc.pre(![before, after, shown, shown.toUpperCase()].some((text) => text.includes(begun)))
        const whole = `${before}${write(value)}${after}`
        const text = whole.slice(0, Math.ceil(cut * whole.length))
        const hidden = masked(masking(value), text, cut < 1)
        expect(hidden).not.toContain(begun)
        if (cut === 1) expect(hidden).toContain(shown)
      },
    )
  },
)

test.each(['base64', 'base64url'] as const)('nor in %s, at any offset, cut anywhere', (alphabet) => {
  const text = fc.string({ unit: 'grapheme-ascii', maxLength: 9 })
  forAll(
    [secret, text, text, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()],
    { numRuns: 1_000 },
    (value, before, after, cut, wrapped) => {
      const encoded = Buffer.from(`${before}${value}${after}`).toString(alphabet)
      const first = Buffer.byteLength(before)
      // the characters that depend on six bytes of the secret alone
      const begun = encoded.slice(Math.ceil((first * 8) / 6), Math.floor(((first + 6) * 8) / 6))
      const lines = wrapped ? encoded.replaceAll(/.{20}/g, '$&\r\n') : encoded
      const hidden = masked(masking(value), lines.slice(0, Math.ceil(cut * lines.length)), cut < 1)
      expect(hidden.replaceAll('\r\n', '')).not.toContain(begun)
    },
  )
})

test('the value of Basic credentials is masked with all that depends on the secret', () => {
  const basic = Buffer.from('monitor:correct horse').toString('base64')
  expect(masking('correct horse').whole(`authorization: Basic ${basic}, and more`)).toBe(
    `authorization: Basic ${Buffer.from('monitor:').toString('base64').slice(0, 10)}${shown}, and more`,
  )
})

test('what is no secret stays as it is', () => {
  forAll([fc.string({ maxLength: 300 })], (text) => {
    expect(masking('correct horse battery').whole(text)).toBe(text)
    expect(masking('correct horse battery').cut(text, 300)).toBe(text)
  })
  expect(createMask([])).toBe(maskNothing)
})

test('a whole text that ends with the beginning of a secret stays, so that nobody can guess one', () => {
  const mask = masking('metrics-pass-4711')
  expect(mask.whole('/metrics')).toBe('/metrics')
  expect(mask.cut('/metrics', 200)).toBe('/metrics')
  expect(mask.cut(`${'x'.repeat(192)}/metrics`, 200)).toBe(`${'x'.repeat(192)}/metrics`)
})

test('the end of a cut text is the same whatever the secret is, as long as no text has the whole', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 12, maxLength: 12 })
  const text = fc.string({ unit: fc.constantFrom('.', '%61', '&#98;', '\\u0063'), maxLength: 400 })
  const begun = fc.integer({ min: 1, max: 11 })
  forAll(
    [letters, letters, text, begun, fc.integer({ min: 20, max: 600 }), fc.boolean()],
    { numRuns: 500 },
    (secret, other, before, length, max, isCut) => {
      const guess = `${before}${secret.slice(0, length)}`
      for (const said of [
        guess,
        hex(guess),
        Buffer.from(guess).toString('base64'),
        `${guess}${'.'.repeat(900)}`,
      ]) {
        expect(masking(secret).cut(said, max, isCut)).toBe(masking(other).cut(said, max, isCut))
      }
    },
  )
})

test('a secret across the cut is masked, and what follows the cut is read to find it', () => {
  const mask = masking('metrics-pass-4711')
  for (let before = 180; before < 205; before++) {
    const text = `${'x'.repeat(before)}metrics-pass-4711${'y'.repeat(5_000)}`
    const cut = mask.cut(text, 200)
    expect(cut).not.toMatch(/m/)
    expect(cut).toHaveLength(200)
  }
})

test('a secret is masked without the spaces around it', () => {
  expect(masking('  spaced-value\t').whole('got "spaced-value"')).toBe(`got "${shown}"`)
})

test('a text that grows keeps its end as long as there is room, and says where it is cut', () => {
  const mask = createMask([{ value: 'qqq777', shown: '[secret a_very_long_name_for_the_shop]' }])
  const body = `{"k":"qqq777","error":"${'e'.repeat(400)}"}`
  expect(mask.cut(body, 1_000)).toContain(`${'e'.repeat(400)}"}`)
  const long = `qqq777${'e'.repeat(990)}`
  expect(mask.cut(long, 1_000)).toHaveLength(1_000)
  expect(mask.cut(long, 1_000).endsWith('e…')).toBe(true)
})
