import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import type { CheckStatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import { secretsIn } from '@probe-mesh/contracts/secret/secret-template'
import type { Asked } from '../../api/ask.ts'
import { card, facts } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { duration, exactTime } from '../../html/measures.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'

/** The definition of a check, in a few facts. */
export const settingsCard = (check: CheckDetail, rule: Asked<CheckStatusRule>): Html =>
  card(
    {
      id: 'settings',
      title: 'Settings',
      actions: html`<a href="/dashboard/checks/${check.id}/edit">Edit</a>`,
    },
    facts([
      ['Type', check.type],
      ['Target', addressOf(check)],
      ['Request', requestText(check.config ?? null)],
      ['Secrets', secretsOf(check)],
      ['Interval', check.type === 'heartbeat' ? null : `every ${duration(check.intervalSeconds)}`],
      ['Regions', regionsOf(check)],
      ['Timeout', check.timeoutSeconds === undefined ? null : duration(check.timeoutSeconds)],
      ['Up when', assertionsOf(check)],
      ['Status', rule.ok ? rule.value.text : 'what decides it could not be read'],
      ['Created', exactTime(check.createdAt)],
    ]),
  )

const addressOf = ({ url, target }: CheckDetail): Piece => {
  const address = url ?? target
  return address === null ? null : html`<bdi class="code">${address}</bdi>`
}

const regionsOf = ({ regions, private: isPrivate, vantage, type }: CheckDetail): Piece => {
  if (type === 'heartbeat') return null
  if (isPrivate) return html`<a href="/dashboard/agents">your agent</a>; not on status pages`
  return html`${regions.map((region, index) => [index > 0 && ' ', regionLabel(region)])}
  ${vantage === 'local' && html`<span class="muted">(all measured from this machine)</span>`}`
}

/** The names of the secrets that it sends. */
const secretsOf = ({ config }: CheckDetail): Piece => {
  const names = secretsIn([JSON.stringify(config ?? null)])
  return names.length === 0 ? null : html`<a href="/dashboard/secrets">${names.join(', ')}</a>`
}

const bodyWords = { contains: 'body contains', not_contains: 'body does not contain' } as const

/** `status 200 to 299; body contains "ok"` */
const assertionsOf = (check: CheckDetail): Piece => {
  if (check.type !== 'http') return null
  const { assertionStatusMin: min, assertionStatusMax: max, assertionBodyOp, assertionJsonOp } = check
  const status = min === null && max === null ? 'status 200 to 299' : `status ${min ?? 100} to ${max ?? 599}`
  const parts: Piece[] = [
    status,
    assertionBodyOp !== null &&
      html`${bodyWords[assertionBodyOp]} “<bdi class="code">${check.assertionBodyValue ?? ''}</bdi>”`,
    assertionJsonOp !== null &&
      html`<bdi class="code">${check.assertionJsonPath ?? ''}</bdi> ${assertionJsonOp}${
          check.assertionJsonValue !== null && html` “<bdi class="code">${check.assertionJsonValue}</bdi>”`
        }`,
  ]
  return html`${parts.filter((part) => part !== false).map((part, index) => [index > 0 && '; ', part])}`
}

/** `POST with 2 headers, a body and a bearer token`; null for a plain GET. */
export const requestText = (config: CheckConfig | null): string | null => {
  if (config?.type !== 'http' || config.request === undefined) return null
  const { method = 'GET', headers = [], body, auth, clientCertificate } = config.request
  const parts = [
    headers.length > 0 &&
      `${headers.length === 1 ? 'the header' : 'the headers'} ${headers.map(({ name }) => name).join(', ')}`,
    body !== undefined && 'a body',
    auth?.type === 'basic' && 'a user name and a password',
    auth?.type === 'bearer' && 'a token',
    clientCertificate !== undefined && 'a client certificate',
    ...connectionParts(config.request),
  ].filter((part) => part !== false)
  const { connectTo } = config.request
  const sent = connectTo === undefined ? method : `${method} to ${connectTo}`
  return parts.length === 0 ? sent : `${sent} with ${parts.join(', ')}`
}

const connectionParts = ({ hostHeader, serverName, caCertificates, pins }: HttpRequest) => [
  hostHeader !== undefined && `the Host ${hostHeader}`,
  serverName !== undefined && `the SNI ${serverName}`,
  caCertificates !== undefined && 'an own certificate authority',
  pins !== undefined && (pins.length === 1 ? 'a pinned certificate' : `${pins.length} pinned certificates`),
]
