import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { allFaults } from './testing/all-faults.ts'
import { faultTable, plantedIn, withFaultTable } from './testing/fault-table.ts'

test('docs/doctor.md lists every fault of the suite, in its order', async () => {
  const document = await readFile(new URL('../../../docs/doctor.md', import.meta.url), 'utf8')
  expect(plantedIn(document)).toEqual(allFaults.map(({ planted }) => planted))
  expect(allFaults.length).toBe(38)
})

test('replaces the table and nothing else', () => {
  const row = {
    planted: 'p',
    foundAs: 'a | b',
    next: '<its file>',
    foundAfterMs: 1_250,
    mendedAfterMs: 40,
  }
  const frame = (text: string) =>
    `before\n<!-- faults: written by the suite -->${text}<!-- end of faults -->\nafter`
  const written = withFaultTable(frame('\n\nold\n\n'), [row])
  expect(written).toBe(frame(`\n\n${faultTable([row])}\n\n`))
  expect(written).toContain('| p | a \\| b | &lt;its file> |')
  expect(written).toContain('Found within 1.3 s, and gone within 0.0 s of the remedy.')
  expect(plantedIn(written)).toEqual(['p'])
  expect(() => withFaultTable('none', [row])).toThrow()
})
