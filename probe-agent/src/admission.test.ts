import { silentLogger } from '@probe-mesh/bus/logger'
import { expect, test } from 'vitest'
import { createAgentAdmission, endingOf, neverAdmittedMsMax, unexplainedMsMax } from './admission.ts'

const refused = { how: 'refused', text: 'no' } as const

test.each([
  ['what does not fit together, at once', 'misfit', false, 0, 78],
  ['revoked credentials, at once', 'revoked', true, 0, 77],
  ['expired credentials, at once', 'expired', true, 0, 77],
  ['never let in, once a server had time to start', 'refused', false, neverAdmittedMsMax, 77],
  ['refused without a reason, after an hour', 'refused', true, unexplainedMsMax, 77],
] as const)('it ends for %s', (_, how, wasAdmitted, afterMs, code) => {
  const one = { refusal: { how, text: 'no' }, sinceMs: 0 }
  expect(endingOf(one, { wasAdmitted, nowMs: afterMs })).toEqual({ text: 'no', code })
  if (afterMs > 0) expect(endingOf(one, { wasAdmitted, nowMs: afterMs - 1 })).toBe(null)
})

test('a suspended account may be resumed and never ends the agent', () => {
  const one = { refusal: { how: 'suspended', text: 'no' }, sinceMs: 0 } as const
  expect(endingOf(one, { wasAdmitted: false, nowMs: Number.MAX_SAFE_INTEGER })).toBe(null)
})

test('a lasting refusal is logged every ten minutes, until the agent is admitted', () => {
  let nowMs = 0
  let lines = 0
  const log = { ...silentLogger, error: () => lines++ }
  const admission = createAgentAdmission({ log, nowMs: () => nowMs })
  admission.onLetIn()
  for (; nowMs < 1_800_000; nowMs += 1_000) admission.onRefused(refused)
  expect(lines).toBe(3)
  expect(admission.problem()).toBe('no')
  admission.onLetIn()
  expect([admission.problem(), admission.ending()]).toEqual([null, null])
  for (; nowMs <= 1_800_000 + unexplainedMsMax; nowMs += 1_000) admission.onRefused(refused)
  expect(admission.ending()).toEqual({ text: 'no', code: 77 })
})
