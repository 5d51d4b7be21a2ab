import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createUserSeed, publicKeyOf, userSeedIn } from '@probe-mesh/bus/nats/nkey'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findNatsServer } from '../testing/nats-server.ts'
import { parseNatsArguments } from './arguments.ts'
import { serverConfiguration } from './configuration.ts'
import { runNatsConfig } from './run.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'probe-mesh-nats-config-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const run = async (...args: string[]) => {
  const said = { out: '', error: '' }
  const exitCode = await runNatsConfig(args, {
    out: (text) => {
      said.out += text
    },
    error: (text) => {
      said.error += text
    },
  })
  return { exitCode, ...said }
}
const inFolder = (name: string) => join(folder, name)
const seedIn = async (name: string) => userSeedIn(await readFile(inFolder(name), 'utf8')) ?? ''
const configuration = () => readFile(inFolder('nats-server.conf'), 'utf8')

const key = publicKeyOf(createUserSeed())
const plan = { listen: '127.0.0.1:4222', storeDir: '/s', controlPlaneKey: key, agents: [] }

test.each(['', 'fr', 'fraa', 'Fra', 'fr1', 'f"}', '*', '>', 'fra\n'])(
  'a region called %j is refused',
  (region) => {
    const build = () => serverConfiguration({ ...plan, agents: [{ region, key }] })
    expect(build).toThrow(RangeError)
  },
)

test.each(['', key.slice(1), createUserSeed(), `${key}A`, `${key}\n}`])(
  'what is not the public key of a user is refused, and not repeated',
  (wrong) => {
    const build = () => serverConfiguration({ ...plan, controlPlaneKey: wrong })
    expect(build).toThrow(/^the key of the control planes is not the public key of a user$/)
  },
)

test('a path with quotes and backslashes stays one string', () => {
  const text = serverConfiguration({ ...plan, storeDir: 'C:\\a "b"' })
  expect(text).toContain(String.raw`store_dir: "C:\\a \"b\""`)
})

test('nats-server accepts what is written, whose secrets are its users', async () => {
  const { exitCode, out } = await run('--regions', 'iad,fra', '--out', folder)
  expect(exitCode).toBe(0)
  const check = promisify(execFile)(await findNatsServer(), [
    '-t',
    '-c',
    inFolder('nats-server.conf'),
  ])
  expect((await check).stderr).toContain('is valid')
  const names = ['control-plane.nk', 'agent-iad.nk', 'agent-fra.nk']
  expect((await readdir(folder)).toSorted()).toEqual([...names, 'nats-server.conf'].toSorted())
  for (const name of names) {
    const seed = await seedIn(name)
    expect(await configuration()).toContain(publicKeyOf(seed))
    expect(await configuration()).not.toContain(seed)
    expect(out).toContain(inFolder(name))
    expect(out).not.toContain(seed)
    expect((await stat(inFolder(name))).mode & 0o777).toBe(0o600)
    expect((await readNatsCredentials(inFolder(name))).warning).toBeNull()
  }
})

test('it says what to give to each process', async () => {
  const { out } = await run('--regions', 'fra', '--out', folder, '--listen', '10.0.0.1:4333')
  expect(out).toContain(`nats-server -c ${inFolder('nats-server.conf')}`)
  expect(out).toContain(
    `NATS_URL=nats://10.0.0.1:4333 NATS_CREDENTIALS=${inFolder('control-plane.nk')}`,
  )
  expect(out).toContain(
    `REGION=fra NATS_URL=nats://10.0.0.1:4333 AGENT_CREDENTIALS=${inFolder('agent-fra.nk')}`,
  )
  expect(out).toContain('not encrypted')
  expect(await configuration()).toContain('listen: "10.0.0.1:4333"')
})

test('a region is added by running it again: every secret that was there is kept', async () => {
  await run('--regions', 'fra', '--out', folder)
  const before = { control: await seedIn('control-plane.nk'), fra: await seedIn('agent-fra.nk') }
  const { out } = await run('--regions', 'fra,nrt', '--out', folder)
  expect(await seedIn('control-plane.nk')).toBe(before.control)
  expect(await seedIn('agent-fra.nk')).toBe(before.fra)
  expect(out).toMatch(/kept +.*agent-fra\.nk/)
  expect(out).toMatch(/written +.*agent-nrt\.nk/)
  for (const name of ['agent-fra.nk', 'agent-nrt.nk']) {
    expect(await configuration()).toContain(publicKeyOf(await seedIn(name)))
  }
})

test('a region that is left out can connect no more, and its secret is left alone', async () => {
  await run('--regions', 'fra,nrt', '--out', folder)
  const seed = await seedIn('agent-nrt.nk')
  const { out } = await run('--regions', 'fra', '--out', folder)
  expect(await configuration()).not.toContain(publicKeyOf(seed))
  expect(await seedIn('agent-nrt.nk')).toBe(seed)
  expect(out).toMatch(/unused +.*agent-nrt\.nk/)
})

test('a file with the name of a secret that holds none is an error, and stays', async () => {
  await writeFile(inFolder('agent-fra.nk'), 'something of value')
  const { exitCode, error } = await run('--regions', 'fra', '--out', folder)
  expect(exitCode).toBe(1)
  expect(error).toContain(`${inFolder('agent-fra.nk')} is there and holds no seed`)
  expect(await readFile(inFolder('agent-fra.nk'), 'utf8')).toBe('something of value')
  expect(await readdir(folder)).not.toContain('nats-server.conf')
})

test('a folder that cannot be written to is an error', async () => {
  await writeFile(inFolder('file'), '')
  await chmod(inFolder('file'), 0o600)
  const { exitCode, error } = await run('--regions', 'fra', '--out', join(folder, 'file', 'below'))
  expect(exitCode).toBe(1)
  expect(error).toContain('nats-config: ')
})

test('everything that is wrong is said at once', async () => {
  const { exitCode, out, error } = await run(
    '--regions',
    'iad,Fra,iad',
    '--listen',
    '4222',
    '--store',
    '',
    '--colour',
    'stray',
  )
  expect(exitCode).toBe(1)
  expect(out).toBe('')
  for (const problem of [
    '"Fra" is not three lower-case letters',
    '"iad" is there twice',
    '--listen must be HOST:PORT, not 4222',
    '--store needs a value',
    'unknown: --colour',
    'unknown argument: stray',
    '--out is missing',
  ]) {
    expect(error).toContain(problem)
  }
})

test.each([
  ['127.0.0.1:4222', true],
  ['nats.example.com:1', true],
  ['[::1]:65535', true],
  ['127.0.0.1:65536', false],
  ['127.0.0.1:0', false],
  ['127.0.0.1', false],
  ['[::g]:4222', false],
  ['a b:4222', false],
])('--listen %s is taken: %s', (listen, taken) => {
  const parsed = parseNatsArguments(['--regions', 'fra', '--out', folder, `--listen=${listen}`])
  expect(parsed.kind).toBe(taken ? 'run' : 'wrong')
})

test('help is given whatever else is said', async () => {
  const { exitCode, out } = await run('--colour', '--help')
  expect(exitCode).toBe(0)
  expect(out).toContain('--regions')
})
