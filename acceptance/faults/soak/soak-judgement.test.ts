import { createRandom } from '@probe-mesh/control-plane/src/public-answers/simulation/random'
import { expect, test } from 'vitest'
import { courseOf, isFlat } from './course.ts'
import { createFaults, faultKinds } from './fault.ts'
import { judgeSoak } from './judge.ts'
import { parseSoakPlan } from '../soak-plan.ts'
import type { Sample } from './sample.ts'

const exposed = {
  agents: ['iad-1', 'iad-2'],
  mortalAgents: ['iad-2'],
  controlPlanes: ['control-plane-1', 'control-plane-2'],
  mortalControlPlanes: ['control-plane-2'],
  regions: ['iad', 'fra'],
}

test('a seed gives the same faults, each kind equally often, and never kills the spared processes', () => {
  const draw = (seed: number) => {
    const next = createFaults(createRandom(seed).uniform, exposed)
    return Array.from({ length: faultKinds.length * 5 }, next)
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(8)).not.toEqual(draw(7))
  const counts = faultKinds.map((kind) => draw(7).filter((fault) => fault.kind === kind).length)
  expect(counts).toEqual(faultKinds.map(() => 5))
  const killed = draw(7).filter(({ kind }) => kind.endsWith('killed'))
  expect(killed.filter(({ on }) => on === 'iad-1' || on === 'control-plane-1')).toEqual([])
})

/** An hour of samples of a part that starts with 50 MiB, warms up in ten minutes, and then grows. */
const hour = (growth: { mib: number; descriptors: number }, killedAtMinute = 99): Sample[] =>
  Array.from({ length: 360 }, (_, n) => {
    const minute = n / 6
    const age = minute < killedAtMinute ? minute : minute - killedAtMinute
    return {
      at: minute * 60_000,
      part: 'part',
      pid: minute < killedAtMinute ? 1 : 2,
      mib: 50 + 10 * Math.min(age, 10) + (growth.mib * age) / 60 + (n % 2),
      descriptors: 40 + Math.floor((growth.descriptors * age) / 60),
    }
  })

test.each([
  ['nothing', { mib: 0, descriptors: 0 }, 99, true],
  ['memory', { mib: 20, descriptors: 0 }, 99, false],
  ['memory by less than a tenth', { mib: 10, descriptors: 0 }, 99, true],
  ['descriptors', { mib: 0, descriptors: 15 }, 99, false],
  ['memory over two starts', { mib: 20, descriptors: 0 }, 30, false],
  ['nothing over two starts', { mib: 0, descriptors: 0 }, 30, true],
])('judges whether a part that leaks %s is flat: %j, killed at %i: %s', (_, growth, killedAtMinute, flat) => {
  const [course] = courseOf(hour(growth, killedAtMinute), 600_000)
  if (course === undefined) throw new Error('no course')
  expect(course.mibAnHour).toBeCloseTo(growth.mib, 0)
  expect(isFlat(course)).toBe(flat)
  expect(course.lives).toBe(killedAtMinute === 99 ? 1 : 2)
})

const ledger = {
  due: 10,
  stored: 9,
  lost: 0,
  duplicated: 0,
  invented: 0,
  missed: 1,
  unexplained: 0,
}
const sound = {
  ledger,
  falseDowns: 0,
  brokenFlips: [],
  flips: 4,
  failures: 1,
  failuresMissed: [],
  partitions: { held: 16, ingested: 16, assessed: 16 },
  courses: courseOf(hour({ mib: 0, descriptors: 0 }), 600_000),
  isLong: true,
  exitCodes: [0, 0],
}
const verdictsOf = (counts: Parameters<typeof judgeSoak>[0]) =>
  judgeSoak(counts).map(({ verdict }) => verdict)

test('a correct soak keeps every promise', () => {
  expect(new Set(verdictsOf(sound))).toEqual(new Set(['kept']))
})

test.each([
  ['a reading is lost', { ledger: { ...ledger, lost: 1 } }],
  ['a reading is stored twice', { ledger: { ...ledger, duplicated: 1 } }],
  ['a reading is invented', { ledger: { ...ledger, invented: 1 } }],
  ['nothing is stored', { ledger: { ...ledger, stored: 0 } }],
  ['a slot is skipped', { ledger: { ...ledger, unexplained: 1 } }],
  ['a healthy target is reported down', { falseDowns: 1 }],
  ['a failure is not seen', { failuresMissed: ['no flip to down'] }],
  ['a chain of flips is broken', { brokenFlips: ['x'] }],
  ['two control planes store a partition', { partitions: { held: 16, ingested: 17, assessed: 16 } }],
  ['a partition has no consumer', { partitions: { held: 16, ingested: 16, assessed: 15 } }],
  ['memory grows', { courses: courseOf(hour({ mib: 60, descriptors: 0 }), 600_000) }],
  ['a part does not stop', { exitCodes: [0, null] }],
])('breaks exactly one promise if %s', (_, change) => {
  expect(verdictsOf({ ...sound, ...change }).filter((one) => one === 'broken')).toEqual(['broken'])
})

test('a soak without failures or shorter than an hour proves nothing about them', () => {
  expect(verdictsOf({ ...sound, isLong: false, failures: 0 })).toContain('unproven')
  expect(verdictsOf({ ...sound, isLong: false, failures: 0 })).not.toContain('broken')
})

test.each([
  [['--minutes', '0'], '--minutes'],
  [['--minutes', '1.5'], '--minutes'],
  [['--rate', 'many'], '--rate'],
  [['--regions', 'iad'], '--regions'],
  [['--regions', 'iad,iad'], '--regions'],
  [['--regions', 'iad,europe'], '--regions'],
  [['--hours', '1'], '--hours'],
])('refuses %j', (args, named) => {
  const parsed = parseSoakPlan(['--soak', ...args])
  expect(parsed.ok ? '' : parsed.problems.join()).toContain(named)
})

test('reports all problems of a plan at once, and accepts a valid one', () => {
  const wrong = parseSoakPlan(['--soak', '--minutes', 'x', '--rate', 'x', '--regions', 'x'])
  expect(wrong.ok ? [] : wrong.problems).toHaveLength(3)
  const args = ['--soak', '--minutes', '3', '--rate', '100', '--json', 'a.json']
  expect(parseSoakPlan(args)).toEqual({
    ok: true,
    plan: { minutes: 3, rate: 100, seed: 1, regions: ['iad', 'fra'], jsonFile: 'a.json' },
  })
})
