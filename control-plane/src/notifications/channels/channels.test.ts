import { channelRoutes } from '@probe-mesh/contracts/src/channel/channel-routes'
import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { Channel } from '@probe-mesh/contracts/channel/channel'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ok, startReceiver } from '../outgoing/testing.ts'
import { insertDeliveries } from '../deliveries-store.ts'
import type { AppConfig } from '../../app/app-parts.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../app/testing/test-app.ts'

let at: TestApp
let account: TestAccount
let other: TestAccount
beforeAll(async () => {
  at = await startTestApp({ config: { budgetScale: 1_000 } })
  other = await at.account('scale')
})
beforeEach(async () => {
  account = await at.account('scale')
})

const path = '/v1/notification-channels'
const token = 'v3ry-s3cret-token-of-a-webhook'
const discord = {
  type: 'discord',
  name: 'ops',
  config: { webhookUrl: `https://discord.com/api/webhooks/12/${token}` },
}
const call = (method: 'POST' | 'PATCH' | 'DELETE', id: string, body?: unknown) =>
  at.call(method, `${path}/${id}`, {
    key: account.writeKey,
    ...(body === undefined ? {} : { body }),
  })
const create = (body: unknown = discord) => at.call('POST', path, { key: account.writeKey, body })
const get = (id: string, key = account.readKey) => at.call('GET', `${path}/${id}`, { key })
const audited = async () => {
  const rows = await at.sql<{ action: string; resource_id: string }[]>`
    select action, resource_id from audit_log
    where account_id = ${account.id} and resource_type = 'notification_channel' order by at, id`
  return rows.map((row) => [row.action, row.resource_id])
}
const receiver = async (answer: Parameters<typeof startReceiver>[0]) => {
  const started = await startReceiver(answer)
  onTestFinished(started.close)
  return started
}
const problemPaths = (json: { errors: { path: string }[] }) =>
  json.errors.map((problem) => problem.path).toSorted()

describe('creating a channel', () => {
  test('a new channel is unverified, shows no credential, and has an audit entry', async () => {
    const { status, json } = await create()
    expect(status).toBe(201)
    expect(Channel.parse(json)).toEqual({
      id: json.id,
      type: 'discord',
      name: 'ops',
      verified: false,
      configSummary: { webhookUrl: 'https://discord.com/…hook' },
    })
    expect((await get(json.id)).json).toEqual(json)
    const list = await at.call('GET', path, { key: account.readKey })
    expect(list.json).toEqual({ notificationChannels: [json], nextCursor: null })
    expect(await audited()).toEqual([['createChannel', json.id]])
  })

  test('the credential is stored encrypted, and is in no answer and no log', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(500).end(`never show ${token} or /hook/${token}`)
    })
    const answers = [await create({ ...discord, type: 'json', config: { url: `${url}/${token}` } })]
    const { id } = answers[0]?.json ?? {}
    const [row] = await at.sql<{ credential: Buffer }[]>`
      select credential from notification_channels where id = ${id}`
    const stored = row?.credential.toString('latin1') ?? ''
    expect(stored).not.toBe('')
    answers.push(await get(id), await at.call('GET', path, { key: account.readKey }))
    answers.push(await call('POST', `${id}/test`))
    answers.push(await call('PATCH', id, { config: { url: `ftp://x/${token}`, more: token } }))
    answers.push(await call('PATCH', id, { config: { url: `http://10.0.0.1/${token}` } }))
    answers.push(await call('DELETE', id))
    const everything = [answers.map((each) => each.text), at.logged, stored, await audited()]
    expect(answers.map((each) => each.status)).toEqual([201, 200, 200, 200, 422, 422, 200])
    expect(JSON.stringify(everything)).not.toContain(token)
  })

  test.each([
    ['a type that there is not', { ...discord, type: 'pager' }, ['type']],
    ['keys of another type', { ...discord, type: 'opsgenie' }, ['config.apiKey', 'config.webhookUrl']],
    ['no config', { type: 'json', name: 'x' }, ['config']],
    [
      'everything wrong',
      { type: 'json', name: ' ', config: { url: 'x', secret: 'short' }, a: 1 },
      ['a', 'config.secret', 'config.url', 'name'],
    ],
    [
      'a secret that is no base64',
      {
        type: 'json',
        name: 'x',
        config: { url: 'https://example.org/', secret: 'whsec_not!base64!at!all' },
      },
      ['config.secret'],
    ],
    [
      'a key that no header carries',
      { type: 'opsgenie', name: 'x', config: { apiKey: 'a\nb' } },
      ['config.apiKey'],
    ],
  ])('%s is refused with every problem', async (_, body, paths) => {
    const { status, json } = await create(body)
    expect([status, json.code]).toEqual([422, 'SV-2001'])
    expect(problemPaths(json)).toEqual(paths)
  })

  test.each([
    'http://10.0.0.1/hook',
    'http://169.254.169.254/latest/meta-data',
    'https://hooks.internal/x',
    'https://user:password@example.org/x',
    'http://example.org:25/x',
  ])('%s is refused as an address, on create and on update', async (url) => {
    const body = { type: 'json', name: 'x', config: { url } }
    expect((await create(body)).json).toMatchObject({
      code: 'SV-5001',
      errors: [{ path: 'config.url' }],
    })
    const { json } = await create()
    const changed = await call('PATCH', json.id, { config: { webhookUrl: url } })
    expect(changed.json).toMatchObject({ code: 'SV-5001', errors: [{ path: 'config.webhookUrl' }] })
    expect((await get(json.id)).json).toEqual(json)
  })

  test('an account has at most 50 channels, also under concurrent creates', async () => {
    const answers = await Promise.all(Array.from({ length: 53 }, () => create()))
    const codes = answers.map(({ status, json }) => (status === 201 ? 201 : json.code))
    expect(codes.filter((code) => code === 201)).toHaveLength(50)
    expect(codes.filter((code) => code === 'SV-3002')).toHaveLength(3)
  })
})

describe('updating a channel', () => {
  test('a config is replaced as a whole, and must match the type of the channel', async () => {
    const { json } = await create({
      type: 'json',
      name: 'x',
      config: { url: 'https://example.org/hook/abcdefgh', secret: 'sixteen characters' },
    })
    const changed = await call('PATCH', json.id, {
      type: 'json',
      config: { url: 'https://a.org/' },
    })
    expect(changed.json).toMatchObject({
      name: 'x',
      configSummary: { url: 'https://a.org/', signed: 'no' },
    })
    const refused = await call('PATCH', json.id, {
      type: 'teams',
      config: { webhookUrl: 'x', b: 1 },
    })
    expect(refused.json.code).toBe('SV-2001')
    expect(problemPaths(refused.json)).toEqual(['config.b', 'config.url', 'config.webhookUrl', 'type'])
    expect((await get(json.id)).json).toEqual(changed.json)
  })

  test('any update clears the verified flag until the next successful test', async () => {
    const { url } = await receiver(ok)
    const { json } = await create({ type: 'json', name: 'x', config: { url } })
    const verified = async (): Promise<boolean> => (await get(json.id)).json.verified
    for (const change of [{}, { name: 'y' }, { type: 'json' }, { config: { url } }]) {
      await call('POST', `${json.id}/test`)
      expect(await verified()).toBe(true)
      expect((await call('PATCH', json.id, change)).json.verified).toBe(false)
      expect(await verified()).toBe(false)
    }
  })

  test('a deleted channel is deleted with its pending messages', async () => {
    const { json } = await create()
    const message = {
      event: 'alert',
      title: 't',
      text: 't',
      facts: [],
      url: 'u',
      at: '',
      alertKey: '',
    }
    const draft = { accountId: account.id, cause: json.id, expiresAtMs: Date.now() + 60_000 }
    await insertDeliveries(
      at.sql,
      [{ ...draft, kind: 'channel', channelId: json.id, message } as never],
      Date.now(),
    )
    expect((await call('DELETE', json.id)).json).toEqual({ id: json.id, deleted: true })
    expect((await get(json.id)).json.code).toBe('SV-3001')
    expect((await call('DELETE', json.id)).json.code).toBe('SV-3001')
    expect(await at.sql`select from deliveries where channel_id = ${json.id}`).toHaveLength(0)
  })

  test("another account's channel is not found by any request, and is unchanged", async () => {
    const { json } = await create()
    const { writeKey: key } = other
    const answers = await Promise.all([
      at.call('GET', `${path}/${json.id}`, { key }),
      at.call('PATCH', `${path}/${json.id}`, { key, body: { name: 'mine' } }),
      at.call('POST', `${path}/${json.id}/test`, { key }),
      at.call('DELETE', `${path}/${json.id}`, { key }),
    ])
    expect(answers.map((each) => each.json.code)).toEqual(Array(4).fill('SV-3001'))
    expect((await get(json.id)).json).toEqual(json)
  })

  test.each(
    Object.values(channelRoutes)
      .filter((route) => route.scope === 'read_write')
      .map((route) => [route.method, route.path] as const),
  )('a read key may not %s %s', async (method, route) => {
    const { json } = await create()
    const url = `/v1${route.replace(':id', json.id)}`
    const refused = await at.call(method, url, { key: account.readKey, body: {} })
    expect(refused.json.code).toBe('SV-1004')
  })
})

const beOperators = async (): Promise<void> => {
  await at.sql`update accounts set is_operators = false where is_operators`
  await at.sql`update accounts set is_operators = true where id = ${account.id}`
}

describe('the allow and deny lists', () => {
  const hook = { type: 'json', name: 'hook', config: { url: 'http://127.0.0.3:35091/hook' } }
  const denied = 'the owner of the target asked not to be probed'
  const start = async (config: Partial<AppConfig>) => {
    const before = at
    const own = await startTestApp({ config: { budgetScale: 1_000, ...config } })
    onTestFinished(async () => {
      at = before
      await own.close()
    })
    at = own
    account = await own.account('scale')
  }

  test('refuse a channel to a blocked host, on create and on update', async () => {
    const deny = parseDenyList(['127.0.0.3', 'example.org'])
    if (!deny.ok) throw new Error(deny.problems.join())
    await start({ blockedTargets: deny.deny })
    const refused = {
      status: 422,
      json: { code: 'SV-5001', errors: [{ path: 'config.url', message: denied }] },
    }
    expect(await create(hook)).toMatchObject(refused)
    const named = { ...hook, config: { url: 'https://hooks.example.org/x' } }
    expect(await create(named)).toMatchObject(refused)
    const { json } = await create()
    const change = { config: { webhookUrl: 'https://example.org/x' } }
    expect((await call('PATCH', json.id, change)).json).toMatchObject({
      code: 'SV-5001',
      errors: [{ path: 'config.webhookUrl', message: denied }],
    })
  })

  test("let only the operator's account reach the networks of TARGET_ALLOW", async () => {
    await start({ channelAllow: null })
    expect((await create(hook)).json).toMatchObject({
      code: 'SV-5001',
      errors: [{ path: 'config.url' }],
    })
    await beOperators()
    expect((await create(hook)).status).toBe(201)
  })
})

describe('a test send', () => {
  test("that succeeds verifies the channel and shows the receiver's answer", async () => {
    await beOperators()
    const { url, received } = await receiver((_request, response) => {
      response.writeHead(200).end('thank\u0000you\r\n')
    })
    const { json } = await create({ type: 'json', name: 'x', config: { url } })
    const tested = await call('POST', `${json.id}/test`)
    expect(tested).toMatchObject({
      status: 200,
      json: {
        channel: { ...json, verified: true },
        delivered: true,
        httpStatus: 200,
        detail: 'thank you',
      },
    })
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ type: 'test' })
    expect(await audited()).toContainEqual(['testChannel', json.id])
  })

  test.each([
    ['opsgenie', { apiKey: 'opsgenie-key-of-a-test' }, ['/v2/alerts', '/v2/alerts/<alias>/close']],
    ['json', { form: 'jsm', apiKey: 'jsm-key-of-a-test' }, null],
    ['json', { form: 'pagerduty', routingKey: 'a'.repeat(32) }, ['/v2/enqueue', '/v2/enqueue']],
  ])('closes the alert that it opens at %s %s', async (type, config, paths) => {
    await beOperators()
    const { url, received } = await receiver((_request, response) => {
      response.writeHead(202).end('{"result":"Request will be processed","status":"success"}')
    })
    const { json } = await create({ type, name: 'x', config: { ...config, apiUrl: new URL(url).origin } })
    expect((await call('POST', `${json.id}/test`)).json).toMatchObject({ delivered: true })
    expect(received).toHaveLength(2)
    const bare = received.map((each) => each.path.replace(/\?.*/, '').replace(`test-${json.id}`, '<alias>'))
    if (paths !== null) expect(bare).toEqual(paths)
    if ('routingKey' in config) {
      const [opened, closed] = received.map(({ body }) => JSON.parse(body))
      expect([opened.event_action, closed.event_action]).toEqual(['trigger', 'resolve'])
      expect(closed.dedup_key).toBe(opened.dedup_key)
    }
  })

  test.each([302, 404, 500])('answered with %i does not verify the channel', async (status) => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(status, { location: url }).end('no')
    })
    const { json } = await create({ type: 'json', name: 'x', config: { url } })
    const tested = await call('POST', `${json.id}/test`)
    expect(tested.json).toMatchObject({ delivered: false, httpStatus: status })
    expect((await get(json.id)).json.verified).toBe(false)
  })

  test('does not verify a config that changed during the test', async () => {
    let id = ''
    const { url } = await receiver((_request, response) => {
      void call('PATCH', id, { config: { url: 'https://example.org/' } }).then(() => ok(_request, response))
    })
    const { json } = await create({ type: 'json', name: 'x', config: { url } })
    id = json.id
    expect((await call('POST', `${id}/test`)).json.code).toBe('SV-3002')
    expect((await get(id)).json.verified).toBe(false)
  })
})
