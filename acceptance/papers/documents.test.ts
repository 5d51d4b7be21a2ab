import { access, readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'

/** The README, the guides and the decisions: their links work, and they stay short and plain. */

const root = new URL('../../', import.meta.url)
const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(new URL(folder, root))).toSorted().map((name) => `${folder}${name}`)
const read = (document: string): Promise<string> => readFile(new URL(document, root), 'utf8')

const decisions = await namesIn('docs/decisions/')
const guides = await namesIn('docs/guides/')
const documents = ['README.md', 'CHANGELOG.md', 'docs/reference/configuration.md']

describe.each([...documents, ...guides, ...decisions])('%s', (document) => {
  test('links to files that exist', async () => {
    const links = [...(await read(document)).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    const paths = links.map((link) => link[1] ?? '').filter((path) => !/^[a-z]+:/.test(path))
    for (const path of paths) await access(new URL(path, new URL(document, root)))
  })

  test('starts with a title and its purpose in one line', async () => {
    const [title, blank, purpose] = (await read(document)).split('\n')
    expect(title).toMatch(/^# \S/)
    expect(blank).toBe('')
    expect(purpose).toMatch(/^\w.*\.$/)
  })
})

describe.each(decisions)('%s', (document) => {
  test('numbers its decisions, dates each and has no tables', async () => {
    const text = await read(document)
    const feature = document.replace('docs/decisions/', '').replace('.md', '')
    const ids = [...text.matchAll(/^## (\S+): /gm)].map((match) => match[1])
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(new RegExp(`^D-${feature}-\\d+$`))
    expect([...text.matchAll(/^\d{4}-\d{2}-\d{2}$/gm)]).toHaveLength(ids.length)
    expect(text).not.toMatch(/^\|/m)
  })
})

test('the README stays within 8 KB', async () => {
  expect(Buffer.byteLength(await read('README.md'))).toBeLessThanOrEqual(8 * 1024)
})
