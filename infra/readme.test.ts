import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMeshProcess } from './testing/mesh-process.ts'
import type { MeshProcess } from './testing/mesh-process.ts'

/** The README's first minute, its answers and its channel, typed the way a reader would: in a shell, with curl. */

const run = promisify(execFile)
/** Without the internet, as here, each of its services is `no_data`. */
const builtInCatalog = { CATALOG_FILE: '' }
let folder: string
let mesh: MeshProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readme-'))
  mesh = await createMeshProcess({ dataDir: join(folder, '.data'), environment: builtInCatalog })
  await mesh.start()
})
afterAll(async () => {
  expect(await mesh.stop()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

type Example = { command: string; promised: string }

/** The commands of the README's shell blocks, each with the comment lines that say what it prints. */
const readmeExamples = async (): Promise<Example[]> => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
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

/** Every field name that the README shows must stand in what is printed. */
const fieldsOf = (text: string): string[] =>
  [...text.matchAll(/"([A-Za-z]+)":/g)].map((match) => match[1] ?? '')

const inShell = async (command: string): Promise<string> => {
  const { mcpUrl } = await mesh.credentials()
  const typed = command
    .replaceAll('http://127.0.0.1:8080/v1', mesh.apiUrl)
    .replaceAll('http://127.0.0.1:8081', mcpUrl.replace(/\/mcp$/, ''))
  const { stdout } = await run('bash', ['-c', typed], { cwd: folder, timeout: 20_000 })
  return stdout
}

/** What is printed by a reader's shell, who tries again shortly where a busy machine asks for that. */
const typedBy = async (command: string, triesLeft = 5): Promise<string> => {
  const output = await inShell(command)
  if (triesLeft === 0 || !output.includes('"code":"SV-9002"')) return output
  return typedBy(command, triesLeft - 1)
}

test('every line of it works, and prints the fields that the README shows', async () => {
  const [key, ...examples] = await readmeExamples()
  if (key === undefined) throw new Error('the README has no first minute')
  expect(key.command).toMatch(/^KEY=/)
  let id = ''
  for (const { command, promised } of examples) {
    if (command.includes('/events')) continue
    const output = await typedBy(`${key.command}; ${command.replaceAll('<id>', id)}`)
    const json: unknown = JSON.parse(output)
    for (const field of fieldsOf(promised)) expect(output, command).toContain(`"${field}":`)
    expect(output, command).not.toContain('"code":"SV-')
    if (typeof json === 'object' && json !== null && 'id' in json) id = String(json.id)
  }
  expect(id).not.toBe('')
  expect(examples.filter(({ command }) => command.startsWith('curl'))).toHaveLength(13)
})

test('the stream of events answers the way the README opens it', async () => {
  const examples = await readmeExamples()
  const [key] = examples
  const events = examples.find(({ command }) => command.includes('/events'))?.command ?? ''
  const output = await inShell(
    `${key?.command}; ${events.replace('curl -sN', 'curl -sN -D- --max-time 2')}\n true`,
  )
  expect(output).toMatch(/^HTTP\/1.1 200/)
  expect(output).toContain('text/event-stream')
})
