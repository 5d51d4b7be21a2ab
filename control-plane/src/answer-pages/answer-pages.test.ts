import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { answerPagePolicy } from './frame.ts'
import { internetPage } from './internet-page.ts'
import { refusalPage, uncoveredPage } from './missing-pages.ts'
import { receiptPage, servicePage } from './service-page.ts'
import { servicesPage } from './services-page.ts'
import { stackPage } from './stack-page.ts'
import {
  catalogOf,
  failingFor,
  incidentsOf,
  internetOf,
  reportsOf,
  stackOf,
  statusOf,
  weatherOf,
} from './testing.ts'
import { weatherPage } from './weather-page.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']

const pageOf = (status = statusOf('Acme', 'up', 'up')): string =>
  servicePage({
    service: status.service ?? { slug: '', name: '' },
    status,
    reports: reportsOf(status),
    incidents: incidentsOf(status),
    regions,
  })

/** Every page, where a name, a reason or a question stands in it. */
const pagesWith = (text: string): Record<string, string> => {
  const status = failingFor(text, text)
  return {
    service: pageOf(status),
    receipt: receiptPage({ slug: 'acme', name: text }, { counted: true, ...reportsOf(status) }),
    refusedReceipt: receiptPage(
      { slug: 'acme', name: text },
      { counted: false, ...reportsOf(status) },
    ),
    uncovered: uncoveredPage({ summary: text, didYouMean: [text] }),
    refusal: refusalPage(text, text),
    services: servicesPage(catalogOf(text)),
    stack: stackPage(stackOf(text)),
    weather: weatherPage({ ...weatherOf(), summary: text }),
    internet: internetPage(internetOf(text)),
  }
}

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

  test('it is no address to go to', () => {
    const page = uncoveredPage({
      summary: '',
      didYouMean: ['javascript:alert(1)', '//evil.example', '../x'],
    })
    expect(all(page, /<li><a href="([^"]*)"/g).slice(3)).toEqual([
      '/services/javascript%3Aalert(1)',
      '/services/%2F%2Fevil.example',
      '/services/..%2Fx',
    ])
  })
})

describe('a page says what its answer says:', () => {
  test.each([
    ['up', ['up', 'up'], 'good', 'up'],
    ['down', ['down', 'down'], 'bad', 'down'],
    ['down in some regions', ['up', 'down'], 'bad', 'down in some regions'],
    ['blocked is never down', ['blocked', 'blocked'], 'uncertain', 'blocked'],
    ['no data is never healthy', ['silent', 'old', 'lying'], 'silent', 'no data'],
  ] as const)('%s', (_, seen, tone, word) => {
    const status = statusOf('Acme', ...seen)
    const page = pageOf(status)
    expect(page).toContain(`<p><strong class="tag ${tone}">${word}</strong></p>`)
    expect(page).toContain(`<p class="lead">${status.summary}</p>`)
    if (!seen.some((one) => one === 'down')) expect(page).not.toContain('tag bad')
    if (!seen.some((one) => one === 'up')) expect(page).not.toContain('tag good')
  })

  test('every region with its latency, its time and whether it is fresh', () => {
    const rows = all(pageOf(failingFor('Acme', 'HTTP 503')), /<tr><th scope="row">[^]*?<\/tr>/g)
      .map((row) =>
        row
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )
      .slice(0, 5)
    expect(rows).toEqual([
      'fra blocked 20 ms 2026-11-20 11:59:50 UTC fresh blocked for the test',
      'iad up 20 ms 2026-11-20 11:59:50 UTC fresh -',
      'nrt no data - - no data no reading yet',
      'sjc down 20 ms 2026-11-20 11:59:50 UTC fresh HTTP 503',
      'syd no recent data 20 ms 2026-11-20 11:00:00 UTC not fresh no recent reading',
    ])
  })

  test('how it was read and when, and where to cite it', () => {
    const page = pageOf()
    expect(page).toContain('<dt>Regions read</dt><dd>iad, sjc</dd>')
    expect(page).toContain('2026-11-20T11:59:50.000Z')
    expect(page).toContain(
      '<dd>fresh, 10 seconds old when this page was made; a measurement counts for 3 minutes</dd>',
    )
    expect(page).toContain('<link rel="canonical" href="https://probe-mesh.example/services/acme">')
    expect(page).toContain('href="/v1/public/services/acme/status"')
  })

  test('past outages, or that they cannot be read, which is not that there were none', () => {
    const status = statusOf('Acme', 'up')
    const rest = {
      service: { slug: 'acme', name: 'Acme' },
      status,
      reports: reportsOf(status),
      regions,
    }
    expect(pageOf(status)).toContain('<td>2 hours 30 minutes</td>')
    expect(pageOf(status)).toContain('<td>not yet</td>')
    const unread = servicePage({ ...rest, incidents: null })
    expect(unread).toContain('cannot be read now')
    expect(unread).not.toContain('seen none')
    const none = servicePage({ ...rest, incidents: { ...incidentsOf(status), incidents: [] } })
    expect(none).toContain('Our probes have seen none.')
  })

  test('the visitor chooses the region of a report, and none is chosen for them', () => {
    const [form = ''] = all(pageOf(), /<form[^]*<\/form>/g)
    expect(form).toContain('method="post" action="/services/acme/reports"')
    expect(all(form, /<option value="([^"]*)"/g)).toEqual(['unknown', ...regions])
    expect(form).toContain('<option value="unknown" selected>I do not know</option>')
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
})
