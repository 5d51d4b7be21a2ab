import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { answerPage } from '../../html/answer-page.ts'
import { named } from '../../html/measures.ts'
import { testAssets } from '../../testing/assets.ts'
import { flat, wordsIn } from '../../testing/flat.ts'
import { partOf } from '../paging.ts'
import { stackMarkdown, stackMain } from '../stacks/stacks.ts'
import { listChoice, worstFirst } from './service-list.ts'
import { serviceMarkdown, uncoveredMarkdown } from './service-markdown.ts'
import { serviceMain, uncoveredMain } from './service-page.ts'
import { servicesMarkdown } from './services-markdown.ts'
import { servicesMain } from './services-page.ts'
import { catalogOf, historyOf, servicePageOf, stackOf } from './testing.ts'
import { asMarkdown } from '../as-markdown.ts'

const listOf = (text: string) => ({
  choice: listChoice(new URLSearchParams()),
  part: partOf(worstFirst(catalogOf(text).services), null),
})
const service = (text: string) => ({ slug: 'acme', name: text })
const pageOf = (more: Parameters<typeof servicePageOf>[1] = {}): string =>
  flat(serviceMain(service('Acme'), servicePageOf('Acme', more)))

/** Every page that contains a name, a reason or a search text. */
const pagesWith = (text: string): Record<string, string> => {
  const mains = {
    service: serviceMain(service(text), servicePageOf(text)),
    uncovered: uncoveredMain({ summary: text, didYouMean: [text] }),
    services: servicesMain(catalogOf(text), listOf(text)),
    stack: stackMain(stackOf(text)),
  }
  return Object.fromEntries(
    Object.entries(mains).map(([name, main]) => [
      name,
      answerPage(testAssets, {
        title: text,
        // the page of a service has a separate heading
        heading: name === 'service' ? null : named(text),
        description: text,
        area: 'services',
        url: 'https://probe-mesh.example/services/acme',
        forms: { json: '/x', markdown: asMarkdown('/x') },
        main,
      }),
    ]),
  )
}

const everyPage = Object.entries(pagesWith('Acme'))

const all = (page: string, pattern: RegExp): string[] =>
  [...page.matchAll(pattern)].map((match) => match[1] ?? match[0])

/** The tags of a page without the values of attributes. */
const skeletonOf = (page: string): string =>
  all(page, /<[^>]*>/g)
    .join('')
    .replaceAll(/="[^"]*"/g, '')

describe.each(everyPage)('the page %s', (_, page) => {
  test('has one first-level heading, and skips no level', () => {
    const levels = all(page, /<h([1-6])/g).map(Number)
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    for (const [index, level] of levels.entries()) {
      expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1)
    }
  })

  test('requests nothing from other sites and has no inline script', () => {
    expect(
      page.replace(/<script type="module" blocking="render" src="\/assets\/pages.js"><\/script>/, ''),
    ).not.toMatch(/<(script|img|iframe|object|embed|video|audio|base|style)\b/)
    expect(page).not.toMatch(/\s(on\w+|style|srcset)="/)
    for (const href of all(page, /<a[^>]* href="([^"]*)"/g)) {
      expect(href).toMatch(/^(\/|#(main|reports)$|https:\/\/status\.example\/)/)
    }
  })

  test('names every table, row, section and field', () => {
    const ids = all(page, /\sid="([^"]*)"/g)
    expect(new Set(ids).size).toBe(ids.length)
    expect(all(page, /<table\b/g)).toHaveLength(all(page, /<table>\s*<caption>/g).length)
    for (const row of all(page, /<tbody>([^]*?)<\/tbody>/g).flatMap((body) => body.split('</tr>')))
      if (row.includes('<td')) expect(row).toContain('<th scope="row">')
    for (const names of all(page, /\s(?:aria-labelledby|aria-describedby|for)="([^"]*)"/g)) {
      for (const name of names.split(' ')) expect(ids).toContain(name)
    }
  })
})

describe('with any name, reason or search text', () => {
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
      .map((parts) => parts.join('').toWellFormed()),
  )
  const skeletons = Object.fromEntries(everyPage.map(([name, page]) => [name, skeletonOf(page)]))

  test('adds no tag and no attribute to a page', () => {
    forAll([text], { numRuns: 40 }, (text) => {
      for (const [name, page] of Object.entries(pagesWith(text))) {
        expect([name, skeletonOf(page)]).toEqual([name, skeletons[name]])
      }
    })
  })

  test('creates no address', () => {
    const didYouMean = ['javascript:alert(1)', '//evil.example', '../x']
    const page = flat(uncoveredMain({ summary: '', didYouMean }))
    expect(all(page, /<li><a href="([^"]*)"/g)).toEqual([
      '/services/javascript%3Aalert(1)',
      '/services/%2F%2Fevil.example',
      '/services/..%2Fx',
    ])
  })

  test('adds no markup and no line to Markdown', () => {
    const evil = 'a\n# <script>[x](http://evil)`'
    for (const said of [
      serviceMarkdown(service(evil), servicePageOf(evil)),
      uncoveredMarkdown({ summary: evil, didYouMean: [evil] }),
      servicesMarkdown(catalogOf(evil), listOf(evil)),
      stackMarkdown(stackOf(evil)),
    ]) {
      expect(said).not.toMatch(/[^\\]<script/)
      expect(said).not.toMatch(/[^\\]\[x/)
      expect(said).not.toContain('\n# <')
      expect(said.match(/^# /gm)).toHaveLength(1)
    }
  })
})

describe('a page shows the content of its answer:', () => {
  test('the status as a word and a sentence; blocked never as down, no data never as up', () => {
    expect(pageOf()).toContain('<bdi>Acme</bdi><span class="bad">is down in some regions</span>')
    expect(pageOf()).toContain('<p class="lead">Acme is down in 1 of 2 regions.</p>')
    const lone = (status: 'blocked' | 'no_data') =>
      pageOf({ status, regions: [], history: historyOf(), incidents: [] })
    expect(lone('blocked')).toContain('<span class="uncertain">blocks our probes</span>')
    expect(lone('no_data')).toContain('<span class="silent">has no data</span>')
    for (const page of [lone('blocked'), lone('no_data')]) {
      expect(page).not.toMatch(/class="(tag )?(good|bad)"/)
    }
  })

  test('every region with its latency, its time and its freshness', () => {
    const [cards = ''] = all(pageOf(), /<ul class="region-cards">([^]*?)<\/ul>/g)
    expect(
      cards
        .split('<li')
        .slice(1)
        .map((one) => wordsIn(`<li${one}`)),
    ).toEqual([
      'fra Frankfurt up 20 ms 2026-11-20 11:59:50 UTC , fresh',
      'iad Ashburn down 20 ms 2026-11-20 11:59:50 UTC , fresh Acme',
      'nrt Tokyo no data - no data no reading yet',
      'sjc San Jose no recent data 20 ms 2026-11-20 11:00:00 UTC , not fresh no recent reading',
    ])
  })

  test('how and when it was measured, and that one machine represents all regions', () => {
    const page = pageOf()
    expect(wordsIn(page)).toContain('Regions read fra iad Measured')
    expect(page).toContain('datetime="2026-11-20T11:59:50.000Z"')
    expect(wordsIn(page)).toContain('Freshness fresh counts for 3 minutes')
    expect(page).toContain('one machine, which stands for every region')
  })

  test('past outages, or that they cannot be read, which does not mean none', () => {
    expect(pageOf()).toContain('<td>2h 30m</td>')
    expect(pageOf()).toContain('<strong class="bad">so far</strong>')
    const unread = pageOf({ incidents: null, history: null })
    expect(all(unread, /cannot be read now/g)).toHaveLength(3)
    expect(unread).not.toMatch(/No outage|no data in 90 days|class="chart/)
    const none = (history: ReturnType<typeof historyOf> | null): string => pageOf({ incidents: [], history })
    expect(none(historyOf({}, { 5: 1, 88: 1, 89: 1 }))).toContain(
      'No outage was measured in the last 30 days. 2 of them have data.',
    )
    for (const unknown of [none(historyOf({}, { 5: 1 })), none(historyOf())]) {
      expect(unknown).toContain('so outages are not known')
      expect(unknown).not.toContain('No outage')
    }
  })

  test('the last 24 hours as charts with gaps, and every step in a table', () => {
    const page = pageOf()
    // two distant steps: no line crosses the gap between them
    const [path = ''] = all(page, /<path class="line p50" data-line="p50" d="([^"]*)"/g)
    expect(path.split('M')).toHaveLength(3)
    expect(page).toContain('Of 96 steps: 1 up, 1 up and down, 94 no data.')
    expect(page).not.toContain('missed')
    const [table = ''] = all(page, /its readings<\/caption>([^]*?)<\/table>/g)
    expect(all(table, /<tr><th scope="row">/g)).toHaveLength(96)
    expect(pageOf({ history: historyOf() })).toContain('No latency was measured in this time.')
  })

  test('90 days of bars, with no data for days without measurements', () => {
    const page = pageOf()
    expect(page).toContain('November 20, 2026:<span>25.0% up so far</span></li>')
    expect(page).toContain('<li data-from="2026-08-23" data-to="2026-11-18">')
    expect(pageOf({ history: historyOf() })).toContain('aria-label="no data in 90 days"')
  })

  test('a choice of regions for a report, without a preselection', () => {
    const [form = ''] = all(pageOf(), /<form[^]*<\/form>/g)
    expect(form).toContain('method="post" action="/services/acme/reports"')
    expect(all(form, /<option value="([^"]*)"/g)).toEqual(['unknown', 'iad', 'sjc', 'fra', 'nrt'])
    expect(form).toContain('<option value="unknown" selected>I do not know</option>')
  })

  test('the reports of people with the usual number, or that it is not known yet', () => {
    expect(pageOf()).toContain('33 in the last 15 minutes; usual at this hour of the week: 2.')
    const { reports } = servicePageOf('Acme')
    expect(pageOf({ reports: { ...reports, usual15Minutes: null } })).toContain('not known yet.')
  })

  test('the same content in Markdown', () => {
    const said = serviceMarkdown(service('Acme'), servicePageOf('Acme'))
    for (const line of [
      '**down in some regions**: Acme is down in 1 of 2 regions.',
      '- iad: down, 20 ms, measured 2026-11-20 11:59:50 UTC, fresh, Acme',
      '94 of 96 steps of 15 minutes have no data.',
      '- 2026-08-23 to 2026-11-18: No data',
      '2026-11-18 10:00:00 UTC, to 2026-11-18 12:30:00 UTC, 2 hours 30 minutes',
    ]) {
      expect(said).toContain(line)
    }
    const unread = servicePageOf('Acme', { incidents: null, history: null })
    expect(all(serviceMarkdown(service('Acme'), unread), /cannot be read now/g)).toHaveLength(3)
  })
})

test('a list counts the services in each status, and starts with those that are not up', () => {
  const page = flat(servicesMain(catalogOf('Acme'), listOf('Acme')))
  expect(page).toContain(
    '<a href="/services?level=down"><strong class="tag bad">down</strong><span class="count">1</span></a>',
  )
  const headings = all(page, /<h2 id="([^"]*)"/g)
  expect(headings).toEqual([
    'level-down',
    'level-degraded',
    'level-blocked',
    'level-no_data',
    'category-work',
    'how',
  ])
})
