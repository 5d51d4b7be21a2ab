import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { answerPagePolicy } from './frame.ts'
import { internetPage } from './internet-page.ts'
import { refusalPage } from './missing-pages.ts'
import { internetOf, weatherOf } from './testing.ts'
import { weatherPage } from './weather-page.ts'

/** Every page, where a name, a reason or a question stands in it. */
const pagesWith = (text: string): Record<string, string> => ({
  refusal: refusalPage(text, text),
  weather: weatherPage({ ...weatherOf(), summary: text }),
  internet: internetPage(internetOf(text)),
})

const everyPage = Object.entries(pagesWith('Acme'))

const all = (page: string, pattern: RegExp): string[] =>
  [...page.matchAll(pattern)].map((match) => match[1] ?? match[0])

/** The page's tags with what is said in attributes taken out. */
const skeletonOf = (page: string): string =>
  all(page, /<[^>]*>/g)
    .join('')
    .replaceAll(/="[^"]*"/g, '')

/** HTML as XML: what a browser closes by itself is closed. */
const asXml = (page: string): string =>
  page
    .replace(/<style>[^]*<\/style>/, '')
    .replace('<!doctype html>\n', '')
    .replaceAll(/<(meta|link)\b([^>]*)>/g, '<$1$2/>')
    .replace(' selected>', '>')

describe.each(everyPage)('the page %s', (_, page) => {
  test('is well formed, with one heading of the first level and no level left out', async () => {
    const checked = await validateXML({ xml: asXml(page), normalization: 'format' })
    expect(checked.errors).toEqual([])
    const levels = all(page, /<h([1-6])/g).map(Number)
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    for (const [index, level] of levels.entries()) {
      expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1)
    }
  })

  test('says its language, and its title is about it', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page).toMatch(/<title>[^<]+ - Probe Mesh<\/title>/)
    expect(page).toMatch(/<meta name="viewport" content="width=device-width, initial-scale=1">/)
  })

  test('asks nobody for anything and runs nothing', () => {
    expect(page).not.toMatch(/<(script|img|iframe|object|embed|video|audio|base)\b/)
    expect(page).not.toMatch(/\s(on\w+|style|src|srcset)="/)
    const [style = ''] = all(page, /<style>([^]*)<\/style>/g)
    expect(style).not.toMatch(/url\(|@import/)
    for (const href of all(page, /<a[^>]* href="([^"]*)"/g)) expect(href).toMatch(/^(\/|#answer$)/)
    expect(answerPagePolicy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`)
  })

  test('names every table, row, column, section and field', () => {
    const ids = all(page, / id="([^"]*)"/g)
    expect(new Set(ids).size).toBe(ids.length)
    expect(all(page, /<table\b/g)).toHaveLength(
      all(page, /<table class="(?:own|even)">\n<caption>/g).length,
    )
    for (const row of all(page, /<tbody>([^]*?)<\/tbody>/g).flatMap((body) => body.split('</tr>')))
      if (row.includes('<td')) expect(row).toContain('<th scope="row">')
    expect(page).not.toMatch(/<th(?! scope=|ead)/)
    for (const reference of all(page, / (?:aria-labelledby|aria-describedby|for)="([^"]*)"/g)) {
      expect(ids).toContain(reference)
    }
  })
})

describe('whatever a name, a reason or a question is', () => {
  const odd = fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)' autofocus='",
    '</title></style></main><h1>Down</h1>',
    '<!-- ',
    ']]>',
    '&lt;b&gt;&amp;#60;',
    '${7*7}{{7*7}}',
    '\u202edne',
    'javascript:alert(1)',
  )
  const text = fc.oneof(
    odd,
    fc
      .array(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 4 })
      .map((parts) => parts.join('')),
  )
  const skeletons = Object.fromEntries(everyPage.map(([name, page]) => [name, skeletonOf(page)]))

  test('it adds no tag and no attribute to a page', () => {
    fc.assert(
      fc.property(text, (text) => {
        for (const [name, page] of Object.entries(pagesWith(text))) {
          expect([name, skeletonOf(page)]).toEqual([name, skeletons[name]])
        }
      }),
      { numRuns: 300 },
    )
  })
})

test('a certainty that there is not is never claimed', () => {
  const answer = internetOf('Acme CDN')
  const incident = answer.sharedIncident
  if (incident === null) throw new Error('the sample has an incident')
  const said = (confidence: number): string =>
    all(
      internetPage({ ...answer, sharedIncident: { ...incident, confidence } }),
      /<dt>Confidence<\/dt><dd>([^<]*)/g,
    ).join('')
  expect([0.9499, 0.99899, 0.9999999, 1].map(said)).toEqual([
    '94.9 %',
    '99.8 %',
    'more than 99.9 %',
    'more than 99.9 %',
  ])
})
