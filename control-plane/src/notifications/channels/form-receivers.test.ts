import { templateFields } from '@probe-mesh/contracts/channel/body-template'
import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { parseAccountAllow } from '@probe-mesh/contracts/src/target/account-allow'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createResolver } from '../outgoing/resolve.ts'
import { startReceiver, type Received } from '../outgoing/testing.ts'
import { createChannelSender } from './channel-sender.ts'
import type { ChannelMessage } from './forms/message.ts'
import { channelOwner } from './sealed-config.ts'
import { createVault } from '../../secrets/vault.ts'
import { everyMessage, hostileText } from '../../app/testing/messages.ts'
import { vendorProblems, type Vendor, type VendorForm } from './forms/testing/vendor.ts'
import { vendors } from './forms/testing/vendors.ts'

const vault = createVault('the secrets key of the tests, 32 characters')
const parsed = parseAccountAllow(['127.0.0.0/8'])
if (!parsed.ok) throw new Error(parsed.problems.join())
const rules = { targetAllow: parsed.allow, channelAllow: null, blockedTargets: denyNothing }
const sender = createChannelSender({ rules, resolver: createResolver(), vault, now: Date.now })
const owner = { accountId: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70', id: 'c' }

const send = (config: ChannelConfig['config'], message: ChannelMessage) =>
  sender.send(
    {
      ...owner,
      isOperators: true,
      type: 'json',
      credential: vault.seal(JSON.stringify(config), channelOwner(owner)),
    },
    { id: 'delivery-1', message },
    AbortSignal.timeout(20_000),
  )

type Answer = { status: number; body: string; headers?: Record<string, string> }
const receiver = async (answerTo: (request: Received) => Answer) => {
  const started = await startReceiver((request, response) => {
    const { status, body, headers } = answerTo(request)
    response.writeHead(status, headers).end(body)
  })
  onTestFinished(started.close)
  return { ...started, origin: `http://127.0.0.1:${started.port}` }
}

const messages = everyMessage(`shop ${hostileText}`, hostileText)
const of = (kind: string): ChannelMessage => {
  const message = messages[kind]
  if (message === undefined) throw new Error(`there is no message ${kind}`)
  return message
}

describe.each(Object.keys(vendors) as VendorForm[])('%s', (form) => {
  const vendor = vendors[form] as Vendor

  test('a receiver that checks by the documentation accepts fire, remind, acknowledge and resolve', async () => {
    const steps = [
      ['fire', 'trigger'],
      ['remind', 'trigger'],
      ['acknowledge', 'acknowledge'],
      ['resolve', 'resolve'],
    ] as const
    const problems: string[] = []
    let count = 0
    const { origin, received } = await receiver(({ path, headers, body }) => {
      const found = vendorProblems(
        vendor,
        { path, headers: headers as Record<string, string>, body },
        steps[count++]?.[1] ?? 'trigger',
      )
      problems.push(...found)
      return found.length === 0 ? vendor.accepted : vendor.refused
    })
    for (const [kind] of steps) {
      expect(await send(vendor.config(origin), of(kind))).toMatchObject({ ok: true })
    }
    expect(problems).toEqual([])
    expect(received).toHaveLength(4)
  })

  test("a refusal is final and shows the vendor's words, without the credential", async () => {
    const config = vendor.config('')
    const secrets = Object.entries(config).flatMap(([key, value]) =>
      /key|token/i.test(key) ? [String(value)] : [],
    )
    const { origin } = await receiver(() => ({
      ...vendor.refused,
      body: `${vendor.refused.body} ${secrets.join(' ')}`,
    }))
    const result = await send(vendor.config(origin), of('fire'))
    expect(result).toMatchObject({
      ok: false,
      next: 'fail',
      kind: 'refused',
      httpStatus: vendor.refused.status,
    })
    expect(result.detail).toContain(vendor.refused.says)
    for (const secret of secrets) expect(result.detail).not.toContain(secret)
  })

  test('waits as long as the receiver asks for with 429 and Retry-After', async () => {
    const { origin } = await receiver(() => ({ status: 429, body: '', headers: { 'retry-after': '7' } }))
    expect(await send(vendor.config(origin), of('fire'))).toMatchObject({
      next: 'retry',
      kind: 'throttled',
      retryAfterMs: 7_000,
    })
  })
})

test.each<[VendorForm, number, string]>([
  ['slack', 200, '<html>sign in</html>'],
  ['pagerduty', 200, '{"status":"success"}'],
  ['pagerduty', 202, '{"status":"invalid event"}'],
  ['telegram', 200, '{"ok":false,"description":"chat not found"}'],
  ['telegram', 200, '<html>sign in</html>'],
  ['pushover', 200, '{"status":0,"errors":["user identifier is invalid"]}'],
  ['ntfy', 204, ''],
  ['jsm', 200, '<html>sign in</html>'],
])('%s: a %i with %s is not an accepted message', async (form, status, body) => {
  const { origin } = await receiver(() => ({ status, body }))
  const result = await send(vendors[form].config(origin), of('fire'))
  expect(result).toMatchObject({ ok: false, next: 'fail', kind: 'refused', httpStatus: status })
  expect(result.detail).toContain(body)
})

test('telegram: the wait is read from the body', async () => {
  const body = '{"ok":false,"error_code":429,"parameters":{"retry_after":35}}'
  const { origin } = await receiver(() => ({ status: 429, body }))
  expect(await send(vendors.telegram.config(origin), of('fire'))).toMatchObject({
    next: 'retry',
    retryAfterMs: 35_000,
  })
})

describe('template', () => {
  const all = templateFields.map((field) => `"${field}": "{{ ${field} }}"`).join(', ')

  test('posts the own body as JSON with its headers; every value arrives unchanged', async () => {
    const { origin, received } = await receiver(() => ({ status: 200, body: '' }))
    const config = {
      form: 'template' as const,
      url: `${origin}/own`,
      contentType: 'json' as const,
      body: `{ ${all}, "fixed": [1, "two"] }`,
      headers: 'X-Team: ops\nAuthorization: Bearer the-secret-token',
    }
    for (const kind of ['fire', 'remind', 'resolve']) {
      expect(await send(config, of(kind))).toMatchObject({ ok: true })
      const { title, text, alertKey, url, at, event } = of(kind)
      const sent = received.at(-1)
      expect(sent).toMatchObject({
        path: '/own',
        headers: {
          'x-team': 'ops',
          authorization: 'Bearer the-secret-token',
          'content-type': 'application/json',
        },
      })
      expect(JSON.parse(sent?.body ?? '')).toMatchObject({
        title,
        text,
        alertKey,
        url,
        at,
        event,
        state: kind === 'resolve' ? 'closed' : 'open',
        severity: kind === 'resolve' ? 'ok' : 'critical',
        deliveryId: 'delivery-1',
        fixed: [1, 'two'],
      })
    }
  })

  test('posts the own body as a form', async () => {
    const { origin, received } = await receiver(() => ({ status: 200, body: '' }))
    const body = 'to=%2B4917012345&text={{ title }}&key={{alertKey}}'
    await send({ form: 'template', url: `${origin}/sms`, contentType: 'form', body }, of('fire'))
    const { title, alertKey } = of('fire')
    expect(received[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(received[0]?.body))).toEqual({
      to: '+4917012345',
      text: title,
      key: alertKey,
    })
  })

  test('shows no header and no key of the body when the receiver repeats the request', async () => {
    const { origin } = await receiver(({ body, headers }) => ({
      status: 400,
      body: `${headers['authorization']} ${body}`,
    }))
    const result = await send(
      {
        form: 'template',
        url: `${origin}/x`,
        contentType: 'json',
        body: '{"key": "0123456789abcdef0123"}',
        headers: 'Authorization: Bearer the-secret-token',
      },
      of('fire'),
    )
    expect(result.detail).toBe('[redacted] {"key": "[redacted]"}')
  })
})
