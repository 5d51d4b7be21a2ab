import { z } from 'zod'
import { Instant } from '../schema/text.ts'

/** The name of a secret in an account, as texts have it: {{ secret.name }}. */
export const SecretName = z
  .string()
  .max(64)
  .regex(/^[A-Za-z]\w*$/, 'must be letters, digits and underscores, and begin with a letter')

/** Shorter values could not be masked in what a target answers. */
export const secretCharactersMin = 6
export const secretCharactersMax = 10_000
const hostsMax = 20
export const secretsPerAccountMax = 200

/** A host that a secret may be sent to: a name, `*.` and a name for all below it, or an address; `:port` narrows it. */
const SecretHost = z
  .string()
  .max(260)
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/,
    'must be a host in lower case, such as api.example.com, *.example.com or api.example.com:8443',
  )
  .refine((text) => !text.includes('..'), 'has an empty part between two dots')
  .refine(
    (text) => !/^\*\.[^.]+$/.test(text.replace(/:\d+$/, '')),
    'covers a whole top-level domain; name a host',
  )
  .refine((text) => {
    const port = /:(\d+)$/.exec(text)?.[1]
    return port === undefined || text.endsWith(']') || (Number(port) >= 1 && Number(port) <= 65_535)
  }, 'has a port that is not between 1 and 65535')

export const SecretHosts = z.array(SecretHost).min(1, 'at least one host is required').max(hostsMax)

/** A secret as it is shown: its value never is. */
export const Secret = z.object({
  id: z.string(),
  name: SecretName,
  hosts: SecretHosts,
  /** Ids of the checks that use it. */
  usedBy: z.array(z.string()),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Secret = z.infer<typeof Secret>

/** Whether a secret may be sent to the host of a URL. Pure. */
export const maySendTo = (hosts: readonly string[], url: URL): boolean =>
  hosts.some((each) => covers(each, { host: url.hostname, port: portOf(url) }))

/** The hosts of a list to which another list does not let a secret be sent. Pure. */
export const hostsBeyond = (hosts: readonly string[], allowed: readonly string[]): string[] =>
  hosts.filter((each) => !allowed.some((one) => covers(one, partsOf(each))))

type HostParts = { host: string; port: string | undefined }

const covers = (entry: string, { host, port }: HostParts): boolean => {
  const may = partsOf(entry)
  if (may.port !== undefined && may.port !== port) return false
  return may.host === host || (may.host.startsWith('*.') && host.endsWith(may.host.slice(1)))
}

const partsOf = (text: string): HostParts => {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(text) ?? []
  return { host, port }
}

const portOf = ({ port, protocol }: URL): string =>
  port === '' ? (protocol === 'https:' ? '443' : '80') : port

/** The secrets of one check, as they are sealed for the agents of its region. */
export const SealedSecrets = z.record(
  SecretName,
  z.object({ value: z.string().max(secretCharactersMax), hosts: SecretHosts }),
)
export type SealedSecrets = z.infer<typeof SealedSecrets>
