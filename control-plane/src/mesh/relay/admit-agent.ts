import { hash } from 'node:crypto'
import { agentIdOfToken } from '@probe-mesh/contracts/account/api-key'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findAgentOfToken } from '../../agents/private-agents-store.ts'
import type { AdmittedAgent, RelayContext } from './context.ts'

/** The hash of a token, without a look-up: SV-1001 where there is none, SV-1002 where it is malformed. */
export const hashOfToken = (authorization: string | undefined): string | Refusal => {
  if (authorization === undefined) return refuse('SV-1001', { message: noToken })
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  // a typo costs no look-up
  if (agentIdOfToken(token) === null) return refuse('SV-1002', { message: badToken })
  return hash('sha256', token, 'base64url')
}

/**
 * Whose token it is: SV-1002 where it is unknown or revoked, SV-1012 where its account is suspended (S-2903).
 */
export const admitAgent = async (
  { sql }: Pick<RelayContext, 'sql'>,
  tokenHash: string,
): Promise<AdmittedAgent | Refusal> => {
  const agent = await findAgentOfToken(sql, Buffer.from(tokenHash, 'base64url'))
  if (agent === null) return refuse('SV-1002', { message: badToken })
  const { isSuspended, ...admitted } = agent
  return isSuspended ? refuse('SV-1012') : admitted
}

const noToken = "Send the agent's token: Authorization: Bearer <token>."
const badToken = 'This token is malformed, unknown or revoked. Rotate it, or enrol the agent anew.'
