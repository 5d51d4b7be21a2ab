import { isIP } from 'node:net'
import { parsePrivateTargets } from '@probe-mesh/contracts/target/private-targets'
import { privateRegion } from '@probe-mesh/contracts/reading/regions'
import { partsOf } from '@probe-mesh/runtime/parts-of'
import { z } from 'zod'
import { SharedEnvironment, givenIn, listed, problemsIn, toProcessConfig } from './config.ts'
import type { AgentProcessConfig } from './config.ts'

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))

/** A token travels to it: never in the clear, except on the machine itself. */
const isMeshUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

const PrivateTargets = listed((text) => {
  const parsed = parsePrivateTargets(partsOf(text))
  return parsed.ok ? { ok: true, value: parsed.allow } : parsed
})

const notHere = (instead: string) =>
  z.undefined(`is not for a private agent: ${instead}`).optional()

const Environment = SharedEnvironment.extend({
  MESH_URL: z
    .string()
    .refine(
      isMeshUrl,
      'must be the https:// address of the service, such as https://mesh.example.org',
    )
    .transform((url) => url.replace(/\/+$/, '')),
  PRIVATE_TARGETS: PrivateTargets.prefault(''),
  REGION: notHere('its token says which region it is'),
  AGENT: notHere('its token says who it is'),
  NATS_URL: notHere('MESH_URL says where the service is'),
  TARGET_ALLOW: notHere('PRIVATE_TARGETS says what it may reach'),
})

/** Whether an environment is one of a private agent. */
export const isPrivateAgent = (
  environment: Readonly<Record<string, string | undefined>>,
): boolean => givenIn(environment)['MESH_URL'] !== undefined

/**
 * Reads the environment of a process that runs a private agent; every problem is listed at once. What
 * it may reach is said here and nowhere else.
 * @param agentId of its token
 */
export const parsePrivateAgentConfig = (
  environment: Readonly<Record<string, string | undefined>>,
  agentId: string,
): { ok: true; config: AgentProcessConfig } | { ok: false; problems: string[] } => {
  const parsed = Environment.safeParse(givenIn(environment))
  if (!parsed.success) return { ok: false, problems: problemsIn(parsed.error) }
  const region = privateRegion(agentId)
  const config = toProcessConfig(parsed.data, {
    region,
    agent: region,
    targetAllow: parsed.data.PRIVATE_TARGETS,
    // whom it asks knows it
    publicAddresses: [],
    probesUrl: null,
    // it runs no browser checks
    chromium: 'off',
    way: { kind: 'relay', url: parsed.data.MESH_URL },
  })
  return { ok: true, config }
}
