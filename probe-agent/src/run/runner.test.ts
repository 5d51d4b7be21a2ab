import { noAssertions } from '@probe-mesh/contracts/assertions'
import type { Assignment } from '@probe-mesh/contracts/assignment'
import { noTimings, Reading } from '@probe-mesh/contracts/reading'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTrust } from '../request/connect.ts'
import { allowing, resolverOf } from '../request/testing/ask.ts'
import { startRawServer } from '../request/testing/raw-server.ts'
import type { RunContext } from '../slots/run.ts'
import { createHandshakes } from './handshakes.ts'
import { createRunner } from './runner.ts'
import type { RunnerCapabilities } from './runner.ts'

const trust = createTrust()
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const unavailable = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'
const offline = { online: async () => false }
const lagOf = (ms: number) => ({ worstSince: () => ms, close: () => undefined })

const assignmentOf = (url: string, more: Partial<Assignment> = {}): Assignment => ({
  checkId: '0190a000-0000-7000-8000-000000000001',
  accountId: 'a',
  region: 'fra',
  revision: 1,
  validFrom: 0,
  intervalSeconds: 10,
  type: 'http',
  url,
  assertions: noAssertions,
  owner: 'account',
  ...more,
})
const contextOf = (more: Partial<RunContext> = {}): RunContext => ({
  slot: 1_795_000_000_000,
  kind: 'scheduled',
  number: 0,
  lateMs: 1.5,
  signal: new AbortController().signal,
  ...more,
})
const setUp = (more: Partial<RunnerCapabilities> = {}) => {
  const errors: object[] = []
  const runner = createRunner({
    allow: allowing('127.0.0.0/8'),
    resolver: resolverOf({}),
    ownAddresses: () => new Set(),
    trust,
    connectivity: { online: async () => true },
    handshakes: createHandshakes(),
    lag: lagOf(0),
    now: () => 1_795_000_000_123,
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields) => errors.push(fields),
    },
    version: 'test',
    ...more,
  })
  const run = async (url: string, assignment: Partial<Assignment> = {}, context = contextOf()) => {
    const reading = await runner.run(assignmentOf(url, assignment), context)
    expect(Reading.parse(reading)).toEqual(reading)
    return reading
  }
  return { run, errors, counts: runner.counts }
}
/** A server that gives its answers in turn, the last one forever. */
const answering = async (...answers: (string | ((socket: Socket) => void))[]) => {
  const server = await startRawServer((socket) => {
    const answer = answers[Math.min(server.requests.length, answers.length) - 1] ?? ''
    if (typeof answer === 'string') socket.end(answer)
    else answer(socket)
  })
  onTestFinished(server.close)
  return { url: `http://127.0.0.1:${server.port}/`, requests: server.requests }
}

describe('a run', () => {
  test('of a target that is up is one attempt and a whole reading', async () => {
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

  test('of a target that fails is tried again at once, on a new connection, and then down', async () => {
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

  test('keeps the latency of its last attempt alone', async () => {
    const slow = (socket: Socket): void => void setTimeout(() => socket.end(unavailable), 300)
    const { url } = await answering(slow, ok)
    const { latencyMs } = await setUp().run(url)
    expect(latencyMs).toBeLessThan(300)
  })

  test('that is blocked is not tried again', async () => {
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
    const { url, requests } = await answering(() => undefined)
    const reading = await setUp().run(url, { intervalSeconds: 1 })
    expect(reading).toMatchObject({
      verdict: 'down',
      cause: 'response_timeout',
      reason: 'no response within 400 ms',
      attempts: 2,
    })
    expect(requests).toHaveLength(2)
  })

  test('follows redirects unless their status is what the check asks for', async () => {
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

describe('what is the probe’s own fault never counts against a target', () => {
  const nowhere = resolverOf({ 'site.example.com': 'ENOTFOUND' })
  const url = 'http://site.example.com/'

  test('a public target that fails while the canaries fail too is unmeasured', async () => {
    const { run, counts } = setUp({ resolver: nowhere, connectivity: offline })
    expect(await run(url)).toMatchObject({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'probe_offline',
      reason: 'the probe has no working network',
      latencyMs: null,
      attempts: 2,
    })
    expect(counts.offline).toBe(1)
  })

  test('the same with a working network is down', async () => {
    expect(await setUp({ resolver: nowhere }).run(url)).toMatchObject({
      verdict: 'down',
      cause: 'dns_not_found',
    })
  })

  test('a local target is judged without the internet', async () => {
    const { url } = await answering((socket) => socket.destroy())
    expect(await setUp({ connectivity: offline }).run(url)).toMatchObject({ verdict: 'down' })
  })

  test('canaries are asked only about failures', async () => {
    let asked = 0
    const connectivity = {
      online: async () => {
        asked += 1
        return true
      },
    }
    const { run } = setUp({ connectivity, resolver: nowhere })
    await run((await answering(ok)).url)
    await run((await answering(unavailable)).url)
    expect(asked).toBe(0)
    await run(url)
    expect(asked).toBe(1)
  })

  test('a failure during which our loop stood still is unmeasured', async () => {
    const { url } = await answering(unavailable)
    const { run, counts } = setUp({ lag: lagOf(201) })
    expect(await run(url)).toMatchObject({ verdict: 'unmeasured', cause: 'probe_lagging' })
    expect(counts.lagging).toBe(1)
    expect(await setUp({ lag: lagOf(200) }).run(url)).toMatchObject({ verdict: 'down' })
  })

  test('a success during which our loop stood still is up, without our times', async () => {
    const { url } = await answering(ok)
    expect(await setUp({ lag: lagOf(201) }).run(url)).toMatchObject({
      verdict: 'up',
      latencyMs: null,
      timings: noTimings,
    })
  })

  test('a bug of ours becomes a reading, and is logged', async () => {
    const bug = new Error('a bug')
    const broken = {
      ...createHandshakes(),
      begin: async () => {
        throw bug
      },
    }
    const { run, errors, counts } = setUp({ handshakes: broken })
    expect(await run('http://127.0.0.1/')).toMatchObject({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'probe_error',
      attempts: 0,
    })
    expect(errors).toEqual([{ err: bug, checkId: '0190a000-0000-7000-8000-000000000001' }])
    expect(counts.errors).toBe(1)
  })

  test('a probe without capacity says so', async () => {
    const handshakes = { ...createHandshakes(), begin: async () => 'overloaded' as const }
    const { run, counts } = setUp({ handshakes })
    expect(await run('http://127.0.0.1/')).toMatchObject({
      verdict: 'unmeasured',
      cause: 'probe_overloaded',
      attempts: 0,
    })
    expect(counts.overloaded).toBe(1)
  })

  test('a probe that stops ends its runs at once', async () => {
    const stop = new AbortController()
    const { url } = await answering(() => stop.abort())
    const reading = await setUp().run(url, {}, contextOf({ signal: stop.signal }))
    expect(reading).toMatchObject({ verdict: 'unmeasured', cause: 'probe_stopped', attempts: 1 })
    expect(await setUp().run(url, {}, contextOf({ signal: AbortSignal.abort() }))).toMatchObject({
      verdict: 'unmeasured',
      cause: 'probe_stopped',
      attempts: 0,
    })
  })
})

describe('waiting for a place among the handshakes', () => {
  test('is no part of the latency', async () => {
    const { url } = await answering(ok)
    const handshakes = createHandshakes(1)
    const first = await handshakes.begin(new AbortController().signal)
    if (typeof first === 'string') throw new Error(first)
    setTimeout(first.release, 300)
    const reading = await setUp({ handshakes }).run(url, { intervalSeconds: 1 })
    expect(reading.verdict).toBe('up')
    expect(reading.latencyMs).toBeLessThan(300)
  })

  test('ends when the connection stands, not when the answer comes', async () => {
    const handshakes = createHandshakes(1)
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
