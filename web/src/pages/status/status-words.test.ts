import { HeadlineLevel } from '@probe-mesh/contracts/status-page/headline'
import { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import { expect, test } from 'vitest'
import { headlineLooks, stateTones } from './status-words.ts'

test('only operational looks good', () => {
  const states = ComponentState.options.filter((state) => stateTones[state] === 'good')
  expect(states).toEqual(['operational'])
  const levels = HeadlineLevel.options.filter((level) => headlineLooks[level].tone === 'good')
  expect(levels).toEqual(['operational', 'notice'])
})
