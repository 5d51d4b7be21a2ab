import { describe, expect, test, vi } from 'vitest'
import { connectPostgres } from '../stores/postgres/connect.ts'
import { AnswerTimeout, withDeadline } from '@probe-mesh/runtime/deadline'
import { refusalOfError } from '../http/refusal-of-error.ts'
import { useTestApp, startTestApp } from './testing/test-app.ts'

let postgresReady = true
let superseded: string | null = null
let clickhouseWorks = true
let heard = 0
const at = useTestApp(() => ({
  readiness: {
    postgres: () => postgresReady,
    broken: () => {
      if (!postgresReady) throw new Error('broken')
      return true
    },
    version: () => superseded ?? true,
  },
  config: { trustProxy: ['127.0.0.1'] },
  reach: {
    noteForwarded: () => {
      heard += 1
    },
    prove: (challenge) => `proof of ${challenge}`,
  },
  degradable: {
    clickhouse: {
      effect: 'History is delayed.',
      paceMs: 5,
      works: () => {
        if (!clickhouseWorks) throw new Error('connection refused')
        return true
      },
    },
    // a part that never answers must not block an answer
    hangs: { effect: 'Nothing.', works: () => new Promise(() => {}) },
  },
}))

describe('unknown paths', () => {
  test.each([
    ['GET', '/v1/nothing'],
    ['GET', '/nothing'],
  ] as const)('%s %s is SV-3001', async (method, path) => {
    const answer = await at.call(method, path)
    expect(answer).toMatchObject({ status: 404, json: { code: 'SV-3001', status: 404 } })
    expect(answer.headers['content-type']).toMatch('application/problem+json')
  })

  test('a path that cannot be decoded is SV-2001', async () => {
    const answer = await at.call('GET', '/v1/checks/%E0%A4%A')
    expect(answer).toMatchObject({ status: 400, json: { code: 'SV-2001' } })
  })
})

describe('health', () => {
  test('the process is alive while parts are not ready, and readiness lists them', async () => {
    expect(await at.call('GET', '/readyz')).toMatchObject({ status: 200, json: { ready: true } })
    postgresReady = false
    at.pass(1_001)
    expect(await at.call('GET', '/readyz')).toMatchObject({
      status: 503,
      json: { ready: false, notReady: ['postgres', 'broken'] },
    })
    expect(await at.call('GET', '/healthz')).toMatchObject({ status: 200 })
    postgresReady = true
    at.pass(1_001)
    expect((await at.call('GET', '/readyz')).status).toBe(200)
  })

  test('a part can give the reason why it is not ready', async () => {
    superseded = 'A newer version took over.'
    at.pass(1_001)
    const answer = await at.call('GET', '/readyz')
    superseded = null
    at.pass(1_001)
    expect(answer).toMatchObject({
      status: 503,
      json: { ready: false, notReady: ['version'], reasons: ['A newer version took over.'] },
    })
    expect((await at.call('GET', '/readyz')).json).not.toHaveProperty('reasons')
  })

  test('a degraded part is listed and counted, and does not affect readiness', async () => {
    const told = async () => {
      const [ready, metrics] = await Promise.all([at.call('GET', '/readyz'), at.call('GET', '/metrics')])
      const figure = /^degraded\{part="clickhouse"\} (.)/m.exec(metrics.text)?.[1]
      at.pass(1_001)
      return { status: ready.status, json: ready.json, figure }
    }
    expect(await told()).toMatchObject({ status: 200, json: { degraded: [] }, figure: '0' })
    clickhouseWorks = false
    await vi.waitFor(async () =>
      expect(await told()).toEqual({
        status: 200,
        json: {
          ready: true,
          notReady: [],
          degraded: [{ part: 'clickhouse', effect: 'History is delayed.' }],
        },
        figure: '1',
      }),
    )
    clickhouseWorks = true
    await vi.waitFor(async () =>
      expect(await told()).toMatchObject({ status: 200, json: { degraded: [] }, figure: '0' }),
    )
  })

  test('proves to another control plane that it reached its own system, and reveals nothing to others', async () => {
    expect((await at.call('GET', '/healthz')).json).toEqual({ alive: true })
    const asked = await at.call('GET', '/healthz?door=question')
    expect(asked.json).toEqual({ alive: true, proxy: 'none', door: 'proof of question' })
    const long = await at.call('GET', `/healthz?door=${'q'.repeat(65)}`)
    expect(long.json).toEqual({ alive: true })
    const twice = await at.call('GET', '/healthz?door=a&door=b')
    expect(twice.json).toEqual({ alive: true })
  })

  test('notices requests through a proxy, and no direct ones', async () => {
    heard = 0
    await at.call('GET', '/healthz')
    await at.call('GET', '/healthz', {
      headers: { 'x-forwarded-for': '192.0.2.7' },
      from: '192.0.2.1',
    })
    expect(heard).toBe(0)
    await at.call('GET', '/healthz', { headers: { 'x-forwarded-for': '192.0.2.7' } })
    expect(heard).toBe(1)
  })

  test('tells the doctor whether a proxy forwarded its request, and the operator which one is not trusted', async () => {
    const of = async (options: object) => {
      const { json } = await at.call('GET', '/healthz?door=doctor', options)
      return (json as { proxy: string }).proxy
    }
    const forwarded = { 'x-forwarded-for': '192.0.2.7' }
    expect(await of({ headers: forwarded })).toBe('trusted')
    expect(await of({ headers: forwarded, from: '192.0.2.1' })).toBe('not_trusted')
    expect(await of({ headers: forwarded, from: '192.0.2.2' })).toBe('not_trusted')
    // one address, the last: clients may send any
    const lines = (await at.registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('http_forwarded_by'))
    expect(lines).toEqual([
      expect.stringMatching(/^http_forwarded_by_untrusted\{address="192\.0\.2\.2"\} \d+$/),
    ])
  })

  test('requests are counted by route pattern and status', async () => {
    const { readKey } = await at.account('scale')
    const missing = '/v1/checks/0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
    await at.call('GET', missing, { key: readKey })
    const { text } = await at.call('GET', '/metrics')
    expect(text).toMatch(/http_requests_total\{route="GET \/v1\/checks\/:id",status="404"\} 1/)
    expect(text).toContain('http_request_seconds_count{route="GET /v1/checks/:id"} 1')
    expect(text).not.toContain('0190c2a4')
  })
})

describe('errors', () => {
  test('an internal error shows no details, and is logged without the key', async () => {
    const own = await startTestApp()
    const { readKey } = await own.account('scale')
    await own.sql`create policy broken on checks as restrictive to probe_mesh_account
      using (1 / 0 = 1)`
    const answer = await own.call('GET', '/v1/checks', { key: readKey })
    await own.close()
    expect(answer).toMatchObject({ status: 500, json: { code: 'SV-9001', errors: [] } })
    expect(answer.text).not.toContain('zero')
    const log = own.logged.join('')
    expect(log).toMatch(/division by zero/)
    expect(log).not.toContain(readKey)
  })

  test('a missing table is SV-9002 without details, logged once, and a state of Postgres', async () => {
    const own = await startTestApp()
    const { readKey } = await own.account('scale')
    await own.sql`alter table checks rename to gone`
    const answers = [1, 2, 3].map(() => own.call('GET', '/v1/checks', { key: readKey }))
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatchObject({ status: 503, json: { code: 'SV-9002', errors: [] } })
      expect(answer.text).not.toContain('relation')
    }
    await own.close()
    expect(own.logged.filter((line) => line.includes('does not exist'))).toHaveLength(1)
    expect(own.logged.join('')).not.toContain(readKey)
  })

  test('an unavailable Postgres is SV-9002 with Retry-After', async () => {
    const sql = connectPostgres('postgres://nobody@127.0.0.1:9/none')
    const error: unknown = await sql`select 1`.catch((cause: unknown) => cause)
    await sql.end()
    expect(refusalOfError(error)).toMatchObject({
      refusal: { refused: 'SV-9002', status: 503, retryAfterSeconds: 5 },
      ours: true,
    })
  })

  test('an answer after the time limit is SV-9002', async () => {
    const never = new Promise<string>(() => undefined)
    const error: unknown = await withDeadline(never, 5).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(AnswerTimeout)
    expect(refusalOfError(error)).toMatchObject({ refusal: { refused: 'SV-9002' } })
    expect(await withDeadline(Promise.resolve('in time'), 1_000)).toBe('in time')
  })

  test('any other error is SV-9001', () => {
    for (const thrown of [new TypeError('bug'), 'text', null, { code: '42P01' }]) {
      expect(refusalOfError(thrown)).toMatchObject({ refusal: { refused: 'SV-9001' }, ours: true })
    }
  })
})
