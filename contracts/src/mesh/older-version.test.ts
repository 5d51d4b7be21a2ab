import { expect, test } from 'vitest'
import { isOlderVersion } from './older-version.ts'

test.each<[string, string, boolean]>([
  ['0.1.0', '0.1.0', false],
  ['0.1.9', '0.1.10', true],
  ['0.2.0', '0.1.9', false],
  ['1.0.0', '2.0.0', true],
  ['1.9.9', '2.0.0-rc.1', true],
  ['1', '2.0.0', false],
  ['0.1.0', '1.0.0-rc.1', true],
  ['1.0.0-rc.1', '0.1.0', false],
  ['1.0.0-rc.1', '1.0.0-rc.1', false],
  ['1.0.0-rc.1', '1.0.0', true],
  ['1.0.0', '1.0.0-rc.1', false],
  ['1.0.0-rc.2', '1.0.0-rc.10', true],
  ['1.0.0-rc.10', '1.0.0-rc.2', false],
  ['1.0.0-rc', '1.0.0-rc.1', true],
  ['1.0.0-rc.1', '1.0.0-rc', false],
  ['1.0.0-beta.2', '1.0.0-rc.1', true],
  ['1.0.0-1', '1.0.0-rc', true],
  ['1.0.0-rc', '1.0.0-1', false],
  ['1.0.0+a', '1.0.0+b', false],
  ['1.0.0-rc.1+a', '1.0.0-rc.1', false],
  ['home-made', '2.0.0', false],
  ['0.1.0', 'home-made', false],
])('%s is older than %s: %s', (version, than, isOlder) => {
  expect(isOlderVersion(version, than)).toBe(isOlder)
})
