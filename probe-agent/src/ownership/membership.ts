import { codeOf } from '@probe-mesh/runtime/errors'
import { startLoop, type Loop } from '@probe-mesh/runtime/loop'
import { pause } from '@probe-mesh/runtime/pause'
import type { Logger } from '@probe-mesh/bus/logger'
import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import type { AgentPresence, AnnouncedAgent, Bus } from '@probe-mesh/bus/port'
import { keepSubscribed } from '../publish/keep-subscribed.ts'
import { afterOutage, liveAgents, rememberedSightings, applyList, type Members } from './members.ts'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { z } from 'zod'

const Names = z.array(z.string().min(1).max(200)).max(10_000)

const Remembered = z.object({ members: Names, chromium: Names })

const noMembers: Members = { members: [], chromium: [] }

/**
 * The remembered members; none without a file.
 * @throws Error when the file cannot be read
 */
export const readMembers = (path: string): Members => {
  try {
    return Remembered.parse(parseForeignJson(readFileSync(path)))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return noMembers
    throw error
  }
}

/**
 * Writes atomically.
 * @throws Error when the disk fails
 */
const writeMembers = (path: string, { members, chromium }: Members): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify({ members, chromium })}\n`)
  renameSync(`${path}.new`, path)
}

const pollMsMin = 750
const pollMsMax = 1_000
/** A list that takes longer counts as failed, ms. */
const listMsMax = 3_000
/** How long to wait for the first list, ms; then the remembered members decide. */
export const firstListMsMax = 3_000

/** The agents that share a region's assignments, as this agent knows them. */
export type Membership = {
  /** Whether the latest list failed. */
  readonly isBusUnavailable: boolean
  /** Withdraws at once. */
  close(): Promise<void>
}

/**
 * Announces this agent and watches the others. While the bus is unavailable the last known members
 * stay, also across a restart: an isolated region keeps its shares. Without any knowledge the agent
 * runs all checks: ingest removes duplicates, but missing readings cannot be recovered.
 */
export const createMembership = (capabilities: {
  presence: AgentPresence
  /** The state of this agent, sent with each announcement. */
  report?: () => AgentReport
  bus: Pick<Bus, 'presence' | 'onReturn'>
  /** The file with the remembered members. */
  path: string
  /** Monotonic ms */
  nowMs: () => number
  /** In [0, 1) */
  random: () => number
  log: Logger
  /** Announces only after this: the agent must know its share before the others release it. */
  announceAfter: Promise<void>
  /** Called first within `firstListMsMax`, then on every change. */
  onMembers: (members: Members) => void
  /** A later process uses this name; announcements stop. */
  onSuperseded: () => void
}): Membership => {
  const { presence, bus, path, nowMs, random, log } = capabilities
  const { agent, region } = presence
  const self = { agent, chromium: presence.chromium === true }
  const closing = new AbortController()
  let sightings = rememberedSightings(remembered(path, log))
  let decided: string | null = null
  let isBusAway = true
  let loop: Loop | null = null

  const decide = () => {
    const members = liveAgents(sightings, self)
    const text = JSON.stringify(members)
    if (decided === text) return
    decided = text
    log.info(members, 'members of the region')
    if (sightings.readAt !== null) remember(path, members, log)
    capabilities.onMembers(members)
  }
  const pollNow = () => loop?.wake()
  const end = () => {
    closing.abort()
    clearTimeout(firstList)
    void loop?.close()
  }
  const firstList = setTimeout(decide, firstListMsMax)
  const announcement = keepSubscribed(
    async () => {
      await capabilities.announceAfter
      const superseded = () => {
        end()
        capabilities.onSuperseded()
      }
      const announced = await bus.presence.announce(presence, superseded, capabilities.report)
      pollNow()
      return announced
    },
    { what: 'the presence', random, log, onReturn: bus.onReturn },
  )
  const returns = bus.onReturn(() => {
    sightings = afterOutage(sightings)
    pollNow()
  })

  const poll = async () => {
    const listed = await listWithin(bus, region, closing.signal)
    if (closing.signal.aborted) return
    isBusAway = listed === null
    // A list without this agent is from a bus that lost, or has not yet accepted, its announcement.
    if (listed?.some((one) => one.agent === agent && one.startedAt === presence.startedAt)) {
      clearTimeout(firstList)
      sightings = applyList(sightings, listed, nowMs())
      decide()
    }
  }
  loop = startLoop({
    round: poll,
    everyMs: () => pollMsMin + random() * (pollMsMax - pollMsMin),
    onError: (error) => {
      throw error
    },
  })
  const polling = loop.ended

  return {
    get isBusUnavailable() {
      return isBusAway
    },
    close: async () => {
      end()
      await Promise.all([announcement.close(), returns.close(), polling])
    },
  }
}

/** null when the list fails, takes too long, or is no longer needed. */
const listWithin = async (
  bus: Pick<Bus, 'presence'>,
  region: string,
  closing: AbortSignal,
): Promise<AnnouncedAgent[] | null> => {
  const waiting = new AbortController()
  const stopWaiting = () => waiting.abort()
  closing.addEventListener('abort', stopWaiting, { once: true })
  const listing = bus.presence.list(region).catch(() => null)
  try {
    return await Promise.race([listing, pause(listMsMax, waiting.signal).then(() => null)])
  } finally {
    stopWaiting()
    closing.removeEventListener('abort', stopWaiting)
  }
}

const remembered = (path: string, log: Logger): Members => {
  try {
    return readMembers(path)
  } catch (error) {
    log.warn({ err: error }, 'reading the remembered members failed')
    return noMembers
  }
}

const remember = (path: string, members: Members, log: Logger): void => {
  try {
    writeMembers(path, members)
  } catch (error) {
    log.warn({ err: error }, 'storing the members of the region failed')
  }
}
