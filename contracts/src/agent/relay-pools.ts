import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { relayBudgetBounds } from './relay-budget.ts'
import { relayRequestBounds } from './relay.ts'
import { endedDeliveryBounds, outboxBounds, poisonBounds } from '../error-tracking/set-aside.ts'
import { inFigures, poolFigures } from '../schema/shared-pool.ts'
import type { SharedPool } from '../schema/shared-pool.ts'

const { least, catchUp, burstMinutes } = relayBudgetBounds
const { rates } = relayRequestBounds
const days = (ms: number): string => `${ms / 86_400_000} days`
const megabytes = (bytes: number): string => `${bytes / (1024 * 1024)} MB`

const runs = {
  places: 256,
  placesOfOwner: 32,
  waiting: 0,
  waitingOfOwner: 0,
  reserve: { places: 64, ofOwner: 1 },
} as const satisfies PoolBounds
/** So many accounts have a run each, whatever others ask: those at their share leave the places that are kept. */
const runAccounts = runs.reserve.places

/** What comes from private agents, and what is set aside. */
export const relayPools = {
  relayReadings: {
    what: 'Readings and bytes that private agents send to the relay',
    bound: 'none in all: what all checks may produce, and the row of places for requests',
    share: `of one agent ${catchUp} times what its checks may produce, and ${burstMinutes} minutes at once; stored are only slots that its checks have or had, each once`,
    floor: `${least.perMinute.readings} readings a minute, and ${least.most.readings} at once`,
    refused:
      'SV-6002 with Retry-After: the agent keeps the readings and sends them again; a reading of a run that was not asked, or of no slot of its check, is dropped',
    figures: ['relay_refused_total', 'relay_readings_total'],
  },
  relayRequests: {
    what: 'Requests of private agents: readings, answers to runs, presence and streams',
    bound:
      'none in all: the row of look-ups bounds what is asked of Postgres, and an answer is published only where its run is open',
    share: `of one token at one control plane ${relayRequestBounds.inFlight} under way, and a second ${rates.readings.perSecond} with readings, ${rates.runs.perSecond} answers and ${rates.presence.perSecond} of presence or streams (${inFigures(rates.readings.burst)}, ${rates.runs.burst} and ${rates.presence.burst} at once)`,
    floor: "an agent's own: no other agent counts",
    refused: 'SV-6002 with Retry-After, before the body is read and the token looked up',
    figures: ['relay_refused_total'],
  },
  agentRuns: {
    what: 'Runs asked of private agents that one control plane waits for',
    bounds: runs,
    bound: `${runs.places} at once`,
    share: `${runs.placesOfOwner} of one account, whichever of its agents they are asked of`,
    floor: `one run at once, for ${runAccounts} accounts of each control plane: ${runs.reserve.places} places are kept for accounts without one`,
    refused:
      'the region is `unanswered` and counted as `busy`; a confirmation is asked again twice',
    figures: poolFigures('http_runs_unanswered_total'),
  },
  poison: {
    what: 'Messages that cannot be read, taken to be kept for the operator',
    bound: `${poisonBounds.allPerMinute.rows} in a minute and loop`,
    share: `${poisonBounds.ownerPerMinute.rows} in a minute and loop of one region or private agent`,
    floor: `${poisonBounds.floorPerMinute.rows} in a minute and loop of each, all of them together at most as many again as the bound`,
    refused: 'dropped and counted; the message is acknowledged',
    figures: ['ingest_poison_dropped_total', 'error_poison_dropped_total'],
  },
  poisonKept: {
    what: 'Messages that cannot be read, kept for the operator to look at',
    bound: `${poisonBounds.all.rows} and ${megabytes(poisonBounds.all.bytes)}, for ${days(poisonBounds.ageMsMax)}`,
    share: `${poisonBounds.owner.rows} and ${megabytes(poisonBounds.owner.bytes)} of one region or private agent`,
    floor: 'beyond the bound in all, the oldest of the owner with most go first',
    refused: 'the oldest are dropped and counted',
    figures: ['poison_rows', 'poison_bytes', 'purge_dropped_total'],
  },
  outboxKept: {
    what: 'The outbox: what changed and is to be told, or was',
    bound: `${outboxBounds.allRows} rows that were told; of the others the age, ${days(outboxBounds.ageMsMax)}`,
    share: `${outboxBounds.ownerRows} rows of one account that were not told yet`,
    floor: 'what others have that was not told counts in no share but their own',
    refused: 'the oldest are dropped and counted',
    figures: ['purge_dropped_total'],
  },
  endedDeliveriesKept: {
    what: 'Messages that were delivered, or failed for good, kept for people to see',
    bound: `${endedDeliveryBounds.allRows} rows`,
    share: `${endedDeliveryBounds.ownerRows} rows of one account`,
    floor: 'beyond the bound in all, the oldest of the account with most go first',
    refused: 'the oldest are dropped and counted',
    figures: ['purge_dropped_total'],
  },
} as const satisfies Record<string, SharedPool>
