import { gzipSync } from 'node:zlib'
import type { TelemetryEncoding } from '@probe-mesh/contracts/telemetry/telemetry'
import { allowNothing, parseAllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'
import { createVault } from '../secrets/vault.ts'
import { createResolver } from '../notifications/outgoing/resolve.ts'
import { createProbeCounts } from '../objectives/objective-states.ts'
import { insertReadings } from '../readings/insert-readings.ts'
import { readingAt } from '../status/testing.ts'
import type { Span } from './otlp.ts'
import { minuteMs } from './runs-query.ts'
import { telemetryOwner } from './send-telemetry.ts'
import { pushOnce, startTelemetryPusher, type TelemetryContext } from './telemetry-pusher.ts'
import { claimPush, findPushes, writeEndpoint, writePushSetting } from './telemetry-store.ts'
import { startOtlpReceiver, type OtlpReceiver } from './testing/otlp-receiver.ts'

const stage = useAlertScenario()
const { sql } = stage
const vault = createVault('the secrets key of the tests, 32 characters')
const opened = parseAllowList(['127.0.0.0/8'])
if (!opened.ok) throw new Error('the allow list of the tests is wrong')
const rules = { targetAllow: allowNothing, channelAllow: opened.allow, blockedTargets: denyNothing }

let game: AlertStage['game']
let accountId: string
let checkId: string
let receiver: OtlpReceiver
let context: TelemetryContext
const clickhouse = useClickHouse()
beforeEach(async () => {
  ;({ game, accountId } = stage)
  // the middle of a minute, so that the last whole one is settled
  game.clock.nowMs = Math.floor(Date.now() / minuteMs) * minuteMs + 30_000
  checkId = (await game.checks(accountId, ['shop']))[0] ?? ''
  receiver = await startOtlpReceiver()
  const now = (): number => game.clock.nowMs
  const more = { clickhouse, now, rules, resolver: createResolver(), vault, random: () => 1 }
  context = { sql, log: game.context.log, probeCounts: createProbeCounts(now), ...more }
})
afterEach(() => receiver.close())

const configure = async (
  signal: 'metrics' | 'traces',
  { id = accountId, endpoint = receiver.url, headers = '', encoding = 'json' as TelemetryEncoding } = {},
): Promise<void> => {
  const sealed = headers === '' ? null : vault.seal(headers, telemetryOwner({ accountId: id, endpoint }))
  await sql.begin(async (tx) => {
    await writeEndpoint(
      tx,
      { accountId: id, endpoint, headers: sealed, headerNames: [], encoding },
      game.clock.nowMs,
    )
    await writePushSetting(tx, { accountId: id, signal, enabled: true }, game.clock.nowMs)
  })
}
/** Runs that arrive now, one a second. */
const arrive = async (count: number, more: { id?: string; slotAgoMs?: number } = {}): Promise<void> => {
  const { id = checkId, slotAgoMs = 0 } = more
  const nowMs = game.clock.nowMs
  const rows = Array.from({ length: count }, (_, index) => ({
    reading: readingAt('fra', 'up', nowMs - slotAgoMs - index, { checkId: id }),
    agent: 'fra-1',
    receivedAtMs: nowMs,
    rawDays: 90,
    hourDays: 800,
  }))
  await insertReadings(clickhouse, rows, crypto.randomUUID())
}
const never = new AbortController().signal
/** Runs all pushes that are due. */
const push = async (more: Partial<TelemetryContext> = {}): Promise<void> => {
  for (;;) {
    const nowMs = game.clock.nowMs
    const claimed = await claimPush(sql, { nowMs, untilMs: nowMs + 90_000 })
    if (claimed === null) return
    await pushOnce({ ...context, ...more }, claimed, never)
  }
}
const pass = (minutes: number): void => game.pass(minutes * minuteMs)
const tracesOf = (spans: readonly Span[]): Set<string> => new Set(spans.map(({ traceId }) => traceId))
const traces = async () => (await findPushes(sql, accountId)).get('traces')

describe('traces', () => {
  test('each stored run is pushed once, in pages, and one that arrives late in a minute is pushed too', async () => {
    await configure('traces')
    await arrive(1_203)
    pass(1)
    await push()
    expect(receiver.requests).toHaveLength(3)
    expect(receiver.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })
    const once = tracesOf(receiver.spans())
    expect(once.size).toBe(1_203)
    pass(1)
    await push()
    expect(receiver.requests).toHaveLength(3)
    // stored a minute after it arrived
    game.pass(-2 * minuteMs)
    await arrive(1, { slotAgoMs: 5_000_000 })
    pass(3)
    await push()
    expect(tracesOf(receiver.spans()).size).toBe(1_204)
    expect(await traces()).toMatchObject({ sent: 1_204, dropped: 0, refused: 0, failures: 0 })
  })

  test('what an endpoint does not accept waits for it, and is dropped and counted after 30 minutes', async () => {
    await configure('traces')
    receiver.answer = (response) => response.writeHead(503).end('maintenance')
    await arrive(10)
    pass(1)
    await push()
    expect(await traces()).toMatchObject({ failures: 1, lastError: 'HTTP 503', sent: 0 })
    await push()
    expect(receiver.requests).toHaveLength(1)
    pass(20)
    await arrive(5)
    pass(1)
    await push()
    expect(await traces()).toMatchObject({ failures: 2, dropped: 0 })
    receiver.answer = (response) => response.writeHead(200).end()
    pass(20)
    await push()
    expect(await traces()).toMatchObject({ failures: 0, dropped: 10, sent: 5 })
    expect(tracesOf(receiver.spans()).size).toBe(5)
  })

  test('a push that is killed is repeated with the same ids', async () => {
    await configure('traces')
    await arrive(600)
    pass(1)
    const killed = new AbortController()
    receiver.answer = (response) => {
      if (receiver.requests.length === 2) killed.abort(new Error('killed'))
      response.writeHead(200).end()
    }
    const nowMs = game.clock.nowMs
    const claimed = await claimPush(sql, { nowMs, untilMs: nowMs + 90_000 })
    if (claimed === null) throw new Error('nothing is due')
    await expect(pushOnce(context, claimed, killed.signal)).rejects.toThrow('killed')
    await push()
    expect(receiver.requests.length).toBeLessThanOrEqual(2)
    pass(2)
    await push()
    expect(tracesOf(receiver.spans()).size).toBe(600)
    expect(receiver.spans().length).toBeGreaterThan(600)
  })

  test('runs from before it was turned on are not pushed, and none of another account', async () => {
    await arrive(3)
    pass(2)
    await configure('traces')
    const other = await game.account()
    const [theirs = ''] = await game.checks(other, ['theirs'])
    await arrive(2, { id: theirs })
    await arrive(4)
    pass(1)
    await push()
    const names = receiver.spans().map(({ name }) => name)
    expect(names).toEqual(Array(4).fill('shop'))
  })
})

test('metrics are those of the account, with their labels as attributes', async () => {
  await configure('metrics', { headers: 'x-api-key: top-secret-1' })
  await push()
  expect(receiver.requests[0]).toMatchObject({
    path: '/v1/metrics',
    headers: { 'x-api-key': 'top-secret-1' },
  })
  const gauge = receiver.gauges().find(({ name }) => name === 'probe_mesh_check_status')
  const unknown = gauge?.gauge.dataPoints.find(({ asDouble }) => asDouble === 1)
  expect(unknown?.timeUnixNano).toBe(`${game.clock.nowMs}000000`)
  expect(Object.fromEntries(unknown?.attributes.map(({ key, value }) => [key, value]) ?? [])).toMatchObject({
    check: { stringValue: 'shop' },
    check_id: { stringValue: checkId },
    status: { stringValue: 'unknown' },
  })
})

describe('an endpoint', () => {
  const failed = async (): Promise<string | null> => {
    await configure('metrics')
    await push()
    return (await findPushes(sql, accountId)).get('metrics')?.lastError ?? null
  }

  test('that redirects is not followed', async () => {
    const other = await startOtlpReceiver()
    receiver.answer = (response) => response.writeHead(307, { location: `${other.url}/v1/metrics` }).end()
    expect(await failed()).toContain('redirects are not followed')
    expect(other.requests).toEqual([])
    await other.close()
  })

  test('that may choose a coding of its answer is asked for none', async () => {
    receiver.answer = (response, { headers }) =>
      headers['accept-encoding'] === 'identity'
        ? response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
        : response
            .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
            .end(gzipSync('{}'))
    expect(await failed()).toBeNull()
  })

  test('that answers without end is read to a bound', async () => {
    receiver.answer = (response) => {
      response.writeHead(500)
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        response.once('drain', write)
      }
      write()
    }
    expect((await failed())?.length).toBeLessThan(300)
  })

  test('that refuses some of it is counted, with its reason and without the values of headers', async () => {
    receiver.answer = (response) =>
      response
        .writeHead(200)
        .end('{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"of top-secret-1"}}')
    await sql`update accounts set is_operators = true where id = ${accountId}`
    await configure('metrics', { headers: 'x-api-key: top-secret-1' })
    await push()
    const pushed = (await findPushes(sql, accountId)).get('metrics')
    expect(pushed).toMatchObject({
      failures: 0,
      refused: 2,
      lastError: expect.stringContaining('of [redacted]'),
    })
    expect(pushed?.lastSuccessAt).not.toBeNull()
  })

  test('that finds a request wrong gets the next ones all the same, and the push counts as failed', async () => {
    receiver.answer = (response) => response.writeHead(receiver.requests.length === 1 ? 400 : 200).end()
    await configure('traces')
    await arrive(600)
    pass(1)
    await push()
    const refused = { sent: 100, refused: 500, failures: 1, lastError: 'HTTP 400', lastSuccessAt: null }
    expect(await traces()).toMatchObject(refused)
    pass(1)
    await push()
    expect(receiver.requests).toHaveLength(2)
    expect(await traces()).toMatchObject({ failures: 0 })
  })

  test.each([
    ['a login page', 200, 'text/html', '<html>', 'HTTP 200, but the answer is text/html'],
    ['no right to push', 401, 'application/json', '{}', 'HTTP 401'],
    ['a fault of its own', 500, 'application/json', '{}', 'HTTP 500'],
    ['a redirect', 301, 'text/html', '', 'redirects are not followed'],
  ])(
    'that answers with %s gets nothing of it again, and is left alone for a while',
    async (_, status, type, body, why) => {
      receiver.answer = (response) => response.writeHead(status, { 'content-type': type }).end(body)
      await configure('traces')
      await arrive(600)
      pass(1)
      await push()
      expect(receiver.requests).toHaveLength(1)
      const failed = {
        sent: 0,
        refused: 600,
        failures: 1,
        lastSuccessAt: null,
        lastError: expect.stringContaining(why),
      }
      expect(await traces()).toMatchObject(failed)
      await push()
      receiver.answer = (response) => response.writeHead(200).end()
      await arrive(2)
      pass(20)
      await push()
      expect(await traces()).toMatchObject({ sent: 2, refused: 600, failures: 0 })
      expect(receiver.requests).toHaveLength(2)
    },
  )

  test.each([429, 502, 503, 504])(
    'that answers %i gets the same again, after the time that it names',
    async (status) => {
      receiver.answer = (response) => response.writeHead(status, { 'retry-after': '300' }).end()
      await configure('traces')
      await arrive(3)
      pass(1)
      await push()
      pass(4)
      await push()
      expect(receiver.requests).toHaveLength(1)
      receiver.answer = (response) => response.writeHead(200).end()
      pass(2)
      await push()
      expect(await traces()).toMatchObject({ sent: 3, refused: 0, failures: 0 })
    },
  )

  test('that refuses every series of a success is a failed push', async () => {
    receiver.answer = (response) =>
      response.writeHead(200).end('{"partialSuccess":{"rejectedDataPoints":"9000"}}')
    expect(await failed()).toContain('HTTP 200')
    expect((await findPushes(sql, accountId)).get('metrics')).toMatchObject({
      sent: 0,
      failures: 1,
      lastSuccessAt: null,
    })
  })

  test('that speaks gRPC only is named so', async () => {
    const grpc = createServer().listen(0, '127.0.0.1')
    await once(grpc, 'listening')
    await configure('metrics', { endpoint: `http://127.0.0.1:${(grpc.address() as AddressInfo).port}` })
    await push()
    expect((await findPushes(sql, accountId)).get('metrics')?.lastError).toContain('usually OTLP over gRPC')
    grpc.close()
  })

  test('that never answers holds up no other account', async () => {
    const other = await game.account()
    await game.checks(other, ['theirs'])
    const good = await startOtlpReceiver()
    let ended = false
    receiver.answer = (response) => response.on('close', () => (ended = true))
    await configure('metrics')
    await configure('metrics', { id: other, endpoint: good.url })
    const pusher = startTelemetryPusher({ ...context, registry: new Registry() })
    await vi.waitFor(() => expect(good.gauges().length).toBeGreaterThan(0))
    expect([receiver.requests.length, ended]).toEqual([1, false])
    await pusher.close()
    await good.close()
  })

  test('that is public is not reached by http, and a private one only if the operator opened it', async () => {
    const addresses = ['http://8.8.8.8', 'http://10.0.0.1'].map(async (endpoint) => {
      const account = await game.account()
      await game.checks(account, ['shop'])
      await configure('metrics', { id: account, endpoint })
      return account
    })
    const [open, closed] = await Promise.all(addresses)
    await push()
    const errorOf = async (id = ''): Promise<string | null> =>
      (await findPushes(sql, id)).get('metrics')?.lastError ?? null
    expect(await errorOf(open)).toContain('must be https')
    expect(await errorOf(closed)).toContain('not public')
  })
})

test('a push in protobuf says so, and its answer is read in protobuf', async () => {
  await configure('traces', { encoding: 'protobuf' })
  await arrive(3)
  pass(1)
  // partial_success { rejected_spans: 2 }
  const partial = Buffer.from([0x0a, 0x02, 0x08, 0x02])
  receiver.answer = (response) =>
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(partial)
  await push()
  expect(receiver.requests[0]?.headers['content-type']).toBe('application/x-protobuf')
  expect(await traces()).toMatchObject({ sent: 1, refused: 2, failures: 0 })
})

test('what a push of former settings did is not written', async () => {
  await configure('traces')
  await arrive(3)
  pass(1)
  const nowMs = game.clock.nowMs
  const claimed = await claimPush(sql, { nowMs, untilMs: nowMs + 90_000 })
  if (claimed === null) throw new Error('nothing is due')
  await configure('traces')
  await pushOnce(context, claimed, never)
  expect(await traces()).toMatchObject({ sent: 0, lastSuccessAt: null })
  await push()
  expect(await traces()).toMatchObject({ sent: 3 })
})

test('several control planes run each push once, and none of a suspended account', async () => {
  await configure('metrics')
  const suspended = await game.account()
  await configure('metrics', { id: suspended })
  await sql`update accounts set suspended_at = now() where id = ${suspended}`
  const nowMs = game.clock.nowMs
  const claims = await Promise.all(
    Array.from({ length: 4 }, () => claimPush(sql, { nowMs, untilMs: nowMs + 90_000 })),
  )
  expect(claims.filter((claim) => claim !== null).map((claim) => claim.accountId)).toEqual([accountId])
})
