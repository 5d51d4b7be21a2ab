import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { billOf, packagesIn, readLock } from './bill.ts'
import type { Artefact, Release } from './release.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const lock = await readLock(root)
const artefact = (more: Partial<Artefact>): Artefact => ({
  file: 'a.tgz',
  kind: 'npm-package',
  platform: null,
  modules: [],
  packages: {},
  ...more,
})

test('an artefact has the packages of its modules, and installed ones with all that they need, wherever npm put them', () => {
  const small = {
    'node_modules/a': { dependencies: { b: '1' }, optionalDependencies: { c: '1', elsewhere: '1' } },
    'node_modules/b': {},
    'node_modules/a/node_modules/b': { dependencies: { d: '1' } },
    'node_modules/c': {},
    'node_modules/d': {},
    'node_modules/@x/y': {},
  }
  const modules = ['node_modules/@x/y/lib/node_modules.js', 'runtime/src/text.ts']
  expect(packagesIn(artefact({ modules, packages: { a: '1' } }), small)).toEqual([
    'node_modules/@x/y',
    'node_modules/a',
    'node_modules/a/node_modules/b',
    'node_modules/c',
    'node_modules/d',
  ])
})

test.for(['vitest', 'typescript', 'rolldown', '@types/react'])('an artefact with %s is refused', (name) => {
  const development = lock[`node_modules/${name}`]?.dev === true
  const found = development ? name : 'vitest'
  expect(() => packagesIn(artefact({ modules: [`node_modules/${found}/index.js`] }), lock)).toThrow(
    `a.tgz has node_modules/${found}, which is for development only`,
  )
})

test('an artefact with a package that no lockfile names is refused', () => {
  expect(() => packagesIn(artefact({ packages: { 'not-locked': '1' } }), lock)).toThrow(
    'a.tgz has node_modules/not-locked',
  )
})

test('the bill names each package once, with its licence, checksum and files, and Node in single files', () => {
  const release: Release = {
    root,
    out: '/nowhere',
    version: '1.2.3',
    providerVersion: '0.1.0',
    commit: null,
    time: new Date(0),
  }
  const artefacts = [
    artefact({ packages: { pino: '1' } }),
    artefact({ file: 'b.tar.gz', platform: 'linux-x64', modules: ['node_modules/pino/pino.js'] }),
  ]
  const bill = JSON.parse(billOf(release, artefacts, lock)) as {
    components: {
      name: string
      version: string
      licenses: unknown
      hashes?: unknown
      properties: { value: string }[]
    }[]
  }
  const pino = bill.components.filter(({ name }) => name === 'pino')
  expect(pino).toEqual([
    expect.objectContaining({
      version: lock['node_modules/pino']?.version,
      licenses: [{ expression: 'MIT' }],
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    }),
  ])
  expect(pino[0]?.properties.map(({ value }) => value)).toEqual(['a.tgz', 'b.tar.gz'])
  const node = bill.components.find(({ name }) => name === 'node')
  expect(node?.properties.map(({ value }) => value)).toEqual(['b.tar.gz'])
})
