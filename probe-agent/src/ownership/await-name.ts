import { runLoop, type Next } from '@probe-mesh/runtime/loop'
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Logger } from '@probe-mesh/bus/logger'
import type { AnnouncedAgent, Presence } from '@probe-mesh/bus/port'
import { presence as pace } from '@probe-mesh/contracts/mesh/subjects'

const pollMs = 1_000
const logAgainMs = 60_000

/** Identifies an installation by a file next to the spool and the host name, since disks are copied. */
export const ownInstance = (path: string): string => {
  let id: string
  try {
    id = readFileSync(path, 'utf8').trim()
  } catch {
    id = ''
  }
  if (id === '') {
    id = randomUUID()
    writeFileSync(path, `${id}\n`, { mode: 0o600 })
  }
  const host = hostname()
  const mark = createHash('sha256').update(`${id} ${host}`).digest('hex').slice(0, 16)
  return `${mark}@${host}`.slice(0, 100)
}

/**
 * After a takeover this installation gets a new identity, so that it does not take the name back at
 * once.
 */
export const forgetInstance = (path: string): void => rmSync(path, { force: true })

/** Another installation with the same name; it is alive when its announcements change. */
export type NameSighting = { revision: number; sinceMs: number; hasMoved: boolean }

/**
 * Evaluates a list of the region's agents for a name.
 * @returns null: no other installation uses it
 */
export const trackName = (
  former: NameSighting | null,
  listed: readonly AnnouncedAgent[],
  own: { agent: string; instance: string },
  nowMs: number,
): NameSighting | null => {
  const other = listed.find(({ agent }) => agent === own.agent)
  if (other === undefined || other.instance === own.instance) return null
  const { revision } = other
  if (former === null) return { revision, sinceMs: nowMs, hasMoved: false }
  if (former.revision !== revision) return { revision, sinceMs: nowMs, hasMoved: true }
  return nowMs - former.sinceMs >= pace.silentMs ? null : former
}

/**
 * Waits until no other installation runs under this agent's name: two of them would stop each other
 * forever. An earlier process of this one, or of a lost machine, delays the start only until its
 * silence is certain. While the bus is unavailable it does not wait.
 */
export const awaitName = async (capabilities: {
  presence: Pick<Presence, 'list' | 'tellWaiting'>
  region: string
  agent: string
  instance: string
  signal: AbortSignal
  log: Logger
  /** Called while another installation has the name. */
  onHeld: (problem: string) => void
}): Promise<void> => {
  const { presence, region, agent, instance, signal, log } = capabilities
  let sighting: NameSighting | null = null
  let loggedAtMs = Number.NEGATIVE_INFINITY
  const look = async (): Promise<Next> => {
    const listed = await presence.list(region).catch(() => null)
    if (listed === null) return 'end'
    const nowMs = performance.now()
    sighting = trackName(sighting, listed, { agent, instance }, nowMs)
    if (sighting === null) return 'end'
    if (sighting.hasMoved) {
      const host = listed.find((one) => one.agent === agent)?.instance?.split('@')[1]
      const where = host === undefined ? 'elsewhere' : `on ${host}`
      const problem = `another agent runs as ${agent}, ${where}; this agent waits until it stops. Give each agent its own AGENT`
      capabilities.onHeld(problem)
      // for the doctor; a bus that fails now is noticed by the next list
      await presence.tellWaiting?.({ agent, region, instance }).catch(() => undefined)
      if (nowMs - loggedAtMs >= logAgainMs) {
        loggedAtMs = nowMs
        log.error({ agent, region }, problem)
      }
    }
    return undefined
  }
  await runLoop({
    signal,
    round: look,
    everyMs: pollMs,
    onError: (error) => {
      throw error
    },
  })
}
