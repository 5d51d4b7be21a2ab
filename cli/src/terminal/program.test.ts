import { expect, test } from 'vitest'
import { called, programOf } from './program.ts'

test.each([
  ['/usr/local/bin/service', 'service'],
  ['/lib/node_modules/@probe-mesh/cli/dist/service.js', 'service'],
  ['/usr/local/bin/probe-mesh', 'probe-mesh'],
  ['/work/cli/from-checkout.ts', 'probe-mesh'],
  [undefined, 'probe-mesh'],
])('%s is called as %s', (path, expected) => {
  expect(programOf(path)).toBe(expected)
})

test('names in command lines what was called', () => {
  const text = 'Run `probe-mesh status` or probe-mesh <command>; see ~/probe-mesh.fish.'
  expect(called(text, 'service')).toBe('Run `service status` or service <command>; see ~/probe-mesh.fish.')
  expect(called(text, 'probe-mesh')).toBe(text)
})
