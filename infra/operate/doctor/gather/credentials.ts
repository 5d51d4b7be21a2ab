import { readFile } from 'node:fs/promises'
import { isGood, readRegister } from '../../../deploy/nats/register.ts'
import type { Enrolment } from '../../../deploy/nats/register.ts'
import type { Credential } from '../findings/machine-findings.ts'

const tokenForm = /-+BEGIN NATS USER JWT-+\n[\w-]+\.(?<claims>[\w-]+)\.[\w-]+\n/

/** What a file of credentials says of whom it lets in; empty where it holds a seed alone. */
const claimsOf = async (path: string): Promise<{ exp?: unknown; sub?: unknown }> => {
  const text = await readFile(path, 'utf8')
  const claims = tokenForm.exec(text)?.groups?.['claims']
  if (claims === undefined) return {}
  const json: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
  return typeof json === 'object' && json !== null ? json : {}
}

/** The agent that a file of credentials lets in; null: it is none that the folder of keys knows. */
export const agentOfCredentials = async (
  path: string,
  agents: readonly Enrolment[],
): Promise<Enrolment | null> => {
  const { sub } = await claimsOf(path).catch(() => ({ sub: undefined }))
  return agents.find(({ key }) => key === sub) ?? null
}

/** Until when the credentials of a file are good. @throws Error where it cannot be read */
const credentialOfFile = async (path: string): Promise<Credential> => {
  const { exp: seconds } = await claimsOf(path)
  return {
    whose: `the control plane's NATS credentials (${path})`,
    endsAtMs: typeof seconds === 'number' ? seconds * 1_000 : null,
    renew: 'Take the file away and run npm run nats-config again: it writes a new one.',
  }
}

/** What lets somebody in and may end: the control plane's own credentials, and those of agents. */
export const gatherCredentials = async (
  natsCredentials: string | null,
  keysDir: string,
  nowMs: number,
): Promise<Credential[]> => {
  const own = natsCredentials === null ? [] : [await credentialOfFile(natsCredentials)]
  const { agents } = await readRegister(keysDir)
  // one that was rotated long ago has ended, and nobody misses it
  const newest = new Map(
    agents.filter((agent) => agent.revokedAt === null).map((agent) => [agent.name, agent]),
  )
  return [
    ...own,
    ...[...newest.values()].map((agent) => ({
      whose: `the NATS credentials of ${agent.name}${isGood(agent, nowMs) ? '' : ' (no longer good)'}`,
      endsAtMs: agent.expiresAt === null ? null : Date.parse(agent.expiresAt),
      renew: `npm run -s admin -- agent rotate ${agent.name} --region ${agent.region} --out <its file>, or agent revoke ${agent.name}.`,
    })),
  ]
}
