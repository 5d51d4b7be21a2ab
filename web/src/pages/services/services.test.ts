import { brotliCompressSync } from 'node:zlib'
import { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { answersOf } from '@probe-mesh/control-plane/src/public-answers/answers/testing'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { flat, mainOf, withoutOwnScript } from '../../testing/flat.ts'
import { startTestWeb, type Shown, type TestWeb } from '../../testing/test-web.ts'
import { asMarkdown } from '../as-markdown.ts'
import { partOf } from '../paging.ts'
import { listChoice } from './service-list.ts'
import { servicesMarkdown } from './services-markdown.ts'
import { servicesMain } from './services-page.ts'
import { servicesPerPart } from './services.ts'
import { catalogOf } from './testing.ts'

const evil = `<script>alert("1")</script>`
const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'

const service = (slug: string, more: object = {}) => ({
  slug,
  name: slug,
  category: 'work',
  probes: [{ url: `https://${slug}.example/` }],
  ...more,
})
const catalog = indexCatalog(
  Catalog.parse({
    services: [
      service('github', {
        name: 'GitHub',
        aliases: ['gh'],
        domains: ['github.com'],
        category: 'code_hosting',
        statusPage: 'https://www.githubstatus.com/',
      }),
      service('evil', { name: `Evil ${evil}` }),
      ...Array.from({ length: 250 }, (_, n) => service(`s${n}`, { name: `Service ${n}` })),
    ],
    stacks: [
      {
        id: '5d1a3d3c-0b60-5f5b-9d5e-3f5a5a1f0001',
        slug: 'web-shop',
        name: `Shop ${evil}`,
        description: 'What a shop needs.',
        members: ['github', 'evil'],
      },
    ],
  }),
)

const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
let failure: Error | null = null
const orFail = async <T>(value: () => Promise<T>): Promise<T> => {
  if (failure !== null) throw failure
  return value()
}

let web: TestWeb
let setReadings: TestWeb['at']['answers']['observed']['setReadings']
beforeAll(async () => {
  const { historyOf } = answersOf({ catalog })
  web = await startTestWeb({
    config: { trustProxy: ['127.0.0.1'] },
    answers: {
      catalog,
      outagesOf: () => orFail(async () => []),
      historyOf: (slug) => orFail(() => historyOf(slug)),
    },
  })
  ;({ setReadings } = web.at.answers.observed)
})

let askers = 0
beforeEach(() => {
  failure = null
  // in a new second, since an answer about the whole catalog is made once a second
  web.at.pass(1_000)
  for (const { slug } of catalog.catalog.services) setReadings(slug, {})
})

/** A new address each time, unless one is given: budgets are tested below. */
const from = (address?: string) => {
  askers += 1
  return { 'x-forwarded-for': address ?? `10.0.${askers >> 8}.${askers & 255}` }
}
const get = (path: string, address?: string): Promise<Shown> => web.visitor().get(path, from(address))
const report = (slug: string, form: Record<string, string>, address?: string) =>
  web.visitor().post(`/services/${slug}/reports`, form, from(address))

const pages = ['/services', '/services/github', '/stacks', '/stacks/web-shop']
const markdown = pages.map(asMarkdown)

describe('every page with a citable answer', () => {
  test.each(pages)('%s is public: without a cookie, and cached as long as an answer', async (path) => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=5',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/)
    expect(headers['set-cookie']).toBeUndefined()
    expect(text).toContain(`<link rel="canonical" href="http://127.0.0.1:8080${path}">`)
    expect(text).toContain(`<link rel="alternate" type="text/markdown" href="${path}.md">`)
  })

  test.each(markdown)('%s is Markdown, for every origin', async (path) => {
    const { status, headers, raw } = await get(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'cache-control': 'public, max-age=5',
      'access-control-allow-origin': '*',
    })
    expect(raw).toMatch(/^# \w/)
    expect(raw).not.toMatch(/[^\\]<script/)
  })

  test.each(pages)('%s says no data without measurements', async (path) => {
    const text = mainOf((await get(path)).text)
    expect(text).toContain('>no data</strong>')
    expect(text).not.toMatch(/class="tag (good|bad)"/)
  })

  test('text of people stays text', async () => {
    setReadings('evil', { fra: { verdict: 'down', reason: evil } })
    for (const path of ['/services/evil', '/services?q=evil', '/stacks', '/stacks/web-shop']) {
      const { status, text } = await get(path)
      expect([path, status]).toEqual([path, 200])
      expect(withoutOwnScript(text)).not.toContain('<script')
      expect(text).toContain(escaped)
    }
    const { text } = await get(`/services/zz${encodeURIComponent(evil)}`)
    expect(text).toContain('zz&lt;script&gt;')
  })
})

describe('the page of a service', () => {
  test.each(['github', 'GitHub', 'gh', 'github.com', 'https%3A%2F%2Fgithub.com%2Fx'])(
    'is found as %s and cites one address',
    async (name) => {
      setReadings('github', { fra: 'up', iad: 'down' })
      const { status, text } = await get(`/services/${name}`)
      expect(status).toBe(200)
      expect(text).toContain('<h1 id="answer"><bdi>GitHub</bdi>')
      expect(text).toContain('GitHub failed in 1 of the 2 newest measurements')
      expect(text).toContain('href="http://127.0.0.1:8080/services/github"')
      expect(text).toContain('<a href="https://www.githubstatus.com/"')
      const said = await get(`/services/${name}.md`)
      expect(said.raw).toContain('# Is GitHub down?')
    },
  )

  test('outside the catalog is a 404 that says so, with suggestions', async () => {
    const { status, headers, text } = await get('/services/githib')
    expect([status, headers['cache-control']]).toEqual([404, 'no-store'])
    expect(text).toContain('<strong class="tag silent">not covered</strong>')
    expect(text).toContain('<li><a href="/services/github">github</a></li>')
    expect(text).toContain('neither that it is up nor that it is down')
    expect(text).not.toContain('<form method="post"')
    expect(text).toContain('<meta name="robots" content="noindex">')
    const said = await get(asMarkdown('/services/githib'))
    expect([said.status, said.headers['cache-control']]).toEqual([404, 'no-store'])
    expect(said.raw).toContain(`[github](${asMarkdown('/services/github')})`)
  })

  test('shows the status, and that the history cannot be read while ClickHouse is unavailable', async () => {
    failure = away
    setReadings('github', { fra: 'up', iad: 'up' })
    const { status, text } = await get('/services/github')
    expect(status).toBe(200)
    expect(text).toContain(
      'From this machine, no sign of an outage: github.example answers. That does not show that all of GitHub works.',
    )
    expect(text.match(/The history cannot be read now/g)).toHaveLength(3)
    expect(text).not.toContain('No outage')
  })

  test('has an error page without details for faults of ours', async () => {
    failure = new Error('a secret')
    const { status, headers, text } = await get('/services/github')
    expect([status, headers['cache-control']]).toEqual([500, 'no-store'])
    expect(text).toContain('<h1>Internal error</h1>')
    expect(text).not.toContain('secret')
  })

  test('has a page for an unknown stack', async () => {
    const { status, headers, text } = await get('/stacks/nope')
    expect([status, headers['cache-control']]).toEqual([404, 'no-store'])
    expect(text).toContain('There is no stack &quot;nope&quot;.')
  })
})

describe('the list', () => {
  test('is at most a second old, worst first, and searchable without a script', async () => {
    expect((await get('/services')).text).not.toContain('level-down"')
    setReadings('s77', { fra: 'down', iad: 'down' })
    setReadings('github', { fra: 'up', iad: 'up' })
    web.at.pass(1_000)
    const { text } = await get('/services')
    expect(text.indexOf('/services/s77"')).toBeLessThan(text.indexOf('/services/s1"'))
    expect(text).toContain('<a href="/services?level=down"><strong')
    const found = await get('/services?q=GITHUB')
    expect(found.text).toContain('1 service fits.')
    expect(found.text).toContain('value="GITHUB"')
    expect(found.text).toContain('<meta name="robots" content="noindex">')
    expect((await get('/services?q=gh')).text).toContain('href="/services/gh"')
  })

  test('contains every service of a usual catalog once, so that the filter finds all of them', async () => {
    const { text, raw } = await get('/services')
    const slugs = [...text.matchAll(/<p class="tile-name"><a href="\/services\/(\w+)"/g)].map(
      ([, slug]) => slug,
    )
    expect(new Set(slugs).size).toBe(252)
    expect(slugs).toHaveLength(252)
    expect(brotliCompressSync(raw).length).toBeLessThan(20_000)
  })

  test('is split for a huge catalog, with every service on one page', () => {
    const services = Array.from({ length: 1_100 }, (_, n) => ({
      ...catalogOf('Acme').services[0],
      slug: `s${n}`,
    }))
    const answer = { ...catalogOf('Acme'), services } as ReturnType<typeof catalogOf>
    const parts = ['1', '2', '3'].map((page) => {
      const part = partOf(answer.services, page, servicesPerPart)
      return { part, choice: listChoice(new URLSearchParams()) }
    })
    const slugs = parts.flatMap((one) =>
      [...flat(servicesMain(answer, one)).matchAll(/<p class="tile-name"><a href="\/services\/(\w+)"/g)].map(
        ([, slug]) => slug,
      ),
    )
    expect(new Set(slugs).size).toBe(1_100)
    expect(slugs).toHaveLength(1_100)
    expect(
      servicesMarkdown(
        answer,
        parts[1] ?? { part: partOf([], null), choice: listChoice(new URLSearchParams()) },
      ),
    ).toContain('Part 2 of 3, 1100 services in all.')
  })
})

describe('a report by the form', () => {
  test('counts once for an address, and the page shows the result', async () => {
    const first = await report('github', { region: 'fra' }, '192.0.2.1')
    // a reload of the next page reports nothing
    expect([first.status, first.to]).toEqual([303, '/services/github?report=counted'])
    const { text } = await get(first.to ?? '')
    expect(text).toMatch(/<div[^>]*role="status"[^>]*>[^]*Report counted/)
    expect(text).toContain('1 person reports problems in the last 15 minutes')
    const again = await report('github', { region: 'fra' }, '192.0.2.1')
    expect(again.to).toBe('/services/github?report=repeated')
    expect((await report('github', { region: 'zzz' }, '192.0.2.2')).to).toBe(
      '/services/github?report=counted',
    )
    const counted = web.at.answers.reports.minutesOf('github')
    expect(counted.map(({ region, count }) => [region, count])).toEqual([
      ['fra', 1],
      ['unknown', 1],
    ])
  })

  test('never changes the answer about the service', async () => {
    setReadings('s3', { fra: 'up', iad: 'up' })
    for (let n = 0; n < 40; n++) await report('s3', { region: 'fra' })
    const { text } = await get('/services/s3')
    expect(text).toContain('40 people report problems')
    expect(text).toContain('<span class="good">answers</span>')
  })

  test('with an invalid region counts nothing, and returns the form with the problem', async () => {
    const { status, headers, text } = await report('s4', { region: '<b>' })
    expect([status, headers['cache-control']]).toEqual([422, 'no-store'])
    expect(text).toMatch(/<p class="problem" id="field-region-problem">/)
    expect(text).toContain('aria-invalid="true"')
    expect((await report('s4', { region: 'fra', name: 'x' })).text).toMatch(/<li>.*name/)
    expect(web.at.answers.reports.minutesOf('s4')).toEqual([])
  })

  test('about an unknown service counts nothing, and an oversized report is not read', async () => {
    const missing = await report('githib', { region: 'fra' })
    expect(missing.status).toBe(404)
    expect(missing.text).toContain('not covered')
    const large = await report('s5', { region: 'x'.repeat(9_000) })
    expect(large.status).toBe(413)
    expect(large.text).toContain('<h1>This form cannot be read</h1>')
    const other = await web.visitor().post('/services/s5/reports', {}, { 'content-type': 'text/x' })
    expect([other.status, other.headers['content-type']]).toEqual([415, 'text/html; charset=utf-8'])
  })
})

test('any page counts once for the address of its reader, separately from other addresses', async () => {
  const address = '192.0.2.77'
  const asked = [
    ...[...pages, ...markdown, '/services/githib', '/stacks/nope', '/services?q=x'].map((path) =>
      get(path, address),
    ),
    report('s6', { region: 'fra' }, address),
  ]
  await Promise.all(asked)
  const left = await web.at.call('GET', '/v1/public/services/github/status', {
    headers: from(address),
  })
  expect(left.headers['ratelimit']).toMatch(new RegExp(`r=${60 - asked.length - 1}\\b`))
  await Promise.all(Array.from({ length: 60 }, () => get('/services/github', address)))
  const refused = await get('/services/github', address)
  expect([refused.status, refused.headers['cache-control']]).toEqual([429, 'no-store'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.text).toContain(`Try again in ${refused.headers['retry-after']} seconds.`)
  expect((await get('/services/github', '192.0.2.78')).status).toBe(200)
})
