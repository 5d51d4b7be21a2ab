import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import { expect, test } from 'vitest'
import { stateSentence } from './status-words.ts'
import { documentOf } from './testing.ts'

test.each<[ComponentState[], string, string]>([
  [[], 'silent', 'Nothing is published here yet: there is no data.'],
  [['operational'], 'good', 'The one component is operational.'],
  [['operational', 'operational'], 'good', 'All 2 components are operational.'],
  [['no_data', 'no_data'], 'silent', 'All 2 components are without data.'],
  [['no_data', 'operational'], 'silent', 'Of 2 components, 1 is without data and 1 is operational.'],
  [
    ['down', 'no_data', 'operational', 'operational', 'maintenance'],
    'bad',
    'Of 5 components, 1 is down, 1 is under maintenance, 1 is without data and 2 are operational.',
  ],
])('%j is said in one sentence', (states, tone, text) => {
  expect(stateSentence(documentOf(states))).toEqual({ tone, text })
})
