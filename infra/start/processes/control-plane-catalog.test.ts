import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { allowNothing, parseAllowList, type AllowList } from '@probe-mesh/contracts/target/address'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { emptyCatalog, emptyCatalogFile } from '../../testing/empty-catalog.ts'
import { loadCatalog } from './control-plane-catalog.ts'

const folder = testFolder('catalog-')
afterAll(() => rm(folder, { recursive: true }))

const local = parseAllowList(['127.0.0.0/8'])
const load = (catalogFile: string | null, targetAllow: AllowList = allowNothing) =>
  loadCatalog({ catalogFile, targetAllow })
const written = async (name: string, text: string): Promise<string> => {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}
const problemsOf = async (file: string, allow?: AllowList): Promise<string[]> => {
  const loaded = await load(file, allow)
  return loaded.ok ? [] : loaded.problems
}

test('loads the built-in catalog without a file', async () => {
  const loaded = await load(null)
  expect(loaded.ok && loaded.catalog.bySlug.has('github')).toBe(true)
})

test('loads a file without services, like that of the tests', async () => {
  expect(await load(emptyCatalogFile)).toEqual({ ok: true, catalog: emptyCatalog })
})

describe('a catalog of an intranet', () => {
  const intranet = `
stacks: []
services:
  - { slug: wiki, name: Wiki, category: work, probes: [{ url: 'http://127.0.0.1/' }] }
`
  test('may name addresses that the operator allows', async () => {
    const loaded = await load(await written('open.yaml', intranet), local.ok ? local.allow : undefined)
    expect(loaded.ok && loaded.catalog.checks.map(({ url }) => url)).toEqual(['http://127.0.0.1/'])
  })

  test('may name no other private addresses', async () => {
    const file = await written('closed.yaml', intranet)
    const [problem, ...more] = await problemsOf(file)
    expect(problem).toContain(`CATALOG_FILE ${file} at services[0].probes[0].url`)
    expect(more).toEqual([])
  })
})

test('lists every problem with the file and the place', async () => {
  const file = await written(
    'wrong.yaml',
    `
stacks: [{ id: none, slug: shop, name: Shop, description: All, members: [wiki] }]
services:
  - { slug: Wiki, name: Wiki, category: work, probes: [{ url: 'https://wiki.example/' }] }
  - { slug: mail, name: Mail, category: post, probes: [] }
`,
  )
  const problems = await problemsOf(file)
  for (const path of ['stacks[0].id', 'services[0].slug', 'services[1].category', 'services[1].probes']) {
    expect(problems).toContainEqual(expect.stringContaining(`CATALOG_FILE ${file} at ${path} `))
  }
})

test.each([
  ['nowhere.yaml', null, 'cannot be read: ENOENT'],
  ['.', null, 'cannot be read: EISDIR'],
  ['cut-off.yaml', 'services: [', 'is not YAML'],
  ['blank.yaml', '', 'expected object'],
])('reports %s as one problem', async (name, text, message) => {
  const file = text === null ? join(folder, name) : await written(name, text)
  const problems = await problemsOf(file)
  expect(problems).toEqual([expect.stringContaining(message)])
  expect(problems).toEqual([expect.stringContaining(file)])
})
