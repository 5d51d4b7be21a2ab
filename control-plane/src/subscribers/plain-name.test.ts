import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { publicLanguages } from '@probe-mesh/contracts/status-page/words/public-words'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { confirmationMail } from './mails.ts'
import { plainName } from './plain-name.ts'

/** Page names that a phisher would choose. */
const phishing = [
  'your PAYPAL account is locked, unlock it at https://evil.example/login within 24h',
  'see HTTP://EVIL.example',
  'hxxps://evil.example',
  'h\u200bttps://evil.example/x',
  'https\uff1a\uff0f\uff0fevil\uff0eexample\uff0flogin',
  'evil\u3002example\uff61com',
  'evil\u2024example',
  'www.evil.example',
  'WWW2.evil.example/a?b=c',
  'evil.example',
  'go to evil.co.uk now',
  'evil.xn--p1ai',
  'пример.рф',
  '例え.テスト',
  'a@evil.example',
  'mailto:a@evil.example',
  'MAILTO:somebody',
  'tel:+15551234567',
  'call +1 (555) 123-4567 now',
  'call 0800 12 34 567',
  '192.0.2.1/login',
  'http://192.0.2.1',
  '\u202Eelpmaxe.live//:sptth',
  'evil.exam\u00adple',
  'evil.evil.example.example',
  'hhttp://ttp://evil.example',
  'evil.ex.evil.example.ample',
  'wwwww.w.evil.example',
  'line\r\nBcc: b@evil.example',
  'javascript:alert(1)',
  '//evil.example/path',
  'ftp://evil',
]
const linkLike =
  /:\/\/|www\d*\.|@|[\p{L}\p{N}]\.\p{L}{2}|\d(?:[\s()./-]*\d){6}|\d+\.\d+\.\d+\.\d+|\b(?:mailto|tel|javascript):\S/iu

describe('a name in a mail to subscribers', () => {
  test.each(phishing)('%j contains nothing that becomes a link', (name) => {
    const plain = plainName(name, 'a status page')
    expect(plain).not.toMatch(linkLike)
    expect(plain).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  test.each([
    ['Acme', 'Acme'],
    ['Acme Corp. Status (EU) — v2.5', 'Acme Corp. Status (EU) — v2.5'],
    ['Störungen & Wartung <live>', 'Störungen & Wartung <live>'],
    ['サービス状況', 'サービス状況'],
    ['हिन्दी सेवा', 'हिन्दी सेवा'],
    ['  two\n lines ', 'two lines'],
    ['status 24/7', 'status 24/7'],
    ['https://only.example', 'a status page'],
    ['x'.repeat(200), 'x'.repeat(60)],
    ['\u{1F600}'.repeat(61), '\u{1F600}'.repeat(60)],
  ])('%j reads %j', (name, plain) => {
    expect(plainName(name, 'a status page')).toBe(plain)
  })

  test('any text becomes one short line without links, and cleaning it again changes nothing', () => {
    const parts = fc.constantFrom(...phishing, '.', '/', ':', '@', 'a', 'com', '1', ' ', '\u200b')
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(parts).map((all) => all.join('')),
    )
    forAll([text], { numRuns: 2_000 }, (name) => {
      const plain = plainName(name, 'a status page')
      expect([...plain].length).toBeLessThanOrEqual(60)
      expect(plain).not.toMatch(linkLike)
      expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(plainName(plain, 'a status page')).toBe(plain)
    })
  })
})

test.each(phishing)('a confirmation mail of a page named %j links only to the service', (name) => {
  for (const locale of publicLanguages) {
    const mail = confirmationMail({
      pageName: name,
      componentName: name,
      locale,
      confirmUrl: 'https://mesh.example.org/subscriptions/confirm?token=abc',
    })
    expect(mail.subject).toBe(wordsOf(locale).mail.confirm.subject)
    const said = `${mail.text}${mail.html}`
      .replaceAll('https://mesh.example.org/subscriptions/confirm?token=abc', '')
      .replaceAll('mesh.example.org', '')
    expect(said).not.toMatch(/:\/\/|www\d*\.|evil\.|@/i)
    expect(mail.text).toContain('Probe Mesh')
    expect(mail.html).toContain(`<html lang="${locale}">`)
  }
})
