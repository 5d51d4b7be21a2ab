import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testFolder } from '../folder.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { commandLine } from '../../start/embedded/command-line.ts'
import { createCommandPart } from './command-part.ts'
import type { Part } from './part.ts'

let folder = ''
const parts: Part[] = []

beforeEach(() => {
  folder = testFolder('part-')
})
afterEach(async () => {
  await Promise.all(parts.splice(0).map((part) => part.close()))
})

const writePid = (name: string) => `require('fs').writeFileSync('${join(folder, name)}', ''+process.pid);`
const createPart = (script: string): Part => {
  const part = createCommandPart({
    name: 'a part',
    command: [process.execPath, '-e', script],
    environment: {},
    logFile: join(folder, 'log'),
    isReady: async () => (await readFile(join(folder, 'ready'), 'utf8')) !== '',
  })
  parts.push(part)
  return part
}
const pidIn = async (name: string): Promise<number> => Number(await readFile(join(folder, name), 'utf8'))
const isGone = (pid: number) => vi.waitFor(async () => expect(await commandLine(pid)).toBeNull())

test('kills a part with its children and restarts it', async () => {
  const child = `${writePid('child').replaceAll("'", '"')} setInterval(() => {}, 1e3)`
  const part = createPart(
    `require('child_process').spawn(process.execPath, ['-e', '${child}'], { stdio: 'ignore' });
     setInterval(() => require('fs').existsSync('${join(folder, 'child')}') && (() => {${writePid('ready')}})(), 10)`,
  )
  await part.start()
  expect(part.isAlive).toBe(true)
  await part.kill()
  expect(part.isAlive).toBe(false)
  await isGone(await pidIn('ready'))
  await isGone(await pidIn('child'))
  await part.start()
  expect(part.isAlive).toBe(true)
})

test('reports the output of a part that ends before it is ready', async () => {
  const part = createPart(`console.error('no such disk'); process.exit(3)`)
  await expect(part.start()).rejects.toThrow(/a part ended with 3; it printed:\nno such disk/)
})

test('stops a part with its own exit code', async () => {
  const part = createPart(
    `process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1e3); ${writePid('ready')}`,
  )
  await part.start()
  expect(await part.stop()).toBe(7)
  expect(part.isAlive).toBe(false)
})

test('ends a part with its parent process, even a frozen part', async () => {
  const owner = fork(fileURLToPath(new URL('part-owner.fixture.ts', import.meta.url)), [folder], {
    execArgv: [],
  })
  const [pid] = await once(owner, 'message')
  owner.kill('SIGKILL')
  await isGone(Number(pid))
})
