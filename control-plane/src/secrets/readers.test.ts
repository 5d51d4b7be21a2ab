import { createSecretSealer, regionKeyOfToken } from '@probe-mesh/contracts/agent/agent-seal'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useEach, useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { createKey } from '../accounts/keys.ts'
import { assignmentOf } from '../checks/assignment-of.ts'
import { findCheckOfAnyAccount } from '../records/check/many-checks-store.ts'
import { useTestApp, testSecretsKey, type Answer } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { createAssignmentSealer } from './seal-assignments.ts'
import { createVault } from './vault.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const sealer = useOnce(() => {
  const log = { warn: () => {} }
  return createAssignmentSealer({
    sql: at.systemSql,
    vault: createVault(testSecretsKey),
    secretsKey: testSecretsKey,
    log,
  })
})

/** An account with a secret, a check of the mesh that sends it, and an agent that must not open it. */
const user = useEach(async () => {
  const member = await loggedIn(at)
  const as = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer> =>
    asUser(at, member, method, path, body)
  const made = await createKey(
    { sql: at.sql, now: at.now },
    { accountId: member.accountId, name: 'ci', scope: 'read_write' },
  )
  if (isRefusal(made)) throw new Error(made.message)
  const byKey = (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer> =>
    at.call(method, `/v1${path}`, { key: made.apiKey, ...(body === undefined ? {} : { body }) })
  const secret = await as('POST', '/secrets', { name: 'stripe', value, hosts: ['api.example.org'] })
  const check = await as('POST', '/typed-checks', { ...draft, regions: ['fra'] })
  const agent = await byKey('POST', '/agents', { name: 'ci' })
  const region = privateRegion(agent.json.agent.id)
  return {
    ...member,
    as,
    byKey,
    secretPath: `/secrets/${secret.json.id}`,
    check: check.json,
    agent: agent.json.agent,
    token: agent.json.token as string,
    region,
  }
})

const value = 'sk_live_TOP-secret-42'
const headers = [{ name: 'x-api-key', value: '{{ secret.stripe }}' }]
const draft = { type: 'http', name: 'orders', url: 'https://api.example.org/orders', request: { headers } }

const name = (body: object = {}): Promise<Answer> =>
  user.as('PATCH', user.secretPath, { agents: [user.agent.id], ...body })

/** What the relay sends for a check to its private agent, opened with the token; null: nothing is sealed. */
const opened = async (checkId: string, token = user.token): Promise<Record<string, unknown> | null> => {
  const check = await findCheckOfAnyAccount(at.systemSql, checkId)
  const assignment = check === null ? null : assignmentOf(check, check.regions[0] ?? '')
  const [sealed] = assignment === null ? [] : await sealer.seal([assignment])
  if (sealed === undefined || !('sealed' in sealed) || sealed.sealed === undefined) return null
  return createSecretSealer(regionKeyOfToken(token)).open(sealed.sealed, sealed)
}
const audits = async () => [
  ...(await at.sql`
    select action, resource_id as what, actor_name as who from audit_log
    where account_id = ${user.accountId} and action like '%SecretAgent' order by at, id`),
]
const mails = async (): Promise<{ subject: string; text: string }[]> =>
  (
    await at.sql<{ message: { subject: string; text: string } }[]>`
      select message from deliveries where account_id = ${user.accountId} and cause like 'secret-agents:%'`
  ).map(({ message }) => message)

describe('an API key gives no secret to an agent that it does not name', () => {
  const unnamed = {
    status: 403,
    json: {
      code: 'SV-1013',
      errors: [{ path: 'regions[0]', message: expect.stringContaining('stripe does not name the agent ci') }],
    },
  }

  test('by the regions of a check, which stays where it is', async () => {
    const path = `/checks/${user.check.id}`
    expect(await user.byKey('PATCH', path, { regions: [user.region] })).toMatchObject(unnamed)
    expect(await user.byKey('PATCH', path, { regions: [user.region], timeoutSeconds: 5 })).toMatchObject(
      unnamed,
    )
    expect((await user.byKey('GET', path)).json.regions).toEqual(['fra'])
    expect(await user.byKey('GET', '/secrets')).toMatchObject({ status: 404 })
  })

  test('by a replacement, and everything wrong is named together', async () => {
    const path = `/checks/${user.check.id}/replace`
    expect(await user.byKey('POST', path, { regions: [user.region] })).toMatchObject(unnamed)
    const both = { regions: [user.region], url: 'http://api.example.org/' }
    const refused = await user.byKey('POST', path, both)
    expect(refused).toMatchObject({ status: 403, json: { code: 'SV-1013' } })
    expect(refused.json.errors.map((each: { path: string }) => each.path)).toEqual([
      'request.headers[0].value',
      'regions[0]',
    ])
  })

  test('by a plan of files, nor by Terraform', async () => {
    const regions = [user.region]
    for (const action of ['update', 'replace']) {
      const plan = { drafts: [{ action, id: user.check.id, check: { regions } }] }
      const { json } = await user.byKey('POST', '/checks/plan', plan)
      expect(json.refusals).toMatchObject([{ index: 0, code: 'SV-1013', errors: unnamed.json.errors }])
    }
  })

  test('by a new token of an agent that secrets name, also of one that was named by a member', async () => {
    expect(await user.byKey('POST', `/agents/${user.agent.id}/rotate`)).toMatchObject({ status: 200 })
    await name()
    const refused = await user.byKey('POST', `/agents/${user.agent.id}/rotate`)
    expect(refused).toMatchObject({ status: 403, json: { code: 'SV-1013' } })
    expect(refused.json.message).toContain('Secrets name the agent ci')
  })

  test('by another agent of the same name', async () => {
    await name()
    await user.byKey('DELETE', `/agents/${user.agent.id}`)
    expect((await user.as('GET', '/secrets')).json.secrets).toMatchObject([{ agents: [] }])
    const again = (await user.byKey('POST', '/agents', { name: 'ci' })).json.agent
    const regions = [privateRegion(again.id)]
    expect(await user.byKey('PATCH', `/checks/${user.check.id}`, { regions })).toMatchObject(unnamed)
  })

  test('but moves the check to an agent that it names', async () => {
    await name()
    const moved = await user.byKey('PATCH', `/checks/${user.check.id}`, { regions: [user.region] })
    expect(moved).toMatchObject({ status: 200 })
    expect(await opened(user.check.id)).toMatchObject({ stripe: { value } })
  })
})

describe('the dashboard refuses a check on an agent that its secret does not name', () => {
  const unnamed = {
    status: 422,
    json: {
      code: 'SV-2001',
      errors: [{ path: 'regions[0]', message: expect.stringContaining('stripe does not name the agent ci') }],
    },
  }
  const inPrivate = (body: object) => ({ ...body, regions: [user.region] })

  test('by a new check, a trial and the regions of a check', async () => {
    expect(await user.as('POST', '/typed-checks', inPrivate(draft))).toMatchObject(unnamed)
    expect(await user.as('POST', '/trials', inPrivate(draft))).toMatchObject(unnamed)
    const path = `/typed-checks/${user.check.id}`
    expect(await user.as('PATCH', path, inPrivate({}))).toMatchObject(unnamed)
  })

  test('by a secret that is typed into the request of a check of the agent', async () => {
    const plain = { type: 'http', name: 'plain', url: 'https://api.example.org/' }
    const http = (await user.as('POST', '/typed-checks', inPrivate(plain))).json
    const typed = { request: { headers } }
    expect(await user.as('PATCH', `/typed-checks/${http.id}`, typed)).toMatchObject(unnamed)
  })

  test('by a clone and an edit, when the secret does not name its agent any more', async () => {
    await name()
    const { id } = (await user.as('POST', '/typed-checks', inPrivate(draft))).json
    expect(await opened(id)).toMatchObject({ stripe: { value } })
    const before = (await user.as('GET', `/checks/${id}`)).json
    expect(await user.as('PATCH', user.secretPath, { agents: [] })).toMatchObject({ status: 200 })
    const [row] = await at.sql<{ revision: number }[]>`select revision from checks where id = ${id}`
    expect(row?.revision).toBe(2)
    expect(before.regions).toEqual([user.region])
    // run now and the schedule send the check without the value
    expect(await opened(id)).toEqual({})
    expect(await user.as('POST', `/checks/${id}/clone`)).toMatchObject(unnamed)
    expect(await user.as('PATCH', `/typed-checks/${id}`, { timeoutSeconds: 5 })).toMatchObject(unnamed)
    expect(await user.as('PATCH', `/typed-checks/${id}`, { request: null })).toMatchObject({ status: 200 })
  })

  test('but takes a credential that is typed in clear for the agent, and for no other', async () => {
    const token = 'tok-of-the-office'
    const typed = { ...draft, request: { auth: { type: 'bearer', token } } }
    const { id } = (await user.as('POST', '/typed-checks', inPrivate(typed))).json
    expect(await opened(id)).toMatchObject({ api_example_org_token: { value: token } })
    expect(await audits()).toEqual([
      { action: 'addSecretAgent', what: `api_example_org_token for ci (${user.agent.id})`, who: user.email },
    ])
    const other = (await user.byKey('POST', '/agents', { name: 'other' })).json.agent
    const moved = await user.byKey('PATCH', `/checks/${id}`, { regions: [privateRegion(other.id)] })
    expect(moved).toMatchObject({ status: 403 })
  })
})

describe('a member names an agent on a secret', () => {
  test('after a fresh login or with the value; all members are told, and the audit log names them', async () => {
    at.hold()
    expect(await name()).toMatchObject({ status: 200, json: { agents: [user.agent.id] } })
    at.pass(1_000)
    expect(await user.as('PATCH', user.secretPath, { agents: [] })).toMatchObject({ json: { agents: [] } })
    at.pass(10 * 60_000)
    expect(await name()).toMatchObject({
      status: 422,
      json: {
        code: 'SV-2001',
        errors: [{ path: 'value', message: expect.stringContaining('ci could not open the secret') }],
      },
    })
    expect(await name({ value: 'another value' })).toMatchObject({ status: 200 })
    const what = `stripe for ci (${user.agent.id})`
    expect(await audits()).toEqual([
      { action: 'addSecretAgent', what, who: user.email },
      { action: 'removeSecretAgent', what, who: user.email },
      { action: 'addSecretAgent', what, who: user.email },
    ])
    const sent = await mails()
    expect(sent.map(({ subject }) => subject)).toEqual(Array(2).fill('ci can now open stripe'))
    expect(sent[0]?.text).toContain(`${user.email} gave the token of ci access to stripe`)
    // what is named already needs nothing
    expect(await name()).toMatchObject({ status: 200 })
    expect(await mails()).toHaveLength(2)
  })

  test('with a new secret', async () => {
    const body = { name: 'other', value, hosts: ['api.example.org'], agents: [user.agent.id] }
    expect(await user.as('POST', '/secrets', body)).toMatchObject({
      status: 201,
      json: { agents: [user.agent.id] },
    })
    expect(await mails()).toMatchObject([{ subject: 'ci can now open other' }])
  })

  test('only of the account, open, and with a key; all problems at once', async () => {
    const stranger = await loggedIn(at)
    const foreign = (await asUser(at, stranger, 'POST', '/agents', { name: 'theirs' })).json.agent.id
    const revoked = (await user.byKey('POST', '/agents', { name: 'gone' })).json.agent.id
    await user.byKey('DELETE', `/agents/${revoked}`)
    const keyless = (await user.byKey('POST', '/agents', { name: 'old' })).json.agent.id
    await at.sql`delete from private_agent_keys where agent_id = ${keyless}`
    const agents = [foreign, user.agent.id, revoked, keyless]
    const refused = await user.as('PATCH', user.secretPath, { agents, hosts: ['www.example.org'] })
    expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    expect(refused.json.errors).toMatchObject([
      { path: 'value', message: expect.stringContaining('www.example.org') },
      { path: 'agents[0]', message: 'there is no such agent, or it is revoked' },
      { path: 'agents[2]', message: 'there is no such agent, or it is revoked' },
      { path: 'agents[3]', message: expect.stringContaining('rotate the token of the agent old') },
    ])
    expect(await audits()).toEqual([])
    const own = { name: 'other', value, hosts: ['api.example.org'], agents: [foreign] }
    expect(await user.as('POST', '/secrets', own)).toMatchObject({ status: 422 })
  })

  test('whose token only a member with a fresh login replaces, and members are told', async () => {
    at.hold()
    await name()
    const path = `/agents/${user.agent.id}/rotate`
    expect(await user.as('POST', path)).toMatchObject({ status: 200 })
    expect(await mails()).toHaveLength(2)
    at.pass(10 * 60_000)
    expect(await user.as('POST', path)).toMatchObject({ status: 403, json: { code: 'SV-1013' } })
    await user.as('PATCH', user.secretPath, { agents: [] })
    expect(await user.as('POST', path)).toMatchObject({ status: 200 })
  })
})
