import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { expect, test } from 'vitest'
import { newCheckState } from '../../status/state.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { createBook } from './assessment-state.ts'
import type { AssessContext, Holding } from './context.ts'
import { judgeMessages } from './follow-partition.ts'

const nowMs = 1_700_000_000_000
const readings = [readingAt('fra', 'up', nowMs - 2), readingAt('fra', 'unmeasured', nowMs - 1)]
const message = { partition: 0, sequence: 1, data: new Uint8Array(), storedAt: nowMs }

const judge = async (signal: AbortSignal): Promise<Reading[]> => {
  const told: Reading[] = []
  const book = createBook(() => nowMs)
  const definition = { accountId: 'a', name: 'test', host: 'example.com', regions: ['fra'] }
  const lease = { partition: 0, epoch: 1 }
  book.load({ checkId, ...definition, intervalSeconds: 60, state: newCheckState }, lease)
  const context = {
    book,
    watch: { take: () => {} },
    confirmer: { ask: () => {} },
    metrics: { readings: { inc: () => {} } },
    decode: () => ({ source: message, sender: null, readings, poison: [] }),
    onReadings: (taken: readonly Reading[]) => told.push(...taken),
  } as unknown as AssessContext
  await judgeMessages(context, { signal, lease } as Holding, [message, message])
  return told
}

test('every reading that was taken is told, in order, also one that measured nothing', async () => {
  expect(await judge(new AbortController().signal)).toEqual([...readings, ...readings])
})

test('nothing is told of a partition that was left before', async () => {
  expect(await judge(AbortSignal.abort())).toEqual([])
})
