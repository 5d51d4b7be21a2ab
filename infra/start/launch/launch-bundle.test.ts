import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { testFolder } from '../../testing/folder.ts'
import { bundlesFolder } from './bundles.mjs'

/** A checkout with the launcher, the builder and its packages, whose agent prints how it was started. */
let root = ''
const entry = 'infra/start/processes/agent.ts'
const project = fileURLToPath(new URL('../../..', import.meta.url))

const agent = (said: string): string => `const text: string = '${said}'
console.log(JSON.stringify({ text, file: process.argv[1], args: process.argv.slice(2), flags: process.execArgv,
  pool: process.env.MALLOC_ARENA_MAX, cache: process.env.NODE_COMPILE_CACHE }))
`

beforeEach(async () => {
  root = testFolder('probe-mesh-launch-bundle-')
  await mkdir(join(root, 'infra/start/processes'), { recursive: true })
  for (const folder of ['launch', 'bundle']) {
    const own = join(project, 'infra/start', folder)
    await mkdir(join(root, 'infra/start', folder))
    const kept = folder === 'launch' ? /\.mjs$/ : /^(?!.*\.test).*\.ts$/
    for (const name of (await readdir(own)).filter((name) => kept.test(name)))
      await cp(join(own, name), join(root, 'infra/start', folder, name))
  }
  await writeFile(join(root, 'package.json'), '{"name":"tiny","type":"module"}')
  await writeFile(
    join(root, 'package-lock.json'),
    '{"name":"tiny","lockfileVersion":3,"requires":true,"packages":{"":{"name":"tiny"}}}',
  )
  // as after an install
  await mkdir(join(root, 'node_modules/@jridgewell'), { recursive: true })
  for (const name of ['rolldown', '@jridgewell/sourcemap-codec'])
    await symlink(join(project, 'node_modules', name), join(root, 'node_modules', name))
  await writeFile(join(root, 'node_modules/.package-lock.json'), '{"packages":{}}')
  await writeFile(join(root, entry), agent('first'))
})

type Run = { told: { text: string; file: string; flags: string[] } & Record<string, unknown>; err: string }

const launch = async (
  script: 'launch' | 'run',
  given: string[],
  {
    as,
    node = process.execPath,
    ...environment
  }: { as?: number; node?: string } & Record<string, unknown> = {},
): Promise<Run> => {
  const child = spawn(node, [join(root, `infra/start/launch/${script}.mjs`), ...given], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: '', ...environment } as NodeJS.ProcessEnv,
    ...(as === undefined ? {} : { uid: as, gid: as }),
  })
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  await once(child, 'close')
  const said = Buffer.concat(err).toString()
  const text = Buffer.concat(out).toString()
  if (text === '') throw new Error(said)
  return { told: JSON.parse(text), err: said }
}

const bundles = (): Promise<string[]> => readdir(bundlesFolder(root, 'agent')).catch(() => [])
const inBundle = (): RegExp => new RegExp(`^${bundlesFolder(root, 'agent')}/[^/]+/agent\\.mjs$`)

test('the launcher bundles a program at its first start, with limits of memory, and starts that bundle again', async () => {
  const first = await launch('launch', [entry, '--help', 'a b'])
  expect(first.err).toBe('')
  expect(first.told).toMatchObject({ text: 'first', args: ['--help', 'a b'], pool: '2' })
  expect(first.told.file).toMatch(inBundle())
  expect(first.told.flags).toEqual(
    expect.arrayContaining(['--max-semi-space-size=8', '--enable-source-maps']),
  )
  // code that V8 compiled goes with its bundle
  expect(first.told['cache']).toMatch(new RegExp(`^${bundlesFolder(root, 'agent')}/`))
  const second = await launch('launch', [entry])
  expect(second.told.file).toBe(first.told.file)
  expect(await bundles()).toHaveLength(1)
})

test('a start after an edit runs the edit', async () => {
  await launch('launch', [entry])
  await writeFile(join(root, entry), agent('other'))
  expect((await launch('run', ['agent'])).told).toMatchObject({ text: 'other', file: join(root, entry) })
  const { told } = await launch('launch', [entry])
  expect(told).toMatchObject({ text: 'other', file: expect.stringMatching(inBundle()) })
})

test('a start with another builder makes another bundle', async () => {
  const { told } = await launch('launch', [entry])
  const builder = join(root, 'infra/start/bundle/lines-only.ts')
  await writeFile(builder, `${await readFile(builder, 'utf8')}\n`)
  const next = await launch('launch', [entry])
  expect(next.told.file).toMatch(inBundle())
  expect(next.told.file).not.toBe(told.file)
})

test('two starts at once make one bundle', async () => {
  const both = await Promise.all([launch('launch', [entry]), launch('launch', [entry])])
  expect(both[0].told.file).toMatch(inBundle())
  expect(both[1].told.file).toBe(both[0].told.file)
  expect(await bundles()).toHaveLength(1)
})

test('sources that cannot be bundled run, with the reason in a line', async () => {
  await writeFile(
    join(root, entry),
    `${agent('first')}if (process.argv[2] === 'x') await import('no-such-package')\n`,
  )
  const { told, err } = await launch('launch', [entry])
  expect(told).toMatchObject({ text: 'first', file: join(root, entry) })
  expect(err).toMatch(
    /^probe-mesh: starting from the sources, because agent could not be bundled: npm run bundle\n$/,
  )
  expect(await bundles()).toEqual([])
})

const canBeOther = process.getuid?.() === 0

test.skipIf(!canBeOther)('a copy that its user may not change runs its bundle, or its sources', async () => {
  const other = 65_534
  await chmod(root, 0o755)
  // ours may lie in a folder that others cannot enter
  const node = join(root, 'node')
  await copyFile(process.execPath, node)
  await chmod(node, 0o755)
  const sources = await launch('launch', [entry], { as: other, node })
  expect(sources.told.file).toBe(join(root, entry))
  expect(sources.err).toMatch(/^probe-mesh: starting from the sources: EACCES.*\n$/)
  const { told } = await launch('launch', [entry])
  for (const [script, given] of [
    ['launch', [entry]],
    ['run', ['agent']],
  ] as const) {
    const read = await launch(script, [...given, '--help'], { as: other, node })
    expect(read).toMatchObject({ told: { file: told.file, args: ['--help'] }, err: '' })
  }
})

test('NODE_OPTIONS of the operator replace a limit', async () => {
  const { told } = await launch('launch', [entry], {
    NODE_OPTIONS: '--max-semi-space-size=32',
    MALLOC_ARENA_MAX: '7',
  })
  expect(told.flags.filter((flag) => flag.includes('semi'))).toEqual([])
  expect(told['pool']).toBe('7')
})

test('no command of npm but the programs is bundled', async () => {
  await writeFile(join(root, 'other.ts'), agent('other'))
  expect((await launch('launch', ['other.ts'])).told.file).toBe(join(root, 'other.ts'))
  expect(await bundles()).toEqual([])
  expect(await readFile(join(project, 'package.json'), 'utf8')).toContain(
    'launch.mjs infra/start/bundle/main.ts',
  )
})
