import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '../../testing/folder.ts'
import { useOnce } from '../../testing/use.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { regionKeyOf } from '@probe-mesh/control-plane/secrets/region-key'
import { runNatsConfig } from '../nats/run.ts'
import { parseRegionArguments, type RegionArguments } from './arguments.ts'
import { bringUp } from './bring-up.ts'

type BringUp = {
  code: number
  calls: { args: string[]; environment: Record<string, string> }[]
}

const folder = testFolder('region-up-')

const wanted = (over: Partial<RegionArguments> = {}): RegionArguments => ({
  region: 'fra',
  hub: ['nats.example.com:7422'],
  authority: join(folder, 'ca.pem'),
  agents: 2,
  keys: join(folder, 'keys'),
  secretsKey: null,
  metricsToken: null,
  rest: ['-auto-approve'],
  ...over,
})

/** Brings the region up with a Terraform that records its arguments and environment. */
const up = async (over: Partial<RegionArguments> = {}, fails = ''): Promise<BringUp> => {
  const calls: BringUp['calls'] = []
  const code = await bringUp(wanted(over), {
    nowMs: Date.now(),
    terraform: async (args, environment) => {
      calls.push({ args: [...args], environment: { ...environment } })
      return args[0] === fails ? 1 : 0
    },
  })
  return { code, calls }
}

beforeAll(async () => {
  await writeFile(join(folder, 'ca.pem'), 'an authority')
  const args = ['--regions', 'fra', '--out', join(folder, 'keys')]
  expect(await runNatsConfig(args, { out: () => {}, error: () => {} })).toBe(0)
})
/** The region at first, in a second run, and with one more agent. */
const first = useOnce(() => up())
const again = useOnce(() => up())
const more = useOnce(() => up({ agents: 3 }))
afterAll(() => rm(folder, { recursive: true, force: true }))

const seed = /\bSU[A-Z2-7]{56}\b/
const given = (to: BringUp): Record<string, string> => to.calls[2]?.environment ?? {}
const credentialsOf = (of: BringUp) => JSON.parse(given(of)['TF_VAR_credentials'] ?? '')

test('passes the credentials of each machine in the environment only', () => {
  expect(first.code).toBe(0)
  expect(first.calls.map(({ args }) => args)).toEqual([
    ['init', '-input=false'],
    ['workspace', 'select', '-or-create=true', 'fra'],
    ['apply', '-auto-approve'],
  ])
  expect(first.calls.slice(0, 2).map(({ environment }) => environment)).toEqual([{}, {}])
  expect(JSON.parse(given(first)['TF_VAR_agents'] ?? '')).toEqual(['fra-1', 'fra-2'])
  const credentials = credentialsOf(first)
  expect(Object.keys(credentials)).toEqual(['fra-1', 'fra-2'])
  const [one, two] = [credentials['fra-1'], credentials['fra-2']]
  expect(one.agent_creds).toMatch(seed)
  expect(one.agent_creds).not.toBe(two.agent_creds)
  expect(one.leaf_creds).toMatch(seed)
  expect(one.nats_conf).toContain('tls://nats.example.com:7422')
  expect(one.nats_conf).not.toMatch(seed)
  expect(one.ca_pem).toBe('an authority')
})

test('keeps credentials in a second run, so that Terraform sees no change', () => {
  const version = (of: BringUp) => given(of)['TF_VAR_credentials_version']
  const agentOf = (of: BringUp) => credentialsOf(of)['fra-1'].agent_creds
  expect([agentOf(again), version(again)]).toEqual([agentOf(first), version(first)])
  expect(agentOf(more)).toBe(agentOf(first))
  expect(version(more)).not.toBe(version(first))
})

test('records enrolled agents in the register, so that they can be revoked', async () => {
  const { agents } = JSON.parse(await readFile(join(folder, 'keys', 'agents.json'), 'utf8'))
  expect(agents.map(({ name }: { name: string }) => name)).toEqual(['fra-leaf', 'fra-1', 'fra-2', 'fra-3'])
})

const secretsKey = 'the secrets key of the tests, 32 characters'
test.each<[string, string, Partial<RegionArguments>, string, Partial<RegionArguments>]>([
  [
    'region_key',
    'region-key-fra',
    { secretsKey },
    regionKeyOf(secretsKey, 'fra'),
    { secretsKey: `a${secretsKey}` },
  ],
  ['metrics_token', 'metrics-token-fra', { metricsToken: 'a token' }, 'a token', { metricsToken: 'another' }],
])(
  'gives the agents their %s, and keeps it in a run without it',
  async (field, file, over, secret, other) => {
    const keyOf = (of: BringUp) => [
      credentialsOf(of)['fra-1'][field],
      given(of)['TF_VAR_credentials_version'],
    ]
    expect(keyOf(await up())[0]).toBe('')
    const withKey = keyOf(await up(over))
    expect(withKey[0]).toBe(secret)
    expect(keyOf(await up())).toEqual(withKey)
    expect(keyOf(await up(other))).not.toEqual(withKey)
    expect((await stat(join(folder, 'keys', 'agents', file))).mode & 0o777).toBe(0o600)
  },
)

test('refuses an unknown region before Terraform runs', async () => {
  await expect(up({ region: 'nrt' })).rejects.toThrow('nrt is not a region')
})

test('applies nothing if Terraform fails to initialise', async () => {
  const { code, calls } = await up({}, 'init')
  expect([code, calls.length]).toEqual([1, 1])
})

const line = ['up', '--region', 'fra', '--hub', 'a:1,b:2', '--tls-ca', '/ca.pem']
test('passes arguments after -- to Terraform', () => {
  expect(parseRegionArguments([...line, '--', '-var', 'x=1'], { NATS_KEYS: '/k' })).toEqual({
    kind: 'up',
    arguments: {
      region: 'fra',
      hub: ['a:1', 'b:2'],
      authority: '/ca.pem',
      agents: 2,
      keys: '/k',
      secretsKey: null,
      metricsToken: null,
      rest: ['-var', 'x=1'],
    },
  })
})

test.each([
  ['SECRETS_KEY', 'secretsKey'],
  ['METRICS_TOKEN', 'metricsToken'],
])('reads %s from its file, and says when it cannot', async (name, member) => {
  const file = join(folder, member)
  await writeFile(file, 'a key\n')
  const of = (path: string) => parseRegionArguments(line, { [`${name}_FILE`]: path })
  expect(of(file)).toMatchObject({ kind: 'up', arguments: { [member]: 'a key' } })
  expect(of(`${file}-none`)).toEqual({
    kind: 'wrong',
    problems: [expect.stringMatching(new RegExp(`^${name}_FILE .* cannot be read: ENOENT`))],
  })
})

test('lists every problem', () => {
  const args = ['up', '--region', 'FRA', '--hub', 'a', '--agents', '33']
  expect(parseRegionArguments(args, {})).toEqual({
    kind: 'wrong',
    problems: [
      '--region must be a code of three lower-case letters, not FRA',
      '--hub must be HOST:PORT, not a',
      'up needs --tls-ca',
      '--agents must be a whole number from 1 to 32, not 33',
    ],
  })
})
