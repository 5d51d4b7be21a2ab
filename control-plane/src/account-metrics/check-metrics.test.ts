import { CheckType } from '@probe-mesh/contracts/check/check'
import { ListedStatus } from '@probe-mesh/contracts/check/check-row'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { staleAfterMs } from '../status/freshness.ts'
import { newCheckState, newRegionState, type RegionState } from '../status/state.ts'
import { checkFamilies, figuresOf } from './check-metrics.ts'
import { endOfText, metricText } from './metric-text.ts'
import type { ScrapedCheck } from './scraped-checks-store.ts'
import { parseMetrics, type Series } from './testing.ts'

const nowMs = 1_800_000_000_000
const timings = { dnsMs: 10, connectMs: 20, tlsMs: 30, ttfbMs: 40, transferMs: null }
const measured: RegionState = {
  ...newRegionState,
  verdict: 'up',
  measuredAt: nowMs - 4_000,
  latencyMs: 123.4,
  timings,
}

const checkWith = (regions: Record<string, RegionState>, more: Partial<ScrapedCheck> = {}): ScrapedCheck => ({
  id: '0198f3c0-0000-7000-8000-000000000001',
  name: 'Shop',
  type: 'http',
  url: 'https://shop.example.com/',
  target: null,
  paused: false,
  regions: Object.keys(regions),
  intervalSeconds: 60,
  certificates: [],
  state: { ...newCheckState, status: 'operational', regions },
  ...more,
})

const seriesOf = (...checks: ScrapedCheck[]): Series[] =>
  parseMetrics(
    [
      ...metricText(
        checkFamilies,
        checks.map((check) => figuresOf(check, nowMs, new Set())),
      ),
      endOfText,
    ].join(''),
  )
const valuesOf = (series: readonly Series[], name: string, label: string) =>
  Object.fromEntries(
    series.filter((each) => each.name === name).map(({ labels, value }) => [labels[label], value]),
  )

test('a measured region has the figures of its last reading, in seconds', () => {
  const expiresAtMs = nowMs + 86_400_000
  const certificates = [{ region: 'fra', expiresAtMs, seenAtMs: nowMs - 60_000 }]
  const series = seriesOf(checkWith({ fra: measured }, { certificates }))
  const labels = {
    check: 'Shop',
    check_id: '0198f3c0-0000-7000-8000-000000000001',
    type: 'http',
    target: 'https://shop.example.com/',
    region: 'fra',
  }
  // those without a region have tests of their own
  const ofRegion = series.filter((each) => each.labels['region'] !== undefined)
  expect(ofRegion).toEqual(
    [
      ['probe_success', 1],
      ['probe_duration_seconds', 0.1234],
      ['probe_dns_lookup_time_seconds', 0.01],
      ['probe_http_duration_seconds', 0.01, 'resolve'],
      ['probe_http_duration_seconds', 0.02, 'connect'],
      ['probe_http_duration_seconds', 0.03, 'tls'],
      ['probe_http_duration_seconds', 0.04, 'processing'],
      ['probe_ssl_earliest_cert_expiry', expiresAtMs / 1000],
      ['probe_ssl_last_chain_expiry_timestamp_seconds', expiresAtMs / 1000],
      ['probe_mesh_check_blocked', 0],
      ['probe_mesh_reading_age_seconds', 4],
    ].map(([name, value, phase]) => ({
      name,
      labels: phase === undefined ? labels : { ...labels, phase },
      value,
    })),
  )
})

describe('a region has a result only while it is measured (S-3703, S-3704)', () => {
  const staleMs = staleAfterMs(60)
  const state = fc.record({
    verdict: fc.constantFrom('up' as const, 'down' as const, 'blocked' as const, null),
    measuredAt: fc.constantFrom(nowMs, nowMs - staleMs, nowMs - staleMs - 1),
    withdrawnAt: fc.constantFrom(null, nowMs - 1),
  })
  test('refused, silent and withdrawn regions have none, and paused checks only a status', () => {
    forAll([state, state, fc.boolean(), fc.constantFrom(...CheckType.options)], (a, b, paused, type) => {
      const drawn = { fra: { ...measured, ...a }, iad: { ...measured, ...b } }
      const expiresAtMs = nowMs + 1_000
      const certificates = ['fra', 'iad'].map((region) => ({ region, expiresAtMs, seenAtMs: nowMs }))
      const series = seriesOf(checkWith(drawn, { paused, type, certificates }))
      const statuses = valuesOf(series, 'probe_mesh_check_status', 'status')
      expect(Object.keys(statuses).toSorted()).toEqual([...ListedStatus.options].toSorted())
      expect(Object.values(statuses).filter((value) => value === 1)).toHaveLength(1)
      expect(statuses['paused']).toBe(paused ? 1 : 0)
      const isProbed = !paused && type !== 'heartbeat'
      for (const [region, { verdict, measuredAt, withdrawnAt }] of Object.entries(drawn)) {
        const isFresh = isProbed && nowMs - measuredAt <= staleMs && withdrawnAt === null
        const has = (name: string) => valuesOf(series, name, 'region')[region]
        const success = isFresh && verdict === 'up' ? 1 : isFresh && verdict === 'down' ? 0 : undefined
        const blocked = isFresh && verdict === 'blocked' ? 1 : success === undefined ? undefined : 0
        expect(has('probe_success')).toBe(success)
        expect(has('probe_mesh_check_blocked')).toBe(blocked)
        for (const name of ['probe_duration_seconds', 'probe_ssl_earliest_cert_expiry']) {
          expect(has(name) !== undefined).toBe(success !== undefined)
        }
        const age = isProbed && verdict !== null ? (nowMs - measuredAt) / 1000 : undefined
        expect(has('probe_mesh_reading_age_seconds')).toBe(age)
      }
    })
  })
})

test('the certificate of a region that showed it long before the others is left out', () => {
  const certificates = [
    { region: 'fra', expiresAtMs: nowMs, seenAtMs: nowMs - 86_400_000 },
    { region: 'iad', expiresAtMs: nowMs + 1_000, seenAtMs: nowMs },
  ]
  const series = seriesOf(checkWith({ fra: measured, iad: measured }, { certificates }))
  expect(valuesOf(series, 'probe_ssl_earliest_cert_expiry', 'region')).toEqual({ iad: nowMs / 1000 + 1 })
})

test('maintenance is a figure of its own: status and success stay as they are measured', () => {
  const [covered, other] = [
    checkWith({ fra: measured }),
    checkWith({ fra: measured }, { id: 'other', paused: true }),
  ]
  const text = (inMaintenance: ReadonlySet<string>): Series[] => {
    const figures = [covered, other].map((check) => figuresOf(check, nowMs, inMaintenance))
    return parseMetrics([...metricText(checkFamilies, figures), endOfText].join(''))
  }
  const without = ({ name }: Series): boolean => name !== 'probe_mesh_check_maintenance'
  const [during, outside] = [text(new Set([covered.id])), text(new Set())]
  expect(valuesOf(during, 'probe_mesh_check_maintenance', 'check_id')).toEqual({ [covered.id]: 1, other: 0 })
  expect(valuesOf(outside, 'probe_mesh_check_maintenance', 'check_id')).toEqual({ [covered.id]: 0, other: 0 })
  expect(during.filter(without)).toEqual(outside.filter(without))
})
