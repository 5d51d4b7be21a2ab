import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { expect, test } from 'vitest'
import { newCheckState } from '../../status/state.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'
import type { AssessContext, Holding } from './context.ts'
import { judgeMessages } from './follow-partition.ts'

const nowMs = 1_700_000_000_000
const readings = [readingAt('fra', 'up', nowMs - 2), readingAt('fra', 'unmeasured', nowMs - 1)]
const message = { partition: 0, sequence: 1, data: new Uint8Array(), storedAt: nowMs }

const judge = async (signal: AbortSignal): Promise<Reading[]> => {
  const told: Reading[] = []
  const assessmentState = createAssessmentState(() => nowMs)
  const definition = { accountId: 'a', name: 'test', host: 'example.com', regions: ['fra'] }
  const lease = { partition: 0, epoch: 1 }
  assessmentState.load(
    { checkId, ...definition, intervalSeconds: 60, paused: false, state: newCheckState },
    lease,
  )
  const context = {
    assessmentState,
    now: Date.now,
    watch: { note: () => {} },
    confirmer: { confirm: () => {} },
    metrics: { readings: { inc: () => {} } },
    decode: () => ({ source: message, sender: null, readings, poison: [] }),
    onReadings: (taken: readonly Reading[]) => told.push(...taken),
  } as unknown as AssessContext
  await judgeMessages(context, { signal, lease } as Holding, [message, message])
  return told
}

test('reports every judged reading in order, including unmeasured ones', async () => {
  expect(await judge(new AbortController().signal)).toEqual([...readings, ...readings])
})

test('reports no reading of a partition that was left', async () => {
  expect(await judge(AbortSignal.abort())).toEqual([])
})
