import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { registryEntries, type Lockfile } from './lockfile.ts'
import { runNpm } from './npm.ts'
import { productionSbom } from './production-sbom.ts'

type Component = { name: string; group?: string; version: string; hashes?: { alg: string }[] }
type Sbom = { bomFormat: string; components: Component[] }

const root = new URL('../../..', import.meta.url)
let sbom: Sbom
let ids: Set<string>
let lockfile: Lockfile
beforeAll(async () => {
  const text = await productionSbom(fileURLToPath(root), runNpm)
  sbom = JSON.parse(text) as Sbom
  const nameOf = ({ name, group }: Component) => (group === undefined ? name : `${group}/${name}`)
  ids = new Set(sbom.components.map((one) => `${nameOf(one)}@${one.version}`))
  lockfile = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8')) as Lockfile
})

test('the bill of materials contains exactly the packages of production', () => {
  expect(sbom.bomFormat).toBe('CycloneDX')
  const entries = registryEntries(lockfile)
  const production = entries.filter(({ entry }) => entry.dev !== true).map(({ id }) => id)
  expect(production.length).toBeGreaterThan(50)
  expect(production.filter((id) => !ids.has(id))).toEqual([])
  const alsoProduction = new Set(production)
  const development = entries.filter(({ entry, id }) => entry.dev === true && !alsoProduction.has(id))
  expect(development.map(({ id }) => id).filter((id) => ids.has(id))).toEqual([])
})

test('the bill of materials has every checksum of the lockfile', () => {
  const withHash = sbom.components.filter(({ hashes = [] }) => hashes.some(({ alg }) => alg === 'SHA-512'))
  const expected = registryEntries(lockfile).filter(
    ({ entry }) => entry.dev !== true && entry.integrity !== undefined,
  )
  expect(withHash.length).toBeGreaterThanOrEqual(new Set(expected.map(({ id }) => id)).size)
})
