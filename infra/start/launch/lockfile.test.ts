import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import {
  checkLockfiles,
  readWithoutIntegrity,
  completeLockfile,
  lockfileProblems,
  type LockEntry,
  type Lockfile,
} from './lockfile.ts'

const root = new URL('../../..', import.meta.url)
const integrity = `sha512-${'a'.repeat(86)}==`
const sound: LockEntry = { version: '1.0.0', integrity }
const lockOf = (entry: LockEntry, folder = 'node_modules/@scope/thing'): Lockfile => ({
  packages: {
    '': { version: '0.1.0' },
    part: { version: '0.1.0' },
    'node_modules/part': { link: true, resolved: 'part' },
    [folder]: entry,
  },
})
const rules = { allowScripts: { '@scope/allowed': true, denied: false }, withoutIntegrity: [] }

test('accepts the lockfiles of this checkout', async () => {
  expect(await checkLockfiles(root)).toEqual([])
})

describe('a lockfile', () => {
  test.each<[string, Lockfile]>([
    ['with a checksum for each package', lockOf(sound)],
    ['with an allowed script', lockOf({ ...sound, hasInstallScript: true }, 'node_modules/@scope/allowed')],
    ['with a denied script', lockOf({ ...sound, hasInstallScript: true }, 'part/node_modules/denied')],
  ])('%s is accepted', (_, lockfile) => {
    expect(lockfileProblems(lockfile, rules)).toEqual([])
  })

  test.each<[string, Lockfile, RegExp]>([
    ['without a checksum', lockOf({ version: '1.0.0' }), /thing has no integrity/],
    [
      'without a checksum of a nested package',
      lockOf({ version: '1.0.0' }, 'part/node_modules/a/node_modules/b'),
      /b has no integrity/,
    ],
    ['with a weak checksum', lockOf({ ...sound, integrity: 'sha1-abc=' }), /weak integrity: sha1/],
    [
      'with a script that is neither allowed nor denied',
      lockOf({ ...sound, hasInstallScript: true }),
      /@scope\/thing@1\.0\.0 has an install script/,
    ],
    [
      'that names a registry',
      lockOf({ ...sound, resolved: 'https://registry.example.org/thing.tgz' }),
      /names where it was fetched: https:/,
    ],
    [
      'that names a repository',
      lockOf({ ...sound, resolved: 'git+ssh://git@example.org/thing.git#1' }),
      /names where it was fetched/,
    ],
    [
      'with a link out of the checkout',
      lockOf({ link: true, resolved: '../elsewhere' }),
      /not in this checkout/,
    ],
    ['with a link to a path', lockOf({ link: true, resolved: '/etc' }), /not in this checkout/],
  ])('%s is refused', (_, lockfile, problem) => {
    expect(lockfileProblems(lockfile, rules)).toEqual([expect.stringMatching(problem)])
  })

  test('has exceptions for one version each, which must be removed when they are not needed', () => {
    const excepted = { ...rules, withoutIntegrity: ['@scope/thing@1.0.0'] }
    expect(lockfileProblems(lockOf({ version: '1.0.0' }), excepted)).toEqual([])
    expect(lockfileProblems(lockOf({ version: '1.0.1' }), excepted)).toEqual([
      'node_modules/@scope/thing has no integrity',
      expect.stringMatching(/^@scope\/thing@1\.0\.0 is not in the lockfile/),
    ])
    expect(lockfileProblems(lockOf(sound), excepted)).toEqual([
      expect.stringMatching(/has its integrity now/),
    ])
  })
})

test('lacks checksums only of optional packages for systems other than Linux on x64', async () => {
  const lockfile = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, { optional?: boolean; os?: string[]; cpu?: string[]; libc?: string[] }>
  }
  const excepted = new Set((await readWithoutIntegrity()).map((id) => id.slice(0, id.lastIndexOf('@'))))
  for (const name of excepted) {
    const { optional, os = [], cpu = [], libc = ['glibc'] } = lockfile.packages[`node_modules/${name}`] ?? {}
    const isHere = os.includes('linux') && cpu.includes('x64') && libc.includes('glibc')
    expect([name, optional, isHere]).toEqual([name, true, false])
  }
})

test('adds the checksums of the registry to a lockfile and lists the missing ones', async () => {
  const lockfile = lockOf({ version: '1.0.0', dev: true })
  lockfile.packages['node_modules/other'] = { version: '2.0.0' }
  lockfile.packages['node_modules/fine'] = sound
  const requested: string[] = []
  const result = await completeLockfile(lockfile, async (id) => {
    requested.push(id)
    return id.startsWith('@scope/') ? integrity : null
  })
  expect(requested).toEqual(['@scope/thing@1.0.0', 'other@2.0.0'])
  expect(result).toEqual({ completed: ['@scope/thing@1.0.0'], withoutIntegrity: ['other@2.0.0'] })
  expect(lockfile.packages['node_modules/@scope/thing']).toEqual({
    version: '1.0.0',
    integrity,
    dev: true,
  })
  expect(lockfileProblems(lockfile, { ...rules, withoutIntegrity: ['other@2.0.0'] })).toEqual([])
})
