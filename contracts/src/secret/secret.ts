import { z } from 'zod'
import { Instant } from '../schema/text.ts'
import { entriesFor, partsOfEntry, unboundCovers } from './secret-host.ts'

/** The name of a secret in an account, as texts have it: {{ secret.name }}. */
export const SecretName = z
  .string()
  .max(64)
  .regex(/^[A-Za-z]\w*$/, 'must be letters, digits and underscores, and begin with a letter')

/** Shorter values could not be masked in what a target answers. */
export const secretCharactersMin = 6
export const secretCharactersMax = 10_000
export const secretsPerAccountMax = 200

/** A secret as it is shown: its value never is. */
export const Secret = z.object({
  id: z.string(),
  name: SecretName,
  /** Where it may be sent, as in `secret-host.ts`. */
  hosts: z.array(z.string()),
  /** Ids of the private agents that may open it. */
  agents: z.array(z.string()),
  /** Ids of the checks that use it. */
  usedBy: z.array(z.string()),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Secret = z.infer<typeof Secret>

/** One secret, as it is sealed for one check. */
const SealedSecret = z.object({
  value: z.string().max(secretCharactersMax),
  /** Hosts with their ports, for agents of versions that know no origins. */
  hosts: z.array(z.string().max(300)).min(1).max(60),
  /** The origins of the check that may get it. Absent: an earlier version sealed it. */
  origins: z.array(z.string().max(300)).max(20).optional(),
})
type SealedSecret = z.infer<typeof SealedSecret>

/** Whether an agent may send a sealed secret to a URL. */
export const mayReceive = ({ hosts, origins }: Pick<SealedSecret, 'hosts' | 'origins'>, url: URL): boolean =>
  origins === undefined ? hosts.some((entry) => unboundCovers(entry, url)) : origins.includes(url.origin)

/** The secrets of one check, as they are sealed for the agents of its region. */
export const SealedSecrets = z.record(SecretName, SealedSecret)
export type SealedSecrets = z.infer<typeof SealedSecrets>

/** A host that no URL of a check reaches: an agent of an earlier version sends the secret nowhere. */
const nowhere = 'secret.invalid'

/**
 * What an agent may do with a secret in one check: no more than the requests of the check need.
 * @param hosts the entries of the secret
 * @param urls the requests of the check that send it
 */
export const bindTo = (
  hosts: readonly string[],
  urls: readonly string[],
): Pick<SealedSecret, 'hosts' | 'origins'> => {
  const allowed = urls.flatMap((text) => {
    const url = URL.parse(text)
    const [entry] = url === null ? [] : entriesFor(hosts, url)
    return url === null || entry === undefined ? [] : [{ origin: url.origin, ...partsOfEntry(entry) }]
  })
  const earlier = allowed.map(({ host, port }) => `${host}:${port}`)
  return {
    hosts: earlier.length === 0 ? [nowhere] : [...new Set(earlier)],
    origins: [...new Set(allowed.map(({ origin }) => origin))],
  }
}
