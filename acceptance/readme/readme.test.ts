import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMeshProcess, type MeshProcess } from '@probe-mesh/infra/testing/mesh-process'

/** Runs the `sh` blocks of the README and of the guides like a reader: in a shell, with curl. */

const run = promisify(execFile)
/** Without internet access each of its services is `no_data`. */
const builtInCatalog = { CATALOG_FILE: '' }
const root = new URL('../../', import.meta.url)
const folder = testFolder('readme-')
let mesh: MeshProcess

beforeAll(async () => {
  mesh = await createMeshProcess({ dataDir: join(folder, '.data'), environment: builtInCatalog })
  await mesh.start()
})
afterAll(async () => {
  expect(await mesh.stop()).toBe(0)
})

type Example = { command: string; promised: string }

/** The commands of a document's shell blocks, each with the comments that describe its output. */
const examplesOf = async (document: string): Promise<Example[]> => {
  const text = await readFile(new URL(document, root), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
  return blocks
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n\n')
    .flatMap((paragraph) => {
      const lines = paragraph.split('\n').filter((line) => line.trim() !== '')
      const promised = lines.filter((line) => line.startsWith('#')).join(' ')
      return lines.filter((line) => !line.startsWith('#')).map((command) => ({ command, promised }))
    })
}

const guides = (await readdir(new URL('docs/guides/', root))).map((name) => `docs/guides/${name}`)
const documents = await Promise.all(
  ['README.md', ...guides.toSorted()].map(async (document) => ({
    document,
    examples: await examplesOf(document),
  })),
)
const runnable = documents.filter(({ examples }) => examples.length > 0)

/** The field names in a document, which the output must contain. */
const fieldsOf = (text: string): string[] =>
  [...text.matchAll(/"([A-Za-z]+)":/g)].map((match) => match[1] ?? '')

const isKey = ({ command }: Example): boolean => command.startsWith('KEY=')
const isStream = ({ command }: Example): boolean => command.includes('/events')

const inShell = async (command: string): Promise<string> => {
  const { mcpUrl } = await mesh.credentials()
  const typed = command
    .replaceAll('http://127.0.0.1:8080/v1', mesh.apiUrl)
    .replaceAll('http://127.0.0.1:8081', mcpUrl.replace(/\/mcp$/, ''))
  const { stdout } = await run('bash', ['-c', typed], { cwd: folder, timeout: 20_000 })
  return stdout
}

/** Runs a command in a shell, and retries if a busy machine answers so. */
const typedBy = async (command: string, triesLeft = 5): Promise<string> => {
  const output = await inShell(command)
  if (triesLeft === 0 || !output.includes('"code":"SV-9002"')) return output
  return typedBy(command, triesLeft - 1)
}

describe.each(runnable)('$document', ({ examples }) => {
  const key = examples.find(isKey)?.command ?? ''
  const commands = examples.filter((example) => !isKey(example))

  test('every command works and prints the documented fields', async () => {
    let id = ''
    for (const { command, promised } of commands.filter((example) => !isStream(example))) {
      if (command.includes('$KEY')) expect(key, command).not.toBe('')
      const output = await typedBy(`${key}\n${command.replaceAll('<id>', id)}`)
      const json: unknown = JSON.parse(output)
      for (const field of fieldsOf(promised)) expect(output, command).toContain(`"${field}":`)
      expect(output, command).not.toContain('"code":"SV-')
      if (typeof json === 'object' && json !== null && 'id' in json) id = String(json.id)
    }
  })

  test.each(commands.filter(isStream))('the event stream responds', async ({ command }) => {
    const opened = command.replace('curl -sN', 'curl -sN -D-')
    /** Reads to the end of the headers, because the stream itself has no end. */
    const output = await inShell(`${key}\nsed '/^\\r*$/q' < <(exec 2>/dev/null\n${opened}\n)`)
    expect(output).toMatch(/^HTTP\/1.1 200/)
    expect(output).toContain('text/event-stream')
  })
})

test('the README and the guides keep their examples', () => {
  const countIn = (document: string): number =>
    runnable.find((one) => one.document === document)?.examples.filter((one) => !isKey(one)).length ?? 0
  expect(runnable.map((one) => [one.document, countIn(one.document)])).toEqual(
    expect.arrayContaining([
      ['README.md', 5],
      ['docs/guides/alerts.md', 2],
      ['docs/guides/api.md', 7],
      ['docs/guides/assistants.md', 1],
      ['docs/guides/is-it-down.md', 4],
      ['docs/guides/status-pages.md', 1],
    ]),
  )
})
