import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import {
  checkOf,
  connected,
  detailOf,
  listed,
  readingOf,
  regionOf,
  startMs,
  testRegions,
  flipEvent,
  readingEvent,
} from '../testing.ts'
import { frameLines } from '../view/frame.ts'
import { lineWidth, textOf } from '../view/line.ts'
import { symbolsOf } from '../view/symbols.ts'
import { arrange } from './arrange.ts'
import { shownRegion } from './freshness.ts'
import { reduce, type TopEvent } from './reduce.ts'
import { incidentsMax, newTopState, pointsMax, readingsMax } from './state.ts'

/** Any order of any events: what holds then holds always. */

const names = ['web', 'api \u001B[31m', '結果のページ'] as const
const name = fc.constantFrom(...names, 'unlisted')
const ms = fc.integer({ min: -100_000, max: 100_000 })
const region = fc.constantFrom(...testRegions, 'syd')
const verdict = fc.constantFrom('up', 'down', 'blocked', 'unmeasured' as const)
const kind = fc.constantFrom('scheduled', 'manual', 'confirmation' as const)

const told = fc.oneof(
  fc
    .tuple(name, region, ms, verdict, kind, fc.option(fc.nat(20_000)))
    .map(([id, from, slot, how, of, latencyMs]) =>
      readingEvent(id, readingOf(from, slot, { verdict: how, kind: of, latencyMs })),
    ),
  fc
    .tuple(name, fc.constantFrom('operational', 'down', 'stale' as const), ms)
    .map(([id, to, when]) => flipEvent(id, to, when)),
  fc.tuple(name, ms, fc.nat(40)).map(([id, when, number]) => ({
    kind: 'incident' as const,
    accountId: 'account',
    incident: {
      id: `incident ${number}`,
      statusPageId: 'page',
      checkId: id,
      region: null,
      title: 'It \u001B]0;fails\u0007',
      status: 'investigating' as const,
      source: 'automatic' as const,
      startedAt: new Date(startMs).toISOString(),
      resolvedAt: null,
    },
    update: {
      id: `${number}`,
      status: 'investigating' as const,
      body: '',
      createdAt: new Date(startMs + when).toISOString(),
    },
  })),
)

const event: fc.Arbitrary<TopEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(told, { maxLength: 8 }).map((events) => ({ kind: 'events' as const, events })),
  },
  fc.tuple(fc.subarray([...names]), ms).map(([some, when]) =>
    listed(
      some.map((one) => checkOf(one)),
      when,
    ),
  ),
  fc.tuple(name, ms, fc.boolean(), ms).map(([id, measured, fresh, asked]) => ({
    kind: 'detailed' as const,
    requestedMs: startMs + asked,
    detail: detailOf(checkOf(id), {
      regionStatuses: testRegions.map((one) => regionOf(one, measured, { fresh })),
    }),
  })),
  fc.tuple(name, region, ms).map(([checkId, from, slot]) => ({
    kind: 'read' as const,
    checkId,
    readings: [readingOf(from, slot)],
    requestedMs: startMs,
  })),
  name.map((checkId) => ({ kind: 'gone' as const, checkId })),
  fc.constantFrom<TopEvent[]>(
    connected,
    { kind: 'connection', state: 'reconnecting', why: 'it was lost' },
    { kind: 'open' },
    { kind: 'back' },
    { kind: 'help' },
    { kind: 'sort' },
    { kind: 'askRun' },
    { kind: 'move', by: 1 },
    { kind: 'move', by: -Number.MAX_SAFE_INTEGER },
    { kind: 'focus', place: 2 },
    { kind: 'filter', text: '結', isTyping: true },
    { kind: 'runEnded', said: 'Measured \u001B[2J now.', isRefused: false },
  ),
)

test('stays bounded in any order of events, and shows up only with a fresh up reading', () => {
  forAll([fc.array(event, { maxLength: 60 }), ms], { numRuns: 300 }, (events, viewedMs) => {
    let state = newTopState(startMs)
    /** When each check's region was last seen up, as it was told. */
    const ups = new Map<string, number>()
    const sawUp = (id: string, from: string, measured: number): void => {
      const key = `${id} ${from}`
      ups.set(key, Math.max(ups.get(key) ?? Number.NEGATIVE_INFINITY, measured))
    }
    for (const one of events) {
      state = reduce(state, one, startMs)
      if (one.kind === 'events') {
        for (const each of one.events) {
          if (each.kind !== 'reading' || each.reading.verdict !== 'up') continue
          sawUp(each.checkId, each.reading.region, Date.parse(each.reading.measuredAt))
        }
      } else if (one.kind === 'read') {
        for (const each of one.readings) sawUp(one.checkId, each.region, Date.parse(each.measuredAt))
      } else if (one.kind === 'detailed') {
        for (const each of one.detail.regionStatuses) {
          if (each.fresh) sawUp(one.detail.id, each.region, Date.parse(each.measuredAt ?? ''))
        }
      }
    }
    const nowMs = startMs + viewedMs
    for (const { row, status } of arrange(state, nowMs).rows) {
      const shown = row.regions.map((one) => shownRegion(row, one, nowMs))
      for (const [index, one] of shown.entries()) {
        if (one !== 'up') continue
        const up = ups.get(`${row.id} ${row.regions[index]}`) ?? Number.NEGATIVE_INFINITY
        expect(nowMs - up).toBeLessThanOrEqual(row.staleAfterMs)
      }
      const isSilent = shown.every((one) => one === 'stale')
      if (isSilent) expect(status).not.toBe('operational')
      expect(row.points.length).toBeLessThanOrEqual(pointsMax)
    }
    expect(state.opened?.readings.length ?? 0).toBeLessThanOrEqual(readingsMax)
    expect(state.incidents.length).toBeLessThanOrEqual(incidentsMax)
  })
})

test('draws any state to fill the window exactly, without terminal control characters', () => {
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 220 }),
    rows: fc.integer({ min: 10, max: 60 }),
  })
  const locale = fc.constantFrom('C', 'C.UTF-8')
  forAll(
    [fc.array(event, { maxLength: 30 }), size, locale, ms],
    { numRuns: 200 },
    (events, window, LANG, viewedMs) => {
      const state = events.reduce((before, one) => reduce(before, one, startMs), newTopState(startMs))
      const lines = frameLines({
        state,
        size: window,
        symbols: symbolsOf({ LANG }),
        host: 'api.example.com',
        localMs: startMs + viewedMs,
      })
      if (window.columns >= 40) expect(lines).toHaveLength(window.rows)
      for (const line of lines) {
        expect(lineWidth(line)).toBeLessThanOrEqual(window.columns)
        expect(textOf(line)).not.toMatch(/\p{Cc}/u)
      }
    },
  )
})
