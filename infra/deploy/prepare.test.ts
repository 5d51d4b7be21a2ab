import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { copyFile, readFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { regionKeyOf } from '@probe-mesh/control-plane/secrets/region-key'
import { testFolder } from '../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDebianBinary } from '../testing/debian-binary.ts'
import { withSecretFiles } from '@probe-mesh/runtime/secret-files'
import { dockerCompose } from './testing/docker-compose.ts'

/** Runs the script that an operator runs before the first `docker compose up`. */
const script = fileURLToPath(new URL('compose/prepare.sh', import.meta.url))
const run = promisify(execFile)
const flags = ['--regions', 'fra', '--host', 'status.example.com', '--mcp-host', 'mcp.example.com']

const folder = testFolder('prepare-')
const prepare = (...args: string[]) =>
  run('bash', [script, ...args], {
    env: {
      PATH: `${process.execPath.replace(/\/node$/, '')}:${process.env['PATH']}`,
      HOME: folder,
      MESH_STATE: join(folder, 'state'),
    },
  })
const at = (path: string): string => join(folder, 'state', path)
const read = (path: string): Promise<string> => readFile(at(path), 'utf8')
const certificate = async (name: string): Promise<X509Certificate> =>
  new X509Certificate(await read(`tls/${name}/server.pem`))

beforeAll(async () => {
  await prepare(...flags)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test('creates a certificate for each part with its name, from the authority, for client and server', async () => {
  const authority = new X509Certificate(await read('authority/ca.pem'))
  for (const name of [
    'nats-1',
    'keeper-3',
    'clickhouse-2-2',
    'postgres-standby',
    'control-plane-2',
    'gateway-1',
    'proxy',
    'leaf-fra',
  ]) {
    const own = await certificate(name)
    expect([name, own.verify(authority.publicKey), own.checkHost(name), own.checkHost('localhost')]).toEqual([
      name,
      true,
      name,
      'localhost',
    ])
    expect([name, own.keyUsage]).toEqual([name, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']])
    expect([name, own.ca, own.checkHost('another')]).toEqual([name, false, undefined])
  }
  expect((await certificate('proxy')).checkHost('mcp.example.com')).toBe('mcp.example.com')
})

test('keeps the keys of the authority and the operator out of all mounts', async () => {
  const compose =
    (await readFile(join(script, '../compose.yaml'), 'utf8')) +
    (await readFile(join(folder, 'region-fra.yaml'), 'utf8'))
  const mounted = [...compose.matchAll(/\.\/state\/([\w./-]+)/g)].map((match) => match[1] ?? '')
  expect(mounted.length).toBeGreaterThan(40)
  expect(mounted.filter((path) => /^(authority|operator)/.test(path))).toEqual([])
  for (const path of new Set(mounted)) {
    await expect(stat(at(path)).then(() => path)).resolves.toBe(path)
  }
  expect((await readdir(at('nats'))).toSorted()).toEqual(['accounts.conf', 'main.conf', 'nats-server.conf'])
  expect((await readdir(at('tls/agent-fra-1'))).toSorted()).toEqual(['ca.pem'])
})

test('gives the agents of a region the key that follows from SECRETS_KEY', async () => {
  const secretsKey = (await read('secrets/secrets-key')).trim()
  expect((await read('secrets/region-key-fra')).trim()).toBe(regionKeyOf(secretsKey, 'fra'))
})

test('creates files that other users cannot read', async () => {
  for (const entry of await readdir(at('.'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    expect([path, (await stat(path)).mode & 0o077]).toEqual([path, 0])
  }
})

test('creates secrets that a control plane accepts', async () => {
  const environment = Object.fromEntries(
    (
      [
        ['DATABASE_URL', 'database-url'],
        ['SECRETS_KEY', 'secrets-key'],
        ['GATEWAY_KEY', 'gateway-key'],
        ['METRICS_TOKEN', 'metrics-token'],
      ] as const
    ).map(([name, file]) => [`${name}_FILE`, at(`secrets/${file}`)]),
  )
  const given = withSecretFiles(environment, ['DATABASE_URL', 'SECRETS_KEY', 'GATEWAY_KEY', 'METRICS_TOKEN'])
  expect(given.problems).toEqual([])
  expect(parseConfig(given.environment)).toMatchObject({ ok: true })
  expect(given.environment['DATABASE_URL']).toMatch(/sslmode=verify-full&target_session_attrs=primary$/)
  const shards = (await read('secrets/clickhouse-url')).trim().split(';')
  expect(shards.map((shard) => shard.split(',').map((url) => new URL(url).host))).toEqual([
    ['clickhouse-1-1:8443', 'clickhouse-1-2:8443'],
    ['clickhouse-2-1:8443', 'clickhouse-2-2:8443'],
  ])
})

test('allows an empty database once, for a new mesh', async () => {
  const [mark, other] = ['primary', 'standby'].map((name) => at(`data/postgres-${name}/new-system`))
  await expect(stat(other ?? '')).rejects.toThrow('ENOENT')
  await rm(mark ?? '')
  await prepare(...flags)
  await expect(stat(mark ?? '')).rejects.toThrow('ENOENT')
})

test('changes nothing in a second run, and renews certificates with --renew', async () => {
  const files = [
    'secrets/secrets-key',
    'secrets/agent-fra-1.creds',
    'tls/nats-1/server.pem',
    'authority/ca.pem',
    'leaf-fra/leaf.creds',
  ]
  const before = await Promise.all(files.map(read))
  await prepare(...flags, '--renew')
  const after = await Promise.all(files.map(read))
  expect(after.map((text, index) => text === before[index])).toEqual([true, true, false, true, true])
  expect(
    (await certificate('nats-1')).verify(new X509Certificate(await read('authority/ca.pem')).publicKey),
  ).toBe(true)
})

test('adds everything that Compose needs for a new region, and removes an omitted one', async () => {
  const of = (regions: string) => ['--regions', regions, ...flags.slice(2)]
  await prepare(...of('fra,nrt'))
  await copyFile(join(script, '../compose.yaml'), join(folder, 'compose.yaml'))
  const compose = await findDebianBinary(dockerCompose, { mayFetch: true })
  const services = async (): Promise<Record<string, { environment?: Record<string, string> }>> => {
    const options = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } }
    const { stdout, stderr } = await run(compose, ['config', '--format', 'json'], options)
    expect(stderr).toBe('')
    return JSON.parse(stdout).services
  }
  const both = await services()
  const ofRegions = (found: object) =>
    Object.keys(found)
      .filter((name) => /^(leaf|agent)-/.test(name))
      .toSorted()
  expect(ofRegions(both)).toEqual([
    'agent-fra-1',
    'agent-fra-2',
    'agent-nrt-1',
    'agent-nrt-2',
    'leaf-fra',
    'leaf-nrt',
  ])
  expect(both['agent-nrt-2']?.environment).toMatchObject({ REGION: 'nrt', AGENT: 'nrt-2' })
  expect(both['control-plane-1']?.environment).toMatchObject({ REGIONS: 'fra,nrt' })
  const mounted = (await readFile(join(folder, 'region-nrt.yaml'), 'utf8')).matchAll(/\.\/state\/([\w./-]+)/g)
  for (const [, path = ''] of mounted) await expect(stat(at(path)).then(() => path)).resolves.toBe(path)
  await prepare(...flags)
  expect(ofRegions(await services())).toEqual(['agent-fra-1', 'agent-fra-2', 'leaf-fra'])
}, 120_000)

test('lists all missing or wrong arguments before it creates anything', async () => {
  await expect(prepare('--regions', 'FRA', '--host', 'a b')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/--regions.*--host.*--mcp-host/),
  })
  await expect(prepare('--colour')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('unknown argument: --colour'),
  })
})
