import type { RegionNotice } from '@probe-mesh/contracts/mesh/mesh'
import { expect, test } from 'vitest'
import { followNotices, type ReportedNotice } from './follow-notices.ts'

const second = 1_000
const minute = 60 * second

const notice = (what: RegionNotice['what'], sinceMs: number, region = 'fra'): RegionNotice => ({
  region,
  what,
  since: new Date(sinceMs).toISOString(),
  text: `${region} ${what}`,
})
/** Looks every five seconds and collects the reports with their times. */
const play = (
  untilMs: number,
  seenAt: (nowMs: number) => { notices: RegionNotice[]; heard?: string[] },
): string[] => {
  const reports: string[] = []
  let held: readonly ReportedNotice[] = []
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 5 * second) {
    const { notices, heard = ['fra', 'iad'] } = seenAt(nowMs)
    const step = followNotices(held, { notices, heard: new Set(heard) }, nowMs)
    for (const { text } of step.begun) reports.push(`${nowMs / second} ${text}`)
    for (const { text } of step.ended) reports.push(`${nowMs / second} over: ${text}`)
    held = step.reported
  }
  return reports
}
const during = (fromMs: number, toMs: number, ...notices: RegionNotice[]) => ({
  at: (nowMs: number) => ({ notices: nowMs >= fromMs && nowMs < toMs ? notices : [] }),
})

test.each<[RegionNotice['what'], number]>([
  ['quarantine', 0],
  ['names', 30],
  ['network', 30],
  ['clock', 30],
  ['version', 1_800],
])('reports %s once after %d s and once when it ends', (what, afterSeconds) => {
  const { at } = during(0, 60 * minute, notice(what, 0))
  expect(play(120 * minute, at)).toEqual([`${afterSeconds} fra ${what}`, `${62 * 60} over: fra ${what}`])
})

test('never reports a notice that ends before its delay', () => {
  expect(play(60 * minute, during(0, 20 * second, notice('clock', 0)).at)).toEqual([])
})

test('reports a flapping notice once', () => {
  const reports = play(30 * minute, (nowMs) => ({
    notices: Math.floor(nowMs / minute) % 2 === 0 ? [notice('names', 0)] : [],
  }))
  expect(reports).toEqual(['30 fra names'])
})

test('reports the regions of a fault together, and other faults separately', () => {
  const { at } = during(0, 60 * minute, notice('names', 0), notice('clock', 0), notice('names', 0, 'iad'))
  expect(play(2 * minute, at)).toEqual(['30 fra names; also iad', '30 fra clock'])
})

test('a fault that moves between kinds and regions begins and ends once', () => {
  const turns = [
    notice('names', 0),
    notice('network', 0, 'iad'),
    notice('quarantine', 0),
    notice('names', 0, 'iad'),
  ]
  const reports = play(60 * minute, (nowMs) => {
    const turn = turns[Math.floor(nowMs / (5 * minute)) % turns.length]
    return { notices: nowMs >= 40 * minute || turn === undefined ? [] : [turn] }
  })
  expect(reports).toEqual(['30 fra names', `${42 * 60} over: fra names`])
})

test('ends a fault of several regions only when all of them report', () => {
  const both = [notice('names', 0), notice('names', 0, 'iad')]
  const reports = play(60 * minute, (nowMs) => ({
    notices: nowMs < 10 * minute ? both : [],
    // iad falls silent before it is well
    heard: nowMs < 10 * minute || nowMs > 50 * minute ? ['fra', 'iad'] : ['fra'],
  }))
  expect(reports).toEqual(['30 fra names; also iad', '3125 over: fra names; also iad'])
})

test('a silent region ends its quarantine', () => {
  const reports = play(60 * minute, (nowMs) => ({
    notices: nowMs < 10 * minute ? [notice('quarantine', 0)] : [],
    heard: [],
  }))
  expect(reports).toEqual(['0 fra quarantine', '720 over: fra quarantine'])
})

test('ends every notice of one fault that an earlier version reported by region', () => {
  const held = ['fra', 'iad'].map((region): ReportedNotice => ({
    region,
    regions: [region],
    what: 'names',
    text: region,
    sinceMs: 0,
    goneSinceMs: 0,
  }))
  const step = followNotices(held, { notices: [], heard: new Set(['fra', 'iad']) }, 2 * minute)
  expect(step.ended.map(({ region }) => region)).toEqual(['fra', 'iad'])
})

test('reports a notice immediately when it is older than its delay', () => {
  const { at } = during(0, minute, notice('names', -60 * minute))
  expect(play(second, at)).toEqual(['0 fra names'])
})
