import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runNatsConfig } from '../../nats/run.ts'
import { parseRegionArguments } from './arguments.ts'
import type { RegionArguments } from './arguments.ts'
import { bringUp } from './bring-up.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'region-up-'))
  await writeFile(join(folder, 'ca.pem'), 'an authority')
  const args = ['--regions', 'fra,iad', '--out', join(folder, 'keys')]
  expect(await runNatsConfig(args, { out: () => {}, error: () => {} })).toBe(0)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const wanted = (over: Partial<RegionArguments> = {}): RegionArguments => ({
  region: 'fra',
  hub: ['nats.example.com:7422'],
  authority: join(folder, 'ca.pem'),
  agents: 2,
  keys: join(folder, 'keys'),
  rest: ['-auto-approve'],
  ...over,
})

/** Brings it up with a Terraform that writes down what it is given. */
const up = async (over: Partial<RegionArguments> = {}, fails = '') => {
  const calls: { args: string[]; environment: Record<string, string> }[] = []
  const code = await bringUp(wanted(over), {
    nowMs: Date.now(),
    terraform: async (args, environment) => {
      calls.push({ args: [...args], environment: { ...environment } })
      return args[0] === fails ? 1 : 0
    },
  })
  return { code, calls }
}
const seed = /\bSU[A-Z2-7]{56}\b/

test('each machine is given what lets it in, in the environment and nowhere else', async () => {
  const { code, calls } = await up()
  expect(code).toBe(0)
  expect(calls.map(({ args }) => args)).toEqual([
    ['init', '-input=false'],
    ['workspace', 'select', '-or-create=true', 'fra'],
    ['apply', '-auto-approve'],
  ])
  const environment = calls[2]?.environment ?? {}
  expect(JSON.parse(environment['TF_VAR_agents'] ?? '')).toEqual(['fra-1', 'fra-2'])
  const credentials = JSON.parse(environment['TF_VAR_credentials'] ?? '')
  expect(Object.keys(credentials)).toEqual(['fra-1', 'fra-2'])
  const [first, second] = [credentials['fra-1'], credentials['fra-2']]
  expect(first.agent_creds).toMatch(seed)
  expect(first.agent_creds).not.toBe(second.agent_creds)
  expect(first.leaf_creds).toMatch(seed)
  expect(first.nats_conf).toContain('tls://nats.example.com:7422')
  expect(first.nats_conf).not.toMatch(seed)
  expect(first.ca_pem).toBe('an authority')
  expect(calls[0]?.environment).toEqual({})
})

test('run again it keeps what is there, and Terraform sees that nothing changed', async () => {
  const [first, again] = [await up(), await up()]
  const more = await up({ agents: 3 })
  const version = (of: typeof first) => of.calls[2]?.environment['TF_VAR_credentials_version']
  const ofAgent = (of: typeof first) =>
    JSON.parse(of.calls[2]?.environment['TF_VAR_credentials'] ?? '')['fra-1'].agent_creds
  expect(ofAgent(again)).toBe(ofAgent(first))
  expect(version(again)).toBe(version(first))
  expect(version(more)).not.toBe(version(first))
  expect(await readdir(join(folder, 'keys', 'agents'))).toHaveLength(3)
})

test('what was let in is in the register, so that it can be revoked', async () => {
  await up()
  const { agents } = JSON.parse(await readFile(join(folder, 'keys', 'agents.json'), 'utf8'))
  expect(agents.map(({ name }: { name: string }) => name)).toEqual(['fra-leaf', 'fra-1', 'fra-2'])
})

test('a region that the mesh does not have is refused before Terraform runs', async () => {
  await expect(up({ region: 'nrt' })).rejects.toThrow('nrt is no region')
})

test('where Terraform cannot begin, nothing is applied', async () => {
  const { code, calls } = await up({}, 'init')
  expect([code, calls.length]).toEqual([1, 1])
})

const line = ['up', '--region', 'fra', '--hub', 'a:1,b:2', '--tls-ca', '/ca.pem']
test('what follows -- is of Terraform', () => {
  expect(parseRegionArguments([...line, '--', '-var', 'x=1'], { NATS_KEYS: '/k' })).toEqual({
    kind: 'up',
    arguments: {
      region: 'fra',
      hub: ['a:1', 'b:2'],
      authority: '/ca.pem',
      agents: 2,
      keys: '/k',
      rest: ['-var', 'x=1'],
    },
  })
})

test('everything that is wrong is said at once', () => {
  const args = ['down', '--region', 'FRA', '--hub', 'a', '--agents', '33']
  expect(parseRegionArguments(args, {})).toEqual({
    kind: 'wrong',
    problems: [
      'unknown: down',
      '--region must be three lower-case letters, not "FRA"',
      '--hub must be HOST:PORT, not a',
      '--agents must be 1 to 32, not 33',
      '--tls-ca is missing: the authority of the mesh',
    ],
  })
})
