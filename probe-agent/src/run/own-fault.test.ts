import { noTimings } from '@probe-mesh/contracts/timings'
import { describe, expect, test } from 'vitest'
import { resolverOf } from '../request/testing/ask.ts'
import { createHandshakes } from './handshakes.ts'
import { answering, contextOf, lagOf, ok, setUp, unavailable } from './testing/run.ts'

const offline = { online: async () => false }

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
