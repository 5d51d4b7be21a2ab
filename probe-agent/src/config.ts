import { isIPv4, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import { Region } from '@probe-mesh/contracts/regions'
import { z } from 'zod'

/** What an agent is told by its environment; the composition of several agents makes one for each. */
export type AgentConfig = {
  readonly region: Region
  /** Its name: one running agent each, and the same after a restart, since its spool is named so. */
  readonly agent: string
  readonly dataDirectory: string
  readonly spoolBytesMax: number
  /** CIDR blocks that probes may reach although they are not public. */
  readonly targetAllow: readonly string[]
  /** Where to write the ids of readings for an audit; null: nowhere. */
  readonly journalPath: string | null
}

export const spoolBytesDefault = 256 * 1024 * 1024
export const spoolBytesMin = 16 * 1024 * 1024

const Name = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,63}$/, 'must be 1 to 63 letters, digits, hyphens or underscores')

/** An address with a prefix length, such as `10.0.0.0/8` or `fd00::/8`. */
const isCidr = (text: string): boolean => {
  const [address = '', prefix = '', ...rest] = text.split('/')
  if (rest.length > 0 || !/^\d{1,3}$/.test(prefix)) return false
  if (isIPv4(address)) return Number(prefix) <= 32
  return isIPv6(address) && !address.includes('%') && Number(prefix) <= 128
}

const CidrList = z
  .string()
  .transform((text) => text.split(',').map((block) => block.trim()))
  .transform((blocks) => blocks.filter((block) => block !== ''))
  .pipe(
    z.array(z.string().refine(isCidr, { error: ({ input }) => `${input} is not a CIDR block` })),
  )

const Environment = z.object({
  REGION: Region,
  AGENT: Name.optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  SPOOL_BYTES_MAX: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number of bytes')
    .transform(Number)
    .pipe(z.number().min(spoolBytesMin, `must be at least ${spoolBytesMin} bytes`))
    .default(spoolBytesDefault),
  TARGET_ALLOW: CidrList.default([]),
  JOURNAL: z.string().min(1).optional(),
})

/** The name of an agent that was given none: its region and its host. */
export const agentName = (region: Region, host: string): string =>
  `${region}-${host.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`.slice(0, 63)

/**
 * Reads the agent's part of the environment. An empty variable counts as absent.
 * @throws Error whose message lists every problem, a line each
 */
export const parseAgentConfig = (
  environment: Readonly<Record<string, string | undefined>>,
): AgentConfig => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${String(path[0])}: ${message}`,
    )
    throw new Error(`the environment of the agent is not usable:\n${problems.join('\n')}`)
  }
  const { REGION, AGENT, DATA_DIR, SPOOL_BYTES_MAX, TARGET_ALLOW, JOURNAL } = parsed.data
  return Object.freeze({
    region: REGION,
    agent: AGENT ?? agentName(REGION, hostname()),
    dataDirectory: DATA_DIR,
    spoolBytesMax: SPOOL_BYTES_MAX,
    targetAllow: TARGET_ALLOW,
    journalPath: JOURNAL ?? null,
  })
}
