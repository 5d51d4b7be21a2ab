import type { Credentials } from '@probe-mesh/infra/start/all-in-one/credentials'
import { actAs } from '../web/system/client.ts'
import { plantRequest, plantTyped } from './plant-request.ts'
import { randomBytes } from 'node:crypto'

/** A unique text that identifies itself in any output. */
const secret = (what: string): string => `${what}-${randomBytes(12).toString('hex')}`

/**
 * Secrets for every input that accepts one. Those in `inClear` are stored in clear, because agents send them.
 * They must not be in any log, and only in answers to their owner.
 */
export const plantSecrets = () => ({
  operator: {
    secretsKey: secret('the-secrets-key-of-the-operator'),
    gatewayKey: secret('the-key-of-the-gateways-of-a-test'),
    smtpPassword: secret('smtp-password'),
  },
  account: {
    password: secret('password'),
    wrongPassword: secret('wrong-password'),
    wrongKey: `sv_rw_${randomBytes(24).toString('hex')}`,
    discord: secret('discord'),
    teams: secret('teams'),
    opsgenie: secret('opsgenie'),
    jsonUrl: secret('json-url'),
    signature: secret('signature'),
    typedKey: secret('typed-key'),
    checkKey: `${secret('check-key')}+/"&<`,
    telemetry: secret('telemetry'),
  },
  inClear: {
    stepBody: secret('step-body'),
    checkQuery: secret('check-query'),
  },
})
type Planted = ReturnType<typeof plantSecrets>

/** The created secrets of ours, and the responses. */
export type PlantResult = {
  /** A key and a session, which are secrets of ours. */
  ours: { apiKey: string; cookie: string }
  /** A check whose credential was typed in clear. */
  typed: Awaited<ReturnType<typeof plantTyped>>
  /** Responses that may not contain a secret. */
  answers: { where: string; text: string }[]
}

/**
 * Uses a system with secrets: logs in and out, also with wrong passwords, creates a key, unreachable
 * channels, and failing checks that contain secrets.
 * @param closedPort a port of this machine without a server
 * @param urls targets: one answers with all that it gets, one wants a key and a body
 */
export const plant = async (
  origin: string,
  credentials: Credentials,
  { account, inClear }: Planted,
  closedPort: number,
  urls: { echo: string; slow: string },
): Promise<PlantResult> => {
  const answers: PlantResult['answers'] = []
  const sameSite = { 'sec-fetch-site': 'same-origin', origin, 'content-type': 'application/json' }
  const send = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Response> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.clone().text()
    answers.push({ where: `${method} ${path}`, text: `${[...response.headers].join()}\n${text}` })
    return response
  }
  const { email } = credentials
  await send('POST', '/dashboard-api/session', sameSite, { email, password: account.wrongPassword })
  await send('GET', '/v1/checks', { authorization: `Bearer ${account.wrongKey}` })
  const logIn = async (password: string): Promise<string> => {
    const answer = await fetch(`${origin}/dashboard-api/session`, {
      method: 'POST',
      headers: sameSite,
      body: JSON.stringify({ email, password }),
    })
    if (!answer.ok) throw new Error(`login failed: ${await answer.text()}`)
    return (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  }
  const first = { ...sameSite, cookie: await logIn(credentials.password) }
  const change = { currentPassword: credentials.password, newPassword: account.password }
  const changed = await send('POST', '/dashboard-api/password', first, change)
  if (!changed.ok) throw new Error(`the password stays: ${await changed.text()}`)
  const cookie = await logIn(account.password)
  const asUser = await actAs(origin, { email, password: account.password })
  const { apiKey } = await asUser('createKey', { body: { name: 'planted', scope: 'read_write' } })
  const key = { authorization: `Bearer ${apiKey}` }

  const nowhere = `http://127.0.0.1:${closedPort}`
  const configs = [
    { type: 'discord', config: { webhookUrl: `${nowhere}/api/webhooks/1/${account.discord}` } },
    { type: 'teams', config: { webhookUrl: `${nowhere}/workflows?sig=${account.teams}` } },
    { type: 'opsgenie', config: { apiKey: account.opsgenie, apiUrl: nowhere } },
    { type: 'json', config: { url: `${nowhere}/${account.jsonUrl}`, secret: account.signature } },
  ]
  for (const config of configs) {
    const created = await send('POST', '/v1/notification-channels', key, {
      name: config.type,
      ...config,
    })
    const channel = (await created.json()) as { id: string }
    await send('POST', `/v1/notification-channels/${channel.id}/test`, key, {})
    await send('GET', `/v1/notification-channels/${channel.id}`, key)
  }
  const telemetry = { endpoint: nowhere, headers: `x-key: ${account.telemetry}`, metrics: true, traces: true }
  const saved = await send('PATCH', '/dashboard-api/telemetry', { ...sameSite, cookie }, telemetry)
  if (!saved.ok) throw new Error(`telemetry is not saved: ${await saved.text()}`)
  const failing = `${nowhere}/?token=${inClear.checkQuery}`
  await asUser('createCheck', { body: { name: 'failing', url: failing, intervalSeconds: 10 } })
  const journey = await asUser('createTypedCheck', {
    body: {
      type: 'multistep',
      name: 'log in',
      intervalSeconds: 60,
      steps: [
        {
          name: 'log in',
          method: 'POST',
          url: `${nowhere}/login`,
          body: `password=${inClear.stepBody}`,
          contentType: 'application/x-www-form-urlencoded',
        },
      ],
    },
  })
  await send('POST', `/v1/checks/${journey.id}/run`, key, {})
  const echoed = await plantRequest(asUser, urls.echo, account.checkKey, urls.slow)
  await send('POST', `/v1/checks/${echoed}/run`, key, {})
  for (const path of ['', '/readings', '/edit'])
    await send('GET', `/dashboard/checks/${echoed}${path}`, { cookie })
  for (const path of [`/v1/checks/${echoed}`, `/v1/checks/${echoed}/readings`]) await send('GET', path, key)
  const typed = await plantTyped(asUser, urls.slow, account.typedKey)
  answers.push({ where: 'a trial and its check', text: JSON.stringify(typed) })
  for (const path of ['', '/readings', '/edit'])
    await send('GET', `/dashboard/checks/${typed.id}${path}`, { cookie })
  for (const path of [`/v1/checks/${typed.id}`, `/v1/checks/${typed.id}/readings`])
    await send('GET', path, key)
  const { secrets } = await asUser('listSecrets', {})
  const ownPage = { ...sameSite, cookie, 'idempotency-key': 'once' }
  for (const { id } of secrets) {
    const value = { value: account.typedKey }
    await send('PATCH', `/dashboard-api/secrets/${id}`, ownPage, value)
    await send('GET', `/dashboard/secrets/${id}`, { cookie })
  }
  await send('GET', '/dashboard/secrets', { cookie })
  for (const path of ['/v1/me', '/v1/notification-channels', '/probes.json', '/llms.txt']) {
    await send('GET', path, key)
  }
  await send('GET', '/metrics', { authorization: `Bearer ${credentials.metricsToken}` })
  for (const path of ['keys', 'channels', 'audit', 'outbox', 'opentelemetry']) {
    await send('GET', `/dashboard/${path}`, { cookie })
  }
  // ours may be in the answers that issue them
  return { ours: { apiKey, cookie: cookie.split('=')[1] ?? '' }, answers, typed }
}
