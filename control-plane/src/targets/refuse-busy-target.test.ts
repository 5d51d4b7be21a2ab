import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../app/testing/test-app.ts'
import { fillRequestedHosts, targetCountsOf } from './target-counts.ts'
import { createTypedCheck } from '../checks/create-check.ts'
import { editTypedCheck } from '../checks/edit-typed-check.ts'
import { accepted, writingContext } from '../app/testing/operation-context.ts'

/** A host allows 100 requests a minute, 50 from one account; a site allows 200. */
const targetRequestsPerMinute = 100
/** The requests a minute of a check every 10 s from four regions. */
const perCheck = 24

let at: TestApp
let account: TestAccount
let number = 0
let domain: string
beforeAll(async () => {
  const denied = parseDenyList(['left-alone.example.net', '127.0.0.3'])
  if (!denied.ok) throw new Error(denied.problems.join())
  at = await startTestApp({
    config: { budgetScale: 1_000, targetRequestsPerMinute, blockedTargets: denied.deny },
  })
})
beforeEach(async () => {
  account = await at.account('scale')
  domain = `n${number++}.org`
})

const create = (host: string, of = account, more: object = {}) =>
  at.call('POST', '/v1/checks', {
    key: of.writeKey,
    body: { name: 'web', url: `https://${host}/`, ...more },
  })
const budget = { code: 'SV-5001', message: expect.stringContaining('request_budget') }
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)

describe('a host', () => {
  test('gets at most half of its requests from one account', async () => {
    const answers = [await create(domain), await create(domain), await create(domain)]
    expect(statuses(answers)).toEqual([201, 201, 422])
    expect(answers[2]?.json).toMatchObject({ ...budget, errors: [{ path: 'url' }] })
    expect(answers[2]?.json.message).toContain('the checks of one account may send the host')
    expect((await create(domain, account, { intervalSeconds: 1_000 })).status).toBe(201)
  })

  test('gets at most its limit from all accounts together', async () => {
    const others = await Promise.all([at.account('scale'), at.account('scale')])
    const answers = []
    for (const one of [account, ...others]) {
      answers.push(await create(domain, one), await create(domain, one))
    }
    expect(statuses(answers)).toEqual([201, 201, 201, 201, 422, 422])
    expect(answers[4]?.json.message).toContain('the checks of all accounts together')
  })

  test('stays within its limit under concurrent creates', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => at.account('scale')))
    const answers = await Promise.all(accounts.flatMap((one) => [create(domain, one), create(domain, one)]))
    const made = statuses(answers).filter((status) => status === 201).length
    expect(made).toBe(Math.floor(targetRequestsPerMinute / perCheck))
  })

  test('has a floor for each account, with any requests of others', async () => {
    for (const one of await Promise.all([at.account('scale'), at.account('scale')])) {
      expect(statuses([await create(domain, one), await create(domain, one)])).toEqual([201, 201])
    }
    const free = await Promise.all(Array.from({ length: 50 }, () => at.account('scale')))
    await at.sql`update accounts set tier = 'free' where id = any(${free.map(({ id }) => id)}::uuid[])`
    const context = {
      ...writingContext(at.accountSql, { targetRequestsPerMinute }),
      targets: targetCountsOf(at.systemSql),
    }
    const settings = { host: domain, port: 443 }
    for (const { id } of free) {
      const writer = { accountId: id, actor: { kind: 'operator' } } as const
      const body = { type: 'tcp', name: 'flood', settings, intervalSeconds: 300 }
      await createTypedCheck(context, writer, body)
    }
    const slow = { intervalSeconds: 60 }
    expect((await create(domain, account, slow)).status).toBe(201)
    const second = await create(domain, account, slow)
    expect(second.json).toMatchObject(budget)
  })

  test('shares a limit with its site, and none with other sites', async () => {
    const answers = []
    for (let n = 0; n < 5; n++) answers.push(await create(`h${n}.${domain}`))
    expect(statuses(answers)).toEqual([201, 201, 201, 201, 422])
    expect(answers[4]?.json.message).toContain(`the hosts of ${domain}`)
    expect((await create(`other-${domain}`)).status).toBe(201)
  })

  test('that the operator allows has no limit', async () => {
    const answers = []
    for (let n = 0; n < 6; n++) {
      const body = { name: 'own', url: `http://127.0.0.1:8080/${n}` }
      answers.push(await at.call('POST', '/v1/checks', { key: account.writeKey, body }))
    }
    expect(new Set(statuses(answers))).toEqual(new Set([201]))
  })

  test('on the deny list is refused, with all its subdomains', async () => {
    for (const host of ['left-alone.example.net', 'www.left-alone.example.net']) {
      expect((await create(host)).json).toMatchObject({
        code: 'SV-5001',
        message: expect.stringContaining('asked not to be probed'),
      })
    }
    expect((await create('example.net')).status).toBe(201)
  })

  test('on the deny list is refused when it is a private address that the operator opened', async () => {
    const url = 'http://127.0.0.3/'
    const steps = [{ name: 'one', method: 'GET', url }]
    const refused = { code: 'SV-5001', message: expect.stringContaining('asked not to be probed') }
    const body = { name: 'web', url }
    const post = (path: string, more: object) => at.call('POST', path, { key: account.writeKey, body: more })
    expect((await post('/v1/checks', body)).json).toMatchObject({ ...refused, errors: [{ path: 'url' }] })
    expect((await post('/v1/checks/plan', { drafts: [{ action: 'create', check: body }] })).text).toContain(
      'asked not to be probed',
    )
    const writer = { accountId: account.id, actor: { kind: 'operator' } } as const
    const denied = parseDenyList(['127.0.0.3'])
    const allowed = parseAllowList(['127.0.0.0/8'])
    if (!denied.ok || !allowed.ok) throw new Error('wrong lists')
    const rules = { targetRequestsPerMinute, blockedTargets: denied.deny, targetAllow: allowed.allow }
    const context = writingContext(at.sql, rules)
    const journey = { type: 'multistep', name: 'web', steps, intervalSeconds: 60, regions: ['fra'] } as const
    expect(
      await createTypedCheck(context, { ...writer, tier: 'scale' } as never, journey as never),
    ).toMatchObject({
      refused: 'SV-5001',
      errors: [{ path: 'steps[0].url' }],
    })
    const other = await post('/v1/checks', { ...body, url: 'http://127.0.0.4/' })
    expect(other.status).toBe(201)
    expect((await post(`/v1/checks/${other.json.id}/replace`, { url })).json).toMatchObject(refused)
    // closed after it was saved: it can be renamed, and not resumed
    const edit = (more: object) => editTypedCheck(context, writer, { checkId: other.json.id, body: more })
    await at.sql`update checks set url = ${url} where id = ${other.json.id}`
    accepted(await edit({ name: 'renamed' }))
  })
})

describe('requests are freed by', () => {
  test('deleting a check', async () => {
    const first = await create(domain)
    await create(domain)
    expect((await create(domain)).status).toBe(422)
    await at.call('DELETE', `/v1/checks/${first.json.id}`, { key: account.writeKey })
    expect((await create(domain)).status).toBe(201)
  })

  test('removing regions, which can return only while there is room', async () => {
    const { json } = await create(domain)
    await create(domain)
    const patch = (regions: string[]) =>
      at.call('PATCH', `/v1/checks/${json.id}`, { key: account.writeKey, body: { regions } })
    expect((await patch(['fra'])).status).toBe(200)
    expect((await create(domain, account, { regions: ['fra', 'iad'] })).status).toBe(201)
    expect((await patch(['fra', 'iad', 'nrt', 'sjc'])).json).toMatchObject(budget)
    expect((await patch(['iad'])).status).toBe(200)
  })

  test('pausing a check, which can resume only while there is room', async () => {
    const context = writingContext(at.sql, { targetRequestsPerMinute })
    const writer = { accountId: account.id, actor: { kind: 'operator' } } as const
    const { json } = await at.call('POST', '/v1/checks', {
      key: account.writeKey,
      body: { name: 'web', url: `https://${domain}/` },
    })
    await at.sql`update checks set type = 'tcp',
      config = ${at.sql.json({ type: 'tcp', settings: { host: domain, port: 443, send: null, expect: null } })}
      where id = ${json.id}`
    const edit = (body: object) => editTypedCheck(context, writer, { checkId: json.id, body })
    accepted(await edit({ paused: true }))
    expect(statuses([await create(domain), await create(domain)])).toEqual([201, 201])
    expect(await edit({ paused: false })).toMatchObject({ refused: 'SV-5001' })
    accepted(await edit({ name: 'still paused' }))
    accepted(await edit({ paused: false, intervalSeconds: 1_000 }))
  })
})

describe('existing checks keep running', () => {
  test('after a limit was lowered, a check can be renamed and slowed down, but not sped up', async () => {
    const { json } = await create(domain)
    const context = writingContext(at.sql, { targetRequestsPerMinute: 1 })
    const writer = { accountId: account.id, actor: { kind: 'operator' } } as const
    await at.sql`update checks set type = 'tcp', asked_hosts = null,
      config = ${at.sql.json({ type: 'tcp', settings: { host: domain, port: 443, send: null, expect: null } })}
      where id = ${json.id}`
    const edit = (body: object) => editTypedCheck(context, writer, { checkId: json.id, body })
    accepted(await edit({ name: 'renamed' }))
    accepted(await edit({ intervalSeconds: 60 }))
    expect(await edit({ intervalSeconds: 59 })).toMatchObject({ refused: 'SV-5001' })
  })

  test('checks of an older version count after the backfill', async () => {
    await create(domain)
    await create(domain)
    await at.sql`update checks set asked_hosts = null, asked_sites = null`
    expect(await fillRequestedHosts(at.systemSql)).toBeGreaterThanOrEqual(2)
    expect((await create(domain)).json).toMatchObject(budget)
    expect(await fillRequestedHosts(at.systemSql)).toBe(0)
  })
})

describe('a manual run', () => {
  test('is refused if the manual runs of its host are used up for this minute', async () => {
    const { json } = await create(domain)
    const others = await Promise.all(Array.from({ length: 14 }, () => at.account('scale')))
    const tries = await Promise.all(
      others.map((other) => at.call('POST', `/v1/checks/${json.id}/run`, { key: other.writeKey, body: {} })),
    )
    // runs of others' checks are refused and not counted
    expect(new Set(statuses(tries))).toEqual(new Set([404]))
    await at.sql`delete from asked_by_hand`
    await at.sql`insert into asked_by_hand
      values (date_trunc('minute', clock_timestamp()), ${domain}, 47),
        (date_trunc('minute', clock_timestamp() + interval '1 minute'), ${domain}, 47)`
    await at.sql`insert into asked_by_hand_of_account (minute, host, account_id, requests)
      values (date_trunc('minute', clock_timestamp()), ${domain}, ${account.id}, 47),
        (date_trunc('minute', clock_timestamp() + interval '1 minute'), ${domain}, ${account.id}, 47)`
    const refused = await at.call('POST', `/v1/checks/${json.id}/run`, { key: account.writeKey })
    expect(refused).toMatchObject({ status: 429, json: { ...budget, code: 'SV-5001' } })
    expect(refused.headers['retry-after']).toBe('60')
    const [counted] = await at.sql`select max(requests) as most from asked_by_hand`
    expect(counted).toEqual({ most: 47 })
  })

  test('has a floor for each account until floors have doubled the limit', async () => {
    const { json } = await create(domain)
    const run = () => at.call('POST', `/v1/checks/${json.id}/run`, { key: account.writeKey })
    const others = async (requests: number) => {
      await at.sql`delete from asked_by_hand`
      await at.sql`insert into asked_by_hand
        values (date_trunc('minute', clock_timestamp()), ${domain}, ${requests}),
          (date_trunc('minute', clock_timestamp() + interval '1 minute'), ${domain}, ${requests})`
    }
    await others(50)
    expect((await run()).status).toBe(200)
    await others(97)
    expect((await run()).status).toBe(429)
  })

  test('is counted by host and minute', async () => {
    const { json } = await create(domain)
    await at.sql`insert into asked_by_hand values (now() - interval '2 minutes', ${domain}, 50)`
    const ran = await at.call('POST', `/v1/checks/${json.id}/run`, { key: account.writeKey })
    expect(ran.status).toBe(200)
    const counted = await at.sql`select requests from asked_by_hand where host = ${domain}`
    expect(counted).toEqual([{ requests: 4 }])
  })
})

test('accounts cannot read the requests of others', async () => {
  await create(domain)
  const other = await at.account('scale')
  const seen = await at.accountSql.begin(async (tx) => {
    await tx`select set_config('app.account', ${other.id}, true)`
    return tx`select id from checks where asked_hosts @> array[${domain}]`
  })
  expect(seen).toEqual([])
  await expect(at.accountSql`select * from asked_by_hand`).rejects.toMatchObject({ code: '42501' })
  const sums = await targetCountsOf(at.systemSql).ratesOfOthers([{ kind: 'host', name: domain }], {
    checkIds: [account.id],
    accountId: other.id,
  })
  expect([...sums]).toEqual([[`host ${domain}`, { byAll: perCheck, byAccount: 0 }]])
})
