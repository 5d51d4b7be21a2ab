import { expect, test } from 'vitest'
import { sumMetric } from './metric.ts'

const text = `# HELP sent_total What was sent
sent_total{region="fra",kind="flip"} 2
sent_total{region="iad",kind="flip"} 3
sent_total{region="iad",subkind="flip"} 5
sent_total_more 100
bare 7
`

test.for([
  ['sent_total', {}, 10],
  ['sent_total', { kind: 'flip' }, 5],
  ['sent_total', { region: 'iad', kind: 'flip' }, 3],
  ['sent_total', { region: 'nrt' }, 0],
  ['bare', {}, 7],
  ['sent', {}, 0],
] as const)('the sum of %s with labels %j is %i', ([name, labels, sum]) => {
  expect(sumMetric(text, name, labels)).toBe(sum)
})
