import { expect, test } from 'vitest'
import { readYamlSource } from './read-yaml-source.ts'

const problemsOf = (text: string): string[] => {
  const read = readYamlSource(text)
  return read.ok ? [] : read.problems
}

test('reads thousands of anchors, aliases and merge keys', () => {
  const uses = Array.from({ length: 5_000 }, (_, index) => `  - { <<: *d, name: n${index} }`)
  const read = readYamlSource(['d: &d { interval: 60s }', 'list:', ...uses].join('\n'))
  const value = read.ok ? (read.value as { list: unknown[] }) : { list: [] }
  expect(value.list).toHaveLength(5_000)
  expect(value.list.at(-1)).toStrictEqual({ interval: '60s', name: 'n4999' })
})

const levels = Array.from({ length: 40 }, (_, level) => level + 1)

test.each([
  ['lists', ['a0: &a0 [x, x]', ...levels.map((n) => `a${n}: &a${n} [*a${n - 1}, *a${n - 1}]`)]],
  ['merges', ['a0: &a0 {x: 1}', ...levels.map((n) => `a${n}: &a${n} {<<: [*a${n - 1}, *a${n - 1}]}`)]],
])('aliases that multiply %s are refused', (_, lines) => {
  expect(problemsOf(lines.join('\n'))).toStrictEqual([
    'has more than 5000000 values with its aliases expanded',
  ])
})

test.each([
  ['a: 1\na: 2', 'has the key a twice'],
  ['a: &a [*a]', 'with its aliases expanded'],
  ['a: &a {<<: *a}', 'with its aliases expanded'],
  ['<<: 5', 'cannot be read: Merge sources must be maps or map aliases'],
  ['a: *b', 'Unresolved alias'],
  ['a: 1\n---\nb: 2', 'Source contains multiple documents'],
  ['a: [', 'Flow sequence'],
  ['a: "', 'Missing closing'],
  ['x'.repeat(4 * 1024 * 1024 + 1), 'has more than 4194304 characters'],
])('text %# is refused', (text, message) => {
  expect(problemsOf(text).join()).toContain(message)
})

test.each([
  ['lists', (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`],
  ['maps', (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
  ['lists of dashes', (depth: number) => `${'- '.repeat(depth)}x`],
])('refuses %s that nest too deep before reading them', (_, nested) => {
  expect(readYamlSource(nested(50))).toMatchObject({ ok: true })
  expect(problemsOf(nested(101))).toStrictEqual(['nests deeper than 100 levels'])
  expect(problemsOf(nested(500_000))).toStrictEqual(['nests deeper than 100 levels'])
})

test('refuses a text with errors throughout, with every position', () => {
  const problems = problemsOf('!!a '.repeat(20_000))
  expect(problems).toHaveLength(20_000 - 1)
  expect(problems.at(-1)).toBe('A node can have at most one tag at line 1, column 79997')
})
