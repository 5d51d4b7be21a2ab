import type { Credentials } from '@probe-mesh/infra/start/all-in-one/credentials'
import { actAs } from '../web/system/client.ts'
import { randomBytes } from 'node:crypto'

/** A unique text that identifies itself in any output. */
const secret = (what: string): string => `${what}-${randomBytes(12).toString('hex')}`

/**
 * What is planted wherever a secret is taken. `inClear` are those that a store has to keep as they
 * are, since agents send them: they may stand in no log, and in no answer but the owner's own.
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
  },
  inClear: {
    stepBody: secret('step-body'),
    checkQuery: secret('check-query'),
  },
})
type Planted = ReturnType<typeof plantSecrets>

/** What was made on the way, and what came back for it. */
export type Made = {
  /** A key and a session, which are secrets of ours. */
  ours: { apiKey: string; cookie: string }
  /** Responses that may not contain a secret. */
  answers: { where: string; text: string }[]
}

/**
 * Uses a system as somebody does who has secrets: logs in and out of it, rightly and wrongly, makes a
 * key, gives it channels that cannot be reached, and checks with secrets in them, which fail.
 * @param closedPort of this machine, where nothing listens
 */
export const plant = async (
  origin: string,
  credentials: Credentials,
  { account, inClear }: Planted,
  closedPort: number,
): Promise<Made> => {
  const answers: Made['answers'] = []
  const sameSite = { 'sec-fetch-site': 'same-origin', origin, 'content-type': 'application/json' }
  const ask = async (
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
  await ask('POST', '/dashboard-api/session', sameSite, { email, password: account.wrongPassword })
  await ask('GET', '/v1/checks', { authorization: `Bearer ${account.wrongKey}` })
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
  const changed = await ask('POST', '/dashboard-api/password', first, change)
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
    const created = await ask('POST', '/v1/notification-channels', key, {
      name: config.type,
      ...config,
    })
    const channel = (await created.json()) as { id: string }
    await ask('POST', `/v1/notification-channels/${channel.id}/test`, key, {})
    await ask('GET', `/v1/notification-channels/${channel.id}`, key)
  }
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
  await ask('POST', `/v1/checks/${journey.id}/run`, key, {})
  for (const path of ['/v1/me', '/v1/notification-channels', '/probes.json', '/llms.txt']) {
    await ask('GET', path, key)
  }
  await ask('GET', '/metrics', { authorization: `Bearer ${credentials.metricsToken}` })
  for (const path of ['keys', 'channels', 'audit', 'outbox']) {
    await ask('GET', `/dashboard/${path}`, { cookie })
  }
  // ours are not looked for where they were given out, and where nobody may read without them
  return { ours: { apiKey, cookie: cookie.split('=')[1] ?? '' }, answers }
}
