import type { Socket } from 'node:net'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import type { Answer } from 'dns-packet'
import { describe, expect, test } from 'vitest'
import { answering as replying } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { server } from '@probe-mesh/check-types/dns/probe/testing/probe'
import { resolverOf } from '../request/testing/ask.ts'
import { startRawServer } from '../request/testing/raw-server.ts'
import { createHandshakes } from './handshakes.ts'
import { answering, assignmentOf, contextOf, lagOf, ok, setUp, unavailable } from './testing/run.ts'

const offline = { online: async () => false }

describe('what is the probe’s own fault never counts against a target', () => {
  const nowhere = resolverOf({ 'site.example.com': 'ENOTFOUND' })
  const url = 'http://site.example.com/'

  test('a public target that fails together with the canaries is unmeasured', async () => {
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

  describe('a dns check whose one resolver', () => {
    const asking = async (rcode: number, records: Answer[], online: boolean) => {
      const { resolver: address } = await server((asked) => asked.send(replying(asked, records, rcode)))
      const resolver = { ...resolverOf({}), getServers: () => [address] }
      const connectivity = { online: async () => online }
      const { runAny } = setUp({ resolver, connectivity, allow: allowNothing })
      const { url: _, assertions: __, ...common } = assignmentOf('http://127.0.0.1/')
      const expected = { op: 'equals' as const, values: ['93.184.215.14'] }
      const settings = {
        name: 'www.example.org',
        recordType: 'A',
        resolver: null,
        expect: expected,
      } as const
      const { verdict, cause } = await runAny({ ...common, type: 'dns', settings })
      return `${verdict} ${cause}`
    }
    const other: Answer = { name: 'www.example.org', type: 'A', ttl: 60, data: '93.184.215.99' }

    test.each<[says: string, rcode: number, Answer[], cause: string]>([
      ['denies the name', 3, [], 'dns_not_found'],
      ['has no address of it', 0, [], 'dns_no_records'],
      ['has another address of it', 0, [other], 'dns_mismatch'],
    ])('%s is not measured without the internet', async (_, rcode, records, cause) => {
      expect(await asking(rcode, records, false)).toBe('unmeasured probe_offline')
      expect(await asking(rcode, records, true)).toBe(`down ${cause}`)
    })
  })

  test('a local target is judged without the internet', async () => {
    const { url } = await answering((socket) => socket.destroy())
    expect(await setUp({ connectivity: offline }).run(url)).toMatchObject({ verdict: 'down' })
  })

  test('canaries are probed only after failures', async () => {
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

  /** An interval of 1 s gives an attempt 400 ms; 80 ms are a fifth. */
  const hasty = { intervalSeconds: 1 }

  test('a timeout while our loop was blocked for a fifth of its limit is unmeasured', async () => {
    const { url } = await answering(() => undefined)
    const { run, counts } = setUp({ lag: lagOf(80) })
    expect(await run(url, hasty)).toMatchObject({ verdict: 'unmeasured', cause: 'probe_lagging' })
    expect(counts.lagging).toBe(1)
    const counted = { verdict: 'down', cause: 'response_timeout' }
    expect(await setUp({ lag: lagOf(79) }).run(url, hasty)).toMatchObject(counted)
  })

  test.each<[what: string, answer: string | ((socket: Socket) => void)]>([
    ['that was closed', (socket) => socket.end()],
    ['that was reset', (socket) => socket.resetAndDestroy()],
    ['that ended in a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
    ['with 408', 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n'],
  ])('a connection %s while our loop stood still is unmeasured', async (_, answer) => {
    const { url } = await answering(answer)
    const lagging = { verdict: 'unmeasured', cause: 'probe_lagging' }
    expect(await setUp({ lag: lagOf(800) }).run(url)).toMatchObject(lagging)
    expect(await setUp({ lag: lagOf(799) }).run(url)).toMatchObject({ verdict: 'down' })
  })

  test.each<[what: string, answer: string, verdict: string]>([
    ['a 503', unavailable, 'down'],
    ['a 403', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', 'down'],
    ['what is no HTTP', 'ICY 200 OK\r\n\r\n', 'down'],
  ])('%s that was received counts whatever our loop did', async (_, answer, verdict) => {
    const { url } = await answering(answer)
    const reading = await setUp({ lag: lagOf(60_000) }).run(url)
    expect(reading).toMatchObject({ verdict, fault: 'target', latencyMs: null })
  })

  test('a refused connection counts whatever our loop did', async () => {
    const server = await startRawServer(() => undefined)
    await server.close()
    const reading = await setUp({ lag: lagOf(60_000) }).run(`http://127.0.0.1:${server.port}/`)
    expect(reading).toMatchObject({ verdict: 'down', cause: 'connection_refused' })
  })

  test('a success while our loop was blocked is up, without timings', async () => {
    const { url } = await answering(ok)
    expect(await setUp({ lag: lagOf(201) }).run(url)).toMatchObject({
      verdict: 'up',
      latencyMs: null,
      timings: noTimings,
    })
  })

  test('a bug of the probe becomes a reading, and is logged', async () => {
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

  test('a probe without capacity reports that', async () => {
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
