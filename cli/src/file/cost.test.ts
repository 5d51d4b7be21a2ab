import { expect, test } from 'vitest'
import { fileLimits, type FileCheck } from './checks-file.ts'
import { parseChecksFile } from './parse-file.ts'
import { writeChecksFile } from './write-file.ts'
import { lexemes, refuseYaml } from './refused-yaml.ts'

const checkOf = (index: number): FileCheck => ({
  name: `check: ${index}`,
  url: `https://example.com/${index}`,
  intervalSeconds: 60,
  regions: ['fra', 'iad', 'nrt', 'sjc'],
})

/** Checks that have every field. */
const wholeChecks = (count: number): FileCheck[] =>
  Array.from({ length: count }, (_, index) => ({
    ...checkOf(index),
    assertionStatusMin: 200,
    assertionStatusMax: 299,
    assertionBodyOp: 'contains',
    assertionBodyValue: 'all is well',
    assertionBodyCaseSensitive: true,
    assertionJsonPath: 'a.items[0].name',
    assertionJsonOp: 'equals',
    assertionJsonValue: '5',
  }))

const yamlOf = (count: number): string =>
  writeChecksFile(wholeChecks(count), { format: 'yaml', comments: [] })

test('reads a file of ten thousand checks', () => {
  const checks = Array.from({ length: 10_000 }, (_, index) => checkOf(index))
  const text = writeChecksFile(checks, { format: 'yaml', comments: [] })
  const parsed = parseChecksFile(text, 'yaml')
  expect(parsed.ok).toBe(true)
  expect(parsed).toMatchObject({ file: { checks: { length: 10_000 } } })
})

test('spends the same tokens on each check, and allows the largest file', () => {
  const count = (text: string): number => {
    refuseYaml(text, (_, message) => expect.unreachable(message))
    return lexemes(text).reduce((sum) => sum + 1, 0)
  }
  const [one, two, hundred] = [count(yamlOf(1)), count(yamlOf(2)), count(yamlOf(100))]
  expect(hundred - one).toBe(99 * (two - one))
  expect(one + (fileLimits.checksMax - 1) * (two - one)).toBeLessThan(fileLimits.lexemesMax)
})
