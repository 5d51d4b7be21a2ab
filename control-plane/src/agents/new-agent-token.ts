import { createHash, randomBytes } from 'node:crypto'
import { formatAgentToken } from '@probe-mesh/contracts/account/api-key'

const secretBytes = 32

/** A token of a private agent, shown once, with what is stored of it. */
export const newAgentToken = (
  agentId: string,
): { token: string; tokenHash: Uint8Array; hint: string } => {
  const token = formatAgentToken(agentId, randomBytes(secretBytes))
  return { token, tokenHash: hashAgentToken(token), hint: `sv_a_…${token.slice(-4)}` }
}

/** 256 random bits need no slow hash, and equality on it is the look-up. */
export const hashAgentToken = (token: string): Uint8Array =>
  createHash('sha256').update(token).digest()
