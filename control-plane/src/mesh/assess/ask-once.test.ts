import { expect, test } from 'vitest'
import { newCheckState } from '../../status/state.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { createAssessmentState, type Confirmation } from './assessment-state.ts'
import type { AssessContext, Holding } from './context.ts'
import { judgeMessages } from './follow-partition.ts'

const regions = ['fra', 'iad', 'nrt']
const startMs = 1_700_000_000_000
const message = { partition: 0, sequence: 1, data: new Uint8Array(), storedAt: startMs }

test('a backlog in which every region starts to fail requests each region once', async () => {
  // its assessment takes some time
  let nowMs = startMs
  const assessmentState = createAssessmentState(() => nowMs++)
  const definition = { accountId: 'a', name: 'test', host: 'example.com', regions }
  const lease = { partition: 0, epoch: 1 }
  assessmentState.load(
    { checkId, ...definition, intervalSeconds: 60, paused: false, state: newCheckState },
    lease,
  )
  const asked: Confirmation[] = []
  const context = {
    assessmentState,
    now: () => nowMs,
    watch: { note: () => {} },
    confirmer: { confirm: (confirmation: Confirmation) => asked.push(confirmation) },
    metrics: { readings: { inc: () => {} } },
    decode: () => ({
      readings: regions.map((region, at) => readingAt(region, 'down', startMs - 9_000 + at)),
    }),
  } as unknown as AssessContext
  const holding = { signal: new AbortController().signal, lease } as Holding
  await judgeMessages(context, holding, [message])
  expect(asked).toMatchObject([{ checkId, regions }])
  expect(asked[0]?.atMs).toBeGreaterThan(startMs)
})
