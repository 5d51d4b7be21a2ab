import { expect, test } from 'vitest'
import type { AssessedCheck } from '../../status/states-store.ts'
import { newCheckState } from '../../status/state.ts'
import { answerAt, checkId, readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'

const t0 = 1_700_000_000_000
const stored: AssessedCheck = {
  checkId,
  accountId: 'account',
  name: 'test',
  host: 'example.com',
  regions: ['fra'],
  intervalSeconds: 60,
  paused: false,
  state: newCheckState,
}
const lease = { partition: 0, epoch: 1 }
const versions = (assessmentState: ReturnType<typeof createAssessmentState>): number[] =>
  assessmentState.flips().flatMap((write) => write.flips.map((flip) => flip.version))

test('keeps counting versions when a check is loaded again while its flip is being recorded', () => {
  const assessmentState = createAssessmentState(() => t0)
  assessmentState.load(stored, lease)
  assessmentState.observe(readingAt('fra', 'up', t0 - 3))
  const [write] = assessmentState.flips()
  if (write === undefined) throw new Error('no flip')
  assessmentState.load(stored, lease)
  assessmentState.settle(write)
  assessmentState.observe(answerAt('fra', 'down', t0 - 2))
  expect(versions(assessmentState)).toEqual([2])
})

test('a backlog without gaps does not count as silence when it is judged after a restart', () => {
  let nowMs = t0
  const before = createAssessmentState(() => nowMs)
  before.load(stored, lease)
  before.observe(readingAt('fra', 'up', t0))
  const left = before.flips()[0]?.state ?? newCheckState
  nowMs = t0 + 200_000
  const assessmentState = createAssessmentState(() => nowMs)
  assessmentState.load({ ...stored, state: left }, { partition: 0, epoch: 2 })
  for (const atMs of [60_000, 120_000, 180_000]) assessmentState.observe(readingAt('fra', 'up', t0 + atMs))
  assessmentState.sweep(() => true)
  expect(assessmentState.flips()).toEqual([])
})

test('a pause makes a check stale at once, and only a reading after it gives it another status', () => {
  let nowMs = t0
  const assessmentState = createAssessmentState(() => nowMs)
  const everything = () =>
    assessmentState.flips().flatMap(({ flips }) => flips.map(({ change }) => change.to))
  const settle = () => assessmentState.flips().forEach(assessmentState.settle)
  assessmentState.load(stored, lease)
  assessmentState.observe(readingAt('fra', 'up', t0))
  settle()
  nowMs += 1_000
  assessmentState.load({ ...stored, paused: true }, lease)
  assessmentState.observe(readingAt('fra', 'down', nowMs - 2))
  assessmentState.observe(answerAt('fra', 'down', nowMs - 1))
  assessmentState.sweep(() => false)
  expect(everything()).toEqual([])
  assessmentState.sweep(() => true)
  assessmentState.sweep(() => true)
  expect(assessmentState.flips()).toMatchObject([
    { flips: [{ version: 2, change: { from: 'operational', to: 'stale', atMs: nowMs } }] },
  ])
  settle()
  nowMs += 86_400_000
  assessmentState.sweep(() => true)
  assessmentState.load(stored, lease)
  assessmentState.sweep(() => true)
  expect(everything()).toEqual([])
  assessmentState.observe(readingAt('fra', 'up', nowMs))
  expect(everything()).toEqual(['operational'])
})

test('a paused check without a reading stays unknown, and a heartbeat is left to its own writer', () => {
  const assessmentState = createAssessmentState(() => t0)
  assessmentState.load({ ...stored, paused: true }, lease)
  const heartbeat = { ...newCheckState, status: 'down', statusSinceMs: t0 - 1, version: 1 } as const
  assessmentState.load({ ...stored, checkId: 'h', regions: [], paused: true, state: heartbeat }, lease)
  assessmentState.sweep(() => true)
  expect(assessmentState.flips()).toEqual([])
})

test('records an observation made during the recording of a flip after that flip', () => {
  const assessmentState = createAssessmentState(() => t0)
  assessmentState.load(stored, lease)
  assessmentState.observe(readingAt('fra', 'up', t0 - 3))
  const [write] = assessmentState.flips()
  assessmentState.observe(answerAt('fra', 'down', t0 - 2))
  if (write === undefined) throw new Error('no flip')
  expect(assessmentState.isFlipping()).toBe(true)
  assessmentState.settle(write)
  expect(versions(assessmentState)).toEqual([2])
  expect(assessmentState.flips()[0]?.expectedVersion).toBe(1)
})

test('does not write a state before the flip that precedes it', () => {
  const assessmentState = createAssessmentState(() => t0)
  assessmentState.load(stored, lease)
  assessmentState.observe(readingAt('fra', 'up', t0 - 3))
  expect(assessmentState.takeDirty(10)).toEqual([])
  const [write] = assessmentState.flips()
  if (write === undefined) throw new Error('no flip')
  assessmentState.settle(write)
  assessmentState.observe(readingAt('fra', 'up', t0 - 2))
  assessmentState.makeDue(lease)
  expect(assessmentState.takeDirty(10).map((dirty) => dirty.state.version)).toEqual([1])
  expect(assessmentState.takeDirty(10)).toEqual([])
})

test('a check loaded while a region is quarantined has no vote of that region', () => {
  const assessmentState = createAssessmentState(() => t0)
  const elsewhere = createAssessmentState(() => t0)
  elsewhere.load({ ...stored, regions: ['fra', 'iad'] }, lease)
  elsewhere.observe(answerAt('fra', 'down', t0 - 3))
  const written = elsewhere.get(checkId)
  if (written === undefined) throw new Error('not held')
  assessmentState.quarantine(new Set(['fra']))
  assessmentState.load(written, lease)
  expect(assessmentState.get(checkId)?.state.regions['fra']).toMatchObject({
    failing: false,
    withdrawnAt: t0,
  })
  expect(assessmentState.takeDirty(10).map((write) => write.checkId)).toEqual([checkId])
  assessmentState.observe(readingAt('iad', 'up', t0 - 2))
  expect(assessmentState.get(checkId)?.state.status).toBe('operational')
})

test('a check keeps its readings when its definition changes', () => {
  const assessmentState = createAssessmentState(() => t0)
  assessmentState.load(stored, lease)
  assessmentState.observe(readingAt('fra', 'up', t0 - 3))
  assessmentState.load({ ...stored, name: 'renamed', regions: ['fra', 'iad'] }, lease)
  expect(assessmentState.get(checkId)).toMatchObject({
    name: 'renamed',
    regions: ['fra', 'iad'],
    state: { status: 'operational' },
  })
})
