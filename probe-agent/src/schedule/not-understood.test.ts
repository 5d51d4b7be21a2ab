import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Assignment, RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { Reading } from '@probe-mesh/contracts/reading/reading'
import { slotsDue } from '@probe-mesh/contracts/reading/slots'
import { expect, test, vi } from 'vitest'
import { readLines } from '../assignments/lines.ts'
import { createAssignmentTable } from '../ownership/assignment-table.ts'
import { answerRun } from './answer-run.ts'
import { createDispatcher } from './dispatcher.ts'
import { createScheduler } from './scheduler.ts'
import { consumeAssignments } from '../assignments/consume-assignments.ts'

/** An agent from its bucket to its spool, on a clock that the test sets. */
const open = () => {
  let now = 0
  let wake: () => void = () => undefined
  const readings: Reading[] = []
  const failed: unknown[] = []
  let refused = 0
  const dispatcher = createDispatcher({
    run: (assignment) => {
      failed.push(assignment)
      throw new Error('nothing that is not understood may be run')
    },
    now: () => now,
    onReading: (reading) => readings.push(Reading.parse(reading)),
    onStart: () => undefined,
    onBug: (error) => failed.push(error),
  })
  const setTimer = (_delayMs: number, callback: () => void) => {
    wake = callback
    return () => undefined
  }
  const scheduler = createScheduler({ now: () => now, setTimer, onDue: dispatcher.submit })
  const table = createAssignmentTable('fra-1', scheduler, 0)
  table.shareAmong(['fra-1'])
  const onRefused = () => refused++
  const taker = consumeAssignments({
    region: 'fra',
    table,
    cache: { put: () => undefined, remove: () => undefined },
    setTimer: () => () => undefined,
    log: silentLogger,
    onRefused,
  })
  const passTo = async (ms: number) => {
    for (; now <= ms; now += 1_000) {
      wake()
      await vi.waitFor(() => expect(dispatcher.inProgress).toBe(0))
    }
  }
  const answer = answerRun({ agent: 'fra-1', region: 'fra', dispatcher, onRefused })
  return { taker, passTo, answer, readings, failed, refused: () => refused }
}

/** An assignment from a newer control plane, in its own format. */
const fromNewer = (over: object): Assignment => ({
  ...anAssignment({ validFrom: 0, intervalSeconds: 10 }),
  ...over,
})

const cases: [string, object, string][] = [
  ['of an unknown type', { type: 'quic' }, 'this agent is too old for checks of type quic; update the agent'],
  [
    'of a known type in a new form',
    { url: { path: '/' } },
    'this agent does not understand the definition of the check; update the agent',
  ],
]

test.each(cases)('an assignment %s: every slot has a reading that reports it', async (_, over, why) => {
  const { taker, passTo, readings, failed } = open()
  const assignment = fromNewer(over)
  taker.newWatch().onPut(assignment)
  await passTo(30_000)
  const revision = { validFromMs: 0, validToMs: null, intervalSeconds: 10, paused: false }
  const due = slotsDue(assignment.checkId, 'fra', [{ ...revision, regions: ['fra'] }], 0, 30_001)
  expect(readings.map(({ slot }) => slot)).toEqual(due)
  for (const reading of readings) {
    expect(reading).toMatchObject({
      checkId: assignment.checkId,
      region: 'fra',
      kind: 'scheduled',
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'check_not_understood',
      reason: why,
      attempts: 0,
      latencyMs: null,
    })
  }
  expect(failed).toEqual([])
})

test.each(cases)('a run on demand %s is answered, stored and counted', async (_, over, why) => {
  const { answer, readings, failed, refused } = open()
  const asked: RunRequest = { kind: 'manual', at: 5_000, number: 7, assignment: fromNewer(over) }
  const reading = { kind: 'manual', slot: 5_000, number: 7, verdict: 'unmeasured', reason: why }
  expect(await answer(asked)).toMatchObject({ agent: 'fra-1', reading })
  expect(readings).toMatchObject([reading])
  expect([failed, refused()]).toEqual([[], 1])
})

test.each<[string, object, string]>([
  ['of another region', { region: 'iad', type: 'quic' }, 'other_region'],
  ['that tells no slots', { intervalSeconds: 0, type: 'quic' }, 'not_understood'],
])('a run %s is refused', async (_, over, error) => {
  const { answer, readings, refused } = open()
  const asked: RunRequest = { kind: 'manual', at: 5_000, number: 7, assignment: fromNewer(over) }
  expect(await answer(asked)).toEqual({ agent: 'fra-1', error })
  expect([readings, refused()]).toEqual([[], 1])
})

test('an agent that was downgraded reports assignments stored by the newer version', () => {
  const directory = mkdtempSync(join(tmpdir(), 'probe-mesh-not-understood-'))
  try {
    const path = join(directory, 'lines')
    const { checkId, ...rest } = fromNewer({ type: 'quic' })
    writeFileSync(path, `${JSON.stringify({ put: { checkId, ...rest } })}\n`)
    const held = readLines(path, 'fra')
    expect(held.assignments).toMatchObject([{ checkId, type: 'unknown', sentType: 'quic' }])
    expect(held.unreadable).toBe(0)
    writeFileSync(path, `${JSON.stringify({ put: held.assignments[0] })}\n`)
    expect(readLines(path, 'fra').assignments).toEqual(held.assignments)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
