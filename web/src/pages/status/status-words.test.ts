import { HeadlineLevel } from '@probe-mesh/contracts/status-page/headline'
import { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import { expect, test } from 'vitest'
import { componentWords, headlineTones } from './status-words.ts'

test('only what is operational looks good', () => {
  const states = ComponentState.options.filter((state) => componentWords[state].tone === 'good')
  expect(states).toEqual(['operational'])
  const levels = HeadlineLevel.options.filter((level) => headlineTones[level] === 'good')
  expect(levels).toEqual(['operational', 'notice'])
})
