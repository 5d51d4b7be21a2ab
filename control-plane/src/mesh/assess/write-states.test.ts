import { expect, test } from 'vitest'
import { createAssessmentState } from './assessment-state.ts'
import type { AssessContext, Holding } from './context.ts'
import { writeBehind } from './write-states.ts'

const nowMs = 1_700_000_000_000

/** A partition whose states are to be written while Postgres refuses; `meanwhile`: what is judged until then. */
const refused = async (meanwhile: (holding: Holding) => void): Promise<number | null> => {
  const acknowledged: number[] = []
  const holding: Partial<Holding> = {
    lease: { partition: 0, epoch: 1 },
    processed: 1_000,
    consumer: { acknowledge: async (sequence: number) => void acknowledged.push(sequence) } as never,
  }
  const context: Partial<AssessContext> = {
    assessmentState: createAssessmentState(() => nowMs),
    holdings: new Map([[0, holding as Holding]]),
    now: () => nowMs,
    retry: async () => {
      meanwhile(holding as Holding)
      throw new Error('Postgres refuses')
    },
  }
  await expect(writeBehind(context as AssessContext)).rejects.toThrow('Postgres refuses')
  expect(acknowledged).toEqual([])
  return holding.processed ?? null
}

test.each<[string, number | null, number]>([
  ['nothing', null, 1_000],
  ['later messages', 1_001, 1_001],
  ['the first messages of a new stream', 5, 5],
])('after a refused write, in which %s came, that is acknowledged at the next', async (_, judged, next) => {
  const processed = await refused((holding) => {
    if (judged !== null) holding.processed = judged
  })
  expect(processed).toBe(next)
})
