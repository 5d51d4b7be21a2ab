import { expect, test } from 'vitest'
import { evidenceOf } from './evidence.ts'
import { newCheckState, newRegionState } from '../status/state.ts'

test('a failure that waits for its confirmation counts as failing, not as up', () => {
  const up = { ...newRegionState, verdict: 'up' as const, measuredAt: 1_000 }
  const suspect = { sinceMs: 2_000, measuredAt: 2_000, reason: 'connection refused' } as never
  const check = {
    id: 'c',
    accountId: 'a',
    type: 'http' as const,
    name: 'shop',
    url: 'https://shop.example/',
    target: null,
    regions: ['fra', 'iad'],
    intervalSeconds: 30,
    paused: false,
    state: { ...newCheckState, regions: { fra: up, iad: { ...up, suspect } } },
  }
  expect(evidenceOf(check, 3_000)).toMatchObject({ failing: ['iad'], up: ['fra'] })
})
