import type { Socket } from 'node:net'
import { parseAccountAllow } from '@probe-mesh/contracts/src/target/account-allow'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { resolverOf } from '../request/testing/ask.ts'
import { createLargeHeads } from '../request/large-heads.ts'
import { createHandshakes } from './handshakes.ts'
import { registerRunMetrics } from './run-metrics.ts'
import { answering, contextOf, ok, setUp, unavailable } from './testing/run.ts'

/** Latencies are rounded to tenths. */
const roundedMs = 0.1

describe('a request identifies the probe', () => {
  test.each([
    [null, 'ProbeMesh/test (uptime monitoring)'],
    [
      'https://mesh.example.org/probes',
      'ProbeMesh/test (uptime monitoring; +https://mesh.example.org/probes)',
    ],
  ])('and links to its page: %s', async (probesUrl, userAgent) => {
    const { url, requests } = await answering(ok)
    await setUp({ probesUrl }).run(url)
    expect(requests[0]).toContain(`user-agent: ${userAgent}\r\n`)
  })
})

describe('the begin of an answer', () => {
  const answerOf = (body: string) =>
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const trial = contextOf({ kind: 'manual', excerpt: true })

  test('is in a reading that requests it, and in no other', async () => {
    const { url } = await answering(answerOf('{"a":1}'))
    const { run } = setUp()
    const excerpt = { contentType: 'application/json', body: '{"a":1}', isCut: false }
    expect(await run(url, {}, trial)).toMatchObject({ verdict: 'up', excerpt })
    expect(await run(url)).not.toHaveProperty('excerpt')
  })

  test.each([
    [limits.excerptBytesMax, false],
    [limits.excerptBytesMax + 1, true],
  ])('of %d bytes is cut: %s', async (bytes, isCut) => {
    const { url } = await answering(answerOf('x'.repeat(bytes)))
    const { excerpt } = await setUp().run(url, {}, trial)
    expect(excerpt).toMatchObject({ isCut })
    expect(excerpt?.body).toHaveLength(limits.excerptBytesMax)
  })

  test('changes no verdict, and is absent for a failed request', async () => {
    const { url } = await answering(unavailable)
    expect(await setUp().run(url, {}, trial)).toMatchObject({ verdict: 'down', httpStatus: 503 })
    expect(await setUp().run('http://127.0.0.1:1/', {}, trial)).not.toHaveProperty('excerpt')
  })
})

describe('a request names its region', () => {
  const told = async (assignment: Partial<HttpAssignment>) => {
    const { url, requests } = await answering(ok)
    await setUp().run(url, assignment)
    return /^probe-region: (.*)\r$/m.exec(requests[0] ?? '')?.[1] ?? null
  }
  test.each<[string, Partial<HttpAssignment>, string | null]>([
    ['not where nothing is said of it', {}, null],
    ['not where its check says no', { sendRegion: false }, null],
    ['where its check says so', { sendRegion: true }, 'fra'],
    [
      'but no id of an agent of an account',
      { sendRegion: true, region: 'private-01890000-0000-7000-8000-000000000001' },
      'private',
    ],
  ])('%s', async (_, assignment, expected) => {
    expect(await told(assignment)).toBe(expected)
  })

  test('in no other part of the request', async () => {
    const { url, requests } = await answering(ok)
    const run = setUp()
    await run.run(url, { region: 'fra' })
    await run.run(url, { region: 'nrt' })
    expect(requests[0]).toBe(requests[1])
  })

  test('also after a redirect', async () => {
    const last = await answering(ok)
    const first = await answering(`HTTP/1.1 302 Found\r\nlocation: ${last.url}\r\n\r\n`)
    await setUp().run(first.url, { sendRegion: true })
    expect(last.requests[0]).toContain('probe-region: fra\r\n')
  })
})

test('a target over its limit is not judged, and not retried', async () => {
  const spend = vi.fn(() => false)
  const { run, counts } = setUp({ spend })
  expect(await run('http://93.184.216.34/')).toMatchObject({
    verdict: 'unmeasured',
    fault: 'probe',
    cause: 'target_budget',
    address: null,
    latencyMs: null,
    attempts: 1,
  })
  expect([spend.mock.calls.length, counts.retried]).toEqual([1, 0])
})

test('exports waiting and unmeasured runs as metrics', async () => {
  const registry = new Registry()
  registerRunMetrics(registry, {
    counts: { runs: 9, retried: 1, overloaded: 2, lagging: 3, offline: 4, errors: 5 },
    handshakes: { inProgress: 6, waiting: 7, pool: createHandshakes().pool },
    names: { pool: createHandshakes().pool },
    resolver: {
      counts: () => ({
        sent: 21,
        repeated: 22,
        truncated: 23,
        refused: 24,
        ignored: 25,
        stray: 26,
        waiting: 27,
        absences: 28,
        absencesDropped: 29,
      }),
    },
    largeHeads: createLargeHeads(),
    browser: null,
    rate: { size: 8, counts: { refused: 9, forgotten: 10 } },
    ownFault: () => ({ namesSince: 11, networkSince: null }),
  })
  const prefix = 'probe_mesh_agent_'
  for (const look of [1, 2]) {
    const text = await registry.metrics()
    for (const line of [
      'runs_not_measured_total{why="overloaded"} 2',
      'runs_not_measured_total{why="errors"} 5',
      'own_fault{what="names"} 1',
      'own_fault{what="network"} 0',
      'handshakes{state="waiting"} 7',
      'pool_waiting{pool="handshakes"} 0',
      'look_up_queries_total{what="sent"} 21',
      'look_up_queries_total{what="stray"} 26',
      'look_up_absences 28',
      'look_up_absences_dropped_total 29',
      'target_budget_addresses 8',
      'target_budget_refused_total 9',
      'target_budget_forgotten_total 10',
    ]) {
      expect(text, `look ${look}`).toContain(`${prefix}${line}\n`)
    }
  }
})

test('reaches an address allowed for one account only in runs of that account', async () => {
  const accountId = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
  const parsed = parseAccountAllow([`127.0.0.0/8@${accountId}`])
  if (!parsed.ok) throw new Error(parsed.problems.join())
  const { url, requests } = await answering(ok)
  const { run } = setUp({ allow: parsed.allow })
  expect(await run(url)).toMatchObject({ verdict: 'unmeasured', cause: 'unsafe_target' })
  expect(requests).toHaveLength(0)
  expect(await run(url, { accountId })).toMatchObject({ verdict: 'up' })
})

test('of an address allowed for its account needs no internet to be down', async () => {
  const accountId = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
  const parsed = parseAccountAllow([`127.0.0.0/8@${accountId}`])
  if (!parsed.ok) throw new Error(parsed.problems.join())
  const { run } = setUp({ allow: parsed.allow, connectivity: { online: async () => false } })
  const [port = 0] = await freePorts(1)
  const reading = await run(`http://127.0.0.1:${port}/`, { accountId })
  expect(reading).toMatchObject({ verdict: 'down', cause: 'connection_refused' })
})

describe('a run', () => {
  test('of a working target is one attempt and a complete reading', async () => {
    const { url } = await answering(ok)
    expect(await setUp().run(url)).toEqual({
      checkId: '0190a000-0000-7000-8000-000000000001',
      region: 'fra',
      slot: 1_795_000_000_000,
      kind: 'scheduled',
      number: 0,
      verdict: 'up',
      fault: 'none',
      cause: 'ok',
      reason: null,
      httpStatus: 200,
      latencyMs: expect.any(Number),
      timings: {
        dnsMs: null,
        connectMs: expect.any(Number),
        tlsMs: null,
        ttfbMs: expect.any(Number),
        transferMs: expect.any(Number),
      },
      measuredAt: 1_795_000_000_123,
      attempts: 1,
      lateMs: 1.5,
      address: '127.0.0.1',
      certificateExpiresAt: null,
    })
  })

  test('of a failing target is retried at once on a new connection, and then down', async () => {
    const { url, requests } = await answering(unavailable)
    expect(await setUp().run(url)).toMatchObject({
      verdict: 'down',
      fault: 'target',
      cause: 'status_mismatch',
      reason: 'expected status 200-299, got 503',
      httpStatus: 503,
      attempts: 2,
      latencyMs: expect.any(Number),
    })
    expect(requests).toHaveLength(2)
  })

  test('whose retry succeeds is up, with the retry’s evidence', async () => {
    const { url } = await answering(unavailable, ok)
    const { run, counts } = setUp()
    expect(await run(url)).toMatchObject({ verdict: 'up', httpStatus: 200, attempts: 2 })
    expect(counts).toMatchObject({ runs: 1, retried: 1 })
  })

  test('keeps only the latency of its last attempt', async () => {
    let failedAt = 0
    const slow = (socket: Socket): void =>
      void setTimeout(() => {
        failedAt = performance.now()
        socket.end(unavailable)
      }, 300)
    const { url } = await answering(slow, ok)
    const { latencyMs } = await setUp().run(url)
    expect(latencyMs).toBeLessThan(performance.now() - failedAt + roundedMs)
  })

  test('that is blocked is not retried', async () => {
    const { url, requests } = await answering(
      'HTTP/1.1 403 Forbidden\r\ncf-mitigated: challenge\r\nContent-Length: 0\r\n\r\n',
    )
    expect(await setUp().run(url)).toMatchObject({ verdict: 'blocked', attempts: 1 })
    expect(requests).toHaveLength(1)
  })

  test('of an unsafe target is unmeasured and connects to nothing', async () => {
    const resolver = resolverOf({ 'site.example.com': ['93.184.216.34', '10.0.0.1'] })
    expect(await setUp({ resolver }).run('http://site.example.com/')).toMatchObject({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'unsafe_target',
      reason: 'the target address is not allowed',
      latencyMs: null,
      timings: noTimings,
      address: null,
      attempts: 1,
    })
  })

  test('ends both attempts at the deadline of the interval', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    // the deadline passes once the request has arrived, whatever the time
    const { url, requests } = await answering(() => void vi.advanceTimersByTime(400))
    const reading = await setUp().run(url, { intervalSeconds: 1 })
    expect(reading).toMatchObject({
      verdict: 'down',
      cause: 'response_timeout',
      reason: 'no response within 400 ms',
      attempts: 2,
    })
    expect(requests).toHaveLength(2)
  })

  test('follows redirects unless the check expects their status', async () => {
    const moved = 'HTTP/1.1 301 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n'
    const followed = await answering(moved, ok)
    expect(await setUp().run(followed.url)).toMatchObject({ verdict: 'up', httpStatus: 200 })
    const final = await answering(moved, ok)
    const assertions = { ...noAssertions, assertionStatusMin: 301, assertionStatusMax: 301 }
    expect(await setUp().run(final.url, { assertions })).toMatchObject({
      verdict: 'up',
      httpStatus: 301,
    })
    expect(final.requests).toHaveLength(1)
  })

  test('of another kind carries its kind and number', async () => {
    const { url } = await answering(ok)
    const context = contextOf({ kind: 'confirmation', number: 7, lateMs: 0 })
    expect(await setUp().run(url, {}, context)).toMatchObject({ kind: 'confirmation', number: 7 })
  })
})

const onePlace = { places: 1, placesOfOwner: 1, waiting: 1, waitingOfOwner: 1 }

describe('waiting for a place among the handshakes', () => {
  test('does not count in the latency', async () => {
    const { url } = await answering(ok)
    const handshakes = createHandshakes(onePlace)
    const first = await handshakes.begin('a', new AbortController().signal, 1)
    if (typeof first === 'string') throw new Error(first)
    let releasedAt = 0
    setTimeout(() => {
      releasedAt = performance.now()
      first.release()
    }, 300)
    const reading = await setUp({ handshakes }).run(url)
    expect(reading.verdict).toBe('up')
    expect(reading.latencyMs).toBeLessThan(performance.now() - releasedAt + roundedMs)
  })

  test('ends with the connection, not with the answer', async () => {
    const handshakes = createHandshakes(onePlace)
    const seen: number[] = []
    const { url } = await answering((socket) => {
      seen.push(handshakes.inProgress)
      socket.end(ok)
    })
    await setUp({ handshakes }).run(url)
    expect(seen).toEqual([0])
    expect(handshakes.inProgress).toBe(0)
  })
})
