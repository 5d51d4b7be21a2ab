import { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import { describe, expect, test } from 'vitest'
import { componentState } from './page-state.ts'

describe('a component', () => {
  test.each<[CheckStatus, ComponentState]>([
    ['operational', 'operational'],
    ['degraded', 'degraded'],
    ['down', 'down'],
    ['stale', 'no_data'],
    ['unknown', 'no_data'],
  ])('of a check that is %s is %s, and under maintenance while a window covers it', (status, state) => {
    expect(componentState(status, false)).toBe(state)
    expect(componentState(status, true)).toBe('maintenance')
  })

  test('only an operational check gives an operational component', () => {
    const healthy = CheckStatus.options.filter((status) => componentState(status, false) === 'operational')
    expect(healthy).toEqual(['operational'])
  })
})
