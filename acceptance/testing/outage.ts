import type { Region } from '@probe-mesh/contracts/reading/regions'
import { runMsMax } from '@probe-mesh/probe-agent/schedule/run'
import { startDeadlineMs } from '@probe-mesh/probe-agent/schedule/start-deadline'
import type { DueSlot } from './audit.ts'

/** An agent was dead from its kill until it was ready again, Unix ms. */
export type AgentOutage = { agent: string; region: Region; fromMs: number; toMs: number }

/** An agent that is ready may still wait so long for the list of the others. */
const firstListMsMax = 3_000
/** How many slots before the longest run are looked at to find who ran a check. */
const slotsBackMax = 3

/** From a slot to its reading at the longest, which a busy machine needs, ms. */
const slotToReadingMsMax = ({ intervalMs }: Pick<DueSlot, 'intervalMs'>): number => {
  const intervalSeconds = intervalMs / 1_000
  return startDeadlineMs(intervalSeconds) + runMsMax({ type: 'http', intervalSeconds })
}

/**
 * The slots that were due and that nobody journalled, although no dead agent explains it. A dead
 * agent explains the slots of a check that it ran last: those after the last that it journalled
 * before its kill, since a check never overlaps itself, as far back as a run may take, until its
 * first slot of that check afterwards. A slot that was passed over while later ones ran is explained
 * by nothing.
 */
export const unexplainedSlots = (
  due: readonly DueSlot[],
  journals: ReadonlyMap<string, ReadonlySet<string>>,
  outages: readonly AgentOutage[],
): DueSlot[] => {
  const ran = (agent: string, slot: DueSlot, slotMs: number): boolean =>
    journals.get(agent)?.has(`${slot.checkId}:${slot.region}:${slotMs}`) ?? false
  const agents = [...journals.keys()]

  /** Who ran the check last before an instant, and which slot; several where a hand-over was under way. */
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

/** The first slot of a check that an agent ran since its kill, at the latest when it had to run one. */
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
 * The longest time for which slots of one check and region in a row were missed, ms. A kill begins
 * the wait anew: whoever was to take the check over may be who was killed.
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
 * Whether the kills of the one process that all agents are in explain a slot that was not run: it was
 * due while the process was dead, or after all that its region had come to before the kill. A slot
 * that was passed over while later ones ran is explained by nothing.
 * @param journalled ids of the slots that were run, `<check>:<region>:<slot>`
 * @param runMsMax from a slot to its reading at the longest
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
  /** How far each region had come when it was killed: not to the kill where the machine was busy. */
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
