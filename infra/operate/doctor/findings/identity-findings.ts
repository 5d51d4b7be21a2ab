import { gatewayRefused } from '@probe-mesh/contracts/outage/gateway'
import type { Forwarding } from '@probe-mesh/runtime/forwarded'
import type { Judged } from '@probe-mesh/control-plane/mesh/identity/judge-identity'
import {
  otherSecretsKey,
  type SecretsKeyState,
} from '@probe-mesh/control-plane/mesh/identity/prove-secrets-key'
import { broken, ok, warning, type Finding, type Gathered } from './finding.ts'
import { proxyFindings } from './machine-findings.ts'

export type IdentityFindingFacts = {
  judged: Judged
  /** null: this machine has no key, or the system has no id yet. */
  secretsKey: SecretsKeyState | null
}

/**
 * Whether the servers belong to one system, and SECRETS_KEY is its key. Other findings report servers that do
 * not answer.
 */
export const identityFindings = (gathered: Gathered<IdentityFindingFacts>): Finding[] => {
  if (!gathered.ok) return []
  const { judged, secretsKey } = gathered.facts
  const [what = '', ...next] = judged.ok ? [] : judged.problem.split(/(?<=\.) /)
  return [
    judged.ok
      ? ok('system', judged.id === null ? 'it has no id yet' : `all parts belong to ${judged.id}`)
      : broken('system', what, next.join(' ')),
    ...(secretsKey === null ? [] : [secretsKeyFinding(secretsKey)]),
  ]
}

const secretsKeyFinding = (state: SecretsKeyState): Finding => {
  const topic = 'secrets key'
  const [what = '', ...next] = otherSecretsKey.split(/(?<=\.) /)
  if (state === 'other key') return broken(topic, what, next.join(' '))
  return ok(topic, state === 'proved' ? 'SECRETS_KEY is the key of this system' : 'not verified yet')
}

export type GatewayFacts = {
  /** What it says of its control plane. */
  controlPlane: string
  /** How a request to it arrived; null: unknown. */
  proxy: Forwarding | null
}

/** Whether the gateway reaches a control plane that trusts it, and knows its clients. */
export const gatewayFindings = (gathered: Gathered<GatewayFacts>, mcpUrl: string): Finding[] => {
  const topic = 'gateway'
  if (!gathered.ok) {
    return [
      warning(
        topic,
        `The MCP gateway at ${mcpUrl} does not answer /readyz: ${gathered.why}.`,
        'Start it, correct MCP_URL, or run this command on a machine that reaches its /readyz.',
      ),
    ]
  }
  const { controlPlane, proxy } = gathered.facts
  const proxied = proxyFindings(proxy, { url: mcpUrl, addresses: [], of: 'the MCP gateway' })
  return [controlPlaneFinding(controlPlane), ...proxied]
}

const controlPlaneFinding = (controlPlane: string): Finding => {
  const topic = 'gateway'
  if (controlPlane === 'ok') return ok(topic, 'the control plane trusts the MCP gateway')
  return broken(
    topic,
    `The MCP gateway reports about its control plane: ${controlPlane}.`,
    controlPlane === gatewayRefused
      ? 'Set the same GATEWAY_KEY on the gateway and on every control plane, and restart the changed parts.'
      : 'Set CONTROL_PLANE_URL of the gateway to a control plane that is ready.',
  )
}
