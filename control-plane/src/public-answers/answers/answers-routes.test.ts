import { rateLimits } from '@probe-mesh/contracts/account/rate-limits'
import { answerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { beforeEach, describe, expect, test } from 'vitest'
import { staleAfterMs } from '../../status/freshness.ts'
import { useTestApp, type Answer } from '../../app/testing/test-app.ts'

let failure: Error | null = null
const at = useTestApp(() => ({
  config: { trustProxy: ['127.0.0.1'], budgetScale: 1_000 },
  answers: {
    outagesOf: () => (failure === null ? Promise.resolve([]) : Promise.reject(failure)),
  },
}))
beforeEach(() => {
  failure = null
  // each test has its own budget
  at.pass(61_000)
  at.answers.observed.setReadings('github', { fra: 'up', iad: 'up' })
})

const status = '/v1/public/services/github/status'
const reports = '/v1/public/services/github/reports'
const incidents = '/v1/public/services/github/incidents'

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })
const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  at.call('GET', path, { headers })

describe('the budget of an address', () => {
  test('allows 60 requests in any minute and returns the remaining number', async () => {
    for (let left = rateLimits.keylessPerMinute - 1; left >= 0; left -= 1) {
      const { headers, status: code } = await get(status)
      expect(code).toBe(200)
      expect(headers['ratelimit-policy']).toBe('"keyless";q=60;w=60')
      expect(headers['ratelimit']).toMatch(new RegExp(`^"keyless";r=${left};t=(60|[1-5]\\d)$`))
    }
    const refused = await get(status)
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6004' } })
    expect(refused.headers['ratelimit']).toMatch(/^"keyless";r=0;t=\d+$/)
    const seconds = Number(refused.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    at.pass(seconds * 1_000)
    expect((await get(status)).status).toBe(200)
  })

  test('covers all routes and methods, and all IPv6 addresses of a household', async () => {
    const household = (n: number) => from(`2001:db8:1:2::${n}`)
    for (let n = 0; n < 20; n += 1) {
      await get('/v1/public/internet', household(3 * n + 1))
      await at.call('HEAD', status, { headers: household(3 * n + 2) })
      await at.call('POST', reports, { headers: household(3 * n + 3), body: {} })
    }
    expect(await get('/v1/public/weather', household(99))).toMatchObject({ status: 429 })
    expect(await get('/v1/public/weather', from('2001:db8:1:3::1'))).toMatchObject({ status: 200 })
  })

  test('counts refused requests too, before their body is read', async () => {
    for (let n = 0; n < 60; n += 1) await at.call('POST', reports, { body: '{"broken' })
    expect((await at.call('POST', reports, { body: '{"broken' })).status).toBe(429)
  })

  test('is the same with a key, which is ignored', async () => {
    const { readKey } = await at.account('scale')
    for (const key of [readKey, 'sv_r_nonsense', '']) {
      const { status: code, headers } = await at.call('GET', status, { key })
      expect(code).toBe(200)
      expect(headers['ratelimit']).toMatch(/^"keyless"/)
    }
    for (let n = 0; n < 57; n += 1) await at.call('GET', status, { key: readKey })
    expect((await at.call('GET', status, { key: readKey })).status).toBe(429)
    expect((await at.call('GET', '/v1/me', { key: readKey })).status).toBe(200)
  })
})

describe('pages of other origins', () => {
  const origin = { origin: 'https://elsewhere.example' }

  test('may read every answer and every refusal', async () => {
    for (const path of [status, '/v1/public/stacks/none', `${status}?region=X`]) {
      const { headers } = await get(path, origin)
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers['access-control-expose-headers']).toMatch(/RateLimit.*Retry-After/)
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
    const broken = await at.call('POST', reports, { headers: origin, body: '{' })
    expect(broken.headers['access-control-allow-origin']).toBe('*')
  })

  test('may send a preflight request for JSON, which costs no budget', async () => {
    const preflight = { ...origin, 'access-control-request-method': 'POST' }
    for (let n = 0; n < 70; n += 1) {
      const { statusCode, headers } = await at.app.inject({
        method: 'OPTIONS',
        url: reports,
        headers: { ...preflight, 'access-control-request-headers': 'content-type' },
      })
      expect(statusCode).toBe(204)
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'Content-Type',
      })
    }
    expect((await get(status)).status).toBe(200)
  })
})

describe('the cache lifetime of an answer', () => {
  test('is five seconds for readings and zero for refusals and reports', async () => {
    const { headers } = await get(status)
    expect(headers['cache-control']).toBe('public, max-age=5')
    for (const answer of [
      await get('/v1/public/stacks/none'),
      await get(`${status}?region=X`),
      await at.call('POST', reports, { body: {} }),
    ]) {
      expect(answer.headers['cache-control']).toBe('no-store')
    }
  })

  test('is shorter than a reading stays fresh, for any interval', () => {
    expect(staleAfterMs(1)).toBeGreaterThan(5_000)
  })

  test('is the same for HEAD, which has the headers of GET and no body', async () => {
    const head = await at.call('HEAD', status)
    const { headers, text } = await get(status)
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(text)))
    for (const name of ['content-type', 'cache-control', 'access-control-allow-origin']) {
      expect(head.headers[name]).toBe(headers[name])
    }
  })
})

describe('a query', () => {
  test('may have 300 characters of any script; a longer one is refused', async () => {
    for (const letter of ['a', 'ß', '漢', '😀']) {
      const slug = encodeURIComponent(letter.repeat(300 / letter.length))
      expect(await get(`/v1/public/services/${slug}/status`)).toMatchObject({
        status: 200,
        json: { status: 'not_covered', service: null },
      })
    }
    const long = `/v1/public/services/${'a'.repeat(301)}`
    for (const path of [`${long}/status`, `${long}/readings`, `${long}/incidents`]) {
      expect(await get(path)).toMatchObject({
        status: 422,
        json: { code: 'SV-2001', errors: [{ path: 'slug' }] },
      })
    }
  })

  test('with invalid input is refused with all problems, even if the answer is cached', async () => {
    const slug = 'a'.repeat(301)
    const body = { region: 'Frankfurt', more: 1 }
    const refused = await at.call('POST', `/v1/public/services/${slug}/reports`, { body })
    expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    const paths = refused.json.errors.map((error: { path: string }) => error.path)
    expect(paths.toSorted()).toEqual(['more', 'region', 'slug'])
    expect((await get(status)).status).toBe(200)
    for (const query of ['region=X', 'region=', 'region=fra&region=iad', 'x=%00', 'other=1']) {
      expect(await get(`${status}?${query}`)).toMatchObject({ json: { code: 'SV-2001' } })
    }
  })

  test('for one region and a query for all regions have separate answers', async () => {
    at.answers.observed.setReadings('github', { fra: 'down', iad: 'up' })
    expect((await get(status)).json.status).toBe('down_in_some_regions')
    expect((await get(`${status}?region=fra`)).json.status).toBe('down')
    expect((await get(`${status}?region=iad`)).json.status).toBe('up')
    expect((await get(`${status}?region=syd`)).json.status).toBe('no_data')
  })
})

test('an unknown stack is refused with similar and all stacks, and all can be listed', async () => {
  const { json: list } = await get('/v1/public/stacks')
  const slugs = list.stacks.map(({ slug }: { slug: string }) => slug)
  expect(slugs).toContain('web-shop')
  for (const [name, similar] of [
    ['web-shpo', ['web-shop']],
    ['Web shop', ['web-shop']],
    ['zzzz', []],
  ] as const) {
    const { status: code, json } = await get(`/v1/public/stacks/${encodeURIComponent(name)}`)
    expect([code, json.code, json.didYouMean]).toEqual([404, 'SV-3001', similar])
    for (const slug of slugs) expect(json.message).toContain(slug)
  }
})

describe('while the time series cannot be read', () => {
  test('past incidents are SV-9002 with Retry-After, and all other answers work', async () => {
    failure = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const refused = await get(incidents)
    expect(refused).toMatchObject({ status: 503, json: { code: 'SV-9002' } })
    expect(refused.headers['retry-after']).toBe('5')
    for (const path of ['services', 'weather', 'internet', 'stacks/web-shop']) {
      expect((await get(`/v1/public/${path}`)).status).toBe(200)
    }
    expect((await get(status)).status).toBe(200)
  })
})

describe('a caller', () => {
  test('leaves no trace: no cookie, no log line, no row', async () => {
    const address = '203.0.113.77'
    const headers = {
      ...from(address),
      'user-agent': 'a browser to be forgotten',
      cookie: '__Host-session=made-up',
    }
    const answers: Answer[] = []
    for (const { path } of Object.values(answerRoutes).filter(({ method }) => method === 'GET')) {
      const filled = path.replace(':slug', 'github').replace(':idOrSlug', 'web-shop')
      answers.push(await get(`/v1/public${filled}`, headers))
    }
    answers.push(await at.call('POST', reports, { headers, body: { region: 'fra' } }))
    failure = new Error('a bug')
    answers.push(await get(incidents, headers))
    expect(answers.map((answer) => answer.status)).toEqual([...answers.slice(1).map(() => 200), 500])
    for (const answer of answers) expect(answer.headers['set-cookie']).toBeUndefined()
    const log = at.logged.join('')
    expect(log).toContain('a bug')
    const tables = await at.sql<{ name: string }[]>`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
    expect(tables.length).toBeGreaterThan(10)
    const rows = await Promise.all(
      tables.map(({ name }) => at.sql`select t::text as row from ${at.sql.unsafe(name)} t`),
    )
    const stored = JSON.stringify(rows)
    for (const trace of [address, 'to be forgotten', 'made-up']) {
      expect(log).not.toContain(trace)
      expect(stored).not.toContain(trace)
    }
  })
})
