import fc from 'fast-check'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { answersOf } from '../answers/testing.ts'
import type { TestAnswers } from '../answers/testing.ts'
import { indexCatalog } from '../catalog/catalog-index.ts'
import type { CatalogIndex } from '../catalog/catalog-index.ts'
import { readCatalog } from '../catalog/read-catalog.ts'
import { bindAnswerPages } from './answer-pages.ts'
import { createKeylessBudget } from './keyless-budget.ts'
import { refusalOfError } from './refusal-of-error.ts'
import { sendRefusal } from './send-refusal.ts'

const open: FastifyInstance[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()))
})

/** The pages alone, on answers in memory. */
const startPages = (
  more: Partial<TestAnswers> = {},
  perMinute = 10_000,
): { app: FastifyInstance; context: TestAnswers } => {
  const context = answersOf({ regions: ['fra', 'iad'], ...more })
  const app = fastify({ exposeHeadRoutes: true, routerOptions: { maxParamLength: 16_384 } })
  app.setErrorHandler((error, _request, reply) => sendRefusal(reply, refusalOfError(error).refusal))
  const budget = createKeylessBudget({ now: context.now, perMinute })
  bindAnswerPages(app, { context, budget })
  open.push(app)
  return { app, context }
}

const everyPath = ['/services', '/services/github', '/stacks/web-shop', '/weather', '/internet']

const report = (
  app: FastifyInstance,
  name: string,
  fields: Record<string, string>,
  ip = '192.0.2.1',
) =>
  app.inject({
    method: 'POST',
    url: `/services/${name}/reports`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
    remoteAddress: ip,
  })

describe('every page that answers cite', () => {
  test.each(everyPath)(
    '%s is a page of its own, without script, cookie or third party',
    async (path) => {
      const { app } = startPages()
      const { statusCode, headers, body } = await app.inject({ url: path })
      expect(statusCode).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      )
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'public, max-age=5',
      })
      expect(headers['set-cookie']).toBeUndefined()
      expect(body).toMatch(/^<!doctype html>/)
      const cited =
        path === '/services' ? path : path.replace('/services/GitHub', '/services/github')
      expect(body).toContain(`<link rel="canonical" href="http://127.0.0.1:8080${cited}">`)
    },
  )

  test.each(everyPath)('%s says no data where nothing was measured', async (path) => {
    const { app } = startPages()
    const { body } = await app.inject({ url: path })
    expect(body).toContain('>no data</strong>')
    expect(body).not.toMatch(/class="tag (good|bad)"/)
  })

  test.each(['/services/github', '/weather', '/nowhere'])('HEAD %s has no text', async (path) => {
    const { app } = startPages()
    const head = await app.inject({ method: 'HEAD', url: path })
    const get = await app.inject({ url: path })
    expect([head.statusCode, head.body]).toEqual([get.statusCode, ''])
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
  })

  test('a page about the whole catalog is of this second', async () => {
    let nowMs = Date.parse('2026-11-20T12:00:00.100Z')
    const { app, context } = startPages({ now: () => nowMs })
    const said = async (): Promise<boolean> =>
      (await app.inject({ url: '/services' })).body.includes('class="tag bad">down<')
    expect(await said()).toBe(false)
    context.observed.see('github', { fra: 'down', iad: 'down' })
    nowMs += 1_000
    expect(await said()).toBe(true)
  })
})

describe('the page of a service', () => {
  test.each(['github', 'GitHub', 'gh', 'github.com', 'https%3A%2F%2Fgithub.com%2Fx'])(
    'is found as %s and cites one address',
    async (name) => {
      const { app, context } = startPages()
      context.observed.see('github', { fra: 'up', iad: 'down' })
      const { statusCode, body } = await app.inject({ url: `/services/${name}` })
      expect(statusCode).toBe(200)
      expect(body).toContain('<h1>Is <bdi>GitHub</bdi> down?</h1>')
      expect(body).toContain('GitHub is down in 1 of 2 regions (iad) and up in fra')
      expect(body).toContain('href="http://127.0.0.1:8080/services/github"')
    },
  )

  test('of what is not covered is a 404 that says so, with what may have been meant', async () => {
    const { app } = startPages()
    const { statusCode, headers, body } = await app.inject({ url: '/services/githib' })
    expect(statusCode).toBe(404)
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toContain('not covered')
    expect(body).toContain('<li><a href="/services/github">github</a></li>')
    expect(body).toContain('cannot say whether it is up or down')
    expect(body).not.toContain('<form')
    expect(body).toContain('<meta name="robots" content="noindex">')
  })

  test('says that past outages cannot be read while the time series is away', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const { app, context } = startPages({ outagesOf: () => Promise.reject(away) })
    context.observed.see('github', { fra: 'up', iad: 'up' })
    const { statusCode, body } = await app.inject({ url: '/services/github' })
    expect(statusCode).toBe(200)
    expect(body).toContain('GitHub is up in 2 of 2 regions')
    expect(body).toContain('Past outages cannot be read now')
  })

  test('is a page that hides everything where we fail', async () => {
    const { app } = startPages({ outagesOf: () => Promise.reject(new Error('a secret')) })
    const { statusCode, headers, body } = await app.inject({ url: '/services/github' })
    expect(statusCode).toBe(500)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(body).toContain('<h1>Our fault</h1>')
    expect(body).not.toContain('secret')
  })
})

test('an unknown stack is a page that says so', async () => {
  const { app } = startPages()
  const { statusCode, headers, body } = await app.inject({ url: '/stacks/nope' })
  expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store'])
  expect(body).toContain('There is no stack with that id or slug.')
})

describe('a report by the form', () => {
  test('counts once for an address, and the page says what became of it', async () => {
    const { app, context } = startPages()
    const first = await report(app, 'github', { region: 'fra' })
    expect(first.statusCode).toBe(200)
    expect(first.headers['cache-control']).toBe('no-store')
    expect(first.body).toContain('<h1>Your report was counted</h1>')
    expect(first.body).toContain('1 person reports problems in the last 15 minutes')
    const again = await report(app, 'github', { region: 'fra' })
    expect(again.body).toContain('<h1>Your report was not counted</h1>')
    expect((await report(app, 'github', { region: 'iad' }, '192.0.2.2')).body).toContain(
      'was counted<',
    )
    expect(context.reports.minutesOf('github').map(({ region, count }) => [region, count])).toEqual(
      [
        ['fra', 1],
        ['iad', 1],
      ],
    )
  })

  test.each([
    ['unknown', 'unknown'],
    ['fra', 'fra'],
    ['zzz', 'unknown'],
  ])('with the region %s counts for %s', async (region, counted) => {
    const { app, context } = startPages()
    await report(app, 'GitHub', { region })
    expect(context.reports.minutesOf('github')).toMatchObject([{ region: counted, count: 1 }])
  })

  test('never changes what is said of the service', async () => {
    const { app, context } = startPages()
    context.observed.see('github', { fra: 'up', iad: 'up' })
    for (let n = 0; n < 200; n++) await report(app, 'github', { region: 'fra' }, `192.0.2.${n}`)
    const { body } = await app.inject({ url: '/services/github' })
    expect(body).toContain('200 people report problems')
    expect(body).toContain('<p><strong class="tag good">up</strong></p>')
  })

  test.each([
    ['what is no region', { region: '<b>' }, 422],
    ['an unknown field', { region: 'fra', name: 'x' }, 422],
  ])('with %s counts nothing and says why', async (_, fields, status) => {
    const { app, context } = startPages()
    const answer = await report(app, 'github', fields)
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.body).toMatch(/<li>(region|name): /)
    expect(context.reports.minutesOf('github')).toEqual([])
  })

  test('of what is not covered counts nothing', async () => {
    const { app } = startPages()
    const answer = await report(app, 'githib', { region: 'fra' })
    expect(answer.statusCode).toBe(404)
    expect(answer.body).toContain('not covered')
  })

  test('that is no form, or far too large a one, is refused with a page', async () => {
    const { app } = startPages()
    const inject = (type: string, payload: string) =>
      app.inject({
        method: 'POST',
        url: '/services/github/reports',
        headers: { 'content-type': type },
        payload,
      })
    expect((await inject('text/plain', 'x')).statusCode).toBe(400)
    const large = await inject('application/x-www-form-urlencoded', `region=${'x'.repeat(9_000)}`)
    expect(large.statusCode).toBe(413)
    expect(large.body).toMatch(/^<!doctype html>/)
  })
})

test('pages and forms spend one budget of the address, and what is refused is a page', async () => {
  const { app } = startPages({}, 3)
  for (const path of ['/services', '/nowhere-here']) await app.inject({ url: path })
  await app.inject({ url: '/services/githib' })
  await report(app, 'github', { region: 'fra' }, '127.0.0.1')
  const refused = await app.inject({ url: '/weather' })
  expect(refused.statusCode).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(refused.headers['cache-control']).toBe('no-store')
  expect(refused.body).toContain(`Try again in ${refused.headers['retry-after']} seconds.`)
  expect((await app.inject({ url: '/weather', remoteAddress: '192.0.2.9' })).statusCode).toBe(200)
})

describe('whatever a catalog file names its services', () => {
  const odd = fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus='alert(1)",
    '</title><h1>',
    '<!--',
    '&lt;&#60;',
    '\u202edne',
    '=1+1',
  )
  const line = fc
    .tuple(fc.stringMatching(/^[a-z]{4,8}$/), odd, fc.string({ unit: 'grapheme', maxLength: 8 }))
    .map((parts) => parts.join(' ').slice(0, 60))

  const catalogOf = (name: string, stack: string): CatalogIndex | null => {
    const probes = [{ url: 'https://example.com/' }]
    const services = [{ slug: 'acme', name, category: 'work', probes }]
    const id = '5d1a3d3c-0b60-5f5b-9d5e-3f5a5a1f0001'
    const stacks = [{ id, slug: 'shop', name: stack, description: name, members: ['acme'] }]
    const read = readCatalog(stringify({ services, stacks }), {
      parseYaml: (text) => parse(text) as unknown,
    })
    return read.ok ? indexCatalog(read.catalog) : null
  }

  /** But for what may have been meant: a word of the question may be one of a name. */
  const tagsOf = (page: string): string =>
    [...page.replace(/<h2>Did you mean<\/h2>[^]*?<\/ul>/, '').matchAll(/<[^>]*>/g)]
      .join('')
      .replaceAll(/="[^"]*"/g, '')

  const pagesOf = async (catalog: CatalogIndex, asked: string): Promise<string[]> => {
    const { app, context } = startPages({ catalog })
    context.observed.see('acme', { fra: 'up', iad: { verdict: 'down', reason: asked } })
    const paths = ['/services', '/services/acme', '/stacks/shop', '/internet', '/weather']
    const pages = await Promise.all(paths.map((url) => app.inject({ url })))
    const receipt = await report(app, 'acme', { region: 'fra' })
    const wrong = await app.inject({ url: `/services/zz${encodeURIComponent(asked)}` })
    expect(pages.map(({ statusCode }) => statusCode)).toEqual(paths.map(() => 200))
    return [...pages, receipt, wrong].map(({ body }) => body)
  }

  test('and whatever is asked, a page has the tags of any other and no more', async () => {
    const plain = catalogOf('Acme', 'Shop')
    if (plain === null) throw new Error('the plain catalog is wrong')
    const expected = (await pagesOf(plain, 'qqqq')).map(tagsOf)
    let read = 0
    await fc.assert(
      fc.asyncProperty(line, line, fc.oneof(odd, line), async (name, stack, asked) => {
        const catalog = catalogOf(name, stack)
        if (catalog === null) return
        read += 1
        expect((await pagesOf(catalog, asked)).map(tagsOf)).toEqual(expected)
        await Promise.all(open.splice(0).map((app) => app.close()))
      }),
      { numRuns: 30 },
    )
    expect(read).toBeGreaterThan(15)
  })
})
