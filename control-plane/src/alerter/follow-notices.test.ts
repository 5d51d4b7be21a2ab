import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import { expect, test } from 'vitest'
import { followNotices, type ReportedNotice } from './follow-notices.ts'

const second = 1_000
const minute = 60 * second

const notice = (what: MeshNotice['what'], sinceMs: number, region = 'fra'): MeshNotice => ({
  region,
  what,
  since: new Date(sinceMs).toISOString(),
  text: `${region} ${what}`,
})
/** Looks every five seconds and collects the reports with their times. */
const play = (
  untilMs: number,
  seenAt: (nowMs: number) => { notices: MeshNotice[]; heard?: string[] },
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
const during = (fromMs: number, toMs: number, ...notices: MeshNotice[]) => ({
  at: (nowMs: number) => ({ notices: nowMs >= fromMs && nowMs < toMs ? notices : [] }),
})

test.each<[MeshNotice['what'], number]>([
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

test('reports each region and each kind separately', () => {
  const { at } = during(0, 60 * minute, notice('names', 0), notice('clock', 0), notice('names', 0, 'iad'))
  expect(play(2 * minute, at)).toEqual(['30 fra names', '30 fra clock', '30 iad names'])
})

test('a silent region ends its quarantine but no notice of its probes', () => {
  const both = [notice('names', 0), notice('quarantine', 0)]
  const reports = play(60 * minute, (nowMs) => ({
    notices: nowMs < 10 * minute ? both : [],
    heard: nowMs < 10 * minute || nowMs > 50 * minute ? ['fra'] : [],
  }))
  expect(reports).toEqual([
    '0 fra quarantine',
    '30 fra names',
    '720 over: fra quarantine',
    '3125 over: fra names',
  ])
})

test('reports a notice immediately when it is older than its delay', () => {
  const { at } = during(0, minute, notice('names', -60 * minute))
  expect(play(second, at)).toEqual(['0 fra names'])
})
