import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'

/** The pages: their links work, guides and decisions start plainly, and a page of decisions stays short. */

const root = new URL('../../', import.meta.url)
const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(new URL(folder, root), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `${folder}${name}`)
const read = (document: string): Promise<string> => readFile(new URL(document, root), 'utf8')

const decisions = await namesIn('docs/decisions/')
const guides = await namesIn('docs/guides/')
const inFolders = await Promise.all(['docs/', 'terraform/docs/'].map(namesIn))
const atTop = [
  'README.md',
  'ARCHITECTURE.md',
  'AGENTS.md',
  'CHANGELOG.md',
  'bench/README.md',
  'terraform/README.md',
]
const documents = [...atTop, ...inFolders.flat()]

const withoutCode = (text: string): string =>
  text
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => (code.includes('](') ? '' : code))

/** The ids of the headings of a document, as GitHub and the web make them. */
const idsOf = (text: string): Set<string> => {
  const counts = new Map<string, number>()
  return new Set(
    [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
      const id = heading
        .replaceAll(/[`*]|\]\([^)]*\)/g, '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-')
      const count = counts.get(id) ?? 0
      counts.set(id, count + 1)
      return count === 0 ? id : `${id}-${count}`
    }),
  )
}

test.each(documents)('%s links to files and sections that exist', async (document) => {
  const links = [...withoutCode(await read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, link = '']) => link,
  )
  for (const link of links.filter((one) => !/^([a-z]+:|\/)/.test(one))) {
    const [path = '', id] = link.split('#')
    const target = new URL(path, new URL(document, root))
    const text = await readFile(path === '' ? new URL(document, root) : target, 'utf8').catch(
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'EISDIR') return ''
        throw error
      },
    )
    if (id !== undefined) expect(idsOf(text), link).toContain(id)
  }
})

const withPurpose = ['README.md', 'CHANGELOG.md', 'docs/reference/configuration.md', ...guides, ...decisions]
test.each(withPurpose)('%s starts with a title and its purpose in one line', async (document) => {
  const [title, blank, purpose] = (await read(document)).split('\n')
  expect(title).toMatch(/^# \S/)
  expect(blank).toBe('')
  expect(purpose).toMatch(/^\w.*\.$/)
})

describe('the decisions', () => {
  const idPattern = /^## (\S+): /gm
  const bytesMax = 10 * 1024

  test.each(decisions)('%s numbers and dates each, has no tables, and at most 10 KB', async (document) => {
    const text = await read(document)
    const ids = [...text.matchAll(idPattern)].map(([, id]) => id)
    for (const id of ids) expect(id).toMatch(/^D-[a-z-]+-\d+$/)
    expect([...text.matchAll(/^\d{4}-\d{2}-\d{2}$/gm)]).toHaveLength(ids.length)
    expect(text).not.toMatch(/^\|/m)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax)
  })

  test('have each number once, and those of a feature on one page', async () => {
    const pages = await Promise.all(
      decisions.map(async (page) =>
        [...(await read(page)).matchAll(idPattern)].map(([, id = '']) => ({ id, page })),
      ),
    )
    const all = pages.flat()
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    const pagesOf = Map.groupBy(all, ({ id }) => id.replace(/-\d+$/, ''))
    for (const [feature, ofIt] of pagesOf) expect(new Set(ofIt.map(({ page }) => page)).size, feature).toBe(1)
  })
})

test('the README stays within 8 KB', async () => {
  expect(Buffer.byteLength(await read('README.md'))).toBeLessThanOrEqual(8 * 1024)
})
