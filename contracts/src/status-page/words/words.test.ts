import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { HeadlineLevel } from '../headline.ts'
import { publicFormats } from './formats.ts'
import { headlineText } from './headline-text.ts'
import { publicLanguages } from './public-words.ts'
import { localeOf, wordsOf } from './words-of.ts'

/** Every text of a table, with those of functions for one and for several. */
const textsOf = (value: unknown, path = ''): [string, string][] => {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') {
    const call = value as (...args: unknown[]) => string
    if (path.endsWith('.list')) return [[path, call(['«a»', '«b»'])]]
    if (path === '.badge.state') return [[path, call('«text»')]]
    if (value.length === 2) return [[path, call('«text»', 7)]]
    return [1, 7].map((count): [string, string] => [`${path}(${count})`, call(count)])
  }
  return Object.entries(value ?? {}).flatMap(([key, part]) => textsOf(part, `${path}.${key}`))
}

test.each([
  ['de-AT', 'de', 'de-AT'],
  ['de', 'de', 'de'],
  ['ja-JP', 'ja', 'ja-JP'],
  ['pt-BR', 'en', 'en'],
  ['eng', 'en', 'en'],
  ['constructor', 'en', 'en'],
])('a page in %s has the words of %s and the formats of %s', (locale, language, formats) => {
  expect(wordsOf(locale).language).toBe(language)
  expect(localeOf(locale)).toBe(formats)
})

describe.each(publicLanguages.filter((language) => language !== 'en'))('%s', (language) => {
  /** Words that both languages share. */
  const shared = new Set('Status,Maintenance,Page,Incident,Impact,Links,1 incident,7 incidents'.split(','))

  test('has a text for each place of the table, of its own', () => {
    const english = new Map(textsOf(wordsOf('en')))
    const texts = textsOf(wordsOf(language))
    expect(texts.length).toBe(english.size)
    const inEnglish = texts.filter(
      ([path, text]) =>
        path !== '.language' &&
        english.get(path) === text &&
        !shared.has(text) &&
        !/^[^a-z]*(«[^»]*»)?[^a-z]*$/i.test(text.replaceAll(/«[^»]*»/g, '')) &&
        !/^\.feed\.(incident|maintenance)|^\.headline\.(about|list|components|sentences)|^\.badge\.state/.test(
          path,
        ),
    )
    expect(inEnglish).toEqual([])
    for (const [path, text] of texts) {
      expect([path, text.trim() === text && text !== '' && !text.includes('undefined')]).toEqual([path, true])
    }
  })
})

describe.each(publicLanguages)('the headline in %s', (language) => {
  const words = wordsOf(language)
  const subject = fc
    .record({
      level: fc.constantFrom(...HeadlineLevel.options),
      incidentTitle: fc.option(fc.constant('«title»')),
      names: fc.array(fc.constantFrom('«a»', '«b»', '«c»'), { maxLength: 5 }),
      measured: fc.nat(9),
      unmeasured: fc.nat(9),
    })
    .map(({ measured, ...given }) => ({ ...given, total: measured + given.unmeasured }))

  test('never says that all is operational while a component has no data or an incident is open', () => {
    forAll([subject], (given) => {
      const text = headlineText(words, given)
      const isHealthy =
        given.level === 'operational' && given.unmeasured === 0 && given.incidentTitle === null
      if (!isHealthy) expect(text).not.toBe(words.headline.levels.operational)
      if (given.level !== 'operational') expect(text).not.toContain(words.headline.levels.operational)
    })
  })

  test('names the incident that decides, and counts components without data', () => {
    forAll([subject], (given) => {
      const text = headlineText(words, given)
      if (given.incidentTitle !== null) expect(text).toContain('«title»')
      const counts = given.unmeasured > 0 && (given.level !== 'no_data' || given.unmeasured < given.total)
      expect(text.includes(words.headline.noDataFor(given.unmeasured))).toBe(counts)
    })
  })
})

test.each<[Parameters<typeof headlineText>[1]['level'], string[], number, number, string]>([
  ['operational', [], 3, 0, 'All systems operational'],
  ['no_data', ['a'], 3, 1, 'All measured systems operational. No current data for 1 component.'],
  ['partial_outage', ['Checkout'], 3, 0, 'Partial outage: Checkout'],
  [
    'degraded',
    ['a', 'b', 'c', 'd'],
    9,
    2,
    'Degraded performance: 4 components. No current data for 2 components.',
  ],
  ['maintenance', ['a', 'b'], 2, 0, 'Maintenance in progress'],
  ['major_outage', ['a'], 1, 0, 'Major outage'],
  ['no_data', ['a', 'b'], 2, 2, 'No current data'],
  ['no_data', [], 0, 0, 'Nothing is published here yet'],
])('%s of %j in English', (level, names, total, unmeasured, text) => {
  expect(headlineText(wordsOf('en'), { level, incidentTitle: null, names, total, unmeasured })).toBe(text)
})

describe('formats', () => {
  test.each([
    ['en', '99.982%', '2 hours, 5 minutes', 'November 20, 2026', 'November 2026'],
    ['de-AT', '99,982 %', '2 Stunden, 5 Minuten', '20. November 2026', 'November 2026'],
    ['fr', '99,982 %', '2 heures et 5 minutes', '20 novembre 2026', 'novembre 2026'],
    ['es', '99,982 %', '2 horas y 5 minutos', '20 de noviembre de 2026', 'noviembre de 2026'],
    ['ja', '99.982%', '2 時間 5 分', '2026年11月20日', '2026年11月'],
  ])('are those of %s', (locale, percent, duration, day, month) => {
    const formats = publicFormats(locale)
    const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')
    expect(plain(formats.percent(0.999829))).toBe(percent)
    expect(plain(formats.duration(7_534))).toBe(duration)
    expect(formats.day('2026-11-20')).toBe(day)
    expect(formats.days('2026-11-20', '2026-11-20')).toBe(day)
    expect(formats.days('2026-11-18', '2026-11-20')).toContain('18')
    expect(formats.month('2026-11')).toBe(month)
  })

  test('a share below 1 is never shown as 100 %, and never rounded up', () => {
    const { percent } = publicFormats('en')
    expect(percent(1)).toBe('100%')
    forAll([fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })], (share) => {
      const shown = Number(percent(share).replace('%', '')) / 100
      expect(shown).toBeLessThan(1)
      expect(shown).toBeLessThanOrEqual(share + 1e-9)
    })
  })
})
