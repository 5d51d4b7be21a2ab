import { removedMark } from '../../contracts/removed.ts'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { scrubAddresses } from './scrub-text.ts'
import { classOf } from './assignments.ts'
import { scrubCorpus } from './corpus.ts'
import { scrubBase64 } from './encoded.ts'
import { keptCorpus } from './kept-corpus.ts'
import { scrubUserInfo } from './key-shapes.ts'
import { judgeName, mayBeSecret, normalizeName, secretName } from './secret-name.ts'

// Compares each optimized rule with its simple form. The optimized rule must remove the same texts.

const texts = [...scrubCorpus, ...keptCorpus].map(({ value }) =>
  typeof value === 'string' ? value : JSON.stringify(value),
)
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...texts) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...'// / : :: @ . ? # [ ] " < 1 12 255 10.0.0.1 127.0.0.1 fe80 ::1 2001:db8:0:0:0:0:0:1 a:b: a.b c.de bob é 0.0.0.0 v http: 8080'.split(
        ' ',
      ),
      ' ',
      '[removed: credentials]',
    ),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 4 }) },
)
const mixed = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''))
const expectEqual = (fast: (text: string) => string, simple: (text: string) => string): void => {
  for (const text of texts) expect(fast(text)).toBe(simple(text))
  forAll([mixed], { numRuns: 5_000 }, (text) => {
    expect(fast(text)).toBe(simple(text))
  })
}

test('removes the same URL credentials as a search from every character', () => {
  const mark = `${removedMark('credentials')}@`
  expectEqual(scrubUserInfo, (text) =>
    text
      .replaceAll(/(?<=\/\/)[^\s/?#"'<>\\`]{1,512}@/g, mark)
      .replaceAll(/(?<=\/\/)[^\s/?#:@[\]"'<>\\`]{1,128}:(?!\d{1,5}(?:[/?#]|$))[^\s@"'<>`]{1,256}@/g, mark),
  )
})

test('removes the same addresses as a search without the quick check', () => {
  // contains every hint of the quick check, and no address
  const all = ' 1.1.1 :: @ .'
  expectEqual(
    (text) => scrubAddresses(text) + all,
    (text) => scrubAddresses(text + all),
  )
})

test('the character class lookup agrees with its pattern for every character', () => {
  for (const pattern of [/[\p{L}\p{N}_$.\-[\]%]/u, /[\s"'`\\)\]!<>:+?]/]) {
    const isIn = classOf(pattern)
    const wrong = Array.from({ length: 0x1_0000 }, (_, unit) => String.fromCharCode(unit)).filter(
      (text) => isIn(text, 0) !== pattern.test(text),
    )
    expect(wrong).toEqual([])
    expect(isIn('a', -1)).toBe(pattern.test('\0'))
  }
})

const words =
  `pass password passwd passwor passphrase passcode kennwort contrasena motdepasse mysql pwd pw psw secret secretary seed
  phrase mnemonic connection string api key access private credential user info token tokens csrf xsrf session id sess
  credit card number cc security code social one time otp recovery backup senha creds cookie cvv cvc2 csc ssn iban sid
  jwt bearer auth oauth authorization totp pin mfa signature sig hmac amz connect count max prompt length name k1 Ｋey é a`.split(
    /\s+/,
  )
const name = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom('', '_', '-', '.', ' ', 'X')), {
    maxLength: 5,
  })
  .map((parts) => parts.flat().join(''))

test('the quick check never skips a secret name', () => {
  const none = new Set<string>()
  for (const word of words) expect(secretName(word, none)).toEqual(judgeName(word))
  forAll([fc.oneof(name, fc.string(), mixed)], { numRuns: 20_000 }, (given) => {
    if (!mayBeSecret(given)) expect(judgeName(given)).toBeNull()
  })
})

test('the fast normalization of ASCII names has the same result as the general one', () => {
  forAll([fc.string({ maxLength: 300 })], { numRuns: 5_000 }, (given) => {
    const plain = given
      .slice(-200)
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    expect(normalizeName(given)).toBe(plain)
  })
})

test('finds the same base64 credentials as a single pattern', () => {
  const pattern = /^[\w.@+-]*[A-Za-z][\w.@+-]*:(?!\d+$|\/\/)[!-~]{3,}$/
  const decoded = fc
    .array(fc.constantFrom(...'a Z 1 _ . @ + - : :: // / abc 123 ! ~'.split(' ')), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''))
  const find = (text: string) =>
    scrubBase64(`"${Buffer.from(text).toString('base64')}"`, (same) => same).includes('credentials')
  forAll([decoded], { numRuns: 5_000 }, (text) => {
    const encoded = Buffer.from(text).toString('base64')
    // shorter texts and other first letters are not decoded
    fc.pre(/^[I-Za-f][\w+/-]{7,}={0,2}$/.test(encoded))
    expect(find(text)).toBe(pattern.test(text))
  })
})
