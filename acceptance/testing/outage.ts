import type { Region } from '@probe-mesh/contracts/reading/regions'
import { runMsMax } from '@probe-mesh/probe-agent/schedule/run'
import { startDeadlineMs } from '@probe-mesh/probe-agent/src/schedule/start-deadline'
import type { DueSlot } from './audit.ts'

/** The time of a dead agent, from its kill until it was ready again, Unix ms. */
export type AgentOutage = { agent: string; region: Region; fromMs: number; toMs: number }

/** How long a ready agent may still wait for the list of the others. */
const firstListMsMax = 3_000
/** The number of slots before the longest run to search for the agent that ran a check. */
const slotsBackMax = 3

/** The maximum time from a slot to its reading on a busy machine, ms. */
const slotToReadingMsMax = ({ intervalMs }: Pick<DueSlot, 'intervalMs'>): number => {
  const intervalSeconds = intervalMs / 1_000
  return startDeadlineMs(intervalSeconds) + runMsMax({ type: 'http', intervalSeconds })
}

/**
 * The expected slots without a journal entry that no dead agent explains. A dead agent explains slots of a
 * check that it ran last: those after its last journalled one, because runs of a check never overlap, as far
 * back as a run may take, until its first slot of that check afterwards. A slot that was skipped while later
 * ones ran is unexplained.
 */
export const unexplainedSlots = (
  due: readonly DueSlot[],
  journals: ReadonlyMap<string, ReadonlySet<string>>,
  outages: readonly AgentOutage[],
): DueSlot[] => {
  const ran = (agent: string, slot: DueSlot, slotMs: number): boolean =>
    journals.get(agent)?.has(`${slot.checkId}:${slot.region}:${slotMs}`) ?? false
  const agents = [...journals.keys()]

  /** The last slot of the check before an instant and its agents; several during a handover. */
  const lastRun = (slot: DueSlot, beforeMs: number): { slotMs: number; runners: string[] } => {
    const last = slot.slotMs - Math.ceil((slot.slotMs - beforeMs) / slot.intervalMs) * slot.intervalMs
    const first = beforeMs - slotToReadingMsMax(slot) - slotsBackMax * slot.intervalMs
    for (let slotMs = last; slotMs >= first; slotMs -= slot.intervalMs) {
      const runners = agents.filter((agent) => ran(agent, slot, slotMs))
      if (runners.length > 0) return { slotMs, runners }
    }
    return { slotMs: Number.POSITIVE_INFINITY, runners: [] }
  }
  const explains = (outage: AgentOutage, slot: DueSlot): boolean => {
    if (outage.region !== slot.region) return false
    if (slot.slotMs < outage.fromMs - slotToReadingMsMax(slot)) return false
    const last = lastRun(slot, outage.fromMs)
    return (
      last.runners.includes(outage.agent) &&
      slot.slotMs > last.slotMs &&
      slot.slotMs <= firstSlotSince(outage, slot, journals.get(outage.agent))
    )
  }

  return due
    .filter((slot) => !agents.some((agent) => ran(agent, slot, slot.slotMs)))
    .filter((slot) => !outages.some((outage) => explains(outage, slot)))
}

/** The first slot of a check that an agent ran after its kill, or the latest time for it. */
const firstSlotSince = (
  { fromMs, toMs }: AgentOutage,
  { checkId, region, slotMs, intervalMs }: DueSlot,
  ids: ReadonlySet<string> = new Set(),
): number => {
  const last = toMs + firstListMsMax
  let first = slotMs - Math.floor((slotMs - fromMs) / intervalMs) * intervalMs
  while (first <= last && !ids.has(`${checkId}:${region}:${first}`)) first += intervalMs
  return Math.min(first, last)
}

/**
 * The longest period of missed consecutive slots of one check and region, ms. A kill restarts the period,
 * because it may affect the agent that takes over.
 * @param kills of agents of the region, Unix ms
 */
export const longestGapMs = (
  due: readonly DueSlot[],
  journalled: ReadonlySet<string>,
  kills: readonly number[],
): number => {
  let longest = 0
  let gap = 0
  let last: DueSlot | null = null
  for (const slot of due) {
    const before = last?.checkId === slot.checkId && last.region === slot.region ? last : null
    const isAnew = before === null || kills.some((kill) => kill > before.slotMs && kill <= slot.slotMs)
    gap = journalled.has(slot.id) ? 0 : (isAnew ? 0 : gap) + slot.intervalMs
    longest = Math.max(longest, gap)
    last = slot
  }
  return longest
}

/**
 * Whether kills of the process with all agents explain a missed slot: it was expected while the process was
 * dead, or after the last slot that its region reached before the kill. A slot that was skipped while later
 * ones ran is unexplained.
 * @param journalled ids of run slots, `<check>:<region>:<slot>`
 * @param runMsMax the maximum time from a slot to its reading
 */
export const explainedByKills = (
  journalled: ReadonlySet<string>,
  outages: readonly { fromMs: number; toMs: number }[],
  runMsMax: number,
): ((slot: Pick<DueSlot, 'region' | 'slotMs'>) => boolean) => {
  const ran = Map.groupBy(
    [...journalled].flatMap((id) => {
      const [, region = '', slot, ...kind] = id.split(':')
      return kind.length > 0 ? [] : [{ region, slotMs: Number(slot) }]
    }),
    ({ region }) => region,
  )
  /** The last slot that each region reached before the kill; earlier on a busy machine. */
  const reached = outages.map(({ fromMs }, index) => {
    const aliveMs = outages[index - 1]?.toMs ?? 0
    return new Map(
      [...ran].map(([region, slots]) => [
        region,
        slots.reduce((latest, { slotMs }) => (slotMs < fromMs ? Math.max(latest, slotMs) : latest), aliveMs),
      ]),
    )
  })
  return ({ region, slotMs }) =>
    outages.some(
      ({ toMs }, index) => slotMs >= (reached[index]?.get(region) ?? 0) - runMsMax && slotMs <= toMs,
    )
}
