import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { describe, expect, test } from 'vitest'
import { requestSpanId } from '@probe-mesh/contracts/reading/trace-ids'
import { readingAt } from '../status/testing.ts'
import { nanosOf } from './otlp.ts'
import { placePhases, spansOf, type Run, type TracedCheck } from './run-spans.ts'

const atMs = Date.parse('2026-11-20T12:00:00.250Z')
const check: TracedCheck = {
  id: 'c',
  name: 'Shop',
  type: 'http',
  url: 'https://shop.example.org/',
  target: null,
}
const timings = { dnsMs: 1.5, connectMs: 10, tlsMs: 20.5, ttfbMs: 60, transferMs: 8 }
const runOf = (more: Partial<Run> = {}): Run => ({
  ...readingAt('fra', 'up', atMs, { latencyMs: 100, timings }),
  agent: 'fra-1',
  ...more,
})
/** Name, begin and end from the begin of the run, ms, and the parent's name. */
const shownOf = (run: Run, of: TracedCheck = check) => {
  const spans = spansOf(run, of)
  const ms = (nanos: string): number => Number(BigInt(nanos) - BigInt(atMs) * 1_000_000n) / 1e6
  return spans.map(({ name, startTimeUnixNano, endTimeUnixNano, parentSpanId }) => [
    name,
    ms(startTimeUnixNano),
    ms(endTimeUnixNano),
    spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? null,
  ])
}

describe('a run as a trace', () => {
  test('has its phases one after another, the last one to its end', () => {
    expect(shownOf(runOf())).toEqual([
      ['Shop', 0, 100, null],
      ['dns', 0, 1.5, 'Shop'],
      ['connect', 1.5, 11.5, 'Shop'],
      ['tls', 11.5, 32, 'Shop'],
      ['ttfb', 32, 92, 'Shop'],
      ['transfer', 92, 100, 'Shop'],
    ])
  })

  test('has the phases of the last request at its end after redirects', () => {
    const spans = shownOf(runOf({ latencyMs: 400 }))
    expect(spans.slice(1, 3)).toEqual([
      ['dns', 300, 301.5, 'Shop'],
      ['connect', 301.5, 311.5, 'Shop'],
    ])
    expect(spans.at(-1)).toEqual(['transfer', 392, 400, 'Shop'])
  })

  test('has no span of a phase whose place is not known, and its duration all the same', () => {
    const cut = { ...timings, ttfbMs: null, transferMs: null }
    const run = runOf({ verdict: 'down', timings: cut, latencyMs: 5_000 })
    const [root, ...others] = spansOf(run, check)
    expect(others).toEqual([])
    expect(root?.attributes).toContainEqual({ key: 'probe_mesh.phase.tls_ms', value: { doubleValue: 20.5 } })
    const tcp = { ...check, type: 'tcp', url: null, target: 'mail.example.org:25' } as const
    expect(shownOf(run, tcp).slice(1)).toEqual([
      ['dns', 0, 1.5, 'Shop'],
      ['connect', 1.5, 11.5, 'Shop'],
      ['tls', 11.5, 32, 'Shop'],
    ])
  })

  test('has a span for each request of a journey, with its phases', () => {
    const hop = { hop: 0, url: 'https://shop.example.org/', httpStatus: 200, timings, address: null }
    const hops = [
      { ...hop, step: 1, method: 'GET' as const, startMs: 2, latencyMs: 100 },
      {
        ...hop,
        step: 2,
        method: 'POST' as const,
        startMs: 110,
        latencyMs: 90,
        timings: { ...noTimings, dnsMs: 3 },
      },
    ]
    const run = runOf({ latencyMs: 200, details: { type: 'multistep', hops } })
    const spans = shownOf(run, { ...check, type: 'multistep' })
    expect(spans.filter(([name]) => String(name).includes('step'))).toEqual([
      ['GET step 1', 2, 102, 'Shop'],
      ['POST step 2', 110, 200, 'Shop'],
    ])
    expect(spans.at(-1)).toEqual(['dns', 110, 113, 'POST step 2'])
    expect(new Set(spansOf(run, check).map(({ spanId }) => spanId)).size).toBe(spans.length)
  })

  test('has the same ids in a repeat, and other ones in another run', () => {
    const idsOf = (run: Run) => spansOf(run, check).map(({ traceId, spanId }) => [traceId, spanId])
    expect(idsOf(runOf())).toEqual(idsOf(runOf({ agent: 'fra-2' })))
    expect(idsOf(runOf())[0]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ])
    expect(idsOf(runOf({ kind: 'confirmation' }))[0]?.[0]).not.toBe(idsOf(runOf())[0]?.[0])
  })

  test('is in the trace that was sent, with the spans that the target saw', () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const http = { type: 'http' as const, cdn: null, nameServers: [], traceId }
    const [root, phase] = spansOf(runOf({ details: http }), check)
    expect(root).toMatchObject({ traceId, spanId: requestSpanId(traceId, 1) })
    expect(phase).toMatchObject({ traceId, parentSpanId: requestSpanId(traceId, 1) })
    const hop = {
      url: 'https://shop.example.org/',
      httpStatus: 200,
      timings,
      address: null,
      startMs: 0,
      latencyMs: 9,
    }
    const hops = [
      { ...hop, step: 1, hop: 0, method: 'GET' as const },
      { ...hop, step: 1, hop: 1, method: 'GET' as const },
      { ...hop, step: 2, hop: 0, method: 'GET' as const },
    ]
    const journey = spansOf(runOf({ details: { type: 'multistep', hops, traceId } }), check)
    const ids = journey.filter(({ name }) => name.startsWith('GET')).map(({ spanId }) => spanId)
    expect([ids[0], ids[2]]).toEqual([requestSpanId(traceId, 1), requestSpanId(traceId, 2)])
    expect(new Set(journey.map(({ spanId }) => spanId)).size).toBe(journey.length)
  })

  test('is an error only if it was down: refused is neither', () => {
    const statusOf = (verdict: Run['verdict']) => spansOf(runOf({ verdict, reason: 'so' }), check)[0]?.status
    expect(statusOf('down')).toEqual({ code: 2, message: 'so' })
    expect([statusOf('up'), statusOf('blocked'), statusOf('unmeasured')]).toEqual([
      { code: 0 },
      { code: 0 },
      { code: 0 },
    ])
  })
})

test('rounded phases stay within the run', () => {
  const parts = placePhases({ ...timings, dnsMs: 1.9 }, { startMs: atMs, endMs: atMs + 100 }, false)
  expect(parts[0]?.startMs).toBe(atMs)
  expect(parts.at(-1)?.endMs).toBe(atMs + 100)
})

test('a time is exact to a tenth of a millisecond', () => {
  expect(nanosOf(1_795_000_000_123.4)).toBe('1795000000123400000')
})
