import type { StoredReading } from '@probe-mesh/contracts/check/check'
import type { Exchange } from '@probe-mesh/contracts/reading/exchange'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { textOf } from '@probe-mesh/runtime/html'
import { expect, test } from 'vitest'
import { detailsCard } from './details-card.ts'
import { readingTable } from './readings-page.ts'

const exchange: Exchange = {
  method: 'POST',
  sentTo: 'https://shop.example.com/orders/<b>',
  endedAt: 'https://shop.example.com/login',
  sentHeaders: ['host', 'x-api-key'],
  responseHeaders: [
    { header: 'content-type', content: 'text/html' },
    { header: 'set-cookie', content: '…' },
  ],
  responseBody: '<script>alert(1)</script>',
  chain: [{ subject: 'shop.example.com', issuer: 'R11', expiresAtMs: Date.parse('2027-01-02T00:00:00Z') }],
  resolvedTo: ['203.0.113.7', '2001:db8::7'],
}

const reading = (
  minute: number,
  verdict: StoredReading['verdict'],
  details: StoredReading['details'] = null,
) => ({
  checkId: '0190a000-0000-7000-8000-000000000001',
  region: 'fra',
  slot: `2026-11-20T12:0${minute}:00.000Z`,
  kind: 'scheduled' as const,
  verdict,
  reason: verdict === 'down' ? 'expected status 200-299, got 503' : null,
  httpStatus: 503,
  latencyMs: 1,
  timings: noTimings,
  measuredAt: `2026-11-20T12:0${minute}:01.000Z`,
  receivedAt: null,
  agent: 'fra-1',
  details,
})
const http = (more: object) => ({ type: 'http' as const, cdn: null, nameServers: [], ...more })
const shown = (newest: unknown, earlier: unknown[]) =>
  textOf(detailsCard([newest as StoredReading], [], earlier as StoredReading[]))

test('a failure shows what was sent and what came back as text, with the trace', () => {
  const one = reading(1, 'down', http({ exchange, traceId: 'a'.repeat(32) }))
  for (const page of [
    shown(one, [one]),
    textOf(readingTable('Readings', [one as unknown as StoredReading])),
  ]) {
    for (const text of [
      'What was sent',
      '/orders/&lt;b&gt;',
      'host, x-api-key',
      'content-type: text/html\nset-cookie: …',
      '2001:db8::7',
      'R11',
      '/login',
    ]) {
      expect(page.includes(text), text).toBe(true)
    }
    expect(page.includes('<script>')).toBe(false)
    expect(page.includes('&lt;script&gt;alert(1)')).toBe(true)
  }
  expect(shown(one, [one]).includes('a'.repeat(32))).toBe(true)
})

test('a failure that lasts shows what came back when it began, with that time, and none of a former failure', () => {
  const began = reading(1, 'down', http({ exchange }))
  const lasts = reading(2, 'down')
  expect(shown(lasts, [lasts, began]).includes('2026-11-20T12:01:01')).toBe(true)
  const again = reading(4, 'down')
  expect(shown(again, [again, reading(3, 'up'), lasts, began])).toBe('')
  expect(shown(reading(5, 'up'), [began])).toBe('')
})
