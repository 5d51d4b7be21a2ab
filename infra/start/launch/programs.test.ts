import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { lateFlags, nodeFlags, programs } from './programs.mjs'

const flags = ['--max-semi-space-size=8', '--disable-x']

test.each<[string, string[]]>([
  ['', flags],
  ['--max-old-space-size=512', flags],
  ['--max-semi-space-size=32', ['--disable-x']],
  ['--max_semi_space_size=32', ['--disable-x']],
  ['--max-semi-space-size 32  --disable-x', []],
  ['--import file:///a', flags],
])('NODE_OPTIONS of the operator (%j) win over the limits of a program', (given, expected) => {
  expect(nodeFlags({ flags }, given)).toEqual(expected)
})

test.each<[string[], string[]]>([
  [[], ['--heap-growing-percent=100']],
  [['--no-warnings'], ['--heap-growing-percent=100']],
  [['--heap_growing_percent=30'], []],
])(
  'what NODE_OPTIONS of a unit cannot have is set later, unless the command line has it (%j)',
  (given, late) => {
    const agent = programs.find(({ name }) => name === 'agent') ?? { flags: [] }
    expect(lateFlags(agent, given)).toEqual(late)
  },
)

test('every program has its source, and a name that is a file name', () => {
  for (const { name, entry } of programs) {
    expect([entry, existsSync(fileURLToPath(new URL(`../../../${entry}`, import.meta.url)))]).toEqual([
      entry,
      true,
    ])
    expect(name).toMatch(/^[a-z-]+$/)
  }
})
