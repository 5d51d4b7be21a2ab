import { aReading, anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { expect, test } from 'vitest'
import { createDispatcher } from './dispatcher.ts'

const slot = 1_700_000_000_000

test('the start of an answer is in the reply of a trial, and never in a delivered reading', async () => {
  const excerpt = { contentType: 'text/plain', body: 'secret', isCut: false }
  const delivered: Reading[] = []
  const dispatcher = createDispatcher({
    run: async ({ checkId }, { slot, kind, number, excerpt: isAsked }) =>
      aReading({ checkId, slot, kind, number, ...(isAsked === true && { excerpt }) }),
    now: () => slot,
    onReading: (reading) => delivered.push(reading),
    onStart: () => undefined,
    onBug: () => undefined,
  })
  const asked = { slot, kind: 'manual', number: 1 } as const
  const replied = await dispatcher.runNow(anAssignment(), { ...asked, excerpt: true })
  expect(replied).toMatchObject({ excerpt })
  expect(await dispatcher.runNow(anAssignment(), asked)).not.toHaveProperty('excerpt')
  expect(delivered).toHaveLength(2)
  for (const reading of delivered) expect(reading).not.toHaveProperty('excerpt')
})
