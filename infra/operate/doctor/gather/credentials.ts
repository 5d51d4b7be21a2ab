import { readFile } from 'node:fs/promises'
import { isValid, readRegister, type Enrolment } from '../../../deploy/nats/register.ts'
import type { Credential } from '../findings/machine-findings.ts'

const tokenForm = /BEGIN NATS USER JWT-+\n[\w-]+\.(?<claims>[\w-]+)\.[\w-]+\n/

/** The claims of a credentials file; empty for a file with a seed only. */
const claimsOf = async (path: string): Promise<{ exp?: unknown; sub?: unknown }> => {
  const text = await readFile(path, 'utf8')
  const claims = tokenForm.exec(text)?.groups?.['claims']
  if (claims === undefined) return {}
  const json: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
  return typeof json === 'object' && json !== null ? json : {}
}

/** The agent of a credentials file; null: not an agent of the key folder. */
export const agentOfCredentials = async (
  path: string,
  agents: readonly Enrolment[],
): Promise<Enrolment | null> => {
  const { sub } = await claimsOf(path).catch(() => ({ sub: undefined }))
  return agents.find(({ key }) => key === sub) ?? null
}

/** The expiry of a credentials file. @throws Error for an unreadable file */
const credentialOfFile = async (path: string): Promise<Credential> => {
  const { exp: seconds } = await claimsOf(path)
  return {
    whose: `the control plane's NATS credentials (${path})`,
    endsAtMs: typeof seconds === 'number' ? seconds * 1_000 : null,
    renew: 'Delete the file and run npm run nats-config again: it writes a new one.',
  }
}

/** Credentials with an expiry: the control plane's own, and those of agents. */
export const gatherCredentials = async (
  natsCredentials: string | null,
  keysDir: string,
  nowMs: number,
): Promise<Credential[]> => {
  const own = natsCredentials === null ? [] : [await credentialOfFile(natsCredentials)]
  const { agents } = await readRegister(keysDir)
  // only the newest credentials of an agent matter
  const newest = new Map(
    agents.filter((agent) => agent.revokedAt === null).map((agent) => [agent.name, agent]),
  )
  return [
    ...own,
    ...[...newest.values()].map((agent) => ({
      whose: `the NATS credentials of ${agent.name}${isValid(agent, nowMs) ? '' : ' (no longer valid)'}`,
      endsAtMs: agent.expiresAt === null ? null : Date.parse(agent.expiresAt),
      renew: `npm run -s admin -- agent rotate ${agent.name} --region ${agent.region} --out <its file>, or agent revoke ${agent.name}.`,
    })),
  ]
}
