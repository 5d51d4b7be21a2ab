import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import { expect, test } from 'vitest'
import { followNotices } from './follow-notices.ts'
import type { ToldNotice } from './follow-notices.ts'

const second = 1_000
const minute = 60 * second

const notice = (what: MeshNotice['what'], sinceMs: number, region = 'fra'): MeshNotice => ({
  region,
  what,
  since: new Date(sinceMs).toISOString(),
  text: `${region} ${what}`,
})
/** Looks every five seconds, and collects what is told and when. */
const play = (
  untilMs: number,
  seenAt: (nowMs: number) => { notices: MeshNotice[]; heard?: string[] },
): string[] => {
  const told: string[] = []
  let held: readonly ToldNotice[] = []
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 5 * second) {
    const { notices, heard = ['fra', 'iad'] } = seenAt(nowMs)
    const step = followNotices(held, { notices, heard: new Set(heard) }, nowMs)
    for (const { text } of step.begun) told.push(`${nowMs / second} ${text}`)
    for (const { text } of step.ended) told.push(`${nowMs / second} over: ${text}`)
    held = step.told
  }
  return told
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
])(
  '%s is told once when it has lasted for %d s, and once when it is over',
  (what, afterSeconds) => {
    const { at } = during(0, 60 * minute, notice(what, 0))
    expect(play(120 * minute, at)).toEqual([
      `${afterSeconds} fra ${what}`,
      `${62 * 60} over: fra ${what}`,
    ])
  },
)

test('what ends before it is told is never told', () => {
  expect(play(60 * minute, during(0, 20 * second, notice('clock', 0)).at)).toEqual([])
})

test('what comes and goes within two minutes is one notice', () => {
  const told = play(30 * minute, (nowMs) => ({
    notices: Math.floor(nowMs / minute) % 2 === 0 ? [notice('names', 0)] : [],
  }))
  expect(told).toEqual(['30 fra names'])
})

test('each region and each kind is told by itself', () => {
  const { at } = during(
    0,
    60 * minute,
    notice('names', 0),
    notice('clock', 0),
    notice('names', 0, 'iad'),
  )
  expect(play(2 * minute, at)).toEqual(['30 fra names', '30 fra clock', '30 iad names'])
})

test('a region of which nobody is heard ends no notice of its probes, and its quarantine ends', () => {
  const both = [notice('names', 0), notice('quarantine', 0)]
  const told = play(60 * minute, (nowMs) => ({
    notices: nowMs < 10 * minute ? both : [],
    heard: nowMs < 10 * minute || nowMs > 50 * minute ? ['fra'] : [],
  }))
  expect(told).toEqual([
    '0 fra quarantine',
    '30 fra names',
    '720 over: fra quarantine',
    '3125 over: fra names',
  ])
})

test('what is so for longer than anybody looked is told at once', () => {
  const { at } = during(0, minute, notice('names', -60 * minute))
  expect(play(second, at)).toEqual(['0 fra names'])
})
