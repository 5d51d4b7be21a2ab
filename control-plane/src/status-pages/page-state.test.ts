import { CheckStatus } from '@probe-mesh/contracts/check/check'
import { ComponentState, type StatusPageState } from '@probe-mesh/contracts/status-page/status-page'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { componentState, pageState, worstFirst } from './page-state.ts'

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

describe('a page', () => {
  test.each<[ComponentState[], StatusPageState]>([
    [[], 'no_data'],
    [['operational'], 'operational'],
    [['operational', 'operational'], 'operational'],
    [['operational', 'no_data'], 'no_data'],
    [['operational', 'no_data', 'maintenance'], 'maintenance'],
    [['maintenance', 'degraded', 'no_data'], 'degraded'],
    [['operational', 'degraded', 'down', 'maintenance', 'no_data'], 'down'],
  ])('of %j is %s, and under maintenance while a window covers all of it', (components, state) => {
    expect(pageState(components, false)).toBe(state)
    expect(pageState(components, true)).toBe('maintenance')
  })

  test('the precedence contains every state', () => {
    expect([...worstFirst].toSorted()).toEqual([...ComponentState.options].toSorted())
  })

  const state = fc.constantFrom(...ComponentState.options)
  const rank = (one: StatusPageState): number => worstFirst.indexOf(one)

  test('is never better than any component and always that of one, in any order', () => {
    forAll([fc.array(state, { minLength: 1, maxLength: 20 }), state], (states, one) => {
      const said = pageState(states, false)
      expect(states).toContain(said)
      for (const each of states) expect(rank(said)).toBeLessThanOrEqual(rank(each))
      expect(pageState(states.toReversed(), false)).toBe(said)
      // one more component can make it worse only
      expect(rank(pageState([...states, one], false))).toBeLessThanOrEqual(rank(said))
    })
  })
})
