import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { testAssets } from '../../testing/assets.ts'
import { flatten, wordsIn } from '../../testing/flat.ts'
import { homePage } from '../home/home-page.ts'
import { internetMarkdown } from './internet-markdown.ts'
import { internetPage } from './internet-page.ts'
import { catalogOf, internetOf, regionOf, regionsOfEachKind, weatherOf } from './testing.ts'
import { weatherMarkdown } from './weather.ts'
import { weatherPage } from './weather-page.ts'

/** Every page, with one text for every text from outside. */
const pagesWith = (text: string): Record<string, string> => ({
  weather: weatherPage(testAssets, weatherOf({ summary: text })),
  internet: internetPage(
    testAssets,
    { ...internetOf(text), summary: text },
    catalogOf(['up', 'down'], text).services,
  ),
  home: homePage(testAssets, {
    catalog: catalogOf(['up', 'down', 'no_data'], text),
    weather: weatherOf({ summary: text }),
    apiUrl: 'https://probe-mesh.example/v1',
    tiers: tiersDefault,
    canSignUp: true,
  }),
})
const everyPage = Object.entries(pagesWith('Acme'))

const all = (page: string, pattern: RegExp): string[] =>
  [...page.matchAll(pattern)].map((match) => match[1] ?? match[0])

/** The tags of a page without the values of attributes. */
const skeletonOf = (page: string): string =>
  all(page, /<[^>]*>/g)
    .join('')
    .replaceAll(/="[^"]*"/g, '')

describe.each(everyPage)('the page %s', (_, page) => {
  test('is well formed, with one first-level heading and no level skipped', async () => {
    const checked = await validateXML({
      xml: page.replace('<!doctype html>', '').trim(),
      normalization: 'format',
    })
    expect(checked.errors).toEqual([])
    const levels = all(page, /<h([1-6])/g).map(Number)
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    for (const [index, level] of levels.entries()) {
      expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1)
    }
  })

  test('requests nothing from other sites, and has no inline style or script', () => {
    expect(page).not.toMatch(/<(style|img|iframe|object|embed|video|audio|base)\b/)
    expect(all(page, /<script\b[^>]*>/g)).toEqual([
      '<script type="module" blocking="render" src="/assets/pages.js">',
    ])
    expect(page).not.toMatch(/\s(on\w+|style|srcset)="/)
    for (const href of all(page, /<a[^>]* href="([^"]*)"/g)) expect(href).toMatch(/^(\/|#main$)/)
  })

  test('names every table, row, section, drawing and field', () => {
    const ids = all(page, /\sid="([^"]*)"/g)
    expect(new Set(ids).size).toBe(ids.length)
    for (const reference of all(page, /\s(?:aria-labelledby|aria-describedby|for)="([^"]*)"/g)) {
      for (const id of reference.split(' ')) expect(ids).toContain(id)
    }
    const flat = flatten(page)
    expect(all(flat, /<table\b/g)).toHaveLength(all(flat, /<table><caption>[^<]/g).length)
    for (const row of all(page, /<tbody>([^]*?)<\/tbody>/g).flatMap((body) => body.split('</tr>')))
      if (row.includes('<td')) expect(row).toContain('<th scope="row">')
  })
})

describe('with any name or sentence', () => {
  const odd = fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)' autofocus='",
    '</title></main><h1>Down</h1>',
    '<!-- ',
    ']]>',
    '&lt;b&gt;&amp;#60;',
    '\u202edne',
    '| --- |\n# Down\n',
  )
  const text = fc
    .array(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 4 })
    .map((parts) => parts.join(''))
  const skeletons = Object.fromEntries(everyPage.map(([name, page]) => [name, skeletonOf(page)]))

  test('adds no tag and no attribute to a page', () => {
    forAll([text], (text) => {
      for (const [name, page] of Object.entries(pagesWith(text))) {
        expect([name, skeletonOf(page)]).toEqual([name, skeletons[name]])
      }
    })
  })

  test('adds no line, no cell and no HTML to the Markdown', () => {
    /** The markup in each line, without escaped characters, and without hashes or brackets inside text. */
    const shapeOf = (markdown: string): string[] =>
      markdown
        .split('\n')
        .map((line) => [...line.replaceAll(/\\./g, '').matchAll(/^#+|\||<(?=[a-z/!?])/gi)].join(''))
    const plain = shapeOf(internetMarkdown(internetOf('Acme')))
    forAll([text], (text) => {
      expect(shapeOf(internetMarkdown(internetOf(text)))).toEqual(plain)
    })
  })
})

/** The cells of a table's rows, in words. */
const rowsOf = (page: string, caption: string): string[] => {
  const from = page.slice(page.indexOf(`<caption>${caption}`))
  return all(from.slice(0, from.indexOf('</table>')), /<tr>([^]*?)<\/tr>/g).map((row) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}

describe('the weather', () => {
  const page = flatten(weatherPage(testAssets, weatherOf()))

  test('shows the same for every region on the map, in the table and in Markdown', () => {
    const now = [
      'Region Place Verdict Median p75 p95 Readings To usual',
      'fra Frankfurt normal 121 ms 188 ms 990 ms 2750 1.02x',
      'iad Ashburn, Virginia slower 240 ms 403 ms 990 ms 2750 2.03x',
      'nrt Tokyo no data - - - 0 -',
      'sjc San Jose, California no verdict 121 ms 188 ms 990 ms 2750 -',
    ]
    expect(rowsOf(page, 'Response times of all services in the last 10 minutes')).toEqual(now)
    expect(page).toContain(
      'fra: normal, 121 ms; iad: slower, 240 ms; nrt: no data; sjc: no verdict, 121 ms</desc>',
    )
    const markdown = weatherMarkdown(weatherOf())
    for (const row of now) expect(markdown.replaceAll(/ ?\| ?/g, ' ')).toContain(row)
  })

  test('shows the usual value, with the number of readings and days behind it', () => {
    expect(rowsOf(page, 'The same hour on the last seven days')).toEqual([
      'Region Median p75 p95 Readings Days',
      ...['fra', 'iad', 'nrt'].map((region) => `${region} 118 ms 190 ms 610 ms 115500 7`),
      'sjc - - - - -',
    ])
  })

  test.each([
    ['all that is measured cannot be judged', regionsOfEachKind.slice(3), 'no verdict'],
    ['nothing is measured', regionsOfEachKind.slice(2, 3), 'no data'],
    ['there is no region', [], 'no data'],
  ])('is never healthy where %s', (_, regions, word) => {
    const page = flatten(weatherPage(testAssets, weatherOf({ verdict: 'no_data', regions: [...regions] })))
    expect(page).toContain(`<strong class="tag silent">${word}</strong>`)
    expect(page).not.toMatch(/class="tag (good|bad|uncertain)"/)
    expect(page).not.toMatch(/class="mark (good|bad)" transform/)
  })

  test('lists the regions that are not on the map, and the place of each mark', () => {
    const of = (vantage: 'local' | 'regional'): string =>
      flatten(weatherPage(testAssets, weatherOf({ vantage, regions: [regionOf({ region: 'zzz' })] })))
    expect(of('local')).toContain('Not on the map: zzz.')
    expect(of('local')).toContain('One machine measures for every region here')
    expect(of('regional')).not.toContain('One machine measures')
    expect(page).not.toContain('Not on the map')
  })

  test('shows how and when it was measured, and the address to cite', () => {
    expect(wordsIn(page)).toContain('Regions read fra iad Measured')
    expect(page).toContain('<time datetime="2026-11-20T11:59:48.000Z">')
    expect(wordsIn(page)).toContain('Freshness fresh counts for 3 minutes')
    expect(page).toContain('one machine, which stands for every region')
    expect(page).toContain('<link rel="canonical" href="https://probe-mesh.example/weather">')
    expect(weatherMarkdown(weatherOf())).toContain('Source: <https://probe-mesh.example/weather>')
  })
})

test('never claims a certainty that does not exist', () => {
  const said = (confidence: number): string[] => [
    ...all(
      flatten(internetPage(testAssets, internetOf('Acme', confidence), [])),
      /<dt>Confidence<\/dt><dd>([^<]*)/g,
    ),
    ...all(internetMarkdown(internetOf('Acme', confidence)), /- Confidence: (.*)/g),
  ]
  for (const [confidence, words] of [
    [0.29, '29.0 %'],
    [0.9499, '94.9 %'],
    [0.99899, '99.8 %'],
    [0.9999999, 'more than 99.9 %'],
    [1, 'more than 99.9 %'],
  ] as const)
    expect(said(confidence)).toEqual([words, words])
})
