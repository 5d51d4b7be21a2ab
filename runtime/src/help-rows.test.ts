import { expect, test } from 'vitest'
import { helpRows } from './help-rows.ts'

test('aligns and wraps the meanings in one column, and puts a long name on its own line', () => {
  const long = `--${'x'.repeat(40)}`
  const lines = helpRows([
    ['--json', 'print JSON'],
    [long, 'word '.repeat(30).trim()],
  ]).split('\n')
  expect(lines.slice(0, 2)).toEqual(['  --json  print JSON', `  ${long}`])
  expect(lines.slice(2).every((line) => line.startsWith('          word'))).toBe(true)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
})
