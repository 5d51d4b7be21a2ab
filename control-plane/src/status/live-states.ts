import type { Events } from '@probe-mesh/bus/port'
import {
  StatesTold,
  StatesWanted,
  statesWantedMs,
  statesWantedValidMs,
} from '@probe-mesh/contracts/mesh/events'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { startLoop } from '@probe-mesh/runtime/loop'
import { newestRegions, newestState, type Newer } from './newest-state.ts'
import type { CheckState, RegionState } from './state.ts'

/** Checks of other control planes in memory; beyond, the one that was told longest ago is answered from its row. */
const checksMax = 200_000
/** Its row is newer by now, ms. */
const keptMs = 300_000
/** The server takes messages of 1 MB. */
const messageBytesMax = 250_000
/** The schema takes no more checks in one message. */
const checksPerMessageMax = 500

/** A state as it is stored, with what was measured since. */
export type Freshen = (checkId: string, stored: CheckState) => CheckState

/** A check with its newest state. @param freshen absent: the state is as it is stored */
export const withNewest = <C extends { id: string; state: CheckState }>(
  check: C,
  freshen: Freshen | undefined,
): C => (freshen === undefined ? check : { ...check, state: freshen(check.id, check.state) })

export type LiveStates = {
  readonly freshen: Freshen
  /** Tells the states that this control plane judges. */
  follow(own: (checkId: string) => CheckState | undefined): void
  /** Whether another control plane wants them; `new`: one that has none yet. */
  wanted(): 'new' | 'yes' | 'no'
  tell(states: readonly { checkId: string; state: CheckState }[]): void
  close(): Promise<void>
}

/**
 * States between two writes of their rows (S-945), so that every control plane gives the same answer (S-947): its own
 * from memory, those of others as they are told.
 */
export const openLiveStates = async (capabilities: {
  events: Pick<Events, 'publish' | 'subscribe'>
  now: () => number
}): Promise<LiveStates> => {
  const { events, now } = capabilities
  const self = uuidv7(now())
  const wantedUntilMs = new Map<string, number>()
  const others = new Map<string, Newer & { atMs: number }>()
  let told = new WeakSet<RegionState>()
  let hasNewListener = false
  let own: (checkId: string) => CheckState | undefined = () => undefined

  const take = ({ checkId, version, regions }: StatesTold['states'][number]): void => {
    const known = others.get(checkId)
    if (known !== undefined && known.version > version) return
    others.delete(checkId)
    const before = known?.version === version ? known.regions : {}
    // the schema looks at what decides; the rest is shown as it was told
    const news = regions as CheckState['regions']
    // a process that lost its lease may not know it yet, and tells older ones
    others.set(checkId, { version, regions: newestRegions(before, news), atMs: now() })
  }
  const trim = (): void => {
    for (const [checkId, { atMs }] of others) {
      if (others.size <= checksMax && atMs > now() - keptMs) return
      others.delete(checkId)
    }
  }
  const subscriptions = await Promise.all([
    events.subscribe('states_wanted', (payload) => {
      const { data } = StatesWanted.safeParse(payload)
      if (data === undefined || data.teller === self) return
      hasNewListener ||= (wantedUntilMs.get(data.teller) ?? 0) <= now()
      wantedUntilMs.set(data.teller, now() + statesWantedValidMs)
    }),
    events.subscribe('states_told', (payload) => {
      const { data } = StatesTold.safeParse(payload)
      if (data === undefined || data.teller === self) return
      for (const state of data.states) take(state)
      trim()
    }),
  ])
  const announcing = startLoop({
    round: async () => events.publish('states_wanted', { teller: self }),
    everyMs: statesWantedMs,
    onError: () => undefined,
  })

  return {
    freshen: (checkId, stored) => newestState(newestState(stored, own(checkId)), others.get(checkId)),
    follow: (find) => {
      own = find
    },
    wanted: () => {
      for (const [teller, untilMs] of wantedUntilMs) if (untilMs <= now()) wantedUntilMs.delete(teller)
      if (!hasNewListener) return wantedUntilMs.size > 0 ? 'yes' : 'no'
      hasNewListener = false
      told = new WeakSet()
      return 'new'
    },
    tell: (states) => {
      let part: StatesTold['states'] = []
      let bytes = 0
      const send = (): void => {
        if (part.length > 0)
          events.publish('states_told', { teller: self, states: part } satisfies StatesTold)
        part = []
        bytes = 0
      }
      for (const { checkId, state } of states) {
        const regions = Object.entries(state.regions).filter(([, held]) => !told.has(held))
        if (regions.length === 0) continue
        for (const [, held] of regions) told.add(held)
        const size = regions.reduce((sum, [, held]) => sum + bytesMaxOf(held), 0)
        if (bytes + size > messageBytesMax || part.length >= checksPerMessageMax) send()
        part.push({ checkId, version: state.version, regions: Object.fromEntries(regions) })
        bytes += size
      }
      send()
    },
    close: async () => {
      await announcing.close()
      await Promise.all(subscriptions.map((subscription) => subscription.close()))
    },
  }
}

/** What a region takes in a message at most, bytes: its reasons, of which a character may take six, and the rest. */
const bytesMaxOf = ({ reason, unmeasuredReason, withheldReason, suspect }: RegionState): number =>
  [reason, unmeasuredReason, withheldReason, suspect?.reason].reduce(
    (sum, text) => sum + 6 * (text?.length ?? 0),
    suspect === undefined || suspect === null ? 500 : 800,
  )
