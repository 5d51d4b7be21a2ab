import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CheckDetail } from '@probe-mesh/contracts/check/check'
import { pingBodyBytesMax, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, test } from 'vitest'
import { flipsOf, insertTestHeartbeat } from './testing-pings.ts'
import { useTestApp } from '../app/testing/test-app.ts'

const run = promisify(execFile)

let address: string
const at = useTestApp()
const account = useOnce(() => at.account('scale'))
beforeAll(async () => {
  address = await at.app.listen({ host: '127.0.0.1', port: 0 })
})
const away = useTestApp()

const heartbeat = async (options: Parameters<typeof insertTestHeartbeat>[1] = {}) => {
  const made = await insertTestHeartbeat(at.sql, { accountId: account.id, ...options })
  const send = (
    path = '',
    body?: string | Buffer,
    headers: Record<string, string> = {},
    method: 'GET' | 'POST' = body === undefined ? 'GET' : 'POST',
  ) =>
    at.app.inject({
      method,
      url: `/ping/${made.pingKey}${path}`,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    })
  const runs = async (query = ''): Promise<Run[]> => {
    const { json } = await at.call('GET', `/v1/checks/${made.checkId}/runs${query}`, {
      key: account.readKey,
    })
    for (const one of json.runs) expect(one).toEqual(Run.parse(one))
    return json.runs
  }
  const detail = async (key = account.writeKey) => {
    // answers are cached for a second
    at.pass(1_100)
    const { json } = await at.call('GET', `/v1/checks/${made.checkId}`, { key })
    expect(json).toEqual(CheckDetail.parse(json))
    return json
  }
  return { ...made, send, runs, detail }
}

describe('the ping API of healthchecks.io', () => {
  test.each(['GET', 'HEAD', 'POST'] as const)('%s is answered 200 OK without any key', async (method) => {
    const { pingKey, runs } = await heartbeat()
    const answer = await at.call(method, `/ping/${pingKey}`)
    expect(answer).toMatchObject({ status: 200, text: method === 'HEAD' ? '' : 'OK' })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'ping-body-limit': '10240',
      'cache-control': 'no-store',
    })
    expect(answer.headers['ratelimit']).toBeUndefined()
    expect(await runs()).toMatchObject([{ outcome: 'success', startedAt: null }])
  })

  test('accepts start, log and end by exit code from a wrapper script', async () => {
    const { send, runs, detail } = await heartbeat({ settings: { maxRuntimeSeconds: 1800 } })
    const rid = crypto.randomUUID()
    await send(`/start?rid=${rid}`)
    expect(await detail()).toMatchObject({ status: 'unknown', heartbeat: { state: 'running' } })
    await send(`/log?rid=${rid}`, 'half way')
    expect(await runs()).toMatchObject([{ outcome: 'running', message: 'half way', finishedAt: null }])
    const last = await send(`/7?rid=${rid}`, 'disk full')
    expect([last.statusCode, last.body]).toEqual([200, 'OK'])
    const [only, ...others] = await runs()
    expect(others).toEqual([])
    expect(only).toMatchObject({
      outcome: 'failure',
      exitCode: 7,
      message: 'disk full',
      stuck: false,
    })
    expect(only?.durationMs).toBeGreaterThanOrEqual(0)
    expect(await detail()).toMatchObject({
      type: 'heartbeat',
      status: 'down',
      statusReason: 'the job ended with exit code 7',
      heartbeat: { state: 'down', heldDown: false, consecutiveFailures: 1, latestRun: only },
    })
  })

  test.each([
    ['/fail', 'failure', null],
    ['/0', 'success', 0],
    ['/1', 'failure', 1],
    ['/255', 'failure', 255],
  ])('%s is a %s with exit code %s', async (path, outcome, exitCode) => {
    const { send, runs } = await heartbeat()
    expect((await send(path)).statusCode).toBe(200)
    expect(await runs()).toMatchObject([{ outcome, exitCode }])
  })

  test.each([
    ['', 'ping/6f0a5a52-5f1c-4a32-9b86-52b2a1a5a001', 404, 'not found'],
    ['', 'ping/not-a-uuid', 404, 'not found'],
    ['/finish', null, 404, 'not found'],
    ['/start/1', null, 404, null],
    ['/256', null, 400, 'invalid exit code'],
    ['/-1', null, 400, 'invalid exit code'],
    ['/1000', null, 400, 'invalid exit code'],
    ['?rid=1', null, 400, 'invalid uuid format'],
    ['?rid=', null, 400, 'invalid uuid format'],
    ['/start?rid=6f0a5a52-5f1c-4a32-9b86', null, 400, 'invalid uuid format'],
  ])('%s of %s is %s %s and nothing is recorded', async (path, other, status, text) => {
    const { pingKey, runs } = await heartbeat()
    const answer = await at.call('GET', `/${other ?? `ping/${pingKey}`}${path}`)
    expect(answer.status).toBe(status)
    if (text !== null) expect(answer.text).toBe(text)
    expect(await runs()).toEqual([])
  })

  test('uses a secret other than the check id, in any case', async () => {
    const { checkId, pingKey } = await heartbeat()
    expect((await at.call('GET', `/ping/${checkId}`)).status).toBe(404)
    expect((await at.call('GET', `/ping/${pingKey.toUpperCase()}`)).status).toBe(200)
  })

  test('ignores unknown parameters', async () => {
    const { send } = await heartbeat()
    expect((await send('?create=1&utm=x')).statusCode).toBe(200)
  })

  test('answers another method with not found, and never requires a key', async () => {
    const { pingKey } = await heartbeat()
    expect((await at.call('PUT', `/ping/${pingKey}`)).status).toBe(405)
  })
})

describe('bodies', () => {
  const kept = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const { send, runs } = await heartbeat()
    const answer = await send('/fail', body, headers)
    const [only] = await runs()
    return { status: answer.statusCode, message: only?.message }
  }

  test.each(['text/plain', 'application/json', 'application/x-www-form-urlencoded', 'x/y'])(
    'of %s are text',
    async (type) => {
      expect(await kept('{"not": json', { 'content-type': type })).toEqual({
        status: 200,
        message: '{"not": json',
      })
    },
  )

  test('are stored up to 10 KB, and larger ones are cut to 10 KB', async () => {
    const whole = 'x'.repeat(pingBodyBytesMax)
    expect(await kept(whole)).toEqual({ status: 200, message: whole })
    expect(await kept(`${whole}y`)).toEqual({ status: 200, message: whole })
  })

  test('are never cut within a character', async () => {
    const almost = 'x'.repeat(pingBodyBytesMax - 1)
    expect(await kept(`${almost}ß`)).toEqual({ status: 200, message: almost })
  })

  test('are converted to text without NUL', async () => {
    const { status, message } = await kept(Buffer.from([0x61, 0x00, 0xff, 0x62, 0xed, 0xa0, 0x80]))
    expect(status).toBe(200)
    expect(message).toMatch(/^a\uFFFDb\uFFFD+$/)
    expect(await kept(Buffer.from([0, 0]))).toEqual({ status: 200, message: null })
  })

  test('are accepted up to 100 KB, and larger ones are refused', async () => {
    expect(await kept('x'.repeat(100 * 1024))).toMatchObject({ status: 200 })
    const { send, runs } = await heartbeat()
    const answer = await send('', 'x'.repeat(100 * 1024 + 1))
    expect([answer.statusCode, answer.body, await runs()]).toEqual([413, 'body too large', []])
  })

  test('never appear in a reason', async () => {
    const { send, detail } = await heartbeat()
    await send('/fail', 'password hunter2 at 10.1.2.3')
    expect((await detail()).statusReason).toBe('the job reported a failure')
  })
})

describe('a real client', () => {
  const curl = async (...parameters: string[]): Promise<string> => {
    const { stdout } = await run('curl', ['-sS', '-m', '20', '--noproxy', '*', ...parameters])
    return stdout
  }

  test('curl pings as documented by healthchecks.io', async () => {
    const { pingKey, runs } = await heartbeat()
    const url = `${address}/ping/${pingKey}`
    expect(await curl('-f', '--retry', '3', `${url}/start`)).toBe('OK')
    expect(await curl('-f', '--data-raw', 'all is well & done', url)).toBe('OK')
    expect(await curl('-I', '-o', '/dev/null', '-w', '%{http_code}', url)).toBe('200')
    expect(await curl('-o', '/dev/null', '-w', '%{http_code}', `${url}/999`)).toBe('400')
    const answer = await runs()
    expect(answer.map(({ outcome }) => outcome)).toEqual(['success', 'success'])
    expect(answer[1]).toMatchObject({ message: 'all is well & done' })
    expect(answer[1]?.startedAt).not.toBeNull()
  })
})

describe('many pings', () => {
  test('of one heartbeat are limited, without effect on others', async () => {
    const { pingKey } = await heartbeat()
    const other = await heartbeat()
    const burst = Array.from({ length: 12 }, () => at.call('GET', `/ping/${pingKey}`))
    const answers = await Promise.all(burst)
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    expect(limited[0]).toMatchObject({ text: 'rate limited', headers: { 'retry-after': '1' } })
    expect((await other.send()).statusCode).toBe(200)
    at.pass(1_001)
    expect((await at.call('GET', `/ping/${pingKey}`)).status).toBe(200)
  })

  test('of many heartbeats at one moment are all recorded', async () => {
    const all = await Promise.all(Array.from({ length: 60 }, () => heartbeat()))
    const answers = await Promise.all(
      all.flatMap(({ pingKey }, n) => [
        at.call('GET', `/ping/${pingKey}/start`),
        at.call('POST', `/ping/${pingKey}/${n % 2}`, { body: `run ${n}` }),
      ]),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (const [n, { checkId, runs }] of all.entries()) {
      expect(await runs()).toMatchObject([
        { outcome: n % 2 === 0 ? 'success' : 'failure', message: `run ${n}` },
      ])
      const status = n % 2 === 0 ? 'operational' : 'down'
      expect(await flipsOf(at.sql, checkId)).toEqual({
        flips: [status],
        told: 1,
        version: 1,
        status,
      })
    }
  })

  test('with the same end are recorded once, also concurrently', async () => {
    const { checkId, send, runs } = await heartbeat()
    const rid = crypto.randomUUID()
    await Promise.all([send(`/fail?rid=${rid}`), send(`/fail?rid=${rid}`), send(`/fail?rid=${rid}`)])
    await send(`/start?rid=${rid}`)
    expect(await runs()).toMatchObject([{ outcome: 'failure' }])
    expect(await flipsOf(at.sql, checkId)).toMatchObject({ flips: ['down'], told: 1 })
  })

  test('a flip of a heartbeat is notified like every other flip', async () => {
    const { checkId, send } = await heartbeat()
    await send('/fail')
    const [row] = await at.sql<{ payload: unknown }[]>`
      select payload from outbox
      where kind = 'flip' and payload #>> '{flip,checkId}' = ${checkId}`
    expect(AccountEvent.parse(row?.payload)).toMatchObject({
      kind: 'flip',
      accountId: account.id,
      flip: {
        checkId,
        checkName: 'backup',
        from: 'unknown',
        to: 'down',
        reason: 'the job reported a failure',
      },
    })
  })
})

describe('answers of the REST API', () => {
  test('show a new heartbeat as unknown, with its ping URL', async () => {
    const { pingKey, detail } = await heartbeat({ settings: { maxRuntimeSeconds: 60 } })
    expect(await detail()).toMatchObject({
      status: 'unknown',
      statusReason: 'no ping yet',
      measuredAt: null,
      regionStatuses: [],
      heartbeat: {
        state: 'new',
        lastPingAt: null,
        periodSeconds: 600,
        graceSeconds: 300,
        maxRuntimeSeconds: 60,
        heldDown: false,
        consecutiveFailures: 0,
        latestRun: null,
        pingUrl: `http://127.0.0.1:8080/ping/${pingKey}`,
      },
    })
    // not for a read key, also after a write key
    expect((await detail(account.readKey)).heartbeat.pingUrl).toBeNull()
    expect((await detail()).heartbeat.pingUrl).not.toBeNull()
  })

  test('show the same status in lists and details', async () => {
    const { checkId, send, detail } = await heartbeat()
    await send()
    expect(await detail()).toMatchObject({ status: 'operational', staleAfterSeconds: 900 })
    const { json } = await at.call('GET', '/v1/checks', { key: account.readKey })
    const listed = json.checks.find((check: { id: string }) => check.id === checkId)
    expect(listed).toMatchObject({ type: 'heartbeat', status: 'operational' })
    expect(listed.heartbeat).toBeUndefined()
  })

  test('create a missing heartbeat row on demand', async () => {
    const { checkId, detail } = await heartbeat()
    await at.sql`delete from heartbeats where check_id = ${checkId}`
    const { heartbeat: made } = await detail()
    expect(made.state).toBe('new')
    expect((await at.call('GET', new URL(made.pingUrl).pathname)).status).toBe(200)
    expect((await detail()).heartbeat.pingUrl).toBe(made.pingUrl)
  })

  test('list runs newest first, up to the limit', async () => {
    const { send, runs } = await heartbeat()
    for (const path of ['/1', '/2', '/3']) {
      await send(path)
      at.pass(1_000)
    }
    expect((await runs()).map(({ exitCode }) => exitCode)).toEqual([3, 2, 1])
    expect((await runs('?limit=2')).map(({ exitCode }) => exitCode)).toEqual([3, 2])
  })

  test.each(['limit=0', 'limit=501', 'limit=x', 'from=1'])('refuse %s', async (query) => {
    const { checkId } = await heartbeat()
    const path = `/v1/checks/${checkId}/runs?${query}`
    const answer = await at.call('GET', path, { key: account.readKey })
    expect(answer).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
  })

  test('have no runs for other types of checks, and none of other accounts', async () => {
    const { json: check } = await at.call('POST', '/v1/checks', {
      key: account.writeKey,
      body: { name: 'web', url: 'https://example.org/' },
    })
    const key = account.readKey
    expect(await at.call('GET', `/v1/checks/${check.id}/runs`, { key })).toMatchObject({
      status: 200,
      json: { runs: [] },
    })
    const { json } = await at.call('GET', `/v1/checks/${check.id}`, { key })
    expect('heartbeat' in json).toBe(false)
    const { readKey } = await at.account('scale')
    const { checkId } = await heartbeat()
    expect(await at.call('GET', `/v1/checks/${checkId}/runs`, { key: readKey })).toMatchObject({
      status: 404,
      json: { code: 'SV-3001' },
    })
    expect((await at.call('GET', `/v1/checks/${checkId}/runs`)).status).toBe(401)
  })

  test('a deleted heartbeat accepts no pings and leaves no data', async () => {
    const { checkId, send } = await heartbeat()
    await send('/start')
    await at.call('DELETE', `/v1/checks/${checkId}`, { key: account.writeKey })
    expect((await send()).statusCode).toBe(404)
    expect(await at.sql`select from heartbeat_runs where check_id = ${checkId}`).toHaveLength(0)
  })
})

test('a ping that Postgres refuses gets Retry-After and writes nothing', async () => {
  const { checkId, pingKey } = await insertTestHeartbeat(away.sql)
  await away.sql`alter table outbox add constraint none check (false) not valid`
  const refused = await away.call('GET', `/ping/${pingKey}`)
  expect(refused).toMatchObject({ status: 500, text: 'try again', headers: { 'retry-after': '5' } })
  expect(await away.sql`select from heartbeat_runs`).toHaveLength(0)
  const nothing = { flips: [], told: 0, version: 0, status: 'unknown' }
  expect(await flipsOf(away.sql, checkId)).toEqual(nothing)
  await away.sql`alter table outbox drop constraint none`
  away.pass(1_001)
  expect((await away.call('GET', `/ping/${pingKey}`)).status).toBe(200)
  expect(await flipsOf(away.sql, checkId)).toMatchObject({ flips: ['operational'], told: 1 })
})
