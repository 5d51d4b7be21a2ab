import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { bundlesFolder, currentBundle, removeOldBundles, startOf } from '../launch/bundles.mjs'
import { testFolder } from '../../testing/folder.ts'
import { buildBundle } from './build.ts'

const run = promisify(execFile)
const program = { name: 'tiny', entry: 'part/main.ts' }
let root = ''
let builds = 0

/** A project of one program that loads a part late, starts a thread, and reads a file beside its source. */
const sources: Readonly<Record<string, string>> = {
  'package.json': '{"name":"all","workspaces":["part"],"type":"module"}',
  'part/package.json': '{"name":"part","type":"module"}',
  'part/main.ts': `import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { fail } from './fail.ts'
import settings from './settings.json' with { type: 'json' }
const text: string = readFileSync(new URL('beside.sql', import.meta.url), 'utf8')
const thread = new Worker(new URL('thread.ts', import.meta.url))
thread.on('message', async (said: string) => {
  const { late } = await import('./late.ts')
  console.log(JSON.stringify({ text, said, late, setting: settings.a }))
  try { fail() } catch (error) { console.log((error as Error).stack) }
})
`,
  'part/fail.ts': `// a comment

type Gone = { a: string }
export const fail = (): Gone => {
  throw new Error('on line 5')
}
`,
  'part/late.ts': `export const late: string = 'loaded'\n`,
  'part/thread.ts': `import { parentPort } from 'node:worker_threads'
parentPort?.postMessage('from the thread' as string)
`,
  'part/beside.sql': 'select 1',
  'part/settings.json': '{"a":1}',
}

beforeEach(async () => {
  root = testFolder('probe-mesh-bundle-')
  await mkdir(join(root, 'part'))
  for (const [name, text] of Object.entries(sources)) await writeFile(join(root, name), text)
})

const build = async (): Promise<string> => {
  const out = join(bundlesFolder(root, program.name), `${1_000 + builds++}-1`)
  await buildBundle({ root, program, out })
  return out
}
const start = async (bundle: string): Promise<string> => {
  const file = join(bundle, startOf(program.name))
  const { stdout } = await run(process.execPath, ['--enable-source-maps', file], { cwd: '/' })
  return stdout
}

test('a bundle has its threads, its late parts and the files beside its sources, and its stacks name sources', async () => {
  const bundle = await build()
  // what runs is in the bundle: neither is read again
  for (const name of ['main', 'fail', 'late', 'thread']) await rm(join(root, `part/${name}.ts`))
  const [told = '', ...stack] = (await start(bundle)).split('\n')
  expect(JSON.parse(told)).toEqual({ text: 'select 1', said: 'from the thread', late: 'loaded', setting: 1 })
  expect(stack.join('\n')).toMatch(/part\/fail\.ts:5:/)
  expect(readdirSync(bundle).filter((name) => name.endsWith('.mjs'))).toHaveLength(3)
})

test('a bundle reads its program from a folder of its own, which may be elsewhere', async () => {
  const out = join(testFolder('probe-mesh-elsewhere-'), 'tiny')
  await buildBundle({ root, program, out })
  expect(await start(out)).toContain('"text":"select 1"')
})

test.each<[string, () => Promise<void>]>([
  ['a source is edited', () => writeFile(join(root, 'part/fail.ts'), `${sources['part/fail.ts']} `)],
  ['a late part is edited', () => writeFile(join(root, 'part/late.ts'), `export const late = 'edited'\n`)],
  ['a thread is edited', () => writeFile(join(root, 'part/thread.ts'), `${sources['part/thread.ts']}\n`)],
  ['data in it is edited', () => writeFile(join(root, 'part/settings.json'), '{"a":2}')],
  ['a source of the same size is put back', () => utimes(join(root, 'part/main.ts'), 1, 1)],
  ['a source is removed', () => rm(join(root, 'part/fail.ts'))],
  [
    'a manifest changes',
    () => writeFile(join(root, 'part/package.json'), '{"name":"part","type":"module" }'),
  ],
  [
    'packages are installed',
    async () => {
      await mkdir(join(root, 'node_modules'))
      await writeFile(join(root, 'node_modules/.package-lock.json'), '{}')
    },
  ],
  ['its stamp is cut off', async () => writeFile(join(await build(), 'built-from.json'), '{"packages"')],
])('a bundle is not used once %s', async (what, change) => {
  if (!what.startsWith('its stamp')) {
    const bundle = await build()
    expect(currentBundle(root, program.name)).toBe(bundle)
  }
  await change()
  expect(currentBundle(root, program.name)).toBeNull()
})

test('a project and a folder may have any name', async () => {
  const name = `a b'c"#d%20e?é$&`
  const [from, to] = [join(root, name), join(testFolder('probe-mesh-odd-'), name)]
  await mkdir(join(from, 'part'), { recursive: true })
  for (const [file, text] of Object.entries(sources)) await writeFile(join(from, file), text)
  const out = join(bundlesFolder(from, program.name), '1000-1')
  await buildBundle({ root: from, program, out })
  expect(await start(out)).toContain('"text":"select 1"')
  expect(currentBundle(from, program.name)).toBe(out)
  await buildBundle({ root: from, program, out: to })
  expect(await start(to)).toContain('"text":"select 1"')
})

test.each(['tiny.mjs', 'part-thread.mjs', 'tiny-late'])(
  'a bundle whose %s is empty or gone is not used, as after a loss of power',
  async (part) => {
    for (const spoil of [(file: string) => writeFile(file, ''), rm]) {
      const bundle = await build()
      expect(currentBundle(root, program.name)).toBe(bundle)
      const name = readdirSync(bundle).find((one) => one.startsWith(part) && one.endsWith('.mjs'))
      await spoil(join(bundle, name ?? ''))
      expect(currentBundle(root, program.name)).toBeNull()
    }
  },
)

test('a file that a program reads at its start may change without a new bundle', async () => {
  const bundle = await build()
  await writeFile(join(root, 'part/beside.sql'), 'select 2')
  expect(currentBundle(root, program.name)).toBe(bundle)
  expect(await start(bundle)).toContain('"text":"select 2"')
})

test('a build that fails leaves nothing, and one that was killed leaves nothing that runs', async () => {
  await writeFile(join(root, 'part/fail.ts'), 'export const fail = (')
  await expect(build()).rejects.toThrow('fail.ts')
  await writeFile(join(root, 'part/fail.ts'), `import 'no-such-package'\nexport const fail = 1`)
  await expect(build()).rejects.toThrow('no-such-package')
  const folder = bundlesFolder(root, program.name)
  expect(readdirSync(folder)).toEqual([])
  // above the highest process id; the other is at work
  const atWork = `.${process.pid}-2000-1`
  for (const name of ['.4194305-2000-1', atWork]) await mkdir(join(folder, name))
  expect(currentBundle(root, program.name)).toBeNull()
  removeOldBundles(root, program.name)
  expect(readdirSync(folder)).toEqual([atWork])
})

test('the three newest bundles stay, and every one that a process uses', async () => {
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.push(await build())
  await mkdir(join(made[0] ?? '', 'used-by'))
  await symlink('/dev/null', join(made[0] ?? '', 'used-by', String(process.pid)))
  await mkdir(join(made[1] ?? '', 'used-by'))
  // above the highest process id
  await symlink('/dev/null', join(made[1] ?? '', 'used-by', '4194305'))
  removeOldBundles(root, program.name)
  expect(made.map((folder) => existsSync(folder))).toEqual([true, false, true, true, true])
})
