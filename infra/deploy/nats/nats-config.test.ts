import { execFile } from 'node:child_process'
import { chmod, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publicKeyOfSeed, seedIn } from '@probe-mesh/bus/nats/seeds'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { testFolder } from '../../testing/folder.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findNatsServer } from '../../testing/nats-server.ts'
import { parseNatsArguments } from './arguments.ts'
import { serverConfiguration } from './configuration.ts'
import { runNatsConfig } from './run.ts'

let folder = ''
beforeEach(() => {
  folder = testFolder('probe-mesh-nats-config-')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const run = async (...args: string[]) => {
  const output = { out: '', error: '' }
  const exitCode = await runNatsConfig(args, {
    out: (text) => {
      output.out += text
    },
    error: (text) => {
      output.error += text
    },
  })
  return { exitCode, ...output }
}
const inFolder = (name: string) => join(folder, name)
const read = (name: string) => readFile(inFolder(name), 'utf8')
const keyIn = async (name: string) => publicKeyOfSeed(seedIn(await read(`keys/${name}`), 'account') ?? '')

test('writes a path with quotes and backslashes as one string', () => {
  const text = serverConfiguration({
    listen: '127.0.0.1:4222',
    storeDir: 'C:\\a "b"',
    accountsDir: '/a',
    operatorToken: 'x',
    tls: null,
    cluster: null,
    leafListen: null,
  })
  expect(text).toContain(String.raw`store_dir: "C:\\a \"b\""`)
})

test('writes a configuration that nats-server accepts, without secrets', async () => {
  const { exitCode, out } = await run('--regions', 'iad,fra', '--out', folder)
  expect(exitCode).toBe(0)
  const names = ['accounts.conf', 'agents.json', 'control-plane.creds', 'keys', 'nats-server.conf']
  expect((await readdir(folder)).toSorted()).toEqual(names)
  const check = promisify(execFile)(await findNatsServer(), ['-t', '-c', inFolder('nats-server.conf')])
  expect((await check).stderr).toContain('is valid')
  const ofServers = (await read('nats-server.conf')) + (await read('accounts.conf'))
  for (const region of ['iad', 'fra']) {
    expect(ofServers).toContain(await keyIn(`region-${region}.nk`))
  }
  const secrets = (await readdir(inFolder('keys'))).map((name) => `keys/${name}`)
  expect(secrets).toHaveLength(8)
  for (const name of [...secrets, 'control-plane.creds']) {
    const [seed = ''] = /\bS[OAU][A-Z2-7]{56}\b/.exec(await read(name)) ?? []
    expect(seed).not.toBe('')
    expect(ofServers).not.toContain(seed)
    expect(out).toContain(inFolder(name))
    expect(out).not.toContain(seed)
    expect((await stat(inFolder(name))).mode & 0o777).toBe(0o600)
  }
  expect((await readNatsCredentials(inFolder('control-plane.creds'))).warning).toBeNull()
})

test('prints the settings of each process', async () => {
  const tls = ['--tls-cert', '/c.pem', '--tls-key', '/k.pem']
  const listen = ['--listen', '10.0.0.1:4333']
  const { out } = await run('--regions', 'fra', '--out', folder, ...listen, ...tls)
  expect(out).toContain(`nats-server -c ${inFolder('nats-server.conf')}`)
  expect(out).toContain(`NATS_URL=tls://10.0.0.1:4333 NATS_CREDENTIALS=${inFolder('control-plane.creds')}`)
  expect(out).toContain('agent enroll --region fra')
  expect(out).toContain('AGENT_CREDENTIALS=agent-fra.creds')
  expect(out).not.toContain('not encrypted')
  const configuration = await read('nats-server.conf')
  expect(configuration).toContain('listen: "10.0.0.1:4333"')
  expect(configuration).toContain('cert_file: "/c.pem"')
})

test.each([
  ['10.0.0.1:4333', [], /beyond the loopback/],
  ['0.0.0.0:4222', ['--tls-cert', '/c.pem'], /--tls-key is missing[^]*beyond the loopback/],
  ['127.0.0.1:4222', ['--tls-key', '/k.pem'], /--tls-cert is missing/],
])('refuses to listen on %s with %j', async (listen, flags, problem) => {
  const region = ['--regions', 'fra', '--out', folder]
  const { exitCode, error } = await run(...region, '--listen', listen, ...flags)
  expect(exitCode).toBe(1)
  expect(error).toMatch(problem)
  expect(await readdir(folder)).toEqual([])
})

test('warns of unencrypted traffic beyond the loopback without TLS', async () => {
  const flags = ['--listen', '10.0.0.1:4333', '--unencrypted']
  const { exitCode, out } = await run('--regions', 'fra', '--out', folder, ...flags)
  expect(exitCode).toBe(0)
  expect(out).toContain('not encrypted')
})

test('adds a region in a second run and keeps every existing secret', async () => {
  await run('--regions', 'fra', '--out', folder)
  const before = await Promise.all(
    ['control-plane.creds', 'keys/region-fra.nk', 'keys/operator.nk'].map(read),
  )
  const { out } = await run('--regions', 'fra,nrt', '--out', folder)
  expect(
    await Promise.all(['control-plane.creds', 'keys/region-fra.nk', 'keys/operator.nk'].map(read)),
  ).toEqual(before)
  expect(out).toMatch(/kept +.*region-fra\.nk/)
  expect(out).toMatch(/written +.*region-nrt\.nk/)
  for (const region of ['fra', 'nrt']) {
    expect(await read('accounts.conf')).toContain(await keyIn(`region-${region}.nk`))
  }
})

test.each([
  ['keys/region-fra.nk', 'keys/region-fra.nk exists and has no seed'],
  ['control-plane.creds', 'control-plane.creds holds no NATS credentials'],
])('refuses a file %s without a secret and does not change it', async (name, problem) => {
  await run('--regions', 'fra', '--out', folder)
  await writeFile(inFolder(name), 'something of value')
  const before = await read('accounts.conf')
  const { exitCode, error } = await run('--regions', 'fra,nrt', '--out', folder)
  expect(exitCode).toBe(1)
  expect(error).toContain(problem)
  expect(await read(name)).toBe('something of value')
  expect(await read('accounts.conf')).toBe(before)
})

test('reports a folder that is not writable', async () => {
  await writeFile(inFolder('file'), '')
  await chmod(inFolder('file'), 0o600)
  const { exitCode, error } = await run('--regions', 'fra', '--out', join(folder, 'file', 'below'))
  expect(exitCode).toBe(1)
  expect(error).toContain('nats-config: ')
})

test('lists every problem', async () => {
  const { exitCode, out, error } = await run(
    '--regions',
    'iad,Fra,iad',
    '--listen',
    '4222',
    '--store',
    '',
    '--tls-key',
    '/k.pem',
    '--colour',
    'stray',
  )
  expect(exitCode).toBe(1)
  expect(out).toBe('')
  for (const problem of [
    '"Fra" is not three lower-case letters',
    '"iad" is listed twice',
    '--listen must be HOST:PORT, not 4222',
    '--store needs a value',
    '--tls-cert is missing',
    'unknown option: --colour',
    'takes no arguments, not stray',
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
])('accepts --listen %s: %s', (listen, accepted) => {
  const parsed = parseNatsArguments([
    '--unencrypted',
    '--regions',
    'fra',
    '--out',
    folder,
    `--listen=${listen}`,
  ])
  expect(parsed.kind).toBe(accepted ? 'run' : 'wrong')
})

test('prints help with any other arguments', async () => {
  const { exitCode, out } = await run('--colour', '--help')
  expect(exitCode).toBe(0)
  expect(out).toContain('--regions')
})

const tls = ['--tls-cert', '/c.pem', '--tls-key', '/k.pem', '--tls-ca', '/ca.pem']
const cluster = ['--cluster', 'nats-1:6222,nats-2:6222,nats-3:6222']

test('gives servers of a cluster the same file and mutual TLS', async () => {
  const region = ['--regions', 'fra', '--out', folder, '--listen', '0.0.0.0:4222']
  const leaves = ['--leaf-listen', '0.0.0.0:7422']
  const { exitCode, out } = await run(...region, ...cluster, ...leaves, ...tls)
  expect(exitCode).toBe(0)
  const configuration = await read('nats-server.conf')
  expect(configuration).toContain('listen: "0.0.0.0:6222"')
  expect(configuration).toContain('"nats-route://nats-2:6222"')
  expect(configuration).toMatch(/cluster \{[^}]*ca_file: "\/ca.pem", verify: true/)
  expect(configuration).toMatch(/leafnodes \{[^}]*listen: "0.0.0.0:7422"/)
  for (const name of ['nats-1', 'nats-2', 'nats-3']) expect(out).toContain(`--name ${name}\n`)
})

test('writes a complete folder for a leaf node, without data of other regions', async () => {
  await run('--regions', 'fra,iad', '--out', folder)
  const leaf = ['--leaf', 'fra', '--hub', 'hub.example.com:7422', '--out', folder]
  const { exitCode, out } = await run(...leaf, '--tls-ca', '/ca.pem')
  expect(exitCode).toBe(0)
  expect((await readdir(inFolder('leaf-fra'))).toSorted()).toEqual([
    'accounts.conf',
    'leaf.creds',
    'nats-server.conf',
  ])
  const configuration = await read('leaf-fra/nats-server.conf')
  expect(configuration).toContain('"tls://hub.example.com:7422"')
  expect(configuration).toContain(`account: ${await keyIn('region-fra.nk')}`)
  expect(configuration).toContain('ca_file: "/ca.pem"')
  const accounts = await read('leaf-fra/accounts.conf')
  expect(accounts).toContain(await keyIn('region-fra.nk'))
  for (const name of ['region-iad.nk', 'mesh.nk']) expect(accounts).not.toContain(await keyIn(name))
  expect(out).toContain('agent tell --leaf fra')
  const before = await read('leaf-fra/leaf.creds')
  expect((await run(...leaf)).out).toMatch(/kept +.*leaf\.creds/)
  expect(await read('leaf-fra/leaf.creds')).toBe(before)
})

test.each<[string, string[], RegExp]>([
  ['a cluster of two', ['--cluster', 'a:1,b:1', ...tls], /3 or 5 servers, not 2/],
  ['a cluster that any certificate may join', [...cluster, ...tls.slice(0, 4)], /--tls-ca is missing/],
  ['a server twice', ['--cluster', 'a:1,b:1,a:1', ...tls], /names a server twice/],
  ['a cluster address without a cluster', ['--cluster-listen', '127.0.0.1:6222'], /--cluster is missing/],
  ['leaf nodes without TLS', ['--leaf-listen', '0.0.0.0:7422'], /beyond the loopback/],
  ['a hub without a leaf node', ['--hub', 'a:7422'], /--hub is for a leaf node: --leaf is missing/],
])('%s is refused', async (_, flags, problem) => {
  const { exitCode, error } = await run('--regions', 'fra', '--out', folder, ...flags)
  expect(exitCode).toBe(1)
  expect(error).toMatch(problem)
  expect(await readdir(folder)).toEqual([])
})

test.each<[string, string[], RegExp]>([
  ['without a hub', [], /--hub is missing/],
  ['a malformed region', ['--hub', 'a:7422', '--leaf', 'Fra'], /--leaf is set twice/],
  ['with regions of the mesh', ['--hub', 'a:7422', '--regions', 'fra'], /--regions is not for a leaf node/],
  ['with a region of another mesh', ['--hub', 'a:7422'], /fra is not a region/],
])('refuses a leaf node: %s', async (_, flags, problem) => {
  const { exitCode, error } = await run('--leaf', 'fra', '--out', folder, ...flags)
  expect(exitCode).toBe(1)
  expect(error).toMatch(problem)
})
