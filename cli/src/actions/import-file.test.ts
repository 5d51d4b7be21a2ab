import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, expect, test } from 'vitest'
import { runCommandLine } from '../command-line/create-program.ts'
import { allCommands } from '../commands/all-commands.ts'
import { testContext } from '../terminal/testing.ts'

const folder = testFolder('service-')
afterAll(() => rm(folder, { recursive: true }))

const write = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}
const run = async (...args: string[]) => {
  const context = testContext()
  return {
    exitCode: await runCommandLine(allCommands, context, ['import', ...args]),
    ...context.written,
  }
}
const gatus = `
endpoints:
  - name: site
    url: https://example.org/
    conditions: ["[STATUS] == 200", "[RESPONSE_TIME] < 300"]
  - name: router
    url: icmp://example.org
    conditions: ["[CONNECTED] == true"]
`
const asChecks = `\
version: 1
checks:
  - name: site
    url: https://example.org/
    intervalSeconds: 60
    assertionStatusMin: 200
    assertionStatusMax: 200
`

test('prints the checks on standard output and names what was not imported', async () => {
  const { exitCode, out, err } = await run(await write('config.yaml', gatus))
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: asChecks })
  expect(err).toContain('\n  site: conditions[1]: ')
  expect(err).toMatch(/\nSkipped:\n {2}router: url: .*\n$/)
})

test('writes the checks to a file, and prints the whole result as JSON', async () => {
  const [source, file] = [await write('config.yaml', gatus), join(folder, 'checks.yaml')]
  expect(await run(source, '-f', file)).toMatchObject({
    exitCode: 0,
    out: `Wrote 1 check to ${file}.\n`,
  })
  expect(await readFile(file, 'utf8')).toBe(asChecks)
  const { exitCode, out, err } = await run(source, '--json')
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
  expect(JSON.parse(out)).toMatchObject({
    version: 1,
    checks: [{ name: 'site' }],
    skipped: [{ name: 'router', field: 'url' }],
  })
})

test('reads an Uptime Kuma database with any file name', async () => {
  const path = join(folder, 'data')
  const database = new DatabaseSync(path)
  database.exec(`create table monitor (id integer primary key, name text, type text, url text, active boolean, interval integer);
    insert into monitor values (1, 'web', 'http', 'https://example.org/', 1, 120)`)
  database.close()
  const { exitCode, out } = await run(path)
  expect(exitCode).toBe(0)
  expect(out).toContain('  - name: web\n    url: https://example.org/\n    intervalSeconds: 120\n')
})

test.each([
  ['no such file', 'absent.yaml', null, 'absent.yaml: file not found\n'],
  ['a file of nobody', 'notes.md', '# notes', 'notes.md: the file format is unknown: '],
  ['a broken one', 'broken.yaml', 'endpoints: 5', 'broken.yaml: endpoints'],
])('refuses %s and writes nothing', async (_, name, text, message) => {
  const source = text === null ? join(folder, name) : await write(name, text)
  const file = join(folder, 'unwritten.yaml')
  const ran = await run(source, '-f', file)
  expect(ran).toMatchObject({ exitCode: 1, out: '' })
  expect(ran.err).toContain(message)
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})
