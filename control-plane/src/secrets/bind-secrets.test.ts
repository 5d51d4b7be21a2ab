import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useEach } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { insertRevision } from '../records/check/check-revisions-store.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { insertCheck } from '../records/check/checks-store.ts'
import { aCheckRecord } from '../checks/testing.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { bindSecrets } from './bind-secrets.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const logged: unknown[] = []
const start = () =>
  bindSecrets({ sql: at.systemSql, now: at.now, log: { info: (...about: unknown[]) => logged.push(about) } })

/** An account of the version before schemes and readers: its checks and secrets were stored by that version. */
const before = useEach(async () => {
  logged.length = 0
  const user = await loggedIn(at)
  const agent = async (name: string) => (await asUser(at, user, 'POST', '/agents', { name })).json.agent
  const check = async (names: readonly string[], url: string, region = 'fra', paused = false) => {
    const headers = names.map((name, at) => ({ name: `x-${at}`, value: `{{ secret.${name} }}` }))
    const record: CheckRecord = {
      ...aCheckRecord,
      id: uuidv7(at.now()),
      accountId: user.accountId,
      url,
      regions: [region],
      private: region !== 'fra',
      paused,
      revision: 1,
      validFromMs: at.now(),
      config: { type: 'http', request: { headers } },
    }
    await at.systemSql.begin(async (tx) => {
      await insertCheck(tx, record)
      await insertRevision(tx, record)
    })
    return record.id
  }
  const secret = async (name: string, hosts: readonly string[]) => {
    const id = uuidv7(at.now())
    await at.sql`
      insert into secrets (id, account_id, name, hosts, value, created_at, updated_at)
      values (${id}, ${user.accountId}, ${name}, ${[...hosts]}, '\\x00', now(), now())`
    return id
  }
  return { ...user, agent, check, secret }
})

const listed = async () =>
  Object.fromEntries(
    (await asUser(at, before, 'GET', '/secrets')).json.secrets.map(
      ({ name, ...secret }: { name: string; hosts: string[]; agents: string[] }) => [name, secret],
    ),
  )

test('secrets keep what the checks of their account send, and no port or scheme beside it', async () => {
  await before.secret('key', ['api.example.org', '*.example.net', '10.0.0.1:8080', '[::1]'])
  await before.secret('unused', ['api.example.org'])
  const urls = [
    'https://api.example.org/a',
    'http://API.example.org:8080/',
    'https://user.example.net:9443/',
    'http://10.0.0.1:8080/',
    'http://[::1]/',
    'https://api.example.org/b',
  ]
  for (const url of urls) await before.check(['key'], url)
  await before.check(['unused_elsewhere'], 'https://api.example.org:1/')
  const other = await loggedIn(at)
  expect(await start()).toBe(2)
  expect(await listed()).toMatchObject({
    key: {
      hosts: [
        'api.example.org',
        'http://api.example.org:8080',
        '*.example.net',
        '*.example.net:9443',
        '10.0.0.1:8080',
        'http://10.0.0.1:8080',
        '[::1]',
        'http://[::1]',
      ],
    },
    unused: { hosts: ['api.example.org'] },
  })
  // what an earlier version that runs beside this one, or after a rollback, reads
  const [row] = await at.sql<{ hosts: string[] }[]>`select hosts from secrets where name = 'key'`
  expect(row?.hosts).toContain('*.example.net:9443')
  expect(row?.hosts.join()).not.toContain('http')
  expect((await asUser(at, other, 'GET', '/secrets')).json.secrets).toEqual([])
  const audit = await at.sql`
    select action, resource_id as what, actor_name as who from audit_log
    where account_id = ${before.accountId} and action = 'bindSecretHosts' order by resource_id`
  expect([...audit]).toMatchObject([
    {
      what: expect.stringContaining('key to api.example.org, http://api.example.org:8080,'),
      who: 'Probe Mesh',
    },
    { what: 'unused to api.example.org', who: 'Probe Mesh' },
  ])
})

test('private agents that measure with a secret keep it, and no other agent gets it', async () => {
  const [measures, paused, other, keyless, revoked] = await Promise.all(
    ['measures', 'paused', 'other', 'keyless', 'revoked'].map((name) => before.agent(name)),
  )
  await before.secret('key', ['api.example.org'])
  await before.secret('second', ['api.example.org'])
  const url = 'https://api.example.org/'
  await before.check(['key', 'second'], url, privateRegion(measures.id))
  await before.check(['key'], url, privateRegion(paused.id), true)
  await before.check([], url, privateRegion(other.id))
  await before.check(['key'], url, privateRegion(keyless.id))
  await before.check(['key'], url, privateRegion(revoked.id))
  await at.sql`delete from private_agent_keys where agent_id = ${keyless.id}`
  await asUser(at, before, 'DELETE', `/agents/${revoked.id}`)
  expect(await start()).toBe(2)
  const { key, second } = await listed()
  expect(key.agents.toSorted()).toEqual([measures.id, paused.id].toSorted())
  expect(second.agents).toEqual([measures.id])
  const audit = await at.sql<{ what: string }[]>`
    select resource_id as what from audit_log
    where account_id = ${before.accountId} and action = 'addSecretAgent'`
  expect(audit.map(({ what }) => what).toSorted()).toEqual([
    `key for measures (${measures.id})`,
    `key for paused (${paused.id})`,
    `second for measures (${measures.id})`,
  ])
  expect(JSON.stringify(logged)).toContain('"secrets":2,"accounts":1,"readers":3')
})

test('the second start changes nothing, also for checks that came since', async () => {
  await before.secret('key', ['api.example.org'])
  expect(await start()).toBe(1)
  const { region } = await before.agent('thief')
  await before.check(['key'], 'http://api.example.org:8080/', region)
  expect(await start()).toBe(0)
  expect(await listed()).toMatchObject({ key: { hosts: ['api.example.org'], agents: [] } })
  const found = await Promise.all([start(), start()])
  expect(found).toEqual([0, 0])
})

test('hosts that an earlier version changes after the upgrade hold on their usual ports, until the next start', async () => {
  const id = await before.secret('key', ['api.example.org'])
  await start()
  await at.sql`update secrets set hosts = '{www.example.org}' where id = ${id}`
  expect(await listed()).toMatchObject({ key: { hosts: ['www.example.org', 'http://www.example.org'] } })
  await before.check(['key'], 'https://www.example.org/')
  await start()
  expect(await listed()).toMatchObject({ key: { hosts: ['www.example.org'] } })
})
