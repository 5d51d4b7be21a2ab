import { expect, test } from 'vitest'
import { sumMetric } from './metric.ts'

const text = `# HELP told_total What was told
told_total{region="fra",kind="flip"} 2
told_total{region="iad",kind="flip"} 3
told_total{region="iad",subkind="flip"} 5
told_total_more 100
bare 7
`

test.for([
  ['told_total', {}, 10],
  ['told_total', { kind: 'flip' }, 5],
  ['told_total', { region: 'iad', kind: 'flip' }, 3],
  ['told_total', { region: 'nrt' }, 0],
  ['bare', {}, 7],
  ['told', {}, 0],
] as const)('the sum of %s with labels %j is %i', ([name, labels, sum]) => {
  expect(sumMetric(text, name, labels)).toBe(sum)
})
