import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createMask, maskNothing, maskWithin } from './mask.ts'

const shown = '[secret k]'
const masking = (...values: string[]) => createMask(values.map((value) => ({ value, shown })))
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
        const masked = masking(value)(text, cut < 1)
        expect(masked).not.toContain(begun)
        if (cut === 1) expect(masked).toContain(shown)
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
      const masked = masking(value)(lines.slice(0, Math.ceil(cut * lines.length)), cut < 1)
      expect(masked.replaceAll('\r\n', '')).not.toContain(begun)
    },
  )
})

test('the value of Basic credentials is masked with all that depends on the secret', () => {
  const basic = Buffer.from('monitor:correct horse').toString('base64')
  const masked = masking('correct horse')(`authorization: Basic ${basic}, and more`)
  expect(masked).toBe(
    `authorization: Basic ${Buffer.from('monitor:').toString('base64').slice(0, 10)}${shown}, and more`,
  )
})

test('what is no secret stays as it is', () => {
  forAll([fc.string({ maxLength: 300 })], (text) => {
    fc.pre(!text.includes('corr'))
    expect(masking('correct horse battery')(text)).toBe(text)
  })
  expect(createMask([])).toBe(maskNothing)
})

test('a whole text that ends with the beginning of a secret stays, so that nobody can guess one', () => {
  const mask = masking('metrics-pass-4711')
  expect(mask('/metrics')).toBe('/metrics')
  expect(mask('/metrics', true)).toBe(`/${shown}`)
  expect(maskWithin({ header: 'date', content: '/metrics' }, masking('date-night', 'metrics-pass'))).toEqual({
    header: 'date',
    content: '/metrics',
  })
  const cut = `${'x'.repeat(195)}metri`
  expect(maskWithin(cut, mask)).toBe(`${`${'x'.repeat(195)}${shown}`.slice(0, 199)}…`)
})

test('a secret is masked without the spaces around it', () => {
  expect(masking('  spaced-value\t')('got "spaced-value"')).toBe(`got "${shown}"`)
})

test('a text that grows keeps its end as long as there is room, and says where it is cut', () => {
  const mask = createMask([{ value: 'qqq777', shown: '[secret a_very_long_name_for_the_shop]' }])
  const body = `{"k":"qqq777","error":"${'e'.repeat(400)}"}`
  expect(maskWithin(body, mask)).toContain(`${'e'.repeat(400)}"}`)
  const long = `qqq777${'e'.repeat(990)}`
  expect(maskWithin(long, mask)).toHaveLength(1_000)
  expect(maskWithin(long, mask).endsWith('e…')).toBe(true)
})

test('every text within a value is masked, and nothing else', () => {
  const value = { a: ['x correct horse', 1, null], b: { c: 'none', d: true } }
  expect(maskWithin(value, masking('correct horse'))).toEqual({
    a: [`x ${shown}`, 1, null],
    b: { c: 'none', d: true },
  })
})
